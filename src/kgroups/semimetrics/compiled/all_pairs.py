"""Compiled loops over all pairs of two sets of points, by the rule of a semimetric."""

from typing import NamedTuple

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.semimetrics.codes import SHANNON
from kgroups.semimetrics.compiled import phi
from kgroups.semimetrics.compiled.vector import LANES, fill
from kgroups.typing import Float64Array, FloatArray, IntArray


class Rule(NamedTuple):
    """The terms of a semimetric for compiled code: coordinates [start, stop) and function of each.

    ``powers`` are indices into ``ROOT_POWERS``, or −1 where ``phis`` and ``parameters`` apply.
    """

    starts: IntArray
    stops: IntArray
    forms: IntArray
    powers: IntArray
    phis: IntArray
    parameters: Float64Array
    scales: Float64Array


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
            out[i, left : left + LANES] = totals


@jit
def distances(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    first: int,
    last: int,
    rule: Rule,
    out: FloatArray,
    part: FloatArray,
) -> None:
    """Fill out[i, j] with distances between a group of rows and the points of panels, in units.

    ``out`` and the scratch array ``part`` have exactly the shape (rows_at_once, 32 · panels).
    """
    for t in range(rule.starts.shape[0]):
        into = out if t == 0 else part
        power = max(rule.powers[t], 0)
        start, stop, form = rule.starts[t], rule.stops[t], rule.forms[t]
        if form == SHANNON:
            fill_shannon(x, row, panels, first, start, stop, into)
        else:
            fill(x, row, panels, first, last, start, stop, form, power, into)
        scale = x.dtype.type(rule.scales[t])
        for i in range(out.shape[0]):
            if rule.powers[t] < 0:
                phi.transform(into[i], rule.phis[t], rule.parameters[t])
            if t > 0:
                for j in range(out.shape[1]):
                    out[i, j] += scale * part[i, j]
            elif scale != 1:
                for j in range(out.shape[1]):
                    out[i, j] *= scale


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
        part = np.empty_like(value)
        left, right = first * LANES, min(n, last * LANES)
        for g in range(start, stop, rows):
            distances(x, g, panels, first, last, rule, value, part)
            for i in range(g, min(g + rows, n_rows)):
                for j in range(left, right):
                    out[i, j] = scale * value[i - g, j - left]


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
    part = np.empty_like(value)
    square = np.empty((LANES, LANES), x.dtype)
    scale = x.dtype.type(unit)
    for p in range(start, stop):
        bottom = min(n - p * LANES, LANES)
        for q in range(p, panels.shape[0]):
            right = min(n - q * LANES, LANES)
            for g in range(0, LANES, rows):
                distances(x, p * LANES + g, panels, q, q + 1, rule, value, part)
                for i in range(rows):
                    for j in range(LANES):
                        square[g + i, j] = scale * value[i, j]
            for i in range(bottom):
                for j in range(right):
                    out[p * LANES + i, q * LANES + j] = square[i, j]
            if q > p:
                for j in range(right):
                    for i in range(bottom):
                        out[q * LANES + j, p * LANES + i] = square[i, j]
