"""Columns in clusters: means and shares by hand, and columns of every kind."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from kgroups.answers.profiles import Grouping, number_profile, profiles

LABELS = np.array([0, 0, 1, 1])
FRAME = pd.DataFrame(
    {
        "income": [0.0, 2.0, 10.0, 12.0],
        "town": ["a", "a", "b", None],
        "owner": [True, False, True, True],
        "since": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-05", None]),
    }
)


def test_columns_that_say_nothing():
    table = np.column_stack([np.ones(4), np.full(4, np.nan), [1e300, -1e300, 1e300, 1e300]])
    constant, empty, huge = profiles(table, LABELS, 2).columns
    assert constant.values.tolist() == [0.0, 0.0]
    assert constant.explained == 0.0
    assert np.isnan(empty.mean_of_all)
    assert empty.values.tolist() == [0.0, 0.0]
    assert empty.explained == 0.0
    assert huge.mean_of_all == pytest.approx(5e299)
    assert_allclose(huge.values, [-1 / 3**0.5, 1 / 3**0.5])


def test_a_cluster_without_rows_or_weight_has_no_mean():
    groups = Grouping(np.array([0, 0, 1]), np.array([1.0, 1.0, 0.0]), 3)
    found = number_profile(np.array([1.0, 3.0, 50.0]), "x", groups)
    assert found.means[0] == 2.0
    assert np.isnan(found.means[1:]).all()
    assert found.values[1:].tolist() == [0.0, 0.0]


def test_the_most_telling_columns_come_first():
    found = profiles(FRAME, LABELS, 2).most_telling(2)
    assert [column.name for column in found.columns] == ["town", "income"]
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"id": [f"row {i}" for i in range(200)], "x": rng.normal(size=200)})
    table["y"] = np.repeat([0.0, 1.0], 100) + 0.5 * rng.normal(size=200)
    named = profiles(table, np.repeat([0, 1], 100), 2).most_telling(3)
    assert [column.name for column in named.columns] == [
        "y",
        *sorted(
            ("id", "x"),
            key=lambda name: -next(c.explained for c in named.columns if c.name == name),
        ),
    ]
    assert next(c for c in named.columns if c.name == "id").explained < 0.02


def test_names_that_are_not_text():
    table = pd.DataFrame(np.eye(4), columns=["a", "b", 3, np.nan])
    assert [c.name for c in profiles(table, LABELS, 2).columns] == ["a", "b", "3", "nan"]
    assert [c.name for c in profiles(np.eye(4), LABELS, 2).columns] == ["0", "1", "2", "3"]
    assert profiles(np.eye(4)[:, :1], LABELS, 2, names=["x"]).columns[0].name == "x"


def test_a_category_called_missing_is_not_a_gap():
    (column,) = profiles(pd.DataFrame({"a": ["missing", None, "x", "x"]}), LABELS, 2).columns
    assert column.categories == ("missing", "x")
    assert column.shares.tolist() == [0.5, 1.0]


def test_one_long_text_does_not_make_all_others_long():
    table = pd.DataFrame({"a": ["b"] * 20_000})
    table.loc[7, "a"] = "long" * 25_000
    tracemalloc.start()
    (column,) = profiles(table, np.arange(20_000) % 2, 2).columns
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert column.categories[0] == "b"
    assert most < 20e6  # and not 20,000 times 400 kB
