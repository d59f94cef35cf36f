"""An outcome as a document of plain numbers."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kgroups import __version__
from kgroups_papers.data import DataFolders
from kgroups_papers.data.entries import find_entry
from kgroups_papers.experiment import Experiment, Outcome
from kgroups_papers.fingerprint import fingerprint
from kgroups_papers.machine import machine, versions
from kgroups_papers.published import Discrepancy, discrepancies, source, trades
from kgroups_papers.row import Row
from kgroups_papers.summary import Document, counts

SCHEMA = "kgroups.reproduction/1"
_MEASURED = ("case", "method", "measure", "mean", "deviation", "runs")


def document(outcome: Outcome) -> dict[str, Any]:
    """Everything that is said of an outcome, as JSON; the machine stays anonymous."""
    experiment, quick = outcome.experiment, outcome.quick
    found = list(outcome.rows())
    rows = [row.to_dict() for row in found]
    cases = list(experiment.chosen(quick=quick))
    is_curve = len(cases) > 1 and any(case.x is not None for case in cases)
    return {
        "schema": SCHEMA,
        "kgroups_version": __version__,
        "experiment": experiment.name,
        **_words(experiment),
        "quick": quick,
        "seed": outcome.seed,
        "runs": experiment.quick_runs if quick else experiment.n_runs,
        "runs_kept": outcome.n_kept,
        "cases": [case.key for case in cases],
        "is_curve": is_curve,
        "measures": list(experiment.measures),
        "rows": rows,
        "counts": counts(found, is_curve=is_curve),
        "missing": {
            case: why if (text := _how_to_get(experiment, case)) is None else text
            for case, why in outcome.missing.items()
        },
        "seconds": outcome.seconds,
        "machine": machine(),
        "versions": versions(),
        "made_by": fingerprint(experiment.run),
        "digest": digest_of(rows),
    }


def reworded(found: Document, experiment: Experiment) -> dict[str, Any]:
    """A document that was kept, with today's words and causes for the same numbers."""
    rows = [Row.read(row) for row in found["rows"]]
    rows = [replace(row, cause=_cause(experiment, row)) for row in rows]
    texts = {case: _how_to_get(experiment, case) for case in found["missing"]}
    new = {
        **_words(experiment),
        "rows": [row.to_dict() for row in rows],
        "counts": counts(rows, is_curve=found["is_curve"]),
        "missing": {case: texts[case] or why for case, why in found["missing"].items()},
    }
    return {**found, **new}


def digest_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """SHA-256 of what was measured; nothing that is said of it has a part in it."""
    measured = [[row.get(key) for key in _MEASURED] for row in rows if "mean" in row]
    return hashlib.sha256(json.dumps(measured).encode()).hexdigest()


def as_json(found: Document) -> bytes:
    """A document as it is written to a file."""
    return (json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _words(experiment: Experiment) -> dict[str, Any]:
    """What is said of an experiment whatever its numbers are."""
    name = experiment.name
    return {
        "other_names": list(experiment.other_names),
        "title": experiment.title,
        "source": experiment.source,
        "numbers_source": source(name),
        "about": experiment.about,
        "axis": experiment.axis,
        "methods": [
            {"key": method.key, "title": method.title, "role": method.role.value}
            for method in experiment.methods
        ],
        "discrepancies": [_plain_cause(found) for found in discrepancies(name)],
        "trades": [_plain_cause(found) for found in trades(name)],
        "notes": list(experiment.notes),
    }


def _cause(experiment: Experiment, row: Row) -> str:
    return experiment.cause(row.case, experiment.method(row.method), row.measure)


def _how_to_get(experiment: Experiment, case: str) -> str | None:
    """How to get data that are missing, without the folders of this machine: others may read it.

    None for a set that comes with a package.
    """
    name = next(str(known.data) for known in experiment.cases if known.key == case)
    entry = find_entry(name)
    if entry.package is not None:
        return None
    return f"{entry.name} is not here. {DataFolders.how_to_get(entry)}"


def _plain_cause(found: Discrepancy) -> dict[str, Any]:
    return {
        "methods": list(found.methods),
        "cases": list(found.cases),
        "measures": list(found.measures),
        "cause": found.cause,
    }
