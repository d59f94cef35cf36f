"""An outcome as a document of plain numbers."""

from __future__ import annotations

from typing import Any

from kgroups import __version__
from kgroups_papers.data.entries import find_entry
from kgroups_papers.experiment import Outcome
from kgroups_papers.machine import machine, versions
from kgroups_papers.published import Discrepancy, discrepancies, source, trades
from kgroups_papers.summary import counts

SCHEMA = "kgroups.reproduction/1"


def document(outcome: Outcome) -> dict[str, Any]:
    """Everything that is said of an outcome, as JSON has it; the machine has no name in it."""
    experiment, quick = outcome.experiment, outcome.quick
    rows = list(outcome.rows())
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
        "rows": [row.to_dict() for row in rows],
        "counts": counts(rows, is_curve=is_curve),
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


def _plain_cause(found: Discrepancy) -> dict[str, Any]:
    return {
        "methods": list(found.methods),
        "cases": list(found.cases),
        "measures": list(found.measures),
        "cause": found.cause,
    }
