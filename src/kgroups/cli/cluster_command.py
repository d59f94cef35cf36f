"""``kgroups cluster``: clusters the rows of a table; writes labels, a report and a picture."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from kgroups.cli.columns import TableFeatures
from kgroups.cli.console import Console, print_report
from kgroups.cli.curved import check_curved, fit_curved
from kgroups.cli.given_labels import certify_labels, check_certify
from kgroups.cli.kept_models import model_bytes, preparation_of
from kgroups.cli.labels_file import (
    check_appendable,
    check_labels_name,
    check_second_reading,
    labels_bytes,
    table_csv,
)
from kgroups.cli.page_of_clusters import page_of_clusters
from kgroups.cli.pictures import picture, picture_of_search
from kgroups.cli.recording import run_record, table_data
from kgroups.cli.row_features import features_of
from kgroups.cli.row_kinds import settle_metric
from kgroups.cli.streams import is_streamed
from kgroups.cli.table_input import (
    check_metric_options,
    check_n_clusters,
    is_matrix,
    metric_for,
    notes_of_metric,
    read_any,
)
from kgroups.cli.whole_files import check_destinations, write_together
from kgroups.cli.wording import in_words_of
from kgroups.exceptions import DataError
from kgroups.input.table_files import Rows, Table
from kgroups.runtime.progress import listening
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.bounds import OptimalityGap
    from kgroups.estimators import KernelKGroups
    from kgroups.graphs import GraphKGroups
    from kgroups.report import ClusterReport, CurvedReport

# Number of rows up to which an exact spectral bound takes about as long as the fit.
_UNASKED_UP_TO = 5_000


def cluster(options: Namespace, console: Console) -> None:
    """Run ``kgroups cluster``; files are written before the report is printed."""
    settle_metric(options)
    check_certify(options)
    check_curved(options)
    check_metric_options(options)
    check_second_reading(options)
    check_destinations(
        {
            "-o": options.output, "--plot": options.plot, "--plot-search": options.plot_search,
            "--report": options.report, "--save": options.save,
        },
        {"DATA": options.data},
    )  # fmt: skip
    check_labels_name(options)
    if is_streamed(options, console):
        from kgroups.cli.stream_command import cluster_stream

        cluster_stream(options, console)
        return
    table = read_any(options.data, options)
    features = features_of(table, options)
    check_n_clusters(options.n_clusters, table.n_rows, table.source)
    check_appendable(table, options)
    _check_bound(options, table.n_rows)
    console.note(*table.notes, *features.notes, *_notes(options, features))
    if options.certify is not None:
        certify_labels(features, table, options, console)
        return
    model: KernelKGroups | GraphKGroups
    report: ClusterReport | CurvedReport
    if options.curved:
        model, report = fit_curved(features, table, options, console)
    else:
        model, report = _fit(features, table, options, console)
    run = run_record(options, console, table_data(table), report.settings, features.columns)
    write_together(
        {
            options.plot: lambda: picture(model, features, options),
            options.plot_search: lambda: picture_of_search(model, options),
            options.report: lambda: page_of_clusters(
                model, report, features, run, options
            ).to_bytes(),
            options.output: lambda: _written(table, features, report.labels, options),
            options.save: lambda: model_bytes(model, preparation_of(table, features, options)),
        }
    )
    report = replace(report, run=run)
    files = {
        "Labels": options.output, "Picture": options.plot,
        "Picture of the search": options.plot_search, "Report": options.report,
        "Model": options.save,
    }  # fmt: skip
    print_report(report, options, files)


def _notes(options: Namespace, features: TableFeatures) -> list[str]:
    only_categories = features.n_categorical and not features.n_numeric
    is_asked = (options.metric, options.alpha) != ("energy", None)
    if only_categories and is_asked and features.metric is None:
        return [f"every feature is categorical: hamming is used instead of {options.metric}"]
    return [] if features.n_categorical else notes_of_metric(options)


def _fit(
    features: TableFeatures, table: Rows, options: Namespace, console: Console
) -> tuple[KernelKGroups, ClusterReport]:
    from kgroups.estimators import KernelKGroups
    from kgroups.report import ClusterReport

    begun = time.perf_counter()
    estimator = KernelKGroups(
        options.n_clusters,
        metric=metric_for(options, features),
        n_init=options.n_init,
        random_state=options.seed,
        n_jobs=options.n_jobs,
        method=options.method,
        memory_limit=options.memory_limit,
        time_limit=options.time_limit,
        verbose=console.status,
    )
    with in_words_of(table, features, options):
        model = estimator.fit(features.X, sample_weight=features.weights)
    gap = _optimality(model, features, options, console)
    seconds = time.perf_counter() - begun
    console.clear()
    report = ClusterReport.of(
        model,
        features.X,
        sample_weight=features.weights,
        labels_true=features.labels,
        table=None if is_matrix(options) or not features.n_numeric else features.numbers,
        names=features.names,
        categories=features.categories,
        seconds=seconds,
        optimality=gap,
        source=table.source,
        label_name=options.label_column or "",
        ids=features.ids,
        words=features.words,
        texts=features.texts,
        unit=features.unit,
        n_missing=None if features.metric is None else features.columns["n_missing"],
    )
    return model, report


def _check_bound(options: Namespace, n_rows: int) -> None:
    """DataError, before the fit, for a bound that would take hours."""
    from kgroups.bounds import MAX_POINTS

    if options.bound == "semidefinite" and n_rows > MAX_POINTS:
        raise DataError(
            f"--bound semidefinite is limited to {MAX_POINTS:,} rows; {options.data} has "
            f"{n_rows:,}. --bound spectral has no limit."
        )


def _optimality(
    model: KernelKGroups, features: TableFeatures, options: Namespace, console: Console
) -> OptimalityGap | None:
    """The gap that --bound asks for; without --bound one that is quick to compute, or None."""
    if options.bound == "none":
        return None
    if model.method_ == "nystroem":
        if options.bound is not None:
            console.note("no --bound for approximate distances; use --method certified")
        return None
    if model.method_ == "certified" and options.bound is None:
        return None  # which would take longer than the clustering
    kind = options.bound or "spectral"
    if kind == "spectral" and _is_quick_in_blocks(model):
        kind = "blockwise"
    elif options.bound is None and len(model.labels_) > _UNASKED_UP_TO:
        return None
    matrix = features.X if is_matrix(options) else None
    with listening(console.status):
        return model.optimality_gap(matrix, kind=kind)


def _is_quick_in_blocks(model: KernelKGroups) -> bool:
    """Whether a blockwise bound is valid and takes less time than the fit."""
    from kgroups.bounds import blocks_save_time

    holds = bool(getattr(model.metric, "is_negative_type", False))
    return holds and blocks_save_time(len(model.labels_), len(model.cluster_weights_))


def _written(table: Rows, features: TableFeatures, labels: IntArray, options: Namespace) -> bytes:
    """What ``-o`` asks for."""
    if options.append and isinstance(table, Table):
        return table_csv(table, labels)
    return labels_bytes(options.output, labels, features.ids, features.id_name)
