"""A table of numbers, codes and NaN from columns of several types, for ``metric="mixed"``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from kgroups.exceptions import LookalikeWarning
from kgroups.input.column_types import (
    BOOLEAN,
    CATEGORY,
    DATE,
    DURATION,
    EMPTY,
    NUMBER,
    ORDERED,
    ZONED_DATE,
    TypedColumn,
    read_column,
)
from kgroups.input.frames import column_label
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.text import quoted
from kgroups.typing import Float64Array, FloatArray

# How many categories that were not there at the fit a warning names.
_NAMED = 5
# Fewer rows than this have a text of their own by chance.
_LEAST_ROWS = 10
#: What a column of each kind holds, in messages.
_HOLDS = {
    NUMBER: "numbers",
    BOOLEAN: "truth values",
    CATEGORY: "categories",
    ORDERED: "ordered categories",
    DATE: "dates",
    ZONED_DATE: "dates with a time zone",
    DURATION: "durations",
}
# Kinds that can be read as another.
_AS_NUMBERS = (NUMBER, BOOLEAN, DATE, DURATION)


def typed_table(
    estimator: Any, X: Any, semimetric: Semimetric, names: list[str] | None, *, reset: bool
) -> FloatArray:
    """The columns as numbers: days for dates, ranks and codes for categories, NaN for gaps.

    Sets ``column_kinds_`` by name, or by position where there are no names, and ``categories_`` by
    position. At predict, kinds must be those of the fit. A category that was not there has a code
    that no other has, and is named in a warning. The table is float32 if all columns are.
    """
    table = X if hasattr(X, "shape") else np.asarray(X, dtype=object)
    validate_data(estimator, table, reset=reset, skip_check_array=True)
    n_features = table.shape[1]
    keys = column_keys(n_features, names)
    wanted = semimetric.kinds_by_position(n_features, names)
    labels = [column_label(c, names) for c in range(n_features)]
    if reset:
        columns = _read_at_fit(estimator, table, wanted, labels, keys)
        _warn_of_names(columns, estimator.categories_, labels)
    else:
        columns = _read_new(estimator, table, wanted, labels)
    single = all(column.dtype == np.float32 for column in columns)
    made = np.empty((table.shape[0], n_features), np.float32 if single else np.float64)
    for c, column in enumerate(columns):
        made[:, c] = column
    return made


def column_keys(n_features: int, names: Sequence[str] | None) -> list[Any]:
    """What results by column are called: names if they differ from each other, else positions."""
    if names is None or len(set(names)) < n_features:
        return list(range(n_features))
    return list(names)


def _read_at_fit(
    estimator: Any, table: Any, wanted: list[Any], labels: list[str], keys: list[Any]
) -> list[FloatArray]:
    kinds: dict[Any, str] = {}
    categories: dict[int, list[Any]] = {}
    columns = []
    for c, (asked, label) in enumerate(zip(wanted, labels, strict=True)):
        typed = as_asked(read_column(table, c, label), asked, label)
        if typed.holds_categories:
            present = {v for v in typed.values.tolist() if v is not None}
            if present:
                known = typed.order if typed.kind == ORDERED else _in_order(present)
                categories[c] = list(known or [])
            else:
                typed = TypedColumn(EMPTY, np.full(len(typed.values), np.nan))
        elif typed.kind != EMPTY and np.isnan(typed.values).all():
            typed = TypedColumn(EMPTY, typed.values)
        kinds[keys[c]] = typed.kind
        columns.append(_coded(typed, categories.get(c), label)[0])
    empty = [label for label, kind in zip(labels, kinds.values(), strict=True) if kind == EMPTY]
    if empty:
        warnings.warn(
            f"No row of X has a value in {', '.join(empty)}, which adds nothing to distances; "
            "values in new rows will not be read either.",
            UserWarning,
            stacklevel=2,
        )
    estimator.column_kinds_, estimator.categories_ = kinds, categories
    return columns


def _read_new(estimator: Any, table: Any, wanted: list[Any], labels: list[str]) -> list[FloatArray]:
    columns = []
    unseen: list[str] = []
    for c, kind in enumerate(estimator.column_kinds_.values()):
        if kind == EMPTY:
            columns.append(np.full(table.shape[0], np.nan))
            continue
        typed = as_asked(read_column(table, c, labels[c]), wanted[c], labels[c])
        typed = _of_kind(typed, kind, labels[c])
        column, new = _coded(typed, estimator.categories_.get(c), labels[c])
        columns.append(column)
        if new:
            more = ", …" if len(new) > _NAMED else ""
            named = ", ".join(quoted(value, 40) for value in new[:_NAMED])
            unseen.append(f"{named}{more} in {labels[c]}")
    if unseen:
        warnings.warn(
            f"X holds categories that the fit has not seen: {'; '.join(unseen)}. Each differs from "
            "every category of the fit, and is compared so.",
            UserWarning,
            stacklevel=2,
        )
    return columns


def as_asked(column: TypedColumn, asked: Any, label: str) -> TypedColumn:
    """The column as ``kinds`` asks for it, or as its type says if it asks for nothing."""
    if asked is None or column.kind == EMPTY:
        return column
    made: TypedColumn | None = None
    if isinstance(asked, (list, tuple)):
        made = _ordered_by(column, list(asked), label)
    elif asked == "number" and column.kind in _AS_NUMBERS:
        made = TypedColumn(NUMBER, column.values)
    elif asked == "category":
        made = _as_categories(column)
    elif asked == "ordered":
        made = _as_ordered(column, label)
    elif asked == "date" and column.kind in (DATE, ZONED_DATE):
        made = column
    elif asked == "date" and column.kind == CATEGORY:
        made = _parsed_dates(column, label)
    if made is not None:
        return made
    raise ValueError(
        f'kinds asks to read {label} of X as "{asked}", but it holds {_HOLDS[column.kind]}'
        + ("; pandas.to_numeric turns text into numbers." if asked == "number" else ".")
    )


def _as_categories(column: TypedColumn) -> TypedColumn:
    if column.holds_categories:
        return TypedColumn(CATEGORY, column.values)
    values = column.values.astype(object)
    values[np.isnan(column.values)] = None
    return TypedColumn(CATEGORY, values)


def _as_ordered(column: TypedColumn, label: str) -> TypedColumn:
    if column.kind == ORDERED:
        return column
    if column.kind == CATEGORY:
        if column.order is None:
            raise ValueError(
                f'kinds asks to read {label} of X as "ordered", but its categories have no order; '
                'give the list of them, as in kinds={"size": ["S", "M", "L"]}.'
            )
        return TypedColumn(ORDERED, column.values, column.order)
    values = _as_categories(column).values
    return TypedColumn(ORDERED, values, np.unique(column.values[~np.isnan(column.values)]).tolist())


def _ordered_by(column: TypedColumn, order: list[Any], label: str) -> TypedColumn:
    if len(set(order)) < len(order):
        raise ValueError(f"kinds lists a category of {label} twice: {quoted(order)}.")
    return TypedColumn(ORDERED, _as_categories(column).values, order)


def _parsed_dates(column: TypedColumn, label: str) -> TypedColumn:
    """Text in ISO 8601 as dates."""
    parsed = np.empty(len(column.values), object)
    for row, value in enumerate(column.values.tolist()):
        try:
            parsed[row] = None if value is None else _from_iso(value)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f'kinds asks to read {label} of X as "date", but {quoted(value)} in row {row} is '
                "not a date in ISO 8601, such as 2024-05-31 or 2024-05-31T12:00; "
                "pandas.to_datetime reads other forms."
            ) from error
    return read_column(parsed[:, None], 0, label)


def _from_iso(text: str) -> date:
    return datetime.fromisoformat(text)


def _of_kind(column: TypedColumn, kind: str, label: str) -> TypedColumn:
    """A column of new rows, of the kind that it had at the fit."""
    if column.kind == EMPTY:
        is_coded = kind in (CATEGORY, ORDERED)
        none = np.full(len(column.values), None) if is_coded else column.values
        return TypedColumn(kind, none)
    if column.kind == kind:
        return column
    if column.holds_categories and kind in (CATEGORY, ORDERED):
        return TypedColumn(kind, column.values)
    if {column.kind, kind} == {DATE, ZONED_DATE}:
        advice = "give all dates a time zone, or none"
    else:
        advice = "make it what it was, or name its kind, as in Mixed(kinds={...}), at the fit"
    raise ValueError(
        f"{label} of X held {_HOLDS[kind]} at the fit and holds {_HOLDS[column.kind]} now; "
        f"{advice}."
    )


def _in_order(values: set[Any]) -> list[Any]:
    """Categories in an order that does not depend on the rows."""
    return sorted(values, key=lambda value: (type(value).__name__, value))


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
        return np.fromiter((codes[v] for v in listed), np.float64, len(listed)), strangers
    return _ranked(listed, categories, strangers, label), []


def _ranked(
    listed: list[Any], categories: list[Any], strangers: list[Any], label: str
) -> Float64Array:
    """Ranks where some values are between those of the fit, which only numbers can be."""
    if not all(isinstance(value, float) for value in (*categories, *strangers)):
        raise ValueError(
            f"{label} of X holds {quoted(strangers[0], 40)}, which has no place in the order of "
            f"its categories, {quoted(categories)}; give the whole order, as in "
            'Mixed(kinds={"size": ["S", "M", "L"]}).'
        )
    values = np.array([np.nan if value is None else value for value in listed])
    left, right = (np.searchsorted(categories, values, side) for side in ("left", "right"))
    ranks = (left + right - 1) / 2  # halfway between two ranks, or half a rank outside
    return np.where(np.isnan(values), np.nan, ranks)


def _warn_of_names(
    columns: list[FloatArray], categories: dict[int, list[Any]], labels: list[str]
) -> None:
    """LookalikeWarning for a column of text in which no two rows agree."""
    for c, known in categories.items():
        n = int(np.count_nonzero(~np.isnan(columns[c])))
        if n >= _LEAST_ROWS and len(known) == n and isinstance(known[0], str):
            warnings.warn(
                f"{labels[c]} of X holds another text in each row, like a name, so all rows are "
                f"equally far apart in it; drop it, or give it the weight 0.",
                LookalikeWarning,
                stacklevel=2,
            )


def missing_counts(table: FloatArray, names: Sequence[str] | None) -> dict[Any, int]:
    """How many entries are NaN in each column that has some, by name or position. O(nD)."""
    keys = column_keys(table.shape[1], names)
    with np.errstate(over="ignore", invalid="ignore"):
        suspects = np.flatnonzero(np.isnan(table.sum(axis=0)))
    counts = {keys[c]: int(np.isnan(table[:, c]).sum()) for c in suspects}
    return {key: count for key, count in counts.items() if count}
