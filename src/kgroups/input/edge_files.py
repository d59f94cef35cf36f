"""Lists of edges and adjacency matrices as text: header, columns, ids and weights by pandas."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.adjacency import of_edges, of_matrix
from kgroups.input.edges import (
    AskedColumns,
    chosen,
    in_order,
    listed,
    named_ends,
    node_ids,
    plain,
    ranked,
)
from kgroups.input.graph import Graph
from kgroups.input.sparse_matrices import sound
from kgroups.input.text_files import (
    TextFormat,
    TextFound,
    _head,
    _numbers,
    _as_utf8,
    is_number,
    parse,
    split,
    _without_lines,
)
from kgroups.names import WEIGHT_COLUMNS
from kgroups.text import counted, quoted
from kgroups.typing import Float64Array, IndexArray

_COMMENT = re.compile(rb"(?m)^[ \t]*[#%].*$")
_COMMENTS_ABOVE = re.compile(rb"(?:[ \t]*(?:[#%][^\n]*)?\n)*")
_INTEGER = re.compile("0|-?[1-9][0-9]{0,18}")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_LABELS = frozenset({"label", "labels", "community", "class"})
# Source, target and weight: with more columns something must say which these are.
_MOST = 3
_WEIGHTS = frozenset(map(plain, WEIGHT_COLUMNS))


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


class _Text(NamedTuple):
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


def read_edge_list(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """The graph of a list of edges, or of a square table of numbers."""
    raw, encoding = _as_utf8(raw, source, asked.encoding)
    raw = _without_lines(raw, source, asked.skip_lines, None)
    above = _COMMENTS_ABOVE.match(raw)
    comments = raw[: above.end()].split(b"\n") if above else []
    if any(mark in raw for mark in (b"\n#", b"\n%", b"\n ")) or comments:
        raw = _without_comments(raw, above.end() if above else 0)
    begin, lines = _head(raw, source)
    if not lines:
        raise DataError(f"{source} is empty: it lists no edges.")
    delimiter = asked.delimiter or delimiter_of(lines, asked.decimal)
    rows = [fields for _, fields in split(lines, delimiter)]
    found = ListFound(
        delimiter=delimiter, encoding=encoding, decimal=asked.decimal, na_values=(),
        skip_lines=asked.skip_lines,
    )  # fmt: skip
    text = _Text(raw, source, found, rows, begin, 1 + raw.count(b"\n", 0, begin))
    if not any(columns) and asked.header is None and (graph := _matrix(text)) is not None:
        return graph
    comment = next((c.decode() for c in reversed(comments) if c.strip()), "")
    text = _with_names(text, comment, asked.header, columns)
    graph = _edges(text, columns)
    return _edges(text._replace(names=None), columns) if graph is None else graph


def _without_comments(raw: bytes, above: int) -> bytes:
    """The same with empty lines in place of those that begin with # or %."""
    if not any(mark in raw[above:] for mark in (b"#", b"%")):
        return b"\n" * raw.count(b"\n", 0, above) + raw[above:]
    return _COMMENT.sub(b"", raw)


def delimiter_of(lines: Sequence[str], decimal: str | None) -> str:
    """The one of comma, tab and semicolon that makes most fields in the first line, else blanks."""
    bare = re.sub('"[^"]*"', "", lines[0].strip("\r\n "))
    marks = [mark for mark in "\t;," if mark != decimal and mark in bare]
    last = bare.split()[-1:]
    if not marks or (marks == [","] and len(bare.split()) > 2 and _DECIMAL_COMMA.fullmatch(*last)):
        return " "
    return max(marks, key=bare.count)


# --- header ------------------------------------------------------------------------------------


def _with_names(text: _Text, comment: str, header: bool | None, columns: AskedColumns) -> _Text:
    """The text with the names of its columns, where it has some."""
    first, *below = text.rows
    if header is False:
        return text
    above = next(split([comment.lstrip("#% ")], text.found.delimiter or " "), (0, []))[1]
    are_names = len(above) > _MOST or named_ends(above) or not {*above}.isdisjoint(columns)
    if header is None and len(above) == len(first) and are_names and named_ends(first) is None:
        return text._replace(names=above)
    asked = any(name is not None and not name.isdecimal() for name in columns)
    numeric = [bool(field.strip()) and is_number(field) for field in first]
    weighs = any(
        below and plain(name) in _WEIGHTS and all(len(r) > c and is_number(r[c]) for r in below)
        for c, name in enumerate(first[2:], 2)
    )
    are_ids = bool(below) and not any(numeric) and len(below[0]) > 1
    are_ids = are_ids and all(map(_INTEGER.fullmatch, below[0][:2]))
    ends = None if any(numeric) else named_ends(first)
    if not (header or asked or weighs or are_ids or ends):
        return text
    found, is_certain = replace(text.found, has_header=True), bool(header or asked or weighs)
    return text._replace(names=first, found=found, is_certain=is_certain)


