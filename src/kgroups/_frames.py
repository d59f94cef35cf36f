"""Reading pandas and polars frames, and object arrays, without importing either library."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kgroups._typing import Float64Array


class Encoded(NamedTuple):
    """A table of numbers, and the values that stand behind the codes of some columns."""

    table: Float64Array
    categories: dict[int, list[Any]]


def feature_names(X: Any) -> list[str] | None:
    """Column names of a frame when they are strings; None for anything else."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return names if all(isinstance(name, str) for name in names) else None


def column_label(column: int, names: list[str] | None) -> str:
    """How a message speaks of a column."""
    return f"column {names[column]!r}" if names is not None else f"column {column}"


def column_values(X: Any, column: int) -> np.ndarray[Any, Any]:
    """One column of a frame or of a two-dimensional array."""
    if not hasattr(X, "columns"):
        return np.asarray(X[:, column])
    if hasattr(X, "iloc"):
        return np.asarray(X.iloc[:, column])
    return np.asarray(X[X.columns[column]])


def is_text(values: np.ndarray[Any, Any]) -> bool:
    """Whether an array holds something that does not convert to numbers."""
    if values.dtype.kind in "iufbc":
        return False
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return True
    return False


def text_cell(X: Any) -> tuple[int, int, Any] | None:
    """Row, column and value of the first cell, by columns, that is not a number."""
    shape = getattr(X, "shape", None)
    if shape is None:
        X = np.asarray(X, dtype=object)
        shape = X.shape
    if len(shape) != 2:
        return None
    for column in range(shape[1]):
        values = column_values(X, column)
        if not is_text(values):
            continue
        for row, value in enumerate(values):
            try:
                float(value)
            except (TypeError, ValueError):
                return row, column, value
    return None


def encode_categories(
    X: Any, columns: list[int], known: dict[int, list[Any]] | None
) -> Encoded | None:
    """Replace the text among ``columns`` by codes; None when there is none.

    With ``known`` the codes are those of the fit, and a value not seen then gets −1, which differs
    from every value that was. A missing value is not a category: it becomes NaN.
    """
    chosen = list(known or (c for c in columns if is_text(column_values(X, c))))
    if not chosen:
        return None
    table = np.empty(X.shape, np.float64)
    categories: dict[int, list[Any]] = {}
    for column in range(X.shape[1]):
        values = column_values(X, column)
        if column in chosen:
            missing = np.array([_is_missing(value) for value in values], dtype=bool)
            seen = known[column] if known is not None else sorted(set(values[~missing]), key=str)
            codes = {value: code for code, value in enumerate(seen)}
            table[:, column] = [codes.get(value, -1) for value in values]
            table[missing, column] = np.nan
            categories[column] = seen
        elif is_text(values):
            row, _, value = text_cell(values.reshape(-1, 1)) or (0, 0, values[0])
            raise ValueError(
                f"X holds text where a number is needed: {value!r} in row {row}, "
                f"{column_label(column, feature_names(X))}. Name the column in a Hamming() part "
                "to compare it for equality."
            )
        else:
            table[:, column] = values
    return Encoded(table, categories)


def _is_missing(value: Any) -> bool:
    """None, NaN, and the missing values of pandas, all of which print as one of three words."""
    return value is None or str(value) in ("nan", "NaT", "<NA>")
