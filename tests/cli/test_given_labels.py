"""``kgroups cluster --certify``: labels of somebody else, and the rows that would move."""

import csv
import json

import pytest
from json_cases import faults, schema
from sklearn.datasets import load_iris

from helpers import write_csv
from kgroups.bounds import certify
from kgroups.cli import main

X, SPECIES = load_iris(return_X_y=True)


@pytest.fixture
def iris(folder):
    """The table, and labels by row number in another order."""
    write_csv(folder / "iris.csv", [["a", "b", "c", "d"], *X.tolist()])
    rows = [[i + 1, int(label)] for i, label in enumerate(SPECIES)]
    write_csv(folder / "labels.csv", [["row", "cluster"], *reversed(rows)])
    return folder


def run(capsys, *arguments, status=0):
    found = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert found == status, err
    return out, err


def test_moves_are_those_of_the_library_by_row_number(iris, capsys):
    out = json.loads(run(capsys, "cluster", "iris.csv", "--certify", "labels.csv", "--json")[0])
    rule = schema("certify")
    assert faults(out, rule, rule) == []
    expected = certify(X, SPECIES)
    assert sorted(move["row"] - 1 for move in out["moves"]) == expected.rows.tolist()
    assert out["moves"][0]["gain"] == expected.gains.max()
    assert out["within_dispersion"] == expected.within_dispersion
    assert out["is_optimal"] is False
    assert out["certificate"]["proved"] is True


def test_the_file_of_moves_says_what_json_says(iris, capsys):
    run(capsys, "cluster", "iris.csv", "--certify", "labels.csv", "-o", "moves.csv")
    found = json.loads(run(capsys, "cluster", "iris.csv", "--certify", "labels.csv", "--json")[0])
    with open("moves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == [move["row"] for move in found["moves"]]
    assert [float(row["gain"]) for row in rows] == [move["gain"] for move in found["moves"]]


def test_a_plain_column_of_words_in_the_order_of_the_rows(iris, capsys):
    names = [["species"], *([["setosa", "versicolor", "virginica"][s]] for s in SPECIES)]
    write_csv(iris / "words.csv", names)
    out = json.loads(run(capsys, "cluster", "iris.csv", "--certify", "words.csv", "--json")[0])
    assert {move["target"] for move in out["moves"]} == {"versicolor", "virginica"}
    assert len(out["moves"]) == 9


def test_the_numbers_of_rows_and_one_more_column(iris, capsys):
    rows = [[i + 1, int(label)] for i, label in enumerate(SPECIES)]
    write_csv(iris / "named.csv", [["row", "species"], *reversed(rows)])
    out = json.loads(run(capsys, "cluster", "iris.csv", "--certify", "named.csv", "--json")[0])
    assert len(out["moves"]) == 9
