"""A table of numbers, codes and NaN from columns of several types, for ``metric="mixed"``."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from kgroups.input.columns import (
    CATEGORY,
    DATE,
    EMPTY,
    HOLDS,
    NUMBER,
    ORDERED,
    ZONED_DATE,
    TypedColumn,
    column_label,
    dates_of,
    frame_of,
    is_missing,
    read_column,
)
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.text import quoted
from kgroups.typing import FloatArray

# How many categories that were not there at the fit a warning names.
_NAMED = 5


def typed_table(
    estimator: Any, X: Any, semimetric: Semimetric, names: list[str] | None, *, reset: bool
) -> FloatArray:
    """The columns as numbers: days for dates, ranks and codes for categories, NaN for gaps.

    Sets ``column_kinds_`` by name, or by position where there are no names, and ``categories_`` by
    position. At predict, kinds must be those of the fit. A category that was not there has a code
    that no other has, and is named in a warning. The table is float32 if all columns are.
    """
    table: Any = frame_of(X)
    if table is None:
        kept = None if isinstance(X, np.ndarray) else object  # or numbers would become text
        X = table = check_array(X, dtype=kept, ensure_all_finite=False)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    wanted = semimetric.kinds_by_position(table.shape[1], names)
    read = _read_at_fit if reset else _read_new
    labels = [column_label(c, names) for c in range(table.shape[1])]
    return np.column_stack(read(estimator, table, wanted, labels, names))


def column_keys(n_features: int, names: Sequence[str] | None) -> list[Any]:
    """What results by column are called: names if they differ from each other, else positions."""
    if names is None or len(set(names)) < n_features:
        return list(range(n_features))
    return list(names)


def _read_at_fit(
    estimator: Any, table: Any, wanted: list[Any], labels: list[str], names: list[str] | None
) -> list[FloatArray]:
    kinds, columns = [], []
    estimator.categories_ = {}
    for c, (asked, label) in enumerate(zip(wanted, labels, strict=True)):
        typed = _as_asked(read_column(table, c, label, dates=asked is None), asked, label)
        if all(map(is_missing, typed.values.tolist())):
            typed = TypedColumn(EMPTY, np.full(len(typed.values), np.nan))
        if typed.holds_categories:
            known = typed.order if typed.kind == ORDERED else in_order(typed.values.tolist())
            estimator.categories_[c] = list(known or [])
        kinds.append(typed.kind)
        columns.append(_coded(typed, estimator.categories_.get(c), label)[0])
    empty = [label for label, kind in zip(labels, kinds, strict=True) if kind == EMPTY]
    if empty:
        _warn(
            f"No row of X has a value in {', '.join(empty)}, which adds nothing to distances; "
            "values in new rows will not be read either."
        )
    estimator.column_kinds_ = dict(zip(column_keys(len(kinds), names), kinds, strict=True))
    return columns


def _read_new(
    estimator: Any, table: Any, wanted: list[Any], labels: list[str], names: list[str] | None
) -> list[FloatArray]:
    columns, unseen = [], []
    for c, kind in enumerate(estimator.column_kinds_.values()):
        if kind == EMPTY:
            columns.append(np.full(table.shape[0], np.nan))
            continue
        typed = read_column(table, c, labels[c], dates=False)
        typed = _of_kind(_as_asked(typed, wanted[c], labels[c]), kind, labels[c])
        column, new = _coded(typed, estimator.categories_.get(c), labels[c])
        columns.append(column)
        if new:
            more = ", …" if len(new) > _NAMED else ""
            named = ", ".join(quoted(value, 40) for value in new[:_NAMED])
            unseen.append(f"{named}{more} in {labels[c]}")
    if unseen:
        _warn(
            f"X holds categories that the fit has not seen: {'; '.join(unseen)}. Each differs from "
            "every category of the fit, and is compared so."
        )
    return columns


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=2)


def _as_asked(column: TypedColumn, asked: Any, label: str) -> TypedColumn:
    """The column as ``kinds`` asks for it, or as its type says if it asks for nothing."""
    is_dates = column.kind in (DATE, ZONED_DATE)
    if asked is None or column.kind == EMPTY or (asked == "date" and is_dates):
        return column
    if asked == "date" and column.kind == CATEGORY:
        return dates_of(column.values.tolist(), label)
    if asked == "number" and not column.holds_categories:
        return TypedColumn(NUMBER, column.values)
    values = _as_categories(column)
    if asked == "category":
        return TypedColumn(CATEGORY, values)
    order = asked
    if asked == "ordered":
        order = in_order(values.tolist()) if not column.holds_categories else column.order
    if not isinstance(order, (list, tuple)) or len(set(order)) < len(order):
        raise ValueError(
            f"kinds asks to read {label} of X as {quoted(asked)}, and it holds "
            f"{HOLDS[column.kind]}; an order is the list of all categories, each once, as in "
            'kinds={"size": ["S", "M", "L"]}.'
        )
    return TypedColumn(ORDERED, values, list(order))


def _as_categories(column: TypedColumn) -> NDArray[Any]:
    values = column.values.astype(object)
    if not column.holds_categories:
        values[np.isnan(column.values)] = None
    return values


def _of_kind(column: TypedColumn, kind: str, label: str) -> TypedColumn:
    """A column of new rows, of the kind that it had at the fit."""
    are_codes = kind in (CATEGORY, ORDERED)
    if column.kind == CATEGORY and kind in (DATE, ZONED_DATE):
        column = dates_of(column.values.tolist(), label)
    if column.kind == EMPTY:
        return TypedColumn(kind, np.full(len(column.values), None if are_codes else np.nan))
    if column.kind == kind or (column.holds_categories and are_codes):
        return TypedColumn(kind, column.values)
    raise ValueError(
        f"{label} of X held {HOLDS[kind]} at the fit and holds {HOLDS[column.kind]} now; make it "
        "what it was, or name its kind, as in Mixed(kinds={...}), at the fit."
    )


def in_order(values: Iterable[Any]) -> list[Any]:
    """The different values but None, in an order that does not depend on the rows."""
    return sorted(set(values) - {None}, key=lambda value: (type(value).__name__, value))


def _coded(
    column: TypedColumn, categories: list[Any] | None, label: str
) -> tuple[FloatArray, list[Any]]:
    """Numbers, with NaN for gaps; and the categories that were not there at the fit."""
    if categories is None:
        return column.values, []
    codes: dict[Any, float] = {value: float(code) for code, value in enumerate(categories)}
    listed = column.values.tolist()
    strangers = sorted({v for v in listed if v is not None and v not in codes}, key=repr)
    if column.kind == CATEGORY or not strangers:
        codes.update(dict.fromkeys(strangers, -1.0))
        codes[None] = np.nan
        return np.array([codes[value] for value in listed]), strangers
    if not all(isinstance(value, float) for value in (*categories, *strangers)):
        raise ValueError(
            f"{label} of X holds {quoted(strangers[0], 40)}, which has no place in the order of "
            f"its categories, {quoted(categories)}; give the whole order, as in "
            'Mixed(kinds={"size": ["S", "M", "L"]}).'
        )
    # Of numbers that are new the rank is between two others, or half a rank outside.
    values = np.array([np.nan if value is None else value for value in listed])
    left, right = (np.searchsorted(categories, values, side) for side in ("left", "right"))
    ranks = (left + right - 1) / 2
    return np.where(np.isnan(values), np.nan, ranks), []


def missing_counts(table: FloatArray, names: Sequence[str] | None) -> dict[Any, int]:
    """How many entries are NaN in each column that has some, by name or position. O(nD)."""
    keys = column_keys(table.shape[1], names)
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = np.flatnonzero(np.isnan(table.sum(axis=0)))
    counts = {keys[c]: int(np.isnan(table[:, c]).sum()) for c in suspects}
    return {key: count for key, count in counts.items() if count}
