"""Compiled passes over pairs whose distances are made on the way and never kept."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from kgroups.runtime.jit import jit
from kgroups.semimetrics.compiled.all_pairs import Power, Rule, distances, is_power
from kgroups.semimetrics.compiled.vector import LANES, add_up
from kgroups.typing import Float64Array, FloatArray, IntArray

# Panels whose columns an applied move updates at a time.
_AT_ONCE = 8


class Sorted(NamedTuple):
    """Points by cluster; points of weight zero fill each cluster up to whole panels."""

    x: FloatArray  # (n_padded, columns)
    panels: FloatArray  # (n_panels, columns, LANES)
    weights: FloatArray  # (n_padded,)
    cluster: IntArray  # (n_panels,) the cluster of each panel
    offsets: IntArray  # (k + 1,) the panels of each cluster


def _add_power(
    data: Sorted,
    rule: Power,
    row: int,
    own: int,
    first: int,
    last: int,
    other: int,
    rows: int,
    table: Float64Array,
) -> None:
    add_up(
        data.x, data.weights, row, own, data.panels, first, last, other,
        rule.start, rule.stop, rule.form, rule.power, table,
    )  # fmt: skip


def _add_terms(
    data: Sorted,
    rule: Rule,
    row: int,
    own: int,
    first: int,
    last: int,
    other: int,
    rows: int,
    table: Float64Array,
) -> None:
    base = first * LANES
    value = np.empty((rows, (last - first) * LANES), data.x.dtype)
    distances(data.x, row, data.panels, first, last, rule, value)
    for i in range(rows):
        across = 0.0
        w = data.weights[row + i]
        for j in range(value.shape[1]):
            across += value[i, j] * data.weights[base + j]
            table[own, base + j] += w * value[i, j]
        table[other, row + i] += across


def add_pairs(
    data: Sorted,
    rule: Rule,
    row: int,
    own: int,
    first: int,
    last: int,
    other: int,
    rows: int,
    table: Float64Array,
) -> None:
    """Add the distances of a group of rows, of one cluster, with panels of another, to both."""
    if isinstance(rule, Power):
        _add_power(data, rule, row, own, first, last, other, rows, table)
    else:
        _add_terms(data, rule, row, own, first, last, other, rows, table)


# strict=False: annotations differ from numba's types. The decorator itself has none.
@overload(add_pairs, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_add_pairs(
    data: types.Type,
    rule: types.Type,
    row: types.Type,
    own: types.Type,
    first: types.Type,
    last: types.Type,
    other: types.Type,
    rows: types.Type,
    table: types.Type,
) -> Callable[..., None]:
    return _add_power if is_power(rule) else _add_terms


@jit
def add_blocks(
    data: Sorted,
    rule: Rule,
    rows: int,
    chunk: int,
    first: int,
    first_stop: int,
    second: int,
    second_stop: int,
    table: Float64Array,
) -> None:
    """Add all pairs between two ranges of panels to table[l, i] = Σ_{y ∈ C_l} w_y v(i, y).

    Two equal ranges stand for the pairs inside one, each taken once. Nothing but the columns of the
    two ranges is written, always in the same order. The last row of the table is scratch.
    """
    inside = first == second
    unused = table.shape[0] - 1
    for left in range(second, second_stop, chunk):
        right = min(left + chunk, second_stop)
        for p in range(first, min(first_stop, right) if inside else first_stop):
            own = data.cluster[p]
            for row in range(p * LANES, (p + 1) * LANES, rows):
                q = max(left, p) if inside else left
                while q < right:
                    # The panel that holds the rows themselves: both orders of each pair come up.
                    is_itself = inside and q == p
                    other = data.cluster[q]
                    stop = q + 1 if is_itself else min(right, data.offsets[other + 1])
                    into = unused if is_itself else own
                    add_pairs(data, rule, row, into, q, stop, other, rows, table)
                    q = stop


@jit
def apply_moves(
    movers: FloatArray,
    panels: FloatArray,
    rule: Rule,
    factor: float,
    rows: int,
    weights: Float64Array,
    sources: IntArray,
    targets: IntArray,
    table: Float64Array,
    start: int,
    stop: int,
) -> None:
    """Carry out moves on the columns of the panels [start, stop); G is factor · v.

    ``movers`` holds the points that moved, in whole groups of rows.
    """
    n = table.shape[1]
    for left in range(start, stop, _AT_ONCE):
        right = min(left + _AT_ONCE, stop)
        value = np.empty((rows, (right - left) * LANES), movers.dtype)
        base = left * LANES
        size = min(n - base, value.shape[1])
        for g in range(0, movers.shape[0], rows):
            distances(movers, g, panels, left, right, rule, value)
            for m in range(g, min(g + rows, weights.shape[0])):
                w = weights[m] * factor
                leave = table[sources[m]]
                enter = table[targets[m]]
                for j in range(size):
                    change = w * value[m - g, j]
                    leave[base + j] -= change
                    enter[base + j] += change
