"""``kgroups cluster --certify``: what is proved of labels that somebody else found."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kgroups.cli.columns import TableFeatures
from kgroups.cli.console import Console, print_report, refuse_with
from kgroups.cli.csv_rows import csv_rows
from kgroups.cli.recording import run_record, table_data
from kgroups.cli.table_input import is_matrix, metric_for
from kgroups.cli.whole_files import write_together
from kgroups.exceptions import DataError
from kgroups.input.table_files import Rows, Table, read_table
from kgroups.runtime.progress import listening
from kgroups.text import quoted

if TYPE_CHECKING:
    from kgroups.report import CertificateReport

# Names of the column of labels, in the order in which they are looked for.
_NAMES = ("cluster", "label", "labels")
# The column that kgroups writes first: the number of each row.
_ROW = "row"


def check_certify(options: Namespace) -> None:
    """UsageError for options that ask for a search, where labels are given."""
    if options.certify is None:
        return
    others = {
        "-k": options.n_clusters is not None,
        "--curved": options.curved,
        "--n-init": options.n_init != "auto",
        "--method": options.method != "auto",
        "--bound": options.bound is not None,
        "--plot": options.plot is not None,
        "--plot-search": options.plot_search is not None,
        "--report": options.report is not None,
        "--append": options.append,
        "--save": options.save is not None,
        "--memory-limit": options.memory_limit is not None,
    }
    refuse_with("--certify", "looks at labels that are given", others)


def certify_labels(
    features: TableFeatures, table: Rows, options: Namespace, console: Console
) -> None:
    """Prove, write the moves, and print the report."""
    from kgroups.bounds import certify
    from kgroups.input.spaces import read_input
    from kgroups.report import CertificateReport, describe_metric

    labels = _labels(options, table)
    begun = time.perf_counter()
    metric = metric_for(options, features)
    with listening(console.status):
        found = certify(
            features.X,
            labels,
            metric=metric,
            sample_weight=features.weights,
            time_limit=options.time_limit,
        )
    console.clear()
    space, _ = read_input(features.X, metric)
    report = CertificateReport(
        found=found,
        labels=labels,
        n_features=None if is_matrix(options) else len(features.names),
        metric=describe_metric(space.semimetric or metric),
        source=table.source,
        label_source=str(options.certify),
        ids=features.ids,
        seconds=time.perf_counter() - begun,
    )
    write_together({options.output: lambda: _moves_csv(report, features.id_name)})
    if options.json:
        settings = {"metric": report.metric}
        run = run_record(options, console, table_data(table), settings, features.columns)
        report = replace(report, run=run)
    print_report(report, options, {"Moves": options.output})


def _labels(options: Namespace, table: Rows) -> list[str]:
    """The label of each row, in the order of the table."""
    given = read_table(options.certify)
    if given.n_rows != table.n_rows:
        raise DataError(
            f"{given.source} has {given.n_rows:,} labels, and {table.source} has {table.n_rows:,} "
            "rows; give one label for each row."
        )
    column = _column(given)
    labels = given.texts(column)
    if "" in labels:
        place = given.where(labels.index(""))
        raise DataError(f"{given.source} has no label on {place}; give one for each row.")
    return _in_order(given, labels)


def _column(given: Table) -> int:
    """The column of labels: the only one, not counting the numbers of rows, or the one so named."""
    named = [given.names.index(name) for name in _NAMES if name in given.names]
    if named:
        return named[0]
    others = [i for i, name in enumerate(given.names) if i > 0 or name != _ROW]
    if len(others) > 1:
        columns = ", ".join(quoted(given.names[i]) for i in others[:5])
        raise DataError(
            f"{given.source} has {given.n_columns} columns and none of them is named "
            f'"{_NAMES[0]}": {columns}{", ..." if len(others) > 5 else ""}. '
            f'Name the column that holds the labels "{_NAMES[0]}".'
        )
    return others[0] if others else 0


def _in_order(given: Table, labels: Sequence[str]) -> list[str]:
    """Labels by the numbers of the rows, where the file has these."""
    if given.names[0] != _ROW or given.n_columns < 2:
        return list(labels)
    numbers = given.texts(0)
    places = {number: place for place, number in enumerate(numbers)}
    wanted = [str(row) for row in range(1, len(labels) + 1)]
    if set(wanted) != set(places):
        raise DataError(
            f"{given.source} has a column {quoted(_ROW)} that does not hold each number from 1 to "
            f"{len(labels):,} once; rename it if it does not number the rows."
        )
    return [labels[places[number]] for number in wanted]


def _moves_csv(report: CertificateReport, id_name: str) -> bytes:
    """One line per row that would move: its number, its name, its cluster, the better one."""
    moves = report.to_dict()["moves"]
    names = [_ROW, *([id_name] if report.ids is not None else []), "cluster", "target", "gain"]
    columns = [
        [str(move["row"]) for move in moves],
        *([[str(move["id"]) for move in moves]] if report.ids is not None else []),
        [move["cluster"] for move in moves],
        [move["target"] for move in moves],
        [repr(move["gain"]) for move in moves],
    ]
    return b"".join([(",".join(names) + "\n").encode(), *csv_rows(columns)])
