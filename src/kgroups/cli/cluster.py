"""``kgroups cluster``: a table in, labels, a report and a picture out."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgroups.cli.console import Console, say, wants_color
from kgroups.cli.errors import UsageError
from kgroups.cli.features import Features, extract
from kgroups.cli.optimality import check_bound, optimality
from kgroups.cli.output import check_destinations, write_whole
from kgroups.cli.pictures import require_matplotlib, saved
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table, read_table
from kgroups.names import MATRICES
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.estimators import KernelKGroups
    from kgroups.report import ClusterReport

_TAKES_SIGMA = ("laplacian", "gaussian")


def cluster(options: Namespace, console: Console) -> None:
    """Run ``kgroups cluster``; files are written before the report is printed."""
    check_options(options)
    check_destinations({"-o": options.output, "--plot": options.plot}, options.data)
    if options.plot is not None:
        require_matplotlib("--plot")
    table = read_table(options.data)
    features = extract(table, options)
    if options.metric in MATRICES:
        check_square(features, table)
    check_bound(options, table.n_rows)
    for note in (*table.notes, *features.notes, *_notes(options, features)):
        console.note(note)
    model, report = _fit(features, table, options, console)
    _write(model, report, features, options)
    _print(report, options)


def check_options(options: Namespace) -> None:
    """Options that do not go together, found before any data is read."""
    if options.alpha is not None and options.metric != "energy":
        raise UsageError(f"--alpha is for --metric energy; leave it out for {options.metric}")
    if options.sigma is not None and options.metric not in _TAKES_SIGMA:
        raise UsageError(
            f"--sigma is for --metric laplacian and gaussian; leave it out for {options.metric}"
        )
    if options.metric in MATRICES:
        _check_matrix_options(options)


def _check_matrix_options(options: Namespace) -> None:
    asked = {
        "--standardize": options.standardize,
        "--impute": options.impute,
        "--categorical": options.categorical,
        "--columns": options.columns,
    }
    for option, value in asked.items():
        if value:
            raise UsageError(
                f"{option} is for tables of features, and --metric {options.metric} takes a matrix "
                f"between points; leave one of the two out"
            )


def check_square(features: Features, table: Table) -> None:
    """As many rows as columns."""
    rows, columns = features.X.shape
    if rows != columns:
        raise DataError(
            f"{table.source} must be a square matrix between points; got {rows} rows and "
            f"{columns} columns. For a table of features leave --metric out."
        )


def _notes(options: Namespace, features: Features) -> list[str]:
    if features.n_numeric == 0 and (options.metric, options.alpha) != ("energy", None):
        return [f"every feature is categorical: hamming takes the place of {options.metric}"]
    if options.alpha == 2 and not features.n_categorical:
        return ["alpha=2 compares means only: this is Hartigan's k-means"]
    return []


def _fit(
    features: Features, table: Table, options: Namespace, console: Console
) -> tuple[KernelKGroups, ClusterReport]:
    from kgroups.estimators import KernelKGroups
    from kgroups.report import ClusterReport

    begun = time.perf_counter()
    model = KernelKGroups(
        options.n_clusters,
        metric=metric_for(options, features.n_numeric, features.n_categorical),
        n_init=options.n_init,
        random_state=options.seed,
        n_jobs=options.n_jobs,
        method=options.method,
        memory_limit=options.memory_limit,
        verbose=console.status,
    ).fit(features.X, sample_weight=features.weights)
    gap = optimality(model, features, options, console)
    seconds = time.perf_counter() - begun
    console.clear()
    is_table = options.metric not in MATRICES
    report = ClusterReport.of(
        model,
        features.X,
        sample_weight=features.weights,
        labels_true=features.labels,
        table=features.numbers if is_table else None,
        names=features.names,
        seconds=seconds,
        optimality=gap,
        source=table.source,
        label_name=options.label_column or "",
    )
    return model, report


def metric_for(options: Namespace, n_numeric: int, n_categorical: int) -> Any:
    """The metric asked for on the numeric columns, plus 1 for each category that differs."""
    from kgroups.semimetrics import ColumnSum, Hamming

    if not n_categorical:
        return _metric(options)
    if not n_numeric:
        return Hamming()
    numeric, categorical = list(range(n_numeric)), [n_numeric + c for c in range(n_categorical)]
    # Hamming is a share of its columns: times their number it is the count.
    return ColumnSum(
        [
            (_metric(options), numeric),
            (Hamming(), categorical, float(n_categorical)),
        ]
    )


def _metric(options: Namespace) -> Any:
    from kgroups.semimetrics import Energy, Gaussian, Laplacian, by_name

    if options.metric in MATRICES:
        return options.metric
    if options.alpha is not None:
        return Energy(options.alpha)
    if options.metric in _TAKES_SIGMA:
        return (Laplacian if options.metric == "laplacian" else Gaussian)(options.sigma or "median")
    return by_name(options.metric)


def _write(model: Any, report: ClusterReport, features: Features, options: Namespace) -> None:
    """All files or, when one cannot be made, none: the picture is drawn before any is written."""
    files: dict[Path, bytes] = {}
    if options.plot is not None:
        files[options.plot] = _picture(model, report, features, options.plot.suffix)
    if options.output is not None:
        files[options.output] = _labels_csv(report.labels)
    for path, data in files.items():
        write_whole(path, data)


def _picture(model: Any, report: ClusterReport, features: Features, suffix: str) -> bytes:
    from kgroups.plots import overview

    names = None if report.n_features is None else features.names
    return saved(overview(model, features.X, feature_names=names), suffix)


def _labels_csv(labels: IntArray) -> bytes:
    lines = (f"{row},{label}\n" for row, label in enumerate(labels.tolist(), start=1))
    return ("row,cluster\n" + "".join(lines)).encode("ascii")


def _print(report: ClusterReport, options: Namespace) -> None:
    if options.json:
        say(json.dumps(report.to_dict(), allow_nan=False))
        return
    written = [("Labels", options.output), ("Picture", options.plot)]
    files = [f"{what} written to {path}." for what, path in written if path is not None]
    say("\n".join([report.to_text(color=wants_color()), *files]))
