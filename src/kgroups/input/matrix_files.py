"""Adjacency matrices in files: as text, of Matrix Market, SciPy and NumPy."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.io import mminfo, mmread
from scipy.sparse import csr_array, issparse, load_npz

from kgroups.exceptions import DataError
from kgroups.input.adjacency import of_matrix
from kgroups.input.edges import listed, named_ends, node_ids
from kgroups.input.graph import Graph
from kgroups.input.sparse_matrices import sound
from kgroups.input.text_files import Decimal, TextFormat, TextFound, _numbers, is_number, parse
from kgroups.runtime.memory import require
from kgroups.text import quoted
from kgroups.typing import Float64Array

_INTEGER = re.compile("0|-?[1-9][0-9]{0,18}")
#: Source, target and weight: with more columns something must say which these are.
MOST = 3
# Without names of columns, lists of edges seldom have more.
_MOST_OF_EDGES = 8


@dataclass(frozen=True, kw_only=True)
class ListFound(TextFound):
    """How a list of edges was read, or a matrix, which has no columns of this kind."""

    #: Whether the first line holds the names of the columns.
    has_header: bool = False
    #: The names of source, target and weight, or their positions from 1.
    columns: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What was found, as JSON has it; no missing values stand in such a file."""
        found = super().to_dict()
        del found["na_values"]
        named = dict(zip(("source", "target", "weight"), (*self.columns, None), strict=False))
        return {**found, "has_header": self.has_header, "columns": named if self.columns else None}


class ListText(NamedTuple):
    """A list of edges or a matrix without its comments, and its first rows."""

    raw: bytes
    source: str
    found: ListFound
    rows: list[list[str]]
    #: Where the first row begins, its line, and the line of names above it, if there is one.
    begin: int
    line: int
    names: list[str] | None = None
    #: Whether nothing but names can be meant.
    is_certain: bool = True

    @property
    def body(self) -> bytes:
        """What is below the names, with as many lines above as in the file."""
        if self.names is None or not self.found.has_header:
            return self.raw
        end = self.raw.find(b"\n", self.begin)
        return self.raw[: self.begin] + (b"" if end < 0 else self.raw[end:])

    @property
    def known(self) -> TextFormat:
        """How the body is written, whose lines are all rows."""
        mark, decimal = self.found.delimiter, self.found.decimal
        return TextFormat(delimiter=mark, encoding="utf-8", header=False, decimal=decimal)


def nodes_are_numbers(names: Sequence[str]) -> bool:
    """Whether all ids are integers of 64 bits as programs write them; 007 is text."""
    return all(map(_INTEGER.fullmatch, names)) and all(abs(int(name)) < 2**63 for name in names)


def floats(column: Any, decimal: Decimal | None) -> Float64Array:
    """A column as numbers, in which commas may be decimal marks; NaN for other text."""
    import pandas as pd

    found: Float64Array = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    if decimal != "," and not np.isnan(found).any():
        return found
    numbers = _numbers(column.astype(str), decimal)
    nothing = np.full(len(column), np.nan) if decimal else found
    return nothing if numbers is None else numbers


# --- as text -----------------------------------------------------------------------------------


def matrix_in_text(text: ListText) -> Graph | None:
    """The graph of a square table of numbers; None where the lines may list edges."""
    import pandas as pd

    rows, source = text.rows, text.source
    first, below = rows[0], [row[0] for row in rows[1:]]
    if len(rows) > 1 and all(len(row) == len(first) + 1 for row in rows[1:]):
        first = ["", *first]  # as R writes names of rows and columns
    width = len(first)
    if width <= MOST and (first[0] or first[1:] != below):
        _refuse_small(rows, source)
        return None
    counts = [str(i) for i in range(width)]
    is_header = not first[0] or first == counts or not all(map(is_number, first[1:]))
    n_rows = sum(1 for line in text.raw.split(b"\n") if line.strip()) - is_header
    if n_rows not in (width, width - 1) or named_ends(first) is not None:
        return None
    found = replace(text.found, has_header=is_header)
    table = text._replace(found=found, names=first)
    parsed = parse(table.body, source, table.known, as_text=("1",))
    numbers = [parsed.values[name] for name in parsed.values.columns[1:]]
    if len(numbers) != width - 1 or not all(map(pd.api.types.is_numeric_dtype, numbers)):
        return None
    entries = np.column_stack([one.to_numpy(np.float64) for one in numbers])
    found = replace(found, decimal_commas=parsed.text.decimal_commas if parsed.text else ())
    if n_rows == width:
        entries = np.column_stack([floats(parsed.values.iloc[:, 0], found.decimal), entries])
        may_be_edges = is_header or (width <= _MOST_OF_EDGES and np.diagonal(entries).all())
        is_matrix = np.array_equal(entries, entries.T) or not may_be_edges
        is_matrix &= not np.isnan(entries[:, 0]).any()
        names = first if is_header else None
    else:
        names = [str(name).strip() for name in parsed.values.iloc[:, 0]]
        places = _in_order_of(names, first[1:] if is_header else names)
        is_matrix = places is not None
        if places is None and not first[0]:
            raise DataError(
                f"{source}: rows and columns have other names, such as {quoted(names[0])} and "
                f"{quoted(first[1])}; list the edges between two kinds of nodes, one in a line."
            )
        entries = entries[:, places or []]
    if not is_matrix:
        return None
    if names is not None and nodes_are_numbers(names):
        return graph_of_matrix(entries, source, node_ids([int(name) for name in names]), found)
    return graph_of_matrix(entries, source, None if names is None else node_ids(names), found)


