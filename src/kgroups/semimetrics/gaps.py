r"""Missing entries: a gap is the distribution of its column.

For one column ρ_d(x, y) = ‖φ(x) − φ(y)‖², and a gap stands at the mean of φ(Y), where Y is drawn
from the entries that are there. So

.. math:: ρ_d(x, ?) = E\,ρ_d(x, Y) - \tfrac12 E\,ρ_d(Y, Y'), \qquad ρ_d(?, ?) = 0

are squared distances in the same Hilbert space, and the sum over columns is of negative type again.

It is what an ordinary value v in the place of the gap gives, and a correction
c(x) = ρ_d(x, ?) − ρ_d(x, v) for the pairs in which one of the two entries is missing.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from kgroups.runtime.scaling import power_of_two
from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Term
from kgroups.typing import BoolArray, Float64Array, FloatArray


@dataclass(frozen=True, eq=False)
class ColumnDistribution(abc.ABC):
    """The entries of a column that are there: the different ones, sorted, and how often each is.

    Distances are in a unit of its own, so that no sum of them overflows.
    """

    values: FloatArray
    counts: Float64Array

    @property
    def n(self) -> float:
        """How many entries are there."""
        return float(self.counts.sum())

    @classmethod
    def of(cls, column: FloatArray) -> Self:
        """The distribution of the entries that are not NaN. O(n log n)."""
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        return cls(values, counts.astype(np.float64))

    @property
    @abc.abstractmethod
    def unit(self) -> float:
        """What a distance of 1 is in the column's own numbers."""

    @property
    @abc.abstractmethod
    def spread(self) -> float:
        """E ρ(Y, Y'), the mean distance between two entries drawn independently."""

    @abc.abstractmethod
    def to_gap(self, column: FloatArray) -> Float64Array:
        """E ρ(x, Y) − ½E ρ(Y, Y') for each entry x, NaN for a gap; there must be entries."""

    @abc.abstractmethod
    def to_stand_in(self, column: FloatArray) -> Float64Array:
        """ρ(x, v) for each entry x, where v is the value in the place of a gap."""

    @abc.abstractmethod
    def moved(self, column: FloatArray) -> Float64Array:
        """The entries in units, from where distances lose no digits; NaN for a gap."""

    @abc.abstractmethod
    def filled(self, column: FloatArray) -> FloatArray:
        """The column with the value v for each gap."""

    def corrections(self, column: FloatArray) -> Float64Array:
        """ρ(x, ?) − ρ(x, v) for each entry x, and 0 for each gap."""
        if not len(self.values):
            return np.zeros(len(column))
        more = self.to_gap(column) - self.to_stand_in(column)
        return np.where(np.isnan(column), 0.0, more)


class LineDistribution(ColumnDistribution):
    """Numbers, compared by |x − y|; the median stands in for a gap.

    Examples
    --------
    >>> line = LineDistribution.of(np.array([1.0, np.nan, 2.0, 6.0]))
    >>> line.center, line.unit, round(line.spread, 6)  # of 1, 2, 6: (1 + 4 + 5) * 2 / 9
    (2.0, 2.0, 1.111111)
    >>> (line.unit * line.to_gap(np.array([2.0]))).round(6).tolist()  # (1 + 0 + 4) / 3 - 10 / 9
    [0.555556]
    """

    @cached_property
    def center(self) -> float:
        """The lower median; 0 of no entries."""
        if not len(self.values):
            return 0.0
        return float(self.values[np.searchsorted(self.counts.cumsum(), self.n / 2)])

    @cached_property
    def unit(self) -> float:
        """A power of two near half of the largest difference from the center."""
        if not len(self.values):
            return 1.0
        halves = self.values[[0, -1]].astype(np.float64) / 2 - self.center / 2
        return power_of_two(float(np.abs(halves).max()))

    @cached_property
    def spread(self) -> float:
        """E|Y − Y'| by one walk along the sorted numbers. O(n)."""
        if len(self.values) < 2:
            return 0.0
        below = self.counts.cumsum()[:-1] / self.n
        return float(2 * (below * (1 - below)) @ np.diff(self.moved(self.values)))

    @cached_property
    def _sums(self) -> tuple[Float64Array, Float64Array]:
        """How many entries are among the first values, and the sum of their moved values."""
        n = np.concatenate([[0.0], self.counts.cumsum()])
        total = np.concatenate([[0.0], (self.counts * self.moved(self.values)).cumsum()])
        return n, total

    def __getstate__(self) -> dict[str, Any]:
        return {"values": self.values, "counts": self.counts}

    def moved(self, column: FloatArray) -> Float64Array:
        """Differences from the center in units; NaN for a gap."""
        return np.asarray(column.astype(np.float64) / self.unit - self.center / self.unit)

    def filled(self, column: FloatArray) -> FloatArray:
        """The column with the median for each gap."""
        return np.where(np.isnan(column), column.dtype.type(self.center), column)

    def to_gap(self, column: FloatArray) -> Float64Array:
        """E|x − Y| − ½E|Y − Y'| for each number x; NaN for NaN. O(log n) each."""
        n, sums = self._sums
        order = np.argsort(column)  # sorted numbers are found ten times faster
        before = np.empty(len(column), np.int64)
        before[order] = np.searchsorted(self.values, column[order], side="right")
        mean = (self.moved(column) * (2 * n[before] - n[-1]) + sums[-1] - 2 * sums[before]) / n[-1]
        return np.asarray(mean - self.spread / 2)

    def to_stand_in(self, column: FloatArray) -> Float64Array:
        """|x − center|."""
        return np.abs(self.moved(column))


