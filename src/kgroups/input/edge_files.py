"""Lists of edges in text: header, columns, ids and weights, read by pandas."""

import re
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.adjacency import of_edges
from kgroups.input.edges import AskedColumns, chosen, in_order, listed, named_ends, plain, ranked
from kgroups.input.graph import Graph
from kgroups.input.matrix_files import (
    MOST,
    ListFound,
    ListText,
    floats,
    matrix_in_text,
    nodes_are_numbers,
)
from kgroups.input.text_files import (
    TextFormat,
    first_lines,
    is_number,
    parse,
    plain_text,
    split,
)
from kgroups.names import WEIGHT_COLUMNS
from kgroups.text import counted, quoted
from kgroups.typing import Float64Array, IndexArray

_COMMENT = re.compile(rb"(?m)^[ \t]*[#%].*$")
_COMMENT_ABOVE = re.compile(rb"\s*([#%][^\n]*)")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_LABELS = frozenset({"label", "labels", "community", "class"})
_WEIGHTS = frozenset(map(plain, WEIGHT_COLUMNS))


def read_edge_list(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """The graph of a list of edges, or of a square table of numbers."""
    raw, encoding = plain_text(raw, source, asked)
    raw, comment = _without_comments(raw)
    begin, lines = first_lines(raw, source) if raw.strip() else (0, [])
    if not lines:
        raise DataError(f"{source} is empty: it lists no edges.")
    delimiter = asked.delimiter or delimiter_of(lines, asked.decimal)
    rows = [fields for _, fields in split(lines, delimiter)]
    found = ListFound(
        delimiter=delimiter, encoding=encoding, decimal=asked.decimal, na_values=(),
        skip_lines=asked.skip_lines,
    )  # fmt: skip
    text = ListText(raw, source, found, rows, begin, 1 + raw.count(b"\n", 0, begin))
    if not any(columns) and asked.header is None and (graph := matrix_in_text(text)) is not None:
        return graph
    text = _with_names(text, comment, asked.header, columns)
    try:
        return _edges(text, columns)
    except _NotNamesError:
        found = replace(found, has_header=False)
        return _edges(text._replace(names=None, found=found), columns)


class _NotNamesError(Exception):
    """The first line holds nodes and not the names of columns."""


def _without_comments(raw: bytes) -> tuple[bytes, str]:
    """The same with empty lines in place of comments, and the last one above all other lines."""
    begin, above = 0, b""
    while found := _COMMENT_ABOVE.match(raw, begin):
        begin, above = found.end(), found[1]
    below = raw[begin:]
    if any(mark in below for mark in (b"\n#", b"\n%", b"\n ", b"\n\t")):
        below = _COMMENT.sub(b"", below)
    return b"\n" * raw.count(b"\n", 0, begin) + below, above.decode()


def delimiter_of(lines: Sequence[str], decimal: str | None) -> str:
    """The one of comma, tab and semicolon that makes most fields in the first line, else blanks."""
    bare = re.sub('"[^"]*"', "", lines[0].strip("\r\n "))
    marks = [mark for mark in "\t;," if mark != decimal and mark in bare]
    fields = bare.split()
    if not marks or (marks == [","] and fields[2:] and _DECIMAL_COMMA.fullmatch(fields[-1])):
        return " "
    return max(marks, key=bare.count)


# --- header ------------------------------------------------------------------------------------


def _with_names(
    text: ListText, comment: str, header: bool | None, columns: AskedColumns
) -> ListText:
    """The text with the names of its columns, where it has some."""
    first, *below = text.rows
    if header is False:
        return text
    above = next(split([comment.lstrip("#% ")], text.found.delimiter or " "), (0, []))[1]
    are_names = len(above) > MOST or named_ends(above) or not {*above}.isdisjoint(columns)
    if header is None and len(above) == len(first) and are_names and named_ends(first) is None:
        return text._replace(names=above)
    asked = any(name is not None and not name.isdecimal() for name in columns)
    numeric = [bool(field.strip()) and is_number(field) for field in first]
    weighs = any(
        below and plain(name) in _WEIGHTS and all(len(r) > c and is_number(r[c]) for r in below)
        for c, name in enumerate(first[2:], 2)
    )
    are_ids = bool(below) and not any(numeric) and len(below[0]) > 1
    are_ids = are_ids and nodes_are_numbers(below[0][:2])
    ends = None if any(numeric) else named_ends(first)
    if not (header or asked or weighs or are_ids or ends):
        return text
    found, is_certain = replace(text.found, has_header=True), bool(header or asked or weighs)
    return text._replace(names=first, found=found, is_certain=is_certain)


def _are_doubtful(text: ListText, columns: Sequence[int], nodes: Sequence[str]) -> bool:
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


def _columns(text: ListText, asked: AskedColumns) -> tuple[ListText, list[int], list[str]]:
    """The text with the names of all columns, the positions of those that are read, and notes."""
    where, rows = f"{text.source}, line {text.line}", text.rows[text.found.has_header :]
    if not rows:
        raise DataError(f"{text.source} has column names but lists no edges.")
    used = len(rows[0]) - (len(rows[0]) > 2 and not any(row[-1].strip() for row in rows))
    if used < 2:
        raise DataError(f"{where} has one field; a line lists the two ends of an edge.")
    has_names = text.names is not None
    names = text.names or [str(c + 1) for c in range(used)]
    names = names[:used] if not any(names[used:]) else names
    if not has_names and used - (asked.weight is not None) > MOST and asked.source is None:
        raise DataError(
            f"{where} has {used} fields; a line lists source, target and perhaps weight. Say "
            'which these are, as in source="1" and target="2", or name the columns above them.'
        )
    if has_names and not any(asked) and len(names) <= MOST and _LABELS & {*map(plain, names[1:])}:
        raise DataError(f"{where} names {listed(names)}: this is a file of labels of a node.")
    if len(names) != used:
        raise DataError(f"{where} has {counted(len(names), 'field')}, and others have {used}.")
    try:
        numeric = [any(is_number(row[c]) for row in rows if row[c:]) for c in range(used)]
        columns, notes = chosen(names, numeric, asked, third_weighs=not has_names)
    except ValueError as error:
        raise DataError(f"{where}: {error}") from error
    if has_names and not text.is_certain and named_ends(names) is None:
        notes.insert(0, f"line {text.line} is taken as column names: {listed(names)}.")
    found = replace(text.found, columns=tuple(names[c] for c in columns))
    return text._replace(names=names, found=found), columns, notes


def _edges(text: ListText, asked: AskedColumns) -> Graph:
    """The graph of a list of edges."""
    import pandas as pd

    text, columns, notes = _columns(text, asked)
    found, frame, weights = text.found, _read(text, columns), None
    ends = [frame[c] for c in columns[:2]]
    for end in ends:
        if (missing := end == "").any():
            raise DataError(f"{_where(text, int(missing.to_numpy().argmax()))}: an end is missing.")
    for c in columns[2:]:
        weights = _weights(text, frame[c])
        is_text = frame[c].dtype.kind not in "if"
        if found.decimal is None and is_text and frame[c].str.contains(",").any():
            found = replace(found, decimal_commas=found.columns[2:])
    if all(end.dtype == np.int64 for end in ends):
        source, target, nodes = ranked(*(end.to_numpy() for end in ends))
        return _graph(source, target, weights, nodes, text.source, notes, found)
    codes, ids = pd.factorize(pd.concat(ends, ignore_index=True))
    written = list(map(str, ids.tolist()))
    if _are_doubtful(text, columns, written):
        raise _NotNamesError
    rank, nodes = nodes_of_texts(written)
    source, target = rank[codes].reshape(2, -1)
    return _graph(source, target, weights, nodes, text.source, notes, found)


def _where(text: ListText, row: int) -> str:
    return f"{text.source}, {parse(text.body, text.source, text.known, dtype=str).where(row)}"


def _read(text: ListText, columns: Sequence[int]) -> Any:
    """Columns of a list by their positions: ids as integers if all are, or as they are written."""
    import pandas as pd

    is_text, body, mark = pd.api.types.is_string_dtype, text.body, text.known.delimiter or " "
    texts = dict.fromkeys(columns[2:] if text.found.decimal == "," else (), str)
    width = len(text.rows[text.found.has_header])
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
            frame = parse(body, text.source, text.known, dtype=str).values.fillna("")
            frame.columns = range(frame.shape[1])  # or an error that names the line
        ends = [frame[c].dtype for c in columns[:2]]
        if all(map(is_text, ends)) or (ends == [np.int64] * 2 and not _has_zeros(body)):
            break
        texts |= dict.fromkeys(columns[:2], str)
    if mark != " " and any(blank in body for blank in (b" \n", b" " + mark.encode())):
        for c in columns:
            frame[c] = frame[c].str.strip() if is_text(frame[c].dtype) else frame[c]
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


def _weights(text: ListText, column: Any) -> Float64Array:
    """A column as numbers; DataError names the first that is not finite."""
    found = floats(column, text.found.decimal)
    if not (finite := np.isfinite(found)).all():
        row = int(finite.argmin())
        value = str(column.iloc[row])
        comma = ' If it has a decimal comma, write decimal=",".' if "," in value else ""
        what = f"{quoted(value)} is not a finite number.{comma}" if value else "is missing."
        raise DataError(f"{_where(text, row)}: the weight {what}")
    return found


def nodes_of_texts(names: list[str]) -> tuple[IndexArray, NDArray[Any]]:
    """The place of each name in the canonical order, and the ids there: integers if all are."""
    if nodes_are_numbers(names):
        numbers = np.array([int(name) for name in names], np.int64)
        order = np.argsort(numbers)
        return np.argsort(order), numbers[order]
    nodes, rank = in_order(names)
    return rank, nodes


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
    return _graph(ends[:, 0], ends[:, 1], None, nodes, source, notes)


def _graph(
    source: Any, target: Any, weights: Any, nodes: NDArray[Any], name: str, notes: Sequence[str],
    text: ListFound | None = None,
) -> Graph:  # fmt: skip
    """The graph of edges between places among the nodes; ValueError for too large sums."""
    adjacency, more = of_edges(np.asarray(source), np.asarray(target), weights, len(nodes))
    return Graph(adjacency, nodes, (*notes, *more), name, text)
