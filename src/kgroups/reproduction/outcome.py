"""What an experiment gave: numbers of all runs, next to what was published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kgroups.datasets.benchmarks import DataFolders
from kgroups.reproduction.experiment import Case, Experiment, Role
from kgroups.reproduction.published import Published, discrepancies, published, trades
from kgroups.reproduction.recipes.chance import generator
from kgroups.reproduction.verdict import (
    Estimate,
    Verdict,
    in_errors,
    judge,
    judge_default,
    with_error,
)
from kgroups.typing import Float64Array


@dataclass(frozen=True, kw_only=True)
class Row:
    """One number: ours, what was published, and how they stand to each other.

    ``ours`` is None where data are missing. Of the defaults, ``theirs`` is published k-groups.
    """

    case: str
    panel: str
    method: str
    measure: str
    role: Role
    ours: Estimate | None
    theirs: Published | None
    #: Why it is known to differ, or what the defaults trade; empty where nothing is known.
    cause: str
    #: Of the defaults: ours less the method that they are held against, on the same samples.
    paired: Estimate | None = None

    @property
    def verdict(self) -> Verdict | None:
        """None where there is nothing to compare."""
        if self.ours is None or self.theirs is None:
            return None
        is_default = self.role is Role.DEFAULT
        return (judge_default if is_default else judge)(self.ours, self.theirs)

    @property
    def is_as_expected(self) -> bool:
        """Whether it agrees, or differs for a cause that is known."""
        return self.verdict not in (Verdict.HIGHER, Verdict.LOWER, Verdict.BELOW) or bool(
            self.cause
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers; the error of a single run is None."""
        ours, theirs = self.ours, self.theirs
        found: dict[str, Any] = {
            "case": self.case,
            "panel": self.panel,
            "method": self.method,
            "measure": self.measure,
            "role": self.role.value,
        }
        if ours is not None:
            found |= {"mean": ours.mean, "deviation": ours.deviation, "runs": ours.n}
            found["error"] = ours.error if ours.n > 1 else None
        if theirs is not None:
            found |= {"published": theirs.value, "published_digits": theirs.digits}
        if ours is not None and theirs is not None:
            errors = in_errors(ours, theirs)
            found["published_error"] = theirs.error
            found["in_errors"] = errors if np.isfinite(errors) else None
            found["verdict"] = self.verdict
        if self.cause:
            found["cause"] = self.cause
        if self.paired is not None and self.paired.n > 1:
            found["paired_difference"] = self.paired.mean
            found["paired_error"] = self.paired.error
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """Every run of an experiment, by case, method and measure."""

    experiment: Experiment
    quick: bool
    seed: int
    data: DataFolders
    values: Mapping[tuple[str, str, str], Float64Array]
    #: Cases that could not be, and why.
    missing: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    #: Runs that a cache had from before.
    n_kept: int = 0

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that were run, in order."""
        return tuple(
            case
            for case in self.experiment.chosen(quick=self.quick)
            if case.key not in self.missing
        )

    def estimate(self, case: str, method: str, measure: str | None = None) -> Estimate | None:
        """Mean and error of a number; None where it was not measured."""
        values = self.values.get((case, method, measure or self.experiment.measures[0]))
        return None if values is None else Estimate.of(values)

    def published(self, case: str, method: str, measure: str | None = None) -> Published | None:
        """The published number of a case and a method."""
        experiment = self.experiment
        numbers = published(experiment.name, experiment.measures[0])
        return numbers.get((case, method, measure or experiment.measures[0]))

    def rng(self, purpose: str) -> np.random.Generator:
        """Chance for a picture that shows one sample: the same for the same seed."""
        return generator(self.seed, self.experiment.name, purpose, 0)

    def rows(self) -> Iterator[Row]:
        """A row for every number that was measured or published."""
        experiment = self.experiment
        for case in experiment.chosen(quick=self.quick):
            for method in experiment.methods:
                is_default = method.role is Role.DEFAULT
                reference = method.key
                if is_default:
                    reference = experiment.held_against(method, case.key)
                known = (trades if is_default else discrepancies)(experiment.name)
                for measure in experiment.measures:
                    ours = self.estimate(case.key, method.key, measure)
                    theirs = self.published(case.key, reference, measure)
                    if theirs is not None:
                        repeated = self.estimate(case.key, reference, measure)
                        theirs = with_error(theirs, repeated)
                    if ours is None and (theirs is None or is_default):
                        continue
                    causes = (d.cause for d in known if d.covers(case.key, method.key, measure))
                    yield Row(
                        case=case.key,
                        panel=case.panel,
                        method=method.key,
                        measure=measure,
                        role=method.role,
                        ours=ours,
                        theirs=theirs,
                        cause=next(causes, ""),
                        paired=self._paired(case.key, method.key, reference, measure)
                        if is_default
                        else None,
                    )

    def _paired(self, case: str, method: str, other: str, measure: str) -> Estimate | None:
        """The difference of two methods, run by run."""
        ours, theirs = (self.values.get((case, key, measure)) for key in (method, other))
        return None if ours is None or theirs is None else Estimate.of(ours - theirs)