def _are_doubtful(text: _Text, columns: Sequence[int], nodes: Sequence[str]) -> bool:
    """Whether the names of the ends are nodes of the lines below them, or like these."""
    if text.is_certain or not text.found.has_header or text.names is None:
        return False
    ends, known = [text.names[c] for c in columns[:2]], {*nodes}
    if named_ends(text.names) is None and not nodes_are_numbers(nodes):
        return True  # only integers below showed that these are names
    word = ends[0].rstrip("0123456789")
    if word != ends[0]:
        return any(re.fullmatch(rf"{re.escape(word)}\d+", node) for node in nodes)
    return (all if min(map(len, ends)) > 1 else any)(end in known for end in ends)


# --- edges -------------------------------------------------------------------------------------


def _edges(text: _Text, asked: AskedColumns) -> Graph | None:
    """The graph of a list of edges; None if its names are nodes of the lines below."""
    import pandas as pd

    where = f"{text.source}, line {text.line}"
    names, notes = text.names, list[str]()
    if text.found.has_header and names is None:
        text = text._replace(found=replace(text.found, has_header=False))
    rows = text.rows[1:] if text.found.has_header else text.rows
    if not rows:
        raise DataError(f"{text.source} has column names but lists no edges.")
    width = len(rows[0])
    used = width - (width > 2 and all(not row[-1].strip() for row in rows))
    if used < 2:
        raise DataError(f"{where} has one field; a line lists the two ends of an edge.")
    if names is None:
        if used - (asked.weight is not None) > _MOST and asked.source is None:
            raise DataError(
                f"{where} has {used} fields; a line lists source, target and perhaps weight. Say "
                'which these are, as in source="1" and target="2", or name the columns above them.'
            )
        weight = "3" if used == _MOST and asked.source is None else None
        names, asked = (
            [str(c + 1) for c in range(used)],
            asked._replace(weight=asked.weight or weight),
        )
        columns, notes = _chosen(names, rows, asked, where)
        notes = notes if used > _MOST else []
    else:
        names = names[:-1] if len(names) == used + 1 and not names[-1] else names
        if not any(asked) and len(names) <= _MOST and _LABELS.intersection(map(plain, names[1:])):
            raise DataError(f"{where} names {listed(names)}: this is a file of labels of a node.")
        if len(names) != used:
            raise DataError(f"{where} has {counted(len(names), 'field')}, and others have {used}.")
        columns, notes = _chosen(names, rows, asked, where)
        if not text.is_certain and named_ends(names) is None:
            notes.insert(0, f"line {text.line} is taken as column names: {listed(names)}.")
    body, found = text.body, replace(text.found, columns=tuple(names[c] for c in columns))
    frame = _read(body, text, width, columns)

    def where(row: int) -> str:
        known = TextFormat(delimiter=found.delimiter, encoding="utf-8", header=False)
        return f"{text.source}, line {parse(body, text.source, known, dtype=str).line(row)}"

    weights = None
    if len(columns) > 2:
        given = frame[columns[2]]
        weights = _weights(given, found.decimal, where)
        if (
            found.decimal is None
            and pd.api.types.is_string_dtype(given.dtype)
            and given.str.contains(",").any()
        ):
            found = replace(found, decimal_commas=(names[columns[2]],))
    ends = [frame[c] for c in columns[:2]]
    if all(end.dtype == np.int64 for end in ends):
        source, target, nodes = ranked(*(end.to_numpy() for end in ends))
        return graph_of_ends(source, target, weights, nodes, text.source, notes, found)
    for end in ends:
        if (missing := end.isna() | (end == "")).any():
            raise DataError(f"{where(int(missing.to_numpy().argmax()))}: an end is missing.")
    codes, ids = pd.factorize(pd.concat(ends, ignore_index=True))
    written = list(map(str, ids.tolist()))
    if _are_doubtful(text, columns, written):
        return None
    source, target = codes.reshape(2, -1)
    rank, nodes = nodes_of_texts(written)
    return graph_of_ends(rank[source], rank[target], weights, nodes, text.source, notes, found)


def _chosen(
    names: Sequence[str], rows: Sequence[Sequence[str]], asked: AskedColumns, where: str
) -> tuple[list[int], list[str]]:
    try:
        return chosen(names, lambda c: any(is_number(r[c]) for r in rows if len(r) > c), *asked)
    except ValueError as error:
        raise DataError(f"{where}: {error}") from error


