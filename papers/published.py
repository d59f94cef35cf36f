"""What the papers say of an experiment: its description, its methods, and the printed numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "published"

#: Why a method stands in a table; others are "corrected" or "beyond the paper". With other settings
#: than the paper states, named in the page, the numbers of methods as inferred come out.
PAPER, INFERRED, DEFAULT = "as published", "as inferred", "kgroups' defaults"

# Rounding of a mean of two binary numbers must not decide about agreement.
_SLACK = 1e-9


class Method(NamedTuple):
    """A column of a table, a line of a picture.

    ``against`` names the published method that defaults are compared with, by case where it
    differs; empty where it is that of the experiment.
    """

    key: str
    title: str
    role: str = PAPER
    against: str | Mapping[str, str] = ""


class Published(NamedTuple):
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


class Cause(NamedTuple):
    """Why numbers are known to differ; empty cases or measures stand for all."""

    text: str
    methods: Sequence[str]
    cases: Sequence[str] = ()
    measures: Sequence[str] = ()

    def covers(self, case: str, method: str, measure: str) -> bool:
        """Whether it speaks of this number."""
        named = ((self.cases, case), (self.measures, measure))
        return method in self.methods and all(not some or one in some for some, one in named)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a file of ``published/`` has.

    ``figure`` says where the experiment stands in the papers, ``source`` where its numbers are
    from. ``other_names`` are figures that come from the same runs.
    """

    title: str
    figure: str
    about: str
    methods: Sequence[Method]
    axis: str = "case"
    measures: Sequence[str] = ("accuracy",)
    other_names: Sequence[str] = ()
    default_against: str = "kgroups"
    source: str = ""
    #: By case, method and measure.
    numbers: Mapping[tuple[str, str, str], Published]
    causes: Sequence[Cause]

    @classmethod
    def read(cls, name: str) -> Facts:
        """The facts of an experiment.

        A number is a value, or a value and its spread over the ``runs``: their standard deviation,
        unless ``spread`` is "error". ``runs_of`` has the cases whose number of runs is another;
        ``digits_of`` the measures that are printed with another number of ``digits``; ``cut`` is
        true where digits may have been cut instead of rounded.
        """
        entry = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
        given = {key: entry[key] for key in cls.__dataclass_fields__ if key in entry}
        methods = {key: [of] if isinstance(of, str) else of for key, of in entry["methods"].items()}
        given["methods"] = [Method(key, *of) for key, of in methods.items()]
        known = [*entry.get("discrepancies", ()), *entry.get("trades", ())]
        causes = [
            Cause(c["cause"], c["methods"], c.get("cases", ()), c.get("measures", ()))
            for c in known
        ]
        return cls(**given, numbers=_numbers(entry), causes=causes)

    def compared_with(self, method: Method, case: str) -> str:
        """The published method that a method's number is compared with."""
        if method.role != DEFAULT:
            return method.key
        named = method.against
        return (named if isinstance(named, str) else named.get(case, "")) or self.default_against


def _numbers(entry: Mapping[str, Any]) -> dict[tuple[str, str, str], Published]:
    # A number that stands alone is of the first measure.
    first = entry.get("measures", ["accuracy"])[0]
    return {
        (case, method, measure): _number(value, case, measure, entry)
        for method, cases in entry.get("values", {}).items()
        for case, found in cases.items()
        for measure, value in (found if isinstance(found, dict) else {first: found}).items()
    }


def _number(value: Any, case: str, measure: str, entry: Mapping[str, Any]) -> Published:
    runs, error = entry.get("runs_of", {}).get(case, entry.get("runs")), None
    if isinstance(value, list):
        value, spread = value
        error = spread if entry.get("spread") == "error" else spread / sqrt(runs)
    digit = 10.0 ** -entry.get("digits_of", {}).get(measure, entry["digits"])
    above = digit if entry.get("cut") else 0.5 * digit
    return Published(float(value), 0.5 * digit + _SLACK, above + _SLACK, error, runs)
