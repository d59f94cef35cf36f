"""What an experiment of a paper is: samples, methods, and what is measured."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.datasets.benchmarks import DataFolders

if TYPE_CHECKING:
    from kgroups.reproduction.outcome import Outcome

#: What one run gives: measures by the key of a method.
Scores = Mapping[str, Mapping[str, float]]

Run = Callable[[Any, np.random.Generator, DataFolders], Scores]


class Role(enum.Enum):
    """Why a method stands in a table."""

    PAPER = "as published"
    #: The published numbers come out with settings that the paper does not print.
    INFERRED = "as inferred"
    CORRECTED = "corrected"
    BEYOND = "beyond the paper"
    DEFAULT = "kgroups' defaults"

    @property
    def is_of_paper(self) -> bool:
        """Whether it stands for a method of the paper."""
        return self in (Role.PAPER, Role.INFERRED)


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

    ``n_runs`` is the number that the paper has, ``quick_runs`` and ``quick_cases`` what ``--quick``
    takes. ``other_names`` are figures that come from the same runs.
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

    def method(self, key: str) -> Method:
        """The method of that key."""
        return next(method for method in self.methods if method.key == key)
