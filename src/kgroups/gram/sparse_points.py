"""Gram matrices of sparse rows, never held: distances are made of the rows whenever needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from kgroups.gram.operator import GramOperator, Moves, SumTable
from kgroups.gram.tournament import rounds
from kgroups.native import kernels
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import blocks, crew
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.sparse_pairs import TILE, SparsePoints, Tiles, in_one_unit
from kgroups.typing import Float64Array, IntArray

# Rows of G held at a time in bulk products.
_ROWS = 64
# Distances below which waking a thread costs more than it saves.
_WORTH_A_THREAD = 1 << 19
# New rows that one thread compares with a tile while it is in the caches.
_NEW_ROWS = 512
# Tiles of the tournament, for small n.
_MIN_TILES = 8


class SparsePointsGram(GramOperator):
    """G = −ρ/2 computed from sparse rows: any n, since nothing of size n² is kept.

    The first sums take each unordered pair once: n²/2 of them, and all pairs of entries that share
    a column. A move takes n. Memory: the entries three times, and k × n sums twice.
    """

    def __init__(self, points: SparsePoints, *, n_threads: int = 1) -> None:
        self.points = points
        self.n = len(points)
        self.n_threads = n_threads

    @classmethod
    def from_terms(cls, terms: Sequence[Term], *, n_threads: int = 1) -> SparsePointsGram:
        """The operator of the rows of a semimetric's one term."""
        return cls(SparsePoints.of(terms), n_threads=n_threads)

    def with_threads(self, n_threads: int) -> Self:
        """The same rows, shared, with another number of threads."""
        other = type(self)(self.points, n_threads=n_threads)
        other.__dict__["tiles"] = self.tiles
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: v for name, v in vars(self).items() if name != "tiles"}

    @cached_property
    def tiles(self) -> Tiles:
        """The rows in tiles, in their own order."""
        return self.points.tiles(n_threads=self.n_threads)

    @property
    def factor(self) -> float:
        """G over what the rule of the points gives."""
        return -0.5 * self.points.scale

    def diagonal(self) -> Float64Array:
        """ρ(x, x) = 0."""
        return np.zeros(self.n)

    def rows(self, index: IntArray) -> Float64Array:
        """Some rows, computed."""
        return self._against(np.asarray(index, np.int64), slice(None))

    def block(self, start: int, stop: int, points: IntArray | None = None) -> Float64Array:
        """A piece of some rows, computed."""
        index = np.arange(start, stop) if points is None else np.asarray(points, np.int64)
        return self._against(index, slice(start, stop))

    def matmul(self, right: Float64Array) -> Float64Array:
        """G @ right, some rows at a time."""
        out = np.empty((self.n, right.shape[1]))

        def some(piece: tuple[int, int]) -> None:
            """The products of some rows of G."""
            out[slice(*piece)] = self._against(np.arange(*piece), slice(None), 1) @ right

        with crew(self.n_threads) as work:
            work(some, blocks(0, self.n, _ROWS))
        return out

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> SparsePairSums:
        """The table of sums by one pass over the unordered pairs."""
        return SparsePairSums(self, self._table(labels, weights, k))

    def _table(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        order = np.argsort(labels, kind="stable")
        clusters = _limits(labels, k)
        n_tiles = max(_MIN_TILES, -(-self.n // TILE))
        edges = np.linspace(0, self.n, n_tiles + n_tiles % 2 + 1).astype(np.int64)
        points = self.points
        tiles = points.tiles(order, edges, self.n_threads)
        sums = np.zeros((k, self.n))
        how = (points.rows, tiles, points.rule, weights[order], clusters)

        def play(matches: IntArray) -> None:
            """Add the pairs of tiles that no other thread writes to."""
            for a, b in matches.tolist():
                kernels.add_sparse_tiles(*how, a, b, sums)

        with crew(self.n_threads) as work:
            games = rounds(len(edges) - 1)
            for number, matches in enumerate(games, start=1):
                size = -(-len(matches) // (2 * self.n_threads))
                work(play, [matches[a:b] for a, b in blocks(0, len(matches), size)])
                progress.tell(Progress(phase="pass", number=number, total=len(games)))
        table = np.empty((k, self.n))
        with np.errstate(over="ignore"):  # checked below
            for cluster, made in enumerate(sums):
                table[cluster, order] = self.factor * made
        check_finite_distances(table)
        return table

    def _against(self, index: IntArray, which: slice, n_threads: int | None = None) -> Float64Array:
        """G between some rows and those at some places."""
        threads = self.n_threads if n_threads is None else n_threads
        return self.points.to_tiles(index, self.points, self.tiles, -0.5, threads, which)


def sums_of_new(
    new: Sequence[Term],
    terms: Sequence[Term],
    labels: IntArray,
    weights: Float64Array,
    k: int,
    n_threads: int,
) -> Float64Array:
    """Σ_{y ∈ C_l} w_y G(x, y) for new rows x and clusters of given ones, shape (m, k)."""
    rows, points = in_one_unit(new, terms)
    order = np.argsort(labels, kind="stable")
    tiles = points.tiles(order, n_threads=n_threads)
    sums = np.zeros((len(rows), k))
    how = (rows.rows, points.rows, tiles, rows.rule, weights[order])
    clusters = _limits(labels, k)

    def some(piece: tuple[int, int]) -> None:
        """The sums of some new rows."""
        kernels.add_new_sparse_rows(*how, clusters, *piece, sums)

    with crew(n_threads) as work:
        work(some, blocks(0, len(rows), max(1, min(_NEW_ROWS, -(-len(rows) // n_threads)))))
    return np.asarray(-0.5 * rows.scale * sums)


def _limits(labels: IntArray, k: int) -> IntArray:
    """Where each cluster begins and ends among points sorted by cluster, (k + 1,)."""
    return np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=k))])


class SparsePairSums(SumTable):
    """The table of sums; moved rows are computed on the way."""

    gram: SparsePointsGram

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Update all columns, tile by tile; the caller's own are then replaced."""
        gram = self.gram
        points, tiles = gram.points, gram.tiles
        how = (points.rows, tiles, points.rule, gram.factor, *moves, self.table)
        threads = gram.n_threads if len(moves.points) * gram.n > _WORTH_A_THREAD else 1

        def some(piece: tuple[int, int]) -> None:
            """Bring the sums of some tiles up to date."""
            for t in range(*piece):
                kernels.apply_sparse_moves(*how, t)

        n_tiles = len(tiles.edges) - 1
        with crew(threads) as work:
            work(some, blocks(0, n_tiles, -(-n_tiles // (4 * threads))))
        self.table[:, start:stop] = block
