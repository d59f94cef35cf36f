"""Compiled sums of ρ from rows to a group of weighted points, by the rule of a semimetric."""

from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import overload

from kgroups.runtime.jit import jit
from kgroups.semimetrics.compiled.all_pairs import Power, Rule, distances, is_power
from kgroups.semimetrics.compiled.vector import LANES, add_across
from kgroups.typing import Float64Array, FloatArray


def _add_power(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    weights: FloatArray,
    first: int,
    last: int,
    rule: Power,
    rows: int,
    out: Float64Array,
) -> None:
    add_across(
        x, row, panels, weights, first, last, rule.start, rule.stop, rule.form, rule.power, out
    )


def _add_terms(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    weights: FloatArray,
    first: int,
    last: int,
    rule: Rule,
    rows: int,
    out: Float64Array,
) -> None:
    base = first * LANES
    value = np.empty((rows, (last - first) * LANES), x.dtype)
    distances(x, row, panels, first, last, rule, value)
    for i in range(rows):
        total = 0.0
        for j in range(value.shape[1]):
            total += value[i, j] * weights[base + j]
        out[row + i] += total


def add_rows(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    weights: FloatArray,
    first: int,
    last: int,
    rule: Rule,
    rows: int,
    out: Float64Array,
) -> None:
    """Add to out[row + i] the weighted distances from some rows to the points of some panels."""
    if isinstance(rule, Power):
        _add_power(x, row, panels, weights, first, last, rule, rows, out)
    else:
        _add_terms(x, row, panels, weights, first, last, rule, rows, out)


# strict=False: annotations differ from numba's types. The decorator itself has none.
@overload(add_rows, strict=False)  # type: ignore[untyped-decorator]
def _compiled_add_rows(
    x: types.Type,
    row: types.Type,
    panels: types.Type,
    weights: types.Type,
    first: types.Type,
    last: types.Type,
    rule: types.Type,
    rows: types.Type,
    out: types.Type,
) -> Callable[..., None]:
    return _add_power if is_power(rule) else _add_terms


@jit
def add_group(
    x: FloatArray,
    panels: FloatArray,
    weights: FloatArray,
    rule: Rule,
    rows: int,
    chunk: int,
    first: int,
    last: int,
    out: Float64Array,
) -> None:
    """Set out[i] to Σ_y w_y v(x_i, y) over the points of the panels [first, last).

    ``x`` has whole groups of rows. Panels are taken in chunks that stay in the caches, always in
    the same order.
    """
    for i in range(out.shape[0]):
        out[i] = 0.0
    for left in range(first, last, chunk):
        right = min(left + chunk, last)
        for row in range(0, x.shape[0], rows):
            add_rows(x, row, panels, weights, left, right, rule, rows, out)


@jit
def add_later(
    x: FloatArray,
    panels: FloatArray,
    weights: FloatArray,
    rule: Rule,
    rows: int,
    chunk: int,
    start: int,
    stop: int,
    last: int,
    own: Float64Array,
    later: Float64Array,
) -> None:
    """Sums from the points of the panels [start, stop) to those up to ``last``, each pair once.

    ``x`` holds the points of all panels as rows. own[i] gets the sum over the panel that holds
    point i, where both orders of a pair come up, later[i] that over the panels after it.
    """
    for i in range(start * LANES, stop * LANES):
        own[i] = 0.0
        later[i] = 0.0
    for left in range(start, last, chunk):
        right = min(left + chunk, last)
        for p in range(start, min(stop, right)):
            begin = max(left, p + 1)
            for row in range(p * LANES, (p + 1) * LANES, rows):
                if left <= p:
                    add_rows(x, row, panels, weights, p, p + 1, rule, rows, own)
                if begin < right:
                    add_rows(x, row, panels, weights, begin, right, rule, rows, later)
