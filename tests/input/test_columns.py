"""What each library calls a column, and what its entries become."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl

from helpers import each
from kgroups.input.columns import is_missing, read_column

NAN = float("nan")
EAST = dt.timezone(dt.timedelta(hours=2))


def read(values, **how):
    """One column of a frame of pandas."""
    return read_column(pd.DataFrame({"x": pd.Series(values, **how)}), 0, "column 'x'")


def read_polars(values, dtype=None):
    return read_column(pl.DataFrame({"x": pl.Series(values, dtype=dtype)}), 0, "column 'x'")


def read_objects(values):
    array = np.empty((len(values), 1), object)
    array[:, 0] = values
    return read_column(array, 0, "column 0")


def same(column, kind, values):
    assert column.kind == kind
    if column.holds_categories:
        assert column.values.tolist() == values
    else:
        np.testing.assert_allclose(column.values, values, rtol=1e-15)


DAY = dt.date(1970, 1, 3)
NOON = dt.datetime(1970, 1, 3, 12)


@each(
    ("column", "kind", "values"),
    [
        (lambda: read([1, 2]), "number", [1, 2]),
        (lambda: read([1.5, None]), "number", [1.5, NAN]),
        (lambda: read([1, None], dtype="Int64"), "number", [1, NAN]),
        (lambda: read([1, None], dtype="Float32"), "number", [1, NAN]),
        (lambda: read([1.0, 0.0], dtype=pd.SparseDtype(float)), "number", [1, 0]),
        (lambda: read([True, False]), "boolean", [1, 0]),
        (lambda: read([True, None], dtype="boolean"), "boolean", [1, NAN]),
        (lambda: read([True, None]), "boolean", [1, NAN]),
        (lambda: read(["a", None]), "category", ["a", None]),
        (lambda: read(["a", None], dtype=object), "category", ["a", None]),
        (lambda: read(["a", NAN, pd.NA], dtype=object), "category", ["a", None, None]),
        (lambda: read(pd.Categorical(["b", "a", None])), "category", ["b", "a", None]),
        (lambda: read(pd.Categorical([3, 1], ordered=True)), "ordered", [3, 1]),
        (lambda: read(pd.to_datetime(["1970-01-03 12:00", None])), "date", [2.5, NAN]),
        (lambda: read(pd.to_datetime([DAY]).tz_localize(EAST)), "zoned date", [2 - 1 / 12]),
        (lambda: read(pd.to_timedelta(["36h", None])), "duration", [1.5, NAN]),
        (lambda: read(pd.period_range("1970-02", periods=2, freq="M")), "date", [31, 59]),
        (lambda: read([DAY, None], dtype=object), "date", [2, NAN]),
        (lambda: read(["1"], dtype="string[pyarrow]"), "category", ["1"]),
        (lambda: read([None, None]), "empty", [NAN, NAN]),
        (lambda: read_polars([1, None]), "number", [1, NAN]),
        (lambda: read_polars([Decimal("1.5"), None]), "number", [1.5, NAN]),
        (lambda: read_polars([True, None]), "boolean", [1, NAN]),
        (lambda: read_polars(["a", None]), "category", ["a", None]),
        (lambda: read_polars(["a", None], pl.Categorical), "category", ["a", None]),
        (lambda: read_polars(["b"], pl.Enum(["a", "b"])), "category", ["b"]),
        (lambda: read_polars([DAY, None]), "date", [2, NAN]),
        (lambda: read_polars([NOON, None]), "date", [2.5, NAN]),
        (lambda: read_polars([NOON], pl.Datetime("ms", "UTC")), "zoned date", [2.5]),
        (lambda: read_polars([dt.timedelta(hours=12), None]), "duration", [0.5, NAN]),
        (lambda: read_polars([None, None]), "empty", [NAN, NAN]),
        (lambda: read_polars([b"a"]), "category", [b"a"]),
        (lambda: read_objects([1, 2.5, None]), "number", [1, 2.5, NAN]),
        (lambda: read_objects([Fraction(1, 2), Decimal("NaN")]), "number", [0.5, NAN]),
        (lambda: read_objects([np.float32(2), np.int8(1)]), "number", [2, 1]),
        (lambda: read_objects([np.bool_(True), False]), "boolean", [1, 0]),
        (lambda: read_objects(["1", "b"]), "category", ["1", "b"]),
        (lambda: read_objects([b"x", None]), "category", [b"x", None]),
        (lambda: read_objects([DAY, NOON, pd.NaT]), "date", [2, 2.5, NAN]),
        (lambda: read_objects([np.datetime64("1970-01-02"), pd.Timestamp(NOON)]), "date", [1, 2.5]),
        (lambda: read_objects([NOON.replace(tzinfo=EAST)]), "zoned date", [2.5 - 1 / 12]),
        (lambda: read_objects([pd.Period("1970-02"), None]), "date", [31, NAN]),
        (lambda: read_objects([np.timedelta64(12, "h"), dt.timedelta(1)]), "duration", [0.5, 1]),
    ],
)  # fmt: skip
def test_kinds_and_values(column, kind, values):
    same(column(), kind, values)


def test_arrays():
    same(read_column(np.array([[1], [2]], np.int8), 0, ""), "number", [1, 2])
    same(read_column(np.array([[True]]), 0, ""), "boolean", [1])
    same(read_column(np.array([["a"]]), 0, ""), "category", ["a"])
    assert read_column(np.ones((2, 1), np.float32), 0, "").values.dtype == np.float32
    assert read_polars([1.0], pl.Float32).values.dtype == np.float32


def test_declared_categories_are_kept_in_their_order():
    assert read(pd.Categorical(["b"], ["c", "b"], ordered=True)).order == ["c", "b"]
    assert read_polars(["b"], pl.Enum(["c", "b"])).order == ["c", "b"]
    assert read(["b"]).order is None


def test_months_and_years_are_days():
    array = np.empty((2, 1), object)
    array[:, 0] = [np.datetime64("1971"), np.datetime64("1970-02")]
    assert read_column(array, 0, "").values.tolist() == [365, 31]


def test_gaps():
    missing = [None, NAN, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("nan")]
    assert all(map(is_missing, missing))
    assert not any(
        map(is_missing, ["nan", "", 0, False, b"", np.inf, DAY, dt.timedelta(0), [None]])
    )
