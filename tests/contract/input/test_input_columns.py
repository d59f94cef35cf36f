"""Columns of every kind and type: what they hold, whatever wrote them."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

import oracle
from helpers import each, warnings_of
from kgroups import KernelKGroups
from kgroups.exceptions import LookalikeWarning
from kgroups.semimetrics import ColumnSum, Energy, Hamming, Mixed
from kgroups.stats import energy_distance

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(24, 3)) + 3 * np.eye(3)[np.arange(24) % 3], 2)


def fitted(rows=X, k=3, weights=None, **parameters):
    return KernelKGroups(k, random_state=0, **parameters).fit(rows, sample_weight=weights)


DAYS = ["2024-01-01", "2024-02-01", "2024-03-31", "2024-04-01", "2024-07-01", None] * 4
STAMPS = pd.Series(pd.to_datetime(DAYS))
HOURS = pd.Series(pd.to_timedelta([1.0, 5.0, 7.5, 30.0, 100.0, None] * 4, unit="h"))


def column(values, name="when"):
    return pd.DataFrame({name: values, "n": X[:, 0]})


def zoned(series):
    return series.dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")


def with_zone(value, hours):
    zone = dt.timezone(dt.timedelta(hours=hours))
    return None if value is None else value.astimezone(zone)


LEVELS = pd.Categorical(["low", "mid", None, "high"] * 6, ["low", "mid", "high"], ordered=True)
_PYTHON = [None if pd.isna(v) else v.to_pydatetime() for v in STAMPS]
_ZONED = [None if v is None else v.replace(tzinfo=dt.UTC) for v in _PYTHON]
#: Kind → the same column in many types, of which the first is compared with the others.
KINDS = {
    "date": [
        column(STAMPS.astype("M8[ns]")),
        *(column(STAMPS.astype(f"M8[{unit}]")) for unit in ("us", "ms", "s")),
        pl.from_pandas(column(STAMPS)),
        pl.from_pandas(column(STAMPS)).with_columns(pl.col("when").dt.date()),
        pl.from_pandas(column(STAMPS)).with_columns(pl.col("when").dt.cast_time_unit("ms")),
        column(STAMPS.dt.date.astype(object)),
        column(pd.Series(_PYTHON, dtype=object)),
        column(STAMPS.dt.to_period("D")),
        column(STAMPS.astype("M8[us]").astype("timestamp[us][pyarrow]")),
        pa.Table.from_pandas(column(STAMPS)),
        column(DAYS),
        column([None if day is None else day.replace("-0", "/") for day in DAYS]),
        pl.DataFrame({"when": DAYS, "n": X[:, 0]}),
    ],
    "zoned date": [
        column(zoned(STAMPS)),
        column(STAMPS.dt.tz_localize("UTC")),
        column(pd.Series([with_zone(v, i % 5) for i, v in enumerate(_ZONED)], dtype=object)),
        pl.from_pandas(column(zoned(STAMPS))),
        pa.Table.from_pandas(column(zoned(STAMPS))),
        column([None if day is None else f"{day}T02:00+02:00" for day in DAYS]),
    ],
    "duration": [
        column(HOURS.astype("m8[ns]")),
        *(column(HOURS.astype(f"m8[{unit}]")) for unit in ("us", "ms", "s")),
        pl.from_pandas(column(HOURS)),
        pa.Table.from_pandas(column(HOURS)),
        column(
            pd.Series([None if pd.isna(v) else v.to_pytimedelta() for v in HOURS], dtype=object)
        ),
    ],
    "boolean": [
        column(pd.Series([True, False, None] * 8, dtype="boolean")),
        column(pd.Series([True, False, None] * 8, dtype=object)),
        pl.from_pandas(column(pd.Series([True, False, None] * 8, dtype="boolean"))),
        pa.Table.from_pandas(column(pd.Series([True, False, None] * 8, dtype="boolean"))),
    ],
    "number": [
        column(pd.Series([1.0, 2.5, np.nan, 7.0] * 6)),
        column(pd.Series([1.0, 2.5, np.nan, 7.0] * 6, dtype="float32")),
        column(pd.Series([1.0, 2.5, None, 7.0] * 6, dtype="Float64")),
        column(pd.Series([1.0, 2.5, None, 7.0] * 6, dtype=object)),
        pl.from_pandas(column(pd.Series([1.0, 2.5, None, 7.0] * 6, dtype="Float64"))),
        pa.Table.from_pandas(column(pd.Series([1.0, 2.5, None, 7.0] * 6, dtype="Float64"))),
    ],
    "category": [
        column(pd.Series(["x", "yy", None, "z"] * 6, dtype=object)),
        column(pd.Series(["x", "yy", None, "z"] * 6, dtype="category")),
        column(pd.Series(["x", "yy", None, "z"] * 6, dtype="string")),
        pl.from_pandas(column(pd.Series(["x", "yy", None, "z"] * 6, dtype="category"))),
        pl.from_pandas(column(pd.Series(["x", "yy", None, "z"] * 6, dtype=object))),
        pa.Table.from_pandas(column(pd.Series(["x", "yy", None, "z"] * 6, dtype="category"))),
    ],
    "ordered": [
        column(LEVELS),
        pa.Table.from_pandas(column(LEVELS)),
    ],
    "empty": [column(pd.Series([np.nan] * 24)), column(pd.Series([None] * 24, dtype=object))],
}
#: Numbers of the same columns, for the definition.
_SIZES = {"low": 0.0, "mid": 1.0, "high": 2.0}
AS_NUMBERS = {
    "date": (STAMPS - STAMPS[0]).dt.days.to_numpy(float),
    "duration": HOURS.dt.total_seconds().to_numpy() / 3600,
    "boolean": np.array([1.0, 0.0, np.nan] * 8),
    "number": np.array([1.0, 2.5, np.nan, 7.0] * 6),
    "ordered": np.array([_SIZES.get(v, np.nan) for v in ["low", "mid", None, "high"] * 6]),
}
AS_NUMBERS["zoned date"] = AS_NUMBERS["date"]


def mixed_distances(first):
    """By the oracle, with None where a value is missing."""
    values = [None if v is None or v != v else v for v in np.asarray(first, object)]
    rows = [list(row) for row in zip(values, X[:, 0].tolist(), strict=True)]
    return oracle.mixed(rows, rows)


@each("kind", KINDS)
@pytest.mark.filterwarnings("ignore:No row of X")
def test_columns_of_one_kind_are_alike_whatever_their_type(kind):
    first, *others = KINDS[kind]
    model = fitted(first, metric="mixed")
    assert model.column_kinds_["when"] == kind
    if kind in AS_NUMBERS:
        rho = mixed_distances(AS_NUMBERS[kind])
        W = oracle.within_dispersion(rho, model.labels_, np.ones(24), 3)
        assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-9)
        assert model.n_missing_ == {"when": int(np.isnan(AS_NUMBERS[kind]).sum())}
    expected = model.transform(first)
    for other in others:
        where = f"{kind}: {type(other)} {getattr(other, 'dtypes', None)}"
        again = fitted(other, metric="mixed")
        assert again.column_kinds_["when"] == kind, where
        assert again.labels_.tolist() == model.labels_.tolist(), where
        spread = pytest.approx(model.within_dispersion_, rel=1e-6)
        assert again.within_dispersion_ == spread, where
        assert_allclose(model.transform(other), expected, 1e-6, 1e-9, err_msg=where)


def test_kinds_that_are_asked_for():
    size = column(["S", "M", "L"] * 8, "size")
    model = fitted(size, metric=Mixed(kinds={"size": ["S", "M", "L"]}))
    assert model.column_kinds_["size"] == "ordered"
    rho = mixed_distances([0.0, 1.0, 2.0] * 8)
    W = oracle.within_dispersion(rho, model.labels_, np.ones(24), 3)
    assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-9)
    text = column([None if d is None else d[:10] for d in DAYS])
    dates = fitted(text, metric=Mixed(kinds={"when": "date"}))
    assert dates.column_kinds_["when"] == "date"
    W = fitted(KINDS["date"][0], metric="mixed", init=dates.labels_).within_dispersion_
    assert dates.within_dispersion_ == pytest.approx(W, rel=1e-12)
    codes = column([1.0, 2.0, np.nan, 30.0] * 6, "code")
    by_code = fitted(codes, metric=Mixed(kinds={"code": "category"}))
    words = fitted(column(["x", "y", None, "z"] * 6, "code"), metric="mixed")
    assert by_code.column_kinds_["code"] == "category"
    assert by_code.within_dispersion_ == pytest.approx(words.within_dispersion_, rel=1e-12)
    ranks = fitted(codes, metric=Mixed(kinds={"code": "ordered"}))
    rho = mixed_distances([0.0, 1.0, np.nan, 2.0] * 6)
    W = oracle.within_dispersion(rho, ranks.labels_, np.ones(24), 3)
    assert ranks.within_dispersion_ == pytest.approx(float(W), rel=1e-9)
    # A number between two ranks is halfway between them, and an unknown word unlike all others.
    new = ranks.transform(column([1.0, 1.5, 2.0, 30.0, 99.0, 0.0] * 4, "code"))
    in_ranks = fitted(column([0.0, 1.0, np.nan, 2.0] * 6, "code"), metric="mixed",
                      init=ranks.labels_)  # fmt: skip
    expected = in_ranks.transform(column([0.0, 0.5, 1.0, 2.0, 2.5, -0.5] * 4, "code"))
    assert_allclose(new, expected, rtol=1e-9)
    with pytest.warns(UserWarning, match="'q'"):
        strange = words.transform(column(["q"] * 24, "code"))
    known = [words.transform(column([word] * 24, "code")) for word in "xyz"]
    assert (strange >= np.max(known, axis=0) - 1e-9).all()
    assert (strange > np.min(known, axis=0) + 1e-6).all()
    with pytest.raises(ValueError, match="infinity"):
        fitted(column([1.0, np.inf] * 12), metric="mixed")
    with pytest.raises(ValueError, match="date"):
        fitted(KINDS["date"][0].dropna())


def test_a_second_table_is_read_as_new_rows_of_the_first():
    """Its categories are those of the first, of which one may be missing."""
    first = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "c": ["a", "b", "a", "d"]})
    second = pd.DataFrame({"x": [0.5, 2.5, 4.0], "c": ["b", "d", "d"]})
    metric = ColumnSum([(Energy(), ["x"]), (Hamming(), ["c"])])
    both = pd.concat([first, second])
    x, c = both["x"].to_numpy(), both["c"].to_numpy()
    rho = np.abs(x[:, None] - x) + (c[:, None] != c)
    a, b = np.arange(4), np.arange(4, 7)
    cross, own, other = (rho[np.ix_(p, q)].mean() for p, q in ((a, b), (a, a), (b, b)))
    found = energy_distance(first, second, metric=metric)
    assert float(found) == pytest.approx(2 * cross - own - other, rel=1e-12)
    assert_allclose(metric.pairwise(first, second), rho[:4, 4:])


def test_text_is_a_date_where_the_column_of_the_fit_was_one():
    dates = fitted(column([None if d is None else d[:10] for d in DAYS]), metric="mixed")
    with pytest.raises(ValueError, match="'2024-02-30' in row 0"):
        dates.predict(column(["2024-02-30"] * 24))
    words = fitted(column(["2024-01-01", "2024-02-01", "soon"] * 8), metric="mixed")
    assert words.column_kinds_["when"] == "category"
    assert words.predict(column(["2024-01-01"] * 24)).shape == (24,)
    with pytest.raises(ValueError, match="time zone"):
        fitted(column(["2024-01-01", "2024-02-01T12:00Z"] * 12), metric="mixed")


def test_text_that_differs_in_nearly_every_row_is_an_identifier():
    for n_others, expected in ((0, {LookalikeWarning}), (2, {LookalikeWarning}), (3, set())):
        names = [f"n{i}" for i in range(24 - n_others)] + ["n0"] * n_others
        frame = column(names, "name")
        assert warnings_of(lambda frame=frame: fitted(frame, metric="mixed")) == expected


def test_frames_of_every_library_have_names():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        model = fitted(table)
        assert model.within_dispersion_ == fitted(X).within_dispersion_
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert model.get_feature_names_out()[0] == "kernelkgroups0"
        assert model.predict(table).tolist() == model.labels_.tolist()
    with pytest.raises(TypeError, match="lazy"):
        fitted(pl.from_pandas(frame).lazy())
    with pytest.raises(ValueError, match="'c'"):
        fitted(pa.Table.from_pandas(frame.assign(c=list("abc") * 8)))
