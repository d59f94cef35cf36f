"""Hartigan's dip: how far a sample on the line is from having one mode."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.tables import check_line
from kgroups.stats.compiled.dip_test import dip_of_sorted, dips_of_sorted
from kgroups.typing import Float64Array

# Number of uniform samples with which a dip is compared.
_SIMULATIONS = 1_999
# Beyond _SIZE_EXACT points the null distribution is that of one of _SIZES sizes up to 1,797: √n
# times the dip has a limit and is off by about n^(-3/4), of which the sizes are at equal distances.
# Where n is between two of them, a p-value of .05 is off by .002, half a standard error of the
# simulation.
_SIZE_EXACT, _SIZES, _STEP = 100, 14, 0.002
# Dips that differ by less are equal up to rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class DipTestResult:
    """A dip and the share of uniform samples whose dip is at least as large."""

    statistic: float
    pvalue: float
    n_samples: int

    def __str__(self) -> str:
        return f"dip {self.statistic:.4g} of {self.n_samples:,} points, p = {self.pvalue:.4g}"


def dip_test(x: ArrayLike) -> DipTestResult:
    r"""Test whether a sample on the line comes from a distribution with one mode.

    .. math:: D = \min_{G \text{ unimodal}} \sup_t |F_n(t) - G(t)|

    p is the share of 1,999 uniform samples whose dip is as large, with the sample itself included.
    Among distributions with one mode the uniform one has the largest dips, so for most others the
    test is conservative. Repeated values are not smoothed: rounded data have a mode at every value.
    O(n log n) time and O(n) memory. The simulation takes 1,999 n steps once for each size; samples
    of more than 100 points use one of 14 sizes up to 1,797, since √n times the dip has a limit.

    Parameters
    ----------
    x : array (n,)
        Numbers, none missing.

    Returns
    -------
    DipTestResult
        ``statistic``, by convention at least 1/(2n); ``pvalue``, 1 for fewer than 4 points.

    Raises
    ------
    ValueError
        For no numbers, missing or infinite ones, text, or more than one column.

    Examples
    --------
    >>> import numpy as np
    >>> one, two = np.linspace(0, 1, 50), np.linspace(3, 4, 50)
    >>> dip_test(one).pvalue, dip_test(np.concatenate([one, two])).pvalue
    (1.0, 0.0005)

    References
    ----------
    J. A. Hartigan and P. M. Hartigan, "The Dip Test of Unimodality", Ann. Statist. 13 (1), 1985.
    """
    values = check_line(x, "x")
    return DipTestResult(statistic=dip(values), pvalue=dip_pvalue(values), n_samples=len(values))


def dip(values: Float64Array) -> float:
    """The dip of a sample that need not be sorted."""
    _, exponent = np.frexp(np.abs(values).max())
    return float(dip_of_sorted(np.ldexp(np.sort(values), -exponent)))  # against overflow


def dip_pvalue(values: Float64Array) -> float:
    """Share of uniform samples of this size with a dip as large, the sample itself included."""
    n = len(values)
    if n < 4:
        return 1.0
    size = _size_simulated(n)
    null = _null_dips(size) * np.sqrt(size / n)
    larger = len(null) - int(np.searchsorted(null, dip(values) - _ROUNDING))
    return (1 + larger) / (1 + len(null))


def _size_simulated(n: int) -> int:
    """The sample size at which dips are simulated: n itself, or the nearest of a few sizes."""
    if n <= _SIZE_EXACT:
        return n
    first = _SIZE_EXACT**-0.75
    steps = min(_SIZES, round((first - n**-0.75) / _STEP))
    size: float = (first - steps * _STEP) ** (-4 / 3)
    return round(size)


@lru_cache(maxsize=_SIZE_EXACT + 64)
def _null_dips(size: int) -> Float64Array:
    """Sorted dips of uniform samples, which are the same on every call."""
    # Sums of exponential spacings are sorted uniforms up to a factor, which no dip depends on.
    spacings = np.random.default_rng(size).standard_exponential((_SIMULATIONS, size))
    dips = dips_of_sorted(np.cumsum(spacings, axis=1, out=spacings))
    return np.asarray(np.sort(dips), np.float64)
