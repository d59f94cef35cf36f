"""Squared distances between sparse rows: sums of rows stand for sums of pairs, entry by entry."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.gram.csr import Csr
from kgroups.gram.operator import GramOperator, Moves, RunningSums
from kgroups.native import kernels
from kgroups.runtime.threads import blocks, run
from kgroups.typing import Float64Array, FloatArray, IntArray

# Rows whose products one thread makes at a time.
_ROWS = 1 << 12
# Share of both squared norms below which a squared distance is made by differences.
_CANCELS = 1e-6
# Columns per entry up to which a number for each of them takes less time than sorting.
_FEW_COLUMNS = 8


class SparseRowsGram(GramOperator):
    """G = scale · ⟨x, y⟩ for sparse rows, whose squared distances are ρ = scale · ‖x − y‖².

    No mean is subtracted, which would make rows dense, but from columns in which every row has an
    entry: a year or a constant there would take the digits of all distances. The sums of a cluster
    are one vector, of the columns that occur: a visit costs k multiply-adds per entry of the row, a
    move one, and the first sums O(nnz). Memory: the entries in float64, and 8 bytes per column that
    occurs and cluster.
    """

    #: What G is multiplied by to be in units of the metric: the scale is in the rows.
    unit = 1.0

    def __init__(self, matrix: csr_array, scale: float = 1.0, *, n_threads: int = 1) -> None:
        self.columns, places = _occurring(matrix)
        data = matrix.data.astype(np.float64)
        self.shift = _shared_means(places, data, matrix.shape[0], len(self.columns))
        data = np.sqrt(scale) * (data - self.shift[places])
        self._set(matrix.indptr, places, data)
        self.n_threads = n_threads

    @classmethod
    def of_columns(
        cls,
        matrix: csr_array,
        columns: IntArray,
        shift: Float64Array,
        scale: float = 1.0,
        *,
        n_threads: int = 1,
    ) -> SparseRowsGram:
        """The operator of other rows, with the columns and the shift of an operator."""
        gram = cls.__new__(cls)
        gram.columns, gram.shift, gram.n_threads = columns, shift, n_threads
        shared = np.flatnonzero(shift)
        if len(shared):
            n = matrix.shape[0]
            where = np.tile(shared, n), np.arange(n + 1) * len(shared)
            matrix = matrix - csr_array((np.tile(shift[shared], n), *where), shape=matrix.shape)
        gram._set(matrix.indptr, matrix.indices, np.sqrt(scale) * matrix.data.astype(np.float64))
        return gram

    def _set(self, indptr: NDArray[Any], indices: NDArray[Any], data: Float64Array) -> None:
        self.n, self.rank = len(indptr) - 1, len(self.columns)
        self.held = Csr.of(indptr, indices, data, self.rank)
        self._diagonal = norms_of(self.held.matrix())

    def diagonal(self) -> Float64Array:
        """Squared norms of the rows."""
        return self._diagonal

    def sweep_work(self, k: int) -> float:
        """One multiply-add per entry and cluster."""
        return float(len(self.held.data)) * k

    def rows(self, index: IntArray) -> FloatArray:
        """Inner products of some rows with all. O(nnz) each.

        Entries are added in the order of columns, as in norms, so that those of equal rows are
        equal.
        """
        out, some = np.empty((len(index), self.n)), self.held.matrix()
        for row, point in zip(out, index, strict=True):
            row[:] = some @ some[[point]].toarray()[0]
        return out

    def block(self, start: int, stop: int, points: IntArray | None = None) -> Float64Array:
        """Products of some rows with those of the block."""
        some = self.held.matrix()
        few = some[start:stop] if points is None else some[points]
        return np.asarray((few @ some[start:stop].T).toarray(), np.float64)

    def matmul(self, right: Float64Array) -> Float64Array:
        """X (Xᵀ right). O(nnz m) time, 8 bytes per column that occurs and column of ``right``."""
        some = self.held.matrix()
        return np.asarray(some @ (some.T @ np.ascontiguousarray(right)))

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> SparseRowSums:
        """One vector per cluster."""
        vectors = np.zeros((self.rank, k))
        kernels.add_rows_to_clusters(self.held, vectors, labels, weights)
        return SparseRowSums(self, vectors)

    def dispersions(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """W_j from differences to the centroids, so that nothing cancels. O(nnz + Dk).

        In a column the rows with an entry add w (x − c)², and what the others weigh times c². No
        sums of squares are subtracted; where all have an entry, nothing is left for the others.
        """
        X, size = self.held, self.rank * k
        totals = np.bincount(labels, weights=weights, minlength=k)
        totals = np.where(totals > 0, totals, 1.0)
        members = np.bincount(labels[weights > 0], minlength=k)
        means = self.running_sums(labels, weights, k).vectors / totals
        row = np.repeat(np.arange(self.n), np.diff(X.indptr))
        cluster, w = labels[row], weights[row]
        apart = X.data - means[X.indices, cluster]
        inside = _added(cluster, w * apart * apart, k)
        place = X.indices * np.int64(k) + cluster
        present = _added(place, w, size).reshape(-1, k)
        count = np.bincount(place[w > 0], minlength=size).reshape(-1, k)
        absent = np.where(count < members, np.maximum(totals - present, 0.0), 0.0)
        others = np.where(count > 0, absent * means * means, 0.0)
        return np.asarray(np.cumsum(np.vstack([inside, others]), axis=0)[-1])

    def taken(self, index: IntArray) -> SparseRowsGram:
        """The same rows, some of them, with all columns."""
        few, other = self.held.matrix()[index], copy.copy(self)
        other._set(few.indptr, few.indices, few.data)
        return other

    def means(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """Weighted means of clusters, (D, k), of the columns that occur; NaN without weight."""
        totals = np.bincount(labels, weights=weights, minlength=k)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.running_sums(labels, weights, k).vectors / totals)

    def squared_distances_to(self, means: Float64Array) -> Float64Array:
        """Squared distances of all rows to means (D, k), shape (k, n); infinite to NaN."""
        norms = np.einsum("ij,ij->j", means, means)[:, None]
        squared = norms + self._diagonal - 2.0 * self.products(means)
        near = squared <= _CANCELS * (norms + self._diagonal)
        for cluster, point in zip(*np.nonzero(near), strict=True):
            some = slice(*self.held.indptr[point : point + 2])
            apart = means[:, cluster].copy()
            apart[self.held.indices[some]] -= self.held.data[some]
            squared[cluster, point] = np.cumsum(np.append(0.0, apart * apart))[-1]
        return np.where(np.isnan(norms), np.inf, squared)

    def products(self, vectors: Float64Array) -> Float64Array:
        """Products of all rows with vectors (D, k), shape (k, n); in threads."""
        out = np.empty((vectors.shape[1], self.n))

        def some(piece: tuple[int, int]) -> None:
            """The products of some rows."""
            out[:, slice(*piece)] = self.products_of_some(vectors, *piece)

        for _ in run(some, blocks(0, self.n, _ROWS), self.n_threads):
            pass
        return out

    def products_of_some(self, vectors: Float64Array, start: int, stop: int) -> Float64Array:
        """Products of some rows with vectors (D, k), shape (k, rows)."""
        out = np.zeros((stop - start, vectors.shape[1]))
        kernels.add_product(self.held, vectors, start, out)
        return np.ascontiguousarray(out.T)


class SparseRowSums(RunningSums):
    """Σ_{y ∈ C_l} w_y y for each cluster, shape (D, k): R_l(i) is its product with x_i."""

    def __init__(self, gram: SparseRowsGram, vectors: Float64Array) -> None:
        self.gram = gram
        self.vectors = vectors
        self.n = gram.n

    @property
    def parts(self) -> tuple[Csr, Float64Array]:
        """What compiled loops need of the operator, and the sums."""
        return self.gram.held, self.vectors

    def block(self, start: int, stop: int) -> Float64Array:
        """Products with some rows."""
        return self.gram.products_of_some(self.vectors, start, stop)

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Move rows from vector to vector."""
        for point, w, source, target in zip(*moves, strict=True):
            a, b = self.gram.held.indptr[point : point + 2]
            columns, change = self.gram.held.indices[a:b], w * self.gram.held.data[a:b]
            self.vectors[columns, source] -= change
            self.vectors[columns, target] += change

    def within(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """Q_j is the squared norm of a vector."""
        return np.asarray(np.einsum("ij,ij->j", self.vectors, self.vectors))

    def everything(self, weights: Float64Array) -> float:
        """The squared norm of the sum of all vectors."""
        total = self.vectors.sum(axis=1)
        return float(total @ total)

    def largest(self, weights: Float64Array) -> Float64Array:
        """A bound by the Cauchy–Schwarz inequality."""
        reach = np.sqrt((weights**2 * self.gram.diagonal()).max())
        return np.asarray(reach * np.sqrt(np.einsum("ij,ij->j", self.vectors, self.vectors)))


def _shared_means(places: IntArray, data: Float64Array, n: int, n_columns: int) -> Float64Array:
    """The mean of each column in which every row has an entry; 0 for the others."""
    count = np.bincount(places, minlength=n_columns)
    sums = np.bincount(places, weights=data, minlength=n_columns)
    return np.where(count == n, sums / max(1, n), 0.0)


def _occurring(matrix: csr_array) -> tuple[IntArray, IntArray]:
    """The columns that occur, and the place of each entry among them."""
    if matrix.shape[1] > _FEW_COLUMNS * matrix.nnz:  # too many for one number each
        columns, places = np.unique(matrix.indices, return_inverse=True)
        return columns.astype(np.int64), places.astype(np.int64)
    occurs = np.zeros(matrix.shape[1], np.bool_)
    occurs[matrix.indices] = True
    place = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), place[matrix.indices]


def known_columns(matrix: csr_array, columns: IntArray) -> tuple[csr_array, Float64Array]:
    """Rows in the places of ``columns``, which rise, and the squared norm of all other entries."""
    if len(columns) == 0:
        return csr_array((matrix.shape[0], 0)), norms_of(matrix)
    places = np.minimum(np.searchsorted(columns, matrix.indices), len(columns) - 1)
    is_known = columns[places] == matrix.indices
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    strange = np.where(is_known, 0.0, matrix.data.astype(np.float64) ** 2)
    count = np.bincount(row[is_known], minlength=matrix.shape[0])
    parts = matrix.data[is_known], places[is_known], np.append(0, np.cumsum(count))
    known = csr_array(parts, shape=(matrix.shape[0], len(columns)))
    return known, _added(row, strange, matrix.shape[0])


def norms_of(matrix: csr_array) -> Float64Array:
    """The squared norm of each row."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares = matrix.data.astype(np.float64) ** 2
    return _added(row, squares, matrix.shape[0])


def _added(row: IntArray, values: Float64Array, n: int) -> Float64Array:
    return np.asarray(np.bincount(row, weights=values, minlength=n), np.float64)
