"""Intervals of sorted values: their dispersions, and the layers of a dynamic program over them.

An interval grows by one value at a time, and every update adds something that is not negative: no
digits are lost, wherever the origin lies and however small an interval is beside the whole. Prefix
sums would give any interval at once, and only the digits that their differences leave.
"""

from typing import Any, NamedTuple

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray

UInt32Array = np.ndarray[Any, np.dtype[np.uint32]]


class Interval(NamedTuple):
    """Sums over consecutive values; the empty interval has weight 0.

    ``to_left`` and ``to_right`` are Σ w |x − end| to its first and its last value; ``pairs`` is
    Σ_{x<y} w w |x − y|, or for squares Σ w (x − mean)².
    """

    weight: float
    to_left: float
    to_right: float
    pairs: float


EMPTY = Interval(0.0, 0.0, 0.0, 0.0)


@jit
def dispersion(weight: float, pairs: float, squares: bool) -> float:
    """Σ_{x<y} w w ρ(x, y) / Σ w: what the interval adds to W as a cluster."""
    return pairs if squares else pairs / weight


@jit
def more_pairs(weight: float, to_end: float, w: float, squares: bool) -> float:
    """What a value of weight w adds to ``pairs``, for ``to_end`` = Σ w |x − value|."""
    if squares:
        return to_end * (to_end / weight) * (w / (weight + w))
    return w * to_end


@jit
def with_left(
    it: Interval, start: int, stop: int, end: int, x: Float64Array, w: Float64Array, squares: bool
) -> Interval:
    """The interval [start, end), given as ``it``, with the values stop..start−1."""
    weight, to_left, to_right, pairs = it
    for i in range(start - 1, stop - 1, -1):
        if weight > 0.0:
            to_left += weight * (x[i + 1] - x[i])
            to_right += w[i] * (x[end - 1] - x[i])
            pairs += more_pairs(weight, to_left, w[i], squares)
        weight += w[i]
    return Interval(weight, to_left, to_right, pairs)


@jit
def with_right(
    it: Interval, start: int, end: int, stop: int, x: Float64Array, w: Float64Array, squares: bool
) -> Interval:
    """The interval [start, end), given as ``it``, with the values end..stop−1."""
    weight, to_left, to_right, pairs = it
    for i in range(end, stop):
        if weight > 0.0:
            to_right += weight * (x[i] - x[i - 1])
            to_left += w[i] * (x[i] - x[start])
            pairs += more_pairs(weight, to_right, w[i], squares)
        weight += w[i]
    return Interval(weight, to_left, to_right, pairs)


@jit
def prefixes(x: Float64Array, w: Float64Array, squares: bool) -> Float64Array:
    """W of the first b values as one cluster, for b = 0..n."""
    best = np.zeros(len(x) + 1)
    weight, to_right, pairs = w[0], 0.0, 0.0
    for i in range(1, len(x)):
        to_right += weight * (x[i] - x[i - 1])
        pairs += more_pairs(weight, to_right, w[i], squares)
        weight += w[i]
        best[i + 1] = dispersion(weight, pairs, squares)
    return best


@jit
def last_cluster(
    it: Interval,
    low: int,
    high: int,
    end: int,
    before: Float64Array,
    x: Float64Array,
    w: Float64Array,
    squares: bool,
) -> tuple[int, float]:
    """The best start in low..high of a cluster that ends before ``end``, and W with it.

    ``before[a]`` is W of the first a values, and ``it`` is [high, end): empty for high = end, which
    is then no choice. Of equal starts the first.
    """
    weight, to_left, _, pairs = it
    start, least = high, np.inf
    if high < end:
        least = before[high] + dispersion(weight, pairs, squares)
    for a in range(high - 1, low - 1, -1):
        if weight > 0.0:
            to_left += weight * (x[a + 1] - x[a])
            pairs += more_pairs(weight, to_left, w[a], squares)
        weight += w[a]
        value = before[a] + dispersion(weight, pairs, squares)
        if value <= least:
            start, least = a, value
    return start, least


