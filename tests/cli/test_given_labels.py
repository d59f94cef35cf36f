"""``kgroups cluster --certify``: labels of somebody else, and the rows that would move."""

import csv
import json

import pytest
from json_cases import faults, is_said, numbers_in, schema
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


def test_the_report_says_what_json_says(iris, capsys):
    text = run(capsys, "cluster", "iris.csv", "--certify", "labels.csv", "-o", "moves.csv")[0]
    found = json.loads(run(capsys, "cluster", "iris.csv", "--certify", "labels.csv", "--json")[0])
    words = text.rpartition(";")[0]
    assert [token for token in numbers_in(words) if not is_said(token, found)] == ["9"]
    assert "9 rows would each lower W by a move alone" in " ".join(text.split())
    with open("moves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == [move["row"] for move in found["moves"]]
    assert [float(row["gain"]) for row in rows] == [move["gain"] for move in found["moves"]]


def test_labels_of_a_fit_are_optimal(iris, capsys):
    run(capsys, "cluster", "iris.csv", "-k", 3, "-o", "ours.csv")
    text = run(capsys, "cluster", "iris.csv", "--certify", "ours.csv")[0]
    assert "No move of a single row improves these labels" in text
    assert "all rows decided, from all 11,175 distances" in " ".join(text.split())


def test_a_plain_column_of_words_in_the_order_of_the_rows(iris, capsys):
    names = [["species"], *([["setosa", "versicolor", "virginica"][s]] for s in SPECIES)]
    write_csv(iris / "words.csv", names)
    out = json.loads(run(capsys, "cluster", "iris.csv", "--certify", "words.csv", "--json")[0])
    assert {move["target"] for move in out["moves"]} == {"versicolor", "virginica"}
    assert len(out["moves"]) == 9


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["-k", "3"], "-k does not apply to --certify"),
        (["--n-init", "3"], "--n-init does not apply to --certify"),
        (["--method", "dense"], "--method does not apply to --certify"),
        (["--plot", "p.png"], "--plot does not apply to --certify"),
        (["--plot-search", "p.png"], "--plot-search does not apply to --certify"),
        (["--curved"], "--curved does not apply to --certify"),
    ],
)
def test_options_of_a_search_do_not_apply(iris, capsys, option, words):
    err = run(capsys, "cluster", "iris.csv", "--certify", "labels.csv", *option, status=2)[1]
    assert words in err


def test_the_numbers_of_rows_and_one_more_column(iris, capsys):
    rows = [[i + 1, int(label)] for i, label in enumerate(SPECIES)]
    write_csv(iris / "named.csv", [["row", "species"], *reversed(rows)])
    out = json.loads(run(capsys, "cluster", "iris.csv", "--certify", "named.csv", "--json")[0])
    assert len(out["moves"]) == 9


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["cluster"], [1], [2]], "labels.csv has 2 labels, and iris.csv has 150 rows"),
        ([["cluster"], *[["a"]] * 149, [""]], "has no label on line 151"),
        ([["row", "cluster"], *[[1, "a"]] * 150], "does not hold each number from 1 to 150 once"),
        (
            [["x", "y"], *[[1, "a"]] * 150],
            "has 2 columns and none of them is named \"cluster\": 'x', 'y'. Name",
        ),
    ],
)
def test_labels_that_do_not_fit(iris, capsys, rows, words):
    write_csv(iris / "labels.csv", rows)
    err = run(capsys, "cluster", "iris.csv", "--certify", "labels.csv", status=1)[1]
    assert words in err


def test_a_number_of_clusters_is_needed_without_labels(iris, capsys):
    assert "-k" in run(capsys, "cluster", "iris.csv", status=2)[1]
