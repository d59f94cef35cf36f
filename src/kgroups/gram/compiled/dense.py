"""Compiled passes over G(x, y) = scale · matrix[x, y] − shift[x] − shift[y].

Each column range is independent of the others. Inner loops run over slices, whose indices begin at
0: compilers turn these into vectors, and not those whose indices might be negative.
"""

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, FloatArray, IntArray

# Columns handled at a time: a table of k × COLUMNS float64 sums stays in the first-level cache for
# few clusters, in the second-level cache for many.
COLUMNS = 256


@jit
def sum_by_cluster(
    matrix: FloatArray,
    scale: float,
    shift: Float64Array,
    labels: IntArray,
    weights: Float64Array,
    table: Float64Array,
    start: int,
    stop: int,
) -> None:
    """table[l, c] = Σ_{y ∈ C_l} w_y G(y, c) for the columns [start, stop)."""
    for a in range(start, stop, COLUMNS):
        b = min(a + COLUMNS, stop)
        table[:, a:b] = 0.0
        across = shift[a:b]
        for y in range(matrix.shape[0]):
            w = weights[y]
            if w == 0.0:
                continue
            sums = table[labels[y], a:b]
            row = matrix[y, a:b]
            own = shift[y]
            for c in range(b - a):
                sums[c] += w * (scale * row[c] - own - across[c])


@jit
def apply_moves(
    matrix: FloatArray,
    scale: float,
    shift: Float64Array,
    points: IntArray,
    weights: Float64Array,
    sources: IntArray,
    targets: IntArray,
    table: Float64Array,
    start: int,
    stop: int,
) -> None:
    """Carry out moves on the columns [start, stop) of the table, in their order."""
    for a in range(start, stop, COLUMNS):
        b = min(a + COLUMNS, stop)
        across = shift[a:b]
        for m in range(points.shape[0]):
            w = weights[m]
            row = matrix[points[m], a:b]
            own = shift[points[m]]
            leave = table[sources[m], a:b]
            enter = table[targets[m], a:b]
            for c in range(b - a):
                change = w * (scale * row[c] - own - across[c])
                leave[c] -= change
                enter[c] += change


@jit
def take_square(matrix: FloatArray, points: IntArray, out: FloatArray) -> None:
    """out[i, j] = matrix[points[i], points[j]]."""
    for i in range(points.shape[0]):
        row, into = matrix[points[i]], out[i]
        for j in range(points.shape[0]):
            into[j] = row[points[j]]
