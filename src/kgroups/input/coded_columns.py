"""A table of numbers and codes where a metric compares some columns for equality or leaves them."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from kgroups.input.columns import (
    BOOLEAN,
    EMPTY,
    HOLDS,
    NUMBER,
    column_label,
    column_values,
    days,
    frame_of,
    is_missing,
    read_column,
)
from kgroups.input.typed_columns import in_order
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.text import did_you_mean
from kgroups.typing import Float64Array, FloatArray

#: What to write for a table that does not hold numbers only.
MIXED = 'write metric="mixed", which compares each column by its type'


def coded_table(
    estimator: Any, X: Any, semimetric: Semimetric, names: list[str] | None, *, reset: bool
) -> FloatArray | None:
    """The table if it has categories or columns that are not read; None if it is plain numbers.

    The categories of the fit are replaced by their positions among them, and others by −1, which
    differs from every one that is there. A missing value becomes NaN unless None is a category.
    """
    table: Any = frame_of(X)
    if table is None:
        table = X if hasattr(X, "shape") else np.asarray(X, dtype=object)
    if len(table.shape) != 2:
        return None
    n_columns = table.shape[1] if reset else estimator.n_features_in_
    of_fit = names if reset else names_of_fit(estimator, names)
    used = semimetric.used_columns(n_columns, of_fit)
    read = range(n_columns) if used is None else sorted(set(used))
    places = {column: column for column in read}
    categories = getattr(estimator, "categories_", {})
    if reset:
        categories = _categories_of(table, semimetric, names)
    if not reset and used is not None and names and of_fit and names != of_fit:
        places = {column: _place(of_fit[column], names) for column in read}
    elif len(read) == n_columns and not categories:
        refuse_dates(X, names)
        return None
    else:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    if reset and categories:
        estimator.categories_ = categories
    columns = {
        column: _codes(column_values(table, place), categories[column])
        if column in categories
        else _numbers(table, place, column_label(column, of_fit))
        for column, place in places.items()
    }
    unread = np.zeros(table.shape[0], np.result_type(*columns.values()))
    return np.column_stack([columns.get(column, unread) for column in range(n_columns)])


def _place(name: str, names: list[str]) -> int:
    if name not in names:
        raise ValueError(
            f"X has no column {name!r}, which the metric uses.{did_you_mean(name, names)}"
        )
    return names.index(name)


def refuse_dates(X: Any, names: list[str] | None) -> None:
    """ValueError for a column of dates or durations, which NumPy would read as nanoseconds."""
    frame = frame_of(X)
    for column, dtype in enumerate([] if frame is None else frame.schema.values()):
        if dtype.is_temporal():
            raise ValueError(not_numbers("dates", column_label(column, names)))


def _categories_of(X: Any, semimetric: Semimetric, names: list[str] | None) -> dict[int, list[Any]]:
    """The different values of the columns that are compared for equality and need codes.

    Where a gap is a category like any other, it is the last one, as None.
    """
    n_columns = X.shape[1]
    with_gaps = semimetric.columns_with_gaps(n_columns, names)
    found: dict[int, list[Any]] = {}
    for column in semimetric.categorical_columns(n_columns, names):
        values = column_values(X, column)
        if column in with_gaps or _needs_codes(values):
            found[column] = in_order(_listed(values)) + [None] * (column in with_gaps)
    return found


def _needs_codes(values: NDArray[Any]) -> bool:
    """Whether two different categories could become one number: "07" and "7", or large integers."""
    if values.dtype.kind in "iu":
        return bool(np.any((values > 2**53) | (values < -(2.0**53))))
    if values.dtype.kind != "O":
        return values.dtype.kind not in "fbc"
    return not all(isinstance(v, Real) or is_missing(v) for v in values.tolist())


def _listed(values: NDArray[Any]) -> list[Any]:
    """Values that can be keys, with None for gaps; dates and durations as days."""
    if values.dtype.kind in "mM":
        values = days(values)
    return [None if is_missing(value) else value for value in values.tolist()]


def _codes(values: NDArray[Any], categories: list[Any]) -> Float64Array:
    codes = {None: np.nan} | {value: float(code) for code, value in enumerate(categories)}
    return np.array([codes.get(value, -1.0) for value in _listed(values)])


def _numbers(X: Any, column: int, label: str) -> FloatArray:
    typed = read_column(X, column, label, dates=False)
    if typed.kind not in (NUMBER, BOOLEAN, EMPTY):
        raise ValueError(not_numbers(HOLDS[typed.kind], label))
    return typed.values


def names_of_fit(estimator: Any, names: list[str] | None) -> list[str] | None:
    """The names of the columns of the fit, for an input whose columns have names."""
    of_fit = getattr(estimator, "feature_names_in_", None)
    return names if names is None or of_fit is None else list(of_fit)


def not_numbers(what: str, where: str, instead: str = MIXED) -> str:
    """The message on entries that are no numbers."""
    return (
        f"X holds {what} where a number is needed: {where}. Turn it into numbers, leave it out, "
        f"or {instead}."
    )
