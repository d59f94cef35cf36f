"""Whether a number that was measured agrees with one that was published."""

from __future__ import annotations

from math import hypot, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, t

from kgroups.typing import Float64Array
from papers.published import Published

AGREES, HIGHER, LOWER = "agrees", "higher", "lower"
#: Verdicts on defaults, next to published k-groups.
NOT_BELOW, BELOW = "not below", "below"

# Combined standard errors within which two means are taken to agree.
_WITHIN = 2.5
# Below so many runs the error itself is uncertain, and Student's t of the same probability stands.
_MANY = 30
# Runs that found the same may differ in the last digits, by the order in which they summed.
_SAME = 1e-9


class Estimate(NamedTuple):
    """Mean, standard deviation and number of runs."""

    mean: float
    deviation: float
    n: int

    @classmethod
    def of(cls, values: Float64Array) -> Estimate:
        """The estimate from one value per run."""
        # The mean of equal values is rounded, too, and would make a spread of 1e-17 out of none.
        spread = float(np.std(values, ddof=1)) if np.ptp(values) > _SAME else 0.0
        return cls(float(np.mean(values)), spread, len(values))

    @property
    def error(self) -> float:
        """Standard error of the mean; NaN for a single run."""
        return self.deviation / sqrt(self.n) if self.n > 1 else nan


def published_error(theirs: Published, repeated: Estimate | None) -> float:
    """Standard error of a published mean: as printed, else by our spread of the same number.

    A number that was found once, or that was not repeated, has the error 0.
    """
    if theirs.error is not None:
        return theirs.error
    if theirs.runs is None or repeated is None or repeated.n < 2:
        return 0.0
    return repeated.deviation / sqrt(theirs.runs)


def judge(ours: Estimate, theirs: Published, error: float) -> str:
    """Agreement within 2.5 combined standard errors, apart from what printed digits leave open.

    Below 30 runs the equally rare quantile of Student's t stands; of a single run only the
    published error counts. A mean that is NaN agrees with nothing.
    """
    apart = ours.mean - theirs.value
    if -theirs.below <= apart <= theirs.above:
        return AGREES
    beyond = apart - theirs.above if apart > 0 else -apart - theirs.below
    if beyond <= _quantile(_WITHIN, ours.n) * _combined(ours, error):
        return AGREES
    return HIGHER if apart > 0 else LOWER


def judge_default(ours: Estimate, theirs: Published, error: float) -> str:
    """Whether the defaults are not below a published number by more than one standard error."""
    # A single run has no error, and must reach the number itself.
    one = _quantile(1.0, ours.n) if ours.n > 1 else 0.0
    least = theirs.value - theirs.below - one * _combined(ours, error)
    return NOT_BELOW if ours.mean >= least else BELOW


def _quantile(errors: float, n: int) -> float:
    """Student's t that is as rare as so many standard errors are of normal means."""
    return errors if n < 2 or n >= _MANY else float(t.isf(norm.sf(errors), n - 1))


def _combined(ours: Estimate, error: float) -> float:
    return hypot(ours.error if ours.n > 1 else 0.0, error)