def _read(body: bytes, text: _Text, width: int, columns: Sequence[int]) -> Any:
    """Columns of a list by their positions: ids as integers if all are, or as they are written."""
    import pandas as pd

    mark, texts = text.found.delimiter or " ", dict[int, type]()
    if text.found.decimal == ",":
        texts = dict.fromkeys(columns[2:], str)
    for _ in range(2):
        try:
            frame = pd.read_csv(
                BytesIO(body), header=None, names=range(width), index_col=False, dtype=texts,
                sep=r"\s+" if mark == " " else mark, na_filter=False, skipinitialspace=True,
                low_memory=False, usecols=columns,
            )  # fmt: skip
        except ValueError:
            frame = None
        if frame is None or _n_fields(body, mark, len(frame)) != width * len(frame):
            known = TextFormat(delimiter=mark, encoding="utf-8", header=False)
            parsed = parse(body, text.source, known, dtype=str).frame  # or an error with its line
            frame = (
                parsed.set_axis(range(parsed.shape[1]), axis=1).fillna("")
                if frame is None
                else frame
            )
        ends = [frame[c].dtype for c in columns[:2]]
        if all(map(pd.api.types.is_string_dtype, ends)) or (
            ends == [np.int64] * 2 and not _has_zeros(body)
        ):
            break
        texts |= dict.fromkeys(columns[:2], str)
    if mark != " " and any(blank in body for blank in (b" \n", b" " + mark.encode())):
        for c in filter(lambda c: pd.api.types.is_string_dtype(frame[c].dtype), frame):
            frame[c] = frame[c].str.strip()
    return frame


def _n_fields(body: bytes, mark: str, n_rows: int) -> int:
    """How many fields there are, unless some are quoted; pandas does not count all of them."""
    if b'"' in body:
        return -1
    if mark != " ":
        return body.count(mark.encode()) + n_rows
    are_blank = np.frombuffer(b"\n" + body, np.uint8) <= ord(" ")
    return int(np.count_nonzero(are_blank[:-1] & ~are_blank[1:]))


def _has_zeros(body: bytes) -> bool:
    """Whether some number may have a sign or zeros in front, which integers have not."""
    codes = np.frombuffer(b"\n" + body + b"\n", np.uint8)
    are_digits = (codes >= ord("0")) & (codes <= ord("9"))
    within = are_digits | (codes == ord("."))
    zeros = (codes[1:-1] == ord("0")) & ~within[:-2] & are_digits[2:]
    return b"+" in body or bool(zeros.any())


def _weights(column: Any, decimal: str | None, where: Callable[[int], str]) -> Float64Array:
    """A column as numbers; DataError names the first that is not finite."""
    found = _floats(column, decimal)
    if not (finite := np.isfinite(found)).all():
        row = int(finite.argmin())
        value = column.iloc[row]
        comma = ' If it has a decimal comma, write decimal=",".' if "," in str(value) else ""
        what = "is missing." if value == "" else f"{quoted(value)} is not a finite number.{comma}"
        raise DataError(f"{where(row)}: the weight {what}")
    return found


def _floats(column: Any, decimal: str | None) -> Float64Array:
    """A column as numbers, in which commas may be decimal marks; NaN for other text."""
    import pandas as pd

    found = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    if decimal == "," or np.isnan(found).any():
        numbers = _numbers(column.astype(str).tolist(), decimal)
        found = found if numbers is None and decimal is None else np.array(numbers or np.nan)
    return np.broadcast_to(found, (len(column),))


def nodes_of_texts(names: list[str]) -> tuple[IndexArray, NDArray[Any]]:
    """The place of each name in the canonical order, and the ids there: integers if all are."""
    if nodes_are_numbers(names):
        numbers = np.array([int(name) for name in names], np.int64)
        order = np.argsort(numbers)
        return np.argsort(order), numbers[order]
    nodes, rank = in_order(names)
    return rank, nodes


def nodes_are_numbers(names: Sequence[str]) -> bool:
    """Whether all ids are integers of 64 bits as programs write them; 007 is text."""
    return all(map(_INTEGER.fullmatch, names)) and all(abs(int(name)) < 2**63 for name in names)


def graph_of_names(
    names: Sequence[str], edges: Sequence[tuple[str, str]], source: str, notes: Sequence[str] = ()
) -> Graph:
    """The graph of pairs of names, and of further nodes."""
    known = list(dict.fromkeys([*names, *(end for edge in edges for end in edge)]))
    if "" in known:
        raise ValueError("the name of a node is missing.")
    rank, nodes = nodes_of_texts(known)
    place = dict(zip(known, rank.tolist(), strict=True))
    ends = np.array([(place[a], place[b]) for a, b in edges], np.int64).reshape(-1, 2)
    return graph_of_ends(*ends.T, None, nodes, source, notes)


