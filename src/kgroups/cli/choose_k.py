"""``kgroups choose-k``: estimates the number of clusters of a table, with the reasons."""

import time
from argparse import Namespace
from dataclasses import replace

from kgroups.cli.console import Console
from kgroups.cli.output import check_files, picture_bytes, write_and_print
from kgroups.cli.record import run_record, table_data
from kgroups.cli.rows import in_words_of, read_file, rows_of
from kgroups.exceptions import DataError
from kgroups.report import ClusterCountReport
from kgroups.select import choose_n_clusters


def choose_k(options: Namespace, console: Console) -> None:
    """Run ``kgroups choose-k``; the picture is written before the report is printed."""
    check_files(options)
    file = read_file(options.data, options)
    rows = rows_of(file, options)
    console.note(*file.notes, *rows.notes)
    if rows.n < 2:
        raise DataError(f"{file.source} has 1 row; two or more are compared.")
    begun = time.perf_counter()
    with in_words_of(file):
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
    if count.k.tolist() == [1]:
        console.note("only k = 1 was tried; raise --k-max")
    report = ClusterCountReport(
        count=count,
        source=file.source,
        metric=rows.metric,
        n_features=rows.n_features,
        unit=rows.unit,
        label_name=options.label_column or "",
        n_classes=None if rows.labels is None else int(rows.labels.max()) + 1,
        seconds=time.perf_counter() - begun,
    )
    run = run_record(options, console, table_data(file), report.settings, rows.columns)

    def picture() -> bytes:
        """Each criterion against k."""
        from kgroups.plots import ClusterCountDisplay

        return picture_bytes(ClusterCountDisplay(count=count).on_page(), options.plot.suffix)

    def page() -> bytes:
        """The report for people."""
        from kgroups.pages.cluster_count_page import cluster_count_page

        return cluster_count_page(report, run).to_bytes()

    write_and_print(replace(report, run=run), options, plot=picture, report=page)
