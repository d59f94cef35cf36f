"""``kgroups predict``: new rows to the clusters of a model that ``kgroups cluster --save`` kept."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import kgroups
from kgroups.cli.cluster import check_append, labels_file, probabilities_of
from kgroups.cli.console import Console, print_report
from kgroups.cli.output import check_destinations, write_together
from kgroups.cli.record import run_record, table_data
from kgroups.cli.rows import in_words_of, text_format
from kgroups.exceptions import DataError
from kgroups.input.digest import sha256_of
from kgroups.input.preparation import as_written
from kgroups.input.table_files import FileRows, read_table
from kgroups.names import MATRICES
from kgroups.text import quoted


@dataclass(frozen=True)
class _Names:
    """The names of new rows."""

    ids: list[str] | None
    id_name: str


def predict(options: Namespace, console: Console) -> None:
    """Run ``kgroups predict``; the labels are written before the report is printed."""
    from kgroups.report import PredictionReport

    check_append(options)
    check_destinations({"-o": options.output}, {"MODEL": options.model, "DATA": options.data})
    model = _loaded(options)
    preparation = getattr(model, "preparation_", None)
    how = {} if preparation is None else dict(preparation.file)
    file = _read(options, how)
    begun = time.perf_counter()
    console.note(*file.notes, *_unused(file, how))
    X = _rows_for(model, file.values, file.source)
    with in_words_of(file):
        labels = model.predict(X)
        more = probabilities_of(model, X) if options.proba else {}
    names = _names(file, how.get("id"))
    report = PredictionReport(
        labels=labels,
        n_clusters=len(model.cluster_weights_),
        n_samples_fit=len(model.labels_),
        metric=model.metric_,
        source=file.source,
        model_source=str(options.model),
        ids=names.ids,
        seconds=time.perf_counter() - begun,
    )
    write_together({options.output: lambda: labels_file(options, file, labels, names, more)})
    about = {"source": str(options.model), "sha256": sha256_of(options.model)}
    run = run_record(options, console, {**table_data(file), "model": about}, {})
    print_report(replace(report, run=run), options, {"Labels": options.output})


def _loaded(options: Namespace) -> Any:
    if not options.model.exists():
        raise DataError(f"{options.model} does not exist.")
    model = kgroups.load(options.model)
    if getattr(model, "metric", None) in MATRICES or not hasattr(model, "predict"):
        raise DataError(
            f"{options.model} holds clusters of a matrix or communities of a network, which "
            "kgroups predict has no rows for; in Python, kgroups.load(path).predict takes a matrix."
        )
    if options.n_jobs is not None:
        model.set_params(n_jobs=options.n_jobs)
    return model


def _read(options: Namespace, how: dict[str, Any]) -> FileRows:
    """The rows of a file; columns that were text at the fit are read as they are written."""
    text = text_format(options)
    known = how.get("na_values", ())
    text = replace(text, na_values=tuple(dict.fromkeys([*text.na_values, *known])))
    return read_table(
        options.data,
        text=text,
        sheet=options.sheet,
        as_text=tuple(how.get("as_text", ())),
        whole_lines=bool(how.get("whole_lines")),
        digest=options.json,
    )


def _rows_for(model: Any, values: Any, source: str) -> Any:
    """Rows as the model takes them, where it has no preparation of its own."""
    if isinstance(values, list) and isinstance(values[0], list):
        return [frozenset(map(str, item)) for item in values]
    if hasattr(values, "columns") and not hasattr(model, "preparation_"):
        if not hasattr(model, "n_features_in_"):
            raise DataError(f"{source} holds a table, and the fit had one item in each row.")
        names = getattr(model, "feature_names_in_", None)
        return values.to_numpy(np.float64) if names is None else values[list(names)]
    return values


def _unused(file: FileRows, how: dict[str, Any]) -> list[str]:
    """A note on columns that the table of the fit did not have."""
    extra = [
        name for name in getattr(file.values, "columns", ()) if name not in how.get("names", ())
    ]
    if not extra or not how:
        return []
    return [f"columns that the fit did not have are not used: {', '.join(map(quoted, extra[:12]))}"]


def _names(file: FileRows, column: str | None) -> _Names:
    """The names of the rows, by the column that had those of the fit."""
    if column is None or not hasattr(file.values, "columns") or column not in file.values:
        return _Names(None, "id")
    return _Names(list(as_written(file.values[column]).fillna("")), column)
