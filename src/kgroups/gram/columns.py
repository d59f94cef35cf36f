"""What sorted columns and sums over their bins consist of, and how a table becomes them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kgroups.native import LANES
from kgroups.runtime.threads import run
from kgroups.typing import Float64Array, FloatArray, IntArray

# Bins of a line are numbered in 16 bits; ties may double their number.
_MOST_BINS = 1 << 14

#: Coordinates, and the factor of what they add to a distance.
Parts = Sequence[tuple[float, FloatArray]]


class Columns(NamedTuple):
    """What does not change: columns on a line, cut into bins, columns of categories, and gaps.

    The bins of a line are ranges of its points in ascending order; equal values share a bin. Lines,
    and columns of categories, with equal factors stand together, so that sums over them are
    multiplied once. Gaps are what missing entries add: g of the one point where the entry of the
    other is missing.
    """

    x: Float64Array  # (n, L) coordinates
    factors: Float64Array  # (L,) c of c |x − y|
    groups: IntArray  # (groups + 1,) where equal factors begin
    bins: Any  # (n, L) uint16, the bin of each point among those of the line
    places: Any  # (L, n) int32, the place of each point in ascending order
    values: Float64Array  # (L, n) ascending
    first_bin: IntArray  # (L + 1,) the bins of each line
    first: IntArray  # (bins,) the place where a bin begins
    last: IntArray  # (bins,) the place behind its end
    low: Float64Array  # (bins,) its lowest value
    high: Float64Array  # (bins,) its highest value
    codes: Any  # (n, E) int32, the category of each point, among those of all columns
    code_factors: Float64Array  # (E,) c of c [x ≠ y]
    code_groups: IntArray  # (groups + 1,) where equal factors begin
    gaps: Float64Array  # (n, columns that have gaps) g, and NaN where the entry is missing


class Tables(NamedTuple):
    """Sums by cluster that change when points do, as they were at the last rebuild."""

    members: Any  # (L, n) int32, cluster of the point at each place
    masses: Float64Array  # (L, n) its weight; (0, n) if all weights are equal
    mass: float  # what they are then, else 1
    inside: Float64Array  # (bins, 3, k) Σ w, Σ w (y − low) and Σ w (high − y) over a bin
    outside: Float64Array  # (bins, 3, k) Σ w |y − nearer edge| of the others, Σ w below and above
    chords: Float64Array  # (bins, 3 + 2k) low, high, their largest error, sums at low and at high
    counts: Float64Array  # (categories, 2, k) Σ w, and what rounding has left of it
    gaps: Float64Array  # (2 · columns that have gaps, 2, k) likewise Σ w g, Σ w of the missing, ...
    totals: Float64Array  # (2, k) the same over all points


class Bounds(NamedTuple):
    """What is known of the distances of each point to centroids, as they were at some mark."""

    rounding: float  # in distances, relative to what they are differences of, counted generously
    slack: float  # what squared distances may be off besides, where sums of missing entries cancel

    upper: Float64Array  # (n,) at least the distance d to the own centroid
    lower: Float64Array  # (n,) at most d √(s/(s + w)) to every other one, s its weight
    mark: IntArray  # (n,) int32, when that was
    marks: Float64Array  # (marks, 2, k) the way that each centroid had gone by then, and 1/s
    way: Float64Array  # (k,) the way it has gone now
    n_marks: IntArray  # (1,) marks so far


class Pending(NamedTuple):
    """Moves that the tables do not hold yet; the rows of their points by panels of LANES."""

    points: IntArray  # (moves,)
    weights: Float64Array  # (moves,)
    sources: IntArray  # (moves,)
    targets: IntArray  # (moves,)
    x: Float64Array  # (panels, L, LANES)
    codes: Any  # (panels, E, LANES) int32
    gaps: Float64Array  # (panels, columns that have gaps, LANES)


def make_columns(
    lines: Parts, categories: Parts, gaps: Parts, n_points: int, n_threads: int = 1
) -> Columns:
    """Sort lines and cut them into bins, number categories. O(n log n) per column."""
    x, factors = _side_by_side(lines, n_points)
    codes, code_factors = _side_by_side(categories, n_points)
    return Columns(
        x=x.astype(np.float64, copy=False),
        factors=factors,
        groups=_groups(factors),
        **_lines(x, n_threads),
        codes=_categories(codes),
        code_factors=code_factors,
        code_groups=_groups(code_factors),
        gaps=_gaps(gaps, n_points),
    )


def room_for_moves(columns: Columns, size: int) -> Pending:
    """Room for so many moves that wait."""
    panels = -(-size // LANES)
    return Pending(
        points=np.empty(size, np.int64),
        weights=np.empty(size),
        sources=np.empty(size, np.int64),
        targets=np.empty(size, np.int64),
        x=np.zeros((panels, len(columns.factors), LANES)),
        codes=np.zeros((panels, len(columns.code_factors), LANES), np.int32),
        gaps=np.zeros((panels, columns.gaps.shape[1], LANES)),
    )


def _side_by_side(parts: Parts, n: int) -> tuple[FloatArray, Float64Array]:
    """Columns with their factors, equal factors next to each other, so that they are added once."""
    if not parts:
        return np.empty((n, 0)), np.empty(0)
    parts = sorted(parts, key=lambda part: part[0])
    factors = np.repeat([scale for scale, _ in parts], [part.shape[1] for _, part in parts])
    tables = [part for _, part in parts]
    table = tables[0] if len(tables) == 1 else np.concatenate(tables, axis=1)
    return np.ascontiguousarray(table), np.asarray(factors, np.float64)


def _gaps(parts: Parts, n: int) -> Float64Array:
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
    return np.ascontiguousarray(np.concatenate(columns, axis=1))


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
