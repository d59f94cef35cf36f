"""The Bethe Hessian: a matrix whose negative eigenvalues are the communities of a sparse graph."""

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import csr_array, diags_array

from kgroups.input.adjacency import like
from kgroups.input.networks import GraphLike, check_adjacency
from kgroups.typing import Float64Array

# The lowest r of a weighted graph, at which an edge of mean weight is as good as certain.
_LOWEST = 1.001
# Larger values of βA_ij are cut here: such an edge cannot hold its ends together more surely.
_GLUE = 5.0
# log β is sought between ± this, for weights in units of their root mean square.
_RANGE = 40.0


def bethe_hessian(A: GraphLike, r: float | None = None) -> csr_array:
    r"""Bethe Hessian of a graph, as a sparse matrix.

    .. math:: H_r = (r^2 - 1) I - r A + D

    with D the degrees. If some weight is not 1, it is the weighted form, in which weights enter
    through their hyperbolic tangent, so that no edge, however heavy, is more than certain:

    .. math:: (H_r)_{ij} = (r^2 - 1) \left[δ_{ij} \left(1 + \sum_l \sinh^2 β A_{il}\right)
              - \tfrac12 \sinh 2 β A_{ij}\right], \qquad \tanh β ω = \frac1r

    where ω is the root mean square of the weights. It does not depend on the unit of the weights,
    and equals the form above if all weights are 1. O(nnz) time and memory.

    Parameters
    ----------
    A : sparse array, (n, n) array, networkx graph or Graph
        Weights may be negative; a self-loop counts once, in A_ii.
    r : float or None
        The regularizer: above 0, or above 1 for a weighted graph. None takes √(mean degree); for a
        weighted graph it takes the r at which the mean over nodes of Σ_l tanh²(β A_il) is 1, which
        is the same number if weights are equal.

    Raises
    ------
    ValueError
        If r is out of its range.

    Examples
    --------
    >>> bethe_hessian([[0, 1], [1, 0]], r=2.0).toarray()
    array([[ 4., -2.],
           [-2.,  4.]])

    References
    ----------
    [SKZ] A. Saade, F. Krzakala and L. Zdeborová, "Spectral clustering of graphs with the Bethe
    Hessian", NeurIPS 2014, eq. 1 and section 2.
    """
    matrix = check_adjacency(A, allow_negative=True)
    r = regularizer(matrix, "average_degree" if r is None else r)
    off, diagonal = minus_bethe_hessian(matrix, r)
    return csr_array(diags_array(-diagonal) - off)


def regularizer(
    A: csr_array, r: float | str, choices: tuple[str, ...] = ("average_degree",)
) -> float:
    """The number that ``r`` means: itself, or the value of a choice by name."""
    if isinstance(r, str) and r in choices:
        return average_degree_r(A)
    least = lowest_r(A)
    is_number = isinstance(r, (int, float, np.integer, np.floating)) and not isinstance(r, bool)
    if not is_number or not max(least, 0.0) <= float(r) < np.inf or float(r) == 0.0:
        names = " or ".join(repr(choice) for choice in choices)
        bound = f"of at least {least:g} for a weighted graph" if least else "above 0"
        raise ValueError(f"r must be {names}, or a number {bound}; got {r!r}.")
    return float(r)


def is_weighted(A: csr_array) -> bool:
    """Whether some edge has a weight other than 1."""
    return bool((A.data != 1.0).any())


def lowest_r(A: csr_array) -> float:
    """The smallest r for which H_r is of use."""
    return _LOWEST if is_weighted(A) else 0.0


def average_degree_r(A: csr_array) -> float:
    """√(mean degree), or its counterpart for a weighted graph; at least 1: H_1 is the Laplacian."""
    n = A.shape[0]
    if not is_weighted(A):
        return max(1.0, float(np.sqrt(A.nnz / n)))
    weights = np.abs(A.data) / _root_mean_square(A.data)

    def too_cold(log_beta: float) -> float:
        return float((np.tanh(np.exp(log_beta) * weights) ** 2).sum()) / n - 1.0

    if too_cold(_RANGE) <= 0:
        return _LOWEST
    beta = float(np.exp(brentq(too_cold, -_RANGE, _RANGE, xtol=1e-12)))
    return max(_LOWEST, float(1.0 / np.tanh(beta)))


def minus_bethe_hessian(A: csr_array, r: float) -> tuple[csr_array, Float64Array]:
    """−H_r as a sparse part, with the pattern of A, and a diagonal."""
    unit = r * r - 1.0
    if not is_weighted(A):
        return like(A, r * A.data), -(unit + _row_sums(A, A.data))
    x = np.arctanh(1.0 / r) / _root_mean_square(A.data) * A.data
    np.clip(x, -_GLUE, _GLUE, out=x)
    return like(A, unit / 2.0 * np.sinh(2.0 * x)), -unit * (1.0 + _row_sums(A, np.sinh(x) ** 2))


def _root_mean_square(data: Float64Array) -> float:
    """The root mean square, also where squares would overflow."""
    largest = float(np.abs(data).max())
    return largest * float(np.sqrt(((data / largest) ** 2).mean()))


def _row_sums(A: csr_array, data: Float64Array) -> Float64Array:
    return np.asarray(like(A, data) @ np.ones(A.shape[0]), np.float64)
