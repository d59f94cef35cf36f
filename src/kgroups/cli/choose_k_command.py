"""``kgroups choose-k``: estimates the number of clusters of a table, with the reasons."""

import time
from argparse import Namespace
from dataclasses import replace

from kgroups.cli.columns import TableFeatures
from kgroups.cli.console import Console, print_report
from kgroups.cli.recording import run_record, table_data
from kgroups.cli.row_features import features_of, size_of
from kgroups.cli.table_input import (
    check_metric_options,
    metric_for,
    read_any,
)
from kgroups.cli.whole_files import check_destinations, saved, write_together
from kgroups.cli.wording import in_words_of
from kgroups.exceptions import DataError
from kgroups.input.table_files import Rows
from kgroups.report import ClusterCountReport, RunRecord
from kgroups.select import ClusterCount, choose_n_clusters


def choose_k(options: Namespace, console: Console) -> None:
    """Run ``kgroups choose-k``; the picture is written before the report is printed."""
    check_metric_options(options)
    check_destinations({"--plot": options.plot, "--report": options.report}, {"DATA": options.data})
    table = read_any(options.data, options)
    features = features_of(table, options)
    console.note(*table.notes, *features.notes)
    report = _report(features, table, options, console)
    if report.count.k.tolist() == [1]:
        console.note("only k = 1 was tried; raise --k-max")
    run = run_record(options, console, table_data(table), report.settings, features.columns)
    write_together(
        {
            options.plot: lambda: _picture(report.count, options.plot.suffix),
            options.report: lambda: _page(report, run),
        }
    )
    files = {"Picture": options.plot, "Report": options.report}
    print_report(replace(report, run=run), options, files)


def _report(
    features: TableFeatures, table: Rows, options: Namespace, console: Console
) -> ClusterCountReport:
    n_used = min(table.n_rows, options.max_samples)
    if options.k_max is not None and options.k_max > n_used:
        raise DataError(
            f"--k-max {options.k_max} is more than the {n_used} rows of {table.source} that are "
            "used."
        )
    metric = metric_for(options, features)
    begun = time.perf_counter()
    with in_words_of(table, features, options):
        count = choose_n_clusters(
            features.X,
            k_max=options.k_max,
            metric=metric,
            max_samples=options.max_samples,
            random_state=options.seed,
            n_jobs=options.n_jobs,
            verbose=console.status,
        )
    console.clear()
    return ClusterCountReport(
        count=count,
        source=table.source,
        metric=metric,
        n_features=size_of(features, options),
        unit=features.unit,
        label_name=options.label_column or "",
        n_classes=None if features.labels is None else int(features.labels.max()) + 1,
        seconds=time.perf_counter() - begun,
    )


def _page(report: ClusterCountReport, run: RunRecord) -> bytes:
    from kgroups.pages.cluster_count_page import cluster_count_page

    return cluster_count_page(report, run).to_bytes()


def _picture(count: ClusterCount, suffix: str) -> bytes:
    from kgroups.plots import ClusterCountDisplay

    return saved(ClusterCountDisplay(count=count).on_page(), suffix)
