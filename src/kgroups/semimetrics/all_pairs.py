"""All distances between points, from coordinates laid out for the innermost loop.

A semimetric that is a sum of terms scale · φ(Σ_d δ(x_d, y_d)) returns them from
:meth:`~kgroups.semimetrics.Semimetric.terms`. Its distances can then be recomputed whenever they
are needed, faster than they could be read from memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import issparse

from kgroups.native import LANES, kernels
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import blocks, default_threads, run
from kgroups.semimetrics import codes
from kgroups.semimetrics.units import in_unit, unit_of
from kgroups.typing import BoolArray, Float64Array, FloatArray, IntArray

# From this many coordinates on, ‖x‖² + ‖y‖² − 2xy takes less time than differences (measured).
_EXPAND_FROM = 32
# Unless the squared distance of some point from the center exceeds the median by the first factor,
# or its mean that from the mean of all points by the second: most sums would then cancel, and have
# to be made anew by differences.
_FAR_OUT, _OFF_CENTER = 1e4, 8.0
# Rows that are moved to the center at a time.
_ROWS_CENTERED = 1 << 10
# Functions of the squared distance that are known in every unit of length. The others are squares
# at short range, which underflow themselves.
_SCALABLE = (codes.POWER, codes.LAPLACIAN, codes.GAUSSIAN)


class Term(NamedTuple):
    """One summand scale · φ(Σ_d δ(x_d, y_d)) of a semimetric, δ and φ given by their codes."""

    coordinates: Any  # an array (n, D), or sparse rows of that shape
    delta: int
    phi: int
    parameter: float
    scale: float

    @property
    def is_sparse(self) -> bool:
        """Whether its coordinates are sparse rows."""
        return bool(issparse(self.coordinates))

    @property
    def line_scale(self) -> float | None:
        """The factor c if the term is c Σ_d |x_d − y_d| of dense columns."""
        if self.is_sparse:
            return None
        if self.delta == codes.ABSOLUTE and self.phi == codes.SCALE:
            return self.scale * self.parameter
        root = self.delta == codes.SQUARED and (self.phi, self.parameter) == (codes.POWER, 0.5)
        return self.scale if root and self.coordinates.shape[1] == 1 else None

    @property
    def mismatch_scale(self) -> float | None:
        """The factor c if the term is c times the number of dense columns whose values differ."""
        if self.is_sparse:
            return None
        is_count = self.delta == codes.MISMATCH and self.phi == codes.SCALE
        return self.scale * self.parameter if is_count else None

    @property
    def gap_scale(self) -> float | None:
        """The factor s if the term is s times what missing entries add."""
        is_sum = self.delta == codes.GAPS and self.phi == codes.SCALE
        return self.scale * self.parameter if is_sum else None


def as_differences(term: Term) -> list[Term]:
    """The term, or for missing entries some that are sums of squared differences.

    Where c or m is 0 in each point, c m' + m c' = ¼ [(b − b')² − (a − a')²] with a = c + m and
    b = c − m, because a² = b². Both are brought to one size first, by a power of two for each
    column, so that no digits of c are lost; and there are few columns in a term, whose squares are
    not expanded, so that they cancel between equal points.
    """
    if term.delta != codes.GAPS:
        return [term]
    c, m = np.split(term.coordinates, 2, axis=1)
    units = [power_of_two(float(np.sqrt(largest))) for largest in np.abs(c).max(axis=0, initial=0)]
    c, m = c / np.asarray(units, c.dtype), m * np.asarray(units, c.dtype)
    quarter = 0.25 * term.scale * term.parameter
    return [
        Term(part[:, start:stop], codes.SQUARED, codes.POWER, 1.0, scale)
        for start, stop in blocks(0, c.shape[1], _EXPAND_FROM - 1)
        for part, scale in ((c - m, quarter), (c + m, -quarter))
    ]


def in_units(term: Term, n_left: int = 0) -> Term:
    """The same term of coordinates whose squared differences neither over- nor underflow. O(nD).

    A power of the distance in other units is a multiple of it, and a bounded function has another
    length scale. The first ``n_left`` points are only compared with the others.
    """
    if term.delta != codes.SQUARED or term.phi not in _SCALABLE:
        return term
    unit = unit_of(term.coordinates, n_left)
    if unit == 1.0:
        return term
    coordinates = in_unit(term.coordinates, unit)
    if term.phi != codes.POWER:
        return term._replace(coordinates=coordinates, parameter=term.parameter / unit)
    with np.errstate(over="ignore", under="ignore"):
        scale = float(term.scale * np.power(unit, 2 * term.parameter))
    # Otherwise distances themselves over- or underflow.
    return term._replace(coordinates=coordinates, scale=scale) if 0 < scale < np.inf else term


class Rule(NamedTuple):
    """ρ = Σ_t scale_t φ_t(Σ_d δ_t(x_d, y_d)) over the coordinates [start, stop) of each term t."""

    starts: IntArray
    stops: IntArray
    forms: IntArray
    #: Indices into ROOT_POWERS, or −1 where φ and its parameter count.
    powers: IntArray
    scales: Float64Array
    phis: IntArray
    parameters: Float64Array


@dataclass(frozen=True, eq=False)
class Points:
    """Coordinates side by side, one row per point, and the rule that reads them.

    Every distance is ``unit`` times what the rule gives. A term with many squared differences holds
    coordinates about a center, followed by their squared norm.
    """

    table: FloatArray
    rule: Rule
    unit: float

    @classmethod
    def of(cls, terms: Sequence[Term], n_left: int = 0, *, as_they_are: bool = False) -> Points:
        """Lay out the terms of a semimetric. O(nD).

        The first ``n_left`` points are only compared with the others. ``as_they_are`` leaves
        coordinates where they are and in their unit, so that nothing depends on the other points:
        for ordinary units, see :func:`kgroups.semimetrics.units.unit_of`.
        """
        columns: list[FloatArray] = []
        entries: list[tuple[int, int, int, int, float, int, float]] = []
        at = 0
        terms = [simple for term in terms for simple in as_differences(term)]
        for term in terms if as_they_are else (in_units(term, n_left) for term in terms):
            coordinates, form = term.coordinates, term.delta
            d = coordinates.shape[1]
            columns.append(coordinates)
            # A sine turns lost digits of large sums into large errors.
            expandable = form == codes.SQUARED and term.phi != codes.SINE
            if expandable and d >= _EXPAND_FROM and not as_they_are:
                moved, norms, share = _about_center(coordinates)
                if share <= _OFF_CENTER and norms.max() <= _FAR_OUT * np.median(norms):
                    form = codes.PRODUCT
                    columns[-1:] = [moved, norms]
            power, phi, parameter, scale = _simplified(term)
            entries.append((at, at + d, form, power, scale, phi, parameter))
            at = sum(c.shape[1] for c in columns)
        fields = zip(zip(*entries, strict=True), "qqqqdqd", strict=True)
        rule = Rule(*(np.array(field, kind) for field, kind in fields))
        unit = 1.0
        if len(terms) == 1:
            unit, rule = float(rule.scales[0]), rule._replace(scales=np.ones(1))
        dtype = np.result_type(*columns)
        table = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1, dtype=dtype)
        return cls(np.ascontiguousarray(table), rule, unit)

    def __len__(self) -> int:
        return len(self.table)

    def panels(self) -> FloatArray:
        """All points in panels, (⌈n/32⌉, columns, 32), padded with copies of the last point."""
        return in_panels(self.table)

    def chunk(self) -> int:
        """Number of panels that stay in the caches while rows pass by, at most 16.

        Few, because each lane adds up one distance from each panel in turn.
        """
        panel_bytes = int(LANES * self.table.shape[1] * self.table.itemsize)
        return max(1, min(16, (1 << 19) // panel_bytes))


def in_panels(table: FloatArray) -> FloatArray:
    """Rows in panels of 32, coordinate by coordinate, padded with copies of the last row."""
    short = -len(table) % LANES
    if short:
        table = np.concatenate([table, np.repeat(table[-1:], short, axis=0)])
    cut = table.reshape(-1, LANES, table.shape[1])
    return np.ascontiguousarray(cut.transpose(0, 2, 1))


def _about_center(coordinates: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Coordinates about a place near their mean, exactly; squared norms; and how these compare.

    The last number is the mean of the squared norms over that about the mean. Rounded coordinates
    would cost near rows far from the center the digits of their distance. So a column is moved only
    where no entry is rounded, as is the case for numbers of few digits, and for those that differ
    by less than a factor of two from the center.
    """
    mean = coordinates.mean(axis=0, dtype=np.float64)
    pieces = blocks(0, len(coordinates), _ROWS_CENTERED)
    squares = sum(np.square(coordinates[a:b] - mean).sum(axis=0) for a, b in pieces)
    spread = np.sqrt(squares / len(coordinates))
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.exp2(np.floor(np.log2(spread / 2.0)))
        center = np.where(spread > 0, np.rint(mean / step) * step, coordinates[0])
    center = np.nan_to_num(center, posinf=0.0, neginf=0.0).astype(coordinates.dtype)
    for start, stop in pieces:
        center[~_is_exact(coordinates[start:stop], center)] = 0.0
    moved = coordinates - center
    norms = np.einsum("ij,ij->i", moved, moved, dtype=np.float64)
    about_mean = float((spread**2).sum())
    share = float(norms.mean()) / about_mean if about_mean > 0 else 1.0
    return moved, norms.astype(coordinates.dtype)[:, None], share


