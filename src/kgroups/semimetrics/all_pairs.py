"""Points laid out for the innermost loop, and the rule that makes distances of their coordinates.

A semimetric that is a sum of terms scale · φ(Σ_d δ(x_d, y_d)) says so in
:meth:`~kgroups.semimetrics.Semimetric.terms`; then all its distances can be computed anew whenever
they are needed, faster than they could be read from memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.runtime.threads import blocks, default_threads, run
from kgroups.semimetrics.compiled import phi as _phi
from kgroups.semimetrics.compiled import vector as _vector
from kgroups.semimetrics.compiled.vector import LANES, fill, rows_at_once
from kgroups.typing import Float64Array, FloatArray, IntArray

# From so many coordinates on, ‖x‖² + ‖y‖² − 2xy takes less time than differences (measured).
_EXPAND_FROM = 32
# Unless some point is so much farther from the mean, in squared distance, than most: it would take
# the digits of all others with it.
_FAR_OUT = 1e4


class Term(NamedTuple):
    """One summand scale · φ(Σ_d δ(x_d, y_d)) of a semimetric, δ and φ as codes."""

    coordinates: FloatArray
    delta: int
    phi: int
    parameter: float
    scale: float


class Rule(NamedTuple):
    """The terms for compiled code: coordinates [start, stop) of each, and what becomes of them.

    ``powers`` are indices into ``_vector.POWERS``, or −1 where ``phis`` and ``parameters`` decide.
    """

    starts: IntArray
    stops: IntArray
    forms: IntArray
    powers: IntArray
    phis: IntArray
    parameters: Float64Array
    scales: Float64Array


@dataclass(frozen=True, eq=False)
class Points:
    """Coordinates side by side, one row a point, and the rule that reads them.

    Every distance is ``unit`` times what the rule gives. Terms of many squared differences hold
    coordinates about their mean, followed by their squared norm.
    """

    table: FloatArray
    rule: Rule
    unit: float

    @classmethod
    def of(cls, terms: Sequence[Term]) -> Points:
        """Lay out the terms of a semimetric. O(nD)."""
        columns: list[FloatArray] = []
        entries: list[tuple[int, int, int, int, int, float, float]] = []
        at = 0
        for term in terms:
            coordinates, form = term.coordinates, term.delta
            d = coordinates.shape[1]
            columns.append(coordinates)
            # A sine turns lost digits of large sums into large errors.
            expandable = form == _vector.SQUARED and term.phi != _phi.SINE
            if expandable and d >= _EXPAND_FROM:
                centered, norms = _about_mean(coordinates)
                if norms.max() <= _FAR_OUT * np.median(norms):
                    form = _vector.PRODUCT
                    columns[-1:] = [centered, norms]
            power, phi, parameter, scale = _simplified(term)
            entries.append((at, at + d, form, power, phi, parameter, scale))
            at += sum(c.shape[1] for c in columns) - at
        fields = [np.array(field) for field in zip(*entries, strict=True)]
        unit = 1.0
        if len(terms) == 1:
            unit = float(fields[-1][0])
            fields[-1] = np.ones(1)
        whole = [field.astype(np.int64) for field in fields[:5]]
        real = [field.astype(np.float64) for field in fields[5:]]
        dtype = np.result_type(*columns)
        table = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1, dtype=dtype)
        return cls(np.ascontiguousarray(table), Rule(*whole, *real), unit)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.table)

    @property
    def rows_at_once(self) -> int:
        """Rows that one call of the innermost loop takes."""
        return rows_at_once(self.table.dtype)

    def rows(self, index: IntArray) -> FloatArray:
        """Some rows, followed by as many copies of the last as make whole groups."""
        short = -len(index) % self.rows_at_once
        return self.table[np.append(index, np.repeat(index[-1:], short))]

    def panels(self) -> FloatArray:
        """All points in panels, shape (⌈n/32⌉, columns, 32); copies of the last point fill up."""
        return in_panels(self.table)

    def chunk(self) -> int:
        """Panels that stay in the caches while rows pass by; few, as each lane adds one of each."""
        panel_bytes = int(LANES * self.table.shape[1] * self.table.itemsize)
        return max(1, min(16, (1 << 19) // panel_bytes))


def in_panels(table: FloatArray) -> FloatArray:
    """Rows in panels of 32, coordinate by coordinate; copies of the last row fill the last one."""
    short = -len(table) % LANES
    if short:
        table = np.concatenate([table, np.repeat(table[-1:], short, axis=0)])
    cut = table.reshape(-1, LANES, table.shape[1])
    return np.ascontiguousarray(cut.transpose(0, 2, 1))


def _about_mean(coordinates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coordinates less their mean, taken in float64, and the squared norm of what is left."""
    mean = coordinates.mean(axis=0, dtype=np.float64)
    centered = (coordinates - mean).astype(coordinates.dtype)
    norms = np.einsum("ij,ij->i", centered, centered, dtype=np.float64)
    return centered, norms.astype(coordinates.dtype)[:, None]


