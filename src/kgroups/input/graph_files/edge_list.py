"""Lists of edges: two ids per line and perhaps a weight."""

import re
from array import array
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import IO

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.canonical_order import in_canonical_order
from kgroups.input.graph_files.edge_columns import node_ids, ranked
from kgroups.input.graph_files.edge_layout import (
    COMMENTS,
    Layout,
    layout_of,
    perhaps_cut,
    perhaps_labels,
    to_weight,
)
from kgroups.input.graph_files.edge_names import (
    AskedColumns,
    are_nodes,
    end_columns,
    ignored_columns,
    is_plain_weight,
)
from kgroups.input.graph_files.edges import Edges, check_memory, graph_of_edges
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.integer_edges import read_integers
from kgroups.input.graph_files.layout_advice import layout_advice, other_delimiter
from kgroups.input.graph_files.matrix_files import matrix_in_text
from kgroups.input.graph_files.text_lines import (
    NotUTF8Error,
    is_integer,
    is_substance,
    lines,
    rows,
)
from kgroups.input.graph_files.utf8_lines import in_utf8, notes_on_text
from kgroups.input.table_files.field_table import Row, on_commas
from kgroups.input.table_files.numerals import decimal_commas, is_number, points_may_group
from kgroups.input.table_files.sniffing import IN_WORDS
from kgroups.input.table_files.table import listed
from kgroups.input.table_files.text_format import (
    DECIMALS,
    MISSING,
    Decimal,
    ListFound,
    TextFormat,
)
from kgroups.text import counted, quoted
from kgroups.typing import IntArray

# How many edges are read between two looks at the free memory.
_EDGES_PER_CHECK = 1 << 20
# What may stand between groups of three digits.
_GROUPS = re.compile(r"(?<=\d)[,'\u2019\s](?=\d)|,")
# First fields of a line below the edges that adds them up.
_TOTALS = frozenset({"total", "totals", "sum", "grand total", "summe", "gesamt", "insgesamt"})
# Lines that are looked at for another delimiter.
_LINES = 50


class _NotAHeaderError(Exception):
    """The first line was taken as a header, but its names, or names like them, are nodes."""


class _LineError(DataError):
    """A line that cannot be read as an edge, with the argument that leaves it out."""

    def __init__(self, message: str, without: str) -> None:
        super().__init__(message)
        self.without = without


class _CommaError(Exception):
    """A weight has a comma or groups of digits, and nothing was said about decimal marks."""


def read_edge_list(
    stream: IO[bytes],
    source: str,
    suffix: str = "",
    text: TextFormat | None = None,
    columns: AskedColumns | None = None,
) -> Graph:
    """An undirected graph from a list of edges or a square matrix; tabs separate it in a .tsv.

    ``text`` says how they are written, ``columns`` which of a list are read; what they leave open
    is found out. A matrix has no columns to choose from.
    """
    asked = text or TextFormat()
    stream, encoding = in_utf8(stream, source, asked)
    try:
        graph = _read(stream, source, suffix, asked, columns or AskedColumns())
    except DataError as error:
        raise DataError(_advised(error, stream, source, suffix, asked)) from error
    notes = notes_on_text(asked, source, encoding)
    found = None if graph.text is None else replace(
        graph.text, encoding=encoding, skip_lines=asked.skip_lines
    )  # fmt: skip
    return replace(graph, notes=(*notes, *graph.notes), text=found)


def _read(
    stream: IO[bytes], source: str, suffix: str, asked: TextFormat, columns: AskedColumns
) -> Graph:
    """The graph of a matrix or a list of edges in UTF-8."""
    if columns.is_empty and (graph := matrix_in_text(stream, source, suffix, asked)) is not None:
        return graph
    layout = layout_of(stream, source, suffix, asked, columns, may_have_header=True)
    edges = read_integers(stream, layout) if layout.is_plain else None
    if edges is None:
        try:
            layout, edges = _read_marked(stream, source, layout)
        except _NotAHeaderError:
            layout = layout_of(stream, source, suffix, asked, columns, may_have_header=False)
            layout, edges = _read_marked(stream, source, layout)
        if asked.delimiter is None and suffix != ".tsv":
            edges.notes.extend(_other_delimiter(stream, source, layout))
    found = _text_found(layout, asked)
    notes = [*(f"{note}." for note in on_commas(found)), *_layout_notes(layout, edges)]
    if found.decimal is None and not found.decimal_commas:
        notes += _on_points(stream, source, layout, edges)
    return replace(graph_of_edges(edges, notes, source), text=found)


def _advised(
    error: DataError, stream: IO[bytes], source: str, suffix: str, asked: TextFormat
) -> str:
    """What is wrong, and the arguments with which it would not be."""
    if isinstance(error, NotUTF8Error):
        return f'{error} Or name its encoding, as in encoding="latin-1".'
    try:
        advice = layout_advice(stream, source, suffix, asked)
    except NotUTF8Error as other:
        return _advised(other, stream, source, suffix, asked)
    if isinstance(error, _LineError) and not advice:
        advice = f" If the line is not an edge, {error.without} leaves it out."
    return f"{error}{advice}"


