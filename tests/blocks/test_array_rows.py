"""Rows of arrays and frames, block by block."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from helpers import each
from kgroups.blocks import from_array

TABLE = np.arange(12.0).reshape(4, 3)


@each(
    ("index", "match"),
    [
        ([0, 4], r"row 4 was asked for, and the rows are 0 to 3\."),
        ([-1], r"row -1 was asked for"),
        ([0.0], r"got float64 of shape \(1,\)"),
        ([True, False, True, True], r"For a mask write numpy\.flatnonzero\(mask\)\."),
        ([[0]], r"got int64 of shape \(1, 1\)"),
    ],
)
def test_numbers_that_no_row_has_are_refused(index, match):
    with pytest.raises(IndexError, match=match):
        from_array(TABLE).take(np.array(index))


def test_columns_of_a_pandas_frame():
    frame = pd.DataFrame(
        {
            "plain": [1, 2],
            "gap": pd.array([3, None], "Int64"),
            "flag": [True, False],
            "Größe": np.array([0.5, 1.5], np.float32),
        }
    )
    rows = from_array(frame)
    assert rows.names == ["plain", "gap", "flag", "Größe"]
    assert rows.dtype == np.float64
    assert_array_equal(rows.read(0, 2), [[1, 3, 1, 0.5], [2, np.nan, 0, 1.5]])


def test_columns_of_a_polars_frame():
    frame = pl.DataFrame({"a": [1, None], "b": [True, None], "c": [0.5, 1.5]})
    rows = from_array(frame)
    assert rows.names == ["a", "b", "c"]
    assert_array_equal(rows.read(0, 2), [[1, 1, 0.5], [np.nan, np.nan, 1.5]])


def test_a_fingerprint_looks_at_evenly_spaced_rows():
    long = np.zeros((2001, 1))
    first = from_array(long).fingerprint()
    long[1] = 1  # 1,000 of 2,001 rows: number 1 is not among 0, 2, 4, 6, ...
    assert from_array(long).fingerprint() == first
    long[2000] = 1
    assert from_array(long).fingerprint() != first


@pytest.mark.parametrize(
    ("X", "error"),
    [
        (np.ma.masked_array([[1.0], [2.0]], [[True], [False]]), ValueError),
        (np.arange(3.0), ValueError),
        (np.zeros((0, 2)), ValueError),
        (np.array([["a"]]), ValueError),
        (np.array([[1j]]), ValueError),
        (np.array([[np.datetime64("2020")]]), ValueError),
        (pd.DataFrame({"a": ["x"]}), ValueError),
        (pl.DataFrame({"a": [1.0]}).lazy(), TypeError),
        (csr_array(np.eye(2)), TypeError),
        ([[1.0]], TypeError),
        ("x.npy", TypeError),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(X, error):
    with pytest.raises(error, match=r"^X"):
        from_array(X)


def test_a_pickle_holds_the_array():
    copy = pickle.loads(pickle.dumps(from_array(pd.DataFrame(TABLE, columns=list("abc")))))
    assert copy.names == ["a", "b", "c"]
    assert_array_equal(copy.read(0, 4), TABLE)
