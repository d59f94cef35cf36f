"""Lists of edges: two ids per line and perhaps a weight."""

from array import array
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import IO

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_columns import node_ids
from kgroups.input.graph_files.edge_layout import (
    COMMENTS,
    Layout,
    are_nodes,
    end_columns,
    ignored_columns,
    layout_of,
    perhaps_cut,
    perhaps_labels,
    to_weight,
)
from kgroups.input.graph_files.edges import Edges, check_memory, graph_of_edges, ranked
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.integer_edges import read_integers
from kgroups.input.graph_files.matrix_files import matrix_in_text
from kgroups.input.graph_files.text_lines import is_integer, rows
from kgroups.input.table_files.field_table import Row, on_commas
from kgroups.input.table_files.numerals import decimal_commas, is_number, points_may_group
from kgroups.input.table_files.rereadable import with_line_feeds
from kgroups.input.table_files.table import listed
from kgroups.input.table_files.text_format import (
    DECIMALS,
    MISSING,
    Decimal,
    TextFormat,
    TextFound,
)
from kgroups.text import counted, quoted
from kgroups.typing import IntArray

# How many edges are read between two looks at the free memory.
_EDGES_PER_CHECK = 1 << 20


class _NotAHeaderError(Exception):
    """The first line was taken as a header, but its names, or names like them, are nodes."""


class _CommaError(Exception):
    """A weight has a comma, and nothing was said about decimal marks."""


def read_edge_list(
    stream: IO[bytes], source: str, suffix: str = "", text: TextFormat | None = None
) -> Graph:
    """An undirected graph from a list of edges or a square matrix; tabs separate it in a .tsv.

    ``text`` says how they are written; what it leaves open is found out.
    """
    asked, stream = text or TextFormat(), with_line_feeds(stream)
    if (graph := matrix_in_text(stream, source, suffix, asked)) is not None:
        return graph
    layout = layout_of(stream, source, suffix, asked, may_have_header=True)
    edges = read_integers(stream, layout) if layout.is_plain else None
    if edges is None:
        try:
            layout, edges = _read_marked(stream, source, layout)
        except _NotAHeaderError:
            layout = layout_of(stream, source, suffix, asked, may_have_header=False)
            layout, edges = _read_marked(stream, source, layout)
    found = _text_found(layout, asked)
    notes = [*(f"{note}." for note in on_commas(found)), *_layout_notes(layout, edges)]
    if found.decimal is None and not found.decimal_commas:
        notes += _on_points(stream, source, layout, edges)
    return replace(graph_of_edges(edges, notes, source), text=found)


def _read_marked(stream: IO[bytes], source: str, layout: Layout) -> tuple[Layout, Edges]:
    """All edges, and the layout with a decimal comma if only that explains the weights."""
    try:
        return layout, read_any(stream, source, layout)
    except _CommaError as error:
        if decimal_commas(_weight_fields(stream, source, layout)) is None:
            raise DataError(f"{error}; {_advice(stream, source, layout)}") from error
    layout = layout._replace(decimal=",")
    return layout, read_any(stream, source, layout)


def _advice(stream: IO[bytes], source: str, layout: Layout) -> str:
    """What to write for weights with commas that only a person can read."""
    fit = [
        mark
        for mark in DECIMALS
        if all(to_weight(w, mark) is not None for w in _weight_fields(stream, source, layout))
    ]
    meant = {".": "is between groups of three digits", ",": "is the decimal mark"}
    said = [f'decimal="{mark}" says that it {meant[mark]}' for mark in fit]
    return (
        f"{' and '.join(said) or 'no decimal mark makes numbers of all weights: write them alike'}."
    )


def _weight_fields(stream: IO[bytes], source: str, layout: Layout) -> Iterator[str]:
    """The weights of all lines that are long enough, as they stand there."""
    stream.seek(0)
    found = rows(stream, source, layout.delimiter, comments=COMMENTS)
    column = layout.columns[2]
    for row in islice(found, 0 if layout.header is None else 1, None):
        if len(row.fields) > column:
            yield row.fields[column]


def _text_found(layout: Layout, asked: TextFormat) -> TextFound:
    """How the list was written."""
    has_commas = layout.decimal is not None and asked.decimal is None
    return TextFound(
        delimiter=layout.delimiter or " ",
        encoding="utf-8",
        decimal=asked.decimal,
        na_values=(),
        decimal_commas=(layout.weight_name,) if has_commas else (),
    )


def _on_points(stream: IO[bytes], source: str, layout: Layout, edges: Edges) -> list[str]:
    """A note if all points in a list with semicolons may separate thousands."""
    if layout.delimiter != ";" or edges.weights is None:
        return []
    thousandths = 1_000 * edges.weights
    if not np.allclose(thousandths, np.round(thousandths), rtol=1e-9, atol=0.0):
        return []  # more than three digits follow some point
    if not points_may_group(_weight_fields(stream, source, layout)):
        return []
    return [
        f"points in {quoted(layout.weight_name)} are read as decimal points, although three digits "
        'follow each; decimal="," reads them as separators of thousands.'
    ]


def read_any(stream: IO[bytes], source: str, layout: Layout) -> Edges:
    """All edges of a file, between ids of any kind, with a message for each kind of mistake.

    Raises
    ------
    _NotAHeaderError
        If the first line was guessed to be a header, and is an edge.
    """
    stream.seek(0)
    read = _Reader(source, layout)
    found = rows(stream, source, layout.delimiter, comments=COMMENTS)
    for row in islice(found, 0 if layout.header is None else 1, None):
        read.add(row)
    return read.edges()


