"""Edges between ids of any kind, read line by line, with a message for each kind of mistake."""

from array import array
from typing import IO

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.canonical_order import in_canonical_order
from kgroups.input.graph_files.doubtful_edges import DoubtfulEdges, as_ends, without
from kgroups.input.graph_files.edge_columns import node_ids, ranked
from kgroups.input.graph_files.edge_layout import COMMENTS, Layout, perhaps_cut, to_weight
from kgroups.input.graph_files.edge_names import are_nodes, end_columns, end_columns_by_name
from kgroups.input.graph_files.edges import Edges, check_memory
from kgroups.input.graph_files.named_lines import NamedLines, read_named_lines
from kgroups.input.graph_files.node_names import notes_on_lookalikes
from kgroups.input.graph_files.text_lines import fields, is_integer, is_substance, lines
from kgroups.input.graph_files.weight_marks import check_marks
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.text_format import MISSING
from kgroups.text import counted, quoted
from kgroups.typing import Float64Array, IntArray

# How many edges are read between two looks at the free memory.
_EDGES_PER_CHECK = 1 << 20


class NotAHeaderError(Exception):
    """The first line was taken as a header, but its names, or names like them, are nodes."""


class LineError(DataError):
    """A line that cannot be read as an edge, with the argument that leaves it out."""

    def __init__(self, message: str, without: str) -> None:
        super().__init__(message)
        self.without = without


def read_any(stream: IO[bytes], source: str, layout: Layout) -> Edges:
    """All edges of a file.

    Raises
    ------
    NotAHeaderError
        If the first line was guessed to be a header, and is an edge.
    CommaError
        If a weight has a comma, and nothing was said about decimal marks.
    LineError
        If a line cannot be read.
    """
    read = _Reader(source, layout)
    plain = read_named_lines(stream, source, layout)
    edges = None if plain is None else read.edges_of(plain)
    if edges is not None:
        return edges
    stream.seek(0)
    header = 0 if layout.header is None else layout.header.line
    for number, line in lines(stream, source):
        if number == header:
            continue
        if is_substance(line, COMMENTS):
            text = line.rstrip("\r\n")
            read.add(Row(number, fields(text, layout.delimiter, f"{source}, line {number}")))
        elif number > header and (header or read.first) and _may_be_an_edge(line, layout):
            read.comments.append(number)
    return read.edges()


