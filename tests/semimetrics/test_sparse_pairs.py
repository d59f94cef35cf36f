"""Distances between sparse rows: digits of near rows, and columns without end."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array
from sparse_cases import SEMIMETRICS, random_rows

from helpers import each
from kgroups.semimetrics import Energy, Manhattan

pytestmark = pytest.mark.nojit


@each("semimetric", SEMIMETRICS)
def test_entries_may_be_a_column_of_a_table(semimetric):
    _, rows = random_rows(0)
    apart = rows.copy()
    for name in ("data", "indices", "indptr"):
        setattr(apart, name, np.column_stack([getattr(rows, name)] * 2)[:, 0])
    np.testing.assert_array_equal(semimetric.pairwise(apart), semimetric.pairwise(rows))


@each("shift", [1e-3, 1e-6, 1e-9, 1e-12])
def test_rows_near_each_other_keep_their_digits(shift):
    x = np.array([1.0, 2.0, 0.0, 5.0])
    y = x + shift * np.array([0.0, 1.0, 1.0, -1.0])
    exact = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x, y, strict=True))
    rows = csr_array([x, y])
    made = Energy(2).pairwise(rows)
    assert made[0, 1] == made[1, 0] == pytest.approx(float(exact), rel=1e-9)
    apart = sum(abs(Fraction(a) - Fraction(b)) for a, b in zip(x, y, strict=True))
    made = Manhattan().pairwise(rows)
    assert made[0, 1] == made[1, 0] == pytest.approx(float(apart), rel=1e-9)


@each("n_columns", [10**9, 2**31 + 5])
def test_very_many_columns(n_columns):
    table, rows = random_rows(5)
    places = np.sort(np.random.default_rng(0).choice(n_columns, table.shape[1], replace=False))
    wide = csr_array((rows.data, places[rows.indices], rows.indptr), shape=(len(table), n_columns))
    np.testing.assert_array_equal(Energy().pairwise(wide), Energy().pairwise(rows))


def test_columns_that_fall_into_one_slot():
    """Multiples of a large power of two, which a table without hashing would all put at 0."""
    table, rows = random_rows(6)
    places = np.arange(table.shape[1]) << 22
    wide = csr_array((rows.data, places[rows.indices], rows.indptr), shape=(len(table), 1 << 28))
    np.testing.assert_array_equal(Manhattan().pairwise(wide), Manhattan().pairwise(rows))