class _Reader:
    """Collects edges one by one."""

    def __init__(self, source: str, layout: Layout) -> None:
        self.source = source
        self.layout = layout
        self.codes: dict[str, int] = {}
        self.ends = array("q"), array("q")
        self.weights = array("d")
        self.first: Row | None = None

    def add(self, row: Row) -> None:
        """Add the edge of one line."""
        self.first = self.first or row
        if len(row.fields) != self.layout.n_fields:
            cut = perhaps_cut(row.fields, self.layout.delimiter)
            raise DataError(
                f"{self._where(row)}: found {counted(len(row.fields), 'field', 'fields')}, "
                f"expected {self.layout.n_fields} as in the first line. Put an id that "
                f"contains the delimiter in double quotes.{cut}"
            )
        for ends, column in zip(self.ends, self.layout.columns, strict=False):
            ends.append(self._code(row.fields[column], row))
        for column in self.layout.columns[2:]:
            self.weights.append(self._weight(row.fields[column], row))
        if len(self.ends[0]) % _EDGES_PER_CHECK == 0:
            check_memory(len(self.ends[0]))

    def edges(self) -> Edges:
        """The edges so far; nodes are sorted if all are integers, else in order of appearance."""
        if not self.codes:
            raise DataError(f"{self.source} has column names but lists no edges.")
        header = self.layout.header
        if header is not None and are_nodes(header.fields, self.codes):
            raise _NotAHeaderError
        source, target = (np.frombuffer(ends, np.int64) for ends in self.ends)
        weights = np.frombuffer(self.weights, np.float64) if len(self.layout.columns) == 3 else None
        texts = list(self.codes)
        other = next((text for text in texts if not is_integer(text)), None)
        if other is not None:
            mixed = any(map(is_integer, texts))
            as_text = f"ids are read as text, because {quoted(other)} is not an integer."
            notes = [as_text] if mixed else []
            notes += self._on_names() or (
                [] if mixed else self._perhaps_a_header(source, target)
            )
            return Edges(source, target, weights, node_ids(texts), notes)
        numbers = np.array([int(text) for text in texts], np.int64)
        source, target, nodes = ranked(numbers[source], numbers[target])
        return Edges(source, target, weights, nodes)

    def _on_names(self) -> list[str]:
        """A note if the names of the first line would be those of columns in another list."""
        first = self.first
        if self.layout.header is not None or first is None or len(first.fields) != 2:
            return []
        if end_columns(first.fields) is None:
            return []
        return [
            f"line {first.line}, {quoted(self._as_written(first))}, is read as an edge, because "
            "other lines hold these names as nodes; if it holds column names, remove it."
        ]

    def _as_written(self, row: Row) -> str:
        return (self.layout.delimiter or " ").join(row.fields)

    def _perhaps_a_header(self, source: IntArray, target: IntArray) -> list[str]:
        """A note if the ids of the first line appear in no other, as column names would."""
        first = self.first
        if len(self.layout.columns) == 3 or self.layout.header is not None or first is None:
            return []
        if len(source) < 2 or source[0] == target[0] or (np.r_[source[1:], target[1:]] <= 1).any():
            return []
        return [
            f"line {first.line}, {quoted(self._as_written(first))}, is read as an edge; if it holds column names, use "
            "source and target.",
            *perhaps_labels(first),
        ]

    def _where(self, row: Row) -> str:
        return f"{self.source}, line {row.line}"

    def _code(self, text: str, row: Row) -> int:
        code = self.codes.setdefault(text, len(self.codes))
        if code + 1 < len(self.codes):
            return code
        if text in MISSING:
            raise DataError(
                f"{self._where(row)}: an end of the edge is missing ({text!r}); remove the line, "
                "or give the node another name."
            )
        header = self.layout.header
        if header is not None and end_columns(header.fields) is None and not is_integer(text):
            raise _NotAHeaderError
        return code

    def _weight(self, text: str, row: Row) -> float:
        weight = to_weight(text, self.layout.decimal)
        if weight is None:
            _check_marks(self._where(row), text, self.layout.decimal)
            names = (
                " If the line holds column names, call them source, target and weight."
                if row is self.first and self.layout.header is None
                else ""
            )
            found = f"{quoted(text)} is not a finite number"
            if text in MISSING:
                found = f"is missing ({text!r})" if text else "is missing"
            raise DataError(
                f"{self._where(row)}: the weight {found}; write one, or remove the line.{names}"
            )
        return weight


def _check_marks(where: str, text: str, decimal: Decimal | None) -> None:
    """_CommaError for a weight that is a number once it is known what its comma means."""
    if decimal is None and "," in text and is_number(text):
        raise _CommaError(f"{where}: the weight {quoted(text)} has a comma")


def _layout_notes(layout: Layout, edges: Edges) -> list[str]:
    """Notes on the header and on columns that are not used, followed by those on the edges."""
    notes = []
    if layout.header is not None:
        names = layout.header.fields
        if edges.nodes.dtype == object or end_columns(names) is None:
            notes.append(f"line {layout.header.line} is taken as column names: {listed(names)}.")
        others = [name for c, name in enumerate(names) if c not in layout.columns]
        if others:
            notes.append(ignored_columns(others))
        if end_columns(names) is None:
            notes.extend(perhaps_labels(layout.header))
    return notes + edges.notes
