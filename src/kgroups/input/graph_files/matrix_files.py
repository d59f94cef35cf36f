"""Adjacency matrices that are written in full: as text, with or without names, or by NumPy."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.adjacency import adjacency_of
from kgroups.input.graph_files.edge_columns import node_ids
from kgroups.input.graph_files.edge_layout import COMMENTS
from kgroups.input.graph_files.edge_names import usual_ends
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.small_matrices import MOST_OF_EDGES, may_list_edges, small_matrix
from kgroups.input.graph_files.text_lines import is_integer, is_substance, lines, rows, sniffed
from kgroups.input.table_files import binary
from kgroups.input.table_files.field_table import Row, on_commas
from kgroups.input.table_files.numerals import decimal_commas, to_numbers
from kgroups.input.table_files.table import positional_names
from kgroups.input.table_files.text_format import Decimal, ListFound, TextFormat
from kgroups.runtime.memory import require
from kgroups.text import quoted
from kgroups.typing import Float64Array

# A list of edges without any names seldom has more columns than this.
_MOST_ABOUT_EDGES = 8
# Lines that show whether numbers have decimal commas.
_LINES = 20


class _Square(NamedTuple):
    """As many rows as columns of numbers, and what the rows are called."""

    matrix: Float64Array
    names: list[str] | None
    #: Whether it cannot be a list of edges.
    is_certain: bool
    #: What separates its fields, and its decimal mark, as far as they were found out.
    delimiter: str | None = None
    decimal: Decimal | None = None
    #: The line of each row.
    lines: Sequence[int] = ()
    #: Whether the first line names the columns.
    has_header: bool = False
    notes: tuple[str, ...] = ()


class _Entries(NamedTuple):
    """The rows of a table as they are read: numbers, first fields and lines."""

    rows: list[Float64Array]
    names: list[str]
    lines: list[int]


def read_npy(stream: IO[bytes], source: str) -> Graph:
    """A graph from the adjacency matrix in an NPY file."""
    return _graph_of_table(binary.read_npy(stream, source), source)


def read_dense_npz(stream: IO[bytes], source: str) -> Graph:
    """A graph from the adjacency matrix in an NPZ file that numpy.savez wrote."""
    return _graph_of_table(binary.read_npz(stream, source), source)


def matrix_in_text(stream: IO[bytes], source: str, suffix: str, text: TextFormat) -> Graph | None:
    """The graph of a square table of numbers; None where the lines may list edges.

    A table of more than three columns without names is a matrix if it is square, next to names of
    its rows too; with names of columns, or if its rows may be edges and what is known of them, only
    if it is also symmetric. Two or three columns: :func:`small_matrices.small_matrix`.
    """
    stream.seek(0)
    found = _square(stream, source, suffix, text)
    if found is None or not (found.is_certain or np.array_equal(found.matrix, found.matrix.T)):
        return None
    _check_finite(found, source)
    written = _written(found, text)
    graph = _graph(found.matrix, source, None if found.names is None else _nodes(found.names))
    of_commas = [f"{note}." for note in on_commas(written)]
    notes = (*graph.notes[:1], *of_commas, *found.notes, *graph.notes[1:])
    return replace(graph, notes=notes, text=written)


def _check_finite(found: _Square, source: str) -> None:
    """DataError for an entry that is missing or infinite."""
    finite = np.isfinite(found.matrix)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        what = "missing" if np.isnan(found.matrix[row, column]) else "infinite"
        raise DataError(
            f"{source}, line {found.lines[row]}: entry {column + 1} of the matrix is {what}; write "
            "0 where there is no edge."
        )


def _written(found: _Square, asked: TextFormat) -> ListFound:
    """How the table was written."""
    has_commas = asked.decimal is None and found.decimal is not None
    names = found.names or positional_names(len(found.matrix))
    return ListFound(
        delimiter=found.delimiter or " ",
        encoding="utf-8",
        decimal=asked.decimal,
        na_values=(),
        decimal_commas=tuple(names) if has_commas else (),
        has_header=found.has_header,
    )


def _nodes(names: list[str]) -> NDArray[Any]:
    """Names as ids of nodes: integers if all of them are."""
    return node_ids([int(name) for name in names] if all(map(is_integer, names)) else names)


def _square(stream: IO[bytes], source: str, suffix: str, text: TextFormat) -> _Square | None:
    """A square table of numbers with at most one line and one column of names; None if it is not.

    Reading ends at the first line that does not fit.
    """
    texts = (line for _, line in lines(stream, source) if is_substance(line, COMMENTS))
    delimiter = sniffed(next(texts, ""), suffix, text)
    stream.seek(0)
    found = rows(stream, source, delimiter, comments=COMMENTS)
    first = next(found, Row(0, []))
    few = list(islice(found, len(first.fields) if len(first.fields) < _LINES else _LINES))
    if first.fields[: len(few)] == [row.fields[0] for row in few] and _is_wider(few, first):
        first = Row(first.line, ["", *first.fields])  # as R writes names of rows and columns
    elif len(first.fields) <= MOST_OF_EDGES and not _names_both(first, few):
        return _small([first, *few, *islice(found, 2)], source, delimiter, text)
    width = len(first.fields)
    if usual_ends(first.fields):
        return None
    counted = [str(i) for i in range(width)]  # as pandas names columns
    decimal = text.decimal or _commas([first, *few])
    is_header = (
        not first.fields[0]
        or first.fields == counted
        or to_numbers(first.fields[1:], decimal) is None
    )
    table = _Entries([], [], [])
    for row in chain([] if is_header else [first], few, found):
        numbers = to_numbers(row.fields[1:], decimal)
        if len(row.fields) != width or numbers is None or len(table.rows) == width:
            return None
        if text.decimal is None and decimal == "," and any(map(_has_only_points, row.fields[1:])):
            return None
        if not table.rows:
            require(24 * width**2, what=f"Reading {source}", instead="Write a list of edges.")
        table.rows.append(numbers)
        table.names.append(row.fields[0])
        table.lines.append(row.line)
    square = _completed(first.fields if is_header else None, table, width, decimal)
    return (
        None
        if square is None
        else square._replace(
            delimiter=delimiter, decimal=decimal, lines=table.lines, has_header=is_header
        )
    )


def _small(
    found: list[Row], source: str, delimiter: str | None, text: TextFormat
) -> _Square | None:
    """The same for two or three rows, which are seldom a matrix."""
    decimal = text.decimal or _commas(found)
    matrix = small_matrix(found, source, decimal) if len(found) > 1 else None
    if matrix is None:
        return None
    has_header = len(found) > len(matrix)
    names = found[0].fields if has_header else None
    return _Square(
        matrix, names, True, delimiter, decimal,
        [row.line for row in found[has_header:]], has_header,
    )  # fmt: skip


def _names_both(first: Row, few: Sequence[Row]) -> bool:
    """Whether a first line with an empty corner holds the names of all rows."""
    return first.fields[:1] == [""] and first.fields[1:] == [row.fields[0] for row in few]


def _is_wider(few: Sequence[Row], first: Row) -> bool:
    """Whether rows have one field more than the first line, which is not alone."""
    return bool(few) and all(len(row.fields) == len(first.fields) + 1 for row in few)


def _commas(found: Sequence[Row]) -> Decimal | None:
    """A comma, if numbers of these rows have decimal commas and none has another mark."""
    marked = [field for row in found for field in row.fields[1:] if "," in field or "." in field]
    return "," if decimal_commas(marked) is not None else None


def _has_only_points(field: str) -> bool:
    """Whether points may be decimal marks, which decimal commas in other fields contradict."""
    return "." in field and "," not in field and to_numbers([field]) is not None


def _completed(
    header: list[str] | None, table: _Entries, width: int, decimal: Decimal | None
) -> _Square | None:
    """The first fields of all rows as numbers, or as names, whichever makes a square."""
    names = table.names
    firsts = to_numbers(names, decimal)
    if len(names) == width and firsts is not None:
        matrix = np.column_stack([firsts, table.rows])
        return _Square(matrix, header, header is None and not _perhaps_edges(matrix))
    if len(names) != width - 1 or len(set(names)) < len(names):
        return None
    matrix, columns = np.array(table.rows), names if header is None else header[1:]
    if columns != names and set(columns) == set(names):
        place = {name: c for c, name in enumerate(columns)}
        matrix = matrix[:, [place[name] for name in names]]
        columns = names
    is_certain = columns == names or (header is not None and header[0] == "")
    numbers = {tuple(map(str, range(i, width - 1 + i))) for i in (0, 1)}
    differ = [] if columns == names or tuple(columns) in numbers else [
        f"the columns have other names than the rows, such as {quoted(columns[0])} and "
        f"{quoted(names[0])}; those of the rows are used."
    ]  # fmt: skip
    return _Square(matrix, names, is_certain, notes=tuple(differ))


def _perhaps_edges(matrix: Float64Array) -> bool:
    """Whether a few rows may be edges with several numbers each."""
    is_list = may_list_edges(matrix[:, :2]) and bool(np.diagonal(matrix).all())
    return is_list and len(matrix) <= _MOST_ABOUT_EDGES


def _graph_of_table(table: Any, source: str) -> Graph:
    matrix = table.numbers(range(len(table.names)))
    if matrix.shape[0] != matrix.shape[1]:
        edges = matrix.shape[1] in (2, 3)
        advice = "write a list of edges as CSV: source,target,weight." if edges else (
            "for a table of features use kgroups cluster."
        )  # fmt: skip
        raise DataError(
            f"{source} must be square: one row and one column per node; got shape {matrix.shape}; "
            f"{advice}"
        )
    return _graph(matrix, source, None)


def _graph(matrix: Float64Array, source: str, nodes: NDArray[Any] | None) -> Graph:
    """A graph from a dense matrix, which its notes say."""
    try:
        adjacency, notes, _ = adjacency_of(matrix, name=source, allow_negative=True)
    except (ValueError, TypeError) as error:
        raise DataError(str(error)) from error
    n = adjacency.shape[0]
    said = [
        f"{source} is read as the adjacency matrix of {n:,} nodes; entries are weights of edges."
    ]
    off = matrix[~np.eye(n, dtype=bool)]
    if n > 1 and not np.diagonal(matrix).any() and (off > 0).all() and (off != off[0]).any():
        said.append(
            "if the entries are distances, use kgroups cluster --metric precomputed: here a large "
            "weight means a close pair."
        )
    return Graph(adjacency, np.arange(n) if nodes is None else nodes, (*said, *notes), source)