def _simplified(term: Term) -> tuple[int, int, float, float]:
    """(index into POWERS or −1, φ, its parameter, scale): what roots can do is left to them."""
    if term.delta == _vector.SHANNON:
        return -1, term.phi, term.parameter, term.scale
    if term.phi == _phi.SCALE:
        return 0, term.phi, term.parameter, term.scale * term.parameter
    if term.phi == _phi.POWER and term.parameter in _vector.POWERS:
        return _vector.POWERS.index(term.parameter), term.phi, term.parameter, term.scale
    return -1, term.phi, term.parameter, term.scale


@jit
def fill_shannon(
    x: FloatArray, row: int, panels: FloatArray, first: int, start: int, stop: int, out: FloatArray
) -> None:
    """out[i, j] = Σ_d of the Jensen–Shannon form, pair by pair."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = out.dtype.type(0)
            for d in range(start, stop):
                total += _phi.shannon(x[row + i, d], panels[first + j // LANES, d, j % LANES])
            out[i, j] = total


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
    """out[i, j], in units, of a group of rows with the points of panels; ``part`` is scratch.

    Both arrays are exactly (rows_at_once, 32 · panels).
    """
    for t in range(rule.starts.shape[0]):
        into = out if t == 0 else part
        power = max(rule.powers[t], 0)
        start, stop, form = rule.starts[t], rule.stops[t], rule.forms[t]
        if form == _vector.SHANNON:
            fill_shannon(x, row, panels, first, start, stop, into)
        else:
            fill(x, row, panels, first, last, start, stop, form, power, into)
        scale = x.dtype.type(rule.scales[t])
        for i in range(out.shape[0]):
            if rule.powers[t] < 0:
                _phi.transform(into[i], rule.phis[t], rule.parameters[t])
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
    """out[i, j] for rows [start, stop) of x, whole groups, and all columns of out."""
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
    """Both triangles of out for the row panels [start, stop): half the pairs are computed."""
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


#: Fewer pairs than this take less time than waking a thread.
_PAIRS_WORTH_A_THREAD = 1 << 21


def all_pairs(terms: Sequence[Term]) -> FloatArray:
    """Matrix of ρ between all points of some terms, exactly symmetric. O(n²D) time."""
    points = Points.of(terms)
    n = len(points)
    out = np.empty((n, n), points.table.dtype)
    panels = points.panels()
    x = points.table[np.minimum(np.arange(len(panels) * LANES), n - 1)]
    how = (x, panels, points.rule, points.unit, points.rows_at_once, out)
    # Later rows hold fewer pairs; small pieces taken in turn keep all threads busy.
    _in_threads(lambda piece: fill_symmetric(*how, *piece), blocks(0, len(panels), 4), out.size)
    return out


def cross_pairs(terms: Sequence[Term], n_left: int) -> FloatArray:
    """Matrix of ρ between the first ``n_left`` points of some terms and all others."""
    points = Points.of(terms)
    rows = points.rows(np.arange(n_left))
    panels = in_panels(points.table[n_left:])
    out = np.empty((n_left, len(points) - n_left), points.table.dtype)
    how = (rows, panels, points.rule, points.unit, points.rows_at_once, points.chunk(), out)
    _in_threads(lambda piece: fill_rows(*how, *piece), blocks(0, len(rows), 4 * LANES), out.size)
    return out


def _in_threads(
    work: Callable[[tuple[int, int]], None], pieces: list[tuple[int, int]], n_pairs: int
) -> None:
    threads = default_threads() if n_pairs > _PAIRS_WORTH_A_THREAD else 1
    for _ in run(work, pieces, threads):
        pass
