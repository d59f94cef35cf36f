"""What columns hold by content, and what --kinds says instead."""

from argparse import Namespace

import numpy as np
import pytest

from helpers import each
from kgroups.cli.column_kinds import kinds_of_columns
from kgroups.cli.iso_dates import are_dates, is_date, moment
from kgroups.exceptions import DataError
from kgroups.input.table_files import read_table

pytestmark = pytest.mark.nojit


def read(folder, *columns, name="a"):
    """A table of columns called a, b, ...; None is an empty field."""
    names = "abcdefgh"[: len(columns)]
    rows = [
        ",".join("" if v is None else str(v) for v in row) for row in zip(*columns, strict=True)
    ]
    (folder / "x.csv").write_text("\n".join([",".join(names), *rows, ""]))
    return read_table(folder / "x.csv")


def options(kinds=None, **more):
    given = {"categorical": [], "kinds": kinds or {}, "id_column": None, "data": "x.csv",
             "text_column": None, "append": False}  # fmt: skip
    return Namespace(**{**given, **more})


def kinds(table, asked=None, **more):
    found = kinds_of_columns(table, range(len(table.names)), options(asked, **more))
    return found, [found[c].kind for c in sorted(found)]


NUMBERS = list(range(30))


@each(
    ("column", "kind", "values"),
    [
        ([1, 2.5, None], "number", [1, 2.5, np.nan]),
        (["yes", "no", None, "Yes"], "boolean", [1, 0, np.nan, 1]),
        (["Y", "n", "y"], "boolean", [1, 0, 1]),
        (["off", "on", "on"], "boolean", [0, 1, 1]),
        (["true", "False", "TRUE"], "boolean", [1, 0, 1]),
        (["red", "blue", "red", None], "category", [1, 0, 1, np.nan]),
        (["10x", "9x", "9x", "10x"], "refused", None),
        (["1970-01-02", "1970-01-01", None], "date", [1, 0, np.nan]),
        (["1970-01-01T12:00", "1970-01-02 06:00:00"], "date", [0.5, 1.25]),
        (["1970/1/2", "1970/01/03"], "date", [1, 2]),
        (["1970-01-01T12:00Z", "1970-01-01T12:00+06:00"], "date", [0.5, 0.25]),
        (["1969-12-31", "2000-02-29"], "date", [-1, 11016]),
        (["yes", "yes"], "category", [0, 0]),  # one value tells nothing
        (["yes", "no", "maybe", "no", "yes", "maybe"], "category", [2, 1, 0, 1, 2, 0]),
        ([f"u{i}" for i in range(5)], "refused", None),
        ([f"u{i // 2}" if i < 8 else f"v{i}" for i in range(30)], "refused", None),
        ([f"u{i % 15}" for i in range(30)], "category", None),
        (["2001-02-3", "2001-02-31"], "refused", None),
        (["01/02/2003", "04/05/2003", "06/07/2008"], "refused", None),
        (["3 kg", "5 kg", "3 kg"], "refused", None),
        (["5%", "7%", "5%"], "refused", None),
        (["1", "2", "unknown", "3"], "refused", None),
        ([None, None], "refused", None),
        (["1,2", "x", "y"], "category", None),
    ],
)
def test_by_content(tmp_path, column, kind, values):
    quoted = [f'"{v}"' if isinstance(v, str) and "," in v else v for v in column]
    table = read(tmp_path, quoted, NUMBERS[: len(column)])
    if column[0] == "1,2":
        column = ["x", "y", "x"]
        table = read(tmp_path, column, NUMBERS[:3])
    if kind == "refused":
        with pytest.raises(DataError, match="column 'a'"):
            kinds(table)
        return
    found, names = kinds(table)
    assert names == [kind, "number"]
    assert found[0].values.dtype == np.float64
    if values is not None:
        np.testing.assert_array_equal(found[0].values, values)


@each(
    ("column", "asked", "values", "levels"),
    [
        ([10115, 80331, 10115, None], "category", [0, 1, 0, np.nan], ("10115", "80331")),
        ([3, 1, 10, 1], "ordered", [1, 0, 2, 0], ("1", "3", "10")),
        (["b", "a", None, "c"], "ordered", [1, 0, np.nan, 2], ("a", "b", "c")),
        (["S", "L", "M", "S"], "S<M<L", [0, 2, 1, 0], ("S", "M", "L")),
        (["S", "L", "L", "S"], "S < M < L", [0, 2, 2, 0], ("S", "M", "L")),
        ([1, 0, 1], "boolean", [1, 0, 1], ("False", "True")),
        (["yes", "yes", None], "boolean", [1, 1, np.nan], ("no", "yes")),
        (["u1", "u2", "u3"], "category", [0, 1, 2], ("u1", "u2", "u3")),
        (["1", "x1", "2"], "category", [0, 2, 1], None),
        (["2001-01-01", "2001-01-02"], "category", [0, 1], ("2001-01-01", "2001-01-02")),
        (["2001-01-01", "2001-01-02"], "date", [11323, 11324], ()),
        ([4, 5, 6], "number", [4, 5, 6], ()),
    ],
)
def test_as_asked(tmp_path, column, asked, values, levels):
    table = read(tmp_path, column, NUMBERS[: len(column)])
    found, _ = kinds(table, {"a": asked})
    assert found[0].kind == ("ordered" if "<" in asked else asked)
    np.testing.assert_array_equal(found[0].values, values)
    if levels is not None:
        assert found[0].levels == levels


def test_categorical_is_heeded(tmp_path):
    table = read(tmp_path, [1, 2, 1], NUMBERS[:3])
    assert kinds(table, categorical=["a"])[1] == ["category", "number"]
    assert kinds(table, {"a": "ordered"}, categorical=["a"])[1] == ["ordered", "number"]


@each(
    ("text", "seconds"),
    [
        ("2001-02-03", 0), ("2001-2-3", 0), ("2001/02/03", 0), ("2001-02-03 4:05", 14_700),
        ("2001-02-03T04:05:06.5", 14_706.5), ("2001-02-03 04:05:06,25", 14_706.25),
        (" 2001-02-03 ", 0),
    ],
)  # fmt: skip
def test_dates_as_they_are_written(text, seconds):
    found = moment(text)
    assert (found.year, found.month, found.day) == (2001, 2, 3)
    assert found.hour * 3600 + found.minute * 60 + found.second + found.microsecond / 1e6 == seconds


@each(
    "text",
    [
        "2001-13-01",
        "2001-02-29",
        "20010203",
        "2001-W05-6",
        "2001-02",
        "1.2.2001",
        "2001-02-03x",
        "",
    ],
)
def test_what_is_no_date(text):
    assert not is_date(text)


def test_a_column_of_dates(tmp_path):
    table = read(tmp_path, ["2001-01-01", None], ["2001-01-01", "x"], [1, 2])
    assert [are_dates(table, column) for column in (0, 1)] == [True, False]
