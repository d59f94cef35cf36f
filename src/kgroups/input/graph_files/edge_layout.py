"""How a list of edges is laid out: delimiter, header, and what its columns are called."""

import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import IO, NamedTuple

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.graph_files.text_lines import fields, is_integer, is_substance, lines, sniffed
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.numerals import to_numbers
from kgroups.input.table_files.table import listed
from kgroups.input.table_files.text_format import Decimal, TextFormat
from kgroups.text import quoted

# Names of the two ends of an edge, in lower case and without blanks, dashes or underscores.
_END_NAMES = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("fromnodeid", "tonodeid"),
    ("fromnode", "tonode"),
    ("start", "end"),
    ("von", "nach"),
    ("u", "v"),
)
_WEIGHT_NAMES = frozenset({"weight", "weights", "gewicht"})
# Names of the columns in a file of node labels.
NODE_NAMES = frozenset({"node", "nodeid", "id", "name", "vertex"})
_LABEL_NAMES = frozenset({"label", "labels", "community", "class"})

COMMENTS = "#%"
_LONGEST_EDGE = 2_000
# About lines that blanks split.
_BLANKS = "Put an id that contains a blank in double quotes. "
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

    @property
    def weight_name(self) -> str:
        """What the column of weights is called: by its name, or its position from 1."""
        column = self.columns[2]
        return str(column + 1) if self.header is None else self.header.fields[column]

    @property
    def is_plain(self) -> bool:
        """Whether the columns are exactly source, target and perhaps weight, in this order."""
        return not self.ending and self.columns == tuple(range(self.n_fields))


def layout_of(
    stream: IO[bytes],
    source: str,
    suffix: str,
    text: TextFormat | None = None,
    *,
    may_have_header: bool,
) -> Layout:
    """The layout, from the first three lines that are neither blank nor comments.

    ``text`` is what is known before.
    """
    text = text or TextFormat()
    stream.seek(0)
    substance = ((i, line) for i, line in lines(stream, source) if is_substance(line, COMMENTS))
    head = list(islice(substance, 3))
    if not head:
        raise DataError(f"{source} is empty: it lists no edges.")
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
    _check_no_labels_file(first, source)
    ending = _ending(split)
    if ending and not first.fields[-1]:
        first = Row(number, first.fields[:-1])
    if may_have_header and (_is_named(first.fields) or _is_guessed(split)):
        ends = end_columns(first.fields) or (0, 1)
        columns = (*ends, *weight_column(first.fields))
        return Layout(
            delimiter, first, len(first.fields), columns, text.decimal, text.skip_lines, ending
        )
    if len(first.fields) > 3:
        raise DataError(
            f"{source}, line {number} has {len(first.fields)} fields; a line lists source, target "
            f"and perhaps weight. {_BLANKS if delimiter is None else ''}"
            'For more columns, put a line of names above them, such as "source,target,weight,year".'
            f"{perhaps_cut(first.fields, delimiter)}"
        )
    columns = tuple(range(len(first.fields)))
    return Layout(
        delimiter, None, len(first.fields), columns, text.decimal, text.skip_lines, ending
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
    is_labels = names[0] in NODE_NAMES and not _LABEL_NAMES.isdisjoint(names)
    if is_labels and len(names) <= 3 and set(names) <= NODE_NAMES | _LABEL_NAMES:
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


def _is_named(names: Sequence[str]) -> bool:
    """Whether a line has names for the ends, and none of its three fields is a weight."""
    return end_columns(names) is not None and not (
        len(names) == 3 and to_weight(names[2]) is not None
    )


def are_nodes(names: Sequence[str], nodes: Collection[str]) -> bool:
    """Whether two names of columns are nodes of the lines below them.

    Letters are common names of nodes, so one of them is enough; of words both must come again.

    >>> are_nodes(["u", "v"], {"v", "w"}), are_nodes(["source", "target"], {"target", "shop"})
    (True, False)
    """
    found = [name in nodes for name in names]
    return len(names) == 2 and (any if max(map(len, names)) == 1 else all)(found)


def _is_guessed(split: list[list[str]]) -> bool:
    """Whether to take the first line as names: it has no numbers, and the next begins with two."""
    if len(split) < 2 or len(split[1]) < 2:
        return False
    names = all(to_weight(name) is None for name in split[0])
    return names and all(map(is_integer, split[1][:2]))


def perhaps_labels(first: Row) -> list[str]:
    """A note if the first line has a name that is usual for a column of labels."""
    found = [name for name in first.fields if plain_name(name) in _LABEL_NAMES]
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


def plain_name(name: str) -> str:
    """A name in lower case, without blanks, dashes and underscores."""
    return name.lower().translate(str.maketrans("", "", " _-"))


def end_columns(names: Sequence[str]) -> tuple[int, int] | None:
    """The positions of source and target, if columns have such names."""
    plain = [plain_name(name) for name in names]
    for source, target in _END_NAMES:
        if source in plain and target in plain:
            return plain.index(source), plain.index(target)
    return None


def weight_column(names: Sequence[str]) -> tuple[int, ...]:
    """The position of the column named weight; empty if there is none."""
    return tuple(c for c, name in enumerate(names) if plain_name(name) in _WEIGHT_NAMES)[:1]


def ignored_columns(names: Sequence[str]) -> str:
    """A note on columns that are neither ends nor weights."""
    were = "column was" if len(names) == 1 else "columns were"
    return f"{were} ignored: {listed(names)}; only a column named 'weight' is used."
