"""Rows that a fit has not seen, read as its own were."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kgroups.cli.column_roles import names_rows
from kgroups.cli.column_rules import Rule, column_by_rule
from kgroups.cli.columns import row_names
from kgroups.cli.kept_models import MATRIX, NETWORK
from kgroups.cli.missing_values import check_present
from kgroups.cli.row_features import arrays_as_table
from kgroups.cli.table_input import asked_text
from kgroups.exceptions import DataError
from kgroups.input.table_files import Arrays, Rows, SparseRows, Table, TextFormat, read_rows
from kgroups.input.table_files.table import listed
from kgroups.text import counted

# Formats that hold text, in which fields may stand for missing values.
_OF_TEXT = (".csv", ".tsv", ".txt", ".xlsx")


@dataclass(frozen=True, kw_only=True)
class NewRows:
    """Rows as ``predict`` takes them, and what they are called."""

    X: Any
    ids: list[str] | None = None
    id_name: str = ""
    notes: list[str] = field(default_factory=list)


def read_new(options: Namespace, preparation: dict[str, Any]) -> Rows:
    """The rows of a file; columns that were text at the fit are read as they are written."""
    text = asked_text(options) or TextFormat()
    na_values = text.na_values
    if set(Path(options.data).suffixes) & set(_OF_TEXT):
        na_values = tuple(dict.fromkeys([*na_values, *preparation["na_values"]]))
    text = replace(text, as_text=tuple(preparation["as_text"]), na_values=na_values)
    return read_rows(
        options.data,
        least_rows=1,
        digest=options.json,
        text=text,
        sheet=options.sheet,
        whole_lines=preparation["whole_lines"],
    )


def new_rows(rows: Rows, preparation: dict[str, Any]) -> NewRows:
    """Rows by the rules of a fit; DataError, with their names, for columns that are missing."""
    rules = preparation["rules"]
    kind = rules[0]["as"] if rules else ""
    if kind in _WITHOUT_COLUMNS:
        return NewRows(X=_WITHOUT_COLUMNS[kind](rows))
    if isinstance(rows, Arrays) and rows.width is not None:
        rows = arrays_as_table(rows)
    if not isinstance(rows, Table):
        raise DataError(f"{rows.source} is not a table, and the model was fitted to one.")
    _check_columns(rows, rules, preparation)
    notes = _extra(rows, preparation)
    if kind in _OF_ONE_COLUMN:
        X: Any = _OF_ONE_COLUMN[kind](rows, rows.position(rules[0]["name"]), rules[0])
    else:
        columns = [column_by_rule(rows, rows.position(r["name"]), r, notes) for r in rules]
        X = np.column_stack(columns)
        X = list(X) if preparation["is_list"] else X
    ids = _id_columns(rows, rules, preparation)
    return NewRows(X=X, notes=notes, **row_names(rows, ids))


def refuse_without_rows(preparation: dict[str, Any] | None, path: Path) -> None:
    """DataError for a model that reads no new rows of a file."""
    if preparation is None:
        raise DataError(
            f"{path} was saved by Python, so it does not say how the columns of a table become "
            f"rows; in Python, kgroups.load({str(path)!r}).predict(X) takes them."
        )
    kind = preparation["rules"][0]["as"]
    if kind == NETWORK:
        raise DataError(f"{path} holds communities of a network, which has no further rows.")
    if kind == MATRIX:
        raise DataError(
            f"{path} holds clusters of a matrix between points, and new rows need theirs to these "
            f"points; in Python, kgroups.load({str(path)!r}).predict(matrix) takes it."
        )


# --- tables ------------------------------------------------------------------------------------


def _check_columns(table: Table, rules: list[Rule], preparation: dict[str, Any]) -> None:
    wanted = [rule["name"] for rule in rules]
    missing = [name for name in wanted if name not in table.names]
    if not missing:
        return
    has = "Its columns are" if table.has_header else "It has no header, so its columns are named"
    fit = "" if preparation["has_header"] else ", whose table had no header,"
    what = "column" if len(missing) == 1 else "columns"
    raise DataError(
        f"{table.source} lacks the {what} {listed(missing)}, which the fit{fit} has used. {has} "
        f"{listed(table.names)}."
    )


def _extra(table: Table, preparation: dict[str, Any]) -> list[str]:
    """A note on columns that the table of the fit did not have."""
    extra = [name for name in table.names if name not in preparation["names"]]
    if not extra:
        return []
    are = "is" if len(extra) == 1 else "are"
    count = counted(len(extra), "column")
    return [f"{count} that the fit did not have {are} not used: {listed(extra)}"]


def _id_columns(table: Table, rules: list[Rule], preparation: dict[str, Any]) -> tuple[int, ...]:
    """The column that named the rows of the fit, or the first ones if they name rows."""
    name = preparation["id_column"]
    if name is not None:
        return (table.position(name),) if name in table.names else ()
    used = {rule["name"] for rule in rules}
    found = names_rows(table)
    return () if any(table.names[column] in used for column in found) else found


def _words(table: Table, column: int, rule: Rule) -> Any:
    from kgroups.cli.text_features import words_by_rule

    check_present(table, column, "text", "remove those rows")
    rows = words_by_rule(table.texts(column), rule)
    empty = np.flatnonzero(np.diff(rows.indptr) == 0)
    if empty.size:
        raise DataError(
            f"{table.source}, {table.where(int(empty[0]))} holds no word of the texts of the fit "
            f"({counted(len(empty), 'such row')}), so nothing is known of it; remove it."
        )
    return rows


def _letters(table: Table, column: int, rule: Rule) -> list[str]:
    check_present(table, column, "text", "remove those rows")
    return table.texts(column)


# --- other rows --------------------------------------------------------------------------------


def _arrays(rows: Rows) -> list[Any]:
    if isinstance(rows, Arrays) and rows.kind == "numbers":
        return list(rows.items)
    raise DataError(f"{rows.source} does not hold an array of numbers in each row, as the fit had.")


def _sets(rows: Rows) -> list[Any]:
    if isinstance(rows, Arrays) and rows.kind == "sets":
        return [frozenset(map(str, item)) for item in rows.items]
    raise DataError(f"{rows.source} does not hold an array of texts in each row, as the fit had.")


def _sparse(rows: Rows) -> Any:
    if isinstance(rows, SparseRows):
        return rows.matrix
    raise DataError(f"{rows.source} does not hold sparse rows (.npz of SciPy), as the fit had.")


_WITHOUT_COLUMNS: dict[str, Callable[[Rows], Any]] = {
    "arrays": _arrays,
    "sets": _sets,
    "sparse": _sparse,
}
_OF_ONE_COLUMN: dict[str, Callable[[Table, int, Rule], Any]] = {
    "words": _words,
    "letters": _letters,
}
