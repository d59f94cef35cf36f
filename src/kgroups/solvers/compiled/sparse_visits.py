"""Hartigan's rule where the sums of a point are those of its neighbors."""

import numpy as np

from kgroups.gram.compiled.sparse import Parts, sums_of_point
from kgroups.runtime.jit import jit
from kgroups.solvers.compiled.hartigan import best_target, is_sound
from kgroups.solvers.compiled.state import transfer
from kgroups.solvers.state import State
from kgroups.typing import Float64Array


@jit
def visit_sparse(
    parts: Parts, diagonal: Float64Array, weights: Float64Array, least: float, state: State
) -> int:
    """Visit all points in order; the number of moves. IN-OUT: state, and the sums of columns."""
    moved = 0
    sums = np.empty((state.members.shape[0], 1))
    for point in range(weights.shape[0]):
        w, source = weights[point], state.labels[point]
        if w == 0.0 or state.members[source] == 1:
            continue
        g = w * w * diagonal[point]
        sums_of_point(parts, state.labels, weights, point, sums, 0)
        target, gain = best_target(sums, 0, source, w, g, state)
        if not gain > least or not is_sound(sums, 0, target, point, w, g, gain - least, state):
            continue
        transfer(sums, 0, point, target, w, g, state)
        for r in range(parts.signs.shape[0]):
            change = w * parts.columns[point, r]
            parts.by_cluster[source, r] -= change
            parts.by_cluster[target, r] += change
        moved += 1
    return moved