class CategoryDistribution(ColumnDistribution):
    """Categories, compared by [x ≠ y]; a number of its own stands in for a gap.

    Examples
    --------
    >>> color = CategoryDistribution.of(np.array([0.0, 0.0, np.nan, 1.0, 0.0]))
    >>> color.spread, color.to_gap(np.array([0.0, 1.0, 9.0])).tolist()  # 1/4 − 3/16, ...
    (0.375, [0.0625, 0.5625, 0.8125])
    """

    unit = 1.0

    @cached_property
    def spread(self) -> float:
        """P(Y ≠ Y') = 1 − Σ p²."""
        share = self.counts / self.n if len(self.values) else self.counts
        return float(share @ (1 - share))

    def moved(self, column: FloatArray) -> Float64Array:
        """The categories as they are."""
        return column.astype(np.float64)

    def filled(self, column: FloatArray) -> FloatArray:
        """The column with a number that no category has for each gap."""
        return filled_apart(column)

    def to_gap(self, column: FloatArray) -> Float64Array:
        """P(x ≠ Y) − ½P(Y ≠ Y') for each category, also one that is not among the values."""
        at = np.minimum(np.searchsorted(self.values, column), len(self.values) - 1)
        share = np.where(self.values[at] == column, self.counts[at] / self.n, 0.0)
        return np.where(np.isnan(column), np.nan, 1 - share - self.spread / 2)

    def to_stand_in(self, column: FloatArray) -> Float64Array:
        """1, because no category is the number that stands in for a gap."""
        return np.ones(len(column))


def filled_apart(X: FloatArray) -> FloatArray:
    """The entries, with one number that is not among them for all gaps."""
    if not (gaps := np.isnan(X)).any():
        return X
    code = X.dtype.type(np.inf)
    while (code == X).any():
        code = np.nextafter(code, X.dtype.type(0))
    return np.where(gaps, code, X)


def has_gaps(X: FloatArray) -> BoolArray:
    """Whether each column has a missing entry. O(nD), without a second table where none has."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = X.sum(axis=0)
    suspects = np.flatnonzero(np.isnan(sums))
    found = np.zeros(X.shape[1], np.bool_)
    found[suspects] = [bool(np.isnan(X[:, column]).any()) for column in suspects]
    return found


def gap_term(
    X: FloatArray,
    columns: Sequence[int],
    distributions: Sequence[ColumnDistribution],
    factors: Sequence[float],
    scale: float = 1.0,
) -> Term:
    """What the gaps of some columns add to a sum over columns filled by the same distributions.

    The coordinates are the corrections of all these columns, times their factors, followed by 1 for
    each gap and 0 elsewhere. O(n log n) per column.
    """
    d = len(columns)
    coordinates = np.empty((len(X), 2 * d), np.result_type(X, np.float32), order="F")
    for at, (column, distribution, factor) in enumerate(
        zip(columns, distributions, factors, strict=True)
    ):
        coordinates[:, at] = factor * distribution.corrections(X[:, column])
        coordinates[:, d + at] = np.isnan(X[:, column])
    return Term(coordinates, codes.GAPS, codes.SCALE, scale, 1.0)
