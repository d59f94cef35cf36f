"""Hartigan & Hartigan's algorithm for the dip."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


@jit
def dip_of_sorted(x: Float64Array) -> float:
    """The dip by Hartigan & Hartigan's algorithm: the modal interval shrinks until it fits.

    Between ``low`` and ``high`` a unimodal function lies below the least concave majorant of the
    upper corners of F_n and above the greatest convex minorant of its lower corners. The place
    where the two are farthest apart gives the next interval; outside it the dip is at least the
    distance of F_n from its hull. All distances are in points: twice the dip times n.
    """
    n = x.shape[0]
    below = np.arange(n).astype(np.float64)
    above = below + 1.0
    least = 1.0
    if x[0] == x[n - 1]:
        return float(0.5 / n)
    minorant, majorant = np.empty(n, np.int64), np.empty(n, np.int64)
    low, high = 0, n - 1
    while True:
        n_minor = hull(x, below, low, high, 1.0, minorant)
        n_major = hull(x, above, low, high, -1.0, majorant)
        apart, left, right = widest(x, below, above, minorant, n_minor, majorant, n_major)
        if apart <= least:
            break
        j = 0
        for i in range(low, left + 1):
            while j < n_minor - 1 and x[minorant[j]] < x[i]:
                j += 1
            least = max(least, above[i] - height(x, below, minorant, j, x[i]))
        j = 0
        for i in range(right, high + 1):
            while j < n_major - 1 and x[majorant[j]] < x[i]:
                j += 1
            least = max(least, height(x, above, majorant, j, x[i]) - below[i])
        if left >= right or (left == low and right == high):
            break
        low, high = left, right
    return float(least / (2.0 * n))


@jit
def dips_of_sorted(table: Float64Array) -> Float64Array:
    """The dip of each row of a table."""
    dips = np.empty(len(table))
    for row in range(len(table)):
        dips[row] = dip_of_sorted(table[row])
    return dips


@jit
def hull(
    x: Float64Array, y: Float64Array, low: int, high: int, sign: float, vertices: IntArray
) -> int:
    """Vertices of the greatest convex minorant (sign 1) or least concave majorant (−1)."""
    count = 0
    for i in range(low, high + 1):
        while (
            count >= 1
            and x[vertices[count - 1]] == x[i]
            and sign * y[i] <= sign * (y[vertices[count - 1]])
        ):
            count -= 1
        if count >= 1 and x[vertices[count - 1]] == x[i]:
            continue
        while count >= 2:
            a, b = vertices[count - 2], vertices[count - 1]
            turn = (y[i] - y[b]) * (x[b] - x[a]) - (y[b] - y[a]) * (x[i] - x[b])
            if sign * turn > 0.0:
                break
            count -= 1
        vertices[count] = i
        count += 1
    return count


@jit
def height(x: Float64Array, y: Float64Array, vertices: IntArray, j: int, t: float) -> float:
    """The hull at t, which lies between its vertices j − 1 and j."""
    if j == 0:
        return float(y[vertices[0]])
    a, b = vertices[j - 1], vertices[j]
    return float(y[a] + (y[b] - y[a]) * (t - x[a]) / (x[b] - x[a]))


@jit
def widest(
    x: Float64Array,
    below: Float64Array,
    above: Float64Array,
    minorant: IntArray,
    n_minor: int,
    majorant: IntArray,
    n_major: int,
) -> tuple[float, int, int]:
    """The largest distance between the two hulls, and the vertices of each around that place."""
    apart, left, right = 0.0, minorant[0], majorant[n_major - 1]
    j = 0
    for i in range(n_minor):
        at = minorant[i]
        while j < n_major - 1 and x[majorant[j]] < x[at]:
            j += 1
        gap = height(x, above, majorant, j, x[at]) - below[at]
        if gap > apart:
            apart, left, right = gap, at, majorant[j]
    j = 0
    for i in range(n_major):
        at = majorant[i]
        while j < n_minor - 1 and x[minorant[j]] <= x[at]:
            j += 1
        gap = above[at] - height(x, below, minorant, j, x[at])
        if gap > apart:
            behind = minorant[j - 1] if j > 0 and x[minorant[j]] > x[at] else minorant[j]
            apart, left, right = gap, behind, at
    return apart, left, right
