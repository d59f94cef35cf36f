"""Sums of distances over pairs of points, split by column."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from kgroups.native import kernels
from kgroups.runtime.threads import blocks, run
from kgroups.semimetrics.all_pairs import Term, in_units
from kgroups.typing import Float64Array, IntArray

# Rows per task; independent of the number of threads, so that the sums are too.
_ROWS = 64


class Grouped(NamedTuple):
    """Points sorted by group; group l is ``[starts[l], starts[l + 1])``."""

    order: IntArray  # (n,)
    starts: IntArray  # (k + 1,)
    weights: Float64Array  # (n,) in this order

    @classmethod
    def of(cls, codes: IntArray, weights: Float64Array, k: int) -> Self:
        """Sort points by the codes of their groups. O(n log n)."""
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(k + 1))
        return cls(order, starts, weights[order])


class ColumnSums(NamedTuple):
    """Σ w_x w_y ρ_d(x, y) over unordered pairs, for k groups and D columns, both (k, D).

    ``within`` is over the pairs inside each group, ``across`` over the pairs with one point in the
    group and one outside; a pair between two groups counts for both.
    """

    within: Float64Array
    across: Float64Array

    @classmethod
    def zeros(cls, k: int, n_columns: int) -> Self:
        """Sums that are all zero."""
        return cls(np.zeros((k, n_columns)), np.zeros((k, n_columns)))

    def add(self, other: ColumnSums, columns: IntArray) -> None:
        """Add the columns of ``other`` to these columns in place; a column may occur twice."""
        for mine, theirs in zip(self, other, strict=True):
            np.add.at(mine.T, columns, theirs.T)


def column_sums(term: Term, points: Grouped, n_threads: int) -> ColumnSums:
    """The sums of a term scale · φ(Σ_d δ_d), with each pair split in proportion to the δ_d.

    O(n²D/2) time; memory O(nD), plus O(kD) per thread.
    """
    term = in_units(term)
    columns = np.ascontiguousarray(term.coordinates[points.order].T, np.float64)
    k = len(points.starts) - 1
    total = ColumnSums.zeros(k, len(columns))

    def of_rows(rows: tuple[int, int]) -> ColumnSums:
        """The sums of a block of pairs: some rows with all columns behind them."""
        part = ColumnSums.zeros(k, len(columns))
        rule = (term.delta, term.phi, term.parameter)
        kernels.add_column_pairs(columns, points.weights, points.starts, *rule, *rows, *part)
        return part

    everywhere = np.arange(len(columns))
    for part in run(of_rows, blocks(0, len(points.order), _ROWS), n_threads):
        total.add(part, everywhere)
    return ColumnSums(term.scale * total.within, term.scale * total.across)
