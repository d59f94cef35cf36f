"""Gram matrices of metrics that add up single columns, whose sums need no pairs of points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgroups.gram.columns import Bounds, Columns, Pending, Tables, make_columns, room_for_moves
from kgroups.gram.operator import GramOperator, Moves, RunningSums
from kgroups.native import kernels
from kgroups.runtime.threads import blocks, run
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.typing import Float64Array, FloatArray, IntArray

# Points whose exact sums one thread makes at a time.
_POINTS = 512
# Moves that wait until sums across bins are made anew, at least, and the square of their number
# relative to the bins of a column and the clusters.
_LEAST_PENDING, _PENDING = 32, 40.0
#: Moves that a visit in vain counts for when moves have waited long enough to be carried over:
#: where a small cluster has moved, bounds decide again only then.
COST_IN_VAIN = 8
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
    with their own cluster O(nD). Memory: about 26 bytes per number of the table, and no number per
    pair or per point and cluster.
    """

    def __init__(
        self, columns: Columns, *, n_threads: int = 1, distance_rounding: float = _ROUNDING
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
        columns = make_columns(lines, categories, gaps, len(terms[0].coordinates), n_threads)
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
        kernels.fill_similarities(self.columns, index, start, out)
        return out

    def matmul(self, right: Float64Array) -> Float64Array:
        """G @ right by walks along the lines and sums by category. O(nDm)."""
        out = np.zeros((self.n, right.shape[1]))
        right = np.ascontiguousarray(right)
        for line in range(len(self.columns.factors)):
            kernels.add_line_product(self.columns, line, right, out)
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
    cluster, 4 to 12 per number of the table and 20 per point.
    """

    def __init__(self, gram: ColumnGram, labels: IntArray, weights: Float64Array, k: int) -> None:
        self.gram = gram
        self.n = gram.n
        columns = gram.columns
        lines, bins = len(columns.factors), len(columns.first)
        are_equal = bool((weights == weights[0]).all())
        n_codes = 1 + int(columns.codes.max(initial=-1))
        self.tables = Tables(
            members=np.empty((lines, self.n), np.int32),
            masses=np.empty((0 if are_equal else lines, self.n)),
            mass=float(weights[0]) if are_equal else 1.0,
            inside=np.empty((bins, 3, k)),
            outside=np.empty((bins, 3, k)),
            chords=np.empty((bins, 3 + 2 * k)),
            counts=np.empty((n_codes, 2, k)),
            gaps=np.empty((2 * columns.gaps.shape[1], 2, k)),
            totals=np.empty((2, k)),
        )
        self.is_current = False
        self.bounds: Bounds | None = None

        def fill(line: int) -> None:
            kernels.fill_bins(columns, labels, weights, self.tables, line)

        for _ in run(fill, range(lines), gram.n_threads):
            pass
        kernels.count_categories(columns, labels, weights, self.tables)
        self.bring_up_to_date()
        check_finite_distances(self.tables.chords)

    @property
    def n_clusters(self) -> int:
        """k."""
        return int(self.tables.totals.shape[1])

    def bring_up_to_date(self) -> None:
        """Sums across bins, if points have moved since the last time. O(bins · k)."""
        if not self.is_current:
            kernels.sum_across_bins(self.gram.columns, self.tables)
            self.is_current = True

    def room_for_a_sweep(self, n_windows: int) -> tuple[Bounds, Pending]:
        """Bounds that are known, and room for moves that wait.

        There are marks for all that may move in a sweep, and for each window of it.
        """
        k, bins = self.n_clusters, len(self.gram.columns.first)
        at_once = max(_LEAST_PENDING, round((_PENDING * bins * k / self.gram.n_columns) ** 0.5))
        if self.bounds is None:
            self.bounds = Bounds(
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
        room = used + COST_IN_VAIN * self.n // at_once + 2 + n_windows
        if len(self.bounds.marks) < room:
            more = np.empty((room, 2, k))
            more[:used] = self.bounds.marks[:used]
            self.bounds = self.bounds._replace(marks=more)
        return self.bounds, room_for_moves(self.gram.columns, at_once)

    def block(self, start: int, stop: int) -> Float64Array:
        """The sums of some points, exactly, in threads."""
        self.bring_up_to_date()
        out = np.empty((stop - start, self.n_clusters))

        def fill(piece: tuple[int, int]) -> None:
            a, b = piece
            kernels.sum_points(self.gram.columns, self.tables, a, out[a - start : b - start])

        for _ in run(fill, blocks(start, stop, _POINTS), self.gram.n_threads):
            pass
        return np.ascontiguousarray(out.T)

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Weights from cluster to cluster, in the bins and categories of the points that moved."""
        if len(moves.points):
            kernels.carry_over_moves(self.gram.columns, self.tables, *moves)
            self.is_current = False
            self.bounds = None

    def own(self, labels: IntArray) -> Float64Array:
        """Sums with one cluster only, in two walks along each line: O(nD) whatever k is."""
        self.bring_up_to_date()
        columns = self.gram.columns
        out = np.zeros(self.n)
        for line in range(len(columns.factors)):
            kernels.add_own_sums(columns, self.tables, labels, line, out)
        for codes, factor in zip(columns.codes.T, columns.code_factors, strict=True):
            count, rest = self.tables.counts[codes, :, labels].T
            total, total_rest = self.tables.totals[:, labels]
            out -= 0.5 * factor * ((total - count) + (total_rest - rest))
        for gaps, (of_others, missing) in zip(columns.gaps.T, self._of_gaps(), strict=True):
            out += np.where(np.isnan(gaps), of_others[labels], gaps * missing[labels])
        return out

    def within(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """Q_j from pairs in one bin and in two, and category by category: O(nD)."""
        self.bring_up_to_date()
        columns, tables = self.gram.columns, self.tables

        def of_line(line: int) -> Float64Array:
            """What one line adds to Q_j."""
            out = np.zeros(k)
            kernels.add_line_within(columns, tables, line, out)
            return out

        total = np.zeros(k)
        for part in run(of_line, range(len(columns.factors)), self.gram.n_threads):
            total += part
        for e, factor in enumerate(columns.code_factors):
            counts = tables.counts[columns.codes[:, e].min() : columns.codes[:, e].max() + 1]
            others = (tables.totals[0] - counts[:, 0]) + (tables.totals[1] - counts[:, 1])
            total -= 0.5 * factor * (counts[:, 0] * others).sum(axis=0)
        of_gaps = 2.0 * self._of_gaps().prod(axis=1)
        return np.asarray(total + of_gaps.sum(axis=0))

    def _of_gaps(self) -> Float64Array:
        """Σ w g and Σ w of the missing of each column with gaps, by cluster."""
        return np.asarray(self.tables.gaps.sum(axis=1).reshape(-1, 2, self.n_clusters))

    def everything(self, weights: Float64Array) -> float:
        """Gap by gap between neighbors on a line, and category by category: O(nD)."""
        columns = self.gram.columns

        def of_line(line: int) -> float:
            """Each gap times what weighs below and above it, added up in ascending order."""
            masses = np.empty(self.n)
            masses[columns.places[line]] = weights
            below, above = np.cumsum(masses[:-1]), np.cumsum(masses[:0:-1])[::-1]
            parts = np.diff(columns.values[line]) * below * above
            return float(-columns.factors[line] * np.cumsum(np.append(0.0, parts))[-1])

        total = sum(run(of_line, range(len(columns.factors)), self.gram.n_threads))
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
