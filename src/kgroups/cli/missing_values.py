"""What stands for a missing number or category, as ``--impute`` says."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.input.table_files.table import kinds_of, some
from kgroups.text import counted, quoted
from kgroups.typing import BoolArray, Float64Array

# A longer list of columns would hide the note.
_COLUMNS_TOLD = 6


def complete_numbers(
    table: Table, columns: list[int], impute: Sequence[str], *, is_matrix: bool
) -> tuple[Float64Array, list[str]]:
    """The numbers of some columns, finite, and a note on those that were missing."""
    raw = table.numbers(columns)
    if not is_matrix:
        _refuse_empty_rows(table)
    infinite = np.isinf(raw)
    if infinite.any():
        raise DataError(f"{_at_first(table, columns, infinite)} is infinite; write a number.")
    missing = np.isnan(raw)
    if not missing.any():
        return raw, []
    if "mean" not in impute and "most-frequent" not in impute:
        _refuse_missing(table, columns, missing, is_matrix=is_matrix)
    empty = np.flatnonzero(missing.all(axis=0))
    if empty.size:
        raise DataError(
            f"{table.label(columns[empty[0]])} is missing in every row; --drop leaves it out."
        )
    values = stand_ins(raw, impute)
    what = "column mean" if "mean" in impute else "most frequent number of the column"
    note = f"{counted(int(missing.sum()), 'missing number')} replaced by the {what}"
    return np.where(missing, values, raw), [f"{note} ({_by_column(table, columns, missing)})"]


def stand_ins(raw: Float64Array, impute: Sequence[str]) -> Float64Array:
    """The numbers that stand for missing ones, one for each column with some that are not."""
    if "mean" in impute:
        return np.asarray(np.nanmean(raw, axis=0))
    return np.array([_mode(column) for column in raw.T])


def most_frequent(values: NDArray[Any]) -> Any:
    """The value that most rows have, the first of several."""
    return Counter(values.tolist()).most_common(1)[0][0]


def complete_categories(
    table: Table, column: int, impute: Sequence[str]
) -> tuple[Float64Array, list[str]]:
    """Categories as 0, 1, 2, …, of which only equality matters; and a note on missing ones."""
    missing = table.missing(column)
    values = table.columns[column]
    if not missing.any():
        return _codes(values), []
    told = f"{counted(int(missing.sum()), 'missing value')} of {table.label(column)}"
    if missing.all():
        raise DataError(f"{table.label(column)} is missing in every row; --drop leaves it out.")
    if "category" in impute:
        codes = np.full(len(values), -1.0)
        codes[~missing] = _codes(values[~missing])
        return codes, [f"{told} treated as a category of their own"]
    if "most-frequent" in impute:
        most = most_frequent(values[~missing])
        return _codes(np.where(missing, most, values)), [
            f"{told} replaced by the most frequent one, {quoted(str(most))}"
        ]
    check_present(
        table, column, "categorical",
        "use --impute most-frequent, --impute category (missing values are a category of their "
        "own), or remove those rows",
    )  # fmt: skip
    raise AssertionError("check_present raises for a missing value")


def check_present(table: Table, column: int, role: str, advice: str) -> None:
    """Raise for a value missing from a column that must be complete."""
    missing = table.missing(column)
    if missing.any():
        count, row = int(missing.sum()), int(missing.argmax())
        raise DataError(
            f"{table.source}, {table.where(row)}: {role} {table.label(column)} is missing "
            f"({count} of {table.n_rows}); {advice}.{_why(table)}"
        )


def _refuse_empty_rows(table: Table) -> None:
    """DataError for rows of several columns without any value, which would all be filled alike."""
    if len(table.names) < 2:
        return
    empty = np.all([table.missing(column) for column in range(len(table.names))], axis=0)
    if empty.any():
        rows = np.flatnonzero(empty)
        shown = [table.where(int(row)) for row in rows[:_COLUMNS_TOLD]]
        raise DataError(
            f"{table.source} has {counted(len(rows), 'row')} without any value: "
            f"{some(shown, len(rows))}; remove them."
        )


def _refuse_missing(
    table: Table, columns: list[int], missing: BoolArray, *, is_matrix: bool
) -> None:
    count = int(missing.sum())
    others = f", and {count - 1} more" if count > 1 else ""
    advice = "remove that point" if is_matrix else "use --impute mean, or remove those rows"
    raise DataError(
        f"{_at_first(table, columns, missing)} is missing{others} "
        f"({count} of {missing.size}); {advice}.{_why(table)}"
    )


def _why(table: Table) -> str:
    return f" Perhaps {table.gaps}." if table.gaps else ""


def _codes(values: NDArray[Any]) -> Float64Array:
    return kinds_of(values)[1].astype(np.float64)


def _mode(column: Float64Array) -> float:
    """The most frequent number; the smallest of several."""
    numbers, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return float(numbers[counts.argmax()])


def _by_column(table: Table, columns: list[int], missing: BoolArray) -> str:
    """The columns with missing numbers, and how many are missing in each."""
    counts = missing.sum(axis=0)
    some = [f"{table.title(columns[c])}: {counts[c]}" for c in np.flatnonzero(counts)]
    return ", ".join(some) if len(some) <= _COLUMNS_TOLD else f"{len(some)} columns"


def _at_first(table: Table, columns: list[int], marked: BoolArray) -> str:
    row, column = np.argwhere(marked)[0]
    return f"{table.source}, {table.where(int(row))}, {table.label(columns[column])}"
