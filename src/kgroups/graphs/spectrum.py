"""The low end of the spectrum of a sparse symmetric matrix: eigenpairs, and how many are negative.

Two exact tools share the work. Lanczos iterations need only products with the matrix, and are fast
if the wanted eigenvalues are well separated, as in a random graph. A sparse factorization is fast
if the graph consists of small dense pieces, where Lanczos is slow; and the signs of its pivots
count negative eigenvalues without computing any (Sylvester's law of inertia).
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator
from sklearn.exceptions import ConvergenceWarning

from kgroups.exceptions import EigenvectorError
from kgroups.graphs.sparse_factor import Cost, factor, factor_cost
from kgroups.input.adjacency import scaled
from kgroups.runtime.eigenpairs import (
    eigenpairs,
    eigenvalues,
    lanczos_eigenpairs,
    lanczos_eigenvalues,
)
from kgroups.runtime.memory import require
from kgroups.typing import Float64Array

# Up to this many nodes a full matrix is fastest; up to the other number it is the last resort.
_DENSE, _DENSE_AT_MOST = 600, 5_000
# For more eigenvectors than the first number, a full matrix up to the second number of nodes, and
# a factorization beyond, is preferred to plain Lanczos.
_MANY, _DENSE_FOR_MANY = 50, 2_500
# With more entries per row, a matrix of a few thousand nodes is treated as dense.
_CROWDED = 100
_RESTARTS, _MORE_RESTARTS = 200, 5_000
# Batches of eigenvalues, and restarts, in which Lanczos is quicker than a factorization of seconds.
_FEW, _FEW_RESTARTS = (8, 16, 32), 20
# Relative tolerance of an eigenvalue if its vector is wanted, and if only its sign is.
_TOL, _TOL_OF_SIGN = 1e-10, 1e-5
# An eigenvalue or pivot counts as zero below this, relative to the largest entry.
_ZERO = 1e-10


class Eigenpairs(NamedTuple):
    """Ascending eigenvalues (m,), their unit eigenvectors (n, m), and the solver's name."""

    values: Float64Array
    vectors: Float64Array
    solver: str


def smallest_eigenpairs(H: csr_array, m: int, *, seed: int = 0, tol: float = _TOL) -> Eigenpairs:
    """Compute the smallest eigenvalues of a sparse symmetric matrix, with eigenvectors.

    For a few hundred nodes the matrix is made dense. Otherwise Lanczos is used, or Lanczos on a
    factorization if many eigenvectors are wanted or the graph has a small core. If one solver does
    not converge, or returns vectors that do not have length one, a warning says so and the next is
    tried; the last one is dense up to 5,000 nodes.

    Parameters
    ----------
    H : csr_array (n, n)
        A symmetric matrix.
    m : int
        Number of eigenpairs, at most n.
    seed : int
        Seed of the starting vector of Lanczos iterations.
    tol : float
        Relative accuracy of the eigenvalues.

    Returns
    -------
    Eigenpairs
        ``values`` (m,) in ascending order, unit ``vectors`` (n, m), and the name of the ``solver``.

    Raises
    ------
    RuntimeError
        If no solver succeeds; the message says what to do.

    Examples
    --------
    >>> path = csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    >>> print(f"{smallest_eigenpairs(path, 1).values[0]:.6f}")
    -1.414214
    """
    n = H.shape[0]
    if n <= _DENSE or m > n // 3 or (m > _MANY and n <= _DENSE_FOR_MANY):
        return _dense(H, m)
    start = np.random.default_rng(seed).standard_normal(n)
    ways: list[tuple[str, Callable[[], Any]]] = [
        ("lanczos", lambda: _lanczos(H, m, start, _RESTARTS, tol))
    ]
    cost = factor_cost(H)
    if cost is not Cost.TOO_MUCH:
        first = cost is Cost.LITTLE or m > _MANY
        ways.insert(0 if first else 1, ("shift-invert", lambda: _shift_invert(H, m, start, tol)))
    if n > _DENSE_AT_MOST:
        ways.append(("lanczos", lambda: _lanczos(H, m, start, _MORE_RESTARTS, tol)))
    reason = ""
    for number, (name, solve) in enumerate(ways):
        try:
            values, vectors = solve()
            return _in_order(values, vectors, name)
        except RuntimeError as error:  # ARPACK's errors and a singular factor are such
            # Its text alone: the error itself would hold the memory of the solver that failed.
            reason = f"({name}) failed: {str(error).rstrip('.')}"
            left = [other for other, _ in ways[number + 1 :]]
            left += ["dense"] if n <= _DENSE_AT_MOST else []
            if left:
                warnings.warn(
                    f"The eigensolver {reason}. {left[0]} is tried instead.",
                    ConvergenceWarning,
                    stacklevel=3,
                )
    if n <= _DENSE_AT_MOST:
        return _dense(H, m)
    raise RuntimeError(
        f"None of the eigensolvers gave {m} eigenvectors of {n:,} nodes. Use a smaller "
        'n_clusters, or start without eigenvectors: init="multilevel", or labels. The last '
        f"eigensolver {reason}."
    )


