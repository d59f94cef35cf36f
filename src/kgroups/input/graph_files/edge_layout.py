"""How the lines of an edge list are laid out: delimiter, header and columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import IO, NamedTuple

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.graph_files.column_names import (
    LABEL_NAMES,
    NODE_NAMES,
    end_columns,
    ignored_columns,
    plain_name,
    weight_column,
)
from kgroups.input.graph_files.edges import Edges
from kgroups.input.graph_files.text_lines import fields, is_integer, lines, sniffed
from kgroups.input.table_files.delimited import Row
from kgroups.input.table_files.table import listed

COMMENTS = "#%"
# What networkx by default writes after the ends of an edge, such as {'weight': 4}.
_ATTRIBUTES = re.compile(r"""\S[\s,;]+\S.*?[\s,;]("?\{(?:['"\d].*:.*)?\}"?)$""")


class Layout(NamedTuple):
    """How to read the lines of a file."""

    delimiter: str | None
    header: Row | None
    n_fields: int
    #: The columns of source, target and weight.
    columns: tuple[int, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the columns are exactly source, target and perhaps weight, in this order."""
        return self.columns == tuple(range(self.n_fields))


def layout_of(stream: IO[bytes], source: str, suffix: str, *, may_guess: bool) -> Layout:
    """The layout, from the first two lines that are neither blank nor comments."""
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
            "ends of an edge, separated by a comma, a tab, a semicolon or spaces."
        )
    _check_no_labels_file(first, source)
    if end_columns(first.fields) or (may_guess and _is_guessed(split)):
        return _named(first, delimiter)
    if len(first.fields) > 3:
        raise DataError(
            f"{source}, line {number} has {len(first.fields)} fields; a line lists source, target "
            'and perhaps weight. For more columns, put a line of names above them, such as "source,'
            'target,weight,year".'
        )
    return Layout(delimiter, None, len(first.fields), tuple(range(len(first.fields))))


def _check_no_attributes(head: list[tuple[int, str]], source: str) -> None:
    for number, line in head:
        found = _ATTRIBUTES.search(line.strip())
        if found:
            raise DataError(
                f"{source}, line {number} ends with attributes, {found[1]}, as networkx writes "
                'them by default; write the file with networkx.write_edgelist and data=["weight"], '
                "or data=False for no weights."
            )


def _check_no_labels_file(first: Row, source: str) -> None:
    """Refuse a file with the columns node and label, which holds labels and not edges."""
    names = [plain_name(name) for name in first.fields]
    is_labels = names[0] in NODE_NAMES and not LABEL_NAMES.isdisjoint(names)
    if is_labels and len(names) <= 3 and set(names) <= NODE_NAMES | LABEL_NAMES:
        raise DataError(
            f"{source}, line {first.line} names the columns {listed(first.fields)}: this looks "
            "like a file of labels, which is given in addition to the edges (--labels). If it "
            "lists edges, name the columns source and target."
        )


def _substance(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines that are neither blank nor comments."""
    for number, line in numbered:
        text = line.strip()
        if text and text[0] not in COMMENTS:
            yield number, line


def _is_guessed(split: list[list[str]]) -> bool:
    """Whether to take the first line as names: it has no numbers, and the next begins with two."""
    if len(split) < 2 or len(split[1]) < 2:
        return False
    names = all(to_weight(name) is None for name in split[0])
    return names and all(map(is_integer, split[1][:2]))


def _named(header: Row, delimiter: str | None) -> Layout:
    ends = end_columns(header.fields) or (0, 1)
    weight = weight_column(header.fields)
    return Layout(delimiter, header, len(header.fields), (*ends, *weight))


def layout_notes(layout: Layout, edges: Edges) -> list[str]:
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


def perhaps_labels(first: Row) -> list[str]:
    """A note if the first line has a name that is usual for a column of labels."""
    found = [name for name in first.fields if plain_name(name) in LABEL_NAMES]
    if not found:
        return []
    return [
        f"line {first.line} holds {found[0]!r}, as in a file of labels; if this is one, give it in "
        "addition to the edges (--labels)."
    ]


def to_weight(text: str) -> float | None:
    """The text as a finite number; None if it is not one."""
    if "_" in text or not text.isascii():  # float() would read 1_0 as 10
        return None
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if np.isfinite(weight) else None
