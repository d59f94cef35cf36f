"""Columns of frames and arrays by their types: numbers, truth values, categories, dates, durations.

Frames of any library that narwhals reads; none of them is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from kgroups.text import quoted
from kgroups.typing import Float64Array

#: What a column may be. "empty" is one without a single value, whatever it was made for.
NUMBER, BOOLEAN, CATEGORY, ORDERED = "number", "boolean", "category", "ordered"
DATE, ZONED_DATE, DURATION, EMPTY = "date", "zoned date", "duration", "empty"
#: What a column of each kind holds, in messages.
HOLDS = {
    NUMBER: "numbers",
    BOOLEAN: "truth values",
    CATEGORY: "text or categories",
    ORDERED: "ordered categories",
    DATE: "dates",
    ZONED_DATE: "dates with a time zone",
    DURATION: "durations",
}
# A date, or a date and a time, in the order of ISO 8601; fromisoformat knows more, such as weeks.
_ISO = re.compile(
    r"\d{4}[-/](0?[1-9]|1[0-2])[-/](0?[1-9]|[12]\d|3[01])"
    r"([T ]([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?\s?(Z|UTC|[+-]\d{2}:?\d{2})?)?"
)


@dataclass(frozen=True, eq=False)
class TypedColumn:
    """A column and its kind.

    Values are numbers with NaN for gaps, days for dates and durations; those of categories are the
    categories themselves, with None for gaps. ``order`` holds the categories that the type
    declares, in their order.
    """

    kind: str
    values: NDArray[Any]
    order: list[Any] | None = None

    @property
    def holds_categories(self) -> bool:
        """Whether values are categories rather than numbers."""
        return self.kind in (CATEGORY, ORDERED)


def frame_of(X: Any, name: str = "X") -> nw.DataFrame[Any] | None:
    """A frame as narwhals reads it; None for anything else, TypeError for a lazy frame."""
    if isinstance(X, (np.ndarray, list, tuple)):
        return None
    found = nw.from_native(X, pass_through=True)
    if isinstance(found, nw.LazyFrame):
        raise TypeError(f"{name} is a lazy frame, which holds no data yet; write {name}.collect().")
    return found if isinstance(found, nw.DataFrame) else None


def feature_names(X: Any) -> list[str] | None:
    """Column names of a frame when they are strings; None for anything else."""
    frame = frame_of(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return None
    return list(frame.columns)


def column_label(column: int, names: list[str] | None) -> str:
    """How a message speaks of a column."""
    return f"column {names[column]!r}" if names is not None else f"column {column}"


def column_values(X: Any, column: int) -> NDArray[Any]:
    """One column of a frame or of a two-dimensional array; objects keep their gaps."""
    frame = frame_of(X)
    return np.asarray(X[:, column]) if frame is None else _values(frame[:, column])


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or the missing value of pandas; the text "nan" is not."""
    if isinstance(value, str):
        return False
    if value is None or type(value).__name__ == "NAType":
        return True
    scalars = (float, np.generic, Decimal, datetime)
    return isinstance(value, scalars) and bool(value != value)  # noqa: PLR0124


def read_column(X: Any, column: int, label: str, *, dates: bool = True) -> TypedColumn:
    """One column of a frame or of an array, by its type; ``label`` names it in messages.

    With ``dates``, text that is a date of ISO 8601 in every row makes a column of dates.
    """
    frame = frame_of(X)
    if frame is None:
        return _of_array(np.asarray(X[:, column]), label, dates)
    series = frame[:, column]
    if isinstance(series.dtype, (nw.Categorical, nw.Enum)):
        # Enum is a categorical of pandas that is ordered, or one of polars, which is not.
        is_ordered = isinstance(series.dtype, nw.Enum) and not series.implementation.is_polars()
        is_ordered |= bool(getattr(getattr(series.to_native(), "type", None), "ordered", False))
        order = series.cat.get_categories().to_list()
        return TypedColumn(ORDERED if is_ordered else CATEGORY, _with_none(_values(series)), order)
    typed = _of_array(_values(series), label, dates)
    is_zoned = typed.kind == DATE and getattr(series.dtype, "time_zone", None) is not None
    return TypedColumn(ZONED_DATE, typed.values) if is_zoned else typed


def dates_of(texts: list[str | None], label: str) -> TypedColumn:
    """Text in ISO 8601 as dates; ValueError for other text."""
    moments: dict[str | None, datetime | None] = {None: None}
    for row, text in enumerate(texts):
        if text not in moments:
            try:
                moments[text] = _moment(text)  # type: ignore[arg-type]
            except (AttributeError, ValueError) as error:
                raise ValueError(
                    f"{label} of X is to hold dates, but {quoted(text)} in row {row} is no date of "
                    "ISO 8601, such as 2024-05-31 or 2024-05-31T12:00."
                ) from error
    distinct = _of_objects(list(moments.values()), label, dates=False)
    by_text = dict(zip(moments, distinct.values.tolist(), strict=True))
    return TypedColumn(distinct.kind, np.array([by_text[text] for text in texts]))