def count_negative(H: csr_array, *, seed: int = 0) -> int:
    """The number of eigenvalues below zero: by inertia of a factorization, or by Lanczos.

    Exact up to rounding. The factorization is used if it is affordable: if no component of the
    3-core has more than 6,000 nodes, or the graph is as narrow as a grid. Where it takes seconds,
    Lanczos is tried first, for at most 32 eigenvalues. Lanczos runs in growing batches, and then
    again in the space that is left, so that no copy of a multiple eigenvalue is missed.

    Raises
    ------
    RuntimeError
        If neither succeeds.
    """
    H = congruent(H)
    n = H.shape[0]
    if n <= _DENSE or (n <= _DENSE_AT_MOST and H.nnz > _CROWDED * n):
        return int((eigenvalues(H.toarray()) < -_zero(H)).sum())
    cost = factor_cost(H)
    found = _count_of_few(H, seed) if cost is Cost.SECONDS else None
    if found is None and cost is not Cost.TOO_MUCH:
        found = inertia(H)
    return _count_by_lanczos(H, seed) if found is None else found


def congruent(H: csr_array) -> csr_array:
    """S H S with S = |diag H|^-½: the same inertia, and entries of similar size."""
    diagonal = np.abs(H.diagonal())
    return scaled(H, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)))


def inertia(H: csr_array) -> int | None:
    """The number of negative pivots of P H P' = L D L'; None if a sign cannot be trusted.

    Without row exchanges the upper factor of an LU decomposition is D L'.
    """
    try:
        lu = factor(H)
    except RuntimeError:  # a pivot is exactly zero
        return None
    pivots = lu.U.diagonal()
    if (lu.perm_r != lu.perm_c).any() or np.abs(pivots).min() <= _zero(H):
        return None
    probe = np.cos(np.arange(1.0, H.shape[0] + 1.0))
    if np.abs(H @ lu.solve(probe) - probe).max() > 1e-6:  # pivot growth too large to trust
        return None
    return int((pivots < 0).sum())


def _zero(H: csr_array) -> float:
    return _ZERO * float(np.abs(H.data).max(initial=0.0))


def _count_of_few(H: csr_array, seed: int) -> int | None:
    """The number if it is small and a few Lanczos iterations find it."""
    n, zero = H.shape[0], _zero(H)
    start = np.random.default_rng(seed).standard_normal(n)
    for m in _FEW:
        try:
            values, vectors = _lanczos(H, m, start, _FEW_RESTARTS, _TOL_OF_SIGN)
            if values.max() < -zero:
                continue
            below = values < -zero
            value, _ = _smallest_in_complement(H, vectors[:, below], _lift(H), seed + 1)
        except (ArpackNoConvergence, ArpackError, EigenvectorError):
            return None
        return int(below.sum()) if value >= -zero else None
    return None


def _lift(H: csr_array) -> float:
    """More than the width of the spectrum."""
    return 2.0 * float(abs(H).sum(axis=1).max())


