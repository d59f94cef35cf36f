"""What an experiment is: cases, methods, one run and a picture; and how a script registers one."""

from __future__ import annotations

import enum
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from papers.data import DataFolders
from papers.published import Estimate, Published, Row, published

#: The measures of each method, by its key.
Scores: TypeAlias = Mapping[str, Mapping[str, float]]
Run: TypeAlias = Callable[[Any, np.random.Generator, DataFolders], Scores]

_REGISTERED: dict[str, Experiment] = {}


class Role(enum.StrEnum):
    """Why a method stands in a table."""

    PAPER = "as published"
    #: The published numbers come out with settings that the paper does not state.
    INFERRED = "as inferred"
    CORRECTED = "corrected"
    BEYOND = "beyond the paper"
    DEFAULT = "kgroups' defaults"


@dataclass(frozen=True)
class Method:
    """A column of a table, a line of a picture.

    ``against`` names the published method that defaults are compared with, by case where it
    differs; empty where it is that of the experiment.
    """

    key: str
    title: str
    role: Role = Role.PAPER
    against: str | Mapping[str, str] = ""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A figure or table: ``run`` draws one sample and measures every method on it.

    ``cases`` have the parameters of a run by the key of the published numbers, ``data`` the data
    set that a case needs. ``other_names`` are figures that come from the same runs.
    """

    name: str
    title: str
    source: str
    about: str
    run: Run
    cases: Mapping[str, Any]
    methods: tuple[Method, ...]
    runs: int
    quick_runs: int
    quick_cases: tuple[str, ...] = ()
    measures: tuple[str, ...] = ("accuracy",)
    axis: str = "case"
    data: Mapping[str, str] = field(default_factory=dict)
    default_against: str = "kgroups"
    other_names: tuple[str, ...] = ()
    draw: Callable[[Outcome], Any]

    def chosen(self, *, quick: bool) -> list[str]:
        """The cases of a quick or a full run."""
        return list(self.quick_cases if quick and self.quick_cases else self.cases)

    def compared_with(self, method: Method, case: str) -> str:
        """The published method that a method's number is compared with."""
        if method.role is not Role.DEFAULT:
            return method.key
        named = method.against
        return (named if isinstance(named, str) else named.get(case, "")) or self.default_against


def experiment(name: str, title: str, **settings: Any) -> Callable[[Run], Run]:
    """Register a function as the run of an experiment; ``settings`` are its other fields."""

    def register(run: Run) -> Run:
        _REGISTERED[name] = Experiment(name=name, title=title, run=run, **settings)
        return run

    return register


@cache
def catalog() -> Mapping[str, Experiment]:
    """All experiments by name, in the order of the papers."""
    scripts = import_module("papers.experiments")
    for script in pkgutil.iter_modules(scripts.__path__, f"{scripts.__name__}."):
        import_module(script.name)
    return {name: _REGISTERED[name] for name in sorted(_REGISTERED, key=_place)}


def find(name: str) -> Experiment:
    """The experiment of that name, or of that other name."""
    for found in catalog().values():
        if name == found.name or name in found.other_names:
            return found
    raise ValueError(f"There is no experiment {name!r}; --list shows all names.")


def generator(seed: int, name: str, case: str, run: int) -> np.random.Generator:
    """The chance of one run: the same whatever ran before it, and wherever it runs."""
    return np.random.default_rng([seed, crc32(f"{name}/{case}".encode()), run])


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """Every run of an experiment, by case, method and measure."""

    experiment: Experiment
    seed: int
    data: DataFolders
    values: Mapping[tuple[str, str, str], NDArray[np.float64]]
    #: The cases that were run, in order.
    cases: tuple[str, ...]
    #: Why others could not be run.
    missing: Mapping[str, str] = field(default_factory=dict)

    def estimate(self, case: str, method: str, measure: str | None = None) -> Estimate | None:
        """Mean and error of a number; None where it was not measured."""
        values = self.values.get((case, method, measure or self.experiment.measures[0]))
        return None if values is None else Estimate.of(values)

    def published(self, case: str, method: str, measure: str | None = None) -> Published | None:
        """The published number of a case and a method."""
        measures = self.experiment.measures
        numbers = published(self.experiment.name, measures[0])
        return numbers.get((case, method, measure or measures[0]))

    def rng(self, purpose: str) -> np.random.Generator:
        """Random numbers for a picture that shows one sample: the same for the same seed."""
        return generator(self.seed, self.experiment.name, purpose, 0)

    def rows(self) -> Iterator[Row]:
        """One row for every number that was measured."""
        for case in self.cases:
            for method in self.experiment.methods:
                for measure in self.experiment.measures:
                    ours = self.estimate(case, method.key, measure)
                    if ours is not None:
                        yield self._row(case, method, measure, ours)

    def _row(self, case: str, method: Method, measure: str, ours: Estimate) -> Row:
        other = self.experiment.compared_with(method, case)
        theirs = self.published(case, other, measure)
        repeated = self.estimate(case, other, measure)
        is_default = method.role is Role.DEFAULT
        return Row.of(case, method, measure, ours, theirs, repeated, is_default=is_default)


def _place(name: str) -> tuple[int, str]:
    """Figures and tables of the paper, then those of its earlier version, then of the draft."""
    kinds = ("fig", "table", "icml", "draft")
    return next(i for i, kind in enumerate(kinds) if name.startswith(kind)), name
