"""Hartigan's rule on sparse rows, where a cluster is the sum of its rows."""

import numpy as np

from kgroups.gram.compiled.sparse_rows import SparseRows, add_row, products_with
from kgroups.runtime.jit import jit
from kgroups.solvers.compiled.hartigan import best_target, is_sound
from kgroups.solvers.compiled.state import transfer
from kgroups.solvers.state import State
from kgroups.typing import Float64Array


@jit
def visit_sparse_rows(
    X: SparseRows,
    vectors: Float64Array,
    diagonal: Float64Array,
    weights: Float64Array,
    least: float,
    state: State,
) -> int:
    """Visit all points in order; the number of moves. IN-OUT: vectors and state."""
    moved = 0
    sums = np.empty((vectors.shape[1], 1))
    for point in range(len(weights)):
        w, source = weights[point], state.labels[point]
        if w == 0.0 or state.members[source] == 1:
            continue
        g = w * w * diagonal[point]
        products_with(X, point, vectors, sums)
        target, gain = best_target(sums, 0, source, w, g, state)
        if not gain > least or not is_sound(sums, 0, target, point, w, g, gain - least, state):
            continue
        transfer(sums, 0, point, target, w, g, state)
        add_row(X, point, -w, source, vectors)
        add_row(X, point, w, target, vectors)
        moved += 1
    return moved
