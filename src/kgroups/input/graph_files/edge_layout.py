"""How a list of edges is laid out: delimiter, header, and what its columns are called."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import IO, NamedTuple

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.graph_files.chosen_columns import chosen_columns
from kgroups.input.graph_files.edge_names import (
    LABEL_NAMES,
    NODE_NAMES,
    AskedColumns,
    end_columns,
    end_columns_by_name,
    known_pairs,
    plain_name,
    usual_ends,
    weight_columns,
)
from kgroups.input.graph_files.text_lines import fields, is_integer, is_substance, lines, sniffed
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.numerals import is_number, to_numbers
from kgroups.input.table_files.table import listed
from kgroups.input.table_files.text_format import MISSING, Decimal, TextFormat
from kgroups.text import quoted

COMMENTS = "#%"
_LONGEST_EDGE = 2_000
# Lines that show the layout, and the columns that edges need.
_HEAD, _MOST = 3, 3
# About lines that blanks split.
_BLANKS = " Put an id that contains a blank in double quotes."
# What networkx by default writes after the ends of an edge, such as {'weight': 4}.
_ATTRIBUTES = re.compile(r"""\S[\s,;]+\S.*?[\s,;]("?\{(?:['"\d].*:.*)?\}"?)$""")


class Layout(NamedTuple):
    """How to read the lines of a file."""

    delimiter: str | None
    header: Row | None
    n_fields: int
    #: The columns of source, target and weight.
    columns: tuple[int, ...]
    #: The decimal mark of the weights; None for points without groups of three digits.
    decimal: Decimal | None = None
    #: Lines of the file that are not read.
    skipped: tuple[int, ...] = ()
    #: Which lines end with a delimiter that separates nothing, as notes say it.
    ending: str = ""
    #: Whether the first line holds names, or none, whatever the ids of other lines.
    is_certain: bool = False

    def names(self) -> list[str]:
        """What each column is called: its name, or its position from 1 if the name is not one."""
        positions = [str(column + 1) for column in range(self.n_fields)]
        if self.header is None:
            return positions
        names = self.header.fields
        times = Counter(names)
        return [
            name if name and times[name] == 1 else position
            for name, position in zip(names, positions, strict=True)
        ]

    @property
    def weight_name(self) -> str:
        """What the column of weights is called."""
        return self.names()[self.columns[2]]

    @property
    def is_plain(self) -> bool:
        """Whether the columns are exactly source, target and perhaps weight, in this order."""
        return not self.ending and self.columns == tuple(range(self.n_fields))


def layout_of(
    stream: IO[bytes],
    source: str,
    suffix: str,
    text: TextFormat | None = None,
    asked: AskedColumns | None = None,
    *,
    may_have_header: bool,
) -> Layout:
    """The layout, from the first three lines that are neither blank nor comments.

    ``text`` and ``asked`` are what is known before.
    """
    text, asked = text or TextFormat(), asked or AskedColumns()
    head, above = _head(stream, source)
    number, line = head[0]
    _check_no_attributes(head[:2], source)
    delimiter = sniffed(line, suffix, text)
    split = [fields(row.rstrip("\r\n"), delimiter, f"{source}, line {i}") for i, row in head]
    first = Row(number, split[0])
    if len(first.fields) < 2:
        raise DataError(
            f"{source}, line {number} has one field, {quoted(first.fields[0])}; a line lists "
            "the two ends of an edge, separated by a comma, a tab, a semicolon or spaces."
        )
    if asked.is_empty:
        _check_no_labels_file(first, source)
    ending = _ending(split)
    if ending and not first.fields[-1]:
        first = Row(number, first.fields[:-1])
    header = _in_comment(above, first, delimiter, asked)
    told = True if header is not None else _is_told(split, asked)
    guessed = may_have_header and (_is_named(split) or _is_guessed(split))
    if header is None and (guessed if told is None else told):
        header = first
    below = [Row(i, row) for (i, _), row in zip(head, split, strict=True)]
    columns = chosen_columns(
        header,
        below[1:] if header is first else [first, *below[1:]],
        asked,
        source,
        _BLANKS if delimiter is None else perhaps_cut(first.fields, delimiter),
    )
    return Layout(
        delimiter, header, len(first.fields), columns,
        text.decimal, text.skip_lines, ending, told is not None,
    )  # fmt: skip


def _head(stream: IO[bytes], source: str) -> tuple[list[tuple[int, str]], Row | None]:
    """The first three lines that are neither blank nor comments, and a comment right above them."""
    stream.seek(0)
    head: list[tuple[int, str]] = []
    above = None
    for number, line in lines(stream, source):
        if is_substance(line, COMMENTS):
            head.append((number, line))
        elif not head:
            above = Row(number, [line.strip()])
        if len(head) == _HEAD:
            break
    if not head:
        raise DataError(f"{source} {_why_empty(stream, source)}")
    return head, above if above is not None and above.fields[0] else None


