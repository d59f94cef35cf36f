"""Columns in clusters: means and shares by hand, and columns of every kind."""

import datetime as dt
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

from helpers import each
from kgroups.answers.profiles import MISSING, Grouping, number_profile, profiles

LABELS = np.array([0, 0, 1, 1])
FRAME = pd.DataFrame(
    {
        "income": [0.0, 2.0, 10.0, 12.0],
        "town": ["a", "a", "b", None],
        "owner": [True, False, True, True],
        "since": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-05", None]),
    }
)


def test_numbers_by_hand():
    income = profiles(FRAME, LABELS, 2).columns[0]
    assert (income.name, income.kind, income.is_date) == ("income", "number", False)
    assert income.means.tolist() == [1.0, 11.0]
    assert income.mean_of_all == 6.0
    assert income.sd == pytest.approx(26**0.5)
    assert_allclose(income.values, [-5 / 26**0.5, 5 / 26**0.5])
    assert income.explained == pytest.approx(25 / 26)


def test_categories_by_hand_where_a_gap_is_one_of_them():
    town = profiles(FRAME, LABELS, 2).columns[1]
    assert town.kind == "category"
    assert town.categories == ("a", "b")  # "b" and the gap are equally frequent; "b" is first
    assert town.shares.tolist() == [1.0, 0.5]
    assert town.shares_of_all.tolist() == [0.5, 0.25]
    assert_allclose(town.values, [1.0, 0.25 / (0.25 * 0.75) ** 0.5])
    assert town.explained == pytest.approx(1.0)  # "a" is all of one cluster and nothing else
    rest = profiles(FRAME.iloc[[0, 1, 3, 3]], LABELS, 2).columns[1]
    assert rest.categories == ("a", MISSING)


def test_truth_values_are_categories_and_dates_are_days():
    _, _, owner, since = profiles(FRAME, LABELS, 2).columns
    assert owner.categories == ("false", "true")
    assert owner.shares.tolist() == [0.5, 1.0]
    assert since.is_date
    first = (dt.date(2020, 1, 1) - dt.date(1970, 1, 1)).days
    assert since.means.tolist() == [first + 1, first + 4]  # the gap counts nowhere
    assert since.mean_of_all == first + 2


@pytest.mark.parametrize("table", [pl.from_pandas(FRAME), FRAME.to_numpy(dtype=object)])
def test_frames_of_polars_and_arrays_of_objects(table):
    found, expected = profiles(table, LABELS, 2).columns, profiles(FRAME, LABELS, 2).columns
    for one, other in zip(found, expected, strict=True):
        assert one.kind == other.kind
        assert_allclose(one.values, other.values)
        assert_allclose(one.explained, other.explained)


def test_weights_count_like_repeated_rows():
    table = np.array([[0.0, 5.0], [1.0, 3.0], [4.0, np.nan], [9.0, 1.0]])
    weights = np.array([1, 2, 3, 1])
    repeated = np.repeat(np.arange(4), weights)
    heavy = profiles(table, LABELS, 2, weights=weights).columns
    many = profiles(table[repeated], LABELS[repeated], 2).columns
    for one, other in zip(heavy, many, strict=True):
        assert_allclose(one.means, other.means)
        assert_allclose(one.values, other.values)
        assert one.sd == pytest.approx(other.sd)
        assert one.explained == pytest.approx(other.explained)


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


def test_columns_named_alike_and_names_that_are_not_text():
    twice = pd.DataFrame(np.eye(4), columns=["a", "a", 3, np.nan])
    assert [c.name for c in profiles(twice, LABELS, 2).columns] == ["a", "a", "3", "nan"]
    assert [c.name for c in profiles(np.eye(4), LABELS, 2).columns] == ["0", "1", "2", "3"]
    assert profiles(np.eye(4)[:, :1], LABELS, 2, names=["x"]).columns[0].name == "x"


@each("value", [0.1, 0.3, 1 / 3, 1e9 + 0.1])
@each("n", [3, 7, 38])
def test_rounding_of_a_mean_is_no_spread(value, n):
    labels = (np.arange(n) > n // 2).astype(int)
    (column,) = profiles(np.full((n, 1), value), labels, 2).columns
    assert column.values.tolist() == [0.0, 0.0]
    assert column.explained == 0.0


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


def test_infinite_entries_count_nowhere():
    (column,) = profiles(np.array([[0.0], [np.inf], [4.0], [-np.inf]]), LABELS, 2).columns
    assert column.means.tolist() == [0.0, 4.0]
    assert column.mean_of_all == 2.0
