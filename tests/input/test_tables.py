"""Tables and sequences: what counts as which, and what is found wrong with a value."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from helpers import each
from kgroups import KernelKGroups
from kgroups.input.tables import (
    check_finite,
    check_line,
    check_objects,
    check_points,
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


@each("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_is_no_sequence_of_rows(frame):
    rows = np.empty((4, 2), object)
    rows[:] = [["a", "b"], ["a", "c"], ["x", "y"], ["x", "z"]]
    model = KernelKGroups(2, metric=lambda a, b: float((a != b).sum())).fit(rows)
    with pytest.raises(TypeError, match="sequence of objects"):
        model.predict(frame({"u": rows[:, 0].tolist(), "v": rows[:, 1].tolist()}))
    np.testing.assert_array_equal(model.predict(rows), model.labels_)


def test_a_sum_that_overflows_is_not_a_value_that_does():
    check_finite(np.full((4, 4), 1e308), None)
    check_finite(np.full((4, 4), 3e38, np.float32), None)


@each("x", [[1, 2, 3], [[1], [2], [3]], np.array([1, 2, 3], np.float32)])
def test_numbers_on_a_line(x):
    found = check_line(x, "x")
    assert (found.tolist(), found.dtype) == ([1.0, 2.0, 3.0], np.float64)


def test_a_memoryview_is_an_array():
    # numpy.isscalar counts it among scalars.
    X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0]])
    assert KernelKGroups(2, random_state=0).fit(memoryview(X)).labels_.tolist() == [0, 0, 1, 1]