def _may_be_an_edge(line: str, layout: Layout) -> bool:
    """Whether a comment divides into as many fields as an edge."""
    text = line.strip()
    return bool(text) and len(text.split(layout.delimiter)) == layout.n_fields


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
        #: Lines that are left out as comments, and look like edges.
        self.comments: list[int] = []

    def add(self, row: Row) -> None:
        """Add the edge of one line."""
        if self.second is None and self.first is not None:
            self.second = row
        self.first, self.last = self.first or row, row
        self._check_width(row)
        for ends, column in zip(self.ends, self.layout.columns, strict=False):
            ends.append(self._code(row.fields[column], row))
        for column in self.layout.columns[2:]:
            self.weights.append(self._weight(row.fields[column], row))
        if len(self.ends[0]) % _EDGES_PER_CHECK == 0:
            check_memory(len(self.ends[0]))

    def edges_of(self, plain: NamedLines) -> Edges | None:
        """The edges of plain lines; None if a name may mean that the header is an edge."""
        if self._is_doubtful_header and not all(map(is_integer, plain.names)):
            return None
        self.codes = {name: code for code, name in enumerate(plain.names)}
        self.first, self.second, self.last = plain.first, plain.second, plain.last
        return self._edges(plain.source, plain.target, plain.weights)

    def edges(self) -> Edges:
        """The edges so far."""
        source, target = (np.frombuffer(ends, np.int64) for ends in self.ends)
        return self._edges(source, target, np.frombuffer(self.weights, np.float64))

    def _edges(self, source: IntArray, target: IntArray, found: Float64Array) -> Edges:
        """The edges between these codes; nodes are sorted, as text unless all are integers."""
        first, last = self.first, self.last
        if first is None or last is None:
            raise DataError(
                f"{self.source} has column names but lists no edges. If the first line is an edge, "
                "write header=False."
            )
        header = self._guessed_header
        if header is not None and self._are_nodes(header.fields):
            raise NotAHeaderError
        weights = found if len(self.layout.columns) == 3 else None
        texts = list(self.codes)
        other = next((text for text in texts if not is_integer(text)), None)
        if other is None:
            numbers = np.array([int(text) for text in texts], np.int64)
            source, target, nodes = ranked(numbers[source], numbers[target])
            return Edges(source, target, weights, nodes)
        mixed = 2 * sum(map(is_integer, texts)) > len(texts)
        as_text = f"ids are read as text, because {quoted(other)} is not an integer."
        doubts = DoubtfulEdges(self.layout, first, self.second, last, source, target)
        notes = [*([as_text] if mixed else []), *doubts.notes(are_mixed=mixed)]
        notes += self._on_comments()
        names, (source, target) = in_canonical_order(texts, source, target)
        return Edges(
            source, target, weights, node_ids(names), [*notes, *notes_on_lookalikes(names)]
        )

    def _are_nodes(self, names: list[str]) -> bool:
        """Whether names of columns are nodes, too, and none stands above weights."""
        if len(names) == 2:
            return are_nodes(names, self.codes)
        ends = end_columns(names) if len(self.layout.columns) == 2 else None
        return ends is not None and all(names[c] in self.codes for c in ends)

    @property
    def _guessed_header(self) -> Row | None:
        """The header, unless nothing but a header can be meant."""
        return None if self.layout.is_certain else self.layout.header

    @property
    def _is_doubtful_header(self) -> bool:
        """Whether only integers below the header show that it is one."""
        header = self._guessed_header
        return header is not None and end_columns_by_name(header.fields) is None

    def _check_width(self, row: Row) -> None:
        """Drop the field behind a last delimiter; LineError for too many fields, or too few."""
        expected = self.layout.n_fields
        if self.layout.ending and len(row.fields) == expected + 1 and not row.fields[-1]:
            row.fields.pop()
        if len(row.fields) != expected:
            cut = perhaps_cut(row.fields, self.layout.delimiter)
            raise LineError(
                f"{self._where(row)}: found {counted(len(row.fields), 'field', 'fields')}, "
                f"expected {expected} as in the first line. Put an id that "
                f"contains the delimiter in double quotes.{cut}",
                without(row, self.layout),
            )

    def _on_comments(self) -> list[str]:
        """A note on comments between edges that may be edges of nodes such as #tag."""
        if not self.comments:
            return []
        begin, them = "line begins", "is left out as a comment; if it is one, put its first id"
        if len(self.comments) > 1:
            begin = "lines begin"
            them = "are left out as comments; if they are edges, put their first ids"
        return [
            f"{len(self.comments):,} {begin} with # or % and may be an edge, such as line "
            f"{self.comments[0]}, but {them} in double quotes."
        ]

    def _where(self, row: Row) -> str:
        return f"{self.source}, line {row.line}"

    def _code(self, text: str, row: Row) -> int:
        code = self.codes.setdefault(text, len(self.codes))
        if code + 1 < len(self.codes):
            return code
        if text in MISSING:
            raise LineError(
                f"{self._where(row)}: an end of the edge is missing ({text!r}); remove the line, "
                "or give the node another name.",
                without(row, self.layout),
            )
        if self._is_doubtful_header and not is_integer(text):
            raise NotAHeaderError
        return code

    def _weight(self, text: str, row: Row) -> float:
        weight = to_weight(text, self.layout.decimal)
        if weight is None:
            check_marks(self._where(row), text, self.layout.decimal)
            names = _perhaps_names(row) if row is self.first and self.layout.header is None else ""
            found = f"{quoted(text)} is not a finite number"
            if text in MISSING:
                found = f"is missing ({text!r})" if text else "is missing"
            raise LineError(
                f"{self._where(row)}: the weight {found}; write one, or remove the line.{names}",
                without(row, self.layout),
            )
        return weight


def _perhaps_names(row: Row) -> str:
    """What to write if the first line is not an edge with a weight."""
    return (
        f' If the line holds column names, write weight="{row.fields[2]}" to read the numbers '
        f"below as weights, or {as_ends(row)} to leave them out; if the third column of every "
        'line is not a weight, write source="1" and target="2".'
    )
