"""Sparse Gram matrices plus a diagonal and a few dimensions: never n × n."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from kgroups.gram.csr import Csr, contract
from kgroups.gram.operator import GramOperator, Moves, RunningSums
from kgroups.native import kernels
from kgroups.runtime.threads import blocks, run
from kgroups.typing import Float64Array, FloatArray, IntArray

# Rows that one thread multiplies at a time.
_ROWS = 1 << 14
# Multiply-adds below which waking a thread costs more than it saves.
_WORTH_A_THREAD = 1 << 22


class SparseGram(GramOperator):
    r"""G = S + diag(δ) + Σ_r c_r u_r u_rᵀ for a sparse symmetric S, with only S's entries stored.

    Modularity is S = A with one column u = d and c = −1/2m; the Bethe Hessian S = rA with δ. No
    table of sums is kept: those of a point are added up from its neighbors when its turn comes, so
    a visit costs O(degree + k), a sweep O(nnz + nk), a move O(1). Memory: S, and 8n bytes a column.
    """

    def __init__(
        self,
        matrix: csr_array,
        *,
        diagonal: Float64Array | None = None,
        columns: Float64Array | None = None,
        signs: Float64Array | None = None,
        n_threads: int = 1,
    ) -> None:
        self.matrix = matrix
        self.n = matrix.shape[0]
        self.entries = Csr.of(matrix.indptr, matrix.indices, matrix.data, self.n)
        self.extra = np.zeros(self.n) if diagonal is None else diagonal
        self.columns = np.zeros((self.n, 0)) if columns is None else columns
        self.signs = np.ones(self.columns.shape[1]) if signs is None else signs
        self.n_threads = n_threads

    def diagonal(self) -> Float64Array:
        """S_ii + δ_i + Σ c u_i²."""
        low_rank = self.columns**2 @ self.signs
        return np.asarray(self.matrix.diagonal() + self.extra + low_rank, np.float64)

    def rows(self, index: IntArray) -> FloatArray:
        """Some rows, dense: for starts that ask for a few."""
        return self._dense(index, 0, self.n)

    def block(self, start: int, stop: int, points: IntArray | None = None) -> Float64Array:
        """A piece of some rows, dense."""
        return self._dense(np.arange(start, stop) if points is None else points, start, stop)

    def _dense(self, index: IntArray, start: int, stop: int) -> Float64Array:
        out = self.matrix[index][:, start:stop].toarray()
        out += (self.columns[index] * self.signs) @ self.columns[start:stop].T
        inside = np.flatnonzero((index >= start) & (index < stop))
        out[inside, index[inside] - start] += self.extra[index[inside]]
        return np.asarray(out, np.float64)

    def matmul(self, right: Float64Array) -> Float64Array:
        """S @ right by blocks of rows in threads; the rest by vectors. O((nnz + n rank) m)."""
        right = np.ascontiguousarray(right)
        out = self.extra[:, None] * right

        def some(piece: tuple[int, int]) -> None:
            kernels.add_product(self.entries, right, piece[0], out[slice(*piece)])

        work = self.matrix.nnz * right.shape[1]
        n_threads = self.n_threads if work > _WORTH_A_THREAD else 1
        for _ in run(some, blocks(0, self.n, _ROWS), n_threads):
            pass
        if self.columns.shape[1]:
            out += (self.columns * self.signs) @ (self.columns.T @ right)
        return out

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> SparseSums:
        """The labels, and the sums of each column by cluster: O(n rank)."""
        by_cluster = np.empty((k, self.columns.shape[1]))
        for number, column in enumerate(self.columns.T):
            by_cluster[:, number] = np.bincount(labels, weights=weights * column, minlength=k)
        return SparseSums(self, labels.copy(), weights, by_cluster)

    def contracted(
        self, weights: Float64Array, groups: IntArray, n_groups: int
    ) -> tuple[SparseGram, Float64Array]:
        """Groups of points as points: Q of labels is the same on both. O(nnz).

        A group weighs what its points do, and G between two is the mean over their pairs.
        """
        total = np.bincount(groups, weights=weights, minlength=n_groups)
        share = weights * np.divide(1.0, total, out=np.zeros(n_groups), where=total > 0)[groups]
        matrix = contract(self.entries, share, groups, n_groups)
        columns = np.empty((n_groups, self.columns.shape[1]))
        for number, column in enumerate(self.columns.T):
            columns[:, number] = np.bincount(groups, weights=share * column, minlength=n_groups)
        of_points = share * share * self.extra
        extra = np.bincount(groups, weights=of_points, minlength=n_groups).astype(np.float64)
        gram = SparseGram(
            matrix, diagonal=extra, columns=columns, signs=self.signs, n_threads=self.n_threads
        )
        return gram, np.asarray(total, np.float64)

    def sweep_work(self, k: int) -> float:
        """An addition a neighbor, and a gain a cluster."""
        return float(self.matrix.nnz + self.n * k)


class SparseSums(RunningSums):
    """Sums of the columns by cluster, shape (k, rank); the rest is added up from the labels."""

    def __init__(
        self, gram: SparseGram, labels: IntArray, weights: Float64Array, by_cluster: Float64Array
    ) -> None:
        self.gram = gram
        self.labels = labels
        self.weights = weights
        self.by_cluster = by_cluster
        self.n = gram.n

    @property
    def parts(self) -> tuple[Csr, Float64Array, Float64Array, Float64Array, Float64Array]:
        """What compiled loops need of the operator, and the sums of its columns."""
        gram = self.gram
        return gram.entries, gram.extra, gram.columns, gram.signs, self.by_cluster

    def block(self, start: int, stop: int) -> Float64Array:
        """Added up from the neighbors of some points."""
        out = np.empty((len(self.by_cluster), stop - start))
        kernels.fill_sums(self.parts, self.labels, self.weights, start, out)
        return out

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """New labels, and columns from sum to sum."""
        self.labels[moves.points] = moves.targets
        some = self.gram.columns[moves.points] * moves.weights[:, None]
        np.subtract.at(self.by_cluster, moves.sources, some)
        np.add.at(self.by_cluster, moves.targets, some)

    def own(self, labels: IntArray) -> Float64Array:
        """Only neighbors of the same cluster are added up: O(nnz), whatever k is."""
        out = np.empty(self.n)
        kernels.fill_own_sums(self.parts, self.labels, self.weights, labels, out)
        return out

    def everything(self, weights: Float64Array) -> float:
        """W'Gw by one product."""
        return float(weights @ self.gram.matmul(weights[:, None])[:, 0])

    def largest(self, weights: Float64Array) -> Float64Array:
        """At most: of the sparse part the largest sum of |w_i w_y S_iy| over all neighbors."""
        neighbors = kernels.find_largest_reach(self.gram.entries, self.gram.extra, weights)
        reach = np.abs(weights[:, None] * self.gram.columns * self.gram.signs).max(
            axis=0, initial=0
        )
        return np.asarray(neighbors + np.abs(self.by_cluster) @ reach, np.float64)
