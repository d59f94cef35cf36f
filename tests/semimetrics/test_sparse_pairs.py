"""Distances between sparse rows: those of the dense rows, and exact where sums cancel."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from sparse_cases import SEMIMETRICS, random_rows

from helpers import each
from kgroups.semimetrics import Angular, Cosine, Energy, Gaussian, Hamming, Laplacian, Manhattan
from kgroups.semimetrics import sparse_pairs as pairs
from kgroups.testing import check_semimetric

pytestmark = pytest.mark.nojit


@each("semimetric", SEMIMETRICS)
def test_distances_are_those_of_the_dense_rows(semimetric):
    table, rows = random_rows(0)
    dense = semimetric.pairwise(table)
    made = semimetric.pairwise(rows)
    assert made.dtype == np.float64
    np.testing.assert_allclose(made, dense, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(made, made.T)
    assert not np.diagonal(made).any()
    assert made[0, -1] == 0  # equal rows
    np.testing.assert_array_equal(semimetric.pairwise(rows[:3], rows), made[:3])
    np.testing.assert_array_equal(semimetric.pairwise(table[:3], rows), made[:3])
    np.testing.assert_array_equal(semimetric.pairwise(rows, table[:3]), made[:, :3])


@each("semimetric", SEMIMETRICS)
def test_entries_may_be_a_column_of_a_table(semimetric):
    _, rows = random_rows(0)
    apart = rows.copy()
    for name in ("data", "indices", "indptr"):
        setattr(apart, name, np.column_stack([getattr(rows, name)] * 2)[:, 0])
    np.testing.assert_array_equal(semimetric.pairwise(apart), semimetric.pairwise(rows))


@each("semimetric", [Cosine(), Angular()])
def test_directions_of_sparse_rows(semimetric):
    table, rows = random_rows(1)
    table, rows = np.delete(table, 1, axis=0), rows[np.arange(40) != 1]
    np.testing.assert_allclose(
        semimetric.pairwise(rows), semimetric.pairwise(table), rtol=1e-9, atol=1e-15
    )
    huge = csr_array(table * 1e200)
    np.testing.assert_allclose(semimetric.pairwise(huge), semimetric.pairwise(rows), rtol=1e-9)


@each("semimetric", [Energy(0.5), Manhattan(), Laplacian(2.0)])
def test_conformance(semimetric):
    class Sized(csr_array):
        """Rows with a length, which the check asks for."""

        def __len__(self):
            return self.shape[0]

    check_semimetric(semimetric, Sized(random_rows(2)[1]))


def test_by_hand():
    rows = csr_array([[3.0, 0.0, 0.0], [0.0, 4.0, 0.0], [3.0, 4.0, -1.0]])
    np.testing.assert_array_equal(Energy(2).pairwise(rows), [[0, 25, 17], [25, 0, 10], [17, 10, 0]])
    np.testing.assert_array_equal(Energy().pairwise(rows)[0], [0, 5, np.sqrt(17)])
    np.testing.assert_array_equal(Manhattan().pairwise(rows), [[0, 7, 5], [7, 0, 4], [5, 4, 0]])
    np.testing.assert_array_equal(3 * Hamming().pairwise(rows)[2], [2, 2, 0])


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


def test_rows_in_float32_are_compared_in_float64():
    _table, rows = random_rows(3)
    single = rows.astype(np.float32)
    wide = single.astype(np.float64)
    np.testing.assert_array_equal(Energy().pairwise(single), Energy().pairwise(wide))


@each("unit", [1e-200, 1e200])
def test_squares_neither_overflow_nor_underflow(unit):
    table, rows = random_rows(4)
    scaled = csr_array(table * unit)
    np.testing.assert_allclose(Energy().pairwise(scaled) / unit, Energy().pairwise(rows), rtol=1e-9)
    np.testing.assert_allclose(
        Gaussian(2.0 * unit).pairwise(scaled), Gaussian(2.0).pairwise(rows), rtol=1e-9
    )
    both = Energy().pairwise(scaled[:2], csr_array(table))
    assert np.isfinite(both).all()


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


def test_tiles_cut_anywhere_give_the_same():
    _, rows = random_rows(7)
    terms = Energy().terms(rows)
    points = pairs.SparsePoints.of(terms)
    expected = pairs.all_pairs(terms)
    order = np.random.default_rng(0).permutation(40)
    tiles = points.tiles(order, np.array([0, 1, 1, 17, 40]))
    index = np.array([3, 0, 39])
    made = points.to_tiles(index, points, tiles, 2.0, 1)
    np.testing.assert_array_equal(made, 2.0 * expected[np.ix_(index, order)])
    window = points.to_tiles(index, points, tiles, 1.0, 2, slice(10, 30))
    np.testing.assert_array_equal(window, expected[np.ix_(index, order[10:30])])


def test_the_median_distance_of_sparse_rows():
    table, rows = random_rows(10)
    resolved = Gaussian("median").resolve(csc_array(rows))
    assert resolved.sigma == pytest.approx(Gaussian("median").resolve(table).sigma, rel=1e-12)
    np.testing.assert_allclose(
        Gaussian("median").pairwise(rows),
        Gaussian("median").pairwise(table),
        rtol=1e-10,
        atol=1e-14,
    )
