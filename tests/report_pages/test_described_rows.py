"""Columns under the names that are shown, and single cells as people write them."""

import numpy as np
import pandas as pd
import pytest

from kgroups.answers.profiles import Grouping
from kgroups.pages.described_rows import DescribedRows

LABELS = np.array([0, 0, 1, 1])
GROUPS = Grouping(LABELS, np.ones(4), 2)


def test_a_frame_of_several_kinds():
    table = pd.DataFrame(
        {
            "age": [1.5, np.nan, 3.0, 123456.789],
            "town": ["a", None, "b", "b" * 100],
            "when": pd.to_datetime(
                ["2020-01-02 00:00", None, "2021-03-04 00:00", "2021-03-05 12:30"]
            ),
            "member": [True, False, True, True],
            "count": [1, 2, 3, 4],
        }
    )
    found = DescribedRows.of_table(table, GROUPS)
    assert [found.name(c) for c in range(5)] == list(table.columns)
    rows = [[found.text(row, c) for c in range(5)] for row in range(4)]
    assert rows[0] == ["1.5", "a", "2020-01-02", "True", "1"]
    assert rows[1] == ["missing", "missing", "missing", "False", "2"]
    assert rows[3][0] == "123457"
    assert rows[3][1] == "b" * 39 + "…"
    assert rows[3][2].startswith("2021-03-05T12:30") or rows[3][2].startswith("2021-03-05 12:30")
    kinds = [column.kind for column in found.profiles.columns]
    assert kinds == ["number", "category", "number", "category", "number"]


def test_an_array_and_lists_have_numbered_columns():
    X = [[1.0, 5.0], [2.0, 5.0], [8.0, 5.0], [9.0, 5.0]]
    for table in (np.array(X), X):
        found = DescribedRows.of_table(table, GROUPS)
        assert [found.name(c) for c in (0, 1)] == ["column 1", "column 2"]
        assert found.profiles.columns[0].means.tolist() == [1.5, 8.5]


def test_names_can_be_given():
    found = DescribedRows.of_table(np.ones((4, 2)), GROUPS, ["a", "a"])
    assert [found.name(c) for c in (0, 1)] == ["a (column 1)", "a (column 2)"]


def test_columns_of_the_command_line():
    numbers = np.array([[1.0, 0.0], [2.0, np.nan], [3.0, 365.0], [4.0, 730.0]])
    found = DescribedRows.of_columns(
        numbers, {"kind": ["x", "(missing)", "y", "y"]}, ["size", "day"], GROUPS, dates=["day"]
    )
    assert [found.name(c) for c in range(3)] == ["size", "day", "kind"]
    assert [found.text(0, c) for c in range(3)] == ["1", "1970-01-01", "x"]
    assert [found.text(1, c) for c in range(3)] == ["2", "missing", "missing"]
    assert found.profiles.columns[1].is_date
    assert found.profiles.columns[0].mean_of_all == 2.5


def test_the_most_telling_columns_keep_their_order():
    X = np.array([[0.0, 1, 0, 5], [0, 2, 1, 5], [0, 8, 9, 5], [0, 9, 9, 6]])
    found = DescribedRows.of_table(X, GROUPS)
    explained = [column.explained for column in found.profiles.columns]
    assert explained[0] == 0.0
    assert found.most_telling(2) == [1, 2]
    assert found.most_telling(9) == [0, 1, 2, 3]


def test_a_column_of_two_kinds_is_an_error():
    table = pd.DataFrame({"a": pd.Series([1, "x", 2, 3], dtype=object)})
    with pytest.raises(ValueError, match="column"):
        DescribedRows.of_table(table, GROUPS)


def test_identifiers_keep_their_digits():
    found = DescribedRows.of_table(np.array([[12345678.0], [0.123456789], [1e16], [2.0]]), GROUPS)
    assert [found.text(row, 0) for row in range(4)] == ["12345678", "0.123457", "1e+16", "2"]


def test_the_text_none_is_not_a_gap():
    table = pd.DataFrame({"a": ["None", None, "nan", "b"]})
    found = DescribedRows.of_table(table, GROUPS)
    assert [found.text(row, 0) for row in range(4)] == ["None", "missing", "nan", "b"]