def _count_by_lanczos(H: csr_array, seed: int) -> int:
    """Grow the batch until an eigenvalue is positive; then search the complement of those found."""
    n, m, zero = H.shape[0], 8, _zero(H)
    while True:
        pairs = smallest_eigenpairs(H, min(m, n), seed=seed, tol=_TOL_OF_SIGN)
        if pairs.values[-1] >= -zero or m >= n:
            break
        m *= 2
    below = pairs.values < -zero
    vectors, lift = pairs.vectors[:, below], _lift(H)
    while True:  # a copy of an eigenvalue appears once those that are known are lifted
        try:
            value, vector = _smallest_in_complement(H, vectors, lift, seed + 1)
        except (ArpackNoConvergence, EigenvectorError) as error:
            warnings.warn(
                f"{vectors.shape[1]} negative eigenvalues were found; multiplicities may be "
                f"underestimated: {error}",
                ConvergenceWarning,
                stacklevel=4,
            )
            return int(vectors.shape[1])
        if value >= -zero:
            return int(vectors.shape[1])
        vectors = np.column_stack([vectors, vector])


def _smallest_in_complement(
    H: csr_array, vectors: Float64Array, lift: float, seed: int
) -> tuple[float, Float64Array]:
    """The smallest eigenvalue and its vector, orthogonal to vectors that are known."""
    n = H.shape[0]

    def apply(x: Float64Array) -> Float64Array:
        """The product with H, where the known vectors have eigenvalues lifted by ``lift``."""
        return np.asarray(H @ x + lift * (vectors @ (vectors.T @ x)))

    operator = LinearOperator((n, n), matvec=apply, dtype=np.float64)
    start = np.random.default_rng(seed).standard_normal(n)
    values, found = lanczos_eigenpairs(
        operator, 1, which="SA", v0=start, maxiter=_MORE_RESTARTS, tol=_TOL_OF_SIGN
    )
    return float(values[0]), found[:, 0]


def _dense(H: csr_array, m: int) -> Eigenpairs:
    n = H.shape[0]
    require(3 * 8 * n * n, what=f"{m} eigenvectors of {n:,} nodes", instead="Ask for fewer.")
    return _in_order(*eigenpairs(H.toarray(), 0, m - 1), "dense")


def _lanczos(H: csr_array, m: int, start: Float64Array, restarts: int, tol: float) -> Any:
    space = _subspace(H.shape[0], m, 2)
    return lanczos_eigenpairs(H, m, which="SA", v0=start, ncv=space, maxiter=restarts, tol=tol)


def _shift_invert(H: csr_array, m: int, start: Float64Array, tol: float) -> Any:
    """Lanczos on the inverse about a shift below the spectrum, a positive definite matrix."""
    n = H.shape[0]
    lowest = lanczos_eigenvalues(H, 1, which="SA", v0=start, tol=1e-2)[0]
    shift = lowest - 0.05 * abs(lowest) - _zero(H)
    lu = factor(csr_array(H - shift * eye_array(n, format="csr")))
    inverse = LinearOperator((n, n), matvec=lu.solve, dtype=np.float64)
    size = _subspace(n, m, 3)
    return lanczos_eigenpairs(
        H, m, sigma=shift, OPinv=inverse, which="LM", v0=start, ncv=size, maxiter=_RESTARTS, tol=tol
    )


def _subspace(n: int, m: int, times: int) -> int:
    """The dimension of the Krylov space; raises MemoryError if it does not fit."""
    size = min(n - 1, max(times * m + 8, 40))
    require(8 * n * size, what=f"{m} eigenvectors of {n:,} nodes", instead='Try init="multilevel".')
    return size


def _in_order(values: Float64Array, vectors: Float64Array, solver: str) -> Eigenpairs:
    """Eigenpairs in ascending order, each vector with its largest entry positive."""
    order = np.argsort(values, kind="stable")
    vectors = vectors[:, order]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(len(order))]
    return Eigenpairs(values[order], vectors * np.where(largest < 0, -1.0, 1.0), solver)
