"""What sections read: columns as they are shown, colors, and in what clusters differ."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from kgroups.answers.profiles import Grouping, profiles
from kgroups.pages.cluster_words import differences, told_apart_by
from kgroups.pages.described_rows import DescribedRows
from kgroups.plots import cluster_colors
from page_cases import facts_of, groups

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


def test_identifiers_keep_their_digits():
    found = DescribedRows.of_table(np.array([[12345678.0], [0.123456789], [1e16], [2.0]]), GROUPS)
    assert [found.text(row, 0) for row in range(4)] == ["12345678", "0.123457", "1e+16", "2"]


def test_the_text_none_is_not_a_gap():
    table = pd.DataFrame({"a": ["None", None, "nan", "b"]})
    found = DescribedRows.of_table(table, GROUPS)
    assert [found.text(row, 0) for row in range(4)] == ["None", "missing", "nan", "b"]


def test_colors_are_those_of_the_pictures():
    facts = facts_of(groups())
    assert facts.n_clusters == 3
    assert facts.colors == [to_hex(color) for color in cluster_colors(3)]
    assert len(set(facts.colors)) == 3


@pytest.mark.parametrize("k", [13, 40])
def test_many_clusters_have_colors_that_differ(k):
    rng = np.random.default_rng(0)
    facts = facts_of(rng.normal(size=(2 * k, 2)), k)
    assert len(set(facts.colors)) == k


THREE = np.repeat([0, 1, 2], 20)


def neighbors():
    """Clusters 0 and 1 differ in one column of categories; cluster 2 is elsewhere."""
    rng = np.random.default_rng(0)
    age = np.where(THREE < 2, 30.0, 60.0) + rng.normal(size=60)
    orders = np.where(THREE < 2, 20.0, 5.0) + rng.normal(size=60)
    visits = np.where(THREE < 2, 9.0, 1.0) + rng.normal(size=60)
    letter = np.where(THREE == 1, "yes", "no")
    return pd.DataFrame({"age": age, "orders": orders, "visits": visits, "letter": letter})


def test_differences_by_hand():
    found = profiles(np.array([[0.0], [0.0], [4.0], [8.0]]), np.array([0, 0, 1, 2]), 3)
    sd = found.columns[0].sd
    np.testing.assert_allclose(differences(found, 0), [[0.0, 4 / sd, 8 / sd]])
    kinds = profiles(pd.DataFrame({"a": ["x", "x", "y", "y"]}), np.array([0, 0, 1, 1]), 2)
    np.testing.assert_allclose(differences(kinds, 0), [[0.0, 2.0]])


def test_the_column_that_tells_neighbors_apart():
    found = profiles(neighbors(), THREE, 3)
    assert told_apart_by(found, 0, 1) == "letter"
    assert told_apart_by(found, 0, 2) is None
