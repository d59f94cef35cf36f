"""Compiled sums of distances between sparse rows, split by column."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.semimetrics.codes import ABSOLUTE, SQUARED
from kgroups.semimetrics.compiled.sparse_pairs import (
    Rows,
    Rule,
    Tiles,
    apply_phi,
    distances,
    slot_of,
)
from kgroups.typing import Float64Array, IntArray


@jit
def difference(x: float, y: float, delta: int) -> float:
    """δ(x, y) of two numbers."""
    apart = x - y
    if delta == SQUARED:
        return apart * apart
    if delta == ABSOLUTE:
        return abs(apart)
    return 1.0 if apart != 0.0 else 0.0


@jit
def add_split_pairs(
    rows: Rows,
    tiles: Tiles,
    n_columns: int,
    rule: Rule,
    weights: Float64Array,
    groups: IntArray,
    first: int,
    last: int,
    sums: Float64Array,
    within: Float64Array,
    across: Float64Array,
) -> None:
    r"""Split the pairs of some rows with all others, up to what single rows say.

    With f = w_x w_y ρ(x, y)/Σ_e δ_e, sums[x, l] is Σ_{y ∈ C_l} f; and from the columns that x and y
    share, Σ f (δ_d(x, 0) + δ_d(y, 0) − δ_d(x, y)) is added to within[l, d], in which a pair counts
    once from either end, and to across[l, d] for x in C_l and y outside.
    """
    longest = 0
    for t in range(tiles.edges.shape[0] - 1):
        longest = max(longest, tiles.edges[t + 1] - tiles.edges[t])
    shared, total, f = np.zeros(longest), np.empty(longest), np.empty(longest)
    plain = Rule(rule.delta, 0, 1.0)
    own = 0
    for place in range(first, last):
        while groups[own + 1] <= place:
            own += 1
        i, w = tiles.order[place], weights[place]
        for t in range(tiles.edges.shape[0] - 1):
            base, n = tiles.edges[t], tiles.edges[t + 1] - tiles.edges[t]
            distances(rows, i, rows, tiles, t, 0, n, n_columns, plain, shared, total)
            f[:n] = total[:n]
            apply_phi(f[:n], rule.phi, rule.parameter)
            for j in range(n):
                f[j] = w * weights[base + j] * f[j] / total[j] if total[j] > 0.0 else 0.0
            for group in range(groups.shape[0] - 1):
                for j in range(max(groups[group] - base, 0), min(groups[group + 1] - base, n)):
                    sums[place, group] += f[j]
            a, b = groups[own] - base, groups[own + 1] - base
            _add_shared(rows, i, tiles, t, n_columns, rule.delta, f, a, b, within[own], across[own])


@jit
def _add_shared(
    rows: Rows,
    i: int,
    tiles: Tiles,
    t: int,
    n_columns: int,
    delta: int,
    f: Float64Array,
    a: int,
    b: int,
    within: Float64Array,
    across: Float64Array,
) -> None:
    """Add f times what columns of row i share with a tile; places [a, b) are of its group."""
    base = tiles.tables[t]
    n_slots = tiles.tables[t + 1] - base
    for e in range(rows.starts[i], rows.starts[i + 1]):
        column, x = rows.columns[e], rows.values[e]
        slot = slot_of(column, n_slots, n_columns)
        while tiles.keys[base + slot] >= 0 and tiles.keys[base + slot] != column:
            slot = (slot + 1) & (n_slots - 1)
        if tiles.keys[base + slot] < 0:
            continue
        inside, outside = 0.0, 0.0
        own = difference(x, 0.0, delta)
        for p in range(tiles.first[base + slot], tiles.last[base + slot]):
            y, j = tiles.values[p], np.int64(tiles.places[p])
            part = f[j] * (own + difference(y, 0.0, delta) - difference(x, y, delta))
            if a <= j < b:
                inside += part
            else:
                outside += part
        within[column] += inside
        across[column] += outside


@jit
def add_single_columns(
    starts: IntArray,
    places: IntArray,
    values: Float64Array,
    group: IntArray,
    weights: Float64Array,
    totals: Float64Array,
    rule: Rule,
    first: int,
    last: int,
    within: Float64Array,
    across: Float64Array,
) -> None:
    """Add Σ w_x w_y φ(δ_d) to within[l, d] and across[l, d] for each of some columns by itself.

    A column is the numbers that are not 0, [starts[d], starts[d + 1]), and zeros in all other rows.
    """
    k = totals.shape[0]
    zeros = np.empty(k)
    for d in range(first, last):
        begin, end = starts[d], starts[d + 1]
        zeros[:] = totals
        for e in range(begin, end):
            zeros[group[places[e]]] -= weights[places[e]]
        value = np.empty(end - begin)
        for e in range(begin, end):
            # Of this number with those behind it, and in the last place with a zero.
            n = end - e
            for j in range(n - 1):
                value[j] = difference(values[e], values[e + 1 + j], rule.delta)
            value[n - 1] = difference(values[e], 0.0, rule.delta)
            apply_phi(value[:n], rule.phi, rule.parameter)
            own, w = group[places[e]], weights[places[e]]
            for j in range(n - 1):
                other = group[places[e + 1 + j]]
                part = w * weights[places[e + 1 + j]] * value[j]
                if other == own:
                    within[own, d] += part
                else:
                    across[own, d] += part
                    across[other, d] += part
            for other in range(k):
                part = w * max(zeros[other], 0.0) * value[n - 1]
                if other == own:
                    within[own, d] += part
                else:
                    across[own, d] += part
                    across[other, d] += part