def _is_exact(x: FloatArray, center: FloatArray) -> BoolArray:
    """For which columns no difference x − c is rounded: its error is a number, which must be 0.

    Source: D. Knuth, The Art of Computer Programming 2, section 4.2.2, theorem B.
    """
    moved = x - center
    part = moved - x
    error = (x - (moved - part)) - (center + part)
    return np.asarray((error == 0).all(axis=0))


def _simplified(term: Term) -> tuple[int, int, float, float]:
    """(index into ROOT_POWERS or −1, φ, its parameter, scale), with square roots where they do."""
    _, delta, phi, parameter, scale = term
    if delta != codes.SHANNON and phi == codes.SCALE:
        return 0, phi, parameter, scale * parameter
    roots = delta != codes.SHANNON and phi == codes.POWER and parameter in codes.ROOT_POWERS
    return codes.ROOT_POWERS.index(parameter) if roots else -1, phi, parameter, scale


# Fewer pairs than this take less time than waking a thread.
_PAIRS_WORTH_A_THREAD = 1 << 21


def all_pairs(terms: Sequence[Term], dtype: DTypeLike | None = None) -> FloatArray:
    """Matrix of ρ between all points of some terms, exactly symmetric. O(n²D) time.

    In the type of the coordinates, or in another one.
    """
    points = Points.of(terms)
    n = len(points)
    out = np.empty((n, n), dtype or points.table.dtype)
    panels = points.panels()
    how = (points.table, panels, points.rule, points.unit, out)
    # Later rows hold fewer pairs; small pieces taken in turn keep all threads busy.
    pieces = blocks(0, len(panels), 4)
    _in_threads(lambda piece: kernels.fill_symmetric(*how, *piece), pieces, out.size)
    return out


