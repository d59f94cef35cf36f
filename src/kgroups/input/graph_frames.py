"""Graphs in frames of pandas and polars: lists of edges, and matrices between named nodes."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from kgroups.input.adjacency import adjacency_of
from kgroups.input.columns import column_values
from kgroups.input.graph_files.edge_columns import node_ids, split
from kgroups.input.graph_files.edge_names import end_columns, weight_columns
from kgroups.input.graph_files.graph import Graph, graph_of_columns
from kgroups.input.graph_files.number_frames import are_numbers, row_names
from kgroups.input.matrix_names import order_of_frame, places_by_name, refuse_other_names
from kgroups.text import quoted
from kgroups.typing import Float64Array

# A frame with more columns is not a list of edges without names.
_MOST_OF_EDGES = 3


class _Square(NamedTuple):
    """The names of the rows of a matrix, and the position of the column that belongs to each."""

    names: list[Any]
    places: list[int]


def graph_of_frame(frame: Any, name: str) -> Graph:
    """The graph of a frame, which holds either edges or the matrix between its rows.

    It is a matrix if its rows and columns have the same names, in any order, or if the first column
    holds the names of the others; then these are the nodes, in the order of the rows. Without names
    of rows, a square frame of more than three columns must be symmetric. Anything else holds edges,
    unless it is a table of numbers.

    Raises
    ------
    TypeError
        If a matrix holds text.
    ValueError
        If the frame may hold edges or a matrix, or is neither.
    """
    square = _by_index(frame, name) or _by_first_column(frame) or _by_columns(frame, name)
    if square is None:
        return graph_of_columns(split(frame, None))
    found = adjacency_of(_numbers(frame, square, name), name=name, allow_negative=True)
    return Graph(found.matrix, node_ids(square.names), tuple(found.warnings()))


def _by_index(frame: Any, name: str) -> _Square | None:
    """The rows of a pandas frame whose index and columns hold the same names.

    ValueError if some of them are the same, and others not.
    """
    columns = list(frame.columns)
    if not hasattr(frame, "iloc") or frame.shape[0] != frame.shape[1]:
        return None
    rows = list(frame.index)
    if rows == columns:
        if rows == list(range(len(rows))) and len(rows) <= _MOST_OF_EDGES:
            return _by_columns(frame, name)
        _check_distinct(rows, name)
        return _Square(rows, list(range(len(rows))))
    places = order_of_frame(frame)
    if places is not None:
        return _Square(rows, places)
    if not set(rows).isdisjoint(columns) and _holds_numbers(frame):
        refuse_other_names(frame, name)
    return None


def _check_distinct(names: list[Any], name: str) -> None:
    """ValueError for names of rows that do not tell them apart."""
    repeated = next((one for one, times in Counter(names).items() if times > 1), None)
    if repeated is not None:
        raise ValueError(
            f"{name} has several rows and columns named {repeated!r}, and the names of nodes must "
            f"differ; rename them, or pass {name}.to_numpy()."
        )


def _by_first_column(frame: Any) -> _Square | None:
    """The rows of a frame whose first column holds the names of the others."""
    columns = list(frame.columns)
    if frame.shape[0] != len(columns) - 1 or len(columns) < 3:
        return None
    rows = column_values(frame, 0).tolist()
    places = places_by_name(list(map(str, rows)), list(map(str, columns[1:])))
    return None if places is None else _Square(rows, [c + 1 for c in places])


def _by_columns(frame: Any, name: str) -> _Square | None:
    """The columns of a symmetric matrix whose rows have no names."""
    columns = list(frame.columns)
    n_rows, n_columns = frame.shape
    texts = [str(column) for column in columns]
    if n_rows != n_columns or n_rows < 2 or end_columns(texts) is not None or row_names(frame):
        return None
    is_list = n_columns <= _MOST_OF_EDGES and weight_columns(texts)
    if is_list or not _holds_numbers(frame):
        return None
    _check_is_no_list(frame, name)
    square = _Square(columns, list(range(n_columns)))
    matrix = _numbers(frame, square, name)
    if not np.array_equal(matrix, matrix.T, equal_nan=True):
        raise ValueError(
            f"{name} is square, but its rows have no names and it is not symmetric; for a matrix "
            f"between its columns pass {name}.to_numpy(), for edges call the columns source, "
            "target and weight."
        )
    return square


def _holds_numbers(frame: Any) -> bool:
    return all(are_numbers(column_values(frame, c)) for c in range(frame.shape[1]))


def _check_is_no_list(frame: Any, name: str) -> None:
    """ValueError for a matrix so small that it may be a list of edges."""
    if 2 <= frame.shape[1] <= _MOST_OF_EDGES:
        raise ValueError(
            f"{name} has {frame.shape[0]} rows of numbers in as many columns, which may be edges "
            "or a matrix: for edges call the columns source, target and weight, for a matrix pass "
            f"{name}.to_numpy()."
        )


def _numbers(frame: Any, square: _Square, name: str) -> Float64Array:
    """The matrix, with its columns in the order of its rows."""
    columns = []
    for place in square.places:
        values = column_values(frame, place)
        if not are_numbers(values):
            raise TypeError(
                f"{name} must hold numbers; column {quoted(str(frame.columns[place]))} holds text."
            )
        columns.append(values.astype(np.float64))
    return np.column_stack(columns)
