"""Lists of edges: two ids a line, perhaps a weight, and what makes an undirected graph of them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kgroups.exceptions import DataError
from kgroups.input.adjacency import both_directions
from kgroups.input.graph_files import digits
from kgroups.input.graph_files.graph import Graph, node_ids, without_zeros
from kgroups.input.graph_files.text_lines import (
    LONGEST_LINE,
    end_columns,
    fields,
    ignored_columns,
    is_integer,
    lines,
    plain_name,
    rows,
    sniffed,
    weight_column,
)
from kgroups.input.table_files.delimited import MISSING, Row
from kgroups.input.table_files.table import listed
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

_COMMENTS = "#%"
_BYTES_AT_ONCE = 1 << 23
# What the columns of a file of labels are called.
_NODE_NAMES = frozenset({"node", "nodeid", "id", "name", "vertex"})
_LABEL_NAMES = frozenset({"label", "labels", "community", "class"})
# What networkx writes after the ends of an edge when it is not told otherwise: {'weight': 4}.
_ATTRIBUTES = re.compile(r"""\S[\s,;]+\S.*?[\s,;]("?\{(?:['"\d].*:.*)?\}"?)$""")


class _Layout(NamedTuple):
    """How the lines of a file are to be read."""

    delimiter: str | None
    header: Row | None
    n_fields: int
    #: The columns of source, target and weight.
    columns: tuple[int, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the columns are source, target and perhaps weight, and nothing else."""
        return self.columns == tuple(range(self.n_fields))


@dataclass(frozen=True, eq=False)
class _Edges:
    """Edges as they are listed: rows of ``nodes``, and their weights when there are any."""

    source: NDArray[np.integer[Any]]
    target: NDArray[np.integer[Any]]
    weights: Float64Array | None
    nodes: NDArray[Any]
    notes: list[str] = field(default_factory=list)


class _NotAHeaderError(Exception):
    """The first line was taken as names, as all ids seemed to be integers; they are not."""


def read_edge_list(path: Path, source: str) -> Graph:
    """An undirected graph from the edges listed in a file."""
    with path.open("rb") as stream:
        layout = _layout(stream, source, path.suffix.lower(), may_guess=True)
        edges = _read_plain(stream, layout) if layout.is_plain else None
        if edges is None:
            try:
                edges = _read_any(stream, source, layout)
            except _NotAHeaderError:
                layout = _layout(stream, source, path.suffix.lower(), may_guess=False)
                edges = _read_any(stream, source, layout)
    notes = _notes(layout, edges)
    return _graph(edges, notes, source)


# --- columns ---------------------------------------------------------------------------------


def _layout(stream: IO[bytes], source: str, suffix: str, *, may_guess: bool) -> _Layout:
    """From the first two lines that hold something."""
    stream.seek(0)
    head = [(number, line) for number, line in islice(_substance(lines(stream, source)), 2)]
    if not head:
        raise DataError(f"{source} is empty: it lists no edges.")
    number, text = head[0]
    _check_no_attributes(head, source)
    delimiter = sniffed(text, suffix)
    split = [fields(line.rstrip("\r\n"), delimiter, f"{source}, line {i}") for i, line in head]
    first = Row(number, split[0])
    if len(first.fields) < 2:
        raise DataError(
            f"{source}, line {number} has one field, {first.fields[0]!r}; a line lists the two "
            "ends of an edge, split by a comma, a tab, a semicolon or blanks."
        )
    _check_no_labels_file(first, source)
    if end_columns(first.fields) or (may_guess and _is_guessed(split)):
        return _named(first, delimiter)
    if len(first.fields) > 3:
        raise DataError(
            f"{source}, line {number} has {len(first.fields)} fields; a line lists source, target "
            'and perhaps weight. For more columns put a line of names above them, such as "source,'
            'target,weight,year".'
        )
    return _Layout(delimiter, None, len(first.fields), tuple(range(len(first.fields))))


def _check_no_attributes(head: list[tuple[int, str]], source: str) -> None:
    for number, line in head:
        found = _ATTRIBUTES.search(line.strip())
        if found:
            raise DataError(
                f"{source}, line {number} ends with attributes, {found[1]}, as networkx writes "
                'them by default; write the file by networkx.write_edgelist with data=["weight"], '
                "or without weights with data=False."
            )


def _check_no_labels_file(first: Row, source: str) -> None:
    """The columns node,label, perhaps with name, are those of another file."""
    names = [plain_name(name) for name in first.fields]
    is_labels = names[0] in _NODE_NAMES and not _LABEL_NAMES.isdisjoint(names)
    if is_labels and len(names) <= 3 and set(names) <= _NODE_NAMES | _LABEL_NAMES:
        raise DataError(
            f"{source}, line {first.line} names the columns {listed(first.fields)}: this looks "
            "like a file of labels, which is given beside the edges (--labels). If it lists edges "
            "call the columns source and target."
        )


def _substance(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for number, line in numbered:
        text = line.strip()
        if text and text[0] not in _COMMENTS:
            yield number, line


def _is_guessed(split: list[list[str]]) -> bool:
    """A line without numbers, and one that begins with two integers."""
    if len(split) < 2 or len(split[1]) < 2:
        return False
    names = all(to_weight(name) is None for name in split[0])
    return names and all(map(is_integer, split[1][:2]))


def _named(header: Row, delimiter: str | None) -> _Layout:
    ends = end_columns(header.fields) or (0, 1)
    weight = weight_column(header.fields)
    return _Layout(delimiter, header, len(header.fields), (*ends, *weight))


def _notes(layout: _Layout, edges: _Edges) -> list[str]:
    notes = []
    if layout.header is not None:
        names = layout.header.fields
        if edges.nodes.dtype == object or end_columns(names) is None:
            notes.append(f"line {layout.header.line} is taken as column names: {listed(names)}.")
        others = [name for c, name in enumerate(names) if c not in layout.columns]
        if others:
            notes.append(ignored_columns(others))
        if end_columns(names) is None:
            notes.extend(_may_be_labels(layout.header))
    return notes + edges.notes


def _may_be_labels(first: Row) -> list[str]:
    """A note when the first line has a name that columns of labels have."""
    found = [name for name in first.fields if plain_name(name) in _LABEL_NAMES]
    if not found:
        return []
    return [
        f"line {first.line} holds {found[0]!r}, as a file of labels does; if this is one, give it "
        "beside the edges (--labels)."
    ]


# --- any ids ---------------------------------------------------------------------------------


def _read_any(stream: IO[bytes], source: str, layout: _Layout) -> _Edges:
    stream.seek(0)
    read = _Reader(source, layout)
    found = rows(stream, source, layout.delimiter, comments=_COMMENTS)
    for row in islice(found, 0 if layout.header is None else 1, None):
        read.add(row)
    return read.edges()


class _Reader:
    """Edges one by one, from ids of any kind, with a message for each kind of mistake."""

    def __init__(self, source: str, layout: _Layout) -> None:
        self.source = source
        self.layout = layout
        self.codes: dict[str, int] = {}
        self.ends = array("q"), array("q")
        self.weights = array("d")
        self.first: Row | None = None

    def add(self, row: Row) -> None:
        """One more edge."""
        columns = self.layout.columns
        self.first = self.first or row
        if len(row.fields) != self.layout.n_fields:
            raise DataError(
                f"{self._where(row)}: found {counted(len(row.fields), 'field', 'fields')}, "
                f"expected {self.layout.n_fields} as in the first line. Put an id that "
                "holds the delimiter in double quotes."
            )
        for ends, column in zip(self.ends, columns, strict=False):
            ends.append(self._code(row.fields[column], row))
        if len(columns) == 3:
            self.weights.append(self._weight(row.fields[columns[2]], row))

    def edges(self) -> _Edges:
        """All of them, nodes sorted when they are integers, else in order of appearance."""
        if not self.codes:
            raise DataError(f"{self.source} has column names, but lists no edges.")
        source, target = (np.frombuffer(ends, np.int64) for ends in self.ends)
        weights = np.frombuffer(self.weights, np.float64) if len(self.layout.columns) == 3 else None
        texts = list(self.codes)
        other = next((text for text in texts if not is_integer(text)), None)
        if other is not None:
            mixed = any(map(is_integer, texts))
            notes = [f"ids are text, as {other!r} is no integer."] if mixed else []
            notes += [] if mixed else self._perhaps_a_header(source, target)
            return _Edges(source, target, weights, node_ids(texts), notes)
        numbers = np.array([int(text) for text in texts], np.int64)
        source, target, nodes = _ranked(numbers[source], numbers[target])
        return _Edges(source, target, weights, nodes)

    def _perhaps_a_header(self, source: IntArray, target: IntArray) -> list[str]:
        """A note when the ids of the first line are in no other, as names of columns are."""
        first = self.first
        if len(self.layout.columns) == 3 or self.layout.header is not None:
            return []
        if first is None or len(source) < 2:
            return []
        if source[0] == target[0] or (np.r_[source[1:], target[1:]] <= 1).any():
            return []
        text = (self.layout.delimiter or " ").join(first.fields)
        return [
            f"line {first.line}, {text!r}, is read as an edge; if it holds column names call them "
            "source and target.",
            *_may_be_labels(first),
        ]

    def _where(self, row: Row) -> str:
        return f"{self.source}, line {row.line}"

    def _code(self, text: str, row: Row) -> int:
        code = self.codes.setdefault(text, len(self.codes))
        if code + 1 == len(self.codes):  # perhaps new
            self._check_id(text, row)
        return code

    def _check_id(self, text: str, row: Row) -> None:
        if text in MISSING:
            raise DataError(
                f"{self._where(row)}: an end of the edge is missing ({text!r}); remove the line, "
                "or give the node another name."
            )
        header = self.layout.header
        if header is not None and end_columns(header.fields) is None and not is_integer(text):
            raise _NotAHeaderError

    def _weight(self, text: str, row: Row) -> float:
        weight = to_weight(text)
        if weight is None:
            names = "; column names are source, target and weight" if row is self.first else ""
            raise DataError(
                f"{self._where(row)}: the weight {text!r} is not a finite number; write one, or "
                f"remove the line{names}."
            )
        return weight


def to_weight(text: str) -> float | None:
    """A finite number; None for anything else."""
    if "_" in text or not text.isascii():  # float() would read 1_0 as 10
        return None
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if np.isfinite(weight) else None


# --- integers --------------------------------------------------------------------------------


def _read_plain(stream: IO[bytes], layout: _Layout) -> _Edges | None:
    """Edges between integers, block by block; None when some line needs the other reader."""
    stream.seek(0)
    if layout.header is not None:
        for _ in range(layout.header.line):
            stream.readline(LONGEST_LINE + 1)
    else:
        stream.seek(len(_byte_order_mark(stream)))
    parts = []
    for block in _blocks(stream):
        part = _parsed(block, layout)
        if part is None:
            return None
        parts.append(part)
    if not any(part[0].size for part in parts):
        return None
    ends = np.concatenate([part[0] for part in parts], axis=1)
    weights = np.concatenate([part[1] for part in parts]) if layout.n_fields == 3 else None
    parts.clear()
    source, target, nodes = _ranked(ends[0], ends[1])
    return _Edges(source, target, weights, nodes)


def _byte_order_mark(stream: IO[bytes]) -> bytes:
    start = stream.read(3)
    return start if start == b"\xef\xbb\xbf" else b""


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, some megabytes at a time."""
    rest = b""
    while block := stream.read(_BYTES_AT_ONCE):
        whole, newline, tail = block.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = tail
        else:
            rest += tail
        if len(rest) > LONGEST_LINE:
            break  # the line is too long, and fails as part of a block
    if rest:
        yield rest + b"\n"


def _parsed(block: bytes, layout: _Layout) -> tuple[IntArray, Float64Array] | None:
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return None
    at_most = block.count(b"\n")
    ends = np.empty((2, at_most), np.int64)
    weights = np.empty(at_most if layout.n_fields == 3 else 0)
    spans = np.zeros((len(weights), 2), np.int64)
    delimiter = ord(layout.delimiter) if layout.delimiter else 0
    text = np.frombuffer(block, np.uint8)
    count = digits.parse(text, delimiter, LONGEST_LINE, ends, weights, spans)
    if count < 0:
        return None
    weights, spans = weights[:count], spans[:count]
    for edge in np.flatnonzero(spans[:, 1] > spans[:, 0]):
        weight = to_weight(block[spans[edge, 0] : spans[edge, 1]].decode())
        if weight is None:
            return None
        weights[edge] = weight
    return ends[:, :count], weights


def _ranked(source: IntArray, target: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Ids as ranks among the different ones, and these in order."""
    low = int(min(source.min(), target.min()))
    span = int(max(source.max(), target.max())) - low + 1
    if span > 8 * len(source) + 1024:
        nodes, ranks = np.unique(np.concatenate([source, target]), return_inverse=True)
        return ranks[: len(source)], ranks[len(source) :], nodes
    seen = np.zeros(span, np.bool_)
    seen[source - low] = True
    seen[target - low] = True
    rank = np.cumsum(seen) - 1
    return rank[source - low], rank[target - low], np.flatnonzero(seen) + low


# --- one graph -------------------------------------------------------------------------------


def _graph(edges: _Edges, notes: list[str], source: str) -> Graph:
    n = len(edges.nodes)
    weights = np.ones(len(edges.source)) if edges.weights is None else edges.weights
    unweighted = edges.weights is None or bool(np.all(weights == 1))
    listed_ = csr_array(coo_array((weights, (edges.source, edges.target)), shape=(n, n)))
    repeats = len(weights) - listed_.nnz
    if repeats:
        lines_ = counted(repeats, "line repeats", "lines repeat")
        notes.append(f"{lines_} an edge in the same direction; weights were added.")
    notes.extend(without_zeros(listed_))
    adjacency = _undirected(listed_, notes, unweighted=unweighted)
    if not np.all(np.isfinite(adjacency.data)):
        raise DataError(f"{source}: added weights are too large for a number.")
    return Graph(adjacency, edges.nodes, tuple(notes), source)


def _undirected(directed: csr_array, notes: list[str], *, unweighted: bool) -> csr_array:
    """One graph of both directions; what pairs that are listed both ways mean is noted."""
    transposed = directed.T.tocsr()
    loops = int(np.count_nonzero(directed.diagonal()))
    both_ways = (_pattern(directed).multiply(_pattern(transposed)).nnz - loops) // 2
    n_pairs = directed.nnz - loops
    if not both_ways:
        return both_directions(directed)
    if 2 * both_ways == n_pairs and _are_equal(directed, transposed):
        each = "the only edge" if both_ways == 1 else f"each of {both_ways:,} edges"
        notes.append(f"{each} is listed in both directions, and taken once.")
        return directed
    pairs = counted(both_ways, "pair of nodes is", "pairs of nodes are")
    some = f"{pairs} listed in both directions, {n_pairs - 2 * both_ways:,} in one: read as a "
    if unweighted:
        notes.append(some + "directed graph and made undirected, an edge in either direction.")
        return csr_array(directed.maximum(transposed))
    notes.append(some + "directed graph and made undirected, weights of both directions added.")
    return both_directions(directed)


def _pattern(A: csr_array) -> csr_array:
    return csr_array((np.ones(A.nnz, np.int8), A.indices, A.indptr), shape=A.shape)


def _are_equal(A: csr_array, B: csr_array) -> bool:
    """Whether two canonical matrices are."""
    parts = ("indptr", "indices", "data")
    return all(np.array_equal(getattr(A, part), getattr(B, part)) for part in parts)
