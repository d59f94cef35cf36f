"""Tables and graphs from the files of a data folder."""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from kgroups.input.table_files import DataError, Table, read_table
from kgroups_papers.data.content import (
    BenchmarkGraph,
    BenchmarkTable,
    graph_content,
    table_content,
)
from kgroups_papers.types import Float64Array

# More names than this would hide the message that lists them.
_NAMES_SHOWN = 12


def read_benchmark_table(name: str, path: Path) -> BenchmarkTable:
    """A CSV file of features with the column ``label`` last.

    Row by row, since the text of the widest set takes ten times the memory of its numbers.
    """
    with _readable(path), path.open(encoding="utf-8-sig", newline="") as stream:
        rows = csv.reader(stream, strict=True)
        names = next(rows, [])
        if len(names) < 2 or names[-1] != "label":
            raise DataError(
                f"{path} must have a line of names, features first and 'label' last; found "
                f"{_listed(names)}."
            )
        X, labels = [], []
        for fields in filter(None, rows):
            if len(fields) != len(names):
                raise ValueError(
                    f"line {rows.line_num} has {len(fields)} fields, expected {len(names)}"
                )
            X.append(np.array([field or "nan" for field in fields[:-1]], dtype=np.float64))
            labels.append(fields[-1].strip())
    return table_content(name, np.array(X).reshape(-1, len(names) - 1), labels, names[:-1])


def read_benchmark_graph(
    name: str, edges_path: Path, labels_path: Path, *, directed: bool
) -> BenchmarkGraph:
    """A CSV file of edges and another of nodes with labels, and names if there are any."""
    edges = _edges(_read(edges_path))
    table = _read(labels_path)
    _check_names(table, ("node", "label"), "name")
    n = table.n_rows
    if not np.array_equal(_numbers(table, [0])[:, 0], np.arange(n)):
        raise DataError(f"{table.source} must have the nodes 0 to {n - 1} in order.")
    if edges[:, :2].max() >= n:
        raise DataError(
            f"{edges_path} has node {edges[:, :2].max():.0f}, and {table.source} has the nodes 0 "
            f"to {n - 1}."
        )
    # A graph without a truth has an empty column.
    labels = None if table.missing(1).all() else _texts(table, 1)
    has_names = len(table.names) > 2
    node_names = _texts(table, 2) if has_names else [str(node) for node in range(n)]
    return graph_content(name, edges, labels, node_names, directed=directed)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, csv.Error) as error:
        raise DataError(f"{path} is not a CSV file of numbers and labels: {error}.") from error


def _read(path: Path) -> Table:
    return read_table(path, least_rows=1)


def _edges(table: Table) -> Float64Array:
    _check_names(table, ("source", "target"), "weight")
    edges = _numbers(table, range(len(table.names)))
    ends = edges[:, :2]
    # NaN is neither.
    if not ((ends >= 0) & (ends == np.floor(ends))).all():
        raise DataError(f"{table.source} must name nodes by whole numbers from 0 on.")
    return edges


def _check_names(table: Table, needed: tuple[str, ...], optional: str) -> None:
    if table.names not in (needed, (*needed, optional)):
        raise DataError(
            f"{table.source} must have the columns {', '.join(needed)}, and {optional} if there "
            f"is one; found {_listed(table.names)}."
        )


def _numbers(table: Table, columns: range | list[int]) -> Float64Array:
    for column in columns:
        if table.is_text(column):
            raise DataError(f"{table.source}: {table.label(column)} holds text, not numbers.")
    return table.numbers(columns)


def _texts(table: Table, column: int) -> list[str]:
    """A column as text, also when it looks like numbers."""
    missing = table.missing(column)
    if missing.any():
        where = table.where(int(np.argmax(missing)))
        raise DataError(f"{table.source}, {where}: {table.label(column)} is empty.")
    values = table.columns[column].tolist()
    if table.is_text(column):
        return list(values)
    return [str(int(value)) if value.is_integer() else repr(value) for value in values]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_NAMES_SHOWN]))
