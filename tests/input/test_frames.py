"""Frames of pandas and polars: numbers, text columns, and categories of the fit."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.metrics import same_partition
from kgroups.semimetrics import ColumnSum, Energy, Hamming, Manhattan

LIBRARIES = each("library", [pd.DataFrame, pl.DataFrame])

SIZES = [0.0, 0.1, 5.0, 5.2, 0.2, 5.1]
COLORS = ["red", "red", "blue", "blue", "red", "green"]
TABLE = {"size": SIZES, "color": COLORS, "weight": [1.0, 1.0, 2.0, 2.0, 1.0, 2.0]}
MIXED = ColumnSum([(Energy(), ["size", "weight"]), (Hamming(), ["color"], 2.0)])


def fit(table, metric=MIXED):
    return KernelKGroups(2, metric=metric, random_state=0).fit(table)


# --- fit ---------------------------------------------------------------------------------------


@LIBRARIES
def test_a_frame_of_numbers_equals_its_array(library):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    table = library({"a": X[:, 0], "b": X[:, 1]})
    named = fit(table, ColumnSum([(Manhattan(), ["b"]), (Energy(), ["a", "b"])]))
    placed = fit(X, ColumnSum([(Manhattan(), [1]), (Energy(), [0, 1])]))
    np.testing.assert_array_equal(named.labels_, placed.labels_)
    assert named.within_dispersion_ == placed.within_dispersion_
    assert not hasattr(named, "categories_")
    assert not hasattr(placed, "feature_names_in_")
    assert named.metric_ == placed.metric_


def test_text_in_an_array_of_objects():
    X = np.array([[0.0, "a"], [0.1, "a"], [9.0, "b"], [9.5, "b"]], dtype=object)
    model = fit(X, ColumnSum([(Energy(), [0]), (Hamming(), [1])]))
    assert same_partition(model.labels_, [0, 0, 1, 1])
    assert model.categories_ == {1: ["a", "b"]}
    assert model.predict(np.array([[9.0, "c"]], dtype=object)) == model.labels_[2]


def test_a_column_with_an_index_of_its_own_is_taken_by_position():
    table = pd.DataFrame(TABLE, index=[9, 8, 7, 6, 5, 4])
    np.testing.assert_array_equal(fit(table).labels_, fit(pd.DataFrame(TABLE)).labels_)


# --- columns that nobody named -------------------------------------------------------------------

OTHERS = {
    "id": ["a1", "a2", "a3", "a4", "a5", "a6"],
    "born": np.array(["2020-01-01"] * 6, "M8[ms]"),
    "gap": [1.0, None, 2.0, np.nan, 1e300, -np.inf],
}


@LIBRARIES
def test_columns_that_no_part_names_are_ignored(library):
    crowded = library({"id": OTHERS["id"], **TABLE, "born": OTHERS["born"], "gap": OTHERS["gap"]})
    model, expected = fit(crowded), fit(library(TABLE))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.within_dispersion_ == expected.within_dispersion_
    assert model.feature_names_in_.tolist() == ["id", "size", "color", "weight", "born", "gap"]
    for new in (crowded, library(TABLE), library({**TABLE, "more": OTHERS["id"]})):
        np.testing.assert_array_equal(model.predict(new), model.labels_)
    np.testing.assert_array_equal(expected.predict(crowded), model.labels_)
    np.testing.assert_allclose(model.transform(crowded), expected.transform(library(TABLE)))


@each("dtype", [object, np.float64, np.float32])
def test_columns_of_arrays_that_no_part_names(dtype):
    X = np.column_stack([SIZES, [np.nan] * 6, [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]])
    if dtype is object:
        X = X.astype(object)
        X[:, 1] = OTHERS["id"]
    X = X.astype(dtype)
    metric = ColumnSum([(Energy(), [0]), (ColumnSum([(Hamming(), [1])]), [1, 2])])
    model = fit(X, metric)
    used = X[:, [0, 2]].astype(np.float64)
    expected = fit(used, ColumnSum([(Energy(), [0]), (Hamming(), [1])]))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.within_dispersion_ == pytest.approx(expected.within_dispersion_, rel=1e-6)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


# --- missing categories --------------------------------------------------------------------------

GAPS = {"size": SIZES, "color": ["red", None, "blue", "blue", None, "red"]}


@LIBRARIES
def test_a_missing_value_may_be_a_category(library):
    """It equals another missing value, and differs from every other one."""
    metric = ColumnSum([(Energy(), ["size"]), (Hamming(missing="category"), ["color"])])
    model = fit(library(GAPS), metric)
    filled = {**GAPS, "color": [value or "none" for value in GAPS["color"]]}
    by_name = ColumnSum([(Energy(), ["size"]), (Hamming(), ["color"])])
    expected = fit(library(filled), by_name)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.within_dispersion_ == expected.within_dispersion_
    assert model.categories_ == {1: ["blue", "red", None]}
    np.testing.assert_array_equal(model.predict(library(GAPS)), model.labels_)
    new = library({"size": [0.0, 5.0], "color": [None, "green"]})
    np.testing.assert_allclose(
        model.transform(new),
        expected.transform(library({"size": [0.0, 5.0], "color": ["none", "green"]})),
        rtol=1e-13,
    )


def test_missing_numbers_that_stand_for_categories():
    X = np.array([[1.0, 2.0], [np.nan, 2.0], [np.nan, 3.0], [1.0, 3.0]])
    metric = Hamming(missing="category")
    expected = [[0, 0.5, 1, 0.5], [0.5, 0, 0.5, 1], [1, 0.5, 0, 0.5], [0.5, 1, 0.5, 0]]
    np.testing.assert_array_equal(metric.pairwise(X), expected)
    np.testing.assert_array_equal(metric.pairwise(X, X[:2]), np.array(expected)[:, :2])
    model = fit(X, metric)
    assert model.within_dispersion_ == pytest.approx(0.5)  # two pairs at 1/2: 2 · (1/2)/2
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert fit(np.ones((3, 2)) * [[1], [2], [3]], metric).predict([[np.nan, 1.0]]).shape == (1,)


@each("dtype", [np.float32, np.float64])
def test_a_missing_category_differs_from_every_number(dtype):
    largest = np.finfo(dtype).max
    X = np.array([[np.nan], [np.inf], [-np.inf], [largest], [-largest], [0.0]], dtype)
    metric = Hamming(missing="category")
    np.testing.assert_array_equal(metric.pairwise(X), 1 - np.eye(6))
    np.testing.assert_array_equal(metric.pairwise(X[:1], X), 1 - np.eye(6)[:1])
    np.testing.assert_array_equal(metric.pairwise(X[1:], X[:2]), 1 - np.eye(6)[1:, :2])


@LIBRARIES
def test_a_missing_category_differs_from_infinity_in_a_fit(library):
    X = library({"a": [None, None, np.inf, np.inf], "b": ["u", "u", "u", "u"]})
    model = fit(X, Hamming(missing="category"))
    assert model.within_dispersion_ == 0
    assert model.predict(X).tolist() == model.labels_.tolist()
