"""Sparse arrays from .npz files: every format that SciPy saves, and what is wrong with others."""

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse

from helpers import each
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table, read_rows, read_table
from kgroups.input.table_files import sparse_npz as module

pytestmark = pytest.mark.nojit

DENSE = np.array([[0, 1.5, 0, 2], [0, 0, 0, 0], [-3, 0, 0, 0], [0, 0, 4, 0.5]])


def saved(folder, name="a.npz", **changed):
    """A file with the arrays of a small CSR array, some of which are changed, None for removed."""
    rows = sparse.csr_array(DENSE)
    arrays = {
        "format": np.array(b"csr"), "shape": np.array(rows.shape), "data": rows.data,
        "indices": rows.indices, "indptr": rows.indptr, **changed,
    }  # fmt: skip
    with zipfile.ZipFile(folder / name, "w") as archive:
        for key, values in arrays.items():
            if values is not None:
                content = io.BytesIO()
                np.save(content, values, allow_pickle=True)
                archive.writestr(f"{key}.npy", content.getvalue())
    return folder / name


def test_entries_at_one_place_are_added_and_sorted(tmp_path):
    path = saved(
        tmp_path, data=np.array([1.0, 2.0, 4.0, 0.0]), indices=np.array([3, 1, 3, 0]),
        indptr=np.array([0, 4, 4, 4, 4]),
    )  # fmt: skip
    matrix = read_rows(path).matrix
    assert matrix.indices.tolist() == [1, 3]
    assert matrix.data.tolist() == [2.0, 5.0]


def test_small_whole_numbers_do_not_overflow(tmp_path):
    path = saved(
        tmp_path, data=np.full(3, 100, np.int8), indices=np.zeros(3, int),
        indptr=np.array([0, 3, 3, 3, 3]),
    )  # fmt: skip
    assert read_rows(path).matrix[0, 0] == 300


def test_a_dense_array_is_a_table_still(tmp_path):
    np.savez(tmp_path / "a.npz", data=DENSE)
    assert isinstance(read_rows(tmp_path / "a.npz"), Table)
    path = saved(tmp_path)
    with pytest.raises(DataError, match="holds a sparse array, and a table is needed"):
        read_table(path)


@each(
    "changed",
    [
        {"indices": np.array([1, 9, 0, 2, 3])},
        {"indices": np.array([1, -9, 0, 2, 3])},
        {"indices": np.array([1, 3])},
        {"indices": np.arange(5.0)},
        {"indptr": np.array([0, 4, 2, 3, 5])},
        {"indptr": np.array([0, 2, 2, 3, 99])},
        {"indptr": np.array([0, 5])},
        {"indptr": None},
        {"data": None},
        {"data": np.array([None] * 5)},
        {"data": np.ones(5, complex)},
        {"data": np.array([1, np.nan, 1, 1, 1])},
        {"data": np.array([1, 1, np.inf, -np.inf, 1])},
        {"format": np.array(b"lil")},
        {"format": np.array(b"x" * 2_000)},
        {"format": np.array([None])},
        {"format": np.array(b"coo")},
        {"shape": np.array([4.0, 4.0])},
        {"shape": np.array([2**62, 2**62])},
        {"shape": np.array([-4, -4])},
        {"shape": np.array([4, 4, 4])},
        {"shape": np.arange(500)},
    ],
)
def test_damaged_arrays_are_refused(tmp_path, changed):
    with pytest.raises(DataError):
        read_rows(saved(tmp_path, **changed))


def test_a_shape_that_lies_is_refused_before_memory_is_taken(tmp_path, monkeypatch):
    rows = np.array([0, 1, 2])
    arrays = {"format": np.array(b"coo"), "row": rows, "col": rows, "data": np.ones(3)}
    path = saved(tmp_path, shape=np.array([10**13, 4]), **arrays)
    with pytest.raises(MemoryError, match="a sparse array of 10,000,000,000,000 x 4, needs"):
        read_rows(path)
    asked = []
    monkeypatch.setattr(module, "require", lambda n_bytes, **_: asked.append(n_bytes))
    read_rows(saved(tmp_path, name="b.npz", shape=np.array([5, 4]), **arrays))
    assert asked == [3 * 8 * 9 + 8 * 6]


def test_many_columns_take_no_memory(tmp_path):
    path = saved(tmp_path, shape=np.array([4, 10**12]), indices=np.array([1, 10**11, 0, 2, 3]))
    assert read_rows(path).n_columns == 10**12


def test_what_was_cut_short(tmp_path):
    path = saved(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"not a file that numpy\.save or numpy\.savez wrote"):
        read_rows(path)
    header = io.BytesIO()
    np.save(header, np.ones(10**5))
    with zipfile.ZipFile(saved(tmp_path, data=None), "a") as archive:
        archive.writestr("data.npy", header.getvalue()[:200])
    with pytest.raises(DataError, match="array 'data' announces 800,000 bytes, but there are 72"):
        read_rows(tmp_path / "a.npz")
