"""One number of a document: ours, what was published, and how they stand to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import hypot, inf, isfinite
from typing import Any

from kgroups_papers.published import Published
from kgroups_papers.role import Role
from kgroups_papers.verdict import Estimate, Verdict, in_errors, judge, judge_default

_OUTSIDE = (Verdict.HIGHER, Verdict.LOWER, Verdict.BELOW)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of a document, with the names that JSON has; None where there is nothing.

    ``mean`` is None where data are missing. For the defaults, ``published`` is the number of the
    method that they are compared with. A number that is not finite is None, too.
    """

    case: str
    panel: str
    method: str
    measure: str
    role: Role
    mean: float | None = None
    deviation: float | None = None
    runs: int | None = None
    #: The standard error of the mean; None for a single run.
    error: float | None = None
    published: float | None = None
    published_digits: int | None = None
    published_error: float | None = None
    #: The difference in combined standard errors; None where there are none to measure by.
    in_errors: float | None = None
    verdict: Verdict | None = None
    #: Why it is known to differ, or what the defaults trade; empty where nothing is known.
    cause: str = ""
    #: Only for the defaults: ours less the method that they are compared with, on the same samples.
    paired_difference: float | None = None
    paired_error: float | None = None

    def with_numbers(
        self, ours: Estimate | None, theirs: Published | None, paired: Estimate | None = None
    ) -> Row:
        """The same row with what was found, what was published, and how they compare."""
        found: dict[str, Any] = {}
        if ours is not None:
            found |= {"mean": ours.mean, "deviation": ours.deviation, "runs": ours.n}
            found["error"] = ours.error
        if theirs is not None:
            found |= {"published": theirs.value, "published_digits": theirs.digits}
        if ours is not None and theirs is not None:
            rule = judge_default if self.is_default else judge
            found["published_error"] = theirs.error
            found["in_errors"] = in_errors(ours, theirs)
            found["verdict"] = rule(ours, theirs)
        if paired is not None and paired.n > 1:
            found |= {"paired_difference": paired.mean, "paired_error": paired.error}
        return replace(self, **_plain(found))

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Row:
        """What :meth:`to_dict` wrote."""
        verdict = row.get("verdict")
        found = {"role": Role(row["role"]), "verdict": verdict and Verdict(verdict)}
        return cls(**{**row, **found})

    def to_dict(self) -> dict[str, Any]:
        """What there is, as JSON has it."""
        found: dict[str, Any] = {**self._place(), "role": self.role.value}
        if self.runs is not None:
            found |= self._named("mean", "deviation", "runs", "error")
        if self.published is not None:
            found |= self._named("published", "published_digits")
        if self.verdict is not None:
            found |= self._named("published_error", "in_errors", "verdict")
        if self.cause:
            found["cause"] = self.cause
        if self.paired_difference is not None:
            found |= self._named("paired_difference", "paired_error")
        return found

    @property
    def combined_error(self) -> float:
        """Standard error of the difference."""
        return hypot(self.error or 0.0, self.published_error or 0.0)

    @property
    def is_default(self) -> bool:
        """Whether it is compared with another method's number."""
        return self.role is Role.DEFAULT

    @property
    def is_outside(self) -> bool:
        """Whether it differs, or is below what the defaults should reach."""
        return self.verdict in _OUTSIDE

    @property
    def is_as_expected(self) -> bool:
        """Whether it agrees, or differs for a known cause."""
        return not self.is_outside or bool(self.cause)

    @property
    def difference(self) -> float | None:
        """Ours less the published number."""
        return None if self.mean is None or self.published is None else self.mean - self.published

    @property
    def distance(self) -> float:
        """In standard errors, without sign; infinite where there are none to measure by."""
        if self.in_errors is not None:
            return abs(self.in_errors)
        return inf if self.is_outside else 0.0

    def _place(self) -> dict[str, str]:
        return self._named("case", "panel", "method", "measure")

    def _named(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names}


def _plain(found: Mapping[str, Any]) -> dict[str, Any]:
    """Values that JSON can hold: what is not finite becomes None."""
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in found.items()
    }
