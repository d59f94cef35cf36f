"""Compiled walks along sorted columns, for sums of all points at once."""

import numpy as np

from kgroups.gram.compiled.sorted_columns import Columns, Tables, add_compensated, has_weights
from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


@jit
def own_sums(
    columns: Columns, tables: Tables, clusters: IntArray, line: int, out: Float64Array
) -> None:
    """Add to ``out`` what a line adds to R_l of each point for the one cluster l named for it.

    Two walks over each bin, in which a cluster's sum grows with the way since it was last met.
    """
    n, k = columns.values.shape[1], tables.inside.shape[2]
    places, values, members = columns.places[line], columns.values[line], tables.members[line]
    is_weighted = has_weights(tables)
    masses = tables.masses[line] if is_weighted else values
    asked = np.empty(n, tables.members.dtype)
    for point in range(n):
        asked[places[point]] = clusters[point]
    sums = np.empty(n)
    total, mass, since = np.empty(k), np.empty(k), np.empty(k)
    for b in range(columns.first_bin[line], columns.first_bin[line + 1]):
        first, last = columns.first[b], columns.last[b]
        low, high, outside = columns.low[b], columns.high[b], tables.outside[b]
        for p in range(first, last):
            c, x = asked[p], values[p]
            sums[p] = outside[0, c] + ((x - low) * outside[1, c] + (high - x) * outside[2, c])
        if low == high:
            continue
        for way in range(2):
            total[:] = 0.0
            mass[:] = 0.0
            since[:] = high if way else low
            for step in range(last - first):
                p = last - 1 - step if way else first + step
                for c in (members[p], asked[p]):
                    total[c] += abs(values[p] - since[c]) * mass[c]
                    since[c] = values[p]
                sums[p] += total[asked[p]]
                mass[members[p]] += masses[p] if is_weighted else tables.mass
    half = -0.5 * columns.factors[line]
    for point in range(n):
        out[point] += half * sums[places[point]]


@jit
def line_within(columns: Columns, tables: Tables, line: int, out: Float64Array) -> None:
    """Add to ``out`` what a line adds to Q_j of each cluster: one walk over each bin. O(n)."""
    inside, outside, members = tables.inside, tables.outside, tables.members[line]
    values, factor = columns.values[line], columns.factors[line]
    is_weighted, k = has_weights(tables), out.shape[0]
    masses = tables.masses[line] if is_weighted else values
    pairs, total, mass, since = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    for b in range(columns.first_bin[line], columns.first_bin[line + 1]):
        pairs[:] = 0.0
        if columns.low[b] < columns.high[b]:
            total[:] = 0.0
            mass[:] = 0.0
            since[:] = columns.low[b]
            for p in range(columns.first[b], columns.last[b]):
                c, w = members[p], masses[p] if is_weighted else tables.mass
                total[c] += (values[p] - since[c]) * mass[c]
                since[c] = values[p]
                pairs[c] += w * total[c]
                mass[c] += w
        for c in range(k):
            across = inside[b, 0, c] * outside[b, 0, c]
            across += inside[b, 1, c] * outside[b, 1, c] + inside[b, 2, c] * outside[b, 2, c]
            out[c] -= factor * (pairs[c] + 0.5 * across)


@jit
def own_mismatches(columns: Columns, tables: Tables, clusters: IntArray, out: Float64Array) -> None:
    """Add to ``out`` what categories add to R_l of each point for one cluster."""
    totals = tables.totals
    for point in range(clusters.shape[0]):
        c = clusters[point]
        for e in range(columns.codes.shape[1]):
            counts = tables.counts[columns.codes[point, e]]
            apart = (totals[0, c] - counts[0, c]) + (totals[1, c] - counts[1, c])
            out[point] -= 0.5 * columns.code_factors[e] * apart


@jit
def add_line_product(columns: Columns, line: int, right: Float64Array, out: Float64Array) -> None:
    """Add the product of a line's part of G with ``right`` (n, m) to ``out``. O(nm)."""
    n, m = right.shape
    values, half = columns.values[line], -0.5 * columns.factors[line]
    order = np.empty(n, np.int64)
    for point in range(n):
        order[columns.places[line, point]] = point
    total, mass = np.empty((2, m)), np.empty((2, m))
    for way in range(2):
        total[:] = 0.0
        mass[:] = 0.0
        since = values[n - 1] if way else values[0]
        for step in range(n):
            p = n - 1 - step if way else step
            point, apart = order[p], abs(values[p] - since)
            since = values[p]
            for c in range(m):
                add_compensated(total, c, apart * (mass[0, c] + mass[1, c]))
                out[point, c] += half * (total[0, c] + total[1, c])
                add_compensated(mass, c, right[point, c])


@jit
def line_total(columns: Columns, line: int, weights: Float64Array) -> float:
    """What a line adds to Σ w_x w_y G(x, y) over all pairs, gap by gap. O(n)."""
    places, values = columns.places[line], columns.values[line]
    n = values.shape[0]
    masses, above = np.empty(n), np.empty(n)
    for point in range(n):
        masses[places[point]] = weights[point]
    mass = 0.0
    for p in range(n - 1, -1, -1):
        above[p] = mass
        mass += masses[p]
    total, below = 0.0, 0.0
    for p in range(n - 1):
        below += masses[p]
        total += (values[p + 1] - values[p]) * below * above[p]
    return -float(columns.factors[line]) * total
