"""Rows of arrays and frames, block by block."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from helpers import each
from kgroups.blocks import from_array
from kgroups.input import rows as module

TABLE = np.arange(12.0).reshape(4, 3)


def test_rows_of_an_array_are_views_of_it():
    rows = from_array(TABLE)
    assert (rows.n_rows, rows.n_columns, rows.names, rows.dtype) == (4, 3, None, np.float64)
    some = rows.read(1, 3)
    assert some.tolist() == [[3, 4, 5], [6, 7, 8]]
    assert np.shares_memory(some, TABLE)
    assert rows.read(2, 2).shape == (0, 3)


def test_blocks_are_canonical_and_can_be_asked_for_again(monkeypatch):
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 4)
    rows = from_array(np.arange(10)[:, None])
    for _ in range(2):
        assert [(a, block.ravel().tolist()) for a, block in rows.blocks()] == [
            (0, [0, 1, 2, 3]),
            (4, [4, 5, 6, 7]),
            (8, [8, 9]),
        ]


@each(
    ("stored", "read"),
    [
        ("float32", "float32"),
        ("float16", "float64"),
        ("float64", "float64"),
        (">f8", "float64"),
        (">f4", "float64"),
        ("int8", "float64"),
        ("uint64", "float64"),
        ("bool", "float64"),
    ],
)
@each("order", ["C", "F"])
def test_types_and_orders_of_arrays(stored, read, order):
    table = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]], stored, order=order)
    rows = from_array(table)
    some = rows.read(1, 3)
    assert rows.dtype == some.dtype == np.dtype(read)
    assert some.dtype.isnative
    assert some.flags.c_contiguous
    assert some.tolist() == [[1, 0, 1], [1, 1, 0]]


def test_rows_by_number_come_in_the_order_asked_for(monkeypatch):
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 3)
    rows = from_array(np.arange(10, dtype=np.float32)[:, None])
    taken = rows.take(np.array([9, 0, 4, 9, 3, 1]))
    assert taken.ravel().tolist() == [9, 0, 4, 9, 3, 1]
    assert taken.dtype == np.float32
    assert rows.take(np.array([8], np.uint8)).tolist() == [[8]]
    assert rows.take(np.array([], np.int64)).shape == (0, 1)


@each(
    "index",
    [slice(2, 5), slice(None), slice(7, 2), slice(8, 1, -3), slice(-3, None), slice(0, 9, 4)],
)
def test_slices_mean_what_they_mean_for_arrays(monkeypatch, index):
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 3)
    table = np.arange(10.0)[:, None]
    assert_array_equal(from_array(table).take(index), table[index])


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


@each(("start", "stop"), [(-1, 2), (3, 2), (0, 5)])
def test_intervals_outside_of_the_table_are_refused(start, stop):
    with pytest.raises(IndexError, match=rf"rows {start} to {stop} .* there are 4 rows\."):
        from_array(TABLE).read(start, stop)


def test_a_mapped_array_is_read_as_it_is_needed(tmp_path):
    np.save(tmp_path / "X.npy", TABLE)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    rows = from_array(mapped)
    assert np.shares_memory(rows.read(0, 4), mapped)
    assert_array_equal(rows.read(0, 4), TABLE)


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


@each("library", [pd, pl])
def test_frames_of_float32_stay_so(library):
    frame = library.DataFrame({"a": np.float32([0.5, 1.5]), "b": np.float32([2, 3])})
    rows = from_array(frame)
    assert rows.dtype == rows.read(0, 1).dtype == np.float32
    assert rows.read(0, 2).tolist() == [[0.5, 2], [1.5, 3]]


def test_names_that_are_not_text_are_left_out():
    assert from_array(pd.DataFrame({0: [1.0], 1: [2.0]})).names is None


def test_a_fingerprint_tells_arrays_apart():
    def fingerprint(table):
        return from_array(table).fingerprint()

    changed = TABLE.copy()
    changed[2, 1] = -1
    same = fingerprint(TABLE)
    assert len(same) == 16
    assert fingerprint(TABLE.copy()) == same
    others = [fingerprint(X) for X in (changed, TABLE.astype("f4"), TABLE.reshape(6, 2), TABLE[:3])]
    assert len({same, *others}) == 5


def test_a_fingerprint_looks_at_evenly_spaced_rows():
    long = np.zeros((2001, 1))
    first = from_array(long).fingerprint()
    long[1] = 1  # 1,000 of 2,001 rows: number 1 is not among 0, 2, 4, 6, ...
    assert from_array(long).fingerprint() == first
    long[2000] = 1
    assert from_array(long).fingerprint() != first


def test_a_pickle_holds_the_array():
    copy = pickle.loads(pickle.dumps(from_array(pd.DataFrame(TABLE, columns=list("abc")))))
    assert copy.names == ["a", "b", "c"]
    assert_array_equal(copy.read(0, 4), TABLE)
