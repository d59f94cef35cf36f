"""``kgroups cluster``: clusters the rows of a table; writes labels, a report and a picture."""

from __future__ import annotations

import re
import time
import warnings
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.answers.profiles import MISSING
from kgroups.cli.columns import has_row_names
from kgroups.cli.console import Console, UsageError
from kgroups.cli.output import (
    check_files,
    columns_bytes,
    is_parquet,
    label_columns,
    model_bytes,
    picture_bytes,
    write_and_print,
)
from kgroups.cli.record import run_record, table_data
from kgroups.cli.rows import (
    Rows,
    in_words_of,
    read_file,
    rows_of,
    search_of,
    text_format,
)
from kgroups.exceptions import DataError, GraphNotice
from kgroups.input.columns import BOOLEAN, read_column
from kgroups.input.preparation import as_written
from kgroups.input.table_files import FileRows, read_table
from kgroups.names import MATRICES
from kgroups.runtime.progress import listening
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from pandas import DataFrame

    from kgroups.bounds import OptimalityGap
    from kgroups.estimators import KernelKGroups
    from kgroups.graphs import GraphKGroups
    from kgroups.pages import ReportPage
    from kgroups.report import ClusterReport, CurvedReport, RunRecord

# Number of rows up to which an exact spectral bound takes about as long as the fit.
_UNASKED_UP_TO = 5_000
_CLUSTER = "cluster"


def cluster(options: Namespace, console: Console) -> None:
    """Run ``kgroups cluster``; files are written before the report is printed."""
    check_files(options)
    from kgroups.cli.stream import cluster_stream, is_streamed

    if is_streamed(options, console):
        cluster_stream(options, console)
        return
    file = read_file(options.data, options)
    rows = rows_of(file, options)
    check_added(options, file, rows.id_name)
    _check_bound(options, rows)
    console.note(*file.notes, *rows.notes)
    if options.certify is not None:
        from kgroups.cli.certify import certify_labels

        certify_labels(rows, options, console)
        return
    model: Any
    report: ClusterReport | CurvedReport
    model, report = (_curved if options.curved else _fit)(rows, options, console)
    run = run_record(options, console, table_data(file), report.settings, rows.columns)
    more = probabilities_of(model, rows.X) if options.proba else {}
    write_and_print(
        replace(report, run=run),
        options,
        plot=lambda: _picture(model, rows, options),
        report=lambda: _page(model, report, rows, run).to_bytes(),
        output=lambda: labels_file(options, file, report.labels, rows, more),
        save=lambda: _prepared_model(model, rows),
    )


def _check_bound(options: Namespace, rows: Rows) -> None:
    """DataError, before the fit, for a bound that would take hours."""
    from kgroups.bounds import MAX_POINTS

    if options.bound == "semidefinite" and rows.n > MAX_POINTS:
        raise DataError(
            f"--bound semidefinite is limited to {MAX_POINTS:,} rows; {options.data} has "
            f"{rows.n:,}. --bound spectral has no limit."
        )


# --- fits -------------------------------------------------------------------------------------


def _fit(rows: Rows, options: Namespace, console: Console) -> tuple[KernelKGroups, ClusterReport]:
    from kgroups.estimators import KernelKGroups
    from kgroups.report import ClusterReport

    begun = time.perf_counter()
    estimator = KernelKGroups(**search_of(options, rows.metric), verbose=console.status)
    with in_words_of(rows.file):
        model = estimator.fit(rows.X, sample_weight=rows.weights)
    if options.alpha == 2:
        console.note("alpha=2 compares means only: this is k-means by Hartigan's method")
    gap = _optimality(model, rows, options, console)
    console.clear()
    report = ClusterReport.of(
        model,
        rows.X,
        sample_weight=rows.weights,
        categories=_described(rows.table)[2],
        seconds=time.perf_counter() - begun,
        optimality=gap,
        words=rows.words,
        texts=rows.texts,
        unit=rows.unit,
        n_missing=rows.columns["n_missing"] if options.metric == "mixed" else None,
        **_about(rows, options),
    )
    return model, report


def _described(table: DataFrame | None) -> tuple[Any, list[str], dict[str, list[str]]]:
    """Columns of numbers and of days since 1970 as an array, their names, and categories."""
    if table is None:
        return None, [], {}
    columns = {name: read_column(table, c, name) for c, name in enumerate(table)}
    coded = [n for n, c in columns.items() if c.holds_categories or c.kind == BOOLEAN]
    numbers = {name: column.values for name, column in columns.items() if name not in coded}
    categories = {name: list(as_written(table[name]).fillna(MISSING)) for name in coded}
    return np.column_stack([*numbers.values()]) if numbers else None, list(numbers), categories


def _about(rows: Rows, options: Namespace) -> dict[str, Any]:
    """What reports say of the rows."""
    numbers, names, _ = _described(rows.table)
    return {
        "labels_true": rows.labels, "table": numbers, "names": names, "ids": rows.ids,
        "source": rows.file.source, "label_name": options.label_column or "",
    }  # fmt: skip


