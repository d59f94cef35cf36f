"""The record that compiled visits read and write, and the one way a point changes cluster."""

from typing import NamedTuple

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray

#: A cluster that was so many times heavier while it changed is added up once more at the end.
LIGHTER = 64.0
#: So is everything where Q may otherwise be off by this share, sixteen roundings of float32; a
#: search in which larger gains may still be rounding has not converged.
DIGITS = 2e-6


class State(NamedTuple):
    """Where every point is, and the sufficient statistics of each cluster."""

    labels: IntArray  # (n,) cluster of each point
    members: IntArray  # (k,) points with positive weight
    weight: Float64Array  # (k,) s_j
    within: Float64Array  # (k,) Q_j
    peak: Float64Array  # (k,) largest s_j since the sums were computed
    reach: Float64Array  # (k,) largest |Q_j| since then
    held_back: IntArray  # (1,) moves since then that did not count because of rounding
    growth: float = 1.0  # share of its weight that a point adds to s_j; 0 without denominators
    rounding: float = 2.0**-52  # relative error of a sum that was just computed


@jit
def is_worn(cluster: int, state: State) -> bool:
    """Whether heavy points that have left took half of the digits of Q_j with them.

    What s_j, R_j and Q_j lose by rounding is a share of their size when it was largest, and Q_j
    grows as the square of the weight. The cluster then waits for new sums.
    """
    return bool(state.rounding**0.25 * state.peak[cluster] > state.weight[cluster])


@jit
def transfer(
    sums: Float64Array, column: int, point: int, target: int, w: float, g: float, state: State
) -> None:
    """Move a point and bring the state up to date; ``g`` is w² G_ii [FRV eqs. 48 and 49]."""
    source = state.labels[point]
    state.labels[point] = target
    state.members[source] -= 1
    state.members[target] += 1
    state.weight[source] -= state.growth * w
    state.weight[target] += state.growth * w
    state.peak[target] = max(state.peak[target], state.weight[target])
    state.within[source] -= 2.0 * w * sums[source, column] - g
    state.within[target] += 2.0 * w * sums[target, column] + g
    reach = np.fabs(state.within[target])
    state.reach[target] = max(state.reach[target], reach)


@jit
def carry_out(
    sums: Float64Array,
    piece: Float64Array,
    column: int,
    point: int,
    target: int,
    w: float,
    g: float,
    state: State,
) -> None:
    """Move a point, and bring the state and the sums of its block up to date."""
    source = state.labels[point]
    transfer(sums, column, point, target, w, g, state)
    leave = sums[source]
    enter = sums[target]
    row = piece[column]
    for c in range(row.shape[0]):
        change = w * row[c]
        leave[c] -= change
        enter[c] += change