def graph_of_ends(
    source: Any, target: Any, weights: Any, nodes: NDArray[Any], name: str, notes: Sequence[str],
    text: ListFound | None = None,
) -> Graph:  # fmt: skip
    """The graph of edges between places among the nodes; ValueError for too large sums."""
    adjacency, more = of_edges(np.asarray(source), np.asarray(target), weights, len(nodes))
    return Graph(adjacency, nodes, (*notes, *more), name, text)


# --- matrices ----------------------------------------------------------------------------------


def _matrix(text: _Text) -> Graph | None:
    """The graph of a square table of numbers; None where the lines may list edges."""
    import pandas as pd

    rows, source = text.rows, text.source
    first, below = rows[0], [row[0] for row in rows[1:]]
    if len(rows) > 1 and all(len(row) == len(first) + 1 for row in rows[1:]):
        if first[: len(below)] != below[: len(first)]:
            return None
        first = ["", *first]  # as R writes names of rows and columns
    width = len(first)
    if width <= _MOST and (first[0] or first[1:] != below):
        return _refuse_small(rows, source)
    counts = [str(i) for i in range(width)]
    is_header = not first[0] or first == counts or not all(map(is_number, first[1:]))
    n_rows = sum(1 for line in text.raw.split(b"\n") if line.strip()) - is_header
    if n_rows not in (width, width - 1) or named_ends(first) is not None:
        return None
    found = replace(text.found, has_header=is_header)
    known = TextFormat(
        delimiter=found.delimiter, encoding="utf-8", header=False, decimal=found.decimal
    )
    body = text._replace(found=found, names=first).body
    parsed = parse(body, source, known, as_text=("1",))
    numbers = [parsed.frame[name] for name in parsed.frame.columns[1:]]
    if len(numbers) != width - 1 or not all(map(pd.api.types.is_numeric_dtype, numbers)):
        return None
    entries, names = np.column_stack([n.to_numpy(np.float64) for n in numbers]), None
    if n_rows == width:
        head = _floats(parsed.frame.iloc[:, 0], found.decimal)
        entries, names = np.column_stack([head, entries]), first if is_header else None
        is_symmetric = np.array_equal(entries, entries.T)
        may_be_edges = is_header or (width <= 8 and np.diagonal(entries).all())
        if np.isnan(head).any() or (may_be_edges and not is_symmetric):
            return None
    else:
        names = [str(name).strip() for name in parsed.frame.iloc[:, 0]]
        places = _in_order_of(names, first[1:]) if is_header else list(range(width - 1))
        if places is None and first[0]:
            return None
        if places is None:
            raise DataError(
                f"{source}: rows and columns have other names, such as {quoted(names[0])} and "
                f"{quoted(first[1])}; list the edges between two kinds of nodes, one in a line."
            )
        entries = entries[:, places]
    found = replace(found, decimal_commas=tuple(parsed.found.decimal_commas))
    nodes = None
    if names is not None:
        nodes = node_ids([int(name) for name in names] if nodes_are_numbers(names) else names)
    return graph_of_matrix(entries, source, nodes, found)


def _in_order_of(names: list[str], columns: list[str]) -> list[int] | None:
    """The position among the columns of the name of each row; as they stand, if columns count."""
    counted_ones = [[str(i + first) for i in range(len(names))] for first in (0, 1)]
    if columns == names or columns in counted_ones:
        return list(range(len(names)))
    place = {name: i for i, name in enumerate(columns)}
    return [place[name] for name in names] if {*names} == {*place} else None


def _refuse_small(rows: Sequence[Sequence[str]], source: str) -> None:
    """DataError for two or three rows of as many numbers, unless only edges can be meant."""
    if len(rows) == len(rows[0]) + 1 and named_ends(rows[0]) is None:
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
    if n == _MOST:
        may_be_edges &= (ends[:, 0] != ends[:, 1]).all() and entries[:, 2].all()
    is_matrix = is_symmetric or not np.diagonal(entries).any()
    if (is_symmetric and n == _MOST) or (is_matrix and not may_be_edges):
        raise DataError(
            f"{source} has {n} rows of {n} numbers, which may be edges or a matrix. For edges "
            'write source="1" and target="2"; save a matrix as .npy.'
        )


def graph_of_matrix(
    matrix: Any, source: str, nodes: NDArray[Any] | None = None, text: ListFound | None = None
) -> Graph:
    """The graph of a sparse or full matrix from a file."""
    from scipy.sparse import csr_array, issparse

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
