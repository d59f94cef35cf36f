"""What a column is by its type: a number, a truth value, a category, a date or a duration.

Frames of pandas and polars, arrays and lists; neither library is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.text import quoted
from kgroups.typing import BoolArray, Float64Array

#: What a column may be. "empty" is one without a single value, whatever it was made for.
NUMBER, BOOLEAN, CATEGORY, ORDERED = "number", "boolean", "category", "ordered"
DATE, ZONED_DATE, DURATION, EMPTY = "date", "zoned date", "duration", "empty"

# Units of dates of NumPy in one day.
_PER_DAY = {
    "W": 1 / 7, "D": 1, "h": 24, "m": 1440, "s": 86_400, "ms": 86_400 * 10**3,
    "us": 86_400 * 10**6, "ns": 86_400 * 10**9, "ps": 86_400 * 10**12,
}  # fmt: skip
_EPOCH = datetime(1970, 1, 1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, eq=False)
class TypedColumn:
    """A column and its kind.

    Values are numbers with NaN for gaps; those of categories are the categories themselves, with
    None for gaps. ``order`` holds the categories that the type declares, in their order.
    """

    kind: str
    values: NDArray[Any]
    order: list[Any] | None = None

    @property
    def holds_categories(self) -> bool:
        """Whether values are categories rather than numbers."""
        return self.kind in (CATEGORY, ORDERED)


def read_column(X: Any, column: int, label: str) -> TypedColumn:
    """One column of a frame or of an array, by its type; ``label`` names it in messages."""
    if hasattr(X, "iloc"):
        return _of_pandas(X.iloc[:, column], label)
    if hasattr(X, "columns"):
        return _of_polars(X[X.columns[column]], label)
    return _of_array(X[:, column], label)


def _of_array(values: NDArray[Any], label: str) -> TypedColumn:
    kind = values.dtype.kind
    if kind == "b":
        return TypedColumn(BOOLEAN, values.astype(np.float64))
    if kind in "iuf":
        return _number(values)
    if kind in "mM":
        return _of_dates(values)
    if kind in "OUST":
        return _of_objects(values.astype(object), label)
    if kind == "c":
        raise ValueError(f"X holds complex numbers in {label}; write X.real.")
    raise ValueError(f"{label} of X is of type {values.dtype}, which has no distance.")


def _number(values: NDArray[Any]) -> TypedColumn:
    single = values.dtype == np.float32
    return TypedColumn(NUMBER, values if single else values.astype(np.float64, copy=False))


def _of_dates(values: NDArray[Any], kind: str = DATE) -> TypedColumn:
    """Days since 1970, or days of a duration."""
    if values.dtype.kind == "m":
        kind = DURATION
    unit, count = np.datetime_data(values.dtype)
    if unit in ("Y", "M", "generic"):
        values, unit, count = values.astype(f"{values.dtype.kind}8[D]"), "D", 1
    made = values.astype(np.int64).astype(np.float64) * (count / _PER_DAY[unit])
    made[np.isnat(values)] = np.nan
    return TypedColumn(kind, made)


def _of_pandas(series: Any, label: str) -> TypedColumn:
    dtype = series.dtype
    if hasattr(dtype, "categories") and hasattr(dtype, "ordered"):
        order = dtype.categories.tolist()
        values = _objects([*order, None])[series.cat.codes.to_numpy()]
        return TypedColumn(ORDERED if dtype.ordered else CATEGORY, values, order)
    if hasattr(series, "dt") and hasattr(dtype, "freq") and hasattr(dtype, "na_value"):
        return _of_dates(series.dt.to_timestamp().to_numpy())  # periods: where each begins
    kind = getattr(dtype, "kind", "O")
    if kind == "M" and _has_zone(dtype):
        in_utc = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return _of_dates(in_utc.to_numpy(), ZONED_DATE)
    if isinstance(dtype, np.dtype):
        return _of_array(series.to_numpy(), label)
    return _of_extension(series, kind, label)


def _has_zone(dtype: Any) -> bool:
    """Whether times have a zone, of pandas or of Arrow."""
    return getattr(getattr(dtype, "pyarrow_dtype", dtype), "tz", None) is not None


def _of_extension(series: Any, kind: str, label: str) -> TypedColumn:
    """A column of one of pandas' own types, or of Arrow's."""
    if kind in "iufb":
        made = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return TypedColumn(BOOLEAN if kind == "b" else NUMBER, made)
    if kind in "mM":
        return _of_dates(series.to_numpy(dtype=f"{kind}8[ns]"))
    values = series.to_numpy(dtype=object, copy=True)
    values[np.asarray(series.isna(), np.bool_)] = None
    return _of_objects(values, label)


def _of_polars(series: Any, label: str) -> TypedColumn:
    dtype = series.dtype
    name = type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__
    if name == "Boolean" or dtype.is_numeric():
        made = _floats_of_polars(series)
        return TypedColumn(BOOLEAN, made) if name == "Boolean" else _number(made)
    if name in ("Date", "Datetime", "Duration"):
        unit = "D" if name == "Date" else dtype.time_unit
        days = _floats_of_polars(series.to_physical()) / _PER_DAY[unit]
        zoned = getattr(dtype, "time_zone", None) is not None
        return TypedColumn(DURATION if name == "Duration" else ZONED_DATE if zoned else DATE, days)
    order = dtype.categories.to_list() if name == "Enum" else None
    if name in ("Enum", "Categorical", "String", "Null", "Object", "Binary"):
        read = _of_objects(_objects(series.to_list()), label)
        return TypedColumn(CATEGORY, read.values, order) if order is not None else read
    raise ValueError(
        f"{label} of X is of type {dtype}, which has no distance; turn it into numbers, text or "
        "dates, or drop it."
    )


def _floats_of_polars(series: Any) -> NDArray[Any]:
    """Numbers with NaN for nulls, in float32 if they are."""
    values: NDArray[Any] = series.to_numpy()
    if values.dtype.kind == "O":  # decimals, or truth values with nulls
        values = np.array([np.nan if v is None else float(v) for v in values.tolist()])
    return values if values.dtype == np.float32 else values.astype(np.float64)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    """An array of one dimension, whatever the values are."""
    made = np.empty(len(values), object)
    made[:] = list(values)
    return made


def is_gap(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or the missing value of pandas."""
    if value is None:
        return True
    if isinstance(value, (str, bytes, int)):  # NumPy's durations are not int
        return False
    if isinstance(value, (float, np.floating, Decimal)):
        return bool(np.isnan(value)) if not isinstance(value, Decimal) else value.is_nan()
    return _is_nat(value) or type(value).__name__ == "NAType"


