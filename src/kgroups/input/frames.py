"""Reading pandas and polars frames, and object arrays, without importing either library."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

import numpy as np

from kgroups.typing import FloatArray


def feature_names(X: Any) -> list[str] | None:
    """Column names of a frame when they are strings; None for anything else."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return names if all(isinstance(name, str) for name in names) else None


def refuse_lazy(X: object, name: str) -> None:
    """TypeError for a lazy frame of polars."""
    if type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "collect"):
        raise TypeError(f"{name} is a lazy frame, which holds no data yet; write {name}.collect().")


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
    return isinstance(value, str) or _is_date(value)


def not_a_number(row: int, column: int, value: Any, names: list[str] | None) -> str:
    """What is wrong with a cell, and how such a column is compared instead."""
    where = f"{str(value)!r} in row {row}, {column_label(column, names)}"
    mixed = 'Write metric="mixed", which compares each column by its type'
    unused = "or leave the column out: metric=ColumnSum([(Energy(), columns)]) reads only those."
    if _is_date(value):
        kind = "a duration" if isinstance(value, (np.timedelta64, timedelta)) else "a date"
        return (
            f"X holds {kind} where a number is needed: {where}. {mixed}; turn it into a number "
            f"of days or years since a fixed date, {unused}"
        )
    what = "text" if isinstance(value, str) else f"a value of type {type(value).__name__}"
    return (
        f"X holds {what} where a number is needed: {where}. {mixed}; encode it, compare the column "
        "for equality with metric=ColumnSum([(Energy(), numeric_columns), (Hamming(), "
        f"text_columns)]), {unused}"
    )


def _is_date(value: Any) -> bool:
    """Whether a value is a date, a duration or a period of NumPy, pandas, polars or Python."""
    kinds = (np.datetime64, np.timedelta64, timedelta)
    return isinstance(value, kinds) or hasattr(value, "isoformat") or hasattr(value, "asfreq")


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
            if not _is_number(value) and not is_missing(value):
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


def encoded_columns(
    X: Any, places: list[int | None], categories: dict[int, list[Any]], names: list[str] | None
) -> FloatArray:
    """A table of the columns of X in ``places``; 0 for the columns whose place is None.

    The values in the columns of ``categories`` are replaced by their positions among them, and by
    −1 if they are not there, which differs from every value that is. A missing value becomes NaN
    unless None is a category. The table is float32 if all columns are.
    """
    columns = {
        column: column_values(X, place) for column, place in enumerate(places) if place is not None
    }
    single = all(values.dtype == np.float32 for values in columns.values())
    table = np.zeros((X.shape[0], len(places)), np.float32 if single else np.float64)
    for column, values in columns.items():
        if column in categories:
            table[:, column] = _codes(values, categories[column])
        else:
            table[:, column] = _numbers(values, column, names)
    return table


def _codes(values: np.ndarray[Any, Any], categories: list[Any]) -> list[float]:
    codes = {value: float(code) for code, value in enumerate(categories)}
    missing = codes.get(None, np.nan)
    return [missing if is_missing(v) else codes.get(v, -1.0) for v in values.tolist()]


def categories_of(
    X: Any, columns: Collection[int], with_gaps: Collection[int], names: list[str] | None
) -> dict[int, list[Any]]:
    """The different values of each of the columns that cannot be compared as numbers.

    In the columns ``with_gaps`` a missing value is one of them, the last one, as None.
    """
    found: dict[int, list[Any]] = {}
    for column in columns:
        values = column_values(X, column)
        if column in with_gaps:
            found[column] = [*_distinct(values, column, names), None]
        elif _needs_codes(values):
            found[column] = _distinct(values, column, names)
    return found


def _numbers(values: np.ndarray[Any, Any], column: int, names: list[str] | None) -> FloatArray:
    if is_text(values):
        values = np.array([np.nan if is_missing(v) else v for v in values.tolist()], object)
        if (cell := text_cell(values.reshape(-1, 1))) is not None:
            raise ValueError(not_a_number(cell[0], column, cell[2], names))
    if values.dtype.kind == "c":
        raise ValueError(f"X holds complex numbers in {column_label(column, names)}; write X.real.")
    return values.astype(np.float64, copy=False)


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


def check_none_missing(labels: Any, name: str, what: str) -> None:
    """ValueError for one of several labels that is missing, which would be a class of its own.

    >>> check_none_missing([0.0, np.nan], "labels", "node")
    Traceback (most recent call last):
        ...
    ValueError: labels: node 1 has no label (nan); give it one, or leave the node out.
    """
    array = np.asarray(labels)
    if array.dtype.kind == "U" and isinstance(labels, (list, tuple)):
        array = np.fromiter(labels, object, len(labels))  # NumPy makes text of NaN next to text
    if array.dtype.kind == "O":
        missing = np.array([is_missing(label) for label in array])
    elif array.dtype.kind in "fc":
        missing = np.isnan(array)
    else:
        return
    if missing.any():
        place = int(np.argmax(missing))
        raise ValueError(
            f"{name}: {what} {place} has no label ({array[place]}); give it one, or leave the "
            f"{what} out."
        )
