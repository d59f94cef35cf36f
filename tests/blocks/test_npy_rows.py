"""Rows of NPY files, read where they stand."""

import io
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


@each("version", [(1, 0), (2, 0)])
def test_versions_of_the_format(tmp_path, version):
    with (tmp_path / "X.npy").open("wb") as stream:
        np.lib.format.write_array(stream, np.asfortranarray(TABLE), version)
    assert_array_equal(from_npy(tmp_path / "X.npy").read(0, 4), TABLE)


@each("order", ["C", "F"])
def test_threads_read_at_the_same_time(tmp_path, order):
    table = np.asarray(np.random.default_rng(0).normal(size=(5000, 3)), order=order)
    rows = from_npy(saved(tmp_path, table))
    starts = range(0, 5000, 50)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda start: rows.read(start, start + 50), starts))
    assert_array_equal(np.concatenate(found), table)


# --- files that changed ----------------------------------------------------------------------


def test_a_file_of_another_time_is_noticed(tmp_path):
    path = saved(tmp_path, TABLE)
    rows = from_npy(path)
    before = path.stat().st_mtime_ns
    os.utime(path, ns=(before, before + 1000))
    with pytest.raises(DataError, match=r"X\.npy was changed"):
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


# --- files that hold no table ----------------------------------------------------------------


@each(
    "table",
    [
        np.arange(3.0),
        np.float64(3.0),
        np.zeros((0, 3)),
        np.array([["a"]]),
        np.zeros((2, 2), [("a", "f8")]),
        np.array([[1, "a"]], object),
    ],
)
def test_arrays_that_are_not_tables_of_numbers_are_refused(tmp_path, table):
    error_of(saved(tmp_path, table), r"X\.npy, \d+ bytes, is not a table of numbers")


def header(shape, kind="<f8"):
    """The beginning of a file that claims to hold an array."""
    stream = io.BytesIO()
    about = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, about)
    return stream.getvalue()


@each(
    "content",
    [
        b"",
        b"a,b\n1,2\n",
        header((4, 3)) + bytes(89),
        header((10**9, 100)),
        header((10**15, 10**15)),
        header((-3, -3)) + bytes(72),
        header((10**15, 1), "<U0"),
        header((1, 1), "|O") + b"\x80\x04N.",
        b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535,
        pickle.dumps(TABLE),
    ],
)
def test_other_files_and_headers_that_lie_are_refused(tmp_path, content):
    path = tmp_path / "X.npy"
    path.write_bytes(content)
    error_of(path, r"X\.npy, [\d,]+ bytes, is not a table of numbers")


def test_an_archive_a_folder_and_nothing_are_refused(tmp_path):
    np.savez(tmp_path / "X.npz", TABLE)
    error_of(tmp_path / "X.npz", "is not one array")
    error_of(tmp_path, "is not a regular file")
    with pytest.raises(FileNotFoundError, match=r"none\.npy"):
        from_npy(tmp_path / "none.npy")


# --- pickles and fingerprints ----------------------------------------------------------------


def test_a_pickle_holds_the_path_and_not_the_rows(tmp_path):
    table = np.random.default_rng(0).normal(size=(2000, 5))
    written = pickle.dumps(from_npy(saved(tmp_path, table)))
    assert len(written) < 1000
    assert_array_equal(pickle.loads(written).read(0, 2000), table)


def test_some_columns_in_the_order_asked_for(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(12.0).reshape(4, 3))
    rows = from_npy(tmp_path / "t.npy", columns=[2, 0])
    assert (rows.n_columns, rows.read(1, 3).tolist()) == (2, [[5, 3], [8, 6]])
    assert rows.fingerprint() != from_npy(tmp_path / "t.npy").fingerprint()
    for columns in ([3], [-1], []):
        with pytest.raises(IndexError):
            from_npy(tmp_path / "t.npy", columns=columns)
