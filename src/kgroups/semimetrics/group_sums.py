"""Sums of ρ from rows to groups of weighted points, of which no distance is kept.

All that proves an optimum without all pairs is made of these sums. A group is laid out once and
serves any number of rows; a row's sum is added up in float64 in an order that depends on nothing
but the group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kgroups.native import LANES, kernels
from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Points, in_panels
from kgroups.typing import Float64Array, FloatArray, IntArray

# Panels in one call, whose distances to a row are added up in the type of the coordinates.
_PANELS = 16
# That of the largest float64, about.
_LARGEST_LOGARITHM = 710.0
# Below this share of ‖x‖² + ‖y‖², squared distances are computed by differences.
_CANCELED = 1 / 16
_EPS = float(np.finfo(np.float64).eps)


class Group(NamedTuple):
    """Weighted points in panels; points of weight zero fill the last panel."""

    rows: FloatArray
    panels: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, table: FloatArray, weights: Float64Array) -> Group:
        """Lay out some points. O(nD)."""
        n = len(table)
        panels = in_panels(table)
        padded = np.zeros(len(panels) * LANES, table.dtype)
        padded[:n] = weights
        rows = table if len(padded) == n else table[np.minimum(np.arange(len(padded)), n - 1)]
        return cls(np.ascontiguousarray(rows), panels, padded)


class PairSum(NamedTuple):
    """Sums from each point of a piece of a group to the rest of its panel, and to later ones."""

    own: Float64Array
    later: Float64Array


def sums_to_group(
    points: Points, queries: FloatArray, group: Group, first: int = 0, last: int | None = None
) -> Float64Array:
    r"""Σ_y w_y ρ(x_i, y) from some rows to the points of some panels of a group, shape (b,).

    O(b n D) time for a group of n points, and the memory of the rows.

    Parameters
    ----------
    points : Points
        The rule by which rows are compared.
    queries : array (b, columns)
        Rows of the table of ``points``, or of one with the same layout.
    group : Group
    first, last : int
        The panels that count; all by default.
    """
    out = np.empty(len(queries))
    stop = len(group.panels) if last is None else last
    how = (group.panels, group.weights, points.rule, min(_PANELS, points.chunk()))
    kernels.add_group(np.ascontiguousarray(queries), *how, first, stop, out)
    return points.unit * out


def sums_within_group(
    points: Points, group: Group, start: int, stop: int, last: int | None = None
) -> PairSum:
    r"""Sums of ρ from some points of a group, in the panels [start, stop), to those up to ``last``.

    With w the weights of the group, Σ_i w_i (own_i + 2 later_i) over all its points is the sum
    Σ_x Σ_y w_x w_y ρ(x, y), of which each pair is looked at once.
    """
    end = len(group.panels) if last is None else last
    own, later = np.empty(len(group.rows)), np.empty(len(group.rows))
    how = (group.panels, group.weights, points.rule, min(_PANELS, points.chunk()))
    some = slice(start * LANES, stop * LANES)
    kernels.add_later(group.rows, *how, start, stop, end, own, later)
    return PairSum(points.unit * own[some], points.unit * later[some])


def relative_rounding(points: Points) -> float:
    """A bound on the error of a sum of distances, relative to the sum.

    With u the unit roundoff, a sum of D squares is off by (D + 2)u of itself, and one by products
    by (D + 8)u of both norms, of which it is at least 1/16 where it is kept; φ is as smooth as a
    power up to 1 where it is a power, and else at most as steep as the distance is long, except
    that an arc of nearly half a circle has half of the digits of its chord. Powers that are not
    roots are off by as many roundings of float64 as their logarithm is large. Sums of up to 16
    distances are added up in the type of the coordinates.
    """
    u = float(np.finfo(points.table.dtype).eps) / 2
    worst = max(_roundings(points, term, u) for term in range(len(points.rule.starts)))
    return (worst + _PANELS + 4) * u


def _roundings(points: Points, term: int, u: float) -> float:
    start, stop, form, power, _, phi, _ = (field[term].item() for field in points.rule)
    width = stop - start
    of_sum = (width + 8) / _CANCELED if form == codes.PRODUCT else width + 2.0
    if power >= 0:
        return of_sum * codes.ROOT_POWERS[power] + 8.0
    of_phi = float(np.sqrt(of_sum / u)) if phi == codes.ARC else of_sum
    return of_phi + 8.0 + _LARGEST_LOGARITHM * _EPS / u


def as_float64(points: Points, index: IntArray | slice) -> Points:
    """Some points with coordinates in float64, compared by differences."""
    rule = points.rule
    forms = np.where(rule.forms == codes.PRODUCT, codes.SQUARED, rule.forms)
    table = points.table[index].astype(np.float64)
    return replace(points, table=table, rule=rule._replace(forms=forms))
