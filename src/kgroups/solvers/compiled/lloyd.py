"""Lloyd's rule: the nearest centroid in feature space."""

from kgroups.runtime.jit import jit
from kgroups.solvers.compiled.state import State, carry_out
from kgroups.typing import BoolArray, Float64Array, IntArray


@jit
def nearest(sums: Float64Array, column: int, source: int, least: float, state: State) -> int:
    """argmin_l Q_l/s_l² − (2/s_l) R_l(i) [FRV eq. 44]; the present cluster wins within ``least``.

    Clusters without weight have no centroid and attract no points.
    """
    s = state.weight[source]
    best = source
    best_cost = state.within[source] / (s * s) - 2.0 / s * sums[source, column]
    best_cost -= least
    for target in range(sums.shape[0]):
        s = state.weight[target]
        if s <= 0.0 or target == source:
            continue
        cost = state.within[target] / (s * s) - 2.0 / s * sums[target, column]
        if cost < best_cost:
            best, best_cost = target, cost
    return best


@jit
def assign(
    start: int,
    sums: Float64Array,
    diagonal: Float64Array,
    weights: Float64Array,
    least: float,
    state: State,
    labels: IntArray,
    distances: Float64Array,
) -> None:
    """Nearest centroid of each point of a block, and its squared distance; the state stays."""
    for column in range(sums.shape[1]):
        point = start + column
        source = state.labels[point]
        label = source
        if weights[point] > 0.0:
            label = nearest(sums, column, source, least, state)
        s = state.weight[label]
        labels[point] = label
        distances[point] = diagonal[point]
        if s > 0.0:
            distances[point] += state.within[label] / (s * s) - 2.0 / s * sums[label, column]


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
    """Like Hartigan's visit, with Lloyd's rule: each point goes to the nearest centroid at once.

    With a ``diagonal`` of zeros in place of G_ii this is Algorithm 1 as printed [FRV], whose Q_j
    drift because lines 12 and 13 omit (𝒲G𝒲)_ii.
    """
    for column in range(first, sums.shape[1]):
        point = start + column
        w = weights[point]
        source = state.labels[point]
        if w == 0.0 or state.members[source] == 1:
            continue
        target = nearest(sums, column, source, least, state)
        if target == source:
            continue
        if not known[column]:
            return column, moved
        g = w * w * diagonal[point]
        points[moved], sources[moved], targets[moved] = point, source, target
        carry_out(sums, piece, column, point, target, w, g, state)
        moved += 1
    return sums.shape[1], moved
