"""The record that compiled visits read and write, and the one way a point changes cluster."""

from typing import NamedTuple

from kgroups._numba import jit
from kgroups._typing import Float64Array, IntArray


class State(NamedTuple):
    """Where every point is, and the sufficient statistics of each cluster."""

    labels: IntArray  # (n,) cluster of each point
    members: IntArray  # (k,) points with positive weight
    weight: Float64Array  # (k,) s_j
    within: Float64Array  # (k,) Q_j


@jit
def transfer(
    state: State, point: int, target: int, w: float, leaving: float, entering: float
) -> None:
    """Change a point's cluster; Q_source falls by ``leaving``, Q_target gains ``entering``."""
    source = state.labels[point]
    state.labels[point] = target
    state.members[source] -= 1
    state.members[target] += 1
    state.weight[source] -= w
    state.weight[target] += w
    state.within[source] -= leaving
    state.within[target] += entering
    if state.members[source] == 0:
        # What rounding leaves in an empty cluster is not weight.
        state.weight[source] = 0.0
        state.within[source] = 0.0


@jit
def update_block(
    sums: Float64Array, piece: Float64Array, position: int, w: float, source: int, target: int
) -> None:
    """Bring a block's own sums up to date after the move of the point at ``position`` in it."""
    leave = sums[source]
    enter = sums[target]
    row = piece[position]
    for c in range(row.shape[0]):
        change = w * row[c]
        leave[c] -= change
        enter[c] += change
