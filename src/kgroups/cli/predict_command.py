"""``kgroups predict``: new rows to the clusters of a model that ``kgroups cluster --save`` kept."""

from __future__ import annotations

import time
import warnings
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kgroups.cli.console import Console, print_report
from kgroups.cli.labels_file import check_labels_format, labels_bytes
from kgroups.cli.new_rows import NewRows, new_rows, read_new, refuse_without_rows
from kgroups.cli.recording import run_record, table_data
from kgroups.cli.whole_files import check_destinations, write_together
from kgroups.exceptions import DataError
from kgroups.input.digest import sha256_of
from kgroups.input.table_files import Rows
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.report import PredictionReport


def predict(options: Namespace, console: Console) -> None:
    """Run ``kgroups predict``; the labels are written before the report is printed."""
    check_destinations({"-o": options.output}, {"MODEL": options.model, "DATA": options.data})
    check_labels_format(options.output)
    model, preparation = _loaded(options)
    rows = read_new(options, preparation)
    new = new_rows(rows, preparation)
    console.note(*rows.notes, *new.notes)
    begun = time.perf_counter()
    labels = _predicted(model, new, rows)
    report = _report(model, new, rows, labels, options)
    report = replace(report, seconds=time.perf_counter() - begun)
    write_together(
        {options.output: lambda: labels_bytes(options.output, labels, new.ids, new.id_name)}
    )
    if options.json:
        data = {**table_data(rows), "model": _about_model(options)}
        report = replace(report, run=run_record(options, console, data, {}))
    print_report(report, options, {"Labels": options.output})


def _loaded(options: Namespace) -> tuple[Any, dict[str, Any]]:
    """The model and what its file says of columns."""
    from kgroups.persistence import load

    if not options.model.exists():
        raise DataError(f"{options.model} does not exist.")
    model = load(options.model)
    preparation: Any = getattr(model, "preparation_", None)
    refuse_without_rows(preparation, options.model)
    if options.n_jobs is not None:
        model.set_params(n_jobs=options.n_jobs)
    return model, preparation


def _predicted(model: Any, new: NewRows, rows: Rows) -> IntArray:
    try:
        with warnings.catch_warnings():
            # What it says of codes has been said of categories.
            warnings.filterwarnings("ignore", "X holds categories that the fit has not seen")
            labels: IntArray = model.predict(new.X)
    except ValueError as error:
        raise DataError(f"{rows.source}: {error}") from error
    return labels


def _report(
    model: Any, new: NewRows, rows: Rows, labels: IntArray, options: Namespace
) -> PredictionReport:
    from kgroups.report import PredictionReport

    return PredictionReport(
        labels=labels,
        n_clusters=len(model.cluster_weights_),
        n_samples_fit=len(model.labels_),
        metric=model.metric_,
        source=rows.source,
        model_source=str(options.model),
        ids=new.ids,
    )


def _about_model(options: Namespace) -> dict[str, Any]:
    return {"source": str(options.model), "sha256": sha256_of(options.model)}
