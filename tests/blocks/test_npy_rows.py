"""Rows of NPY files, read where they stand."""

import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from helpers import each
from kgroups.blocks import from_npy
from kgroups.exceptions import DataError

TABLE = np.arange(12.0).reshape(4, 3)


def saved(folder, table, name="X.npy"):
    np.save(folder / name, table)
    return folder / name


def error_of(path, match):
    with pytest.raises(DataError, match=match):
        from_npy(path)


@each("as_given", [str, lambda path: path])
def test_rows_of_a_file(tmp_path, as_given):
    rows = from_npy(as_given(saved(tmp_path, TABLE)))
    assert (rows.n_rows, rows.n_columns, rows.names, rows.dtype) == (4, 3, None, np.float64)
    assert rows.read(1, 3).tolist() == [[3, 4, 5], [6, 7, 8]]
    assert rows.read(4, 4).shape == (0, 3)
    assert rows.take(np.array([3, 0, 3])).tolist() == [[9, 10, 11], [0, 1, 2], [9, 10, 11]]
    assert rows.place(3) == "X.npy, row 3"
    assert repr(rows) == "NpyRows('X.npy', 4 rows, 3 columns, float64)"
    with pytest.raises(IndexError, match=r"rows 0 to 5 were asked for, and there are 4 rows\."):
        rows.read(0, 5)


@each(
    ("stored", "read"),
    [
        ("float32", "float32"),
        ("float16", "float64"),
        (">f8", "float64"),
        ("<i2", "float64"),
        (">u4", "float64"),
        ("bool", "float64"),
    ],
)
@each("order", ["C", "F"])
def test_types_and_orders(tmp_path, stored, read, order):
    table = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1]], stored, order=order)
    rows = from_npy(saved(tmp_path, table))
    some = rows.read(1, 3)
    assert rows.dtype == some.dtype == np.dtype(read)
    assert some.dtype.isnative
    assert some.flags.c_contiguous
    assert some.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert_array_equal(rows.take(slice(None, None, -1)), table[::-1])


@each("version", [(1, 0), (2, 0)])
def test_versions_of_the_format(tmp_path, version):
    with (tmp_path / "X.npy").open("wb") as stream:
        np.lib.format.write_array(stream, np.asfortranarray(TABLE), version)
    assert_array_equal(from_npy(tmp_path / "X.npy").read(0, 4), TABLE)


def test_rows_of_a_call_are_an_array_of_their_own(tmp_path):
    rows = from_npy(saved(tmp_path, TABLE))
    rows.read(0, 4)[:] = -1
    assert_array_equal(rows.read(0, 4), TABLE)


@each("order", ["C", "F"])
def test_threads_read_at_the_same_time(tmp_path, order):
    table = np.asarray(np.random.default_rng(0).normal(size=(5000, 3)), order=order)
    rows = from_npy(saved(tmp_path, table))
    starts = range(0, 5000, 50)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda start: rows.read(start, start + 50), starts))
    assert_array_equal(np.concatenate(found), table)


# --- files that changed ----------------------------------------------------------------------


def test_a_file_of_another_size_is_noticed(tmp_path):
    rows = from_npy(saved(tmp_path, TABLE))
    rows.check_unchanged()
    saved(tmp_path, TABLE[:3])
    for work in (rows.check_unchanged, lambda: rows.read(0, 1), lambda: rows.take(slice(0, 1))):
        with pytest.raises(DataError, match=r"X\.npy was changed .* had 224 bytes, and has 200"):
            work()


def test_a_file_of_another_time_is_noticed(tmp_path):
    path = saved(tmp_path, TABLE)
    rows = from_npy(path)
    before = path.stat().st_mtime_ns
    os.utime(path, ns=(before, before + 1000))
    with pytest.raises(DataError, match=r"X\.npy was changed .* modification time is another"):
        rows.read(0, 1)
    os.utime(path, ns=(before, before))
    assert rows.read(0, 1).tolist() == [[0, 1, 2]]


