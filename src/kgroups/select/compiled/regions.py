"""The compiled search for half-spaces between clusters.

Loops over single numbers only, but for sorts: expressions of arrays take long to compile.
"""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import BoolArray, Float64Array, IntArray


@jit
def mark_region(
    train: Float64Array,
    labels: IntArray,
    test: Float64Array,
    i: int,
    j: int,
    inside: BoolArray,
) -> None:
    """Which test rows are nearer to clusters i and j than to each other cluster.

    ``train`` and ``test`` are the inner products of rows with the centers of all clusters. The
    projection of a row onto the line from the middle of i and j to another center is a difference
    of three of them. O(nk) and a sort of the training rows for each other cluster. OUT: inside.
    """
    inside[:] = True
    values = np.empty(len(labels))
    for other in range(train.shape[1]):
        if other in (i, j):
            continue
        n_near, n_far = 0, 0
        for row in range(len(labels)):
            value = train[row, other] - (train[row, i] + train[row, j]) / 2.0
            if labels[row] == i or labels[row] == j:
                values[n_near] = value
                n_near += 1
            elif labels[row] == other:
                n_far += 1
                values[len(labels) - n_far] = value
        border = best_cut(values[:n_near], values[len(labels) - n_far :])
        for row in range(len(inside)):
            if not test[row, other] - (test[row, i] + test[row, j]) / 2.0 <= border:
                inside[row] = False


@jit
def best_cut(near: Float64Array, far: Float64Array) -> float:
    """The threshold with the fewest ``near`` values above it and ``far`` values not above it.

    Half way between two values, the lowest such place; the least value, or infinity, where that is
    below or above all. O(n), and a sort of the values where near and far ones overlap.
    """
    lowest, highest = np.inf, -np.inf
    for value in far:
        lowest = min(lowest, value)
    for value in near:
        highest = max(highest, value)
    if highest <= lowest:
        return float((highest + lowest) / 2.0)
    # Every near value below all far ones is on the right side, and every far one above all near.
    before, after = -np.inf, np.inf
    n_near = n_far = 0
    inner_near, inner_far = np.empty(len(near)), np.empty(len(far))
    for value in near:
        if value < lowest:
            before = max(before, value)
        else:
            inner_near[n_near] = value
            n_near += 1
    for value in far:
        if value > highest:
            after = min(after, value)
        else:
            inner_far[n_far] = value
            n_far += 1
    inner_near, inner_far = np.sort(inner_near[:n_near]), np.sort(inner_far[:n_far])
    return merged_cut(inner_near, inner_far, before, after)


@jit
def merged_cut(near: Float64Array, far: Float64Array, before: float, after: float) -> float:
    """The same for sorted values that overlap, the first of which is far.

    ``before`` is the largest near value below them, and ``after`` the least far one above them;
    infinite where there is none.
    """
    errors = least = n_near = n_far = 0
    cut, is_best = far[0], before > -np.inf
    while n_near + n_far < len(near) + len(far):
        is_near = n_far == len(far) or (n_near < len(near) and near[n_near] <= far[n_far])
        value = near[n_near] if is_near else far[n_far]
        if is_best:
            cut = (before + value) / 2.0
        if is_near:
            n_near += 1
            errors -= 1
        else:
            n_far += 1
            errors += 1
        is_best = errors < least
        if is_best:
            least, before = errors, value
    return float((before + after) / 2.0 if is_best else cut)
