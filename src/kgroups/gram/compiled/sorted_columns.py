"""Compiled sums over sorted columns of |x − y|, and over columns that are compared for equality."""

from typing import Any, NamedTuple

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, FloatArray, IntArray

# Clusters that are looked for one by one among the points of a bin.
_FEW = 4


#: Moves that a visit in vain counts for when moves have waited long enough to be carried over:
#: where a small cluster has moved, bounds decide again only then.
COST_IN_VAIN = 8


class Columns(NamedTuple):
    """What does not change: columns on a line, cut into bins, columns of categories, and gaps.

    The bins of a line are ranges of its points in ascending order; equal values share a bin. Lines,
    and columns of categories, with equal factors stand together, so that sums over them are
    multiplied once. Gaps are what missing entries add: g of the one point where the entry of the
    other is missing.
    """

    x: FloatArray  # (n, L) coordinates
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

    members: Any  # (L, n) cluster of the point at each place
    masses: Float64Array  # (L, n) its weight; (0, n) if all weights are equal
    mass: float  # what they are then, else 1
    inside: Float64Array  # (bins, 3, k) Σ w, Σ w (y − low) and Σ w (high − y) over a bin
    outside: Float64Array  # (bins, 3, k) Σ w |y − nearer edge| of the others, Σ w below and above
    chords: Float64Array  # (bins, 3 + 2k) what one look at a bin needs, see approximate_sums
    counts: Float64Array  # (categories, 2, k) Σ w, and what rounding has left of it
    gaps: Float64Array  # (columns that have gaps, 2, 2, k) likewise Σ w g, and Σ w of the missing
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
    """Moves that the tables do not hold yet."""

    points: IntArray  # (moves,)
    weights: Float64Array  # (moves,)
    sources: IntArray  # (moves,)
    targets: IntArray  # (moves,)
    x: FloatArray  # (moves, L) the rows of these points
    codes: Any  # (moves, E)
    gaps: Float64Array  # (moves, columns that have gaps)


@jit
def add_compensated(sums: Float64Array, cluster: int, w: float) -> None:
    """Add to a sum (2, k) in two parts, without rounding in the first."""
    old = sums[0, cluster]
    new = old + w
    part = new - old
    sums[1, cluster] += (old - (new - part)) + (w - part)
    sums[0, cluster] = new


@jit
def has_weights(tables: Tables) -> bool:
    """Whether points have weights of their own."""
    return bool(tables.masses.shape[0] > 0)


@jit
def place_points(
    columns: Columns, labels: IntArray, weights: Float64Array, tables: Tables, line: int
) -> None:
    """Write labels, and weights where each line has its own, in ascending order of a line."""
    places = columns.places[line]
    is_weighted = has_weights(tables)
    for point in range(places.shape[0]):
        tables.members[line, places[point]] = labels[point]
        if is_weighted:
            tables.masses[line, places[point]] = weights[point]


@jit
def sum_bins(columns: Columns, tables: Tables, line: int) -> None:
    """Add up the points of each bin of a line."""
    is_weighted, values, members = has_weights(tables), columns.values[line], tables.members[line]
    masses = tables.masses[line] if is_weighted else values
    for b in range(columns.first_bin[line], columns.first_bin[line + 1]):
        sums, low, high = tables.inside[b], columns.low[b], columns.high[b]
        sums[:] = 0.0
        for p in range(columns.first[b], columns.last[b]):
            cluster, y = members[p], values[p]
            w = masses[p] if is_weighted else tables.mass
            sums[0, cluster] += w
            sums[1, cluster] += w * (y - low)
            sums[2, cluster] += w * (high - y)


@jit
def sum_across(columns: Columns, tables: Tables, line: int) -> None:
    """From the sums of each bin those of all others and the chords.

    From bin to bin only positive terms are added, so that no digits cancel however far apart the
    points of a line are.
    """
    begin, end = columns.first_bin[line], columns.first_bin[line + 1]
    low, high, inside, outside = columns.low, columns.high, tables.inside, tables.outside
    k = inside.shape[2]
    outside[begin, 0] = 0.0
    outside[begin, 1] = 0.0
    for b in range(begin + 1, end):
        step, gap = low[b] - low[b - 1], low[b] - high[b - 1]
        for c in range(k):
            before = outside[b - 1, 1, c]
            own = inside[b - 1, 2, c] + gap * inside[b - 1, 0, c]
            outside[b, 0, c] = outside[b - 1, 0, c] + (step * before + own)
            outside[b, 1, c] = before + inside[b - 1, 0, c]
    outside[end - 1, 2] = 0.0
    above = np.zeros(k)
    for b in range(end - 2, begin - 1, -1):
        step, gap = high[b + 1] - high[b], low[b + 1] - high[b]
        for c in range(k):
            behind = outside[b + 1, 2, c]
            own = inside[b + 1, 1, c] + gap * inside[b + 1, 0, c]
            above[c] += step * behind + own
            outside[b, 0, c] += above[c]
            outside[b, 2, c] = behind + inside[b + 1, 0, c]
    half = -0.5 * columns.factors[line]
    for b in range(begin, end):
        width, heaviest, chord = high[b] - low[b], 0.0, tables.chords[b]
        for c in range(k):
            edge = outside[b, 0, c]
            chord[3 + c] = half * (edge + width * outside[b, 2, c] + inside[b, 1, c])
            chord[3 + k + c] = half * (edge + width * outside[b, 1, c] + inside[b, 2, c])
            heaviest = max(heaviest, inside[b, 0, c])
        chord[0], chord[1], chord[2] = low[b], high[b], -2.0 * half * width * heaviest


