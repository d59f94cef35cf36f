"""Which columns of a table are features, known classes, weights and names of rows."""

from argparse import Namespace
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.cli.console import UsageError
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.names import MATRICES
from kgroups.text import counted

# What pandas calls a column of row names that it wrote without a name and read again.
_UNNAMED = "Unnamed: 0"


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Positions of columns by their use."""

    numeric: list[int]
    categorical: list[int]
    label: int | None
    weight: int | None
    #: Names of the rows.
    id: int | None
    #: What was decided without being asked.
    notes: tuple[str, ...] = ()


def role_names(table: Table, roles: Roles, *, is_matrix: bool) -> dict[str, Any]:
    """The columns of a table by their use, as reports name them.

    The columns of a matrix between points are not features, so they have no use of their own.
    """
    used = {*roles.numeric, *roles.categorical, roles.label, roles.weight, roles.id}

    def title(column: int | None) -> str | None:
        """The name of one column, if there is one."""
        return None if column is None else table.title(column)

    return {
        "numeric": [] if is_matrix else [table.title(c) for c in roles.numeric],
        "categorical": [table.title(c) for c in roles.categorical],
        "label": title(roles.label),
        "weight": title(roles.weight),
        "id": title(roles.id),
        "dropped": [table.title(c) for c in range(len(table.names)) if c not in used],
    }


def column_roles(table: Table, options: Namespace) -> Roles:
    """The use of each column by the options; an error for a column with two uses, or no feature."""

    def position(name: str | None) -> int | None:
        """The position of a column that an option names."""
        return None if name is None else table.position(name)

    categorical = [table.position(name) for name in options.categorical]
    dropped = [table.position(name) for name in options.drop]
    chosen = None if options.columns is None else [table.position(n) for n in options.columns]
    named = [position(getattr(options, f"{use}_column")) for use in ("label", "weight", "id")]
    notes: tuple[str, ...] = ()
    if named[2] is None and 0 not in (*categorical, *dropped, *(chosen or []), *named):
        named[2] = _row_names(table, is_matrix=options.metric in MATRICES)
        notes = _told(table, named[2])
    taken = {*categorical, *dropped, *named}
    if chosen is None:
        empty = [c for c in table.unnamed if c not in taken and table.missing(c).all()]
        if empty:
            notes += (f"{counted(len(empty), 'column')} without name and values not used",)
        numeric = [c for c in range(len(table.names)) if c not in (*taken, *empty)]
    else:
        numeric = [c for c in chosen if c not in (*categorical, *dropped, named[2])]
    _check_uses(table, [*numeric, *categorical, *dropped, *named])
    if not numeric and not categorical:
        raise DataError(f"{table.source} has no column left for features.")
    return Roles(
        numeric=numeric, categorical=categorical,
        label=named[0], weight=named[1], id=named[2], notes=notes,
    )  # fmt: skip


def _row_names(table: Table, *, is_matrix: bool) -> int | None:
    """The first column if it names the rows: without a name of its own, or next to a matrix."""
    if is_matrix and table.is_text(0) and len(table.names) == table.n_rows + 1:
        return 0
    if len(table.names) < 2 or not (0 in table.unnamed or table.names[0] == _UNNAMED):
        return None
    values = table.columns[0]
    if table.is_text(0):
        return 0 if len(set(values)) == table.n_rows else None
    return 0 if counts_rows(table, 0) else None


def names_rows(table: Table) -> bool:
    """Whether the first column of a table of features names the rows."""
    return _row_names(table, is_matrix=False) is not None


def counts_rows(table: Table, column: int) -> bool:
    """Whether a numeric column is one more in each row than in the row before."""
    values = table.numbers([column])[:, 0]
    return bool(np.array_equal(values - values[0], np.arange(table.n_rows)))


def _told(table: Table, column: int | None) -> tuple[str, ...]:
    if column is None:
        return ()
    return (f"the first column of {table.source} names the rows and is not used as a feature",)


def _check_uses(table: Table, used: list[int | None]) -> None:
    """UsageError for a column with two uses."""
    for column, count in Counter(used).items():
        if column is not None and count > 1:
            raise UsageError(
                f"{table.label(column)} is named twice; a column is either a feature, "
                "categorical, the label, the weight, the names of the rows, or dropped"
            )
