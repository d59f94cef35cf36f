"""Greedy k-means++ on a stored matrix or on features, in one compiled call.

Loops over single numbers only: slices and expressions of arrays take long to compile.
"""

import numpy as np

from kgroups.runtime.jit import jit, jit_in_place, jit_inlined
from kgroups.typing import Float64Array, FloatArray, IntArray


@jit_inlined
def place(cumulative: Float64Array, draw: float) -> int:
    """The first place whose cumulative sum exceeds a share ``draw`` of the total.

    The last sum may round to less than the draw; the last place with a share is meant.
    """
    n = len(cumulative)
    goal = draw * cumulative[n - 1]
    first, last = 0, n
    while first < last:
        middle = (first + last) // 2
        if cumulative[middle] > goal:
            last = middle
        else:
            first = middle + 1
    if first == n:
        first = n - 1
        while first > 0 and cumulative[first - 1] == cumulative[n - 1]:
            first -= 1
    return int(first)


def _gap(rows: FloatArray, i: int, j: int) -> float:
    """‖x_i − x_j‖²."""
    total: float = 0.0
    for d in range(rows.shape[1]):
        apart = np.float64(rows[i, d]) - np.float64(rows[j, d])
        total += apart * apart
    return total


gap = jit(_gap, fastmath=frozenset({"contract", "reassoc"}))


@jit_in_place
def greedy_seeds(
    rows: FloatArray,
    diagonal: Float64Array,
    scale: float,
    shift: Float64Array,
    weights: Float64Array,
    draws: Float64Array,
    labels: IntArray,
    distances: Float64Array,
    cumulative: Float64Array,
) -> int:
    """Labels of the nearest of k seeds, each the best of several candidates; seeds found.

    With a ``shift``, rows are those of a matrix G = scale · rows − shift − shift', and squared
    distances G_ii + G_jj − 2G_ij; without, they are features, with distances scale · ‖x_i − x_j‖².
    ``draws`` are uniform numbers, (k, candidates), of which the first seed uses one. Fewer than k
    seeds are found where all points coincide with one. ``distances``, (1 + candidates, n), and
    ``cumulative`` are room. O(n) a candidate for a matrix, O(nD) for features. OUT: labels.
    """
    n, k, n_candidates = len(labels), draws.shape[0], draws.shape[1]
    total = 0.0
    for i in range(n):
        total += weights[i]
        cumulative[i] = total
        labels[i] = 0
        distances[0, i] = np.inf
    for cluster in range(k):
        lowest, best, seed = np.inf, 1, 0
        for c in range(1 if cluster == 0 else n_candidates):
            point = place(cumulative, draws[cluster, c])
            left = 0.0
            for j in range(n):
                if len(shift):
                    inner = scale * rows[point, j] - shift[point] - shift[j]
                    squared = diagonal[point] + diagonal[j] - 2.0 * inner
                    squared = max(squared, 0.0)
                else:
                    squared = scale * gap(rows, point, j)
                nearest = distances[0, j]
                squared = min(squared, nearest)
                distances[1 + c, j] = squared
                left += weights[j] * squared
            if left < lowest:
                lowest, best, seed = left, 1 + c, point
        total = 0.0
        for i in range(n):
            if distances[best, i] < distances[0, i]:
                distances[0, i] = distances[best, i]
                labels[i] = cluster
            total += weights[i] * distances[0, i]
            cumulative[i] = total
        labels[seed] = cluster
        if not total > 0.0:
            return int(cluster + 1)
    return int(k)
