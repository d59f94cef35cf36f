"""What ``kgroups cluster -o`` writes: one line per row, or the whole table with its clusters."""

import csv
import io
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import numpy as np

from kgroups.cli.console import OutputError, UsageError
from kgroups.cli.csv_rows import csv_rows
from kgroups.cli.whole_files import check_csv_name
from kgroups.exceptions import DataError
from kgroups.input.table_files import Rows, Table
from kgroups.typing import IntArray

# The name of the column of labels.
_CLUSTER = "cluster"
_PARQUET = ".parquet"
# Rows without names that are written together.
_ROWS_AT_ONCE = 1 << 20


def is_parquet(path: Path) -> bool:
    """Whether labels are written as Parquet."""
    return path.suffix.lower() == _PARQUET


def check_labels_name(options: Namespace) -> None:
    """An error, before the work, for a format that is not written, or not without pyarrow."""
    path: Path | None = options.output
    if options.append or options.certify is not None:
        check_csv_name(path, "-o")
    else:
        check_labels_format(path)


def check_labels_format(path: Path | None) -> None:
    """The same where labels alone are written."""
    if path is None:
        return
    if not is_parquet(path):
        check_csv_name(path, "-o", "CSV or Parquet")
    elif find_spec("pyarrow") is None:
        raise OutputError(f'-o {path} needs pyarrow; run: pip install "kgroups[cli]", or write CSV')


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


def labels_bytes(
    path: Path | None, labels: IntArray, ids: Sequence[str] | None, id_name: str
) -> bytes:
    """The labels in the format that the name of a file says."""
    stream = io.BytesIO()
    write_labels(stream, path, labels, None if ids is None else [ids], id_name)
    return stream.getvalue()


def write_labels(
    stream: IO[bytes],
    path: Path | None,
    labels: IntArray,
    ids: Iterable[Sequence[str]] | None,
    id_name: str,
) -> None:
    """Write the labels in the format that the name of a file says, a part of the rows at a time.

    ``ids`` are names of the rows, one part after the other; DataError if they are more or fewer.
    """
    parts = _without_names(labels) if ids is None else _with_names(labels, ids)
    if path is not None and is_parquet(path):
        _write_parquet(stream, parts, None if ids is None else id_name)
        return
    for piece in _labels_csv(parts, None if ids is None else id_name):
        stream.write(piece)


_Part = tuple[int, IntArray, Sequence[str]]


def _without_names(labels: IntArray) -> Iterator[_Part]:
    for start in range(0, len(labels), _ROWS_AT_ONCE):
        yield start, labels[start : start + _ROWS_AT_ONCE], ()


def _with_names(labels: IntArray, ids: Iterable[Sequence[str]]) -> Iterator[_Part]:
    start = 0
    for names in ids:
        some = labels[start : start + len(names)]
        if len(some) < len(names):
            break
        yield start, some, names
        start += len(names)
    else:
        if start == len(labels):
            return
    raise DataError("DATA has changed since it was read; run the command again.")


def _labels_csv(parts: Iterable[_Part], id_name: str | None) -> Iterator[bytes]:
    """One line per row: its number, its name if rows have names, and its cluster."""
    yield _csv(["row", *([] if id_name is None else [id_name]), _CLUSTER], ())
    for start, labels, names in parts:
        numbers = np.arange(start + 1, start + 1 + len(labels))
        columns: list[IntArray | Sequence[str]] = [numbers, labels]
        yield from csv_rows(columns if id_name is None else [numbers, names, labels])


def _write_parquet(stream: IO[bytes], parts: Iterable[_Part], id_name: str | None) -> None:
    """The clusters as int32, after the names of the rows if they have names."""
    import pyarrow as pa
    from pyarrow import parquet

    # Two columns of one name could not be told apart.
    name = "id" if id_name == _CLUSTER else id_name
    fields = [] if name is None else [(name, pa.string())]
    schema = pa.schema([*fields, (_CLUSTER, pa.int32())])
    with parquet.ParquetWriter(stream, schema) as writer:
        for _, labels, names in parts:
            columns = [pa.array(labels.astype(np.int32, copy=False))]
            if name is not None:
                columns.insert(0, pa.array(names, pa.string()))
            writer.write_batch(pa.record_batch(columns, schema=schema))


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
