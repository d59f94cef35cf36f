"""Draws and small repairs of labels that several searches share."""

from __future__ import annotations

import numpy as np

from kgroups.typing import Float64Array, IntArray


def drawn_by_potential(potential: Float64Array, size: int, rng: np.random.Generator) -> IntArray:
    """Indices drawn with replacement, with probability proportional to a potential; O(n).

    None are drawn where the potential is zero everywhere.
    """
    cumulative = np.cumsum(potential)
    if size <= 0 or not cumulative[-1] > 0:
        return np.empty(0, np.int64)
    drawn = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    # The last sum may round to less than the draw; the last index with a share is meant.
    return np.asarray(np.minimum(drawn, np.flatnonzero(potential)[-1]), np.int64)


def random_labels(weights: Float64Array, k: int, rng: np.random.Generator) -> IntArray:
    """Each point in a cluster drawn uniformly, and at least one point with weight in each. O(n)."""
    labels = rng.integers(k, size=len(weights))
    some = rng.permutation(np.flatnonzero(weights > 0))[:k]
    labels[some] = np.arange(len(some))
    return labels


def fill_empty(labels: IntArray, cost: Float64Array, weights: Float64Array, k: int) -> None:
    """Give each empty cluster the costliest point of a cluster that can spare one, in place."""
    alive = weights > 0
    count = np.bincount(labels[alive], minlength=k)
    for empty in np.flatnonzero(count == 0):
        can_leave = alive & (count[labels] > 1)
        if not can_leave.any():
            return
        point = int(np.argmax(np.where(can_leave, cost, -np.inf)))
        count[labels[point]] -= 1
        count[empty] += 1
        labels[point] = empty
        cost[point] = -np.inf


def largest_first(labels: IntArray, weights: Float64Array, weight: Float64Array) -> IntArray:
    """The order of the clusters by falling weight, then by first member that has weight.

    Runs that find the same clusters thus give them the same numbers; rows without weight do not
    matter. ``order[i]`` is the old number of the cluster that is now called i.
    """
    first = np.full(len(weight), len(labels))
    alive = np.flatnonzero(weights > 0)
    np.minimum.at(first, labels[alive], alive)
    return np.asarray(np.lexsort((first, -weight)), np.int64)