def _in_order_of(names: list[str], columns: list[str]) -> list[int] | None:
    """The position among the columns of the name of each row; as they stand, if columns count."""
    counted_ones = [[str(i + first) for i in range(len(names))] for first in (0, 1)]
    if columns == names or columns in counted_ones:
        return list(range(len(names)))
    place = {name: i for i, name in enumerate(columns)}
    return [place[name] for name in names] if {*names} == {*place} else None


def _refuse_small(rows: Sequence[Sequence[str]], source: str) -> None:
    """DataError for two or three rows of as many numbers, unless only edges can be meant."""
    first = rows[0]
    are_words = not any(map(is_number, first)) and named_ends(first) is None
    if len(rows) == len(first) + 1 and (are_words or first == ["0", "1", "2"]):
        rows = rows[1:]
    try:
        entries = np.array(rows, np.float64)
    except ValueError:
        return
    if entries.shape != (len(rows), len(rows)) or not np.isfinite(entries).all():
        return
    is_symmetric, n = np.array_equal(entries, entries.T), len(rows)
    ends = entries[:, :2]
    may_be_edges = (ends == np.floor(ends)).all()
    if n == MOST:
        may_be_edges &= (ends[:, 0] != ends[:, 1]).all() and entries[:, 2].all()
    is_matrix = is_symmetric or not np.diagonal(entries).any()
    if (is_symmetric and n == MOST) or (is_matrix and not may_be_edges):
        raise DataError(
            f"{source} has {n} rows of {n} numbers, which may be edges or a matrix. For edges "
            'write source="1" and target="2"; save a matrix as .npy.'
        )


def graph_of_matrix(
    matrix: Any, source: str, nodes: NDArray[Any] | None = None, text: ListFound | None = None
) -> Graph:
    """The graph of a sparse or full matrix from a file."""
    notes = []
    if not issparse(matrix):
        n = len(matrix)
        notes = [f"{source} is read as the adjacency matrix of {n:,} nodes; entries are weights."]
        off = matrix[~np.eye(n, dtype=bool)]
        if n > 1 and not np.diagonal(matrix).any() and (off > 0).all() and (off != off[0]).any():
            notes.append("if they are distances, use kgroups cluster --metric precomputed.")
        matrix = csr_array(matrix)
    adjacency, more = of_matrix(sound(matrix, source), source, allow_negative=True)
    nodes = np.arange(adjacency.shape[0]) if nodes is None else nodes
    return Graph(adjacency, nodes, (*notes, *more), source, text)


# --- of libraries --------------------------------------------------------------------------------


def read_mtx(raw: bytes, source: str, asked: TextFormat, weight: str | None) -> Graph:
    """A graph of Matrix Market; the sizes in its header are checked before it is read."""
    n_rows, n_columns, n_entries, layout, _, symmetry = mminfo(BytesIO(raw[: 1 << 20]))
    if symmetry == "skew-symmetric":
        raise ValueError("it is skew-symmetric, which is not a graph: directions would cancel.")
    _check_size((n_rows, n_columns), len(raw), n_entries)
    stored, found = n_entries, len(raw) // 4
    if layout == "array":  # SciPy takes what is missing for zeros
        stored = n_entries if symmetry == "general" else n_rows * (n_rows + 1) // 2
        found = len(re.sub(rb"(?m)^%.*$", b"", raw).split()) - 2
    if found < stored:
        raise ValueError(f"it is cut short: its header declares {n_entries:,} entries.")
    return _of_matrix(mmread(BytesIO(raw + b"\n")), source)  # a last line must end, or it may crash


def read_npz(raw: bytes, source: str, asked: TextFormat, weight: str | None) -> Graph:
    """A graph as SciPy or NumPy saves its matrix."""
    with np.load(BytesIO(raw), allow_pickle=False) as arrays:
        names = arrays.files
        if {"format", "data", "shape"}.isdisjoint(names):
            tables = ["X"] if "X" in names else names
            if len(tables) != 1:
                raise ValueError(f"it has the arrays {listed(names)}; call the one to read X.")
            return _of_matrix(arrays[tables[0]], source)
        _check_size(tuple(int(side) for side in arrays["shape"]), len(raw))
    return _of_matrix(load_npz(BytesIO(raw)), source)


def read_npy(raw: bytes, source: str, asked: TextFormat, weight: str | None) -> Graph:
    """A graph as NumPy saves its matrix."""
    return _of_matrix(np.load(BytesIO(raw), allow_pickle=False), source)


def _of_matrix(matrix: Any, source: str) -> Graph:
    _check_size(matrix.shape, matrix.nbytes if isinstance(matrix, np.ndarray) else 8 * matrix.nnz)
    if matrix.dtype.kind not in "biufc":
        raise ValueError(f"it holds {matrix.dtype}, and no numbers.")
    return graph_of_matrix(matrix, source)


def _check_size(shape: tuple[int, ...], n_bytes: int, n_entries: int = 0) -> None:
    """ValueError for a matrix that is not square, or has many more rows than its file has bytes."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"it must be square: one row and one column per node; got shape {shape}.")
    if shape[0] > 10**6 + 100 * n_bytes:
        raise ValueError(f"it declares {shape[0]:,} nodes, too many for its {n_bytes:,} bytes.")
    what = f"A graph of {shape[0]:,} nodes and {n_entries:,} entries"
    require(64 * (shape[0] + n_entries), what=what, instead="Save a smaller graph.")
