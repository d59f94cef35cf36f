"""``kgroups cluster --certify``: what is proved of labels that somebody else found."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import numpy as np

from kgroups.cli.columns import codes_of
from kgroups.cli.console import Console
from kgroups.cli.output import columns_bytes, write_and_print
from kgroups.cli.record import run_record, table_data
from kgroups.cli.rows import Rows, in_words_of
from kgroups.exceptions import DataError
from kgroups.input.preparation import numbers_of
from kgroups.input.table_files import read_table
from kgroups.runtime.progress import listening

# Names of the column of labels, in the order in which they are looked for.
_NAMES = ("cluster", "label", "labels")


def certify_labels(rows: Rows, options: Namespace, console: Console) -> None:
    """Prove that no row of given labels moves, or write those that would, and print the report."""
    from kgroups.bounds import certify
    from kgroups.input.spaces import read_input
    from kgroups.report import CertificateReport, describe_metric

    labels = _given_labels(options.certify, rows)
    begun = time.perf_counter()
    with listening(console.status), in_words_of(rows.file):
        found = certify(rows.X, labels, metric=rows.metric, sample_weight=rows.weights,
                        time_limit=options.time_limit)  # fmt: skip
        space, _ = read_input(rows.X, rows.metric)
    console.clear()
    report = CertificateReport(
        found=found,
        labels=labels,
        n_features=rows.n_features,
        metric=describe_metric(space.semimetric or rows.metric),
        source=rows.file.source,
        label_source=str(options.certify),
        ids=rows.ids,
        seconds=time.perf_counter() - begun,
    )
    moves = report.to_dict()["moves"]
    named = {"id": rows.id_name} if rows.ids is not None else {}
    titles = {"row": "row", **named, "cluster": "cluster", "target": "target", "gain": "gain"}
    columns = {name: [move[key] for move in moves] for key, name in titles.items()}
    run = run_record(options, console, table_data(rows.file), {"metric": report.metric},
                     rows.columns)  # fmt: skip
    write_and_print(replace(report, run=run), options, "Moves",
                    output=lambda: columns_bytes(options.output, columns))  # fmt: skip


def _given_labels(path: Path, rows: Rows) -> list[str]:
    """The label of each row, by the numbers of the rows where the file has these."""
    file = read_table(path, as_text=_NAMES)
    frame, n = file.values, rows.n
    if len(frame) != n:
        raise DataError(
            f"{file.source} has {len(frame):,} labels, and {rows.file.source} has {n:,} rows; give "
            "one label for each row."
        )
    others = [name for name in frame if name != "row"] or list(frame)
    named = [name for name in _NAMES if name in frame] or others[:1]
    if named[0] not in _NAMES and len(others) > 1:
        raise DataError(
            f"{file.source} has {len(others)} columns; name that of the labels cluster."
        )
    levels, codes = codes_of(file, named[0])
    if "row" in frame and len(frame.columns) > 1:
        order = numbers_of(frame["row"])
        if not np.array_equal(np.sort(order), np.arange(1, n + 1)):
            raise DataError(
                f"{file.source} has a column 'row' that does not hold each number from 1 to {n:,} "
                "once; rename it if it does not number the rows."
            )
        codes = codes[np.argsort(order)]
    return [levels[code] for code in codes]
