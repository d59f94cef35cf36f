"""Sparse arrays from .npz files: every format that SciPy saves, and what is wrong with others."""

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse

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


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"indices": np.array([1, 9, 0, 2, 3])}, "scipy.sparse.save_npz wrote: it is a damaged"),
        ({"indices": np.array([1, -9, 0, 2, 3])}, "is a damaged sparse matrix"),
        ({"indices": np.array([1, 3])}, "indices and data should have the same size"),
        ({"indices": np.arange(5.0)}, "array 'indices' holds float64, not whole numbers"),
        ({"indptr": np.array([0, 4, 2, 3, 5])}, "is a damaged sparse matrix"),
        ({"indptr": np.array([0, 2, 2, 3, 99])}, "Last value of index pointer should be less"),
        ({"indptr": np.array([0, 5])}, "is a damaged sparse matrix|wrote: "),
        ({"indptr": None}, "is incomplete: it has no array 'indptr'; save it again"),
        ({"data": None}, "is incomplete: it has no array 'data'"),
        ({"data": np.array([None] * 5)}, "array 'data' holds object, not real numbers"),
        ({"data": np.ones(5, complex)}, "array 'data' holds complex128, not real numbers"),
        ({"data": np.array([1, np.nan, 1, 1, 1])}, "row 1, column 4 is missing; write a number"),
        ({"data": np.array([1, 1, np.inf, -np.inf, 1])}, "row 3, column 1 is infinite, and 1 more"),
        ({"format": np.array(b"lil")}, "its format is 'lil', not one of csr, csc, bsr, coo, dia"),
        ({"format": np.array(b"x" * 2_000)}, r"its array format holds \|S2000 of shape"),
        ({"format": np.array([None])}, "its array format holds object"),
        ({"format": np.array(b"coo")}, "it has no array 'row'"),
        ({"shape": np.array([4.0, 4.0])}, "its array shape holds float64"),
        ({"shape": np.array([2**62, 2**62])}, "its shape is said to be"),
        ({"shape": np.array([-4, -4])}, "its shape is said to be"),
        ({"shape": np.array([4, 4, 4])}, r"has shape \(4, 4, 4\); rows to cluster have two"),
        ({"shape": np.arange(500)}, "its array shape holds int64 of shape"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, changed, said):
    path = saved(tmp_path, **changed)
    with pytest.raises(DataError, match=said) as error:
        read_rows(path)
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 1_000


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


def test_too_few_rows(tmp_path):
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_array(DENSE[:1]))
    with pytest.raises(DataError, match="has 1 row; it must have at least 2"):
        read_rows(tmp_path / "a.npz")
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_array((4, 0)))
    with pytest.raises(DataError, match="has no columns"):
        read_rows(tmp_path / "a.npz")
