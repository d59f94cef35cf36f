"""Whether a number that was measured agrees with one that was published."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from math import hypot, inf, sqrt

import numpy as np
from scipy.stats import norm, t

from kgroups_papers.published import Published
from kgroups_papers.types import Float64Array

#: Combined standard errors within which two means are taken to agree.
AGREES = 2.5
# Below so many runs the error itself is uncertain, and Student's t of the same probability stands.
_MANY = 30
# Runs that found the same may differ in the last digits, by the order in which they summed.
_SAME = 1e-9
#: How often a number that is the same would be judged to differ.
BY_CHANCE = 2 * float(norm.sf(AGREES))


class Verdict(enum.StrEnum):
    """How ours stands to the published number."""

    AGREES = "agrees"
    HIGHER = "higher"
    LOWER = "lower"
    #: Of the defaults, next to published k-groups.
    NOT_BELOW = "not below"
    BELOW = "below"


@dataclass(frozen=True)
class Estimate:
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
        """Standard error of the mean; 0 where all runs are alike, NaN for a single one."""
        return self.deviation / sqrt(self.n) if self.n > 1 else float("nan")


def with_error(theirs: Published, repeated: Estimate | None) -> Published:
    """A published mean with its standard error: as printed, else as our spread has it.

    ``repeated`` is our estimate of the same number. A number that was found once, or that we did
    not repeat, has the error 0.
    """
    if theirs.error is not None:
        return theirs
    if theirs.n_runs is None or repeated is None or repeated.n < 2:
        return replace(theirs, error=0.0)
    return replace(theirs, error=repeated.deviation / sqrt(theirs.n_runs))


def combined_error(ours: Estimate, theirs: Published) -> float:
    """Standard error of the difference of the two means."""
    own = 0.0 if ours.n < 2 else ours.error
    return hypot(own, theirs.error or 0.0)


def tolerance(n: int, chance: float = BY_CHANCE) -> float:
    """Standard errors beyond which equal means are with this chance: Student's t below 30 runs.

    >>> tolerance(100), round(tolerance(5), 2), round(tolerance(100, 1 / 1000), 2)
    (2.5, 4.32, 3.29)
    """
    # Of a single run the spread is not known, and only the published error counts.
    if n < 2 or n >= _MANY:
        return AGREES if chance == BY_CHANCE else float(norm.isf(chance / 2))
    return float(t.isf(chance / 2, n - 1))


def judge(ours: Estimate, theirs: Published) -> Verdict:
    """Agreement within the combined standard error, apart from what printed digits leave open."""
    difference = beyond_digits(ours, theirs)
    # A mean that is NaN agrees with nothing.
    if abs(difference) <= tolerance(ours.n) * combined_error(ours, theirs):
        return Verdict.AGREES
    return Verdict.HIGHER if difference > 0 else Verdict.LOWER


def judge_default(ours: Estimate, theirs: Published) -> Verdict:
    """Whether the defaults are not below a published number by more than one standard error.

    Few runs may be: then the error is that of Student's t.
    """
    one = 1.0 if ours.n >= _MANY else float(t.isf(norm.sf(1.0), ours.n - 1)) if ours.n > 1 else 0.0
    least = theirs.value - one * combined_error(ours, theirs) - theirs.below
    return Verdict.NOT_BELOW if ours.mean >= least else Verdict.BELOW


def in_errors(ours: Estimate, theirs: Published) -> float:
    """The difference beyond printed digits in combined standard errors.

    Infinite where neither number has one.
    """
    difference = beyond_digits(ours, theirs)
    error = combined_error(ours, theirs)
    if error > 0 or difference == 0:
        return difference / error if difference else 0.0
    return inf if difference > 0 else -inf


def beyond_digits(ours: Estimate, theirs: Published) -> float:
    """The difference of the means, less what the printed digits leave open."""
    difference = ours.mean - theirs.value
    if -theirs.below <= difference <= theirs.above:
        return 0.0
    return difference - theirs.above if difference > 0 else difference + theirs.below
