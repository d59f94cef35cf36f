"""A whole search on a stored matrix: from labels to a one-move optimum in one compiled call.

Moves, their order and the arithmetic are those of visits by blocks, until sums are made anew. What
is gone are the calls in between, which take most of the time as long as there are few points.

Loops over single numbers only: slices and expressions of arrays take long to compile.
"""

from typing import NamedTuple

import numpy as np

from kgroups.gram.compiled.dense import COLUMNS, apply_moves
from kgroups.runtime.jit import ZERO, jit_in_place, jit_inlined
from kgroups.solvers.compiled.hartigan import best_target, is_sound
from kgroups.solvers.compiled.state import DIGITS, LIGHTER, State, is_worn, transfer
from kgroups.typing import Float64Array, FloatArray, IntArray

#: How a search ended: no point moves; no sweep is left; only fresh sums can say whether a point
#: moves; or rounding is in doubt.
CONVERGED, MAX_ITER, WORN, DOUBTFUL = 0, 1, 2, 3
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


@jit_in_place
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


@jit_inlined
def heights(state: State) -> tuple[float, float]:
    """Q = Σ Q_j/s_j, and Σ |Q_j/s_j|."""
    value = size = 0.0
    for cluster in range(len(state.weight)):
        if state.weight[cluster] > 0.0:
            part = state.within[cluster] / state.weight[cluster]
            value += part
            size += np.fabs(part)
    return value, size


@jit_inlined
def begin(G: Stored, table: Float64Array, state: State) -> tuple[float, float]:
    """The state that belongs to fresh sums, and its heights. OUT: state."""
    add_up(G, table, state)
    state.held_back[0] = 0
    for cluster in range(len(state.weight)):
        state.peak[cluster] = state.weight[cluster]
        state.reach[cluster] = np.fabs(state.within[cluster])
    return heights(state)


@jit_inlined
def visit_block(
    G: Stored,
    table: Float64Array,
    least: float,
    state: State,
    block: Moved,
    start: int,
    stop: int,
) -> int:
    """Visit the points [start, stop) in order and move each that gains more than ``least``.

    Brings the sums of these points up to date, and leaves those of all others to
    :func:`apply_block`. Returns the number of moves.
    """
    count: int = ZERO
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
    return count


@jit_inlined
def sweep_stored(G: Stored, table: Float64Array, least: float, state: State, block: Moved) -> int:
    """Visit every point once, block by block; number of moves.

    Sums of other blocks wait until a block is done: rows of the matrix come from far, and sums
    should not.
    """
    n, moved = len(G.weights), 0
    for start in range(0, n, COLUMNS):
        stop = min(start + COLUMNS, n)
        count = visit_block(G, table, least, state, block, start, stop)
        apply_block(G, table, block, ZERO, count, ZERO, start)
        apply_block(G, table, block, ZERO, count, stop, n)
        moved += count
    return moved


@jit_inlined
def apply_block(
    G: Stored, table: Float64Array, block: Moved, first: int, last: int, start: int, stop: int
) -> None:
    """Carry out some moves of a block on the columns [start, stop)."""
    apply_moves(
        G.matrix,
        G.scale,
        G.shift,
        block.points,
        block.weights,
        block.sources,
        block.targets,
        first,
        last,
        table,
        start,
        stop,
    )


@jit_inlined
def move(
    G: Stored, table: Float64Array, point: int, target: int, w: float, g: float, state: State
) -> None:
    """Move a point, and bring the state and the sums up to date; ``g`` is w² G_ii. O(n)."""
    source, own = state.labels[point], G.shift[point]
    transfer(table, point, point, target, w, g, state)
    for c in range(len(G.weights)):
        change = w * (G.scale * G.matrix[point, c] - own - G.shift[c])
        table[source, c] -= change
        table[target, c] += change


@jit_in_place
def move_all(G: Stored, table: Float64Array, points: IntArray, target: int, state: State) -> None:
    """Move some points to one cluster. O(n) each. IN-OUT: table, state."""
    for i in range(len(points)):
        w = G.weights[points[i]]
        g = w * w * G.diagonal[points[i]]
        move(G, table, points[i], target, w, g, state)


@jit_in_place
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


@jit_in_place
def search(
    G: Stored,
    table: Float64Array,
    tol: float,
    state: State,
    history: Float64Array,
    block: Moved,
    done: int,
    since: int,
) -> tuple[int, int, int, float, int]:
    """Sweep until no point moves, or until ``history`` is full; ``done`` sweeps are behind it.

    ``table`` holds the sums of the labels, made ``since`` moves ago; of fresh ones the state is yet
    to be made. O(nk) per sweep, O(n) per move. Returns how it ended, sweeps, moves, Q of one
    cluster, and moves since the sums were made. IN-OUT: table, state, history.
    """
    if since == 0:
        begin(G, table, state)
    history[done], size = heights(state)
    least = tol * size
    n_moves = 0
    ended = CONVERGED
    while True:
        moved = sweep_stored(G, table, least, state, block)
        n_moves += moved
        since += moved
        if since > 0 and moved == 0 and drifted(G, table, since, least, state):
            return WORN, done, n_moves, 0.0, since
        done += 1
        history[done], size = heights(state)
        if moved == 0:
            break
        least = tol * size
        if done == len(history) - 1:
            ended = DOUBTFUL if drifted(G, table, since, least, state) else MAX_ITER
            break
    together = add_up(G, table, state)
    if have_lost_digits(state):
        ended = DOUBTFUL
    set_singletons(G, state)
    return ended, done, n_moves, together, since


@jit_inlined
def have_lost_digits(state: State) -> bool:
    """See :func:`kgroups.solvers.drift.has_lost_digits`; also whether a cluster is empty."""
    lost = size = 0.0
    for cluster in range(len(state.weight)):
        s = state.weight[cluster]
        if state.members[cluster] == 0 or state.peak[cluster] > LIGHTER * s:
            return True
        lost += state.reach[cluster] / s
        size += np.fabs(state.within[cluster] / s)
    return bool(state.rounding * lost > DIGITS * size)


@jit_inlined
def set_singletons(G: Stored, state: State) -> None:
    """Q_j = w_i² G_ii where a point is alone, whose sums may hold the rounding of others. O(n)."""
    for i in range(len(G.weights)):
        cluster, w = state.labels[i], G.weights[i]
        if w > 0.0 and state.members[cluster] == 1:
            state.within[cluster] = w * w * G.diagonal[i]
