"""Reading pandas and polars frames, and object arrays, without importing either library."""

from typing import Any

import numpy as np

from kgroups.typing import Float64Array


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
    """Whether an array holds something other than numbers: text, dates, any object."""
    if values.dtype.kind != "O":
        return values.dtype.kind not in "iufbc"
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return True
    return False


def is_category(value: Any) -> bool:
    """Whether a value is text or a date, and so may stand for a category."""
    return isinstance(value, (str, np.datetime64, np.timedelta64)) or hasattr(value, "isoformat")


def not_a_number(row: int, column: int, value: Any, names: list[str] | None) -> str:
    """What is wrong with a cell, and how such a column is compared instead."""
    what = "text" if isinstance(value, str) else "a date"
    return (
        f"X holds {what} where a number is needed: {str(value)!r} in row {row}, "
        f"{column_label(column, names)}. Encode it, or compare the column for equality with "
        "metric=ColumnSum([(Energy(), numeric_columns), (Hamming(), text_columns)])."
    )


def text_cell(X: Any) -> tuple[int, int, Any] | None:
    """Row, column and value of the first cell, by columns, that is not a number."""
    if not hasattr(X, "shape"):
        X = np.asarray(X, dtype=object)
    if len(X.shape) != 2:
        return None
    for column in range(X.shape[1]):
        values = column_values(X, column)
        if not is_text(values):
            continue
        for row, value in enumerate(values.tolist()):
            if not _is_number(value):
                return row, column, value
    return None


def refuse_dates(X: Any, names: list[str] | None) -> None:
    """ValueError for a column of dates or durations, which NumPy would read as nanoseconds."""
    if not hasattr(X, "columns") or not len(X):
        return
    for column in range(X.shape[1]):
        values = column_values(X, column)
        if values.dtype.kind in "mM":
            raise ValueError(not_a_number(0, column, values[0], names))


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def encode_categories(
    X: Any, columns: list[int], known: dict[int, list[Any]] | None
) -> tuple[Float64Array, dict[int, list[Any]]] | None:
    """Replace the text among ``columns`` by codes; None when there is none.

    Returns the table of numbers, and the values that stand behind the codes of each such column.

    With ``known`` the codes are those of the fit, and a value not seen then gets −1, which differs
    from every value that was. A missing value is not a category: it becomes NaN.
    """
    chosen = list(known or (c for c in columns if _needs_codes(column_values(X, c))))
    names = feature_names(X)
    if not chosen:
        refuse_dates(X, names)
        return None
    table = np.empty(X.shape, np.float64)
    categories: dict[int, list[Any]] = {}
    for column in range(X.shape[1]):
        values = column_values(X, column)
        if column in chosen:
            seen = known[column] if known is not None else _distinct(values, column, names)
            codes = {value: float(code) for code, value in enumerate(seen)}
            table[:, column] = [
                np.nan if is_missing(v) else codes.get(v, -1.0) for v in values.tolist()
            ]
            categories[column] = seen
        elif is_text(values):
            row, _, value = text_cell(values.reshape(-1, 1)) or (0, 0, values[0])
            raise ValueError(not_a_number(row, column, value, names))
        else:
            table[:, column] = values
    return table, categories


def _distinct(values: np.ndarray[Any, Any], column: int, names: list[str] | None) -> list[Any]:
    try:
        return sorted({v for v in values.tolist() if not is_missing(v)}, key=str)
    except TypeError as error:
        raise ValueError(
            f"{column_label(column, names)} of X holds values that cannot be categories: {error}."
        ) from error


def _needs_codes(values: np.ndarray[Any, Any]) -> bool:
    """Whether two different categories could become one number: "07" and "7", or large integers."""
    if values.dtype.kind == "O":
        return any(isinstance(v, str) for v in values.tolist()) or is_text(values)
    if values.dtype.kind in "iu" and values.size:
        return max(abs(int(values.min())), abs(int(values.max()))) > 2**53
    return is_text(values)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or a missing value of pandas; the text "nan" is not."""
    if isinstance(value, (str, int)):
        return False
    return value is None or str(value) in ("nan", "NaT", "<NA>")
