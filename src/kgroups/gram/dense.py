"""A Gram matrix held as an array: from distances, from a kernel, or as given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from kgroups.gram.operator import GramOperator, Moves, SumTable
from kgroups.native import kernels
from kgroups.runtime.memory import require
from kgroups.runtime.threads import blocks, crew, run
from kgroups.semimetrics.canonical_rows import is_sparse
from kgroups.semimetrics.finite import check_computed_distances
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Float64Array, FloatArray, IntArray

#: Largest number of points for which the matrix of all pairs is held and every start runs on it.
DENSE_UP_TO = 2_000
# Columns that kernels handle at a time.
_COLUMNS = 256
# Multiply-adds below which waking a thread costs more than it saves.
_WORTH_A_THREAD = 1 << 23


class DenseGram(GramOperator):
    """G_xy = scale · matrix_xy − shift_x − shift_y for a symmetric n × n array, never copied.

    Memory n² numbers, in float32 or float64 as given; sums are float64 either way. Building the
    first sums costs n² multiply-adds, an accepted move 2n.
    """

    def __init__(
        self,
        matrix: FloatArray,
        *,
        scale: float = 1.0,
        shift: Float64Array | None = None,
        n_threads: int = 1,
    ) -> None:
        kind = np.float32 if matrix.dtype == np.float32 else np.float64
        self.matrix: FloatArray = np.ascontiguousarray(matrix, kind)
        self.scale = scale
        self.n = matrix.shape[0]
        self.shift = np.zeros(self.n) if shift is None else shift
        self.n_threads = n_threads

    @classmethod
    def from_distances(cls, distances: FloatArray, *, n_threads: int = 1) -> DenseGram:
        """G = −ρ/2, the kernel that generates ρ up to the choice of the origin."""
        return cls(distances, scale=-0.5, n_threads=n_threads)

    @classmethod
    def from_points(cls, X: Any, semimetric: Semimetric, *, n_threads: int = 1) -> DenseGram:
        """G = −ρ/2 for all pairs of points; raises MemoryError before allocating."""
        n = X.shape[0] if is_sparse(X) else len(X)
        require(
            n * n * semimetric.matrix_type(X).itemsize,
            what=f"The dense matrix of {n} x {n} distances",
            instead="MatrixFreeGram needs none.",
        )
        distances = semimetric.matrix(X)
        if distances.shape != (n, n):
            raise ValueError(
                f"{semimetric!r}.pairwise returned shape {distances.shape} for {n} points; "
                f"it must be ({n}, {n})."
            )
        check_computed_distances(distances, semimetric)
        return cls.from_distances(distances, n_threads=n_threads)

    def about_mean(self, weights: Float64Array) -> Self:
        """The same similarity with its origin at the weighted mean: rows sum to zero by weight.

        A kernel far from its origin holds its information in the last digits of large numbers;
        the gains, and the tolerance they are judged by, should not.
        """
        share = weights / weights.sum()
        mean = self.matmul(share[:, None])[:, 0]
        shift = self.shift + mean - float(share @ mean) / 2
        return type(self)(self.matrix, scale=self.scale, shift=shift, n_threads=self.n_threads)

    def part(self, points: IntArray) -> Self:
        """The similarity of some points with each other."""
        matrix = np.empty((len(points), len(points)), self.matrix.dtype)
        kernels.take_square(self.matrix, np.asarray(points, np.int64), matrix)
        shift = self.shift[points]
        return type(self)(matrix, scale=self.scale, shift=shift, n_threads=self.n_threads)

    def diagonal(self) -> Float64Array:
        """G_ii."""
        return self.scale * np.diagonal(self.matrix).astype(np.float64) - 2 * self.shift

    def rows(self, index: IntArray) -> FloatArray:
        """Some rows, as a new array."""
        rows = self.scale * np.asarray(self.matrix[index], np.float64)
        return rows - self.shift[index][:, None] - self.shift

    def matmul(self, right: Float64Array) -> Float64Array:
        """G @ right, in float64; rows in float32 are lifted a few at a time."""
        out = np.empty((self.n, right.shape[1]))

        def some(piece: tuple[int, int]) -> None:
            rows = self.matrix[slice(*piece)].astype(np.float64, copy=False)
            out[slice(*piece)] = self.scale * (rows @ right)

        work = self.n * self.n * right.shape[1]
        with crew(self.n_threads if work > _WORTH_A_THREAD else 1) as everybody:
            everybody(some, blocks(0, self.n, 256))
        return out - np.outer(self.shift, right.sum(axis=0)) - self.shift @ right

    def block(self, start: int, stop: int, points: IntArray | None = None) -> Float64Array:
        """A piece of some rows, as a new array."""
        index = slice(start, stop) if points is None else points
        piece = np.multiply(self.matrix[index, start:stop], self.scale, dtype=np.float64)
        if self.shift.any():
            piece -= self.shift[index][:, None]
            piece -= self.shift[start:stop]
        return piece

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> DenseSums:
        """The table of sums by one pass over the matrix, in float64."""
        return DenseSums(self, self.tables_of_sums([labels], weights, k)[0])

    def tables_of_sums(
        self, starts: Sequence[IntArray], weights: Float64Array, k: int
    ) -> Float64Array:
        """The sums of several labelings, (starts, k, n); each to the bit what it is alone."""
        tables = np.empty((len(starts), k, self.n))
        labels = np.array(starts)
        self.over_columns(
            lambda a, b: kernels.sum_stored(
                self.matrix, self.scale, self.shift, labels, weights, tables, a, b
            ),
            [(0, self.n)],
            work=self.n * self.n * len(starts),
        )
        return tables

    def over_columns(self, kernel: Any, ranges: list[tuple[int, int]], *, work: int) -> None:
        """Run a kernel over column ranges, in threads when there is enough work for them."""
        n_threads = self.n_threads if work >= _WORTH_A_THREAD else 1
        if n_threads > 1:
            size = max(256, min(_COLUMNS, self.n // (2 * n_threads)))
            ranges = [piece for start, stop in ranges for piece in blocks(start, stop, size)]
        for _ in run(lambda piece: kernel(*piece), ranges, n_threads):
            pass


class DenseSums(SumTable):
    """The table of sums with compiled updates."""

    gram: DenseGram

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Update all columns but [start, stop), tile by tile."""
        gram = self.gram
        gram.over_columns(
            lambda a, b: kernels.move_stored(
                gram.matrix, gram.scale, gram.shift, moves, self.table, a, b
            ),
            [(0, start), (stop, self.n)],
            work=len(moves.points) * self.n,
        )
        self.table[:, start:stop] = block
