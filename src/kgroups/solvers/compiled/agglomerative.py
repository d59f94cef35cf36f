"""Pairwise agglomeration on a condensed vector of distances, by remembered nearest neighbors.

Entry (i, j), i < j, of n points stands at ``offset(n, i) + j``: SciPy's order, rows without gaps.
A cluster stands where its first point stood.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, FloatArray, IntArray

# A cluster whose nearest neighbor has to be looked for again.
_UNKNOWN = -1


class Merging(NamedTuple):
    """How far the tree of n points is built."""

    node: IntArray  # (n,) the node that stands at each place
    alive: IntArray  # (n,) the places of clusters, in order; as many as there are clusters count
    near: IntArray  # (n,) the nearest neighbor to the right of each place, where it is known
    bound: Float64Array  # (n,) its distance, or a lower bound

    @classmethod
    def of(cls, n: int) -> Merging:
        """Every point is a cluster, and no neighbor is known."""
        return cls(np.arange(n), np.arange(n), np.full(n, _UNKNOWN), np.full(n, -np.inf))


@jit
def offset(n: int, i: int) -> int:
    """What to add to j > i for the place of (i, j)."""
    return n * i - (i + 1) * (i + 2) // 2


@jit
def weigh(d: FloatArray, weights: Float64Array, factor: float, start: int, stop: int) -> None:
    """From ρ to factor · e between single points, 2 w_i w_j / (w_i + w_j) · factor · ρ.

    For the points from ``start`` to ``stop`` with all behind each of them.
    """
    n = weights.shape[0]
    for i in range(start, stop):
        at = offset(n, i)
        for j in range(i + 1, n):
            share = 2.0 * weights[i] * (weights[j] / (weights[i] + weights[j]))
            d[at + j] = share * (factor * d[at + j])


@jit
def agglomerate(
    d: FloatArray,
    weights: Float64Array,
    children: IntArray,
    heights: Float64Array,
    state: Merging,
    step: int,
    most: int,
) -> int:
    """Merge the nearest pair from merge ``step`` on; ``d`` and ``weights`` are used up.

    Returns the number of merges made when one cluster is left, or when about ``most`` entries have
    been read: the next call goes on from there, as if there had been no pause.

    Of equally near pairs the one with the lowest first, then second, place is taken. Each cluster
    remembers its nearest neighbor to the right, or a lower bound of its distance until it is
    looked for again, which is seldom, as no union comes nearer to others than its parts were:
    from e(A, B) ≤ min(e(A, C), e(B, C)) follows min(e(A, C), e(B, C)) ≤ e(A ∪ B, C), for any ρ.
    O(n²) in practice.
    """
    n = weights.shape[0]
    node, alive, near, bound = state
    read = 0
    while step < n - 1:
        left = n - step
        a, looked = nearest_pair(d, alive[:left], near, bound, most - read)
        read += looked + left
        if a == _UNKNOWN:
            break
        b = near[a]
        heights[step] = d[offset(n, a) + b]
        children[step, 0] = min(node[a], node[b])
        children[step, 1] = max(node[a], node[b])
        node[a] = n + step
        gone = np.searchsorted(alive[:left], b)
        alive[gone : left - 1] = alive[gone + 1 : left].copy()
        merge(d, weights, alive[: left - 1], a, b, near, bound)
        step += 1
        if read >= most:
            break
    return step


@jit
def nearest_pair(
    d: FloatArray, alive: IntArray, near: IntArray, bound: Float64Array, most: int
) -> tuple[int, int]:
    """The left one of the nearest pair, whose neighbor is then known; and what was read.

    It is not known yet when about ``most`` entries have been read, one neighbor at least.
    """
    n, read = near.shape[0], 0
    while True:
        best = 0
        for place in range(1, alive.shape[0] - 1):  # the last has nothing to its right
            if bound[alive[place]] < bound[alive[best]]:
                best = place
        a = int(alive[best])
        if near[a] != _UNKNOWN:
            return a, read
        near[a], bound[a] = nearest(d, offset(n, a), alive[best + 1 :])
        read += 2 * alive.shape[0]
        if read >= most:
            return _UNKNOWN, read


@jit
def nearest(d: FloatArray, at: int, others: IntArray) -> tuple[int, float]:
    """The first of the others for which d[at + j] is least."""
    best = others[0]
    least = d[at + best]
    for j in others[1:]:
        if d[at + j] < least:
            best, least = j, d[at + j]
    return best, least


@jit
def merge(
    d: FloatArray,
    weights: Float64Array,
    alive: IntArray,
    a: int,
    b: int,
    near: IntArray,
    bound: Float64Array,
) -> None:
    """Put b into a: e of the union with all others by Lance and Williams, and who is nearest."""
    n = weights.shape[0]
    row_a, row_b = offset(n, a), offset(n, b)
    between, s_a, s_b = d[row_a + b], weights[a], weights[b]
    near[a], bound[a] = _UNKNOWN, np.inf
    for c in alive:
        if c == a:
            continue
        row_c = offset(n, c)
        to_a = row_c + a if c < a else row_a + c
        to_b = row_c + b if c < b else row_b + c
        s_c = weights[c]
        joint = (s_a + s_c) * d[to_a] + (s_b + s_c) * d[to_b] - s_c * between
        d[to_a] = joint / (s_a + s_b + s_c)
        changed = d[to_a]
        if c > a:
            if near[a] == _UNKNOWN or changed < bound[a]:
                near[a], bound[a] = c, changed
            if c < b and near[c] == b:
                near[c] = _UNKNOWN
        elif near[c] == _UNKNOWN:
            bound[c] = min(bound[c], changed)
        elif changed < bound[c] or (changed == bound[c] and a <= near[c]):
            near[c], bound[c] = a, changed
        elif near[c] == a or near[c] == b:
            near[c] = _UNKNOWN  # and what it was is still a bound
    weights[a] = s_a + s_b
