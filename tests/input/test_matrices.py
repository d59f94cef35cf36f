"""Matrices between points: what is checked, at which tolerance, and that X stays as it is."""

import re
import warnings

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, issparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from helpers import each
from kgroups import KernelKGroups
from kgroups.input.matrices import (
    check_distances,
    check_kernel,
)
from kgroups.metrics import clustering_accuracy

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


@each("dtype", [np.float64, np.float32])
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


@each("scale", [1e-200, 1.0, 1e200])
def test_rounding_is_relative_to_the_largest_entry(scale):
    """Removed up to 1e-5 of it: an asymmetry, a distance to itself, a value below zero."""
    most = RHO.max()
    for bad in ((2, 5, RHO[2, 5] + 1.1e-5 * most), (3, 3, 1.1e-5 * most), (3, 3, -1.1e-5 * most)):
        with pytest.raises(ValueError, match=r"apart|to itself|Negative values"):
            distances(scale * changed(RHO, bad))
    with pytest.raises(ValueError, match=r"Negative values in data: .* row 1, column 2"):
        distances(scale * changed(RHO, (1, 2, -1.1e-5 * most), (2, 1, -1.1e-5 * most)))
    for size in (0.9e-5, 1e-8):
        for fine in ((2, 5, RHO[2, 5] + size * most), (3, 3, size * most), (3, 3, -size * most)):
            with pytest.warns(
                UserWarning, match=re.escape(f"up to {size * scale * most:.3g}, next")
            ):
                distances(scale * changed(RHO, fine))
    for fine in ((2, 5, RHO[2, 5] + 9e-11 * most), (3, 3, 9e-11 * most), (3, 3, -9e-11 * most)):
        distances(scale * changed(RHO, fine))  # what float64 itself does needs no word


def test_float32_is_as_symmetric_as_it_can_be_without_a_word():
    most = RHO.max()
    distances(changed(RHO, (2, 5, RHO[2, 5] + 9e-6 * most)).astype(np.float32))
    with pytest.raises(ValueError, match="apart"):
        distances(changed(RHO, (2, 5, RHO[2, 5] + 3e-5 * most)).astype(np.float32))


@each("dtype", [np.float64, np.float32])
@each("n", [8, 300])  # more than one strip
def test_rounding_is_removed_in_a_copy(dtype, n):
    """The mean of the two triangles, zeros on the diagonal and for negative entries."""
    rng = np.random.default_rng(n)
    rho = cdist(*[rng.normal(size=(n, 2))] * 2)
    rho[0, 1] = rho[1, 0] = 0.0  # a distance that rounding puts below zero
    given = (rho + 1e-6 * rho.max() * rng.uniform(-1, 1, size=(n, n))).astype(dtype)
    given[0, 1] = given[1, 0] = -1e-6 * rho.max()
    before = given.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clean = distances(given)
    np.testing.assert_array_equal(given, before)
    np.testing.assert_array_equal(clean, clean.T)
    expected = np.maximum((given.astype(np.float64) + given.T) / 2, 0)
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(clean, expected, rtol=4 * np.finfo(dtype).eps)
    assert clean.dtype == dtype


def test_new_distances_below_zero_by_rounding_are_zero():
    estimator = BaseEstimator()
    check_distances(estimator, RHO, reset=True)
    new = changed(cdist(X[:3] + 1, X), (1, 4, -1e-7))
    before = new.copy()
    with pytest.warns(UserWarning, match="by up to 1e-07"):
        found = check_distances(estimator, new, reset=False)
    np.testing.assert_array_equal(found, changed(new, (1, 4, 0.0)))
    np.testing.assert_array_equal(new, before)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cosine_distances_of_float32_rows(dtype):
    """1 − E Eᵀ of unit rows: float32 leaves negative entries and a diagonal."""
    rng = np.random.default_rng(0)
    rows = (np.repeat(np.eye(3, 24), 60, axis=0) + 0.1 * rng.normal(size=(180, 24))).astype("f")
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rho = (1 - rows @ rows.T).astype(dtype)
    assert np.diagonal(rho).any()
    assert rho.min() < 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if dtype == np.float64 else "error")
        model = KernelKGroups(3, metric="precomputed", random_state=0).fit(rho)
        np.testing.assert_array_equal(model.predict(rho), model.labels_)
    assert clustering_accuracy(np.repeat([0, 1, 2], 60), model.labels_) == 1.0


def test_the_gap_takes_the_matrix_that_the_fit_took():
    noisy = changed(RHO, (2, 5, RHO[2, 5] + 1e-6), (1, 1, -1e-6))
    clean = changed(RHO, (2, 5, RHO[2, 5] + 5e-7), (5, 2, RHO[2, 5] + 5e-7))
    with pytest.warns(UserWarning, match="rounding"):
        model = KernelKGroups(2, metric="precomputed", random_state=0).fit(noisy)
    expected = KernelKGroups(2, metric="precomputed", random_state=0).fit(clean)
    assert model.within_dispersion_ == pytest.approx(expected.within_dispersion_, rel=1e-14)
    found = model.optimality_gap(noisy).bound  # without the warning once more
    assert found == pytest.approx(expected.optimality_gap(clean).bound, rel=1e-12)


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


# --- sparse ------------------------------------------------------------------------------------


def sparse(matrix, *, reset=True):
    return check_kernel(BaseEstimator(), matrix, reset=reset)


@each("format_", ["csr", "csc", "coo", "lil"])
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


def test_a_sparse_matrix_of_new_rows_is_not_square():
    assert sparse(csr_array(K[:2]), reset=False).shape == (2, 8)
    assert sparse(csr_array((3, 3))).nnz == 0


def damaged(format_):
    """Kernels with an index outside the matrix, which compiled code would follow."""
    matrix = csr_array(K).asformat(format_)
    if format_ == "coo":
        matrix.row[0] = 10**6
    elif format_ == "lil":
        matrix.rows[0][0] = 10**6
    else:
        matrix.indices[0] = 10**6
    return matrix


@each("reset", [True, False])
@each("format_", ["csr", "csc", "bsr", "coo", "lil"])
def test_a_damaged_sparse_kernel_is_refused(format_, reset):
    with pytest.raises(ValueError, match="X is a damaged sparse matrix"):
        sparse(damaged(format_), reset=reset)
