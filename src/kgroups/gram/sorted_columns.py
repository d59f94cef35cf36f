"""Gram matrices of metrics that add up single columns, whose sums need no pairs of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kgroups.gram.compiled import column_walks
from kgroups.gram.compiled import sorted_columns as compiled
from kgroups.gram.operator import GramOperator, Moves, RunningSums
from kgroups.runtime.threads import blocks, run
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.typing import Float64Array, FloatArray, IntArray

# Points whose exact sums one thread makes at a time.
_POINTS = 512
# Bins of a line are numbered in 16 bits; ties may double their number.
_MOST_BINS = 1 << 14
# Moves that wait until sums across bins are made anew, at least, and the square of their number
# relative to the bins of a column and the clusters.
_LEAST_PENDING, _PENDING = 32, 40.0
# What rounding may do to distances: relative to what they are differences of, and in roundings of
# the terms of missing entries, which a semimetric has rounded; both counted generously.
_ROUNDING, _ROUNDINGS = 1e-9, 8.0


class ColumnGram(GramOperator):
    r"""G = −ρ/2 for ρ = Σ_d c_d |x_d − y_d| + Σ_e c_e [x_e ≠ y_e], from sorted columns.

    Manhattan, Hamming, sums of both, and the energy semimetric on one column; and what missing
    entries add to these, a number of the one point where the entry of the other is missing. Each
    line is cut into
    about n^{2/3}/4 bins of equally many points. With the weights of each cluster by bin and by
    category, the sums of a point cost its own bins, O(D (k + n^{1/3})), and the sums of all points
    with their own cluster O(nD). Memory: about 22 bytes per number of the table, and no number per
    pair or per point and cluster.
    """

    def __init__(
        self, columns: compiled.Columns, *, n_threads: int = 1, distance_rounding: float = _ROUNDING
    ) -> None:
        self.columns = columns
        #: What rounding may do to a distance, also that of terms which were rounded before.
        self.distance_rounding = distance_rounding
        #: What missing entries add to a sum over points is at most this times their weight.
        self.of_gaps = float(np.fmax.reduce(np.abs(columns.gaps), axis=0, initial=0.0).sum())
        self.n = len(columns.x)
        self.n_threads = n_threads

    @classmethod
    def from_terms(cls, terms: Sequence[Term], n_threads: int = 1) -> ColumnGram | None:
        """The operator of a semimetric's terms; None unless each adds up single columns.

        O(Dn log n).
        """
        lines: list[tuple[float, FloatArray]] = []
        categories: list[tuple[float, FloatArray]] = []
        gaps: list[tuple[float, FloatArray]] = []
        for term in terms:
            if (scale := term.line_scale) is not None:
                lines.append((scale, term.coordinates))
            elif (scale := term.mismatch_scale) is not None:
                categories.append((scale, term.coordinates))
            elif (scale := term.gap_scale) is not None:
                gaps.append((scale, term.coordinates))
            else:
                return None
        n = len(terms[0].coordinates)
        x, factors = _side_by_side(lines, n)
        codes, code_factors = _side_by_side(categories, n)
        columns = compiled.Columns(
            x=x,
            factors=factors,
            groups=_groups(factors),
            **_lines(x, n_threads),
            codes=_categories(codes),
            code_factors=code_factors,
            code_groups=_groups(code_factors),
            gaps=_gaps(gaps, n),
        )
        rounding = max([_ROUNDING, *(_ROUNDINGS * float(np.finfo(c.dtype).eps) for _, c in gaps)])
        return cls(columns, n_threads=n_threads, distance_rounding=rounding)

    @property
    def n_columns(self) -> int:
        """Number of columns of both kinds."""
        return len(self.columns.factors) + len(self.columns.code_factors)

    def diagonal(self) -> Float64Array:
        """ρ(x, x) = 0."""
        return np.zeros(self.n)

    def rows(self, index: IntArray) -> FloatArray:
        """Some rows, computed. O(nD) each."""
        return self._similarities(np.asarray(index), 0, self.n)

    def block(self, start: int, stop: int, points: IntArray | None = None) -> Float64Array:
        """A piece of some rows, computed."""
        return self._similarities(np.arange(start, stop) if points is None else points, start, stop)

    def _similarities(self, index: IntArray, start: int, stop: int) -> Float64Array:
        out = np.empty((len(index), stop - start))
        compiled.fill_similarities(self.columns, index, start, stop, out)
        return out

    def matmul(self, right: Float64Array) -> Float64Array:
        """G @ right by walks along the lines and sums by category. O(nDm)."""
        out = np.zeros((self.n, right.shape[1]))
        right = np.ascontiguousarray(right)
        for line in range(len(self.columns.factors)):
            column_walks.add_line_product(self.columns, line, right, out)
        for codes, factor in zip(self.columns.codes.T, self.columns.code_factors, strict=True):
            sums = np.zeros((int(codes.max()) + 1, right.shape[1]))
            np.add.at(sums, codes, right)
            out -= 0.5 * factor * (right.sum(axis=0) - sums[codes])
        for gaps in self.columns.gaps.T:
            is_missing = np.isnan(gaps)
            present = np.where(is_missing, 0.0, gaps)
            out += np.outer(present, right[is_missing].sum(axis=0))
            out[is_missing] += present @ right
        return out

    def sweep_work(self, k: int) -> float:
        """One addition per column and cluster for every point."""
        return float(self.n) * k * self.n_columns

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> ColumnSums:
        """Sums by bin and by category. O(nD), and O(k) per bin."""
        return ColumnSums(self, labels, weights, k)


class ColumnSums(RunningSums):
    """Sums of the weights, and of the way to both edges, by bin and cluster; those by category.

    Memory: 64 bytes per bin and cluster, 16 per category and cluster, 32 per column with gaps and
    cluster, 2 to 10 per number of the table and 20 per point.
    """

    def __init__(self, gram: ColumnGram, labels: IntArray, weights: Float64Array, k: int) -> None:
        self.gram = gram
        self.n = gram.n
        columns = gram.columns
        lines, bins = len(columns.factors), len(columns.first)
        are_equal = bool((weights == weights[0]).all())
        n_codes = 1 + int(columns.codes.max(initial=-1))
        self.tables = compiled.Tables(
            members=np.empty((lines, self.n), np.int16 if k < 1 << 15 else np.int32),
            masses=np.empty((0 if are_equal else lines, self.n)),
            mass=float(weights[0]) if are_equal else 1.0,
            inside=np.empty((bins, 3, k)),
            outside=np.empty((bins, 3, k)),
            chords=np.empty((bins, 3 + 2 * k)),
            counts=np.empty((n_codes, 2, k)),
            gaps=np.empty((columns.gaps.shape[1], 2, 2, k)),
            totals=np.empty((2, k)),
        )
        self.is_current = False
        self.bounds: compiled.Bounds | None = None

        def fill(line: int) -> None:
            compiled.place_points(columns, labels, weights, self.tables, line)
            compiled.sum_bins(columns, self.tables, line)

        for _ in run(fill, range(lines), gram.n_threads):
            pass
        compiled.count_categories(columns, labels, weights, self.tables)
        self.bring_up_to_date()
        check_finite_distances(self.tables.chords)

    @property
    def n_clusters(self) -> int:
        """k."""
        return int(self.tables.totals.shape[1])

    def bring_up_to_date(self) -> None:
        """Sums across bins, if points have moved since the last time. O(bins · k)."""
        if not self.is_current:
            compiled.rebuild(self.gram.columns, self.tables)
            self.is_current = True

    def room_for_a_sweep(self, n_windows: int) -> tuple[compiled.Bounds, compiled.Pending]:
        """Bounds that are known, and room for moves that wait.

        There are marks for all that may move in a sweep, and for each window of it.
        """
        k, bins = self.n_clusters, len(self.gram.columns.first)
        at_once = max(_LEAST_PENDING, round((_PENDING * bins * k / self.gram.n_columns) ** 0.5))
        if self.bounds is None:
            self.bounds = compiled.Bounds(
                rounding=self.gram.distance_rounding,
                slack=4.0 * self.gram.distance_rounding * self.gram.of_gaps,
                upper=np.full(self.n, np.inf),
                lower=np.zeros(self.n),
                mark=np.zeros(self.n, np.int32),
                marks=np.empty((0, 2, k)),
                way=np.zeros(k),
                n_marks=np.zeros(1, np.int64),
            )
        used = int(self.bounds.n_marks[0])
        room = used + compiled.COST_IN_VAIN * self.n // at_once + 2 + n_windows
        if len(self.bounds.marks) < room:
            more = np.empty((room, 2, k))
            more[:used] = self.bounds.marks[:used]
            self.bounds = self.bounds._replace(marks=more)
        columns = self.gram.columns
        pending = compiled.Pending(
            points=np.empty(at_once, np.int64),
            weights=np.empty(at_once),
            sources=np.empty(at_once, np.int64),
            targets=np.empty(at_once, np.int64),
            x=np.empty((at_once, len(columns.factors)), columns.x.dtype),
            codes=np.empty((at_once, len(columns.code_factors)), np.int32),
            gaps=np.empty((at_once, columns.gaps.shape[1])),
        )
        return self.bounds, pending

    def block(self, start: int, stop: int) -> Float64Array:
        """The sums of some points, exactly, in threads."""
        self.bring_up_to_date()
        out = np.empty((stop - start, self.n_clusters))

        def fill(piece: tuple[int, int]) -> None:
            a, b = piece
            compiled.sums_of_points(self.gram.columns, self.tables, a, out[a - start : b - start])

        for _ in run(fill, blocks(start, stop, _POINTS), self.gram.n_threads):
            pass
        return np.ascontiguousarray(out.T)

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Weights from cluster to cluster, in the bins and categories of the points that moved."""
        if len(moves.points):
            compiled.carry_over(self.gram.columns, self.tables, *moves)
            self.is_current = False
            self.bounds = None

    def own(self, labels: IntArray) -> Float64Array:
        """Sums with one cluster only, in two walks along each line: O(nD) whatever k is."""
        self.bring_up_to_date()
        columns = self.gram.columns
        out = np.zeros(self.n)
        for line in range(len(columns.factors)):
            column_walks.own_sums(columns, self.tables, labels, line, out)
        column_walks.own_mismatches(columns, self.tables, labels, out)
        for gaps, (of_others, missing) in zip(
            columns.gaps.T, self.tables.gaps.sum(axis=2), strict=True
        ):
            out += np.where(np.isnan(gaps), of_others[labels], gaps * missing[labels])
        return out

    def within(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """Q_j from pairs in one bin and in two, and category by category: O(nD)."""
        self.bring_up_to_date()
        columns, tables = self.gram.columns, self.tables

        def of_line(line: int) -> Float64Array:
            """What one line adds to Q_j."""
            out = np.zeros(k)
            column_walks.line_within(columns, tables, line, out)
            return out

        total = np.zeros(k)
        for part in run(of_line, range(len(columns.factors)), self.gram.n_threads):
            total += part
        for e, factor in enumerate(columns.code_factors):
            counts = tables.counts[columns.codes[:, e].min() : columns.codes[:, e].max() + 1]
            others = (tables.totals[0] - counts[:, 0]) + (tables.totals[1] - counts[:, 1])
            total -= 0.5 * factor * (counts[:, 0] * others).sum(axis=0)
        of_gaps = 2.0 * tables.gaps.sum(axis=2).prod(axis=1)
        return np.asarray(total + of_gaps.sum(axis=0))

    def everything(self, weights: Float64Array) -> float:
        """Gap by gap between neighbors on a line, and category by category: O(nD)."""
        columns = self.gram.columns
        lines = range(len(columns.factors))
        found = run(
            lambda d: column_walks.line_total(columns, d, weights), lines, self.gram.n_threads
        )
        total = sum(found)
        for codes, factor in zip(columns.codes.T, columns.code_factors, strict=True):
            sums = np.bincount(codes, weights=weights)
            # Each category with those before it: a difference from all would cancel.
            total -= factor * float(sums[1:] @ np.cumsum(sums)[:-1])
        for gaps in columns.gaps.T:
            is_missing = np.isnan(gaps)
            present = float(weights[~is_missing] @ gaps[~is_missing])
            total += 2.0 * present * float(weights[is_missing].sum())
        return float(total)

    def largest(self, weights: Float64Array) -> Float64Array:
        """At most: every sum over a line is convex, and largest at one of its ends."""
        self.bring_up_to_date()
        columns, tables, k = self.gram.columns, self.tables, self.n_clusters
        of_point = columns.code_factors.sum() / 2 + self.gram.of_gaps
        reach = of_point * tables.totals.sum(axis=0)
        for a, b in zip(columns.first_bin[:-1], columns.first_bin[1:] - 1, strict=True):
            low, high = tables.chords[a, 3:][:k], tables.chords[b, 3:][k:]
            reach = reach + np.maximum(np.abs(low), np.abs(high))
        return np.asarray(weights.max() * reach)


def is_column_sum(terms: Sequence[Term] | None) -> bool:
    """Whether each term adds up single columns, so that :class:`ColumnGram` can hold them."""
    if not terms:
        return False
    scales = ((t.line_scale, t.mismatch_scale, t.gap_scale) for t in terms)
    return all(any(scale is not None for scale in some) for some in scales)


def _side_by_side(parts: list[tuple[float, FloatArray]], n: int) -> tuple[FloatArray, Float64Array]:
    """Columns with their factors, equal factors next to each other, so that they are added once."""
    if not parts:
        return np.empty((n, 0)), np.empty(0)
    parts = sorted(parts, key=lambda part: part[0])
    factors = np.repeat([scale for scale, _ in parts], [part.shape[1] for _, part in parts])
    tables = [part for _, part in parts]
    table = tables[0] if len(tables) == 1 else np.concatenate(tables, axis=1)
    return np.ascontiguousarray(table), np.asarray(factors, np.float64)


def _gaps(parts: list[tuple[float, FloatArray]], n: int) -> Float64Array:
    """What the missing entries of others add to sums with a point, NaN where its own is missing.

    Columns without a gap are left out.
    """
    columns = [np.empty((n, 0))]
    for scale, table in parts:
        c, is_missing = np.split(table, 2, axis=1)
        used = is_missing.any(axis=0)
        made = np.multiply(c[:, used], -0.5 * scale, dtype=np.float64)
        np.copyto(made, np.nan, where=is_missing[:, used] != 0)
        columns.append(made)
    return np.concatenate(columns, axis=1)


def _groups(factors: Float64Array) -> IntArray:
    """Where equal factors begin, and the end."""
    n = len(factors)
    return np.append(np.flatnonzero(np.diff(factors, prepend=np.nan) != 0), n)


def _lines(x: FloatArray, n_threads: int) -> dict[str, Any]:
    """The arrays of the lines by name: sorted, and cut into bins. O(n log n) each."""
    n, n_lines = x.shape
    bins = np.empty((n, n_lines), np.uint16)
    places = np.empty((n_lines, n), np.int32)
    values = np.empty((n_lines, n))

    def sort(line: int) -> IntArray:
        """Sort one column and cut it into bins; where these begin."""
        column = x[:, line].astype(np.float64)
        order = np.argsort(column)
        values[line] = column[order]
        places[line, order] = np.arange(n, dtype=np.int32)
        first = _cuts(values[line])
        sizes = np.diff(first, append=n)
        bins[:, line] = np.repeat(np.arange(len(first), dtype=np.uint16), sizes)[places[line]]
        return first

    firsts = list(run(sort, range(n_lines), n_threads))
    first_bin = np.cumsum([0, *(len(first) for first in firsts)])
    no_bins = np.empty(0, np.int64)
    first = np.concatenate([no_bins, *firsts])
    last = np.concatenate([no_bins, *(np.append(some[1:], n) for some in firsts)])
    line = np.repeat(np.arange(n_lines), np.diff(first_bin))
    return {
        "bins": bins,
        "places": places,
        "values": values,
        "first_bin": first_bin,
        "first": first,
        "last": last,
        "low": values[line, first],
        "high": values[line, last - 1],
    }


def _cuts(values: Float64Array) -> IntArray:
    """Places where bins begin: equally many points, but equal values stay together.

    A value that would fill half a bin has one of its own, in which every distance is 0. The first
    and the last bin are halved again and again, because tails are long.
    """
    n = len(values)
    n_bins = min(max(1, round(n ** (2 / 3) / 4)), _MOST_BINS)
    tails = 1 << np.arange((n // n_bins).bit_length() - 1)
    at = values[np.concatenate([np.arange(n_bins) * n // n_bins, tails, n - tails])]
    begin, end = np.searchsorted(values, at), np.searchsorted(values, at, side="right")
    is_heavy = 2 * n_bins * (end - begin) >= n
    cuts = np.unique(np.concatenate([[0], begin, end[is_heavy]]))
    return np.asarray(cuts[cuts < n], np.int64)


def _categories(table: FloatArray) -> Any:
    """Numbers of categories, counted on from column to column."""
    codes = np.empty(table.shape, np.int32)
    known = 0
    for column, into in zip(table.T, codes.T, strict=True):
        categories, numbers = np.unique(column, return_inverse=True)
        into[:] = numbers + known
        known += len(categories)
    return codes
