"""The spectral bound: no partition explains more than the leading eigenvectors do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh, eigvalsh

from kgroups.bounds.blockwise import blockwise, is_in_blocks
from kgroups.bounds.centered import Centered, bound_input, centered_matrix
from kgroups.input.parameters import check_choice
from kgroups.names import SPECTRAL_BOUND_METHODS
from kgroups.runtime.blas import one_thread_a_product
from kgroups.typing import Float64Array

# Up to so many points, or from such a share of the eigenvalues, all of them are quickest.
_DENSE_UP_TO, _MANY = 600, 0.1
# Columns of a block in addition to those that are wanted, and the most products with the matrix.
_SPARE, _MOST_PRODUCTS = 8, 40
_TINY = float(np.finfo(np.float64).tiny)


def spectral_bound(
    X: Any,
    n_clusters: int,
    *,
    metric: Any = "energy",
    sample_weight: Any = None,
    method: str = "auto",
    tol: float = 1e-4,
) -> float:
    r"""A number that W of no partition into k clusters is below, from k − 1 eigenvalues.

    .. math:: W ≥ \operatorname{tr} \tilde K - \sum_{i<k} λ_i(\tilde K), \qquad
              \tilde K = 𝒲^{1/2} \left(I - \tfrac{1w'}{s}\right) K
                         \left(I - \tfrac{w1'}{s}\right) 𝒲^{1/2}

    with the largest eigenvalues on the complement of √w, where partitions differ. Semimetrics need
    not be of negative type; then the bound is for partitions whose k clusters all have weight.

    With "exact" all eigenvalues are computed for up to 600 points, in O(n³) time. Beyond, block
    Lanczos iterations need some ten products with the matrix, which is held up to 5,000 points and
    computed again for each product from there on: O(n²(D + k)) time each, and O(nk) memory. What
    they have not resolved is bounded by their residuals and subtracted, like the rounding. That the
    leading eigenvectors are among those seen is certain only with probability one over the random
    start, as in every such method.

    "blockwise" adds up the bounds of random blocks of m = √(12n) points, at least 10k, that are
    always the same: W is at least the sum of what it is within each. Nothing is left to chance, for
    each sum of eigenvalues is proved by a Cholesky factorization. O(nm(D + m)) time and O(m²)
    memory a thread. With n = 5,000 and k of 5 or 10, 2 to 7 % of W are lost.

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As in ``fit`` of :class:`kgroups.KernelKGroups`.
    n_clusters : int
        k, at most n.
    metric : str, semimetric, callable, "precomputed" or "precomputed_kernel", default="energy"
    sample_weight : array (n,) or None
    method : {"auto", "exact", "blockwise"}, default="auto"
        "auto" is "blockwise" beyond 2,000 points where that is quicker, for semimetrics of negative
        type.
    tol : float, default=1e-4
        What the iterations of "exact" may leave unresolved, as a share of tr K̃.

    Returns
    -------
    float
        At most min W, up to nothing: rounding is subtracted.

    Raises
    ------
    ValueError
        As in ``fit``, and for "blockwise" where the metric is a matrix or not of negative type.

    Examples
    --------
    >>> from kgroups.bounds import spectral_bound
    >>> X = [[0.0], [1.0], [10.0], [12.0]]
    >>> round(spectral_bound(X, 2), 3)  # the best two clusters have W = 1.5
    1.43
    >>> round(spectral_bound(X, 1), 3)  # one cluster: W itself
    11.25

    References
    ----------
    Zha, He, Ding, Simon & Gu, "Spectral Relaxation for K-means Clustering", NIPS 2001, Theorem 3.1;
    with weights Dhillon, Guan & Kulis, IEEE TPAMI 29 (2007), section 3; Fan, PNAS 35 (1949).
    """
    check_choice(method, "method", SPECTRAL_BOUND_METHODS)
    space, data, weights, k = bound_input(X, n_clusters, metric, sample_weight)
    if is_in_blocks(method, space, data, k):
        return blockwise(space, data, weights, k).value
    matrix = centered_matrix(space, data, weights)
    return matrix.unit * spectral(matrix, k, tol)


def spectral(matrix: Centered, k: int, tol: float) -> float:
    """The bound, in the unit of the centered matrix."""
    if k >= matrix.n:  # every point alone
        return 0.0
    return matrix.total - largest_sum(matrix, k - 1, tol) - k * matrix.rounding


def largest_sum(matrix: Centered, count: int, tol: float) -> float:
    """At least the sum of the largest eigenvalues beside that of e, and hardly more."""
    if count == 0:
        return 0.0
    if matrix.n <= _DENSE_UP_TO or count > _MANY * matrix.n:
        return dense_sum(matrix.to_dense(), matrix.e, count)
    with one_thread_a_product():
        return _krylov_sum(matrix, count, max(tol * abs(matrix.total), matrix.rounding))


def dense_sum(A: Float64Array, e: Float64Array, count: int) -> float:
    """Sum of the largest eigenvalues of PAP beside that of e, which is put below all others."""
    n = len(A)
    lowered = A - np.linalg.norm(A) * np.outer(e, e)
    return float(eigvalsh(lowered, subset_by_index=[n - count, n - 1]).sum())


def _krylov_sum(matrix: Centered, count: int, tolerance: float) -> float:
    """Rayleigh–Ritz on blocks Q, AQ, A²Q, ... until the sum is known to the tolerance."""
    rng = np.random.default_rng(0)
    block = matrix.project(rng.standard_normal((matrix.n, count + _SPARE)))
    block = np.linalg.qr(block)[0]
    basis, images = np.empty((matrix.n, 0)), np.empty((matrix.n, 0))
    upper = np.inf
    for _ in range(_MOST_PRODUCTS):
        basis, images = np.hstack([basis, block]), np.hstack([images, matrix.matmul(block)])
        found = _ritz(basis, images, count)
        upper = _upper_sum(found, count)
        room = matrix.n - 1 - basis.shape[1]
        if upper - found.values[:count].sum() <= tolerance or room <= 0:
            break
        block = images[:, -block.shape[1] :][:, :room]
        for _ in range(2):  # once leaves rounding in the basis
            block = matrix.project(block - basis @ (basis.T @ block))
            block = np.linalg.qr(block)[0]
    return upper


class _Ritz(NamedTuple):
    """Falling Ritz values, and the residuals AV − VΘ of their vectors."""

    values: Float64Array
    residuals: Float64Array


def _ritz(basis: Float64Array, images: Float64Array, count: int) -> _Ritz:
    """The leading ones: twice as many as are wanted, and the spare ones."""
    projected = basis.T @ images
    dimension = len(projected)
    m = min(dimension, 2 * count + _SPARE)
    values, vectors = eigh(
        (projected + projected.T) / 2, subset_by_index=[dimension - m, dimension - 1]
    )
    values, vectors = values[::-1], vectors[:, ::-1]
    return _Ritz(values, images @ vectors - (basis @ vectors) * values)


def _upper_sum(ritz: _Ritz, count: int) -> float:
    r"""The least upper bound on the sum of the largest eigenvalues that the residuals allow.

    In a basis that begins with m Ritz vectors A has the blocks Θ, R and B. For any δ > 0

    .. math:: \begin{pmatrix} Θ & R' \\ R & B \end{pmatrix} ⪯
              \begin{pmatrix} Θ + R'R/δ & 0 \\ 0 & B + δI \end{pmatrix}

    and the eigenvalues of B are taken to be at most μ, the next Ritz value and its residual.
    """
    norms = np.linalg.norm(ritz.residuals, axis=0)
    overlap = ritz.residuals.T @ ritz.residuals
    best = np.inf
    for m in range(count, len(ritz.values)):
        mu = ritz.values[m] + norms[m]
        # Room between what is wanted and the rest; without any, what mixes the two.
        mixed = max(float(np.sqrt(overlap[:m, :m].trace())), _TINY)
        for delta in (ritz.values[count - 1] - mu, mixed):
            if delta > 0:
                raised = np.linalg.eigvalsh(np.diag(ritz.values[:m]) + overlap[:m, :m] / delta)
                both = np.sort(np.append(raised, np.full(count, mu + delta)))
                best = min(best, float(both[-count:].sum()))
    return best
