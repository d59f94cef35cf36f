"""The cosine of rows as inner products of directions, without a copy of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from kgroups.gram.held_rows import UnitRows
from kgroups.gram.low_rank import FactorSums
from kgroups.gram.squared_rows import Embedding, RowsGram
from kgroups.native import kernels
from kgroups.runtime.threads import blocks, run
from kgroups.semimetrics.angles import Cosine, scaled_lengths
from kgroups.typing import Float64Array, FloatArray, IntArray

# 1 over such a length is a normal number, and so is every entry of the row times it.
_ORDINARY = 1000
# Rows whose sums are made by one thread, and then folded in order.
_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class DirectedRows:
    """Features √½ · row / length, made some at a time, in float64, of rows in any float type."""

    held: UnitRows

    @classmethod
    def of(cls, rows: FloatArray) -> DirectedRows | None:
        """Features of rows that are not copied; None where a length over- or underflows. O(nD)."""
        lengths, powers = scaled_lengths(rows)
        if np.abs(powers).max(initial=0) > _ORDINARY:
            return None
        inverse = np.ldexp(1.0 / lengths, -powers)
        # Rows that are directions already stay as they are, to the last digit.
        inverse[np.abs(inverse - 1.0) <= 2.0**-51] = 1.0
        zero, rows = np.zeros(rows.shape[1]), np.ascontiguousarray(rows)
        return cls(UnitRows(rows, zero, float(np.sqrt(0.5)), inverse))

    @property
    def shape(self) -> tuple[int, int]:
        """(n, D)."""
        n, rank = self.held.rows.shape
        return n, rank

    def __getitem__(self, index: slice | IntArray) -> Float64Array:
        points = np.arange(self.shape[0])[index]
        out = np.empty((len(points), self.shape[1]))
        kernels.fill_features(self.held, points, out)
        return out

    def taken(self, index: IntArray) -> DirectedRows:
        """The same features of some points."""
        rows, mean, scale, inverse = self.held
        return DirectedRows(UnitRows(rows[index], mean, scale, inverse[index]))


class DirectionGram(RowsGram):
    """G = ½ ⟨x/‖x‖, y/‖y‖⟩, exact, of rows in float16, float32 or float64.

    Half a squared distance between directions is 1 minus their cosine. Cost and memory are those of
    features, of which only blocks are ever made.
    """

    features: DirectedRows

    def __init__(self, features: DirectedRows, *, n_threads: int = 1) -> None:
        n, rank = features.shape
        zero = np.zeros(rank)
        self.embedding = Embedding(zero, 1.0, zero, float(np.sqrt(0.5)))
        super().__init__(features, np.full(n, 0.5), n_threads=n_threads)

    def in_memory(self) -> UnitRows:
        """The rows as they came, and their lengths."""
        return self.features.held

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> FactorSums:
        """One vector per cluster, added up by blocks of rows in threads."""
        return FactorSums(
            self, self._over_blocks(kernels.add_features, labels, weights, (k, self.rank))
        )

    def dispersions(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """W_j from differences to the centroids, so that nothing cancels. O(nD)."""
        vectors = self.running_sums(labels, weights, k).vectors
        s = np.bincount(labels, weights=weights, minlength=k)[:, None]
        centers = np.divide(vectors, s, out=np.zeros_like(vectors), where=s > 0)
        return self._over_blocks(partial(_dispersions, centers), labels, weights, (k,))

    def _over_blocks(
        self,
        add: Callable[..., None],
        labels: IntArray,
        weights: Float64Array,
        shape: tuple[int, ...],
    ) -> Float64Array:
        """Sums over canonical blocks of rows, folded in order: the same for any threads."""

        def of_block(piece: tuple[int, int]) -> Float64Array:
            """The sums of one block."""
            part = np.zeros(shape)
            add(self.features.held, labels, weights, *piece, part)
            return part

        total = np.zeros(shape)
        for part in run(of_block, blocks(0, self.n, _BLOCK), self.n_threads):
            total += part
        return total

    def taken(self, index: IntArray) -> DirectionGram:
        """The same similarity of some points."""
        return DirectionGram(self.features.taken(index), n_threads=self.n_threads)


def _dispersions(
    centers: Float64Array,
    held: UnitRows,
    labels: IntArray,
    weights: Float64Array,
    start: int,
    stop: int,
    out: Float64Array,
) -> None:
    kernels.add_dispersions(held, labels, weights, start, stop, centers, out)


def direction_gram(rows: FloatArray, semimetric: object, n_threads: int) -> DirectionGram | None:
    """The operator of rows under the cosine; None for another metric or where lengths overflow."""
    if type(semimetric) is not Cosine:
        return None
    features = DirectedRows.of(rows)
    return None if features is None else DirectionGram(features, n_threads=n_threads)
