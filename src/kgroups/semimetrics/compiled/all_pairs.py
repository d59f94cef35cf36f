"""Compiled loops over all pairs of two sets of points, by the rule of a semimetric."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numba import types
from numba.extending import overload

from kgroups.runtime.jit import jit
from kgroups.semimetrics.codes import SHANNON
from kgroups.semimetrics.compiled import phi
from kgroups.semimetrics.compiled.vector import LANES, fill
from kgroups.typing import Float64Array, FloatArray, IntArray


class Power(NamedTuple):
    """The one term of a semimetric: coordinates [start, stop), and an index into ROOT_POWERS."""

    start: int
    stop: int
    form: int
    power: int


class Powers(NamedTuple):
    """Several terms like :class:`Power`, with the scale of each."""

    starts: IntArray
    stops: IntArray
    forms: IntArray
    powers: IntArray
    scales: Float64Array


class Functions(NamedTuple):
    """Terms as in :class:`Powers`, of which those of power −1 have other functions φ."""

    starts: IntArray
    stops: IntArray
    forms: IntArray
    powers: IntArray
    scales: Float64Array
    phis: IntArray
    parameters: Float64Array


#: Types, so that no more is compiled than what a semimetric needs: code for all functions takes
#: three times as long to compile as code for powers, and most semimetrics are one power.
Rule: TypeAlias = Power | Powers | Functions


@jit
def fill_shannon(
    x: FloatArray, row: int, panels: FloatArray, first: int, start: int, stop: int, out: FloatArray
) -> None:
    """Set out[i, j] to Σ_d of the Jensen–Shannon form, in float64."""
    totals = np.empty(LANES)
    for i in range(out.shape[0]):
        for left in range(0, out.shape[1], LANES):
            panel = panels[first + left // LANES]
            totals[:] = 0.0
            for d in range(start, stop):
                phi.add_shannon(x[row + i, d], panel[d], totals)
            # A loop: assigning an array takes numba two seconds to compile.
            for j in range(LANES):
                out[i, left + j] = totals[j]


def _fill_powers(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    first: int,
    last: int,
    rule: Powers,
    t: int,
    out: FloatArray,
) -> None:
    start, stop, form, power = rule.starts[t], rule.stops[t], rule.forms[t], rule.powers[t]
    fill(x, row, panels, first, last, start, stop, form, power, out)


def _fill_functions(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    first: int,
    last: int,
    rule: Functions,
    t: int,
    out: FloatArray,
) -> None:
    start, stop, form = rule.starts[t], rule.stops[t], rule.forms[t]
    if form == SHANNON:
        fill_shannon(x, row, panels, first, start, stop, out)
    else:
        power = max(rule.powers[t], 0)
        fill(x, row, panels, first, last, start, stop, form, power, out)
    if rule.powers[t] < 0:
        for i in range(out.shape[0]):
            phi.transform(out[i], rule.phis[t], rule.parameters[t])


def fill_term(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    first: int,
    last: int,
    rule: Powers | Functions,
    t: int,
    out: FloatArray,
) -> None:
    """Set out[i, j] to term t of a distance, without its scale."""
    if isinstance(rule, Powers):
        _fill_powers(x, row, panels, first, last, rule, t, out)
    else:
        _fill_functions(x, row, panels, first, last, rule, t, out)


# strict=False: annotations differ from numba's types. The decorator itself has none.
@overload(fill_term, strict=False)  # type: ignore[untyped-decorator]
def _compiled_fill_term(
    x: types.Type,
    row: types.Type,
    panels: types.Type,
    first: types.Type,
    last: types.Type,
    rule: types.Type,
    t: types.Type,
    out: types.Type,
) -> Callable[..., None]:
    return _fill_powers if rule.instance_class is Powers else _fill_functions


def _distances_of_power(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    first: int,
    last: int,
    rule: Power,
    out: FloatArray,
) -> None:
    fill(x, row, panels, first, last, rule.start, rule.stop, rule.form, rule.power, out)


def _distances_of_terms(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    first: int,
    last: int,
    rule: Powers | Functions,
    out: FloatArray,
) -> None:
    part = np.empty_like(out)
    for t in range(rule.starts.shape[0]):
        into = out if t == 0 else part
        fill_term(x, row, panels, first, last, rule, t, into)
        scale = x.dtype.type(rule.scales[t])
        for i in range(out.shape[0]):
            if t > 0:
                for j in range(out.shape[1]):
                    out[i, j] += scale * part[i, j]
            elif scale != 1:
                for j in range(out.shape[1]):
                    out[i, j] *= scale


def distances(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    first: int,
    last: int,
    rule: Rule,
    out: FloatArray,
) -> None:
    """Fill out[i, j] with distances between a group of rows and the points of panels, in units.

    ``out`` has exactly the shape (rows_at_once, 32 · panels).
    """
    if isinstance(rule, Power):
        _distances_of_power(x, row, panels, first, last, rule, out)
    else:
        _distances_of_terms(x, row, panels, first, last, rule, out)


# As above.
@overload(distances, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_distances(
    x: types.Type,
    row: types.Type,
    panels: types.Type,
    first: types.Type,
    last: types.Type,
    rule: types.Type,
    out: types.Type,
) -> Callable[..., None]:
    return _distances_of_power if is_power(rule) else _distances_of_terms


def is_power(rule: types.Type) -> bool:
    """Whether a rule is a single :class:`Power`, as the compiler knows it."""
    return rule.instance_class is Power


@jit
def fill_rows(
    x: FloatArray,
    panels: FloatArray,
    rule: Rule,
    unit: float,
    rows: int,
    chunk: int,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Fill out[i, j] for the rows [start, stop) of x, in whole groups, and all columns of out."""
    n_rows, n = out.shape
    scale = x.dtype.type(unit)
    for first in range(0, panels.shape[0], chunk):
        last = min(first + chunk, panels.shape[0])
        value = np.empty((rows, (last - first) * LANES), x.dtype)
        left, right = first * LANES, min(n, last * LANES)
        for g in range(start, stop, rows):
            distances(x, g, panels, first, last, rule, value)
            for i in range(g, min(g + rows, n_rows)):
                # Slices, whose indices begin at 0, become vectors.
                made, row = out[i, left:right], value[i - g]
                for j in range(right - left):
                    made[j] = scale * row[j]


@jit
def fill_symmetric(
    x: FloatArray,
    panels: FloatArray,
    rule: Rule,
    unit: float,
    rows: int,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Fill both triangles of out for the row panels [start, stop), computing half the pairs."""
    n = out.shape[0]
    value = np.empty((rows, LANES), x.dtype)
    square = np.empty((LANES, LANES), x.dtype)
    scale = x.dtype.type(unit)
    for p in range(start, stop):
        bottom = min(n - p * LANES, LANES)
        for q in range(p, panels.shape[0]):
            right = min(n - q * LANES, LANES)
            for g in range(0, LANES, rows):
                distances(x, p * LANES + g, panels, q, q + 1, rule, value)
                some = square[g : g + rows]
                for i in range(rows):
                    for j in range(LANES):
                        some[i, j] = scale * value[i, j]
            above = out[p * LANES : p * LANES + bottom, q * LANES : q * LANES + right]
            for i in range(bottom):
                for j in range(right):
                    above[i, j] = square[i, j]
            if q > p:
                below = out[q * LANES : q * LANES + right, p * LANES : p * LANES + bottom]
                for j in range(right):
                    for i in range(bottom):
                        below[j, i] = square[i, j]
