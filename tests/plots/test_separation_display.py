"""Separation of rows: values by hand, sorted bars by cluster, and what stands in their place."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from plot_cases import axes
from scipy.sparse import csr_array

from helpers import each
from kgroups import KernelKGroups
from kgroups.plots import SeparationDisplay
from kgroups.plots.separation_display import separations
from kgroups.plots.style import cluster_colors
from kgroups.semimetrics import Energy


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_values_by_hand():
    # Squared distances to centers 0, 2 and 6 on a line; the row at 4 belongs to 6 and is halfway,
    # the one at 3 belongs to 6 and is nearer to 2.
    at, centers = np.array([0.0, 1.0, 4.0, 3.0]), np.array([0.0, 2.0, 6.0])
    squared = np.square(at[:, None] - centers)
    found = separations(squared, np.array([0, 1, 2, 2]))
    assert found.tolist() == [1.0, 0.0, 0.0, (1 - 9) / 9]
    assert separations(np.zeros((2, 3)), np.array([0, 2])).tolist() == [0.0, 0.0]


def test_bars_are_those_of_the_distances_to_the_centers_sorted_within_clusters():
    X = np.array([[0.0], [1.0], [10.0], [12.0], [11.0]])
    model = KernelKGroups(2, metric=Energy(2.0), init=[0, 0, 1, 1, 1]).fit(X)
    display = SeparationDisplay.from_estimator(model, X, ax=axes())
    # Centers 0.5 and 11.
    first = sorted([1 - 0.25 / 121, 1 - 0.25 / 100], reverse=True)
    second = sorted([1 - 1 / 9.5**2, 1 - 1 / 11.5**2, 1.0], reverse=True)
    for bars, expected in zip(display.bars_, (first, second), strict=True):
        np.testing.assert_allclose(bars.get_data().values, expected)
    assert display.mean_ == pytest.approx(np.mean(first + second))
    colors = [bars.get_facecolor() for bars in display.bars_]
    np.testing.assert_allclose(colors, cluster_colors(2))
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["0", "1"]
    assert display.ax_.get_xlabel().endswith(f"dashed: mean {display.mean_:.2f} of 5 rows")
    dashed = [line for line in display.ax_.get_lines() if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [display.mean_]


def test_a_row_nearer_to_another_center_is_below_zero_and_counted():
    display = SeparationDisplay(
        values=np.array([0.9, -0.4, 0.5]), labels=np.array([0, 0, 1]), order=np.array([1, 0]),
        n_points=3,
    ).plot(axes())  # fmt: skip
    assert [bars.get_data().values.tolist() for bars in display.bars_] == [[0.5], [0.9, -0.4]]
    assert display.ax_.get_xlim()[0] < -0.4
    assert display.ax_.get_xlabel().endswith("mean 0.33 of 3 rows\n1 row nearer to another center")


def test_many_rows_are_sampled_in_proportion_and_the_title_says_so():
    X = np.random.default_rng(0).normal(size=(300, 2)) + 20.0 * (np.arange(300) % 3 == 0)[:, None]
    model = KernelKGroups(2, n_init=1, random_state=0).fit(X)
    display = SeparationDisplay.from_estimator(model, X, max_points=60, ax=axes())
    assert sorted(np.bincount(display.labels)) == [20, 40]
    assert display.ax_.get_title(loc="left") == "Separation (60 of 300 points)"
    everything = SeparationDisplay.from_estimator(model, X, ax=axes())
    assert set(np.round(display.values, 9)) <= set(np.round(everything.values, 9))


@each("kind", ["pandas", "polars", "sparse", "list", "precomputed", "words"])
def test_rows_of_every_kind_are_drawn(kind):
    X = np.random.default_rng(0).normal(size=(40, 3)) + 9.0 * (np.arange(40) % 2)[:, None]
    text = ["cat", "cats", "act", "banana", "bananas", "cabana"]
    given, metric = {
        "pandas": (pd.DataFrame(X, columns=list("abc"), index=np.arange(40) + 7), "energy"),
        "polars": (pl.DataFrame(X, schema=list("abc")), "energy"),
        "sparse": (csr_array(np.abs(X)), "cosine"),
        "list": (X.tolist(), "energy"),
        "precomputed": (Energy().pairwise(X), "precomputed"),
        "words": (text, "levenshtein"),
    }[kind]
    model = KernelKGroups(2, metric=metric, random_state=0).fit(given)
    display = SeparationDisplay.from_estimator(model, given, ax=axes())
    squared = np.square(model.transform(given))
    rows = np.arange(len(squared))
    own, other = squared[rows, model.labels_], squared[rows, 1 - model.labels_]
    expected = (other - own) / np.maximum(own, other)
    np.testing.assert_allclose(np.sort(display.values), np.sort(expected), atol=1e-6)
