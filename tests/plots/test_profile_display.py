"""Profiles as tiles: colors and words by hand, columns that are left out, and what fits."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure

from kgroups import KernelKGroups
from kgroups.plots import ProfileDisplay

X = np.array([[0.0, 5.0], [2.0, 6.0], [10.0, 5.0], [12.0, 6.0]])
MODEL = KernelKGroups(2, init=[0, 0, 1, 1]).fit(X)


def axes(width=6.0, height=4.0):
    return Figure(figsize=(width, height), layout="constrained").subplots()


def names(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


def words(display):
    """What is seen in the tiles once the picture is drawn."""
    display.figure_.savefig(io.BytesIO(), format="png")
    return [[t.get_text() if t.get_visible() else None for t in row] for row in display.texts_]


def scales(display):
    return [ax.get_ylabel() for ax in display.ax_.child_axes[1:]]


def test_numbers_are_colored_by_standard_deviations_and_say_their_means():
    display = ProfileDisplay.from_estimator(MODEL, X, feature_names=["a", "b"], ax=axes())
    # Column a: means 1 and 11 about 6, variance 26; column b: the same in both clusters.
    expected = [[-5 / 26**0.5, 5 / 26**0.5], [0, 0]]
    np.testing.assert_allclose(display.image_.get_array(), expected, atol=1e-12)
    assert display.image_.get_clim() == (-2, 2)
    assert names(display) == ["a", "b"]
    assert words(display) == [["1", "11"], ["5.5", "5.5"]]
    assert scales(display) == ["standard deviations from all rows"]
    strip = display.ax_.child_axes[0]
    assert [text.get_text() for text in strip.get_xticklabels()] == ["0", "1"]
    assert display.ax_.get_title(loc="left") == "Profile"


def test_what_tells_clusters_apart_most_is_on_top_and_clusters_go_by_the_order():
    display = ProfileDisplay.from_estimator(
        MODEL, X[:, ::-1], table=X[:, ::-1], order=[1, 0], ax=axes()
    )
    assert names(display) == ["column 1", "column 0"]
    assert words(display) == [["11", "1"], ["5.5", "5.5"]]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_categories_say_their_shares_in_the_cluster_and_in_all_rows(library):
    table = library({"kind": ["x", "x", "y", "z"], "big": [False, False, True, True]})
    display = ProfileDisplay.from_estimator(MODEL, X, table=table, ax=axes(8))
    # x: all of cluster 0 and half of all rows; y and z: half of cluster 1, a quarter of all.
    first = {"kind": (1 - 0.5) / 0.5, "big": 1.0}
    second = {"kind": (0.5 - 0.25) / (0.25 * 0.75) ** 0.5, "big": 1.0}
    assert names(display) == ["kind", "big"]
    expected = [[first[name], second[name]] for name in names(display)]
    np.testing.assert_allclose(display.image_.get_array(), expected)
    assert words(display) == [
        ["x 100%, all 50%", "y 50%, all 25%"],
        ["false 100%, all 50%", "true 100%, all 50%"],
    ]
    narrow = ProfileDisplay.from_estimator(MODEL, X, table=table, ax=axes(2.4, 3))
    assert words(narrow)[0] == ["x 100%\nall 50%", "y 50%\nall 25%"]


def test_dates_are_written_as_dates():
    days = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-03", "2021-05-01"] * 2)})
    model = KernelKGroups(2, init=[0, 0, 1] * 2).fit(np.array([[0.0], [1.0], [90.0]] * 2))
    display = ProfileDisplay.from_estimator(model, np.zeros((6, 1)), table=days, order=[0, 1])
    assert words(display) == [["2020-01-02", "2021-05-01"]]


def test_of_many_columns_those_that_tell_clusters_apart_are_drawn_and_counted():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 50))
    group = np.arange(60) % 2
    table[:, [7, 30]] += 50.0 * group[:, None]
    model = KernelKGroups(2, init=group).fit(table)
    display = ProfileDisplay.from_estimator(model, table, max_columns=12, ax=axes())
    assert display.ax_.get_title(loc="left") == "Profile (12 of 50 columns)"
    assert set(names(display)[:2]) == {"column 7", "column 30"}
    assert len(names(display)) == 12


def test_colors_end_at_two_standard_deviations_and_the_scale_says_so():
    rows = np.r_[np.zeros(30), 100.0][:, None]
    model = KernelKGroups(2, init=np.r_[np.zeros(30, int), 1]).fit(rows)
    display = ProfileDisplay.from_estimator(model, rows, ax=axes())
    assert display.image_.get_array().max() == pytest.approx(30**0.5)
    assert scales(display) == ["standard deviations from all rows, clipped at 2"]


def test_weights_count_as_in_the_fit():
    display = ProfileDisplay.from_estimator(MODEL, X, sample_weight=[3, 1, 1, 1], ax=axes())
    assert words(display)[0] == ["0.5", "11"]
