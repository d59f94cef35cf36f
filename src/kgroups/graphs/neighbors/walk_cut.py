r"""The best cut in two that the first eigenvectors of the random walk on a graph show.

The walk goes from i to j with probability w_ij/d_i; 1 − λ are its eigenvalues. A cut is a
threshold of an eigenvector, measured by the Rayleigh quotient of its two sides,

.. math:: ρ(S) = \frac{w(S, S̄)\, w(V)}{w(S)\, w(S̄)} ≥ λ_2 .

In a cloud whose density has no valley, ρ is of the order √λ: the relation of Buser, which Ledoux
showed for log-concave densities in any dimension [L]. Two clusters have ρ of the order λ, the other
end of Cheeger's inequality. So the ``calmness`` ρ/(2√λ), which depends neither on the size of a
cloud nor on the step of the walk, tells them apart: it is .3 to .45 on lines, rings, squares and
Gaussian clouds, less what chance takes, and far less across a valley.

[L]: M. Ledoux, "Spectral gap, logarithmic Sobolev constant, and geometric bounds", Surveys in
Differential Geometry IX (2004).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator

from kgroups.exceptions import EigenvectorError
from kgroups.graphs.sparse_factor import factor
from kgroups.input.adjacency import components, degrees, like, rows_of, scaled
from kgroups.runtime.eigenpairs import eigenpairs, lanczos_eigenpairs
from kgroups.typing import BoolArray, Float64Array, IntArray

# Eigenvectors that are looked at: the first may belong to a few stray rows.
_PAIRS = 6
# Up to so many nodes a full matrix is quickest.
_DENSE = 400
# Lanczos is trusted where the walk has no eigenvalue so near 1 that copies could be missed.
_CLEAR, _RESTARTS, _ROUGH = 1e-3, 10, 1e-6
_SHIFT = 1e-10
# Relative to the degrees, an edge that rounding of the eigenvalues hides.
_HIDDEN = 1e-13
# What rounding makes of an eigenvalue that is zero.
_ZERO = 1e-14


class Cut(NamedTuple):
    """One side of a cut, (n,) of bool, and how much less than in one cloud it costs."""

    side: BoolArray
    calmness: float


class Least(NamedTuple):
    """How many rows, and how many different ones, a side of a cut has at least."""

    rows: int
    different: int


def walk_cut(
    W: csr_array,
    counts: IntArray,
    least: Least,
    judge: Callable[[BoolArray], float] | None = None,
) -> Cut | None:
    """The cheapest cut by one of the first eigenvectors that does not split off too few rows.

    The calmness is that of ρ with the λ of the first of these eigenvectors. In long clusters side
    by side it runs along them, and only a later one, from one to the next, shows the space between.

    Nodes are different rows; ``counts`` says how often each is there. Pieces without edges between
    them are cut where ``judge`` is largest, or at the largest piece. Shards, that is pieces of
    fewer rows than ``least``, are on neither side. None if there is no such cut. O(edges) for each
    eigenvector, and a sparse factorization of W.
    """
    d = degrees(W)
    seen = W.data > _HIDDEN * np.sqrt(d[rows_of(W)] * d[W.indices])
    kept = like(W, np.where(seen, W.data, 0.0))
    kept.eliminate_zeros()
    _, of_node = components(kept)
    sizes = np.bincount(of_node, counts)
    large = np.flatnonzero((sizes >= least.rows) & (np.bincount(of_node) >= least.different))
    if len(large) > 1:
        sides = [of_node == piece for piece in large[np.argsort(-sizes[large], kind="stable")]]
        return Cut(max(sides, key=judge) if judge else sides[0], 0.0)
    if not len(large):
        return None
    inside = np.flatnonzero(of_node == large[0])
    found = _connected_cut(csr_array(kept[inside][:, inside]), counts[inside], least)
    if found is None:
        return None
    side = np.zeros(len(d), np.bool_)
    side[inside[found.side]] = True
    return Cut(side, found.calmness)


def _connected_cut(W: csr_array, counts: IntArray, least: Least) -> Cut | None:
    n, d = W.shape[0], degrees(W)
    root = 1.0 / np.sqrt(d)
    gaps, vectors = slow_pairs(scaled(W, root))
    first, cheapest, best = 0.0, np.inf, None
    for gap, vector in zip(gaps[1:], vectors.T[1:], strict=True):
        order = np.argsort(vector * root, kind="stable")
        cost = _costs(W, d, order)
        place = int(cost.argmin())
        rows = counts[order].cumsum()
        smaller = Least(min(rows[place], rows[-1] - rows[place]), min(place + 1, n - place - 1))
        if smaller.rows >= least.rows and smaller.different >= least.different:
            first = first or gap
            if cost[place] < cheapest:
                cheapest, best = float(cost[place]), order[: place + 1]
    if best is None:
        return None
    side = np.zeros(n, np.bool_)
    side[best] = True
    return Cut(side, float(cheapest / (2.0 * np.sqrt(first))))


def _costs(W: csr_array, d: Float64Array, order: IntArray) -> Float64Array:
    """ρ of the first 1, 2, ..., n − 1 nodes of an order."""
    n = len(d)
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    first, second = place[rows_of(W)], place[W.indices]
    up = first < second
    opened = np.bincount(first[up], W.data[up], n) - np.bincount(second[up], W.data[up], n)
    volume = np.cumsum(d[order])
    left = volume[:-1]
    right = np.cumsum(d[order][::-1])[::-1][1:]
    return np.asarray(np.maximum(np.cumsum(opened)[:-1], 0.0) / left / right * volume[-1])


def slow_pairs(N: csr_array) -> tuple[Float64Array, Float64Array]:
    """The smallest 1 − λ of the largest eigenvalues λ ≤ 1 of N, ascending, and eigenvectors."""
    n = N.shape[0]
    m = min(_PAIRS, n)
    if n <= _DENSE:
        values, vectors = eigenpairs(N.toarray(), n - m, n - 1)
    else:
        values, vectors = _sparse_pairs(N, m)
    order = np.argsort(-values, kind="stable")
    return np.maximum(1.0 - values[order], _ZERO), vectors[:, order]


def _sparse_pairs(N: csr_array, m: int) -> tuple[Float64Array, Float64Array]:
    n = N.shape[0]
    start = np.cos(np.arange(n))
    try:
        rough = lanczos_eigenpairs(
            N, m, which="LA", v0=start, ncv=40, maxiter=_RESTARTS, tol=_ROUGH
        )
        if np.sort(rough[0])[-2] < 1.0 - _CLEAR:
            return rough
    except (ArpackNoConvergence, ArpackError, EigenvectorError):
        pass
    top = 1.0 + _SHIFT
    inverse = factor(csr_array(top * eye_array(n, format="csr") - N))
    solve = LinearOperator((n, n), matvec=lambda x: -inverse.solve(x), dtype=np.float64)
    return lanczos_eigenpairs(N, m, sigma=top, OPinv=solve, which="LM", v0=start, tol=1e-8)
