"""Names of the rows of a matrix next to those of its columns, which must be the same points."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.input.table_files.numerals import to_numbers
from kgroups.text import quoted

# What R's make.names leaves of the characters of a name.
_NOT_IN_R = re.compile(r"[^\w.]")
# A number with what programs write in front of it, as in V1 and X1.
_NUMBERED = re.compile(r"(?:\D*?)(\d+)")


def in_order_of_rows(
    table: Table, columns: list[int], ids: Sequence[int], *, is_named: bool
) -> tuple[list[int], tuple[str, ...]]:
    """The columns of a matrix in the order of its rows, by their names, and a note if that differs.

    DataError if the names of rows are other names, unless one of both is a mere number or
    ``is_named`` says that a person named the column of row names.
    """
    if len(ids) != 1 or not table.has_header or len(columns) != table.n_rows:
        return columns, ()
    rows, names = table.texts(ids[0]), [table.names[column] for column in columns]
    keys = list(map(_key, rows))
    places = {_key(name): column for name, column in zip(names, columns, strict=True)}
    if len(places) == len(columns) and set(keys) == set(places):
        found = [places[key] for key in keys]
        return found, () if found == columns else (_reordered(table),)
    if not is_named and not _may_be_alike(rows, names):
        raise DataError(_on_other_names(table, rows, names, ids[0]))
    return columns, ()


def _key(name: str) -> str | float:
    """A name as it is compared: a number by its value."""
    number = to_numbers([name.strip()])
    return name.strip() if number is None or not name.strip() else float(number[0])


def _may_be_alike(rows: Sequence[str], names: Sequence[str]) -> bool:
    """Whether one of both only numbers the points, or R wrote the same names differently."""
    return (
        _is_numbered(rows) or _is_numbered(names) or list(map(_as_r, rows)) == [*map(_as_r, names)]
    )


def _is_numbered(names: Sequence[str]) -> bool:
    """Whether names count from 0 or 1."""
    matches = [_NUMBERED.fullmatch(name) for name in names]
    numbers = [int(match[1]) for match in matches if match is not None]
    return numbers in (list(range(len(names))), list(range(1, len(names) + 1)))


def _as_r(name: str) -> str:
    return _NOT_IN_R.sub(".", name.strip()).removeprefix("X")


def _reordered(table: Table) -> str:
    return (
        f"the columns of {table.source} have another order than its rows; they are matched by name"
    )


def _on_other_names(table: Table, rows: Sequence[str], names: Sequence[str], of_rows: int) -> str:
    pairs = zip_longest(range(len(rows)), rows, names)
    row, own, other = next(pair for pair in pairs if _as_r(pair[1]) != _as_r(pair[2]))
    return (
        f"{table.source}, {table.where(row)}: the row is named {quoted(own)} and its column "
        f"{quoted(other)}; rows and columns of a matrix between points must have the same names. "
        f"If they are the same points in the same order, pass --id-column "
        f"{quoted(table.names[of_rows])}."
    )
