"""Exact k-groups on the line: the smallest W over all partitions into intervals.

For 1 ≤ α ≤ 2 this is the smallest W over all partitions, for any weights. Let two clusters have
shares p and q = 1 − p of their weight s, and distribution functions F and H.

1. By parts, twice, S = s p q c ∫∫ (F − H)(t) (F − H)(t′) κ(t − t′) dt dt′ with κ ≥ 0: a point mass
   at 0 for α = 1, |t − t′|^(α−2) between, a constant for α = 2.
2. As a function of v, the share of the weight up to t, u = p q (F − H) rises with slope q on the
   first cluster and falls with slope p on the second, from u(0) = 0 to u(1) = 0. Between two zeros
   exchange the order, so that all rising comes first where u > 0 and last where u < 0: |u| grows,
   and has one extreme v_i in each such stretch. The total variation of u is 2pq, so the weights
   λ_i = |u(v_i)| / pq add up to 1.
3. For a division at v_i, u²/pq is the square of τ_i(v) = v √((1 − v_i)/v_i) for v ≤ v_i and
   (1 − v) √(v_i/(1 − v_i)) for v ≥ v_i. Then, for v ≤ v′ with u(v) u(v′) > 0,

       u(v) u(v′) / pq ≤ Σ_i λ_i τ_i(v) τ_i(v′).

   It is enough to look at extremes: before its extreme |u|/v rises and no τ_i/v does, after it
   |u|/(1 − v) falls and no τ_i/(1 − v) does. There, with A = Σ λ_i over v_i < v and B = Σ λ_i over
   v_i > v′, slopes and variation give u(v) = q (v − A) and u(v′) = p (1 − v′ − B), up to a sign or
   with p and q exchanged; and (v − A)(1 − v′ − B) ≤ v (1 − v′) (1 − A − B), because A ≤ v,
   B ≤ 1 − v′ and v ≤ v′. The right side is what the sum has for v ≤ v_i ≤ v′.
4. Since κ ≥ 0, S is at most the mean over i, weighted by λ_i, of S for a division at v_i, and less
   unless the clusters were already divided. Dividing inside a value is not better than at one side
   of it, because S is convex in the weight that moves.

So in an optimal partition any two clusters lie on different sides of some point. For α = 2 this is
Fisher's theorem (1958). For α < 1 it is false: for {−1, 0, 1} with a heavy middle, the best two
clusters are {−1, 1} and {0}.

By (1), S between two neighboring intervals grows when one of them does, because F − H and s p q do.
This is the quadrangle inequality of the cost of an interval, again for 1 ≤ α ≤ 2 and any weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kgroups.native import kernels
from kgroups.runtime import memory
from kgroups.runtime.threads import blocks
from kgroups.typing import Float64Array, FloatArray, IntArray

# Number of cells for bounds on the cuts, which pay off for many values and few clusters.
_CELLS = 1 << 15
_MANY = 8 * _CELLS
_FEW = 1024
# Allowance for rounding in the bounds, relative to W.
_ROUNDING = 1e-9
# Powers of distances held at a time.
_HELD = 1 << 20

_INSTEAD = "Round X so that fewer values are distinct, or ask for fewer clusters."


def distinct(x: FloatArray, w: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Distinct values with weight, sorted, and the sums of their weights. O(n log n)."""
    order = np.argsort(x)
    values, weights = x[order].astype(np.float64, copy=False), w[order]
    n = kernels.merge_equal(values, weights)
    return values[:n], weights[:n]


def labels_between(boundaries: Float64Array, x: FloatArray) -> IntArray:
    """The interval of each x; a boundary belongs to the interval on its left. O(log k) each."""
    return np.searchsorted(boundaries, x, side="left")


def best_intervals(values: Float64Array, weights: Float64Array, k: int, alpha: float) -> Intervals:
    r"""The k intervals with the smallest W, for values from ``distinct``; 1 ≤ k ≤ n.

    Dynamic programming over E_l(b), the smallest W of the first b values in l clusters:

    .. math:: E_l(b) = \min_{a < b} \; E_{l-1}(a) + W(x_{a+1}, \ldots, x_b)

    For α = 1 and 2, divide and conquer takes O(kn log n) time, less if bounds leave few candidates
    for each cut (see ``_narrowed``), and 20n bytes plus 4 per candidate. For other α it takes
    O(n²k) time and 12nk bytes.
    """
    if alpha not in (1, 2):
        return Intervals(values, weights, _by_columns(values, weights, k, alpha), alpha)
    n, squares = len(values), alpha == 2
    windows = Windows.everywhere(n, k)
    if n > _MANY and 2 < k <= _FEW:
        windows = _narrowed(values, weights, k, squares)
    return Intervals(values, weights, _by_layers(values, weights, windows, squares), alpha)


