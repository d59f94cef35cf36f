"""The Bethe Hessian: a matrix whose negative eigenvalues are the communities of a sparse graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from kgroups._adjacency import check_adjacency
from kgroups._typing import Float64Array, IntArray


def bethe_hessian(A: Any, r: float | None = None) -> csr_array:
    r"""Bethe Hessian of a graph, sparse.

    .. math:: H_r = (r^2 - 1) I - r A + D

    with D the degrees. Where some weight is not 1 it is the weighted form, which equals the above
    when all weights are 1, with ω² the mean squared weight of an edge:

    .. math:: (H_r)_{ij} = \left(\frac{r^2}{ω^2} - 1\right)
              \left[δ_{ij} \left(1 + \sum_l \frac{A_{il}^2}{r^2 - A_{il}^2}\right)
              - \frac{r A_{ij}}{r^2 - A_{ij}^2}\right]

    O(nnz) time and memory.

    Parameters
    ----------
    A : sparse array, (n, n) array, networkx graph or Graph
        Weights may be negative; a self-loop counts once, in A_ii.
    r : float or None
        The regulariser, above the largest |weight| of a weighted graph; None takes √(mean degree),
        for a weighted graph the root of the mean over nodes of Σ_l A_il².

    Raises
    ------
    ValueError
        For r that is not positive, or not above the largest |weight| of a weighted graph.

    Examples
    --------
    >>> bethe_hessian([[0, 1], [1, 0]], r=2.0).toarray()
    array([[ 4., -2.],
           [-2.,  4.]])

    References
    ----------
    [SKZ] Saade, Krzakala & Zdeborová, NeurIPS 2014, eqs. 1 and 9.
    """
    matrix = check_adjacency(A, allow_negative=True)
    off, diagonal = minus_bethe_hessian(matrix, average_degree_r(matrix) if r is None else r)
    return csr_array(diags_array(-diagonal) - off)


def is_weighted(A: csr_array) -> bool:
    """Whether some edge has a weight other than 1."""
    return bool((A.data != 1.0).any())


def average_degree_r(A: csr_array) -> float:
    """√(mean over nodes of Σ_l A_il²), which is √(mean degree) of an unweighted graph.

    At least 1, where H_r is the Laplacian; and above the weights of a weighted graph, for which
    H_r is not defined otherwise.
    """
    r = float(np.sqrt((A.data**2).sum() / A.shape[0]))
    if is_weighted(A) and A.nnz:
        # A few edges that outweigh all others would make H_r the matrix of these edges alone.
        return max(r, 2.0 * largest_weight(A))
    return max(r, 1.0)


def largest_weight(A: csr_array) -> float:
    """max |A_ij|."""
    return float(np.abs(A.data).max(initial=0.0))


def minus_bethe_hessian(A: csr_array, r: float) -> tuple[csr_array, Float64Array]:
    """−H_r as its sparse part, with the pattern of A, and its diagonal."""
    if not is_weighted(A):
        if r <= 0:
            raise ValueError(f"r must be above 0; got {r!r}.")
        return _like(A, r * A.data), -(r * r - 1.0 + _row_sums(A, A.data))
    largest = largest_weight(A)
    if r <= largest:
        raise ValueError(
            f"r must be above the largest |weight| of a weighted graph, {largest:.6g}; got {r!r}."
        )
    squares = A.data**2
    unit = r * r / squares.mean() - 1.0
    off = unit * r * A.data / (r * r - squares)
    return _like(A, off), -unit * (1.0 + _row_sums(A, squares / (r * r - squares)))


def derivative_at(A: csr_array, vector: Float64Array) -> tuple[float, float]:
    """v'Av and v'Dv of a unit vector: what v'H_r v = r² − 1 − r v'Av + v'Dv is made of."""
    return float(vector @ (A @ vector)), float(vector**2 @ _row_sums(A, A.data))


def _like(A: csr_array, data: Float64Array) -> csr_array:
    """Other numbers in the places of A, whose index arrays are shared."""
    return csr_array((data, A.indices, A.indptr), shape=A.shape)


def _row_sums(A: csr_array, data: Float64Array) -> Float64Array:
    return np.asarray(_like(A, data) @ np.ones(A.shape[0]), np.float64)


def degrees_without_loops(A: csr_array) -> IntArray:
    """Number of other nodes that each node has an edge with."""
    return np.diff(A.indptr).astype(np.int64) - (A.diagonal() != 0)
