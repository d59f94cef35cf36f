"""Hartigan's dip: how far a sample on the line is from having one mode."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from kgroups.input.tables import check_line
from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray

# Uniform samples from which the p-value of a dip is read.
_SIMULATIONS = 1_999
# From this size on the null distribution is that of a nearby size: √n times the dip has a limit.
_SIZE_EXACT, _SIZE_MOST, _SIZE_STEP = 400, 2_000, 1.25
# Dips that differ by less are equal but for rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class DipTestResult:
    """A dip and the share of uniform samples with one at least as large."""

    statistic: float
    pvalue: float
    n_samples: int

    def __str__(self) -> str:
        return f"dip {self.statistic:.4g} of {self.n_samples:,} points, p = {self.pvalue:.4g}"


def dip_test(x: Any) -> DipTestResult:
    r"""Test whether a sample on the line comes from a distribution with one mode.

    .. math:: D = \min_{G \text{ unimodal}} \sup_t |F_n(t) - G(t)|

    p is the share of 1,999 uniform samples whose dip is as large, the sample counted among them.
    The uniform distribution is the worst case of one mode, so for most others the test errs on the
    safe side. Values that repeat are read as they are: rounded data has a mode at every value.
    O(n log n) time, O(n) memory; the simulation, once for each size, 1,999 n, and beyond 400
    points at one of a few sizes up to 2,000, from which the dips of n points follow by √n.

    Parameters
    ----------
    x : array (n,)
        Numbers, none missing.

    Returns
    -------
    DipTestResult
        ``statistic``, by convention at least 1/(2n); ``pvalue``, 1 for fewer than 4 points.

    Examples
    --------
    >>> import numpy as np
    >>> one, two = np.linspace(0, 1, 50), np.linspace(3, 4, 50)
    >>> dip_test(one).pvalue, dip_test(np.concatenate([one, two])).pvalue
    (1.0, 0.0005)

    References
    ----------
    Hartigan & Hartigan, "The dip test of unimodality", Annals of Statistics 13 (1985).
    """
    values = check_line(x, "x")
    return DipTestResult(statistic=dip(values), pvalue=dip_pvalue(values), n_samples=len(values))


def dip(values: Float64Array) -> float:
    """The dip of a sample that need not be sorted."""
    _, exponent = np.frexp(np.abs(values).max())
    return float(dip_of_sorted(np.ldexp(np.sort(values), -exponent)))  # so that nothing overflows


def dip_pvalue(values: Float64Array) -> float:
    """Share of uniform samples of this size with a dip as large, the sample counted."""
    n = len(values)
    if n < 4:
        return 1.0
    size = _size_simulated(n)
    null = _null_dips(size) * np.sqrt(size / n)
    larger = len(null) - int(np.searchsorted(null, dip(values) - _ROUNDING))
    return (1 + larger) / (1 + len(null))


def _size_simulated(n: int) -> int:
    """The size itself while it is small, then the nearest of a few."""
    if n <= _SIZE_EXACT:
        return n
    steps = round(np.log(n / _SIZE_EXACT) / np.log(_SIZE_STEP))
    return int(min(_SIZE_MOST, round(_SIZE_EXACT * _SIZE_STEP**steps)))


@lru_cache(maxsize=_SIZE_EXACT + 16)
def _null_dips(size: int) -> Float64Array:
    """Dips of uniform samples, sorted; the same for the same size on every call."""
    rng = np.random.default_rng(size)
    dips = np.empty(_SIMULATIONS)
    for number in range(_SIMULATIONS):
        # Sums of exponential spacings are sorted uniforms, but for a factor that no dip feels.
        dips[number] = dip_of_sorted(np.cumsum(rng.standard_exponential(size)))
    return np.asarray(np.sort(dips), np.float64)


@jit
def dip_of_sorted(x: Float64Array) -> float:
    """The dip by Hartigan & Hartigan's algorithm: the modal interval shrinks until it fits.

    Between ``low`` and ``high`` a unimodal function lies under the least concave majorant of the
    upper corners of F_n and over the greatest convex minorant of its lower corners. Where the two
    are farthest apart is the next interval; what lies outside costs the distance of F_n from its
    hull there. Everything is counted in points, twice the dip times n.
    """
    n = x.shape[0]
    below = np.arange(n).astype(np.float64)
    above = below + 1.0
    least = 1.0
    if x[0] == x[n - 1]:
        return float(0.5 / n)
    minorant, majorant = np.empty(n, np.int64), np.empty(n, np.int64)
    low, high = 0, n - 1
    while True:
        n_minor = hull(x, below, low, high, 1.0, minorant)
        n_major = hull(x, above, low, high, -1.0, majorant)
        apart, left, right = widest(x, below, above, minorant, n_minor, majorant, n_major)
        if apart <= least:
            break
        j = 0
        for i in range(low, left + 1):
            while j < n_minor - 1 and x[minorant[j]] < x[i]:
                j += 1
            least = max(least, above[i] - height(x, below, minorant, j, x[i]))
        j = 0
        for i in range(right, high + 1):
            while j < n_major - 1 and x[majorant[j]] < x[i]:
                j += 1
            least = max(least, height(x, above, majorant, j, x[i]) - below[i])
        if left >= right or (left == low and right == high):
            break
        low, high = left, right
    return float(least / (2.0 * n))


@jit
def hull(
    x: Float64Array, y: Float64Array, low: int, high: int, sign: float, vertices: IntArray
) -> int:
    """Vertices of the greatest convex minorant (sign 1) or least concave majorant (−1)."""
    count = 0
    for i in range(low, high + 1):
        while (
            count >= 1
            and x[vertices[count - 1]] == x[i]
            and sign * y[i] <= sign * (y[vertices[count - 1]])
        ):
            count -= 1
        if count >= 1 and x[vertices[count - 1]] == x[i]:
            continue
        while count >= 2:
            a, b = vertices[count - 2], vertices[count - 1]
            turn = (y[i] - y[b]) * (x[b] - x[a]) - (y[b] - y[a]) * (x[i] - x[b])
            if sign * turn > 0.0:
                break
            count -= 1
        vertices[count] = i
        count += 1
    return count


@jit
def height(x: Float64Array, y: Float64Array, vertices: IntArray, j: int, t: float) -> float:
    """The hull at t, which lies between its vertices j − 1 and j."""
    if j == 0:
        return float(y[vertices[0]])
    a, b = vertices[j - 1], vertices[j]
    return float(y[a] + (y[b] - y[a]) * (t - x[a]) / (x[b] - x[a]))


@jit
def widest(
    x: Float64Array,
    below: Float64Array,
    above: Float64Array,
    minorant: IntArray,
    n_minor: int,
    majorant: IntArray,
    n_major: int,
) -> tuple[float, int, int]:
    """The largest distance between the two hulls, and the vertices of each around that place."""
    apart, left, right = 0.0, minorant[0], majorant[n_major - 1]
    j = 0
    for i in range(n_minor):
        at = minorant[i]
        while j < n_major - 1 and x[majorant[j]] < x[at]:
            j += 1
        gap = height(x, above, majorant, j, x[at]) - below[at]
        if gap > apart:
            apart, left, right = gap, at, majorant[j]
    j = 0
    for i in range(n_major):
        at = majorant[i]
        while j < n_minor - 1 and x[minorant[j]] <= x[at]:
            j += 1
        gap = above[at] - height(x, below, minorant, j, x[at])
        if gap > apart:
            behind = minorant[j - 1] if j > 0 and x[minorant[j]] > x[at] else minorant[j]
            apart, left, right = gap, behind, at
    return apart, left, right