@dataclass(frozen=True)
class Intervals:
    """A partition of sorted values: cluster j is values[bounds[j] : bounds[j + 1]]."""

    values: Float64Array
    weights: Float64Array
    bounds: IntArray
    alpha: float

    @property
    def sums(self) -> Float64Array:
        """The weights s_j of the clusters, shape (k,)."""
        return np.asarray(np.add.reduceat(self.weights, self.bounds[:-1]))

    @property
    def dispersions(self) -> Float64Array:
        """The dispersions W_j, shape (k,). O(n) time for α = 1 and 2, otherwise O(n²)."""
        return np.array([_dispersion(x, w, self.alpha) for x, w in self._clusters()])

    @property
    def total_dispersion(self) -> float:
        """W of a single cluster with all values."""
        return _dispersion(self.values, self.weights, self.alpha)

    def boundaries(self, unit: float) -> Float64Array:
        """Midpoints between the last value of a cluster and the first of the next, shape (k−1,).

        They are scaled by the power of two ``unit``. Between two adjacent floats, which may be
        subnormal, the midpoint is the lower one.
        """
        cuts = self.bounds[1:-1]
        last, first = self.values[cuts - 1], self.values[cuts]
        middle = (last / 2 + first / 2) * unit
        return np.clip(middle, last * unit, np.nextafter(first * unit, last * unit))

    def nearest(self, x: Float64Array) -> IntArray:
        r"""The nearest centroid in feature space for each x, the first among equals.

        .. math:: \|φ(x) - μ_j\|^2 = \tfrac1{s_j} \sum_{y ∈ C_j} w_y |x - y|^α - \tfrac{W_j}{s_j}

        O(n) time, and per point O(k log n) for α = 1, O(k) for α = 2, otherwise O(n).
        """
        least, nearest = np.full(len(x), np.inf), np.zeros(len(x), np.int64)
        for j, (y, w) in enumerate(self._clusters()):
            squared = _squared_distance(x, y, w, self.alpha)
            closer = squared < least
            least[closer], nearest[closer] = squared[closer], j
        return nearest

    def _clusters(self) -> Iterator[tuple[Float64Array, Float64Array]]:
        for a, b in pairwise(self.bounds):
            yield self.values[a:b], self.weights[a:b]


@dataclass(frozen=True)
class Windows:
    """Candidates ``low[l - 1]`` to ``high[l - 1]`` for the cut before cluster l + 1, l = 1..k−1."""

    low: IntArray
    high: IntArray

    @classmethod
    def everywhere(cls, n: int, k: int) -> Windows:
        """All candidates that leave each cluster at least one of n values."""
        return cls(np.arange(1, k), np.arange(n - k + 1, n))

    def apart(self, n: int) -> Windows:
        """The windows narrowed so that no cluster between two cuts is empty."""
        number = np.arange(1, len(self.low) + 1)
        room = n - number[::-1]
        low = np.maximum.accumulate(np.maximum(self.low - number, 0)) + number
        high = np.minimum.accumulate(np.minimum(self.high, room)[::-1] + number)[::-1]
        return Windows(low, high - number[::-1])


# --- alpha 1 and 2 --------------------------------------------------------------------------


def _by_layers(x: Float64Array, w: Float64Array, windows: Windows, squares: bool) -> IntArray:
    """Bounds of the best partition whose cuts lie in the windows."""
    n, low, high = len(x), windows.low, windows.high
    if len(low) == 0:
        return np.array([0, n])
    memory.require(
        20 * n + 4 * int((high[1:] - low[1:] + 1).sum()),
        what=f"The search for the best {len(low) + 1} intervals of {n} values",
        instead=_INSTEAD,
    )
    tables = []
    for cut, layer in enumerate(_layers(x, w, windows, squares)):
        best, starts = layer
        tables.append(starts[low[cut] : high[cut] + 1].copy())
    bounds = [n, kernels.find_last_start(low[-1], high[-1], best, x, w, squares)]
    for cut in range(len(low) - 1, 0, -1):
        bounds.append(int(tables[cut][bounds[-1] - low[cut]]))
    return np.array([*bounds, 0])[::-1]


def _layers(
    x: Float64Array, w: Float64Array, windows: Windows, squares: bool
) -> Iterator[tuple[Float64Array, np.ndarray[Any, np.dtype[np.uint32]]]]:
    """E_l(b) in the window of cut l, and where the last cluster starts, for l = 1..k−1.

    E_l(b) = 0 for b ≤ l.
    """
    low, high = windows.low, windows.high
    best = _prefixes(x[: high[0]], w[: high[0]], squares)
    yield best, np.zeros(len(best), np.uint32)
    for cut in range(1, len(low)):
        before, best = best, np.zeros(len(x) + 1)
        starts = np.zeros(len(x) + 1, np.uint32)
        ends, choices = (low[cut], high[cut]), (low[cut - 1], high[cut - 1])
        kernels.fill_layer(*ends, *choices, before, x, w, squares, best, starts)
        yield best, starts


