"""Gram matrices that are never held: distances are made of the points whenever they are needed."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from kgroups.gram.compiled import pair_passes as compiled
from kgroups.gram.operator import GramOperator, Moves, SumTable
from kgroups.gram.sparse_points import SparsePointsGram
from kgroups.gram.tournament import rounds as rounds_of
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import at_most, blocks, crew
from kgroups.semimetrics.all_pairs import Points, in_panels
from kgroups.semimetrics.compiled.all_pairs import fill_rows
from kgroups.semimetrics.compiled.vector import LANES
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Float64Array, FloatArray, IntArray

# Rows of G held at a time in bulk products.
_ROWS = 256
# Distances below which waking a thread costs more than it saves.
_WORTH_A_THREAD = 1 << 21
# Panels in a block of the tournament, for large n; for small n there are at least so many blocks.
_BLOCK_PANELS = 64
_MIN_BLOCKS = 8


class MatrixFreeGram(GramOperator):
    """G = −ρ/2 computed from the points: any n, since nothing of size n² is kept.

    The first sums take each unordered pair once, n²/2 of them; a move takes n. Memory: the
    coordinates two to four times, and k × n sums twice.
    """

    def __init__(self, points: Points, *, n_threads: int = 1) -> None:
        self.points = points
        self.n = len(points)
        self.n_threads = n_threads

    @classmethod
    def from_points(
        cls, X: Any, semimetric: Semimetric, *, n_threads: int = 1
    ) -> MatrixFreeGram | SparsePointsGram | PairwiseGram:
        """The operator of points under a semimetric, compiled where the semimetric has terms."""
        terms = semimetric.resolve(X).terms(X)
        if terms is None:
            return PairwiseGram(X, semimetric, n_threads=n_threads)
        if terms[0].is_sparse:
            return SparsePointsGram.from_terms(terms, n_threads=n_threads)
        return cls(Points.of(terms), n_threads=n_threads)

    def with_threads(self, n_threads: int) -> Self:
        """The same points, shared, with another number of threads."""
        other = type(self)(self.points, n_threads=n_threads)
        other.__dict__["panels"] = self.panels
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: v for name, v in vars(self).items() if name != "panels"}

    @cached_property
    def panels(self) -> FloatArray:
        """The points in panels, in their own order."""
        return self.points.panels()

    @property
    def rounding(self) -> float:
        """That of the type of the points, in which panels are added up."""
        return float(np.finfo(self.points.table.dtype).eps)

    @property
    def factor(self) -> float:
        """G over what the rule of the points gives."""
        return -0.5 * self.points.unit

    def diagonal(self) -> Float64Array:
        """ρ(x, x) = 0."""
        return np.zeros(self.n)

    def rows(self, index: IntArray) -> FloatArray:
        """Some rows, computed; in the type of the points."""
        return self._against(np.asarray(index), self.panels, self.n)

    def block(self, start: int, stop: int, points: IntArray | None = None) -> Float64Array:
        """A piece of some rows, computed."""
        index = np.arange(start, stop) if points is None else points
        first = start // LANES
        panels = self.panels[first : -(-stop // LANES)]
        piece = self._against(index, panels, stop - first * LANES)
        return piece[:, start - first * LANES :].astype(np.float64)

    def matmul(self, right: Float64Array) -> Float64Array:
        """G @ right, some rows at a time."""
        out = np.empty((self.n, right.shape[1]))

        def some(piece: tuple[int, int]) -> None:
            rows = self._against(np.arange(*piece), self.panels, self.n)
            out[slice(*piece)] = rows.astype(np.float64, copy=False) @ right

        with crew(self.n_threads) as work:
            work(some, blocks(0, self.n, _ROWS))
        return out

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> PairSums:
        """The table of sums by one pass over the unordered pairs."""
        return PairSums(self, self._table(labels, weights, k))

    def _table(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        data, order, place = _sorted_by_cluster(self.points.table, labels, weights, k)
        sums = np.zeros((k + 1, len(data.x)))  # and a row of scratch
        edges = _edges(len(data.panels))
        points = self.points
        how = (data, points.rule, points.rows_at_once, points.chunk())

        def play(matches: IntArray) -> None:
            for a, b in matches.tolist():
                compiled.add_blocks(*how, edges[a], edges[a + 1], edges[b], edges[b + 1], sums)

        with crew(self.n_threads) as work:
            rounds = rounds_of(len(edges) - 1)
            for number, matches in enumerate(rounds, start=1):
                size = -(-len(matches) // (2 * self.n_threads))
                work(play, [matches[a:b] for a, b in blocks(0, len(matches), size)])
                progress.tell(Progress(phase="pass", number=number, total=len(rounds)))
        table = np.empty((k, self.n))
        with np.errstate(over="ignore"):  # checked below
            for cluster, made in enumerate(sums[:k]):
                table[cluster, order] = self.factor * made[place]
        check_finite_distances(table)
        return table

    def _against(self, index: IntArray, panels: FloatArray, n: int) -> FloatArray:
        """G between some points and the points of some panels."""
        points = self.points
        out = np.empty((len(index), n), points.table.dtype)
        if len(index):
            x = points.rows(index)
            how = (points.rule, self.factor, points.rows_at_once, points.chunk())
            fill_rows(x, panels, *how, out, 0, len(x))
        return out


class PairSums(SumTable):
    """The table of sums; moved rows are computed on the way."""

    gram: MatrixFreeGram

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Update all columns, tile by tile; the caller's own are then replaced."""
        gram = self.gram
        points, n_panels = gram.points, len(gram.panels)
        movers = points.rows(moves.points)
        threads = gram.n_threads if len(movers) * gram.n > _WORTH_A_THREAD else 1
        size = n_panels if threads == 1 else max(8, -(-n_panels // (2 * threads)))
        how = (movers, gram.panels, points.rule, gram.factor, points.rows_at_once)

        def some(piece: tuple[int, int]) -> None:
            compiled.apply_moves(*how, *moves[1:], self.table, *piece)

        with crew(threads) as work:
            work(some, blocks(0, n_panels, size))
        self.table[:, start:stop] = block


class PairwiseGram(GramOperator):
    """G = −ρ/2 by rows of a semimetric's own ``pairwise``: any semimetric, any objects.

    Twice the pairs of the compiled operator, at the speed of ``pairwise``.
    """

    def __init__(self, X: Any, semimetric: Semimetric, *, n_threads: int = 1) -> None:
        self.X = X
        self.semimetric = semimetric
        self.n = len(X)
        self.n_threads = n_threads

    def diagonal(self) -> Float64Array:
        """ρ(x, x) = 0."""
        return np.zeros(self.n)

    def rows(self, index: IntArray) -> FloatArray:
        """Some rows, asked of the semimetric."""
        is_array = isinstance(self.X, np.ndarray)
        chosen = self.X[index] if is_array else [self.X[i] for i in index]
        with at_most(self.n_threads):
            rows = np.asarray(self.semimetric.pairwise(chosen, self.X))
        check_finite_distances(rows)
        return -0.5 * rows

    def matmul(self, right: Float64Array) -> Float64Array:
        """G @ right, some rows at a time."""
        out = np.empty((self.n, right.shape[1]))
        for a, b in blocks(0, self.n, _ROWS):
            out[a:b] = self.rows(np.arange(a, b)).astype(np.float64, copy=False) @ right
        return out


def _sorted_by_cluster(
    table: FloatArray, labels: IntArray, weights: Float64Array, k: int
) -> tuple[compiled.Sorted, IntArray, IntArray]:
    """Points by cluster in whole panels; ``order`` of the points and where each of them stands."""
    order = np.argsort(labels, kind="stable")
    count = np.bincount(labels, minlength=k)
    n_panels = -(-count // LANES)
    offsets = np.concatenate([[0], np.cumsum(n_panels)])
    before = np.concatenate([[0], np.cumsum(count)])[:-1]
    place = np.arange(len(labels)) - np.repeat(before - offsets[:-1] * LANES, count)
    # A place that is filled up holds the last point of its cluster, with weight zero.
    source = np.zeros(offsets[-1] * LANES, np.int64)
    source[place] = np.arange(len(labels))
    source = order[np.maximum.accumulate(source)]
    w = np.zeros(len(source), table.dtype)
    w[place] = weights[order]
    x = table[source]
    cluster = np.repeat(np.arange(k), n_panels)
    data = compiled.Sorted(x, in_panels(x), w, cluster, offsets.astype(np.int64))
    return data, order, place


def _edges(n_panels: int) -> IntArray:
    """Limits of an even number of nearly equal blocks, whatever the number of threads."""
    n_blocks = max(_MIN_BLOCKS, -(-n_panels // _BLOCK_PANELS))
    n_blocks += n_blocks % 2
    return np.linspace(0, n_panels, n_blocks + 1).astype(np.int64)