def _other_delimiter(stream: IO[bytes], source: str, layout: Layout) -> list[str]:
    """A note if another delimiter divides all lines alike, too."""
    stream.seek(0)
    substance = (line for _, line in lines(stream, source) if is_substance(line, COMMENTS))
    mark = other_delimiter(list(islice(substance, _LINES)), layout.delimiter)
    if mark is None:
        return []
    shown = mark.replace("\t", "\\t")
    return [
        f"fields are separated by {IN_WORDS[layout.delimiter or ' ']}, although "
        f'{IN_WORDS[mark]} divide all lines alike, too; delimiter="{shown}" takes those.'
    ]


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
    if fit and not any("," in weight for weight in _weight_fields(stream, source, layout)):
        return f'decimal="{fit[0]}" reads groups of three digits.'
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


def _text_found(layout: Layout, asked: TextFormat) -> ListFound:
    """How the list was written."""
    has_commas = layout.decimal is not None and asked.decimal is None
    return ListFound(
        delimiter=layout.delimiter or " ",
        encoding="utf-8",
        decimal=asked.decimal,
        na_values=(),
        decimal_commas=(layout.weight_name,) if has_commas else (),
        has_header=layout.header is not None,
        columns=tuple(map(layout.name, layout.columns)),
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
        self.second: Row | None = None
        self.last: Row | None = None

    def add(self, row: Row) -> None:
        """Add the edge of one line."""
        if self.second is None and self.first is not None:
            self.second = row
        self.first, self.last = self.first or row, row
        if (
            self.layout.ending
            and len(row.fields) == self.layout.n_fields + 1
            and not row.fields[-1]
        ):
            row.fields.pop()
        if len(row.fields) != self.layout.n_fields:
            cut = perhaps_cut(row.fields, self.layout.delimiter)
            raise _LineError(
                f"{self._where(row)}: found {counted(len(row.fields), 'field', 'fields')}, "
                f"expected {self.layout.n_fields} as in the first line. Put an id that "
                f"contains the delimiter in double quotes.{cut}",
                self._without(row),
            )
        for ends, column in zip(self.ends, self.layout.columns, strict=False):
            ends.append(self._code(row.fields[column], row))
        for column in self.layout.columns[2:]:
            self.weights.append(self._weight(row.fields[column], row))
        if len(self.ends[0]) % _EDGES_PER_CHECK == 0:
            check_memory(len(self.ends[0]))

    def edges(self) -> Edges:
        """The edges so far; nodes are sorted, as text unless all are integers."""
        if not self.codes:
            raise DataError(
                f"{self.source} has column names but lists no edges. If the first line is an edge, "
                "write header=False."
            )
        header = self._guessed_header
        if header is not None and are_nodes(header.fields, self.codes):
            raise _NotAHeaderError
        source, target = (np.frombuffer(ends, np.int64) for ends in self.ends)
        weights = np.frombuffer(self.weights, np.float64) if len(self.layout.columns) == 3 else None
        texts = list(self.codes)
        other = next((text for text in texts if not is_integer(text)), None)
        if other is not None:
            mixed = 2 * sum(map(is_integer, texts)) > len(texts)
            as_text = f"ids are read as text, because {quoted(other)} is not an integer."
            notes = [as_text] if mixed else []
            notes += self._on_names(source, target) or (
                [] if mixed else self._perhaps_a_header(source, target)
            )
            notes += self._perhaps_no_edges(source, target)
            names, (source, target) = in_canonical_order(texts, source, target)
            return Edges(source, target, weights, node_ids(names), notes)
        numbers = np.array([int(text) for text in texts], np.int64)
        source, target, nodes = ranked(numbers[source], numbers[target])
        return Edges(source, target, weights, nodes)

    @property
    def _guessed_header(self) -> Row | None:
        """The header, unless nothing but a header can be meant."""
        return None if self.layout.is_certain else self.layout.header

    def _on_names(self, source: IntArray, target: IntArray) -> list[str]:
        """A note if the names of the first line would be those of columns in another list."""
        first = self.first
        if self.layout.header is not None or first is None or end_columns(first.fields) is None:
            return []
        if self.layout.is_certain:
            return []
        why = "other lines hold these names as nodes"
        if len(first.fields) == 3:
            counts = np.bincount(np.r_[source[1:], target[1:]], minlength=len(self.codes))
            if counts[[source[0], target[0]]].any():
                return []
            why = "its third field is a number"
        return [
            f"line {first.line}, {quoted(self._as_written(first))}, is read as an edge, because "
            f"{why}; if it holds column names, leave it out by {self._without(first)}."
        ]

    def _perhaps_no_edges(self, source: IntArray, target: IntArray) -> list[str]:
        """Notes on a title, on a description of columns below their names, and on totals."""
        first, last, notes = self.first, self.last, []
        if first is None or last is None:
            return []
        if self.layout.header is None and self.second and _are_words(self.second.fields):
            notes.append(self._leaves_out(first, "is a title above column names"))
        ends = np.r_[source, target]
        is_loop = source[0] == target[0] and np.count_nonzero(ends == source[0]) == 2
        if self.layout.header is not None and is_loop and len(source) > 1:
            notes.append(self._leaves_out(first, "describes the columns"))
        name = last.fields[self.layout.columns[0]]
        if name.lower() in _TOTALS and np.count_nonzero(ends == source[-1]) == 1:
            notes.append(self._leaves_out(last, "holds a total"))
        return notes

    def _leaves_out(self, row: Row, if_it: str) -> str:
        text = quoted(self._as_written(row))
        return (
            f"line {row.line}, {text}, is read as an edge; if it {if_it}, {self._without(row)} "
            "leaves it out."
        )

    def _as_written(self, row: Row) -> str:
        return (self.layout.delimiter or " ").join(row.fields)

    def _perhaps_a_header(self, source: IntArray, target: IntArray) -> list[str]:
        """A note if the ids of the first line appear in no other, as column names would."""
        first = self.first
        if len(self.layout.columns) == 3 or self.layout.header is not None or first is None:
            return []
        if self.layout.is_certain:
            return []
        if len(source) < 2 or source[0] == target[0] or (np.r_[source[1:], target[1:]] <= 1).any():
            return []
        return [
            f"line {first.line}, {quoted(self._as_written(first))}, is read as an edge; if it "
            f"holds column names, write {_as_ends(first)}.",
            *perhaps_labels(first),
        ]

    def _without(self, row: Row) -> str:
        """The argument that leaves out a line, too."""
        return f"skip_lines={sorted({*self.layout.skipped, row.line})}"

    def _where(self, row: Row) -> str:
        return f"{self.source}, line {row.line}"

    def _code(self, text: str, row: Row) -> int:
        code = self.codes.setdefault(text, len(self.codes))
        if code + 1 < len(self.codes):
            return code
        if text in MISSING:
            raise _LineError(
                f"{self._where(row)}: an end of the edge is missing ({text!r}); remove the line, "
                "or give the node another name.",
                self._without(row),
            )
        header = self._guessed_header
        if header is not None and end_columns(header.fields) is None and not is_integer(text):
            raise _NotAHeaderError
        return code

    def _weight(self, text: str, row: Row) -> float:
        weight = to_weight(text, self.layout.decimal)
        if weight is None:
            _check_marks(self._where(row), text, self.layout.decimal)
            names = _perhaps_names(row) if row is self.first and self.layout.header is None else ""
            found = f"{quoted(text)} is not a finite number"
            if text in MISSING:
                found = f"is missing ({text!r})" if text else "is missing"
            raise _LineError(
                f"{self._where(row)}: the weight {found}; write one, or remove the line.{names}",
                self._without(row),
            )
        return weight


def _as_ends(names: Row) -> str:
    """The first two of these names as the arguments that choose the ends."""
    return f'source="{names.fields[0]}" and target="{names.fields[1]}"'


def _perhaps_names(row: Row) -> str:
    """What to write if the first line is not an edge with a weight."""
    return (
        f' If the line holds column names, write weight="{row.fields[2]}" to read the numbers '
        f"below as weights, or {_as_ends(row)} to leave them out; if the third column of every "
        'line is not a weight, write source="1" and target="2".'
    )


def _are_words(names: list[str]) -> bool:
    """Whether these are names of columns that nodes seldom have."""
    return end_columns(names) is not None and max(map(len, names)) > 1


def _check_marks(where: str, text: str, decimal: Decimal | None) -> None:
    """Errors for a weight that is a number but for its marks.

    Raises
    ------
    _CommaError
        If it has to be known what the marks mean.
    """
    if text.endswith("%") and is_number(text[:-1]):
        raise DataError(
            f"{where}: the weight {quoted(text)} has a percent sign; remove all of them."
        )
    if decimal is not None or not _GROUPS.search(text) or not is_number(text):
        return
    what = "a comma" if "," in text else "blanks or apostrophes between its digits"
    raise _CommaError(f"{where}: the weight {quoted(text)} has {what}")


def _layout_notes(layout: Layout, edges: Edges) -> list[str]:
    """Notes on the header and on columns that are not used, followed by those on the edges."""
    notes = []
    if layout.header is not None:
        names = layout.header.fields
        if not layout.is_certain and (edges.nodes.dtype == object or end_columns(names) is None):
            notes.append(f"line {layout.header.line} is taken as column names: {listed(names)}.")
        if end_columns(names) is None and not layout.is_certain:
            notes.extend(perhaps_labels(layout.header))
    if len(layout.columns) == 3 and layout.header and not is_plain_weight(layout.weight_name):
        notes.append(f"column {quoted(layout.weight_name)} is read as the weights.")
    others = [layout.name(c) for c in range(layout.n_fields) if c not in layout.columns]
    if others:
        advice = f'weight="{others[0]}" reads it as the weights'
        if len(others) > 1:
            advice = f'if one holds the weights, say which, as in weight="{others[0]}"'
        if len(layout.columns) == 3:
            advice = f"the weights are in {quoted(layout.weight_name)}"
        notes.append(ignored_columns(others, advice))
    if layout.ending:
        notes.append(f"{layout.ending} with a delimiter; the empty field is left out.")
    return notes + edges.notes
