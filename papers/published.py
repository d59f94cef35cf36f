"""Published numbers, and whether ours agree with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import hypot, nan, sqrt
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

FOLDER = Path(__file__).parent / "published"

#: Combined standard errors within which two means are taken to agree.
_WITHIN = 2.5
# Below so many runs the error itself is uncertain, and Student's t of the same probability stands.
_MANY = 30
# Runs that found the same may differ in the last digits, by the order in which they summed.
_SAME = 1e-9

AGREES, HIGHER, LOWER = "agrees", "higher", "lower"
#: Verdicts on defaults, next to published k-groups.
NOT_BELOW, BELOW = "not below", "below"


@dataclass(frozen=True)
class Published:
    """A mean as it was published.

    ``error`` is its standard error where that is printed; else ``runs`` is the number of runs
    behind it, None for a number that was found once. The number itself may be ``below`` or
    ``above`` the printed one by what digits leave open.
    """

    value: float
    below: float
    above: float
    error: float | None = None
    runs: int | None = None

    def error_by(self, repeated: Estimate | None) -> float:
        """Its standard error: as printed, else by our spread of the same number, else 0."""
        if self.error is not None:
            return self.error
        if self.runs is None or repeated is None or repeated.n < 2:
            return 0.0
        return repeated.deviation / sqrt(self.runs)


#: By case, method and measure.
Numbers: TypeAlias = Mapping[tuple[str, str, str], Published]


class Estimate(NamedTuple):
    """Mean, standard deviation and number of runs."""

    mean: float
    deviation: float
    n: int

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Estimate:
        """The estimate from one value per run."""
        # The mean of equal values is rounded, too, and would make a spread of 1e-17 out of none.
        spread = float(np.std(values, ddof=1)) if np.ptp(values) > _SAME else 0.0
        return cls(float(np.mean(values)), spread, len(values))

    @property
    def error(self) -> float:
        """Standard error of the mean; NaN for a single run."""
        return self.deviation / sqrt(self.n) if self.n > 1 else nan


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


class _Method(Protocol):
    key: str
    title: str
    role: Any


class Row(NamedTuple):
    """One number: ours, what was published, and how they compare; None where there is nothing.

    Of defaults, ``published`` is the number of the method that they are compared with.
    """

    case: str
    method: str
    measure: str
    role: str
    runs: int
    ours: float
    error: float
    published: float | None = None
    verdict: str = ""

    @classmethod
    def of(
        cls,
        case: str,
        method: _Method,
        measure: str,
        ours: Estimate,
        theirs: Published | None,
        repeated: Estimate | None,
        *,
        is_default: bool,
    ) -> Row:
        """A row with its verdict; ``repeated`` is our estimate of the published number."""
        row = cls(case, method.key, measure, str(method.role), ours.n, ours.mean, ours.error)
        if theirs is None:
            return row
        rule = judge_default if is_default else judge
        verdict = rule(ours, theirs, theirs.error_by(repeated))
        return row._replace(published=theirs.value, verdict=verdict)


class Cause(NamedTuple):
    """Why numbers are known to differ; empty cases or measures stand for all."""

    text: str
    methods: Sequence[str]
    cases: Sequence[str]
    measures: Sequence[str]

    def covers(self, row: Row) -> bool:
        """Whether it speaks of this number."""
        return (
            row.method in self.methods
            and (not self.cases or row.case in self.cases)
            and (not self.measures or row.measure in self.measures)
        )


def causes(name: str) -> list[Cause]:
    """Why numbers of an experiment differ, or what its defaults trade, where that is known."""
    entry = _entry(name)
    return [
        Cause(c["cause"], c["methods"], c.get("cases", ()), c.get("measures", ()))
        for c in (*entry.get("discrepancies", ()), *entry.get("trades", ()))
    ]


def source(name: str) -> str:
    """Where an experiment's numbers were published; empty where there are none."""
    return str(_entry(name).get("source", ""))


@cache
def published(name: str, measure: str = "accuracy") -> Numbers:
    """All published numbers of an experiment; ``measure`` names those that stand alone.

    In the file a number is a value, or a value and its spread over the runs: their standard
    deviation, unless ``spread`` says "error". ``runs_of`` has the cases whose number of runs is
    another; ``digits_of`` the measures that are printed with another number of digits; ``cut`` is
    true where digits may have been cut instead of rounded.
    """
    entry = _entry(name)
    return {
        (case, method, key): _number(value, case, key, entry)
        for method, cases in entry.get("values", {}).items()
        for case, found in cases.items()
        for key, value in (found if isinstance(found, dict) else {measure: found}).items()
    }


def _number(value: Any, case: str, measure: str, entry: Mapping[str, Any]) -> Published:
    runs, error = entry.get("runs_of", {}).get(case, entry.get("runs")), None
    if isinstance(value, list):
        value, spread = value
        error = spread if entry.get("spread") == "error" else spread / sqrt(runs)
    digit = 10.0 ** -entry.get("digits_of", {}).get(measure, entry["digits"])
    above = digit if entry.get("cut") else 0.5 * digit
    # Rounding of a mean of two binary numbers must not decide about agreement.
    return Published(float(value), 0.5 * digit + _SAME, above + _SAME, error, runs)


@cache
def _entry(name: str) -> dict[str, Any]:
    file = FOLDER / f"{name}.json"
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}
