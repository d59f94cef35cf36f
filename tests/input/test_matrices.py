"""Matrices between points: what is checked, at which tolerance, and that X stays as it is."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, issparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from kgroups.input.matrices import (
    check_distances,
    check_kernel,
    check_made_distances,
)
from kgroups.semimetrics import DampedSquared, Energy

pytestmark = pytest.mark.nojit

X = np.random.default_rng(0).normal(size=(8, 2))
RHO, K = cdist(X, X), X @ X.T


def changed(matrix, *entries):
    out = matrix.copy()
    for i, j, value in entries:
        out[i, j] = value
    return out


def distances(matrix, *, reset=True):
    return check_distances(BaseEstimator(), matrix, reset=reset)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_are_kept_without_a_copy(dtype):
    given = RHO.astype(dtype)
    assert np.shares_memory(distances(given), given)
    assert distances(given).dtype == dtype
    assert check_kernel(BaseEstimator(), K.astype(dtype), reset=True).dtype == dtype


def test_integers_and_lists_become_floats_and_rows_lie_together():
    assert distances([[0, 1], [1, 0]]).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    found = distances(np.asfortranarray(RHO))
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, RHO)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_rounding_is_relative_to_the_largest_entry(scale):
    """Tolerated up to 1e-10 of it: an asymmetry, a distance to itself, a value below zero."""
    most = RHO.max()
    for bad in ((2, 5, RHO[2, 5] + 1e-9 * most), (3, 3, 1e-9 * most)):
        with pytest.raises(ValueError, match=r"apart|to itself"):
            distances(scale * changed(RHO, bad))
    for fine in ((2, 5, RHO[2, 5] + 1e-11 * most), (3, 3, 1e-11 * most), (3, 3, -1e-11 * most)):
        distances(scale * changed(RHO, fine))
    close = changed(RHO, (1, 2, -1e-11 * most), (2, 1, -1e-11 * most))
    distances(scale * close)
    with pytest.raises(ValueError, match=r"Negative values in data: .* row 1, column 2"):
        distances(scale * changed(RHO, (1, 2, -1e-9 * most), (2, 1, -1e-9 * most)))


def test_float32_may_be_less_symmetric():
    most = RHO.max()
    distances(changed(RHO, (2, 5, RHO[2, 5] + 3e-6 * most)).astype(np.float32))
    with pytest.raises(ValueError, match="apart"):
        distances(changed(RHO, (2, 5, RHO[2, 5] + 3e-5 * most)).astype(np.float32))


def test_new_points_come_as_rows_that_are_neither_square_nor_symmetric():
    estimator = BaseEstimator()
    check_distances(estimator, RHO, reset=True)
    new = cdist(X[:3] + 1, X)
    np.testing.assert_array_equal(check_distances(estimator, new, reset=False), new)
    with pytest.raises(ValueError, match="Negative values in data"):
        check_distances(estimator, -new, reset=False)
    with pytest.raises(ValueError, match="X has 7 features"):
        check_distances(estimator, new[:, :7], reset=False)


def test_a_kernel_may_be_negative_and_have_any_diagonal():
    np.testing.assert_array_equal(check_kernel(BaseEstimator(), K - 5, reset=True), K - 5)
    with pytest.raises(ValueError, match="symmetric matrix of similarities"):
        check_kernel(BaseEstimator(), changed(K, (0, 1, 9.0)), reset=True)


def test_the_worst_of_several_asymmetries_is_named():
    bad = changed(K, (0, 1, K[0, 1] + 1), (6, 3, K[6, 3] + 2))
    with pytest.raises(ValueError, match=r"entries \((6, 3|3, 6)\) and .*, 2 apart"):
        check_kernel(BaseEstimator(), bad, reset=True)


# --- sparse ------------------------------------------------------------------------------------


def sparse(matrix, *, reset=True):
    return check_kernel(BaseEstimator(), matrix, reset=reset)


@pytest.mark.parametrize("format_", ["csr", "csc", "coo", "lil"])
def test_any_sparse_format_becomes_rows(format_):
    found = sparse(csr_array(K).asformat(format_))
    assert issparse(found)
    assert found.format == "csr"
    np.testing.assert_array_equal(found.toarray(), K)


def test_entries_that_are_stored_twice_are_added_in_a_copy():
    given = coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert sparse(given).toarray().tolist() == [[0, 3], [3, 0]]
    rows = csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), (2, 2))
    assert sparse(rows).nnz == 2
    assert rows.data.tolist() == [1.0, 2.0, 3.0]


def test_where_a_sparse_matrix_is_not_a_kernel():
    bad = csr_array(changed(K, (3, 5, np.inf)))
    with pytest.raises(ValueError, match="NaN or infinity in row 3, column 5"):
        sparse(bad)
    one_way = csr_array(([2.0, 1.0, 1.0], ([0, 1, 2], [2, 2, 1])), shape=(3, 3))
    with pytest.raises(ValueError, match=r"entries \((0, 2|2, 0)\) and .* 2 apart"):
        sparse(one_way)
    with pytest.raises(ValueError, match=r"square matrix of similarities; got shape \(2, 8\)"):
        sparse(csr_array(K[:2]))
    assert sparse(csr_array(K[:2]), reset=False).shape == (2, 8)
    assert sparse(csr_array((3, 3))).nnz == 0


# --- distances that a semimetric made ------------------------------------------------------------


def test_what_a_semimetric_made():
    check_made_distances(RHO, Energy())
    with pytest.raises(ValueError, match=r"Energy\(.*\)\.pairwise: X must be a symmetric"):
        check_made_distances(changed(RHO, (0, 1, 9.0)), Energy())
    with pytest.raises(ValueError, match=r"^Energy\(.*\) gives row 4 the distance 0\.5 to itself"):
        check_made_distances(changed(RHO, (4, 4, 0.5)), Energy())
    negative = changed(RHO, (6, 2, -1.5), (2, 6, -1.5))
    with pytest.raises(ValueError, match=r"gives -1\.5 between rows 2 and 6; a distance is not"):
        check_made_distances(negative, Energy())
    check_made_distances(negative, DampedSquared())  # which does not claim negative type