@jit
def add_point(gaps: Float64Array, sums: Float64Array, cluster: int, w: float) -> None:
    """Add a point to the sums that missing entries need, or with −w take it away."""
    for e in range(gaps.shape[0]):
        is_missing = np.isnan(gaps[e])
        add_compensated(sums[e, int(is_missing)], cluster, w if is_missing else w * gaps[e])


@jit
def count_categories(
    columns: Columns, labels: IntArray, weights: Float64Array, tables: Tables
) -> None:
    """Weights of all categories, of missing entries and of all points, by cluster."""
    tables.counts[:] = 0.0
    tables.gaps[:] = 0.0
    tables.totals[:] = 0.0
    for point in range(columns.codes.shape[0]):
        cluster, w = labels[point], weights[point]
        add_compensated(tables.totals, cluster, w)
        for e in range(columns.codes.shape[1]):
            add_compensated(tables.counts[columns.codes[point, e]], cluster, w)
        add_point(columns.gaps[point], tables.gaps, cluster, w)


@jit
def carry_over(
    columns: Columns,
    tables: Tables,
    points: IntArray,
    weights: Float64Array,
    sources: IntArray,
    targets: IntArray,
) -> None:
    """Bring the sums of each bin and category up to date after moves. O(columns) per move."""
    for m in range(points.shape[0]):
        point, w, source, target = points[m], weights[m], sources[m], targets[m]
        for line in range(columns.x.shape[1]):
            b = columns.first_bin[line] + columns.bins[point, line]
            x = np.float64(columns.x[point, line])
            left, right = w * (x - columns.low[b]), w * (columns.high[b] - x)
            inside = tables.inside[b]
            inside[0, source] -= w
            inside[1, source] -= left
            inside[2, source] -= right
            inside[0, target] += w
            inside[1, target] += left
            inside[2, target] += right
            tables.members[line, columns.places[line, point]] = target
        add_compensated(tables.totals, source, -w)
        add_compensated(tables.totals, target, w)
        for e in range(columns.codes.shape[1]):
            counts = tables.counts[columns.codes[point, e]]
            add_compensated(counts, source, -w)
            add_compensated(counts, target, w)
        add_point(columns.gaps[point], tables.gaps, source, -w)
        add_point(columns.gaps[point], tables.gaps, target, w)


@jit
def rebuild(columns: Columns, tables: Tables) -> None:
    """Sums across bins anew. O(bins · k)."""
    for line in range(columns.x.shape[1]):
        sum_across(columns, tables, line)


@jit
def add_mismatches(
    columns: Columns, tables: Tables, point: int, part: Float64Array, out: Float64Array
) -> None:
    """Add the sums over columns of categories of one point to ``out``; ``part`` is scratch."""
    totals, groups = tables.totals, columns.code_groups
    for g in range(groups.shape[0] - 1):
        part[:] = 0.0
        for e in range(groups[g], groups[g + 1]):
            counts = tables.counts[columns.codes[point, e]]
            for c in range(part.shape[0]):
                part[c] += (totals[0, c] - counts[0, c]) + (totals[1, c] - counts[1, c])
        half = -0.5 * columns.code_factors[groups[g]]
        for c in range(part.shape[0]):
            out[c] += half * part[c]


@jit
def add_gaps(gaps: Float64Array, sums: Float64Array, out: Float64Array) -> None:
    """Add to the sums of one point what missing entries, its own and those of others, add."""
    for e in range(gaps.shape[0]):
        is_missing = np.isnan(gaps[e])
        g, of = 1.0 if is_missing else gaps[e], sums[e, int(not is_missing)]
        for c in range(out.shape[0]):
            out[c] += g * (of[0, c] + of[1, c])


def _bin_sum(masses: Float64Array, members: Any, values: Float64Array, x: float, own: Any) -> float:
    """Σ w |y − x| over the points of one cluster in a bin; Σ |y − x| without weights."""
    total: float = 0.0
    if masses.shape[0] == 0:
        for p in range(values.shape[0]):
            total += abs(values[p] - x) if members[p] == own else 0.0
    else:
        for p in range(values.shape[0]):
            total += masses[p] * abs(values[p] - x) if members[p] == own else 0.0
    return total


bin_sum = jit(_bin_sum, fastmath=frozenset({"contract", "reassoc"}))


