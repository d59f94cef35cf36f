"""Rows of arrays and frames, block by block."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

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


@pytest.mark.parametrize(
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
@pytest.mark.parametrize("order", ["C", "F"])
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


@pytest.mark.parametrize(
    "index",
    [slice(2, 5), slice(None), slice(7, 2), slice(8, 1, -3), slice(-3, None), slice(0, 9, 4)],
)
def test_slices_mean_what_they_mean_for_arrays(monkeypatch, index):
    monkeypatch.setattr(module, "ROWS_PER_BLOCK", 3)
    table = np.arange(10.0)[:, None]
    assert_array_equal(from_array(table).take(index), table[index])


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (3, 2), (0, 5)])
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


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_of_float32_stay_so(library):
    frame = library.DataFrame({"a": np.float32([0.5, 1.5]), "b": np.float32([2, 3])})
    rows = from_array(frame)
    assert rows.dtype == rows.read(0, 1).dtype == np.float32
    assert rows.read(0, 2).tolist() == [[0.5, 2], [1.5, 3]]


def test_names_that_are_not_text_are_left_out():
    assert from_array(pd.DataFrame({0: [1.0], 1: [2.0]})).names is None


@pytest.mark.parametrize(
    ("X", "match"),
    [
        (
            np.arange(3.0),
            r"shape \(3,\), and a table has two dimensions; write X\.reshape\(-1, 1\)",
        ),
        (np.zeros((2, 3, 4)), r"write X\.reshape\(len\(X\), -1\)\."),
        (np.zeros((0, 3)), r"shape \(0, 3\); at least one row is needed\."),
        (np.zeros((3, 0)), r"shape \(3, 0\); at least one column is needed\."),
        (np.array([[1, "a"]], object), r"X holds object, and numbers are needed"),
        (np.array([["a"]]), r"X holds <U1"),
        (np.array([[1j]]), r"X holds complex128.*write X\.real"),
        (
            pd.DataFrame({"a": [1.0], "b": ["x"]}),
            r"column 'b', holds (str|object), .*choose the other",
        ),
        (pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])}), r"column 'day', holds datetime64"),
        (pl.DataFrame({"a": ["x"]}), r"column 'a', holds String"),
        (pd.DataFrame({"a": []}), r"at least one row"),
        (np.ma.masked_equal([[1.0, 2.0]], 2.0), r"X is a masked array"),
    ],
)
def test_tables_that_hold_no_numbers_are_refused(X, match):
    with pytest.raises(ValueError, match=match):
        from_array(X)


@pytest.mark.parametrize(
    ("X", "match"),
    [
        ("X.npy", r"X is a path.*from_npy\(path\) or from_parquet\(path\)"),
        (csr_array(np.eye(2)), r"X is sparse"),
        ([[1.0, 2.0]], r"X is a list.*numpy\.asarray\(X\)"),
        (pl.LazyFrame({"a": [1]}), r"X\.collect\(\)"),
        (None, r"got None"),
    ],
)
def test_what_is_not_an_array_is_refused(X, match):
    with pytest.raises(TypeError, match=match):
        from_array(X)


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


def test_what_an_array_says_of_itself():
    rows = from_array(np.zeros((1234, 1), np.float32))
    assert repr(rows) == "ArrayRows(1,234 rows, 1 column, float32)"
    assert rows.place(17) == "row 17"
    assert rows.check_unchanged() is None


def test_a_pickle_holds_the_array():
    copy = pickle.loads(pickle.dumps(from_array(pd.DataFrame(TABLE, columns=list("abc")))))
    assert copy.names == ["a", "b", "c"]
    assert_array_equal(copy.read(0, 4), TABLE)
