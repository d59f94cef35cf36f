"""Sums of distances over pairs of points, column by column: the one compiled pass."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.runtime.threads import blocks, run
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.compiled import phi as _phi
from kgroups.semimetrics.compiled import vector as _vector
from kgroups.typing import Float64Array, IntArray

# Rows of the pairs that one task takes; the same whatever the threads, so that sums are too.
_ROWS = 64
# Points that meet a row together: a few vectors long, and short enough that what each of many
# columns adds to their distances stays in the caches.
_TILE = 128


class Grouped(NamedTuple):
    """Points in the order of their groups; group l is ``[starts[l], starts[l + 1])``."""

    order: IntArray  # (n,)
    starts: IntArray  # (k + 1,)
    weights: Float64Array  # (n,) in this order

    @classmethod
    def of(cls, codes: IntArray, weights: Float64Array, k: int) -> Self:
        """Sort by group. O(n log n)."""
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(k + 1))
        return cls(order, starts, weights[order])


class ColumnSums(NamedTuple):
    """Σ w_x w_y ρ_d(x, y) over unordered pairs, for k groups and D columns, both (k, D).

    ``within`` has the pairs inside each group, ``across`` those with one point in the group and
    one outside: a pair of two groups counts for both.
    """

    within: Float64Array
    across: Float64Array

    @classmethod
    def zeros(cls, k: int, n_columns: int) -> Self:
        """Sums over no pairs."""
        return cls(np.zeros((k, n_columns)), np.zeros((k, n_columns)))

    def add(self, other: ColumnSums, columns: IntArray) -> None:
        """Add the columns of ``other`` to some of these, in place; one may be named twice."""
        for mine, theirs in zip(self, other, strict=True):
            for number, column in enumerate(columns):
                mine[:, column] += theirs[:, number]


def column_sums(term: Term, points: Grouped, n_threads: int) -> ColumnSums:
    """The sums of scale · φ(Σ_d δ_d), each pair split in proportion to δ_d.

    O(n²D/2) time; O(nD) memory, and O(kD) a thread.
    """
    columns = np.ascontiguousarray(term.coordinates[points.order].T, np.float64)
    k = len(points.starts) - 1
    total = ColumnSums.zeros(k, len(columns))

    def of_rows(rows: tuple[int, int]) -> ColumnSums:
        part = ColumnSums.zeros(k, len(columns))
        rule = (term.delta, term.phi, term.parameter)
        _add_pairs(columns, points.weights, points.starts, *rule, *rows, *part)
        return part

    everywhere = np.arange(len(columns))
    for part in run(of_rows, blocks(0, len(points.order), _ROWS), n_threads):
        total.add(part, everywhere)
    return ColumnSums(term.scale * total.within, term.scale * total.across)


@jit
def _add_pairs(
    columns: Float64Array,
    weights: Float64Array,
    starts: IntArray,
    delta: int,
    phi: int,
    parameter: float,
    first: int,
    last: int,
    within: Float64Array,
    across: Float64Array,
) -> None:
    """Add the pairs of rows [first, last) with all later points."""
    k = starts.shape[0] - 1
    n_columns = columns.shape[0]
    parts = np.empty((n_columns, _TILE))
    total = np.empty(_TILE)
    share = np.empty(_TILE)
    own = np.searchsorted(starts, first, side="right") - 1
    for i in range(first, last):
        while starts[own + 1] <= i:
            own += 1
        for group in range(own, k):
            for a in range(max(i + 1, starts[group]), starts[group + 1], _TILE):
                size = min(_TILE, starts[group + 1] - a)
                total[:size] = 0.0
                for d in range(n_columns):
                    _fill(columns[d], i, a, delta, parts[d, :size])
                    _add(parts[d, :size], total[:size])
                _apply(total[:size], phi, parameter, share[:size])
                _to_shares(share[:size], total[:size], weights[a : a + size])
                for d in range(n_columns):
                    value = weights[i] * _product(share[:size], parts[d, :size])
                    if group == own:
                        within[own, d] += value
                    else:
                        across[own, d] += value
                        across[group, d] += value


@jit
def _fill(column: Float64Array, i: int, a: int, delta: int, out: Float64Array) -> None:
    """out[j] = δ of points i and a + j in one column."""
    x = column[i]
    if delta == _vector.SQUARED:
        for j in range(out.shape[0]):
            out[j] = (x - column[a + j]) ** 2
    elif delta == _vector.ABSOLUTE:
        for j in range(out.shape[0]):
            out[j] = abs(x - column[a + j])
    elif delta == _vector.MISMATCH:
        for j in range(out.shape[0]):
            out[j] = 1.0 if x != column[a + j] else 0.0
    else:
        for j in range(out.shape[0]):
            out[j] = _phi.shannon(x, column[a + j])


@jit
def _add(part: Float64Array, total: Float64Array) -> None:
    for j in range(part.shape[0]):
        total[j] += part[j]


@jit
def _apply(total: Float64Array, phi: int, parameter: float, out: Float64Array) -> None:
    """φ of the totals; a root has an instruction of its own."""
    if phi == _phi.POWER and parameter == 0.5:
        for j in range(total.shape[0]):
            out[j] = np.sqrt(total[j])
    else:
        out[:] = total
        _phi.transform(out, phi, parameter)


@jit
def _to_shares(value: Float64Array, total: Float64Array, weights: Float64Array) -> None:
    """From φ(t) to w φ(t)/t, by which each column's δ is to be multiplied; 0 for equal points."""
    for j in range(value.shape[0]):
        value[j] = weights[j] * value[j] / total[j] if total[j] > 0.0 else 0.0


def _dot(a: Float64Array, b: Float64Array) -> float:
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


# Reassociated, or the additions would queue up; nothing is chosen by this sum.
_product = jit(_dot, fastmath=frozenset({"reassoc", "contract"}))