def cross_pairs(terms: Sequence[Term], n_left: int, dtype: DTypeLike | None = None) -> FloatArray:
    """Matrix of ρ between the first ``n_left`` points of some terms and all others."""
    (whole,) = cross_blocks(terms, n_left, [(0, n_left)], dtype)
    return whole


def cross_blocks(
    terms: Sequence[Term],
    n_left: int,
    pieces: Sequence[tuple[int, int]],
    dtype: DTypeLike | None = None,
) -> Iterator[FloatArray]:
    """The same for some of the first points at a time; the points are laid out once."""
    points = Points.of(terms, n_left)
    panels = in_panels(points.table[n_left:])
    for start, stop in pieces:
        out = np.empty((stop - start, len(points) - n_left), dtype or points.table.dtype)
        how = (points.table[start:stop], panels, points.rule, points.unit, points.chunk(), out)
        _fill_in_threads(how, out)
        yield out


def _fill_in_threads(how: tuple[Any, ...], out: FloatArray) -> None:
    rows = blocks(0, len(out), 4 * LANES)
    _in_threads(lambda piece: kernels.fill_rows(*how, *piece), rows, out.size)


def _in_threads(
    work: Callable[[tuple[int, int]], None], pieces: list[tuple[int, int]], n_pairs: int
) -> None:
    threads = default_threads() if n_pairs > _PAIRS_WORTH_A_THREAD else 1
    for _ in run(work, pieces, threads):
        pass