def _narrowed(x: Float64Array, w: Float64Array, k: int, squares: bool) -> Windows:
    r"""Windows that contain the cuts of every optimal partition, from a problem with few values.

    When each value moves to the middle one of its cell, by d_i, W of any partition changes by at
    most δ = Σ w_i d_i for α = 1, and √W by at most δ = (Σ w_i d_i²)^½ for α = 2. The optimum of the
    cells, with its cuts put among all values, has W = U, so an optimum of all values is, among the
    cells, at most U + δ, or (√U + δ)². There a cut inside a cell is not better than one at the
    cell's sides, because W is concave in the weight that moves. So a cut is next to or between
    edges e for which the best left of e and the best right of it together are within that bound.
    """
    edges = _cell_starts(x, w, _CELLS)
    middles = x[(edges[:-1] + edges[1:] - 1) // 2]
    sums = np.add.reduceat(w, edges[:-1])
    n = len(sums)
    if n <= k:
        return Windows.everywhere(len(x), k)
    moved = x - np.repeat(middles, np.diff(edges))
    coarse = edges[_by_layers(middles, sums, Windows.everywhere(n, k), squares)]
    least = Intervals(x, w, coarse, 2 if squares else 1).dispersions.sum()
    if squares:
        most = (np.sqrt(least) + np.sqrt(w @ np.square(moved))) ** 2
    else:
        most = least + w @ np.abs(moved)
    whole = Windows(np.arange(1, k), np.full(k - 1, n))
    left = [best for best, _ in _layers(middles, sums, whole, squares)]
    right = [best for best, _ in _layers(-middles[::-1], sums[::-1].copy(), whole, squares)]
    low, high = np.empty(k - 1, np.int64), np.empty(k - 1, np.int64)
    for cut in range(k - 1):
        together = left[cut] + right[k - 2 - cut][::-1]
        edge = np.flatnonzero(together <= most * (1 + _ROUNDING))
        low[cut], high[cut] = edges[max(edge[0] - 1, 0)], edges[min(edge[-1] + 1, n)]
    return Windows(low, high).apart(len(x))


def _cell_starts(x: Float64Array, w: Float64Array, n_cells: int) -> IntArray:
    """Where cells of about equal weight times width begin, and n: at most n_cells + 1 cells."""
    starts = np.empty(n_cells + 2, np.int64)
    return starts[: kernels.cut_into_cells(x, w, starts)]


# --- other alpha ----------------------------------------------------------------------------


def _by_columns(x: Float64Array, w: Float64Array, k: int, alpha: float) -> IntArray:
    """Bounds of the best partition into intervals, for any α."""
    n = len(x)
    memory.require(
        (12 * k + 8) * n,
        what=f"The search for the best {k} intervals of {n} values",
        instead=_INSTEAD,
    )
    best, starts = np.full((n + 1, k), np.inf), np.zeros((n + 1, k), np.uint32)
    best[0, 0] = 0.0
    pairs = np.zeros(n)
    for first, stop in blocks(0, n, max(1, _HELD // n)):
        powers = _powers(x[first:stop], x[:stop], alpha)
        kernels.fill_columns(first + 1, powers, w, pairs, best, starts)
    bounds = [n]
    for layer in range(k - 1, -1, -1):
        bounds.append(int(starts[bounds[-1], layer]))
    return np.array(bounds)[::-1]


# --- one cluster ----------------------------------------------------------------------------


def _dispersion(x: Float64Array, w: Float64Array, alpha: float) -> float:
    """The within dispersion Σ_{i<j} w_i w_j |x_i − x_j|^α / Σ w of one cluster."""
    if alpha in (1, 2):
        return float(_prefixes(x, w, alpha == 2)[-1])
    return float(w @ _sums(x, x, w, alpha) / 2 / w.sum())


def _prefixes(x: Float64Array, w: Float64Array, squares: bool) -> Float64Array:
    """W of the first b values as one cluster, for b = 0..n."""
    best = np.empty(len(x) + 1)
    kernels.fill_prefixes(x, w, squares, best)
    return best


def _powers(x: Float64Array, y: Float64Array, alpha: float) -> Float64Array:
    """|x − y|^α for each x and each y."""
    return np.asarray(np.abs(x[:, None] - y) ** alpha)


def _sums(x: Float64Array, y: Float64Array, w: Float64Array, alpha: float) -> Float64Array:
    """Σ w |x − y|^α over y, for each x."""
    pieces = blocks(0, len(x), max(1, _HELD // len(y)))
    return np.concatenate([_powers(x[a:b], y, alpha) @ w for a, b in pieces])


def _squared_distance(
    x: Float64Array, y: Float64Array, w: Float64Array, alpha: float
) -> Float64Array:
    """Squared distance from each x to the centroid of sorted y."""
    if alpha == 2:
        return np.asarray(np.square(x - (y[0] + w @ (y - y[0]) / w.sum())))
    if alpha == 1:  # Σ w |x − y| is linear between neighbors of sorted y
        inside, sums = np.clip(x, y[0], y[-1]), np.empty(len(y))
        kernels.sum_distances(y, w, sums)
        sums = np.interp(inside, y, sums) + w.sum() * np.abs(x - inside)
    else:
        sums = _sums(x, y, w, alpha)
    return np.asarray((sums / w.sum()) - _dispersion(y, w, alpha) / w.sum())
