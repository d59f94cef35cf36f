"""Compiled passes over G(x, y) = scale · matrix[x, y] − shift[x] − shift[y].

Each column range is independent of the others. Inner loops run over slices, whose indices begin at
0: compilers turn these into vectors, and not those whose indices might be negative.
"""

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, FloatArray, IntArray

# Columns handled at a time: a table of k × COLUMNS float64 sums stays in the first-level cache for
# few clusters, in the second-level cache for many.
COLUMNS = 256
# Rows of that many columns that stay in the second-level cache while labelings take turns.
ROWS = 64


@jit
def sum_by_cluster(
    matrix: FloatArray,
    scale: float,
    shift: Float64Array,
    labels: IntArray,
    weights: Float64Array,
    tables: Float64Array,
    start: int,
    stop: int,
) -> None:
    """tables[m, l, c] = Σ_{y ∈ C_l} w_y G(y, c) of labels[m] for the columns [start, stop).

    The matrix is read once for all labelings (m, n), and sums are added up as for each alone.
    """
    n = matrix.shape[0]
    for a in range(start, stop, COLUMNS):
        b = min(a + COLUMNS, stop)
        tables[:, :, a:b] = 0.0
        for first in range(0, n, ROWS):
            last = min(first + ROWS, n)
            for some in range(labels.shape[0]):
                add_rows(
                    matrix, scale, shift, labels[some], weights, tables[some], first, last, a, b
                )


@jit
def add_rows(
    matrix: FloatArray,
    scale: float,
    shift: Float64Array,
    labels: IntArray,
    weights: Float64Array,
    table: Float64Array,
    first: int,
    last: int,
    a: int,
    b: int,
) -> None:
    """Add w_y G(y, c) to the sums of the cluster of y, for y in [first, last) and c in [a, b)."""
    across = shift[a:b]
    for y in range(first, last):
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
