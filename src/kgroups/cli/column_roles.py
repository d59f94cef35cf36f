"""Which columns of a table are features, known classes, weights and names of rows."""

import re
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from kgroups.cli.console import UsageError
from kgroups.cli.matrix_columns import in_order_of_rows
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.names import MATRICES
from kgroups.text import counted
from kgroups.typing import Float64Array

# What pandas calls a column of row names that it wrote without a name and read again.
_UNNAMED = re.compile(r"Unnamed: \d+(\.\d+)?")


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Positions of columns by their use."""

    numeric: list[int]
    categorical: list[int]
    label: int | None
    weight: int | None
    #: Names of the rows; several columns where pandas wrote several levels of an index.
    id: tuple[int, ...]
    #: The column whose words, or letters, are compared.
    text: int | None = None
    #: What was decided without being asked.
    notes: tuple[str, ...] = ()


def role_names(table: Table, roles: Roles, *, is_matrix: bool) -> dict[str, Any]:
    """The columns of a table by their use, as reports name them.

    The columns of a matrix between points are not features, so they have no use of their own.
    """
    used = {*roles.numeric, *roles.categorical, roles.text, roles.label, roles.weight, *roles.id}

    def title(column: int | None) -> str | None:
        """The name of one column, if there is one."""
        return None if column is None else table.title(column)

    return {
        "numeric": [] if is_matrix else [table.title(c) for c in roles.numeric],
        "categorical": [table.title(c) for c in roles.categorical],
        "text": title(roles.text),
        "label": title(roles.label),
        "weight": title(roles.weight),
        "id": ", ".join(table.title(column) for column in roles.id) or None,
        "dropped": [table.title(c) for c in range(len(table.names)) if c not in used],
        "kinds": {},
        "n_missing": {} if is_matrix else _n_missing(table, [*roles.numeric, *roles.categorical]),
    }


def _n_missing(table: Table, columns: Sequence[int]) -> dict[str, int]:
    """How many values are missing from each column that lacks some."""
    counts = {table.title(column): int(table.missing(column).sum()) for column in columns}
    return {title: count for title, count in counts.items() if count}


def column_roles(table: Table, options: Namespace) -> Roles:
    """The use of each column by the options; an error for a column with two uses, or no feature."""

    def position(name: str | None) -> int | None:
        """The position of a column that an option names."""
        return None if name is None else table.position(name)

    categorical = [table.position(name) for name in options.categorical]
    dropped = [table.position(name) for name in options.drop]
    chosen = None if options.columns is None else [table.position(n) for n in options.columns]
    label, weight, id_column = (
        position(getattr(options, f"{use}_column")) for use in ("label", "weight", "id")
    )
    ids: tuple[int, ...] = () if id_column is None else (id_column,)
    notes: tuple[str, ...] = ()
    if not ids:
        used = {*categorical, *dropped, *(chosen or []), label, weight}
        ids = _row_names(table, used, is_matrix=options.metric in MATRICES)
        notes = told(table, ids)
    taken = {*categorical, *dropped, label, weight, *ids}
    if chosen is None:
        empty = [c for c in _nameless(table, options) if c not in taken and table.missing(c).all()]
        if empty:
            notes += (f"{counted(len(empty), 'column')} without name and values not used",)
        numeric = [c for c in range(len(table.names)) if c not in (*taken, *empty)]
    else:
        numeric = [c for c in chosen if c not in (*categorical, *dropped, *ids)]
    _check_uses(table, [*numeric, *categorical, *dropped, label, weight, *ids])
    if not numeric and not categorical:
        raise DataError(f"{table.source} has no column left for features.")
    if options.metric in MATRICES:
        is_named = id_column is not None
        numeric, of_order = in_order_of_rows(table, numeric, ids, is_named=is_named)
        notes += of_order
    return Roles(
        numeric=numeric, categorical=categorical,
        label=label, weight=weight, id=ids, notes=notes,
    )  # fmt: skip


def _nameless(table: Table, options: Namespace) -> tuple[int, ...]:
    """The columns without names; without a header the last, if lines may end with a delimiter."""
    if table.has_header:
        return table.unnamed
    if len(table.names) == table.n_rows:
        # Below the diagonal a half of a matrix has an empty first row and an empty last column.
        is_half = all(table.missing(column)[0] for column in range(table.n_rows))
        if is_half or options.metric in MATRICES:
            return ()
    return (len(table.names) - 1,)


def _row_names(table: Table, used: Set[int | None], *, is_matrix: bool) -> tuple[int, ...]:
    """The first columns if they name the rows: without names of their own, or next to a matrix."""
    if 0 in used:
        return ()
    if is_matrix and table.is_text(0) and len(table.names) == table.n_rows + 1:
        return (0,)
    columns = range(len(table.names))
    first = tuple(takewhile(lambda c: c not in used and _is_unnamed(table, c), columns))
    if len(first) == len(columns):  # no column has a name
        first = first[: min(1, len(columns) - 1)]
    # Fewer of them would tell no more rows apart.
    levels = tuple(takewhile(lambda c: _may_be_level(table, c), first))
    is_fit = bool(levels) and _fits(table, len(levels), is_matrix)
    return levels if is_fit and _tell_rows_apart(table, levels) else ()


def _fits(table: Table, n_names: int, is_matrix: bool) -> bool:
    """Whether the columns behind the names of rows can be those of a matrix, if it is one."""
    return not is_matrix or len(table.names) - n_names == table.n_rows


def _is_unnamed(table: Table, column: int) -> bool:
    return column in table.unnamed or _UNNAMED.fullmatch(table.names[column]) is not None


def _tell_rows_apart(table: Table, levels: Sequence[int]) -> bool:
    """Whether columns of text and whole numbers have other values in each row."""
    rows = zip(*(table.columns[column].tolist() for column in levels), strict=True)
    return len(set(rows)) == table.n_rows


def _may_be_level(table: Table, column: int) -> bool:
    """Whether a column holds text, or a whole number in every row."""
    return table.is_text(column) or _are_whole(table.columns[column])


def _are_whole(numbers: Float64Array) -> bool:
    return bool(np.isfinite(numbers).all() and np.all(numbers % 1 == 0))


def names_rows(table: Table) -> tuple[int, ...]:
    """The first columns of a table of features, as far as they name the rows."""
    return _row_names(table, set(), is_matrix=False)


def told(table: Table, columns: Sequence[int]) -> tuple[str, ...]:
    """A note on the first columns, where they name the rows."""
    if not columns:
        return ()
    first = "first column" if len(columns) == 1 else f"first {len(columns)} columns"
    verbs = ("names", "is", "a feature") if len(columns) == 1 else ("name", "are", "features")
    name, are, features = verbs
    return (f"the {first} of {table.source} {name} the rows and {are} not used as {features}",)


def _check_uses(table: Table, used: list[int | None]) -> None:
    """UsageError for a column with two uses."""
    for column, count in Counter(used).items():
        if column is not None and count > 1:
            raise UsageError(
                f"{table.label(column)} is named twice; a column is either a feature, "
                "categorical, the label, the weight, the names of the rows, or dropped"
            )
