"""The numbers that the papers print or draw, each with its source."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

# Rounding of a mean of two binary numbers must not decide about agreement.
_SLACK = 1e-9


@dataclass(frozen=True, kw_only=True)
class Published:
    """A mean as it was published.

    ``error`` is its standard error where that is printed; else ``n_runs`` is the number of runs
    behind it, None for a number that was found once.
    """

    value: float
    digits: int
    error: float | None = None
    n_runs: int | None = None
    #: Whether digits may have been cut instead of rounded.
    cut: bool = False

    @property
    def below(self) -> float:
        """How far below the printed number the number itself may be."""
        return 0.5 * 10.0**-self.digits + _SLACK

    @property
    def above(self) -> float:
        """How far above the printed number the number itself may be."""
        return (1.0 if self.cut else 0.5) * 10.0**-self.digits + _SLACK


@dataclass(frozen=True, kw_only=True)
class Discrepancy:
    """Why numbers are known to differ from what is published, or what the defaults trade."""

    methods: tuple[str, ...]
    cause: str
    #: Empty for all.
    cases: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()

    def covers(self, case: str, method: str, measure: str) -> bool:
        """Whether it speaks of this number."""
        return (
            method in self.methods
            and (not self.cases or case in self.cases)
            and (not self.measures or measure in self.measures)
        )


#: By case, method and measure.
Numbers = Mapping[tuple[str, str, str], Published]


@lru_cache
def published(experiment: str, measure: str = "accuracy") -> Numbers:
    """All published numbers of an experiment; ``measure`` names those that stand alone.

    In the file a number is a value, or a value and its spread over the runs: their standard
    deviation, unless ``spread`` says "error". ``runs_of`` has the cases whose number of runs is
    another, such as 1 where all runs took the same part of the data; ``digits_of`` the measures
    that are printed with another number of digits.
    """
    entry = _entry(experiment)
    return {
        (case, method, name): _number(value, case, name, entry)
        for method, cases in entry.get("values", {}).items()
        for case, found in cases.items()
        for name, value in (found if isinstance(found, dict) else {measure: found}).items()
    }


def source(experiment: str) -> str:
    """Where an experiment's numbers were published; empty where there are none."""
    return str(_entry(experiment).get("source", ""))


def discrepancies(experiment: str) -> tuple[Discrepancy, ...]:
    """Where published numbers are known not to come out, and why."""
    return _known(experiment, "discrepancies")


def trades(experiment: str) -> tuple[Discrepancy, ...]:
    """Where the defaults are below published k-groups, and what for."""
    return _known(experiment, "trades")


def _known(experiment: str, what: str) -> tuple[Discrepancy, ...]:
    return tuple(
        Discrepancy(
            cause=str(entry["cause"]),
            methods=tuple(entry["methods"]),
            cases=tuple(entry.get("cases", ())),
            measures=tuple(entry.get("measures", ())),
        )
        for entry in _entry(experiment).get(what, ())
    )


@lru_cache
def _entry(experiment: str) -> dict[str, Any]:
    file = files("kgroups_papers").joinpath("numbers", f"{experiment}.json")
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}


def _number(
    value: float | list[float], case: str, measure: str, entry: Mapping[str, Any]
) -> Published:
    n_runs, error = entry.get("runs_of", {}).get(case, entry.get("runs")), None
    if isinstance(value, list):
        value, spread = value
        error = spread if entry.get("spread") == "error" else spread / float(n_runs) ** 0.5
    return Published(
        value=float(value),
        digits=int(entry.get("digits_of", {}).get(measure, entry["digits"])),
        error=error,
        n_runs=n_runs,
        cut=bool(entry.get("cut", False)),
    )
