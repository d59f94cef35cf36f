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

from kgroups.native import kernels
from kgroups.runtime.threads import blocks, default_threads, run
from kgroups.semimetrics import codes
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


class Rule(NamedTuple):
    """ρ = φ(Σ_d δ(x_d, y_d)) by the codes of δ and φ."""

    delta: int
    phi: int
    parameter: float


class Rows(NamedTuple):
    """Sparse rows, with rising columns and without zeros."""

    starts: IntArray  # (n + 1,)
    columns: IntArray  # (entries,)
    values: Float64Array  # (entries,)
    sizes: Float64Array  # (n,) Σ_d δ(x_d, 0)
    n_columns: int


class Tiles(NamedTuple):
    """Sparse rows in some order, cut into tiles, in each of which entries are sorted by column."""

    order: IntArray  # (n,) the row at each place
    edges: IntArray  # (tiles + 1,) the places of each tile
    sizes: Float64Array  # (n,) of the row at each place
    # Where the columns of each tile are: slots of a table by column, with its entries' limits.
    tables: IntArray  # (tiles + 1,)
    starts: IntArray  # (tiles + 1,) the entries of each tile
    keys: IntArray  # (slots,) the column, or −1
    first: NDArray[np.int32]  # (slots,) from the first of the tile
    last: NDArray[np.int32]  # (slots,)
    places: NDArray[np.uint16]  # (entries,) from the first of the tile
    values: Float64Array  # (entries,)


@dataclass(frozen=True, eq=False)
class SparsePoints:
    """Sparse rows as compiled loops read them; every distance is ``scale`` times what they give."""

    rows: Rows
    rule: Rule
    scale: float
    #: The unit of length of the entries, a power of 16.
    unit: float

    @classmethod
    def of(cls, terms: Sequence[Term], unit: float | None = None) -> SparsePoints:
        """The points of a semimetric's one term, in a unit or in their own. O(entries)."""
        (term,) = terms
        coordinates: csr_array = term.coordinates
        unit = unit_of(terms) if unit is None else unit
        values = np.ascontiguousarray(coordinates.data, np.float64)
        parameter, scale = term.parameter, term.scale
        if unit != 1.0:
            values = values / unit
            parameter, scale = _in_unit(term, unit)
        phi = term.phi
        if phi == codes.SCALE:
            phi, parameter, scale = codes.POWER, 1.0, scale * parameter
        starts = coordinates.indptr.astype(np.int64)
        n_columns = int(coordinates.shape[1])
        columns = np.ascontiguousarray(coordinates.indices, np.int64)
        # Once for all: loops over pairs compare lengths only.
        kernels.check_csr(starts, columns, n_columns)
        sizes = _sizes(starts, values, term.delta)
        rows = Rows(starts, columns, values, sizes, n_columns)
        rule = Rule(int(term.delta), int(phi), float(parameter))
        return cls(rows, rule, float(scale), unit)

    def __len__(self) -> int:
        return len(self.rows.sizes)

    def tiles(
        self,
        order: IntArray | None = None,
        edges: IntArray | None = None,
        n_threads: int = 1,
    ) -> Tiles:
        """The rows in an order, by default their own, cut at places. O(entries · log)."""
        n = len(self)
        order = np.arange(n) if order is None else order
        if edges is None:
            edges = np.array([a for a, _ in blocks(0, n, TILE)] + [n], np.int64)
        pieces = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
        made = list(run(lambda piece: self._tile(order[slice(*piece)]), pieces, n_threads))
        parts = (np.concatenate(part) for part in zip(*made, strict=True))
        tables = np.cumsum([0] + [len(tile.keys) for tile in made])
        entries = np.cumsum([0] + [len(tile.values) for tile in made])
        tiles = Tiles(order, edges, self.rows.sizes[order], tables, entries, *parts)
        kernels.check_tiles(self.rows, tiles)  # once, as in of()
        return tiles

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
        n_slots = self.rows.n_columns
        if n_slots > _SLOTS_OF_ALL * len(distinct):
            n_slots = 1 << max(0, (_SLOTS * len(distinct) - 1).bit_length())
        keys = np.empty(n_slots, columns.dtype)
        first, last = np.zeros(n_slots, np.int32), np.zeros(n_slots, np.int32)
        kernels.fill_table(distinct, limits, self.rows.n_columns, keys, first, last)
        places = np.repeat(np.arange(len(members), dtype=np.uint16), count)[by_column]
        return _Tile(keys, first, last, places, self.rows.values[entries[by_column]])

    def to_tiles(
        self,
        index: IntArray,
        others: SparsePoints,
        tiles: Tiles,
        factor: float,
        n_threads: int,
        which: slice = slice(None),
    ) -> Float64Array:
        """Factor · ρ between some rows and those at some places of tiles of others."""
        left, right, _ = which.indices(len(others))
        out = np.empty((len(index), right - left))
        how = (self.rows, index, others.rows, tiles, self.rule)
        threads = n_threads if out.size > _PAIRS_WORTH_A_THREAD else 1
        size = -(-len(index) // (4 * threads)) if threads > 1 else max(1, len(index))

        def some(piece: tuple[int, int]) -> None:
            """Some of the rows."""
            kernels.fill_sparse_pairs(*how, factor * self.scale, out, *piece, left, right)

        for _ in run(some, blocks(0, len(index), size), threads):
            pass
        return out


class _Tile(NamedTuple):
    """One of :class:`Tiles`."""

    keys: IntArray
    first: NDArray[np.int32]
    last: NDArray[np.int32]
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
