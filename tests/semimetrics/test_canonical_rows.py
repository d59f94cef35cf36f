"""The one form of sparse rows: what is made of each format, and that nothing given is changed."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix
from sparse_cases import random_rows

from helpers import each
from kgroups.semimetrics.canonical_rows import canonical, row_key, sparse_rows_of, two_sparse_tables

pytestmark = pytest.mark.nojit
FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr"]


@each("matrix", [csr_array, csr_matrix])
@each("name", FORMATS)
def test_every_format_becomes_the_same(name, matrix):
    _table, rows = random_rows(0)
    made = canonical(matrix(rows).asformat(name))
    assert isinstance(made, csr_array)
    assert made.has_canonical_format
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(made, part), getattr(rows, part))


def messy():
    """Row 0 is (2, 0, 1), with entries out of order, twice, and a stored zero; row 1 is zero."""
    data = np.array([1.0, 0.5, 1.5, 0.0, 3.0, -3.0])
    return csr_array((data, np.array([2, 0, 0, 1, 1, 1]), np.array([0, 4, 6])), shape=(2, 3))


def test_entries_are_sorted_added_up_and_not_zero():
    made = canonical(messy())
    assert made.indices.tolist() == [0, 2]
    assert made.data.tolist() == [2.0, 1.0]
    assert made.indptr.tolist() == [0, 2, 2]


def test_what_was_given_is_not_changed():
    given = messy()
    canonical(given)
    assert given.indices.tolist() == [2, 0, 0, 1, 1, 1]
    assert given.data.tolist() == [1.0, 0.5, 1.5, 0.0, 3.0, -3.0]
    zeros = csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert canonical(zeros).nnz == 1
    assert zeros.nnz == 2


def test_rows_in_this_form_are_shared():
    rows = random_rows(1)[1]
    assert np.shares_memory(canonical(rows).data, rows.data)


def test_types():
    entries = (np.array([1, 2]), (np.array([0, 1]), np.array([1, 0])))
    assert canonical(coo_array(entries)).dtype == np.float64
    assert canonical(coo_array(entries).astype(bool)).data.tolist() == [1.0, 1.0]
    assert canonical(coo_array(entries).astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match="Complex data not supported"):
        canonical(coo_array(entries).astype(complex))


def test_places_of_eight_bytes_become_four_where_they_fit():
    rows = random_rows(2)[1]
    wide = csr_array(rows)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert canonical(wide).indices.dtype == np.int32
    assert wide.indices.dtype == np.int64


def test_rows_are_told_apart_by_their_keys():
    rows = canonical(csr_array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [2.0, 0.0]]))
    keys = [row_key(rows, i) for i in range(5)]
    assert keys[0] == keys[2]
    assert len(set(keys)) == 4


def test_two_tables():
    table, rows = random_rows(3)
    first, second = two_sparse_tables(rows, None)
    assert first is second
    first, second = two_sparse_tables(table, rows)
    assert (first != second).nnz == 0


def test_halves_become_singles():
    table = np.array([[0.5, 0.0], [0.0, -2.0]], np.float16)
    made = sparse_rows_of(table)
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made.toarray(), table)
