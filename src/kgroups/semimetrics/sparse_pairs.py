"""Distances between sparse rows, from the rows themselves: none is ever filled up with zeros.

No mean is subtracted, because rows about their mean are not sparse. Sums are in float64, also for
rows in float32; distances that cancel are computed again from the union of two rows' columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.runtime.threads import blocks, default_threads, run
from kgroups.semimetrics import codes
from kgroups.semimetrics.compiled import sparse_pairs as compiled
from kgroups.semimetrics.units import power_of_16
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from kgroups.semimetrics.all_pairs import Term

#: Rows of a tile: what is shared with each of them stays in the fastest cache.
TILE = 2048
# Fewer pairs than this take less time than waking a thread.
_PAIRS_WORTH_A_THREAD = 1 << 19
# Slots of a table for each column of a tile, at least; and at most where each column has its own.
_SLOTS, _SLOTS_OF_ALL = 2, 4
# Between these, squares of entries and sums of billions of them are normal numbers.
_LEAST, _MOST = 2.0**-400, 2.0**400
# Functions of the squared distance that are known in every unit of length.
_SCALABLE = (codes.POWER, codes.LAPLACIAN, codes.GAUSSIAN)
# Rows whose sizes are added up at a time.
_ROWS = 1 << 14


@dataclass(frozen=True, eq=False)
class SparsePoints:
    """Sparse rows as compiled loops read them; every distance is ``scale`` times what they give."""

    rows: compiled.Rows
    n_columns: int
    rule: compiled.Rule
    scale: float
    #: The unit of length of the entries, a power of 16.
    unit: float

    @classmethod
    def of(cls, terms: Sequence[Term], unit: float | None = None) -> SparsePoints:
        """The points of a semimetric's one term, in a unit or in their own. O(entries)."""
        (term,) = terms
        coordinates: csr_array = term.coordinates
        unit = unit_of(terms) if unit is None else unit
        values = coordinates.data.astype(np.float64, copy=False)
        parameter, scale = term.parameter, term.scale
        if unit != 1.0:
            values = values / unit
            parameter, scale = _in_unit(term, unit)
        phi = term.phi
        if phi == codes.SCALE:
            phi, parameter, scale = codes.POWER, 1.0, scale * parameter
        starts = coordinates.indptr.astype(np.int64)
        sizes = _sizes(starts, values, term.delta)
        rows = compiled.Rows(starts, coordinates.indices, values, sizes)
        rule = compiled.Rule(int(term.delta), int(phi), float(parameter))
        return cls(rows, int(coordinates.shape[1]), rule, float(scale), unit)

    def __len__(self) -> int:
        return len(self.rows.sizes)

    def tiles(
        self,
        order: IntArray | None = None,
        edges: IntArray | None = None,
        n_threads: int = 1,
    ) -> compiled.Tiles:
        """The rows in an order, by default their own, cut at places. O(entries · log)."""
        n = len(self)
        order = np.arange(n) if order is None else order
        if edges is None:
            edges = np.array([a for a, _ in blocks(0, n, TILE)] + [n], np.int64)
        pieces = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
        made = list(run(lambda piece: self._tile(order[slice(*piece)]), pieces, n_threads))
        entries = np.cumsum([0] + [len(tile.values) for tile in made])
        index = np.int32 if entries[-1] < np.iinfo(np.int32).max else np.int64
        return compiled.Tiles(
            order=order,
            edges=edges,
            sizes=self.rows.sizes[order],
            tables=np.cumsum([0] + [len(tile.keys) for tile in made]),
            keys=np.concatenate([tile.keys for tile in made]),
            first=_shifted([tile.first for tile in made], entries, index),
            last=_shifted([tile.last for tile in made], entries, index),
            places=np.concatenate([tile.places for tile in made]),
            values=np.concatenate([tile.values for tile in made]),
        )

    def _tile(self, members: IntArray) -> _Tile:
        """The entries of some rows by column, and a table of where each column is."""
        starts = self.rows.starts
        count = starts[members + 1] - starts[members]
        before = np.cumsum(count) - count
        entries = np.repeat(starts[members] - before, count) + np.arange(int(count.sum()))
        columns = self.rows.columns[entries]
        by_column = np.argsort(columns, kind="stable")
        columns = columns[by_column]
        limits = np.flatnonzero(np.append(True, columns[1:] != columns[:-1]))
        distinct = columns[limits] if len(columns) else columns
        limits = np.append(limits, len(columns)) if len(columns) else np.zeros(1, np.int64)
        n_slots = self.n_columns
        if n_slots > _SLOTS_OF_ALL * len(distinct):
            n_slots = 1 << max(0, (_SLOTS * len(distinct) - 1).bit_length())
        keys = np.full(n_slots, -1, columns.dtype)
        first, last = np.zeros(n_slots, np.int64), np.zeros(n_slots, np.int64)
        compiled.fill_table(distinct, limits, self.n_columns, keys, first, last)
        places = np.repeat(np.arange(len(members), dtype=np.uint16), count)[by_column]
        return _Tile(keys, first, last, places, self.rows.values[entries[by_column]])

    def to_tiles(
        self,
        index: IntArray,
        others: SparsePoints,
        tiles: compiled.Tiles,
        factor: float,
        n_threads: int,
        which: slice = slice(None),
    ) -> Float64Array:
        """Factor · ρ between some rows and those at some places of tiles of others."""
        left, right, _ = which.indices(len(others))
        out = np.empty((len(index), right - left))
        how = (self.rows, index, others.rows, tiles, self.n_columns, self.rule)
        threads = n_threads if out.size > _PAIRS_WORTH_A_THREAD else 1
        size = -(-len(index) // (4 * threads)) if threads > 1 else max(1, len(index))

        def some(piece: tuple[int, int]) -> None:
            """Some of the rows."""
            compiled.fill(*how, factor * self.scale, out, *piece, left, right)

        for _ in run(some, blocks(0, len(index), size), threads):
            pass
        return out


class _Tile(NamedTuple):
    """One of ``compiled.Tiles``."""

    keys: NDArray[np.signedinteger]
    first: IntArray
    last: IntArray
    places: NDArray[np.uint16]
    values: Float64Array


def all_pairs(terms: Sequence[Term]) -> Float64Array:
    """Matrix of ρ between all rows of a term, exactly symmetric, in float64.

    O(n² + nE + S) time for E entries in a tile of the rows and S pairs of entries of one column.
    """
    points = SparsePoints.of(terms)
    threads = default_threads()
    tiles = points.tiles(n_threads=threads)
    return points.to_tiles(np.arange(len(points)), points, tiles, 1.0, threads)


def cross_pairs(terms: Sequence[Term], others: Sequence[Term]) -> Float64Array:
    """Matrix of ρ between the rows of one term and those of another, in float64."""
    rows, points = in_one_unit(terms, others)
    threads = default_threads()
    tiles = points.tiles(n_threads=threads)
    return rows.to_tiles(np.arange(len(rows)), points, tiles, 1.0, threads)


def in_one_unit(terms: Sequence[Term], others: Sequence[Term]) -> tuple[SparsePoints, SparsePoints]:
    """The points of two terms, to be compared with each other."""
    unit = max(unit_of(terms), unit_of(others))
    return SparsePoints.of(terms, unit), SparsePoints.of(others, unit)


def unit_of(terms: Sequence[Term]) -> float:
    """A unit of length in which squares of the largest entries are normal numbers; mostly 1."""
    (term,) = terms
    values = term.coordinates.data
    if term.delta != codes.SQUARED or term.phi not in _SCALABLE or not len(values):
        return 1.0
    largest = float(max(values.max(), -values.min()))
    return 1.0 if _LEAST < largest < _MOST else power_of_16(largest)


def _in_unit(term: Term, unit: float) -> tuple[float, float]:
    """Parameter and scale of a term whose entries are divided by a unit."""
    if term.phi != codes.POWER:
        return term.parameter / unit, term.scale
    with np.errstate(over="ignore", under="ignore"):
        return term.parameter, float(term.scale * np.power(unit, 2 * term.parameter))


def _sizes(starts: IntArray, values: Float64Array, delta: int) -> Float64Array:
    """Σ_d δ(x_d, 0) of each row, added up in the order of the columns."""
    sizes = np.diff(starts).astype(np.float64)
    if delta == codes.MISMATCH:
        return sizes
    for a, b in blocks(0, len(sizes), _ROWS):
        some = values[starts[a] : starts[b]]
        apart = some * some if delta == codes.SQUARED else np.abs(some)
        row = np.repeat(np.arange(b - a), np.diff(starts[a : b + 1]))
        sizes[a:b] = np.bincount(row, weights=apart, minlength=b - a)
    return sizes


def _shifted(parts: Sequence[IntArray], by: IntArray, dtype: type) -> IntArray:
    """Limits within each tile as limits within all."""
    moved = [(part + start).astype(dtype) for part, start in zip(parts, by, strict=False)]
    return np.concatenate(moved)
