"""From a semimetric to the kernels that generate it and back, and how far from negative type."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigvalsh

from kgroups.typing import Float64Array


def kernel_from_semimetric(
    distances: Any, *, origin: int | None = None, sample_weight: Any = None
) -> Float64Array:
    r"""Gram matrix of the kernel that generates a matrix of distances.

    .. math:: K(x, y) = \tfrac12 [ρ(x, x_0) + ρ(y, x_0) - ρ(x, y)]

    With ``origin`` a point's index, x_0 is that point. With ``origin=None``, x_0 is the weighted
    mean in feature space: the doubly centered kernel −½HρH. Labels never depend on the choice.
    O(n²) time and memory.

    Parameters
    ----------
    distances : array (n, n)
        ρ(x_i, x_j), in squared units of feature space.
    origin : int or None
        Index of x_0.
    sample_weight : array (n,) or None
        Weights of the mean; for ``origin=None`` only.

    Examples
    --------
    >>> kernel_from_semimetric([[0.0, 4.0], [4.0, 0.0]], origin=0).tolist()
    [[0.0, 0.0], [0.0, 4.0]]
    >>> kernel_from_semimetric([[0.0, 4.0], [4.0, 0.0]]).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]

    References
    ----------
    [FRV] eq. 7; Sejdinovic et al., Ann. Statist. 41 (2013).
    """
    rho = _square(distances, "distances")
    if origin is not None:
        if not 0 <= origin < len(rho):
            raise ValueError(f"origin must be an index in 0..{len(rho) - 1}; got {origin!r}.")
        if sample_weight is not None:
            raise ValueError("sample_weight is for origin=None, where x0 is the weighted mean.")
        return np.asarray(0.5 * (rho[:, [origin]] + rho[[origin], :] - rho))
    w = np.ones(len(rho)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if w.shape != (len(rho),) or not w.sum() > 0:
        raise ValueError(f"sample_weight must be {len(rho)} numbers with a positive sum; got {w}.")
    to_mean = rho @ (w / w.sum())
    to_itself = float(w @ to_mean) / float(w.sum())
    return np.asarray(0.5 * (to_mean[:, None] + to_mean[None, :] - rho - to_itself))


def semimetric_from_kernel(gram: Any) -> Float64Array:
    r"""Distances in the feature space of a Gram matrix.

    .. math:: ρ(x, y) = K(x, x) + K(y, y) - 2K(x, y)

    O(n²) time and memory. The matrix is taken as it is: an indefinite one gives negative entries.

    Examples
    --------
    >>> semimetric_from_kernel([[1.0, -1.0], [-1.0, 1.0]]).tolist()
    [[0.0, 4.0], [4.0, 0.0]]

    References
    ----------
    [FRV] eq. 8.
    """
    kernel = _square(gram, "gram")
    diagonal = np.diag(kernel)
    return diagonal[:, None] + diagonal[None, :] - 2 * kernel


def negative_type_violation(distances: Any) -> float:
    r"""How far a matrix of distances is from negative type: 0 when it is, 1 when it is as bad.

    .. math:: \max(0, -λ_\min / λ_\max) \quad\text{of}\quad -\tfrac12 HρH,
              \qquad H = I - \tfrac1n 11^\top

    Values below 1e-10 are rounding and are returned as 0. Where the violation is above, the
    between statistic may be negative and nearest-centroid prediction need not return the training
    labels; Hartigan's method still converges. Infinite when no eigenvalue is positive. O(n³) time,
    O(n²) memory.

    Examples
    --------
    >>> from kgroups.semimetrics import Energy
    >>> negative_type_violation(Energy(1.0).pairwise([[0.0], [1.0], [5.0]]))
    0.0
    >>> squares = [[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]]
    >>> round(negative_type_violation(squares), 3)
    0.185
    """
    eigenvalues = eigvalsh(kernel_from_semimetric(distances))
    largest = float(np.abs(eigenvalues).max())
    if largest == 0:
        return 0.0
    if eigenvalues[-1] <= 1e-10 * largest:
        return float("inf")
    violation = -float(eigenvalues[0]) / float(eigenvalues[-1])
    return violation if violation > 1e-10 else 0.0


def _square(matrix: Any, name: str) -> Float64Array:
    array = np.asarray(matrix, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"{name} must be a square matrix; got shape {array.shape}.")
    return array
