"""The record that compiled visits read and write, and the one way a point changes cluster."""

from typing import NamedTuple

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


class State(NamedTuple):
    """Where every point is, and the sufficient statistics of each cluster."""

    labels: IntArray  # (n,) cluster of each point
    members: IntArray  # (k,) points with positive weight
    weight: Float64Array  # (k,) s_j
    within: Float64Array  # (k,) Q_j
    growth: float = 1.0  # share of its weight that a point adds to s_j; 0 without denominators


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
    state.within[source] -= 2.0 * w * sums[source, column] - g
    state.within[target] += 2.0 * w * sums[target, column] + g


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
