"""Units of length in which no square of a difference over- or underflows.

Units are powers of 16, so that dividing by them rounds nothing, nor do square roots of their
squares. Data of ordinary size has the unit 1.
"""

import numpy as np

from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import blocks
from kgroups.typing import FloatArray, IntArray

# Spreads between these have differences whose squares are normal numbers, down to one rounding of
# the spread, and sums of millions of such squares.
_ORDINARY = {np.dtype(np.float32): (2.0**-39, 2.0**55), np.dtype(np.float64): (2.0**-400, 2.0**500)}
# Squares of smaller differences are not normal numbers in float32, or nearly so.
_TINY = 2.0**-60
# Rows that show the spread of nearly all data.
_FEW = 64
_ROWS = 4096


def unit_of(table: FloatArray, n_left: int = 0) -> float:
    """A unit in which squares of differences between rows are normal numbers; 1 if they are anyway.

    Among large rows it is no larger than needed, so that those far away leave the other differences
    their digits. The first ``n_left`` rows are only compared with the others, whose spread counts
    more. O(nD).
    """
    least, most = _ORDINARY[table.dtype]
    if len(table) <= n_left or _is_ordinary(table, n_left, least, most):
        return 1.0
    # A single point, or equal ones, have no spread of their own.
    return _unit_of_spreads(_spreads(table), _spreads(table[n_left:]), least, most)


def unit_of_extent(low: FloatArray, high: FloatArray, few: FloatArray) -> float:
    """:func:`unit_of` rows of which the extent of each column is known, and a few rows.

    ``few`` are every s-th row from the first on, at most 64.
    """
    least, most = _ORDINARY[few.dtype]
    if -most < low.min() and high.max() < most and _spreads(few).max() >= least:
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.asarray(high - low)
    return _unit_of_spreads(spread, spread, least, most)


def few_rows(n: int) -> IntArray:
    """Numbers of the rows that show the spread of nearly all data."""
    return np.arange(0, n, max(1, -(-n // _FEW)))


def _unit_of_spreads(of_all: FloatArray, of_others: FloatArray, least: float, most: float) -> float:
    largest = float(of_all.max())
    if largest > most:
        return 16 * power_of_16(largest / most)
    spread = float(of_others.max()) or largest
    return power_of_16(max(spread, largest / most)) if spread < least else 1.0


def has_tiny(table: FloatArray) -> bool:
    """Whether some entry is not 0 and near it. A few rows at a time, which stay in the caches."""
    for start, stop in blocks(0, len(table), _ROWS):
        rows = table[start:stop]
        near = np.abs(rows) < _TINY
        if near.any() and rows[near].any():
            return True
    return False


def in_unit(table: FloatArray, unit: float) -> FloatArray:
    """The rows in a unit; constant columns, which might overflow and make no difference, are 0."""
    with np.errstate(over="ignore"):
        return np.where(_spreads(table) > 0, table / table.dtype.type(unit), 0)


def widened(table: FloatArray) -> FloatArray:
    """The rows in float64 if squares of differences are not normal numbers in their type. O(nD).

    Rows in float32 also if some entry is tiny, because other rows may be far larger.
    """
    if table.dtype == np.float64 or (unit_of(table) == 1.0 and not has_tiny(table)):
        return table
    return table.astype(np.float64)


def _is_ordinary(table: FloatArray, n_left: int, least: float, most: float) -> bool:
    """Whether no entry is large and a few rows have an ordinary spread, as in nearly all data."""
    if not (-most < table.min() and table.max() < most):
        return False
    others = table[n_left:]
    few = others[:: -(-len(others) // _FEW)]
    return bool(_spreads(few).max() >= least)


def _spreads(table: FloatArray) -> FloatArray:
    """The difference between the largest and the smallest entry of each column."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(table.max(axis=0) - table.min(axis=0))


def power_of_16(value: float) -> float:
    """At most a positive number and more than a sixteenth of it."""
    exponent = int(np.log2(power_of_two(value)))
    return float(np.ldexp(1.0, exponent // 4 * 4))
