"""Tables and sequences: what counts as which, and what is found wrong with a value."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from kgroups import KernelKGroups
from kgroups.input.tables import (
    check_distinct,
    check_finite,
    check_line,
    check_objects,
    check_points,
    count_distinct_rows,
)
from kgroups.semimetrics import ColumnSum, Energy, Hamming, PairFunction

pytestmark = pytest.mark.nojit

APART = PairFunction(lambda a, b: abs(len(a) - len(b)))


def points(X, semimetric=None, estimator=None, *, reset=True):
    return check_points(estimator or BaseEstimator(), X, semimetric or Energy(), reset=reset)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_stay_as_they_are(dtype):
    X = np.arange(6, dtype=dtype).reshape(3, 2)
    assert np.shares_memory(points(X), X)


def test_numbers_of_other_kinds_become_float64():
    for X in ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]], np.int8), pd.DataFrame({0: [1, 3]})):
        assert points(X).dtype == np.float64
    assert points(np.array([[True], [False]])).tolist() == [[1.0], [0.0]]


def test_columns_are_remembered():
    estimator = BaseEstimator()
    points(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}), estimator=estimator)
    assert estimator.n_features_in_ == 2
    assert list(estimator.feature_names_in_) == ["a", "b"]
    assert not hasattr(estimator, "categories_")


def test_text_that_is_compared_for_equality_becomes_codes():
    X = pd.DataFrame({"size": [1.0, 2.0, 4.0], "color": ["red", "blue", "red"]})
    mixed = ColumnSum([(Energy(), ["size"]), (Hamming(), ["color"])])
    estimator = BaseEstimator()
    assert points(X, mixed, estimator).tolist() == [[1, 1], [2, 0], [4, 1]]
    assert estimator.categories_ == {1: ["blue", "red"]}
    new = pd.DataFrame({"size": [0.0, 0.0], "color": ["green", "blue"]})
    assert points(new, mixed, estimator, reset=False).tolist() == [[0, -1], [0, 0]]


def test_a_metric_of_objects_takes_a_table_as_one_and_anything_else_as_objects():
    table = [[1, 2], [3, 4]]
    distance = PairFunction(lambda a, b: float(np.abs(a - b).sum()))
    assert isinstance(points(table, distance), np.ndarray)
    for objects in (["a", "bb"], [[1], [2, 3]], [{1}, {2}], ("x", "y")):
        assert points(objects, APART) is objects
    estimator = BaseEstimator()
    points(["a", "b"], APART, estimator)
    assert not hasattr(estimator, "n_features_in_")


def test_objects():
    assert check_objects("abc") == "abc"
    assert check_objects(pd.Series(["a", "b"], index=[7, 9])) == ["a", "b"]
    with pytest.raises(TypeError, match="X must be a sequence of objects; got set"):
        check_objects({1, 2})
    with pytest.raises(TypeError, match="got generator"):
        check_objects(x for x in "ab")
    with pytest.raises(ValueError, match="Found 0 samples in X"):
        check_objects([])
    with pytest.raises(TypeError, match=r"X is a frame, and the rows.*X\.to_numpy\(\)"):
        check_objects(pd.DataFrame({"a": ["x", "y"]}))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_is_no_sequence_of_rows(frame):
    rows = np.empty((4, 2), object)
    rows[:] = [["a", "b"], ["a", "c"], ["x", "y"], ["x", "z"]]
    model = KernelKGroups(2, metric=lambda a, b: float((a != b).sum())).fit(rows)
    with pytest.raises(TypeError, match="X is a frame, and the rows of the fit were"):
        model.predict(frame({"u": rows[:, 0].tolist(), "v": rows[:, 1].tolist()}))
    np.testing.assert_array_equal(model.predict(rows), model.labels_)


@pytest.mark.parametrize(
    ("value", "names", "message"),
    [
        (np.nan, None, r"^Input X contains NaN in row 1, column 2\. .* impute first"),
        (np.nan, ["a", "b", "c"], r"in row 1, column 'c'\."),
        (np.inf, None, r"^Input X contains infinity in row 1, column 2\. .* drop the row"),
        (-np.inf, None, r"contains infinity in row 1"),
    ],
)
def test_the_first_value_that_is_not_finite(value, names, message):
    table = np.zeros((3, 3))
    table[1, 2] = value
    with pytest.raises(ValueError, match=message):
        check_finite(table, names)
    table[2, 0] = np.nan
    with pytest.raises(ValueError, match=r"row 1, .* and 1 more\."):
        check_finite(table, names)


def test_a_sum_that_overflows_is_not_a_value_that_does():
    check_finite(np.full((4, 4), 1e308), None)
    check_finite(np.full((4, 4), 3e38, np.float32), None)


@pytest.mark.parametrize("x", [[1, 2, 3], [[1], [2], [3]], np.array([1, 2, 3], np.float32)])
def test_numbers_on_a_line(x):
    found = check_line(x, "x")
    assert (found.tolist(), found.dtype) == ([1.0, 2.0, 3.0], np.float64)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([[1, 2], [3, 4]], r"x must be numbers on a line, shape \(n,\); got int64 of shape \(2, 2"),
        (3.0, r"got float64 of shape \(\)"),
        (["a"], r"got <U1 of shape \(1,\)"),
        ([1j], r"got complex128"),
        ([], r"x has no numbers; at least one is needed"),
        ([0.0, np.nan], r"Input x contains NaN in row 1, column 'x'"),
    ],
)
def test_what_is_not_a_line(x, message):
    with pytest.raises(ValueError, match=message):
        check_line(np.array(x), "x")


def test_distinct_rows():
    """Zeros of both signs are equal; rows that are not asked for do not count."""
    table = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    everyone = np.ones(5, bool)
    assert count_distinct_rows(table, everyone, 10) == 3
    assert count_distinct_rows(table, everyone, 2) == 2
    assert count_distinct_rows(table, np.array([1, 1, 0, 0, 0], bool), 10) == 1
    assert count_distinct_rows(table, np.zeros(5, bool), 10) == 0
    assert table[1, 0] == 0
    assert np.signbit(table[1, 0])


def test_as_many_points_as_clusters():
    check_distinct(3, 3)
    with pytest.raises(ValueError, match=r"n_clusters=4 is more than .* weight, 3; .* at most 3"):
        check_distinct(3, 4)
