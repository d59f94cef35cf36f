"""Compiled sums over sparse rows: products with vectors of all clusters, entry by entry."""

from typing import NamedTuple

import numpy as np

from kgroups.runtime.jit import jit_in_place, jit_inlined
from kgroups.typing import Float64Array, IntArray


class SparseRows(NamedTuple):
    """Rows in compressed form (CSR), in columns that occur."""

    indptr: IntArray  # (n + 1,)
    indices: IntArray  # (nnz,)
    data: Float64Array  # (nnz,)


@jit_inlined
def products_with(X: SparseRows, i: int, vectors: Float64Array, out: Float64Array) -> None:
    """Inner products of a row with all columns of ``vectors`` (D, k). OUT: out (k, 1)."""
    for cluster in range(len(out)):
        out[cluster, 0] = 0.0
    for place in range(X.indptr[i], X.indptr[i + 1]):
        column, x = X.indices[place], X.data[place]
        for cluster in range(len(out)):
            out[cluster, 0] += x * vectors[column, cluster]


@jit_inlined
def add_row(X: SparseRows, i: int, w: float, cluster: int, vectors: Float64Array) -> None:
    """vectors[:, cluster] += w x_i."""
    for place in range(X.indptr[i], X.indptr[i + 1]):
        vectors[X.indices[place], cluster] += w * X.data[place]


@jit_in_place
def add_rows(X: SparseRows, labels: IntArray, weights: Float64Array, vectors: Float64Array) -> None:
    """vectors[:, l] += Σ_{y ∈ C_l} w_y y. O(nnz)."""
    for i in range(len(labels)):
        if weights[i] != 0.0:
            add_row(X, i, weights[i], labels[i], vectors)


@jit_in_place
def fill_products(
    X: SparseRows, start: int, vectors: Float64Array, room: Float64Array, out: Float64Array
) -> None:
    """Products of some rows with all vectors. OUT: out (k, rows); room (k, 1)."""
    for i in range(out.shape[1]):
        products_with(X, start + i, vectors, room)
        for cluster in range(len(room)):
            out[cluster, i] = room[cluster, 0]


@jit_in_place
def fill_row(X: SparseRows, point: int, room: Float64Array, out: Float64Array) -> None:
    """Inner products of one row with all. OUT: out (n,); room (D,) holds zeros before and after.

    Entries are added in the order of columns, as in norms, so that those of equal rows are equal.
    """
    for place in range(X.indptr[point], X.indptr[point + 1]):
        room[X.indices[place]] = X.data[place]
    for i in range(len(out)):
        total = 0.0
        for place in range(X.indptr[i], X.indptr[i + 1]):
            total += X.data[place] * room[X.indices[place]]
        out[i] = total
    for place in range(X.indptr[point], X.indptr[point + 1]):
        room[X.indices[place]] = 0.0


@jit_in_place
def add_dispersions(
    X: SparseRows,
    labels: IntArray,
    weights: Float64Array,
    vectors: Float64Array,
    totals: Float64Array,
    members: IntArray,
    present: Float64Array,
    count: IntArray,
    out: Float64Array,
) -> None:
    """out[l] += Σ w ‖x − c_l‖², column by column, where c_l = vectors / totals. O(nnz + Dk).

    In a column the rows with an entry add w (x − c)², and what the others weigh times c². No sums
    of squares are subtracted; where all have an entry, nothing is left for the others. ``present``
    and ``count`` (D, k) are room that holds zeros.
    """
    for i in range(len(labels)):
        w, cluster = weights[i], labels[i]
        if w > 0.0:
            for place in range(X.indptr[i], X.indptr[i + 1]):
                column = X.indices[place]
                apart = X.data[place] - vectors[column, cluster] / totals[cluster]
                out[cluster] += w * apart * apart
                present[column, cluster] += w
                count[column, cluster] += 1
    for column in range(len(vectors)):
        for cluster in range(len(out)):
            if 0 < count[column, cluster] < members[cluster]:
                center = vectors[column, cluster] / totals[cluster]
                rest = totals[cluster] - present[column, cluster]
                out[cluster] += max(rest, 0.0) * center * center


@jit_in_place
def fill_norms(X: SparseRows, out: Float64Array) -> None:
    """Squared norms, entries in the order of columns. OUT: out (n,)."""
    for i in range(len(out)):
        total = 0.0
        for place in range(X.indptr[i], X.indptr[i + 1]):
            total += X.data[place] * X.data[place]
        out[i] = total


@jit_in_place
def weigh(X: SparseRows, right: Float64Array, out: Float64Array) -> None:
    """out += Xᵀ right, for right (n, m). OUT: out (D, m)."""
    for i in range(len(right)):
        for place in range(X.indptr[i], X.indptr[i + 1]):
            for j in range(right.shape[1]):
                out[X.indices[place], j] += X.data[place] * right[i, j]


@jit_in_place
def squared_distance(X: SparseRows, point: int, center: Float64Array) -> float:
    """Squared distance of a row to a vector, column by column. O(D)."""
    total, column = 0.0, 0
    for place in range(X.indptr[point], X.indptr[point + 1]):
        while column < X.indices[place]:
            total += center[column] * center[column]
            column += 1
        apart = X.data[place] - center[column]
        total += apart * apart
        column += 1
    while column < len(center):
        total += center[column] * center[column]
        column += 1
    return total


def empty_room(n_columns: int, k: int) -> tuple[Float64Array, IntArray]:
    """Zeros for :func:`add_dispersions`."""
    return np.zeros((n_columns, k)), np.zeros((n_columns, k), np.int64)
