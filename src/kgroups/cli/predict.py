"""``kgroups predict``: new rows to the clusters of a model that ``kgroups cluster --save`` kept."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from kgroups.cli.cluster import check_added, labels_file, probabilities_of
from kgroups.cli.columns import names_of_rows
from kgroups.cli.console import Console
from kgroups.cli.output import check_files, write_and_print
from kgroups.cli.record import run_record, sha256_of, table_data
from kgroups.cli.rows import in_words_of, text_format
from kgroups.exceptions import DataError
from kgroups.input.table_files import FileRows, read_table
from kgroups.names import MATRICES
from kgroups.persistence import load
from kgroups.text import quoted


def predict(options: Namespace, console: Console) -> None:
    """Run ``kgroups predict``; the labels are written before the report is printed."""
    from kgroups.report import PredictionReport

    check_files(options)
    model = _loaded(options)
    preparation = getattr(model, "preparation_", None)
    how = {} if preparation is None else preparation.file
    file = _read(options, how)
    if options.append and not hasattr(file.values, "columns"):
        raise DataError(f"{file.source} holds rows without columns: omit --append.")
    begun = time.perf_counter()
    names = SimpleNamespace(ids=None, id_name=how.get("id") or "id")
    if hasattr(file.values, "columns"):
        check_added(options, file, names.id_name)
        names.ids = names_of_rows(file, how.get("id"))
        extra = [name for name in file.values if name not in how.get("names", file.values)]
        if extra:
            shown = ", ".join(map(quoted, extra[:12]))
            console.note(f"columns that the fit did not have are not used: {shown}")
    console.note(*file.notes)
    X = _rows_for(model, file)
    with in_words_of(file):
        labels = model.predict(X)
        more = probabilities_of(model, X) if options.proba else {}
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
    about = {"source": str(options.model), "sha256": sha256_of(options.model)}
    run = run_record(options, console, {**table_data(file), "model": about}, {})
    write_and_print(replace(report, run=run), options,
                    output=lambda: labels_file(options, file, labels, names, more))  # fmt: skip


def _loaded(options: Namespace) -> Any:
    model = load(options.model)
    if getattr(model, "metric", None) in MATRICES or not hasattr(model, "predict"):
        raise DataError(
            f"{options.model} holds clusters of a matrix or communities of a network, which "
            "kgroups predict has no rows for; in Python, kgroups.load(path).predict takes a matrix."
        )
    if options.n_jobs is not None:
        model.set_params(n_jobs=options.n_jobs)
    return model


def _read(options: Namespace, how: Any) -> FileRows:
    """The rows of a file, with text, gaps and lines as in the file of the fit."""
    text = text_format(options)
    na_values = tuple(dict.fromkeys([*text.na_values, *how.get("na_values", ())]))
    return read_table(
        options.data,
        text=replace(text, na_values=na_values),
        sheet=options.sheet,
        as_text=tuple(how.get("as_text", ())),
        whole_lines=bool(how.get("whole_lines")),
        digest=options.json,
    )


def _rows_for(model: Any, file: FileRows) -> Any:
    """Rows as the model takes them, where it has no preparation of its own."""
    from kgroups.semimetrics import Jaccard

    values = file.values
    if isinstance(model.metric_, Jaccard) and isinstance(values, list):
        return [frozenset(map(str, item)) for item in values]
    if not hasattr(values, "columns") or hasattr(model, "preparation_"):
        return values
    if not hasattr(model, "n_features_in_"):
        raise DataError(f"{file.source} holds a table, and the fit had one item in each row.")
    names = getattr(model, "feature_names_in_", None)
    return values.to_numpy(np.float64) if names is None else values[list(names)]
