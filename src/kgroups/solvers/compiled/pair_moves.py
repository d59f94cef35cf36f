"""Gains of moves of two points at once, over one piece of G."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.solvers.compiled.hartigan import best_target
from kgroups.solvers.compiled.state import State
from kgroups.typing import Float64Array


@jit
def joint_move(
    left: Float64Array,
    right: Float64Array,
    row: int,
    column: int,
    source: int,
    w_a: float,
    w_b: float,
    own: float,
    pooled: Float64Array,
    state: State,
) -> tuple[int, float]:
    """The best target of two points of one cluster together, and the gain.

    They move as one point that has their weight, the mean of their sums and ``own``, which is
    w_a² G_aa + w_b² G_bb + 2 w_a w_b G_ab. ``pooled`` is room for k numbers.
    """
    w = w_a + w_b
    for cluster in range(left.shape[0]):
        pooled[cluster, 0] = (w_a * left[cluster, row] + w_b * right[cluster, column]) / w
    return best_target(pooled, 0, source, w, own, state)


@jit
def change_of_one(cluster: int, inside: float, step: float, state: State) -> float:
    """Change of Q_j/s_j when Q_j grows by ``inside`` and s_j by ``step``; −inf if s_j vanishes."""
    s = float(state.weight[cluster])
    if s <= 0.0 or s + step <= 0.0:
        return -np.inf
    return (inside - step * float(state.within[cluster]) / s) / (s + step)


@jit
def exchange_gain(
    left: Float64Array,
    right: Float64Array,
    row: int,
    column: int,
    a: int,
    b: int,
    w_a: float,
    w_b: float,
    own: float,
    state: State,
) -> float:
    """Change of Q when a point of cluster ``a`` and one of cluster ``b`` change places.

    ``own`` is w_a² G_aa + w_b² G_bb − 2 w_a w_b G_ab, by which both Q_j grow besides their sums.
    """
    step = state.growth * (w_b - w_a)
    into_a = 2.0 * (w_b * right[a, column] - w_a * left[a, row]) + own
    into_b = 2.0 * (w_a * left[b, row] - w_b * right[b, column]) + own
    return change_of_one(a, into_a, step, state) + change_of_one(b, into_b, -step, state)


@jit
def next_pair(
    first: int,
    start: int,
    left: Float64Array,
    other_start: int,
    right: Float64Array,
    piece: Float64Array,
    diagonal: Float64Array,
    weights: Float64Array,
    least: float,
    state: State,
) -> tuple[int, int, int]:
    """The first point, from row ``first``, that gains with a partner behind it, and the best one.

    ``piece`` is G of the points from ``start`` on with those from ``other_start`` on, ``left`` and
    ``right`` are their sums. Returns (row, column, target): the row's point moves to ``target``,
    and its partner with it if they share a cluster, or to the row's cluster if the partner is in
    ``target``. The row is the number of rows if no pair gains more than ``least``. O(k) a pair of
    one cluster, O(1) a pair of two.
    """
    pooled = np.empty((left.shape[0], 1))
    for row in range(first, left.shape[1]):
        point = start + row
        w_a, a = weights[point], state.labels[point]
        if w_a == 0.0:
            continue
        g_a = w_a * w_a * diagonal[point]
        most, best_column, goal = least, -1, a
        for column in range(max(0, point + 1 - other_start), right.shape[1]):
            partner = other_start + column
            w_b, b = weights[partner], state.labels[partner]
            # A cluster keeps its last point; an exchange empties none.
            if w_b == 0.0 or (a == b and state.members[a] <= 2):
                continue
            g = g_a + w_b * w_b * diagonal[partner]
            cross = 2.0 * w_a * w_b * piece[row, column]
            if a == b:
                target, gain = joint_move(
                    left, right, row, column, a, w_a, w_b, g + cross, pooled, state
                )
            else:
                target = b
                gain = exchange_gain(left, right, row, column, a, b, w_a, w_b, g - cross, state)
            if gain > most:
                most, best_column, goal = gain, column, target
        if best_column >= 0:
            return row, best_column, goal
    return left.shape[1], 0, 0
