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
from kgroups.input.graph_files.edge_layout import COMMENTS, end_columns
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.text_lines import fields, is_integer, is_substance, lines, sniffed
from kgroups.input.table_files import binary
from kgroups.input.table_files.field_table import on_commas
from kgroups.input.table_files.numerals import decimal_commas, to_numbers
from kgroups.input.table_files.table import positional_names
from kgroups.input.table_files.text_format import Decimal, TextFormat, TextFound
from kgroups.runtime.memory import require
from kgroups.typing import Float64Array

# A list of edges without names of columns has at most this many.
_MOST_OF_EDGES = 3
# And one without any names seldom more than this.
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
    if it is also symmetric.
    """
    stream.seek(0)
    found = _square(stream, source, suffix, text)
    if found is None or not (found.is_certain or np.array_equal(found.matrix, found.matrix.T)):
        return None
    written = _written(found, text)
    graph = _graph(found.matrix, source, None if found.names is None else _nodes(found.names))
    of_commas = [f"{note}." for note in on_commas(written)]
    notes = (*graph.notes[:1], *of_commas, *graph.notes[1:])
    return replace(graph, notes=notes, text=written)


def _written(found: _Square, asked: TextFormat) -> TextFound:
    """How the table was written."""
    has_commas = asked.decimal is None and found.decimal is not None
    names = found.names or positional_names(len(found.matrix))
    return TextFound(
        delimiter=found.delimiter or " ",
        encoding="utf-8",
        decimal=asked.decimal,
        na_values=(),
        decimal_commas=tuple(names) if has_commas else (),
    )


def _nodes(names: list[str]) -> NDArray[Any]:
    """Names as ids of nodes: integers if all of them are."""
    return node_ids([int(name) for name in names] if all(map(is_integer, names)) else names)


def _square(stream: IO[bytes], source: str, suffix: str, text: TextFormat) -> _Square | None:
    """A square table of numbers with at most one line and one column of names; None if it is not.

    Reading ends at the first line that does not fit.
    """
    texts = (line for _, line in lines(stream, source) if is_substance(line, COMMENTS))
    first_line = next(texts, "")
    delimiter = sniffed(first_line, suffix, text)
    first = fields(first_line.rstrip("\r\n"), delimiter, source)
    width = len(first)
    if width <= _MOST_OF_EDGES or end_columns(first):
        return None
    counted = [str(i) for i in range(width)]  # as pandas names columns
    few = [fields(line.rstrip("\r\n"), delimiter, source) for line in islice(texts, _LINES)]
    decimal = text.decimal or _commas([first, *few])
    is_header = not first[0] or first == counted or to_numbers(first[1:], decimal) is None
    header = first if is_header else None
    rows: list[Float64Array] = []
    names: list[str] = []
    rest = (fields(line.rstrip("\r\n"), delimiter, source) for line in texts)
    for row in chain([] if header is not None else [first], few, rest):
        numbers = to_numbers(row[1:], decimal)
        if len(row) != width or numbers is None or len(rows) == width:
            return None
        if not rows:
            require(24 * width**2, what=f"Reading {source}", instead="Write a list of edges.")
        names.append(row[0])
        rows.append(numbers)
    square = _completed(header, names, rows, width, decimal)
    return None if square is None else square._replace(delimiter=delimiter, decimal=decimal)


def _commas(rows: Sequence[Sequence[str]]) -> Decimal | None:
    """A comma, if numbers of these rows have decimal commas and none has another mark."""
    marked = [field for row in rows for field in row[1:] if "," in field or "." in field]
    return "," if decimal_commas(marked) is not None else None


def _completed(
    header: list[str] | None,
    names: list[str],
    rows: Sequence[Float64Array],
    width: int,
    decimal: Decimal | None,
) -> _Square | None:
    """The first fields of all rows as numbers, or as names, whichever makes a square."""
    firsts = to_numbers(names, decimal)
    if len(rows) == width and firsts is not None:
        matrix = np.column_stack([firsts, rows])
        return _Square(matrix, header, header is None and not _may_list_edges(matrix))
    if len(rows) != width - 1 or len(set(names)) < len(names):
        return None
    same = header is not None and header[1:] == names
    return _Square(np.array(rows), names, header is None or same or header[0] == "")


def _may_list_edges(matrix: Float64Array) -> bool:
    """Whether a few rows may be edges with several numbers each, of which none are loops."""
    ends = matrix[:, :2]
    are_whole = bool((ends == np.floor(ends)).all() and (ends[:, 0] != ends[:, 1]).all())
    return len(matrix) <= _MOST_ABOUT_EDGES and are_whole and bool(np.diagonal(matrix).all())


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