def _in_comment(
    above: Row | None, first: Row, delimiter: str | None, asked: AskedColumns
) -> Row | None:
    """The names of columns in a comment right above the edges, as in those of STRING and BioGRID.

    It must have as many fields as the edges, and name the ends, a column that was asked for, or
    more columns than the edges need.
    """
    if above is None or asked.header is not None or end_columns(first.fields) is not None:
        return None
    try:
        names = fields(above.fields[0].lstrip(COMMENTS), delimiter, "")
    except DataError:  # quotes that are not closed
        return None
    are_names = len(names) > _MOST or not {*names}.isdisjoint(asked[:3]) or end_columns(names)
    if len(names) != len(first.fields) or not are_names or any(map(is_number, names)):
        return None
    return Row(above.line, names)


def _why_empty(stream: IO[bytes], source: str) -> str:
    """What a file without edges holds."""
    stream.seek(0)
    if not any(line.strip() for _, line in lines(stream, source)):
        return "is empty: it lists no edges."
    return (
        "is empty but for lines that begin with # or %, which are comments. Put an id that begins "
        "so in double quotes."
    )


def _check_no_attributes(head: list[tuple[int, str]], source: str) -> None:
    for number, line in head:
        text = line.strip()
        if len(text) > _LONGEST_EDGE or not text.endswith(("}", '}"')):
            continue  # a search takes time in proportion to the square of the length
        found = _ATTRIBUTES.search(text)
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


def _ending(split: Sequence[Sequence[str]]) -> str:
    """Which of the first lines end with a delimiter that separates nothing; empty if none do."""
    first, *others = split
    above, below = not first[-1], {not row[-1] for row in others}
    wider = {len(row) - len(first) for row in others}
    if above and len(first) > 2 and below <= {True} and wider <= {0}:
        return "the lines end" if others else ""
    if not above and below == {True} and wider == {1}:
        return "the lines below the first end"
    if above and len(first) > 2 and below == {False} and wider == {-1}:
        return "the first line ends"
    return ""


def _is_named(split: Sequence[Sequence[str]]) -> bool:
    """Whether the first line has names for the ends, and no number where weights are."""
    names, below = split[0], split[1:]
    if len(names) == _MOST and to_weight(names[2]) is not None:
        return False
    if usual_ends(names) is not None:
        return True
    are_pairs = bool(known_pairs(names))
    if not are_pairs and end_columns_by_name(names) is None:
        return False
    above_numbers = [is_number(names[c]) for c in _columns_of_numbers(below, len(names))]
    return not any(above_numbers) and (are_pairs or bool(above_numbers))


def _columns_of_numbers(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """The columns, but for missing values, in which all rows hold numbers."""
    return [
        c
        for c in range(width)
        if rows and all(len(row) > c and _is_plain_number(row[c]) for row in rows)
    ]


def _is_plain_number(field: str) -> bool:
    return field not in MISSING and is_number(field)


def _is_told(split: Sequence[Sequence[str]], asked: AskedColumns) -> bool | None:
    """Whether the first line holds names, as arguments say or a name of weights above numbers."""
    if asked.header is not None:
        return asked.header
    names = [name for name in asked[:3] if isinstance(name, str)]
    if not all(map(str.isdecimal, names)):
        return True
    above, below = split[0], split[1:]
    weights = {2} & {*weight_columns(above)} if len(above) == _MOST else set()
    if asked.weight is not None:
        weights = {int(asked.weight) - 1}
    found = weights.intersection(_columns_of_numbers(below, len(above)))
    return True if any(not is_number(above[c]) for c in found) else None


def _is_guessed(split: list[list[str]]) -> bool:
    """Whether to take the first line as names: it has no numbers, and the next begins with two."""
    if len(split) < 2 or len(split[1]) < 2:
        return False
    names = all(to_weight(name) is None for name in split[0])
    return names and all(map(is_integer, split[1][:2]))


def perhaps_labels(first: Row) -> list[str]:
    """A note if the first line has a name that is usual for a column of labels."""
    found = [name for name in first.fields if plain_name(name) in LABEL_NAMES]
    if not found:
        return []
    return [
        f"line {first.line} holds {quoted(found[0])}, as in a file of labels; if this is one, "
        "give it in addition to the edges (--labels)."
    ]


def perhaps_cut(found: Sequence[str], delimiter: str | None) -> str:
    """What to write if a weight with a decimal comma was cut in two."""
    if delimiter != "," or len(found) != 4 or not all(field.isdecimal() for field in found[3:]):
        return ""
    return (
        f" If {quoted(','.join(found[2:]))} is one number with a decimal comma, put it in double "
        "quotes, or save the file with semicolons between its fields."
    )


def to_weight(text: str, decimal: Decimal | None = None) -> float | None:
    """The text as a finite number; None if it is not one."""
    if decimal is not None:
        numbers = to_numbers([text], decimal)
        return float(numbers[0]) if numbers is not None and np.isfinite(numbers[0]) else None
    if "_" in text or not text.isascii():  # float() would read 1_0 as 10
        return None
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if np.isfinite(weight) else None
