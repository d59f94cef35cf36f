"""Rows that are no table: what they have in common with one, and what they have instead."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups.input.table_files import Arrays, SparseRows

pytestmark = pytest.mark.nojit


def arrays(*items, kind="numbers", **more):
    return Arrays(
        source="a.jsonl", items=items, kind=kind, lines=np.arange(2, 2 + len(items)), **more
    )


@pytest.fixture
def rows():
    return SparseRows(source="a.npz", matrix=csr_array(np.eye(3, 5)), sha256="0" * 64)


def test_sparse_rows(rows):
    assert (rows.n_rows, rows.n_columns, rows.has_header, rows.text) == (3, 5, False, None)
    assert [rows.where(row) for row in range(3)] == ["row 1", "row 2", "row 3"]
    assert rows.title(4) == "column 5"
    assert rows.notes == ()


def test_arrays():
    found = arrays(np.ones(3), np.ones(1))
    assert (found.n_rows, found.n_columns, found.has_header, found.text) == (2, 1, False, None)
    assert [found.where(row) for row in range(2)] == ["line 2", "line 3"]
    assert arrays(np.ones(3), counted="entry").where(0) == "entry 2"


@each(
    ("items", "width"),
    [
        ([np.ones(3), np.ones(3)], 3),
        ([np.ones(3), np.ones(2)], None),
        ([np.ones((3, 2)), np.ones((3, 2))], None),  # several series side by side
        ([np.ones(0), np.ones(0)], None),
        ([np.ones(1)], 1),
    ],
)
def test_arrays_that_are_rows_of_a_table(items, width):
    found = arrays(*items)
    assert found.width == width
    if width is not None:
        names, columns = found.columns()
        assert names == tuple(str(i + 1) for i in range(width))
        np.testing.assert_array_equal(np.array(columns), np.array(items).T)


def test_sets_are_no_rows_of_a_table():
    assert arrays(frozenset("ab"), frozenset("cd"), kind="sets").width is None
