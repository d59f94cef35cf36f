"""Hartigan's rule over one block of points [FRV Algorithm 2]."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.solvers.compiled.state import State, carry_out
from kgroups.typing import BoolArray, Float64Array, IntArray


@jit
def best_target(
    sums: Float64Array, column: int, source: int, w: float, g: float, state: State
) -> tuple[int, float]:
    """The cluster whose gain [FRV eq. 50] is largest for a point, and that gain.

    ``g`` is w² G_ii. The lowest index wins among equals.
    """
    step = state.growth * w
    rest = state.weight[source] - step
    if rest <= 0.0:
        return source, 0.0
    leave = (
        step * state.within[source] / state.weight[source] - 2.0 * w * sums[source, column] + g
    ) / rest
    best, best_enter = source, -np.inf
    for target in range(sums.shape[0]):
        if target == source:
            continue
        s = state.weight[target]
        mean = state.within[target] / s if s > 0.0 else 0.0
        enter = (2.0 * w * sums[target, column] + g - step * mean) / (s + step)
        if enter > best_enter:
            best, best_enter = target, enter
    return best, leave + best_enter


@jit
def visit(
    first: int,
    start: int,
    sums: Float64Array,
    piece: Float64Array,
    known: BoolArray,
    diagonal: Float64Array,
    weights: Float64Array,
    least: float,
    state: State,
    points: IntArray,
    sources: IntArray,
    targets: IntArray,
    moved: int,
) -> tuple[int, int]:
    """Visit the points of a block in order and move each that gains more than ``least``.

    IN-OUT: sums (k, b) of the block, state, and the record of moves, of which ``moved`` stand
    already. ``piece`` is the block's part of G, of which some rows are ``known``: the visit stops
    at the first point that wants to move and whose row is not, to be called again from there.
    Returns (position reached, moves recorded).
    """
    for column in range(first, sums.shape[1]):
        point = start + column
        w = weights[point]
        source = state.labels[point]
        if w == 0.0 or state.members[source] == 1:
            continue
        g = w * w * diagonal[point]
        target, gain = best_target(sums, column, source, w, g, state)
        if not gain > least:
            continue
        if not known[column]:
            return column, moved
        points[moved], sources[moved], targets[moved] = point, source, target
        carry_out(sums, piece, column, point, target, w, g, state)
        moved += 1
    return sums.shape[1], moved