def test_a_file_that_is_gone_is_noticed(tmp_path):
    path = saved(tmp_path, TABLE)
    rows = from_npy(path)
    path.unlink()
    for work in (rows.check_unchanged, lambda: rows.read(0, 1)):
        with pytest.raises(DataError, match=r"X\.npy is gone"):
            work()


def test_a_file_that_ends_early_while_it_is_read_is_noticed(tmp_path, monkeypatch):
    path = saved(tmp_path, TABLE)
    rows = from_npy(path)
    os.truncate(path, 150)
    monkeypatch.setattr("kgroups.blocks.file_state.FileState.check", lambda self: None)
    with pytest.raises(DataError, match=r"X\.npy was cut off while it was read\."):
        rows.read(0, 4)


def test_a_path_is_kept_when_the_working_folder_changes(tmp_path, monkeypatch):
    saved(tmp_path, TABLE)
    monkeypatch.chdir(tmp_path)
    rows = from_npy("X.npy")
    monkeypatch.chdir("/")
    assert_array_equal(rows.read(0, 4), TABLE)


# --- files that hold no table ----------------------------------------------------------------


@each(
    ("table", "match"),
    [
        (np.arange(3.0), r"X\.npy has shape \(3,\).* save X\.reshape\(-1, 1\)\."),
        (np.float64(3.0), r"X\.npy has shape \(\).* save X\.reshape\(-1, 1\)\."),
        (np.zeros((2, 3, 4)), r"save X\.reshape\(len\(X\), -1\)\."),
        (np.zeros((0, 3)), r"shape \(0, 3\); at least one row and column are needed"),
        (np.zeros((3, 0)), r"shape \(3, 0\); at least one row and column are needed"),
        (np.array([["a"]]), r"X\.npy holds <U1, and numbers are needed"),
        (np.array([[1j]]), r"holds complex128"),
        (np.zeros((2, 2), [("a", "f8")]), r"holds \[\('a', '<f8'\)\]"),
        (np.array([[np.datetime64("2020")]]), r"holds datetime64"),
        (np.array([[1, "a"]], object), r"holds object"),
    ],
)
def test_arrays_that_are_not_tables_of_numbers_are_refused(tmp_path, table, match):
    error_of(saved(tmp_path, table), match)


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = saved(tmp_path, TABLE)  # 128 bytes of header, 96 of numbers
    os.truncate(path, 217)
    error_of(path, r"X\.npy is cut off: its header announces 96 bytes of numbers, and there are 89")
    os.truncate(path, 60)
    error_of(path, r"X\.npy is not a file that numpy\.save wrote")


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "X.npy"
    path.write_text("a,b\n1,2\n")
    error_of(path, r"X\.npy is not a file that numpy\.save wrote")
    error_of(tmp_path, r"is not a regular file")
    with pytest.raises(FileNotFoundError, match=r"none\.npy"):
        from_npy(tmp_path / "none.npy")


# --- pickles and fingerprints ----------------------------------------------------------------


def test_a_pickle_holds_the_path_and_not_the_rows(tmp_path):
    table = np.random.default_rng(0).normal(size=(2000, 5))
    written = pickle.dumps(from_npy(saved(tmp_path, table)))
    assert len(written) < 1000
    assert_array_equal(pickle.loads(written).read(0, 2000), table)


def test_a_fingerprint_is_of_the_file(tmp_path):
    path = saved(tmp_path, TABLE)
    first = from_npy(path).fingerprint()
    assert len(first) == 16
    assert from_npy(path).fingerprint() == first
    os.utime(path, ns=(0, 1))
    later = from_npy(path).fingerprint()
    path.rename(tmp_path / "Y.npy")
    renamed = from_npy(tmp_path / "Y.npy").fingerprint()
    assert len({first, later, renamed}) == 3