def _is_nat(value: Any) -> bool:
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return type(value).__name__ == "NaTType"


def _is_span(value: Any) -> bool:
    return isinstance(value, (timedelta, np.timedelta64))


def _is_zoned(value: Any) -> bool:
    return isinstance(value, datetime) and value.utcoffset() is not None


# Each kind of single values, by what they are called in messages, and the kind of their column.
_VALUES: list[tuple[str, str, Callable[[Any], bool]]] = [
    ("truth values", BOOLEAN, lambda v: isinstance(v, (bool, np.bool_))),
    ("numbers", NUMBER, lambda v: isinstance(v, (Real, Decimal)) and not _is_span(v)),
    ("text", CATEGORY, lambda v: isinstance(v, str)),
    ("bytes", CATEGORY, lambda v: isinstance(v, bytes)),
    ("dates with a time zone", ZONED_DATE, _is_zoned),
    ("dates", DATE, lambda v: isinstance(v, (date, np.datetime64)) or hasattr(v, "asfreq")),
    ("durations", DURATION, _is_span),
]


def _of_objects(values: NDArray[Any], label: str) -> TypedColumn:
    """A column of Python objects, which must all be of one kind."""
    listed = values.tolist() if values.dtype == object else list(values)
    are_gaps = (not isinstance(v, str) and is_gap(v) for v in listed)
    gaps = np.fromiter(are_gaps, np.bool_, len(listed))
    present = np.flatnonzero(~gaps)
    if not len(present):
        return TypedColumn(EMPTY, np.full(len(listed), np.nan))
    found = _kinds_of(listed, present, label)
    (_, kind), *others = found
    if others:
        raise ValueError(_two_kinds(label, listed, found))
    if kind == CATEGORY:
        values = values.copy()
        values[gaps] = None
        return TypedColumn(CATEGORY, values)
    return TypedColumn(kind, _converted(kind, listed, gaps))


def _kinds_of(listed: list[Any], present: NDArray[Any], label: str) -> dict[tuple[str, str], int]:
    """The kinds of values that occur, each with the first row that has one."""
    by_type: dict[Any, tuple[str, str]] = {}
    found: dict[tuple[str, str], int] = {}
    for row in present.tolist():
        value = listed[row]
        # A date may have a time zone or not; all others go by their type.
        key = (type(value), _is_zoned(value)) if isinstance(value, datetime) else type(value)
        if key not in by_type:
            by_type[key] = _kind_of(value, row, label)
            found.setdefault(by_type[key], row)
    return found


def _kind_of(value: Any, row: int, label: str) -> tuple[str, str]:
    for what, kind, holds in _VALUES:
        if holds(value):
            return what, kind
    hint = "write X.real" if isinstance(value, complex) else "turn it into numbers, text or dates"
    raise ValueError(
        f"{label} of X holds {quoted(value)} in row {row}, of type {type(value).__name__}, which "
        f"has no distance; {hint}, or drop the column."
    )


def _two_kinds(label: str, listed: list[Any], found: dict[tuple[str, str], int]) -> str:
    (one, first), (other, second) = list(found.items())[:2]
    said = (
        f"{label} of X holds {one[0]} ({quoted(listed[first])} in row {first}) and {other[0]} "
        f"({quoted(listed[second])} in row {second}), which have no distance. "
    )
    if {one[1], other[1]} == {DATE, ZONED_DATE}:
        return said + "Give all of them a time zone, or none."
    return said + (
        'Turn all of them into one kind: pandas.to_numeric(column, errors="coerce") makes gaps of '
        "what is not a number, column.map(str) makes categories."
    )


def _converted(kind: str, listed: list[Any], gaps: BoolArray) -> Float64Array:
    """Numbers, or days since 1970, or days."""
    convert: Callable[[Any], float] = float
    if kind in (DATE, ZONED_DATE):
        convert = _days
    elif kind == DURATION:
        convert = _length
    made = np.full(len(listed), np.nan)
    for row in np.flatnonzero(~gaps).tolist():
        try:
            made[row] = convert(listed[row])
        except OverflowError:
            made[row] = np.inf  # which is refused, with its row
    return made


def _days(value: Any) -> float:
    if hasattr(value, "asfreq") and hasattr(value, "to_timestamp"):
        value = value.to_timestamp()
    if isinstance(value, np.datetime64):
        return float(_of_dates(np.array([value])).values[0])
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if value.utcoffset() is not None:
        value = value.astimezone(UTC)
    return float((value.replace(tzinfo=None) - _EPOCH) / _DAY)


def _length(value: Any) -> float:
    if isinstance(value, np.timedelta64):
        return float(_of_dates(np.array([value])).values[0])
    return float(value / _DAY)
