"""``kgroups choose-k``: a table in, a number of clusters with its reasons out."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from pathlib import Path

from kgroups.cli.cluster import check_options, check_square, metric_for
from kgroups.cli.console import Console, say, wants_color
from kgroups.cli.features import Features, extract
from kgroups.cli.output import check_destinations, write_whole
from kgroups.cli.pictures import require_matplotlib, saved
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table, read_table
from kgroups.names import MATRICES
from kgroups.report.cluster_count import ClusterCountReport
from kgroups.select import ClusterCount, choose_n_clusters


def choose_k(options: Namespace, console: Console) -> None:
    """Run ``kgroups choose-k``; the picture is written before the report is printed."""
    check_options(options)
    check_destinations({"--plot": options.plot}, options.data)
    if options.plot is not None:
        require_matplotlib("--plot")
    table = read_table(options.data)
    features = extract(table, options)
    if options.metric in MATRICES:
        check_square(features, table)
    for note in (*table.notes, *features.notes):
        console.note(note)
    report = _report(features, table, options, console)
    if report.count.k.tolist() == [1]:
        console.note("no number of clusters but 1 was tried; --k-max says up to where to try")
    if options.plot is not None:
        _draw(report.count, options.plot)
    if options.json:
        say(json.dumps(report.to_dict(), allow_nan=False))
        return
    lines = [report.to_text(color=wants_color())]
    if options.plot is not None:
        lines.append(f"Picture written to {options.plot}.")
    say("\n".join(lines))


def _report(
    features: Features, table: Table, options: Namespace, console: Console
) -> ClusterCountReport:
    metric = metric_for(options, features.n_numeric, features.n_categorical)
    n = len(features.X)
    if options.k_max is not None and options.k_max > min(n, options.max_samples):
        raise DataError(
            f"--k-max {options.k_max} is more than the {min(n, options.max_samples)} rows that are "
            f"looked at in {table.source}."
        )
    begun = time.perf_counter()
    count = choose_n_clusters(
        features.X,
        None if options.k_max is None else range(1, options.k_max + 1),
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
        n_features=None if options.metric in MATRICES else features.X.shape[1],
        label_name=options.label_column or "",
        n_classes=None if features.labels is None else int(features.labels.max()) + 1,
        seconds=time.perf_counter() - begun,
    )


def _draw(count: ClusterCount, path: Path) -> None:
    from kgroups.plots import ClusterCountDisplay

    write_whole(path, saved(ClusterCountDisplay.from_count(count).figure_, path.suffix))
