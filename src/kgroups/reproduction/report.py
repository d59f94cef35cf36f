"""An outcome as a document of plain numbers, and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from kgroups.datasets.benchmarks.catalogue import find_entry
from kgroups.report.text import bold, joined
from kgroups.reproduction import wording
from kgroups.reproduction.machine import machine, versions
from kgroups.reproduction.outcome import Outcome
from kgroups.reproduction.published import Discrepancy, discrepancies, source, trades
from kgroups.reproduction.summary import Document, Entry, counts, entries, lines
from kgroups.text import aligned
from kgroups.version import __version__

SCHEMA = "kgroups.reproduction/1"
_WIDTH = 88
# Rows that a reader goes through; of more, each method is one line, unless cases are few.
_MOST_ROWS = 40
_FEW_CASES = 4


def document(outcome: Outcome) -> dict[str, Any]:
    """Everything that is said of an outcome, as JSON has it; the machine has no name in it."""
    experiment, quick = outcome.experiment, outcome.quick
    rows = [_plain(row.to_dict()) for row in outcome.rows()]
    cases = list(experiment.chosen(quick=quick))
    is_curve = len(cases) > 1 and any(case.x is not None for case in cases)
    return {
        "schema": SCHEMA,
        "kgroups_version": __version__,
        "experiment": experiment.name,
        "other_names": list(experiment.other_names),
        "title": experiment.title,
        "source": experiment.source,
        "numbers_source": source(experiment.name),
        "about": experiment.about,
        "quick": quick,
        "seed": outcome.seed,
        "runs": experiment.quick_runs if quick else experiment.n_runs,
        "runs_kept": outcome.n_kept,
        "axis": experiment.axis,
        "cases": [case.key for case in cases],
        "is_curve": is_curve,
        "measures": list(experiment.measures),
        "methods": [
            {"key": method.key, "title": method.title, "role": method.role.value}
            for method in experiment.methods
        ],
        "rows": rows,
        "counts": counts(list(map(Entry.of, rows)), is_curve=is_curve),
        "discrepancies": [_plain_cause(found) for found in discrepancies(experiment.name)],
        "trades": [_plain_cause(found) for found in trades(experiment.name)],
        "notes": list(experiment.notes),
        "missing": _missing_data(outcome),
        "seconds": outcome.seconds,
        "machine": machine(),
        "versions": versions(),
    }


def _missing_data(outcome: Outcome) -> dict[str, str]:
    """Why a case could not be, without the folders of this machine: others may read it."""
    names = {case.key: str(case.data) for case in outcome.experiment.cases}
    entries_by_case = {case: find_entry(names[case]) for case in outcome.missing}
    return {
        case: f"{entry.name} is not here. {outcome.data.how_to_get(entry)}"
        if entry.package is None
        else outcome.missing[case]
        for case, entry in entries_by_case.items()
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has no word for what is not finite."""
    return {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in row.items()
    }


def _plain_cause(found: Discrepancy) -> dict[str, Any]:
    return {
        "methods": list(found.methods),
        "cases": list(found.cases),
        "measures": list(found.measures),
        "cause": found.cause,
    }


def text(
    found: Document,
    *,
    missing: Mapping[str, str] | None = None,
    color: bool = False,
    all_rows: bool = False,
) -> str:
    """A document for people; of many rows, a line a method unless ``all_rows`` asks for them.

    ``missing`` says of data where they were looked for, too, which a document does not.
    """
    return joined(
        _head(found, color),
        _table(found, color, all_rows=all_rows),
        _agreement(found),
        _listed("Known to differ, and the likely cause:", _causes(found), color),
        _listed("Outside by chance, or for a cause that is not known:", _unknown(found), color),
        _listed("Notes:", found["notes"], color),
        _listed("Missing data:", _missing(missing or found["missing"]), color),
    )


def _head(found: Document, color: bool) -> list[str]:
    published = found["numbers_source"]
    return [
        bold(f"{found['experiment']}: {found['title']}", color),
        *textwrap.wrap(found["source"] + (f"; numbers: {published}" if published else ""), _WIDTH),
        *textwrap.wrap(found["about"], _WIDTH),
        *textwrap.wrap(wording.settings(found), _WIDTH),
    ]


def _table(found: Document, color: bool, *, all_rows: bool) -> list[str]:
    rows = entries(found)
    if not rows:
        return []
    if all_rows or not is_long(found):
        cells = wording.table(found, rows)
    else:
        cells = wording.curve(found, lines(rows, list(wording.method_titles(found))))
    words = {found["axis"], "panel", "method", "role", "measure", "verdict", "farthest off"}
    left = [c for c, title in enumerate(cells[0]) if title in words]
    head, *body = aligned(cells, left=left)
    return [bold(head, color), *body]


def is_long(found: Document) -> bool:
    """Whether a line a method says more than all rows: of a curve, not of a table."""
    is_curve = found["is_curve"] and len(found["cases"]) > _FEW_CASES
    return is_curve and len(found["rows"]) > _MOST_ROWS


def _agreement(found: Document) -> list[str]:
    return [line for said in wording.agreement(found) for line in textwrap.wrap(said, _WIDTH)]


def _causes(found: Document) -> list[str]:
    return [
        f"{wording.which(found, rows)}: {wording.by_how_much(rows)}: {cause}"
        for cause, rows in wording.known(found)
    ]


def _unknown(found: Document) -> list[str]:
    rows = wording.unknown(found)
    return [f"{wording.which(found, [row])}: {wording.verdict(row)}" for row in rows]


def _missing(found: Mapping[str, str]) -> list[str]:
    """What is said of several cases is said once."""
    cases: dict[str, list[str]] = {}
    for case, why in found.items():
        cases.setdefault(why, []).append(case)
    return [f"{', '.join(named)}: {why}" for why, named in cases.items()]


def _listed(title: str, items: Sequence[str], color: bool) -> list[str]:
    if not items:
        return []
    told = (
        line
        for item in items
        for line in textwrap.wrap(item, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    )
    return [bold(title, color), *told]
