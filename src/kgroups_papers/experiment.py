"""What an experiment of a paper is, and what it gave: the numbers of all runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kgroups_papers.data import DataFolders
from kgroups_papers.published import Published, discrepancies, published, trades
from kgroups_papers.recipes.chance import generator
from kgroups_papers.role import Role
from kgroups_papers.row import Row
from kgroups_papers.types import Float64Array, Scores
from kgroups_papers.verdict import Estimate, with_error

Run = Callable[[Any, np.random.Generator, DataFolders], Scores]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A column of a table, a line of a picture."""

    key: str
    title: str
    role: Role = Role.PAPER
    #: Of defaults: the published method that they are held against, by case where it differs; empty
    #: where it is that of the experiment.
    against: str | Mapping[str, str] = ""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One place where methods are compared: a point of an axis, a data set, a network."""

    #: As the published numbers have it.
    key: str
    #: What a run is given. Picklable.
    parameters: Any
    #: Where it stands on the axis of a picture, and of which panel where there are several.
    x: float | None = None
    panel: str = ""
    #: The data set without which it cannot be.
    data: str | None = None


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A figure or table: ``run`` draws one sample and measures every method on it.

    ``n_runs`` is the number that the paper has, or more where it has few, ``quick_runs`` and
    ``quick_cases`` what ``--quick`` takes. ``other_names`` are figures that come from the same
    runs.
    """

    name: str
    title: str
    #: Paper, figure or table, equations.
    source: str
    #: What is done, in a few sentences.
    about: str
    cases: tuple[Case, ...]
    methods: tuple[Method, ...]
    run: Run
    draw: Callable[[Outcome], Any]
    n_runs: int
    quick_runs: int
    quick_cases: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()
    measures: tuple[str, ...] = ("accuracy",)
    #: What cases are called: "D", "n", "data set".
    axis: str = "case"
    #: The published method that the defaults are held against; empty where there is none.
    default_against: str = "kgroups"
    notes: tuple[str, ...] = ()

    def chosen(self, *, quick: bool) -> Iterator[Case]:
        """The cases of a quick or a full run."""
        for case in self.cases:
            if not quick or not self.quick_cases or case.key in self.quick_cases:
                yield case

    def held_against(self, default: Method, case: str) -> str:
        """The published method that defaults should not be below."""
        found = default.against
        named = found if isinstance(found, str) else found.get(case, "")
        return named or self.default_against

    def cause(self, case: str, method: Method, measure: str) -> str:
        """Why a number is known to differ, or what a default trades; the first cause counts."""
        known = (trades if method.role is Role.DEFAULT else discrepancies)(self.name)
        causes = (found.cause for found in known if found.covers(case, method.key, measure))
        return next(causes, "")

    def method(self, key: str) -> Method:
        """The method of that key."""
        return next(method for method in self.methods if method.key == key)


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """Every run of an experiment, by case, method and measure."""

    experiment: Experiment
    quick: bool
    seed: int
    data: DataFolders
    values: Mapping[tuple[str, str, str], Float64Array]
    #: Cases that could not be run, and why.
    missing: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    #: Runs that a cache had from before.
    n_kept: int = 0

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that were run, in order."""
        chosen = self.experiment.chosen(quick=self.quick)
        return tuple(case for case in chosen if case.key not in self.missing)

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
        """Random numbers for a picture that shows one sample: the same for the same seed."""
        return generator(self.seed, self.experiment.name, purpose, 0)

    def rows(self) -> Iterator[Row]:
        """One row for every number that was measured or published."""
        for case in self.experiment.chosen(quick=self.quick):
            for method in self.experiment.methods:
                for measure in self.experiment.measures:
                    row = self._row(case, method, measure)
                    if row is not None:
                        yield row

    def _row(self, case: Case, method: Method, measure: str) -> Row | None:
        """None where there is nothing to say: of the defaults, wherever they were not measured."""
        is_default = method.role is Role.DEFAULT
        other = self.experiment.held_against(method, case.key) if is_default else method.key
        ours = self.estimate(case.key, method.key, measure)
        theirs = self.published(case.key, other, measure)
        if theirs is not None:
            theirs = with_error(theirs, self.estimate(case.key, other, measure))
        if ours is None and (theirs is None or is_default):
            return None
        row = Row(
            case=case.key,
            panel=case.panel,
            method=method.key,
            measure=measure,
            role=method.role,
            cause=self.experiment.cause(case.key, method, measure),
        )
        paired = self._paired(case.key, method.key, other, measure) if is_default else None
        return row.with_numbers(ours, theirs, paired)

    def _paired(self, case: str, method: str, other: str, measure: str) -> Estimate | None:
        """The difference of two methods, run by run."""
        ours, theirs = (self.values.get((case, key, measure)) for key in (method, other))
        return None if ours is None or theirs is None else Estimate.of(ours - theirs)
