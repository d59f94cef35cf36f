"""The record that compiled visits read and write, and the one way a point changes cluster."""

import numpy as np

from kgroups.runtime.jit import jit_inlined
from kgroups.solvers.state import State
from kgroups.typing import Float64Array


@jit_inlined
def is_worn(cluster: int, state: State) -> bool:
    """Whether heavy points that have left took half of the digits of Q_j with them.

    What s_j, R_j and Q_j lose by rounding is a share of their size when it was largest, and Q_j
    grows as the square of the weight. The cluster then waits for new sums.
    """
    return bool(state.rounding**0.25 * state.peak[cluster] > state.weight[cluster])


@jit_inlined
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
