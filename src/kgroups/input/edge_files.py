"""Lists of edges in text, and square tables of numbers: header, columns, ids and weights."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from kgroups.exceptions import DataError
from kgroups.input.adjacency import of_edges
from kgroups.input.edges import (
    WEIGHTS,
    AskedColumns,
    chosen,
    in_order,
    listed,
    named_ends,
    nodes_are_numbers,
    of_texts,
    plain,
    ranked,
)
from kgroups.input.graph import Graph
from kgroups.input.networks import MOST, matrix_in_frame
from kgroups.input.text_files import (
    FileRows,
    TextFormat,
    TextFound,
    _numbers,
    first_lines,
    is_number,
    parse,
    plain_text,
    split,
)
from kgroups.text import counted, quoted
from kgroups.typing import Float64Array

_COMMENT = re.compile(rb"(?m)^[ \t]*[#%].*$")
_COMMENT_ABOVE = re.compile(rb"\s*([#%][^\n]*)")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_LABELS = frozenset({"label", "labels", "community", "class"})
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


def read_edge_list(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """The graph of a list of edges, or of a square table of numbers."""
    raw, encoding = plain_text(raw, source, asked)
    raw, comment, notes = _without_comments(raw)
    begin, lines = first_lines(raw, source) if raw.strip() else (0, [])
    if not lines:
        raise DataError(f"{source} is empty: it lists no edges.")
    mark = asked.delimiter or delimiter_of(lines, asked.decimal)
    rows = [fields for _, fields in split(lines, mark)]
    found = ListFound(
        delimiter=mark, encoding=encoding, decimal=asked.decimal, na_values=(),
        skip_lines=asked.skip_lines,
    )  # fmt: skip
    if not any(columns) and asked.header is None:
        graph = _matrix(raw, source, rows, found)
        if graph is not None:
            return graph
    names = None if asked.header is False else _names_above(comment, rows, mark, columns)
    if names is None and _are_names(rows, asked.header, columns):
        names, *rows = rows
        raw, found = _without_header(raw), replace(found, has_header=True)
    if not rows:
        raise DataError(f"{source} has column names but lists no edges.")
    line = 1 + raw.count(b"\n", 0, begin)
    try:
        places, found, more = _columns(names, rows, columns, found)
    except ValueError as error:
        raise DataError(f"{source}, line {line}: {error}") from error
    if names and found.has_header and asked.header is None and named_ends(names) is None:
        notes.append(f"line {line} is taken as column names: {listed(names)}.")
    is_open = asked.header is None and names is None and len(rows) > 2
    may_be_names = is_open and not any(map(is_number, rows[0]))
    return _graph(raw, source, rows, places, found, [*notes, *more], may_be_names=may_be_names)


def _without_comments(raw: bytes) -> tuple[bytes, str, list[str]]:
    """The same with empty lines in place of comments, the last one above all other lines, notes."""
    begin, above = 0, b""
    while found := _COMMENT_ABOVE.match(raw, begin):
        begin, above = found.end(), found[1]
    below, n = raw[begin:], 0
    if b"#" in below or b"%" in below:
        below, n = _COMMENT.subn(b"", below)
    lines = counted(n, "line that begins", "lines that begin")
    notes = [f"{lines} with # or % below the first edge: not read."] if n else []
    return b"\n" * raw.count(b"\n", 0, begin) + below, above.decode(), notes


def _without_header(raw: bytes) -> bytes:
    """The same with an empty line in place of the first that is not."""
    begin = len(raw) - len(raw.lstrip())
    end = raw.find(b"\n", begin)
    return b"\n" * raw.count(b"\n", 0, begin) + (b"" if end < 0 else raw[end:])


def delimiter_of(lines: Sequence[str], decimal: str | None) -> str:
    """The one of comma, tab and semicolon that makes most fields in the first line, else blanks."""
    bare = re.sub('"[^"]*"', "", lines[0].strip("\r\n "))
    marks = [mark for mark in "\t;," if mark != decimal and mark in bare]
    fields = bare.split()
    if not marks or (marks == [","] and fields[2:] and _DECIMAL_COMMA.fullmatch(fields[-1])):
        return " "
    return max(marks, key=bare.count)


# --- header ------------------------------------------------------------------------------------


def _names_above(
    comment: str, rows: Sequence[Sequence[str]], mark: str, asked: AskedColumns
) -> list[str] | None:
    """The names of the columns in a comment right above the edges, if it holds some."""
    above = next(split([comment.lstrip("#% ")], mark), (0, list[str]()))[1]
    are_names = len(above) > MOST or named_ends(above) or not {*above}.isdisjoint(asked)
    return above if are_names and len(above) == len(rows[0]) and not named_ends(rows[0]) else None


def _are_names(rows: Sequence[Sequence[str]], header: bool | None, asked: AskedColumns) -> bool:
    """Whether the first line names the columns, by the first lines below it."""
    first, *below = rows
    if header is not None or any(name and not name.isdecimal() for name in asked):
        return header is not False
    nodes = {end for row in below for end in row[:2]}
    are_new = nodes.isdisjoint(first[:2]) and all(first)
    words = [c for c, name in enumerate(first) if any(map(str.isalpha, name)) and c > 1]
    weights = [c for c in words if are_new or plain(first[c]) in WEIGHTS]
    if below and any(all(row[c:] and is_number(row[c]) for row in below) for c in weights):
        return True
    if any(field.strip() and is_number(field) for field in first):
        return False
    ends = named_ends(first)
    if ends is None:
        return bool(below) and nodes_are_numbers([*nodes])
    nodes = {row[c] for row in below for c in ends if row[c:]}
    names = [first[c] for c in ends]
    word = names[0].rstrip("0123456789")
    if word != names[0]:  # gene1 and gene2 may be nodes as gene3 is
        return not any(re.fullmatch(rf"{re.escape(word)}\d+", node) for node in nodes)
    return not (all if min(map(len, names)) > 1 else any)(name in nodes for name in names)


# --- edges -------------------------------------------------------------------------------------


def _columns(
    names: list[str] | None, rows: Sequence[Sequence[str]], asked: AskedColumns, found: ListFound
) -> tuple[list[int], ListFound, list[str]]:
    """The positions of the columns that are read, what was found, and notes; ValueError if none."""
    used = len(rows[0]) - (len(rows[0]) > 2 and not any(row[-1].strip() for row in rows))
    if used < 2:
        raise ValueError("it has one field; a line lists the two ends of an edge.")
    if names is None and used > MOST and not any(asked):
        raise ValueError(
            f"it has {used} fields; a line lists source, target and perhaps weight. Say which are "
            'these, as in source="1", target="2" (--source 1 --target 2), or name the columns.'
        )
    known = names or [str(c + 1) for c in range(used)]
    known = known[:used] if not any(known[used:]) else known
    if len(known) != used:
        raise ValueError(f"it has {counted(len(known), 'field')}, and others have {used}.")
    if names and not any(asked) and used <= MOST and _LABELS & {*map(plain, known[1:])}:
        raise ValueError(f"it names {listed(known)}: this is a file of labels of a node.")
    numeric = [any(is_number(row[c]) for row in rows if row[c:]) for c in range(used)]
    places, notes = chosen(known, numeric, asked, third_weighs=names is None)
    return places, replace(found, columns=tuple(known[c] for c in places)), notes


def _graph(
    raw: bytes, source: str, rows: Sequence[Sequence[str]], places: Sequence[int],
    found: ListFound, notes: Sequence[str], *, may_be_names: bool,
) -> Graph:  # fmt: skip
    """The graph of edges whose columns are known; DataError names the first line that is wrong."""
    keys = [str(c + 1) for c in places]
    dtype: dict[str, Any] = {str(c + 1): str for c in range(len(rows[0]))}
    heads = [row[c] for row in rows for c in places[:2] if row[c:]]
    if nodes_are_numbers(heads) and not (b"+" in raw or _has_zeros_in_front(raw, found)):
        dtype |= dict.fromkeys(keys[:2], np.int64)
    if found.decimal != "," and all(is_number(rows[0][c]) for c in places[2:]):  # and not True
        dtype |= dict.fromkeys(keys[2:], np.float64)

    def table(dtype: Any) -> FileRows:
        known = TextFormat(delimiter=found.delimiter, encoding="utf-8", header=False)
        return parse(raw, source, known, dtype=dtype)

    try:
        read = table(dtype)
    except DataError:  # or an error that names the line
        read = table(str)
    ends, weights = [read.values[key] for key in keys[:2]], None
    for end in ends:
        if (missing := end.isna()).any():
            line = read.where(int(missing.to_numpy().argmax()))
            raise DataError(f"{source}, {line}: an end is missing.")
    for key in keys[2:]:
        weights = _floats(read.values[key], found)
        if not np.isfinite(weights).all():
            row = int(np.isfinite(weights).argmin())
            value = table(str).values[key].fillna("").iloc[row]
            how = ' If it has a decimal comma, write decimal="," (--decimal ,).'
            comma = how if "," in value else ""
            what = f"{quoted(value)} is not a finite number.{comma}" if value else "is missing."
            in_column = "" if found.columns[2].isdecimal() else f", {quoted(found.columns[2])}"
            raise DataError(f"{source}, {read.where(row)}{in_column}: the weight {what}")
        is_text = read.values[key].dtype != np.float64
        if is_text and found.decimal is None and read.values[key].str.contains(",").any():
            found = replace(found, decimal_commas=found.columns[2:])
    if ends[0].dtype == np.int64:
        first, second, nodes = ranked(*(end.to_numpy() for end in ends))
    else:
        texts = pd.concat(ends, ignore_index=True)
        codes, ids = pd.factorize(texts.str.strip() if b" " in raw else texts)
        nodes, rank = in_order(of_texts(ids.tolist()).tolist())
        first, second = rank[codes].reshape(2, -1)
        ends_above = codes[[0, len(first)]]
        if may_be_names and (np.bincount(codes)[ends_above] == 1).all():
            a, b = (ids[code] for code in ends_above)
            how = "header=True (--source and --target with these names)"
            if_names = f"({a} - {b}); if it names the columns, pass {how}."
            notes = [*notes, f"{read.where(0)} is read as an edge {if_names}"]
    adjacency, more = of_edges(first, second, weights, len(nodes))
    return Graph(adjacency, nodes, (*notes, *more), source, found)


def _has_zeros_in_front(raw: bytes, found: ListFound) -> bool:
    """Whether a field may be written as 007; a fixed first byte makes each search fast."""
    marks = {"\n", " ", "\t", '"', "-", found.delimiter or " "}
    return any(re.search(re.escape(mark.encode()) + rb"0\d", raw) for mark in marks)


def _floats(column: Any, found: ListFound) -> Float64Array:
    """A column as numbers, in which commas may be decimal marks; NaN for other text."""
    numbers: Float64Array = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    if found.decimal != "," and not np.isnan(numbers).any():
        return numbers
    in_groups = _numbers(column.astype(str), found.decimal)
    nothing = np.full(len(column), np.nan) if found.decimal else numbers
    return nothing if in_groups is None else in_groups


# --- matrices ----------------------------------------------------------------------------------


def _matrix(
    raw: bytes, source: str, rows: Sequence[Sequence[str]], found: ListFound
) -> Graph | None:
    """The graph of a square table of numbers; None where the lines may list edges."""
    first, below, width = list(rows[0]), [row[0] for row in rows[1:]], len(rows[-1])
    if len(first) == width - 1:
        first = ["", *first]  # as R writes names of rows and columns
    is_text = not all(map(is_number, first))
    is_named = not first[0] or (is_text and first[1:] == below)
    counts = [str(c) for c in range(width)]
    has_header = is_named or is_text or first == counts
    if named_ends(first) is not None or not 1 < width >= len(below):
        return None
    n = sum(1 for line in raw.split(b"\n") if line.strip()) - has_header
    if n < 2 or n not in (width, width - has_header) or (has_header and len({*first}) < width):
        return None
    known = TextFormat(delimiter=found.delimiter, encoding="utf-8", header=False)
    table = parse(_without_header(raw) if has_header else raw, source, known, dtype=str).values
    table.columns = first if has_header else range(n)
    has_names = width - n
    for name in table.columns[has_names:]:
        table[name] = _floats(table[name].fillna(""), found)
    entries = table.iloc[:, has_names:].to_numpy()
    if first[0] and np.isnan(entries).any():
        return None
    if n == width and _may_be_edges(entries, has_header):
        return None
    graph = matrix_in_frame(table, source)
    if graph is None:
        return None
    found = replace(found, has_header=has_header)
    note = f"{source} is read as the adjacency matrix of {n:,} nodes; entries are weights."
    nodes = of_texts([str(node) for node in graph.nodes])
    return Graph(graph.adjacency, nodes, (note, *graph.notes), source, found)


def _may_be_edges(entries: Float64Array, has_header: bool) -> bool:
    """Whether a square table without names of rows is not likely to be a matrix."""
    n, has_diagonal = len(entries), bool(entries.diagonal().all())
    if np.array_equal(entries, entries.T):
        return n == 2 and not (entries % 1).any()
    if n <= MOST:
        return bool(entries.diagonal().any()) or (n == 2 and not (entries % 1).any())
    return has_header or (n <= _MOST_OF_EDGES and has_diagonal)
