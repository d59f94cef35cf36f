"""A whole search on a stored matrix: from labels to a one-move optimum in one compiled call.

Moves, their order and the arithmetic are those of visits by blocks. What is gone are the calls in
between, which take most of the time as long as there are few points.

Loops over single numbers only: slices and expressions of arrays take long to compile.
"""

from typing import NamedTuple

import numpy as np

from kgroups.gram.compiled.dense import COLUMNS, apply_moves, sum_by_cluster
from kgroups.runtime.jit import jit
from kgroups.solvers.compiled.hartigan import best_target, is_sound
from kgroups.solvers.compiled.state import State, is_worn, transfer
from kgroups.typing import Float64Array, FloatArray, IntArray

#: How a search ended: no point moves, no sweep is left, or rounding is in doubt.
CONVERGED, MAX_ITER, DOUBTFUL = 0, 1, 2
# Times that sums are made anew before rounding is in doubt.
_RENEWALS = 8
# Roundings that one update leaves in a gain, counted generously.
_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)


class Stored(NamedTuple):
    """G_xy = scale · matrix_xy − shift_x − shift_y, and the weights of its points."""

    matrix: FloatArray  # (n, n)
    scale: float
    shift: Float64Array  # (n,)
    diagonal: Float64Array  # (n,) of G
    weights: Float64Array  # (n,)
    heaviest: float


class Moved(NamedTuple):
    """The moves of one block of points, to be carried out on all other columns."""

    points: IntArray  # (COLUMNS,)
    weights: Float64Array
    sources: IntArray
    targets: IntArray


@jit
def add_up(G: Stored, table: Float64Array, state: State) -> float:
    """Members, s_j and Q_j from the labels and their sums; Q of one cluster. OUT: state."""
    k, everything, total = len(state.weight), 0.0, 0.0
    for cluster in range(k):
        state.members[cluster] = 0
        state.weight[cluster] = 0.0
        state.within[cluster] = 0.0
    for i in range(len(G.weights)):
        w, cluster = G.weights[i], state.labels[i]
        total += w
        state.weight[cluster] += w
        state.within[cluster] += w * table[cluster, i]
        if w > 0.0:
            state.members[cluster] += 1
            for other in range(k):
                everything += w * table[other, i]
    return everything / total


@jit
def begin(G: Stored, table: Float64Array, state: State) -> None:
    """The state that belongs to fresh sums. OUT: state."""
    add_up(G, table, state)
    state.held_back[0] = 0
    for cluster in range(len(state.weight)):
        state.peak[cluster] = state.weight[cluster]
        state.reach[cluster] = np.fabs(state.within[cluster])


@jit
def sweep_stored(G: Stored, table: Float64Array, least: float, state: State, block: Moved) -> int:
    """Visit every point in order and move each that gains more than ``least``; number of moves.

    A move changes the sums of its block at once, and all others when the block is done, tile by
    tile: rows of the matrix come from far, and sums should not.
    """
    n, moved = len(G.weights), 0
    for start in range(0, n, COLUMNS):
        stop = min(start + COLUMNS, n)
        count = 0
        for point in range(start, stop):
            w, source = G.weights[point], state.labels[point]
            if w == 0.0 or state.members[source] == 1:
                continue
            g = w * w * G.diagonal[point]
            target, gain = best_target(table, point, source, w, g, state)
            if not gain > least:
                continue
            if not is_sound(table, point, target, point, w, g, gain - least, state):
                continue
            transfer(table, point, point, target, w, g, state)
            block.points[count], block.weights[count] = point, w
            block.sources[count], block.targets[count] = source, target
            apply_block(G, table, block, count, count + 1, start, stop)
            count += 1
        apply_block(G, table, block, 0, count, 0, start)
        apply_block(G, table, block, 0, count, stop, n)
        moved += count
    return moved


@jit
def apply_block(
    G: Stored, table: Float64Array, block: Moved, first: int, last: int, start: int, stop: int
) -> None:
    """Carry out some moves of a block on the columns [start, stop)."""
    apply_moves(
        G.matrix,
        G.scale,
        G.shift,
        block.points[first:last],
        block.weights[first:last],
        block.sources[first:last],
        block.targets[first:last],
        table,
        start,
        stop,
    )


@jit
def drifted(G: Stored, table: Float64Array, n_moves: int, least: float, state: State) -> bool:
    """Whether rounding in the sums may have made a gain of ``least``, or hidden one.

    See :class:`kgroups.solvers.drift.Drift`; here for the largest weight of all points, and for
    sums that were no larger than now times what a cluster has lost in weight.
    """
    if state.held_back[0] > 0:
        return True
    for cluster in range(len(state.weight)):
        s = state.weight[cluster]
        if s <= 0.0:
            continue
        if is_worn(cluster, state):
            return True
        largest = 0.0
        for i in range(len(G.weights)):
            size = np.fabs(G.weights[i] * table[cluster, i])
            largest = max(largest, size)
        rest = s - G.heaviest if state.members[cluster] > 1 else s
        if not rest > 0.0:
            return True
        error = 4.0 * largest * (state.peak[cluster] / s) / rest
        error += state.reach[cluster] * (G.heaviest / (s * rest) + 1.0 / s)
        if not n_moves * _ROUNDINGS * error <= least:
            return True
    return False


@jit
def search(
    G: Stored, table: Float64Array, tol: float, state: State, history: Float64Array, block: Moved
) -> tuple[int, int, int, float]:
    """Sweep until no point moves, or as often as ``history`` has room.

    ``table`` holds the sums of the labels. They are made anew where rounding may have made a gain
    or hidden one, O(n²) each time; O(nk) a sweep, O(n) a move. Returns how it ended, sweeps, moves,
    and Q of one cluster. IN-OUT: table, state, history.
    """
    begin(G, table, state)
    done = n_moves = since = renewals = 0
    ended = MAX_ITER
    while True:
        value = size = 0.0
        for cluster in range(len(state.weight)):
            if state.weight[cluster] > 0.0:
                part = state.within[cluster] / state.weight[cluster]
                value += part
                size += np.fabs(part)
        history[done] = value
        if ended == CONVERGED or done == len(history) - 1:
            break
        moved = sweep_stored(G, table, tol * size, state, block)
        since += moved
        if since > 0 and moved == 0 and drifted(G, table, since, tol * size, state):
            # Only fresh sums can say that there is no gain.
            renewals += 1
            if renewals > _RENEWALS:
                return DOUBTFUL, done, n_moves, 0.0
            sum_by_cluster(
                G.matrix, G.scale, G.shift, state.labels, G.weights, table, 0, len(G.weights)
            )
            begin(G, table, state)
            since = 0
            continue
        done += 1
        n_moves += moved
        if moved == 0:
            ended = CONVERGED
    if since > 0 and ended == MAX_ITER and drifted(G, table, since, tol * size, state):
        return DOUBTFUL, done, n_moves, 0.0
    return ended, done, n_moves, add_up(G, table, state)
