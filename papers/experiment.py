"""What an experiment is: cases, one run and a picture; and how a script registers one."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import product
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np

from kgroups.typing import Float64Array
from papers.data import DataFolders
from papers.published import DEFAULT, Facts
from papers.verdicts import Estimate, judge, judge_default, published_error

#: The measures of each method, by its key.
Scores: TypeAlias = Mapping[str, Mapping[str, float]]
Run: TypeAlias = Callable[[Any, np.random.Generator, DataFolders], Scores]

_REGISTERED: dict[str, Experiment] = {}


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A figure or table: ``run`` draws one sample and measures every method on it.

    ``cases`` have the parameters of a run by the key of the published numbers, ``data`` the data
    set that a case needs.
    """

    name: str
    facts: Facts
    run: Run
    draw: Callable[[Outcome], Any]
    cases: Mapping[str, Any]
    runs: int
    quick_runs: int
    quick_cases: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=dict)


def experiment(name: str, *, runs: tuple[int, int], **settings: Any) -> Callable[[Run], Run]:
    """Register a function as the run of an experiment.

    ``runs`` are the runs of a case and those of a quick one; ``settings`` are the other fields.
    """
    settings |= {"name": name, "runs": runs[0], "quick_runs": runs[1]}

    def register(run: Run) -> Run:
        _REGISTERED[name] = Experiment(facts=Facts.read(name), run=run, **settings)
        return run

    return register


@cache
def catalog() -> Mapping[str, Experiment]:
    """All experiments by name: of the paper, of its earlier version, and of the draft."""
    scripts = import_module("papers.experiments")
    for script in pkgutil.iter_modules(scripts.__path__, f"{scripts.__name__}."):
        import_module(script.name)
    kinds = ("fig", "table", "icml", "draft")
    names = (name for kind in kinds for name in sorted(_REGISTERED) if name.startswith(kind))
    return {name: _REGISTERED[name] for name in names}


def find(name: str) -> Experiment:
    """The experiment of that name, or of that other name."""
    for found in catalog().values():
        if name in (found.name, *found.facts.other_names):
            return found
    raise ValueError(f"There is no experiment {name!r}; --list shows all names.")


def generator(seed: int, name: str, case: str, run: int) -> np.random.Generator:
    """The random generator of one run: the same whatever ran before it, and wherever it runs."""
    return np.random.default_rng([seed, crc32(f"{name}/{case}".encode()), run])


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


@dataclass(frozen=True, eq=False)
class Outcome:
    """Every run of an experiment, by case, method and measure; the cases in order."""

    experiment: Experiment
    seed: int
    data: DataFolders
    values: Mapping[tuple[str, str, str], Float64Array]
    cases: tuple[str, ...]
    #: Why other cases could not be run.
    missing: Mapping[str, str]

    def estimate(self, case: str, method: str, measure: str) -> Estimate | None:
        """Mean and error of a number; None where it was not measured."""
        values = self.values.get((case, method, measure))
        return None if values is None else Estimate.of(values)

    def rng(self, purpose: str) -> np.random.Generator:
        """Random numbers for a picture that shows one sample: the same for the same seed."""
        return generator(self.seed, self.experiment.name, purpose, 0)

    def rows(self) -> Iterator[Row]:
        """One row for every number that was measured."""
        facts = self.experiment.facts
        for case, method, measure in product(self.cases, facts.methods, facts.measures):
            ours = self.estimate(case, method.key, measure)
            if ours is None:
                continue
            row = Row(case, method.key, measure, method.role, ours.n, ours.mean, ours.error)
            other = facts.compared_with(method, case)
            if theirs := facts.numbers.get((case, other, measure)):
                error = published_error(theirs, self.estimate(case, other, measure))
                rule = judge_default if method.role == DEFAULT else judge
                row = row._replace(published=theirs.value, verdict=rule(ours, theirs, error))
            yield row