def _optimality(
    model: KernelKGroups, rows: Rows, options: Namespace, console: Console
) -> OptimalityGap | None:
    """The gap that --bound asks for; without --bound one that is quick to compute, or None."""
    from kgroups.bounds import blocks_save_time

    if options.bound == "none":
        return None
    if model.method_ == "nystroem":
        if options.bound is not None:
            console.note("no --bound for approximate distances; use --method certified")
        return None
    if model.method_ == "certified" and options.bound is None:
        return None  # which would take longer than the clustering
    kind = options.bound or "spectral"
    is_negative = bool(getattr(model.metric, "is_negative_type", False))
    if kind == "spectral" and is_negative and blocks_save_time(rows.n, len(model.cluster_weights_)):
        kind = "blockwise"
    elif options.bound is None and rows.n > _UNASKED_UP_TO:
        return None
    matrix = rows.X if options.metric in MATRICES else None
    with listening(console.status):
        return model.optimality_gap(matrix, kind=kind)


def _curved(rows: Rows, options: Namespace, console: Console) -> tuple[GraphKGroups, CurvedReport]:
    """Clusters of any shape, by a graph of nearest neighbors."""
    from kgroups.graphs import GraphKGroups
    from kgroups.report import CurvedReport

    begun = time.perf_counter()
    estimator = GraphKGroups(
        "auto" if options.n_clusters is None else options.n_clusters,
        affinity="nearest_neighbors",
        n_neighbors=options.n_neighbors or 10,
        random_state=options.seed,
        n_jobs=options.n_jobs,
        verbose=console.status,
    )
    with in_words_of(rows.file), warnings.catch_warnings():
        warnings.simplefilter("always", GraphNotice)
        model = estimator.fit(rows.X)
    console.clear()
    seconds = time.perf_counter() - begun
    report = CurvedReport.of(model, seconds=seconds, **_about(rows, options))
    return model, report


# --- files ------------------------------------------------------------------------------------


def check_added(options: Namespace, file: FileRows, id_name: str) -> None:
    """UsageError for columns that would be written twice."""
    written = list(file.values) if options.append else [id_name]
    added = rf"{_CLUSTER}|p\d+" if options.proba else _CLUSTER
    twice = [name for name in written if re.fullmatch(added, str(name))]
    if twice and (options.append or twice != [_CLUSTER]):
        raise UsageError(
            f"-o adds a column {twice[0]!r}, which {file.source} has already; rename that one"
        )


def labels_file(
    options: Namespace,
    file: FileRows,
    labels: IntArray,
    rows: Any,
    more: Mapping[str, Any] | None = None,
) -> bytes:
    """What ``-o`` asks for: the labels, or all columns as they are written and the labels."""
    if not options.append:
        columns = label_columns(options.output, labels, rows.ids, rows.id_name)
        return columns_bytes(options.output, {**columns, **(more or {})})
    names = list(file.values.columns)
    text = replace(text_format(options), na_values=())  # what stands for a gap is written again
    text = text if file.text is None else replace(text, header=file.has_header)
    whole = read_table(options.data, text=text, sheet=options.sheet, as_text=names)
    if len(whole.values) != len(labels):
        raise DataError(f"{file.source} has changed since it was read; run the command again.")
    added, has_names = {_CLUSTER: labels, **(more or {})}, has_row_names(whole.values)
    if is_parquet(options.output):
        return bytes(file.values.assign(**added).to_parquet(index=has_names))
    return bytes(whole.values.assign(**added).to_csv(index=has_names).encode())


def probabilities_of(model: Any, X: Any) -> dict[str, Any]:
    """The columns of ``--proba``: how sure each cluster is."""
    return {f"p{j}": column for j, column in enumerate(model.predict_proba(X).T)}


def _prepared_model(model: Any, rows: Rows) -> bytes:
    if rows.preparation is not None:
        model.preparation_ = rows.preparation
    return model_bytes(model)


def _picture(model: Any, rows: Rows, options: Namespace) -> bytes:
    """What the clusters are, as a file of the type that ``--plot`` names."""
    from kgroups.plots import neighbor_overview, overview

    names = rows.names or None
    if options.curved:
        figure = neighbor_overview(model, rows.X, feature_names=names)
    else:
        figure = overview(
            model,
            rows.X,
            table=rows.table if rows.words is None else rows.words,
            sample_weight=rows.weights,
            feature_names=names,
            names=rows.texts if rows.ids is None else rows.ids,
        )
    return picture_bytes(figure, options.plot.suffix)


def _page(
    model: Any, report: ClusterReport | CurvedReport, rows: Rows, run: RunRecord
) -> ReportPage:
    """The page of a fit with ``--curved``, or without."""
    from kgroups.answers.profiles import Grouping
    from kgroups.input.parameters import check_weights
    from kgroups.pages.cluster_page import cluster_page
    from kgroups.pages.curved_page import curved_page
    from kgroups.pages.described_rows import DescribedRows
    from kgroups.report import CurvedReport

    described: Any = None
    if rows.table is not None:
        weights = check_weights(rows.weights, rows.n)
        groups = Grouping(report.labels, weights, int(report.labels.max()) + 1)
        described = DescribedRows.of_table(rows.table, groups)
    if isinstance(report, CurvedReport):
        return curved_page(model, rows.X, report, run, described, rows.names)
    return cluster_page(
        model, rows.X, report, run, described=described, texts=rows.texts,
        feature_names=None if report.n_features is None else rows.names,
    )  # fmt: skip
