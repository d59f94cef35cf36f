"""``kgroups choose-k``: estimates the number of clusters of a table, with the reasons."""

import time
from argparse import Namespace
from dataclasses import replace

from kgroups.cli.console import Console, print_report
from kgroups.cli.output import check_destinations, picture_bytes, write_together
from kgroups.cli.record import run_record, table_data
from kgroups.cli.rows import Rows, check_options, in_words_of, read_file, rows_of
from kgroups.exceptions import DataError
from kgroups.report import ClusterCountReport, RunRecord
from kgroups.select import ClusterCount, choose_n_clusters


def choose_k(options: Namespace, console: Console) -> None:
    """Run ``kgroups choose-k``; the picture is written before the report is printed."""
    check_options(options)
    check_destinations({"--plot": options.plot, "--report": options.report}, {"DATA": options.data})
    file = read_file(options.data, options)
    rows = rows_of(file, options)
    console.note(*file.notes, *rows.notes)
    report = _report(rows, options, console)
    if report.count.k.tolist() == [1]:
        console.note("only k = 1 was tried; raise --k-max")
    run = run_record(options, console, table_data(file), report.settings, rows.columns)
    write_together(
        {
            options.plot: lambda: _picture(report.count, options.plot.suffix),
            options.report: lambda: _page(report, run),
        }
    )
    files = {"Picture": options.plot, "Report": options.report}
    print_report(replace(report, run=run), options, files)


def _report(rows: Rows, options: Namespace, console: Console) -> ClusterCountReport:
    if rows.n < 2:
        raise DataError(f"{rows.file.source} has 1 row; two or more are compared.")
    n_used = min(rows.n, options.max_samples)
    if options.k_max is not None and options.k_max > n_used:
        raise DataError(
            f"--k-max {options.k_max} is more than the {n_used} rows of {rows.file.source} that "
            "are used."
        )
    begun = time.perf_counter()
    with in_words_of(rows.file):
        count = choose_n_clusters(
            rows.X,
            k_max=options.k_max,
            metric=rows.metric,
            max_samples=options.max_samples,
            random_state=options.seed,
            n_jobs=options.n_jobs,
            verbose=console.status,
        )
    console.clear()
    return ClusterCountReport(
        count=count,
        source=rows.file.source,
        metric=rows.metric,
        n_features=rows.n_features,
        unit=rows.unit,
        label_name=options.label_column or "",
        n_classes=None if rows.labels is None else int(rows.labels.max()) + 1,
        seconds=time.perf_counter() - begun,
    )


def _page(report: ClusterCountReport, run: RunRecord) -> bytes:
    from kgroups.pages.cluster_count_page import cluster_count_page

    return cluster_count_page(report, run).to_bytes()


def _picture(count: ClusterCount, suffix: str) -> bytes:
    from kgroups.plots import ClusterCountDisplay

    return picture_bytes(ClusterCountDisplay(count=count).on_page(), suffix)
