"""What ``kgroups cluster -o`` writes: one line per row, or the whole table with its clusters."""

import csv
import io
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from kgroups.cli.console import UsageError
from kgroups.cli.csv_rows import csv_rows
from kgroups.exceptions import DataError
from kgroups.input.table_files import Rows, Table
from kgroups.typing import IntArray

# The name of the column of labels.
_CLUSTER = "cluster"


def check_second_reading(options: Namespace) -> None:
    """UsageError where ``--append`` has nowhere to write to, or fields cannot be read again."""
    if options.id_column is not None and options.data == "-":
        raise UsageError(
            "--id-column reads the names of rows a second time, so that 007 stays 007; name a file "
            "instead of -"
        )
    if options.append and options.output is None:
        raise UsageError("--append writes the whole table to -o FILE; name the file")
    if options.append and options.data == "-":
        raise UsageError("--append reads the table a second time; name a file instead of -")


def check_appendable(table: Rows, options: Namespace) -> None:
    """UsageError for a table that has a column of clusters already."""
    if options.append and isinstance(table, Table) and _CLUSTER in table.names:
        raise UsageError(
            f"--append adds a column {_CLUSTER!r}, which {table.source} has already; rename that "
            "column, or omit --append"
        )


def labels_csv(labels: IntArray, ids: Sequence[str] | None, id_name: str) -> bytes:
    """One line per row: its number, its name if rows have names, and its cluster."""
    numbers = np.arange(1, len(labels) + 1)
    names = ["row", _CLUSTER]
    columns: list[IntArray | Sequence[str]] = [numbers, labels]
    if ids is not None:
        names, columns = ["row", id_name, _CLUSTER], [numbers, ids, labels]
    return b"".join([_csv(names, ()), *csv_rows(columns)])


def table_csv(table: Table, labels: IntArray) -> bytes:
    """The table with the clusters as its last column.

    Fields of a CSV file are copied, so that 007 stays 007; of other files numbers are written with
    all their digits.
    """
    names = ["" if c in table.unnamed else name for c, name in enumerate(table.names)]
    return _csv([*names, _CLUSTER], _appended(table, labels))


def _appended(table: Table, labels: IntArray) -> Iterator[list[object]]:
    try:
        for fields, label in zip(table.as_text(), labels.tolist(), strict=True):
            yield [*fields, label]
    except ValueError as error:
        raise DataError(
            f"{table.source} has changed since it was read; run the command again."
        ) from error


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8")
