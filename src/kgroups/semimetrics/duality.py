"""Conversion between semimetrics and kernels, and a measure of how far from negative type."""

import numpy as np
from numpy.typing import ArrayLike

from kgroups.runtime.eigenpairs import eigenvalues
from kgroups.typing import Float64Array


def kernel_from_semimetric(
    distances: ArrayLike, *, origin: int | None = None, sample_weight: ArrayLike | None = None
) -> Float64Array:
    r"""Gram matrix of the kernel that generates a matrix of distances.

    .. math:: K(x, y) = \tfrac12 [ρ(x, x_0) + ρ(y, x_0) - ρ(x, y)]

    With the index of a point as ``origin``, x_0 is that point. With ``origin=None``, x_0 is the
    weighted mean in feature space, which gives the doubly centered kernel −½HρH. Labels never
    depend on the choice.
    O(n²) time and memory.

    Parameters
    ----------
    distances : array (n, n)
        ρ(x_i, x_j), in squared units of feature space.
    origin : int or None
        Index of x_0.
    sample_weight : array (n,) or None
        Weights of the mean; only with ``origin=None``.

    Examples
    --------
    >>> kernel_from_semimetric([[0.0, 4.0], [4.0, 0.0]], origin=0).tolist()
    [[0.0, 0.0], [0.0, 4.0]]
    >>> kernel_from_semimetric([[0.0, 4.0], [4.0, 0.0]]).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, eq. 7.

    D. Sejdinovic, B. Sriperumbudur, A. Gretton and K. Fukumizu, "Equivalence of Distance-Based and
    RKHS-Based Statistics in Hypothesis Testing", Ann. Statist. 41 (5), 2013.
    """
    rho = _square(distances, "distances")
    if origin is not None:
        if not 0 <= origin < len(rho):
            raise ValueError(f"origin must be an index in 0..{len(rho) - 1}; got {origin!r}.")
        if sample_weight is not None:
            raise ValueError(
                "sample_weight only applies to origin=None, where x0 is the weighted mean."
            )
        return np.asarray(0.5 * (rho[:, [origin]] + rho[[origin], :] - rho))
    w = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    if w is not None and (w.shape != (len(rho),) or not w.sum() > 0):
        raise ValueError(f"sample_weight must be {len(rho)} numbers with a positive sum; got {w}.")
    kernel = double_centered(rho, w)
    return np.asarray((kernel + kernel.T) / 2)


def double_centered(rho: Float64Array, weights: Float64Array | None = None) -> Float64Array:
    """The kernel −½HρH whose origin is the weighted mean, symmetric up to rounding. O(n²)."""
    if weights is None:
        mean = rho.mean(axis=0)
        middle = mean.mean()
    else:
        share = weights / weights.sum()
        mean = share @ rho
        middle = share @ mean
    return np.asarray(-0.5 * (rho - mean - mean[:, None] + middle))


def semimetric_from_kernel(gram: ArrayLike) -> Float64Array:
    r"""Distances in the feature space of a Gram matrix.

    .. math:: ρ(x, y) = K(x, x) + K(y, y) - 2K(x, y)

    O(n²) time and memory. The matrix is not checked: an indefinite one gives negative entries.

    Examples
    --------
    >>> semimetric_from_kernel([[1.0, -1.0], [-1.0, 1.0]]).tolist()
    [[0.0, 4.0], [4.0, 0.0]]

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, eq. 8.
    """
    kernel = _square(gram, "gram")
    diagonal = np.diag(kernel)
    return diagonal[:, None] + diagonal[None, :] - 2 * kernel


def negative_type_violation(distances: ArrayLike) -> float:
    r"""How far a matrix of distances is from being of negative type; 0 if it is.

    .. math:: \max(0, -λ_\min / λ_\max) \quad\text{of}\quad -\tfrac12 HρH,
              \qquad H = I - \tfrac1n 11^\top

    1 means that the most negative eigenvalue is as large as the most positive one, and infinity
    that no eigenvalue is positive. Values below 1e-10 are rounding and are returned as 0. With a
    larger violation the between statistic may be negative and nearest-centroid prediction need not
    return the training labels; Hartigan's method still converges. O(n³) time, O(n²) memory.

    Examples
    --------
    >>> from kgroups.semimetrics import Energy
    >>> negative_type_violation(Energy(1.0).pairwise([[0.0], [1.0], [5.0]]))
    0.0
    >>> squares = [[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]]
    >>> round(negative_type_violation(squares), 3)
    0.185
    """
    values = eigenvalues(kernel_from_semimetric(distances))
    largest = float(np.abs(values).max())
    if largest == 0:
        return 0.0
    if values[-1] <= 1e-10 * largest:
        return float("inf")
    violation = -float(values[0]) / float(values[-1])
    return violation if violation > 1e-10 else 0.0


def _square(matrix: ArrayLike, name: str) -> Float64Array:
    from kgroups.input.matrix_names import in_order_of_rows

    array = np.asarray(in_order_of_rows(matrix), dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"{name} must be a square matrix; got shape {array.shape}.")
    return array