@jit
def sums_of_point(
    columns: Columns,
    tables: Tables,
    point: int,
    clusters: IntArray,
    part: Float64Array,
    out: Float64Array,
) -> None:
    """R_l of one point for some clusters, exactly. O(columns · (k + points of a bin)).

    What ``out`` has for the others lacks the point's own bins.
    """
    k, is_weighted = part.shape[0], has_weights(tables)
    outside, as_member = tables.outside, tables.members.dtype.type
    out[:] = 0.0
    for g in range(columns.groups.shape[0] - 1):
        part[:] = 0.0
        for line in range(columns.groups[g], columns.groups[g + 1]):
            b = columns.first_bin[line] + columns.bins[point, line]
            x = np.float64(columns.x[point, line])
            left, right = x - columns.low[b], columns.high[b] - x
            for c in range(k):
                part[c] += outside[b, 0, c] + (left * outside[b, 1, c] + right * outside[b, 2, c])
            if columns.high[b] == columns.low[b]:
                continue
            first, last = columns.first[b], columns.last[b]
            members, values = tables.members[line, first:last], columns.values[line, first:last]
            masses = tables.masses[line, first:last] if is_weighted else values[:0]
            if clusters.shape[0] < _FEW:
                for c in clusters:
                    part[c] += tables.mass * bin_sum(masses, members, values, x, as_member(c))
            else:
                for p in range(values.shape[0]):
                    mass = masses[p] if is_weighted else tables.mass
                    part[members[p]] += mass * abs(values[p] - x)
        half = -0.5 * columns.factors[columns.groups[g]]
        for c in range(k):
            out[c] += half * part[c]
    if columns.code_groups.shape[0] > 1:
        add_mismatches(columns, tables, point, part, out)
    if columns.gaps.shape[1] > 0:
        add_gaps(columns.gaps[point], tables.gaps, out)


@jit
def sums_of_points(columns: Columns, tables: Tables, start: int, out: Float64Array) -> None:
    """R_l of the points from ``start`` on, into ``out`` of shape (points, k)."""
    part, clusters = np.empty(out.shape[1]), np.arange(out.shape[1])
    for i in range(out.shape[0]):
        sums_of_point(columns, tables, start + i, clusters, part, out[i])


@jit
def approximate_sums(
    columns: Columns, tables: Tables, point: int, part: Float64Array, out: Float64Array
) -> float:
    """Numbers that R_l of one point exceeds by no more than what is returned. O(columns · k).

    Over a bin each sum is a convex function of x. Its chord is off by at most 2 t (1 − t) (high −
    low) times the weight of a cluster in the bin. All that is needed stands side by side: low,
    high, the largest of these factors, the sums at low and the sums at high.
    """
    out[:] = 0.0
    above, k = 0.0, out.shape[0]
    for line in range(columns.x.shape[1]):
        chord = tables.chords[columns.first_bin[line] + columns.bins[point, line]]
        low, high = chord[0], chord[1]
        if high == low:
            for c in range(k):
                out[c] += chord[3 + c]
            continue
        x = np.float64(columns.x[point, line])
        left, right = (high - x) / (high - low), (x - low) / (high - low)
        above += chord[2] * left * right
        for c in range(k):
            out[c] += left * chord[3 + c] + right * chord[3 + k + c]
    if columns.code_groups.shape[0] > 1:
        add_mismatches(columns, tables, point, part, out)
    if columns.gaps.shape[1] > 0:
        add_gaps(columns.gaps[point], tables.gaps, out)
    return above


def _similarities(
    columns: Columns,
    point: int,
    rows: FloatArray,
    codes: Any,
    gaps: Float64Array,
    out: Float64Array,
) -> None:
    """G of a point with as many rows as ``out`` has room for."""
    groups, factors = columns.code_groups, columns.factors
    for m in range(out.shape[0]):
        total: float = 0.0
        for d in range(rows.shape[1]):
            total += factors[d] * abs(np.float64(columns.x[point, d]) - np.float64(rows[m, d]))
        for g in range(groups.shape[0] - 1):
            count = 0
            for e in range(groups[g], groups[g + 1]):
                count += columns.codes[point, e] != codes[m, e]
            total += columns.code_factors[groups[g]] * count
        out[m] = -0.5 * total
    for e in range(gaps.shape[1]):
        own = columns.gaps[point, e]
        for m in range(out.shape[0]):
            if np.isnan(own) != np.isnan(gaps[m, e]):
                out[m] += gaps[m, e] if np.isnan(own) else own


similarities = jit(_similarities, fastmath=frozenset({"contract", "reassoc"}))


@jit
def fill_similarities(
    columns: Columns, index: IntArray, start: int, stop: int, out: Float64Array
) -> None:
    """G between some points and those from ``start`` to ``stop``."""
    rows, codes, gaps = columns.x[start:stop], columns.codes[start:stop], columns.gaps[start:stop]
    for row in range(index.shape[0]):
        similarities(columns, index[row], rows, codes, gaps, out[row])