@jit
def fill_layer(
    first: int,
    last: int,
    low: int,
    high: int,
    it: Interval,
    before: Float64Array,
    x: Float64Array,
    w: Float64Array,
    squares: bool,
    best: Float64Array,
    starts: UInt32Array,
) -> None:
    """``last_cluster`` for each end in first..last, into ``best`` and ``starts``.

    The start rises with the end, because the cost has the quadrangle inequality: that of the middle
    divides those of the others. ``it`` is [min(high, first), first), and grows with its bounds, so
    that a call costs O(last − first + high − low), and all of them O(n log n).
    """
    middle = (first + last) // 2
    top = min(high, middle)
    here = with_right(it, top, max(top, first), middle, x, w, squares)
    start, best[middle] = last_cluster(here, low, top, middle, before, x, w, squares)
    starts[middle] = start
    if first < middle:
        left = with_left(it, min(high, first), start, first, x, w, squares)
        fill_layer(first, middle - 1, low, start, left, before, x, w, squares, best, starts)
    if middle < last:
        beyond = min(max(high, middle), middle + 1)  # a start may be the middle itself from now on
        right = with_right(here, top, beyond, middle + 1, x, w, squares)
        fill_layer(middle + 1, last, start, high, right, before, x, w, squares, best, starts)


@jit
def own_sums(x: Float64Array, w: Float64Array) -> Float64Array:
    """Σ_j w_j |x_i − x_j| for each i of sorted values."""
    sums = np.zeros(len(x))
    weight, to_here = 0.0, 0.0
    for i in range(1, len(x)):
        weight += w[i - 1]
        to_here += weight * (x[i] - x[i - 1])
        sums[i] = to_here
    weight, to_here = 0.0, 0.0
    for i in range(len(x) - 2, -1, -1):
        weight += w[i + 1]
        to_here += weight * (x[i + 1] - x[i])
        sums[i] += to_here
    return sums


@jit
def merge_equal(x: Float64Array, w: Float64Array) -> int:
    """Sorted values without repeats and their weights, in place; how many there are."""
    n = 0
    for i in range(len(x)):
        if w[i] == 0.0:
            continue
        if n > 0 and x[n - 1] == x[i]:
            w[n - 1] += w[i]
        else:
            x[n], w[n] = x[i], w[i]
            n += 1
    return n


@jit
def cell_starts(x: Float64Array, w: Float64Array, n_cells: int) -> IntArray:
    """Where cells of neighboring values begin, and n: at most n_cells + 1 cells.

    A cell ends when Σ √(w · gap) over it is a share of the whole, which makes weight times width
    about equal. A gap beside an outlier counts as one share at most, and the share settles soon.
    """
    share = np.inf
    for _ in range(4):
        total = 0.0
        for i in range(len(x) - 1):
            total += min(share, np.sqrt(w[i] * (x[i + 1] - x[i])))
        share = total / n_cells
    starts = np.zeros(n_cells + 3, np.int64)
    count, filled = 1, 0.0
    for i in range(len(x) - 1):
        filled += min(share, np.sqrt(w[i] * (x[i + 1] - x[i])))
        if filled >= share and count <= n_cells:
            starts[count] = i + 1
            count += 1
            filled = 0.0
    starts[count] = len(x)
    return starts[: count + 1]


@jit
def fill_columns(
    first: int,
    stop: int,
    x: Float64Array,
    w: Float64Array,
    alpha: float,
    pairs: Float64Array,
    best: Float64Array,
    starts: UInt32Array,
) -> None:
    """All layers for each end in first..stop−1, for any exponent, with no use of monotonicity.

    ``pairs[a]`` is Σ_{x<y} w w |x − y|^α over [a, first − 1) before and over [a, stop − 1) after.
    ``best[b, l]`` is W of the first b values in l + 1 clusters, and ``starts`` where the last of
    them begins.
    """
    n_layers = best.shape[1]
    for end in range(first, stop):
        weight, to_end = 0.0, 0.0
        new = end - 1
        for a in range(end - 1, -1, -1):
            to_end += w[a] * (x[new] - x[a]) ** alpha
            weight += w[a]
            pairs[a] += w[new] * to_end
            cost = pairs[a] / weight
            for layer in range(1, min(n_layers - 1, a) + 1):
                value = best[a, layer - 1] + cost
                if value <= best[end, layer]:
                    best[end, layer], starts[end, layer] = value, a
        best[end, 0] = cost


@jit
def sum_of_pairs(x: Float64Array, w: Float64Array, alpha: float) -> float:
    """Σ_{i<j} w_i w_j |x_i − x_j|^α of sorted values."""
    total = 0.0
    for j in range(len(x)):
        for i in range(j):
            total += w[i] * w[j] * (x[j] - x[i]) ** alpha
    return total