def _values(series: nw.Series[Any]) -> NDArray[Any]:
    """Numbers, dates and durations as NumPy has them; all else as objects."""
    is_plain = series.dtype.is_numeric() or series.dtype.is_temporal()
    return series.to_numpy() if is_plain else _objects(series.to_list())


def _objects(values: Iterable[Any]) -> NDArray[Any]:
    """An array of one dimension, whatever the values are."""
    listed = list(values)
    made = np.empty(len(listed), object)
    made[:] = listed
    return made


def _with_none(values: NDArray[Any]) -> NDArray[Any]:
    return _objects(None if is_missing(value) else value for value in values.tolist())


def _of_array(values: NDArray[Any], label: str, dates: bool) -> TypedColumn:
    kind = values.dtype.kind
    if kind in "biuf":
        single = values.dtype == np.float32
        numbers = values if single else values.astype(np.float64, copy=False)
        return TypedColumn(BOOLEAN if kind == "b" else NUMBER, numbers)
    if kind in "mM":
        return TypedColumn(DATE if kind == "M" else DURATION, days(values))
    return _of_objects(values.tolist(), label, dates=dates)


def days(values: NDArray[Any]) -> Float64Array:
    """Days since 1970, or days of a duration."""
    unit, count = np.datetime_data(values.dtype)
    if unit in ("Y", "M", "generic"):
        values, unit, count = values.astype(f"{values.dtype.kind}8[D]"), "D", 1
    per_day = float(np.timedelta64(1, "D") / np.timedelta64(1, unit))  # type: ignore[call-overload]
    found = np.asarray(values.astype(np.int64) * (count / per_day))
    found[np.isnat(values)] = np.nan
    return found


def _of_objects(listed: list[Any], label: str, *, dates: bool) -> TypedColumn:
    """A column of Python objects, which must all be of one kind."""
    present = [None if is_missing(value) else value for value in listed]
    rows: dict[str, int] = {}  # of the first value of each kind
    known: set[type] = {type(None)}
    for row, value in enumerate(present):
        if type(value) not in known and (kind := _kind_of(value)) not in rows:
            if not kind:
                raise ValueError(
                    f"{label} of X holds {quoted(value)} in row {row}, of type "
                    f"{type(value).__name__}, which has no distance; turn it into numbers, text or "
                    "dates, or drop the column."
                )
            rows[kind] = row
            if not isinstance(value, datetime):  # which may have a time zone or not
                known.add(type(value))
    if not rows:
        return TypedColumn(EMPTY, np.full(len(listed), np.nan))
    (kind, first), *others = rows.items()
    if others:
        raise ValueError(
            f"{label} of X holds {HOLDS[kind]} ({quoted(listed[first])} in row {first}) and "
            f"{HOLDS[others[0][0]]} ({quoted(listed[others[0][1]])} in row {others[0][1]}), which "
            "have no distance; turn all of them into one kind."
        )
    if kind == CATEGORY:
        are_dates = dates and _are_dates(set(present) - {None})
        return dates_of(present, label) if are_dates else TypedColumn(kind, _objects(present))
    return TypedColumn(kind, _numbers_of(kind, present))


def _kind_of(value: Any) -> str:
    """The kind of a single value; "" for what has no distance."""
    if isinstance(value, (bool, np.bool_)):
        return BOOLEAN
    if isinstance(value, (timedelta, np.timedelta64)):  # the latter is a number, too
        return DURATION
    if isinstance(value, (Real, Decimal)):
        return NUMBER
    if isinstance(value, (str, bytes)):
        return CATEGORY
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return ZONED_DATE
    is_date = isinstance(value, (date, np.datetime64)) or hasattr(value, "to_timestamp")
    return DATE if is_date else ""


def _numbers_of(kind: str, present: list[Any]) -> Float64Array:
    """Numbers, or days, with NaN for None."""
    if kind == DURATION:
        return days(np.array(present, "m8[us]"))
    if kind == ZONED_DATE:
        present = [v if v is None else v.astimezone(UTC).replace(tzinfo=None) for v in present]
    if kind in (DATE, ZONED_DATE):
        # A period of pandas begins at a time.
        starts = [v.to_timestamp() if hasattr(v, "asfreq") else v for v in present]
        return days(np.array(starts, "M8[us]"))
    return np.array([np.nan if value is None else float(value) for value in present])


def _are_dates(texts: set[Any]) -> bool:
    """Whether all texts are dates in the order of ISO 8601: year, month, day, perhaps a time."""
    if not all(isinstance(text, str) and _ISO.fullmatch(text.strip()) for text in texts):
        return False
    try:
        return all(map(_moment, texts))
    except ValueError:  # as of a day that no month has
        return False


def _moment(text: str) -> datetime:
    day, mark, time = text.strip().replace("/", "-").replace("T", " ").partition(" ")
    day = "-".join(part.zfill(2) for part in day.split("-"))
    time = time.replace(",", ".").replace("UTC", "Z").replace(" ", "")
    return datetime.fromisoformat(f"{day}{mark}{'0' * (time[1:2] == ':')}{time}")
