"""Hartigan's rule over one block of points [FRV Algorithm 2]."""

import numpy as np

from kgroups.runtime.jit import jit_inlined
from kgroups.solvers.compiled.state import is_worn
from kgroups.solvers.state import State
from kgroups.typing import Float64Array

# Roundings in the numerator of a gain, and in its denominator, counted generously.
_ROUNDINGS = 8.0
_EPS = float(np.finfo(np.float64).eps)
# Up to this ratio of weights hardly any digits are lost, which the least gain covers.
_UNEVEN = 64.0
# Rounding of numbers that are nearly 0.
_LEAST = float(np.finfo(np.float64).smallest_subnormal)


@jit_inlined
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


@jit_inlined
def is_sound(
    sums: Float64Array,
    column: int,
    target: int,
    point: int,
    w: float,
    g: float,
    excess: float,
    state: State,
) -> bool:
    """Whether rounding cannot have made up the ``excess`` of a gain over the least that counts.

    Where a point is nearly all the weight of its cluster, what remains without it is a difference
    of nearly equal numbers. Without denominators the least gain covers the rounding already.
    IN-OUT: the number of moves held back, in the state.
    """
    step = state.growth * w
    if step == 0.0:
        return True
    source = state.labels[point]
    s, peak = state.weight[source], state.peak[source]
    rest = s - step
    ends = state.weight[target]
    n = len(state.labels)
    error: float = _LEAST * n * n * (1.0 + 1.0 / s)
    if step <= _UNEVEN * rest and peak <= _UNEVEN * s and state.peak[target] <= _UNEVEN * ends:
        is_real = bool(excess * rest > _ROUNDINGS * error)
        state.held_back[0] += not is_real
        return is_real
    of_rest = step * state.within[source] / s
    of_point = 2.0 * w * sums[source, column]
    # What is lost of Q_j stays when the points that were most of it have left.
    size = step * state.reach[source] / s + (abs(of_point) + abs(g)) * peak / s
    error += state.rounding * size + _EPS * peak / rest * abs(of_rest - of_point + g)
    if ends > 0.0:
        error += state.rounding * state.reach[target] * step * rest / (ends * (ends + step))
    vanishes = rest <= 2.0 * _ROUNDINGS * _EPS * peak
    if vanishes or excess * rest <= _ROUNDINGS * error:
        state.held_back[0] += 1
        return False
    if is_worn(source, state) or is_worn(target, state):
        state.held_back[0] += 1
        return False
    return True
