"""Compiled passes over pairs of sparse rows, whose distances are made on the way and never kept."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.semimetrics.compiled.sparse_pairs import Rows, Rule, Tiles, distances
from kgroups.typing import Float64Array, IntArray


def _weighted_sum(value: Float64Array, weights: Float64Array) -> float:
    total = 0.0
    for j in range(value.shape[0]):
        total += value[j] * weights[j]
    return total


# In any order, so that compilers add up whole vectors; the same one for the same length.
weighted_sum = jit(_weighted_sum, fastmath=frozenset({"reassoc", "contract"}))


@jit
def add_scaled(value: Float64Array, factor: float, out: Float64Array) -> None:
    """Add factor · value to out; from 0 on, because compilers vectorize that."""
    for j in range(value.shape[0]):
        out[j] += factor * value[j]


@jit
def add_tiles(
    rows: Rows,
    tiles: Tiles,
    n_columns: int,
    rule: Rule,
    weights: Float64Array,
    clusters: IntArray,
    first: int,
    second: int,
    sums: Float64Array,
) -> None:
    """Add all pairs between two tiles to sums[l, i] = Σ_{y ∈ C_l} w_y ρ(i, y), at places i.

    Rows are sorted by cluster, of which ``clusters`` holds the limits, (k + 1,). Two equal tiles
    stand for the pairs inside one, each taken once. Nothing but the columns of the two tiles is
    written, always in the same order.
    """
    base, n = tiles.edges[second], tiles.edges[second + 1] - tiles.edges[second]
    shared, value = np.zeros(n), np.empty(n)
    k = clusters.shape[0] - 1
    own = 0
    for place in range(tiles.edges[first], tiles.edges[first + 1]):
        while clusters[own + 1] <= place:
            own += 1
        start = place + 1 - base if first == second else 0
        i = tiles.order[place]
        distances(rows, i, rows, tiles, second, start, n, n_columns, rule, shared, value)
        add_scaled(value[start:n], weights[place], sums[own][base + start : base + n])
        for cluster in range(k):
            a = max(clusters[cluster] - base, start)
            b = min(clusters[cluster + 1] - base, n)
            if a < b:
                sums[cluster, place] += weighted_sum(value[a:b], weights[base + a : base + b])


@jit
def add_rows(
    rows: Rows,
    others: Rows,
    tiles: Tiles,
    n_columns: int,
    rule: Rule,
    weights: Float64Array,
    clusters: IntArray,
    first: int,
    last: int,
    sums: Float64Array,
) -> None:
    """Add the pairs of some new rows and all of the tiles to sums[i, l] = Σ_{y ∈ C_l} w_y ρ(i, y).

    The rows of the tiles are sorted by cluster, as in :func:`add_tiles`.
    """
    longest = 0
    for t in range(tiles.edges.shape[0] - 1):
        longest = max(longest, tiles.edges[t + 1] - tiles.edges[t])
    shared, value = np.zeros(longest), np.empty(longest)
    for t in range(tiles.edges.shape[0] - 1):
        base, n = tiles.edges[t], tiles.edges[t + 1] - tiles.edges[t]
        for i in range(first, last):
            distances(rows, i, others, tiles, t, 0, n, n_columns, rule, shared, value)
            for cluster in range(clusters.shape[0] - 1):
                a, b = max(clusters[cluster] - base, 0), min(clusters[cluster + 1] - base, n)
                if a < b:
                    some = weights[base + a : base + b]
                    sums[i, cluster] += weighted_sum(value[a:b], some)


@jit
def apply_moves(
    rows: Rows,
    tiles: Tiles,
    n_columns: int,
    rule: Rule,
    factor: float,
    points: IntArray,
    weights: Float64Array,
    sources: IntArray,
    targets: IntArray,
    table: Float64Array,
    t: int,
) -> None:
    """Carry out moves of some rows on the columns of one tile, whose rows are in their own order.

    G is factor · ρ.
    """
    base, n = tiles.edges[t], tiles.edges[t + 1] - tiles.edges[t]
    shared, value = np.zeros(n), np.empty(n)
    for m in range(points.shape[0]):
        distances(rows, points[m], rows, tiles, t, 0, n, n_columns, rule, shared, value)
        w = weights[m] * factor
        add_scaled(value, -w, table[sources[m]][base : base + n])
        add_scaled(value, w, table[targets[m]][base : base + n])
