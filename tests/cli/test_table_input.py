"""From options to a metric on the columns of a table."""

import json
from argparse import Namespace

import numpy as np
import pandas as pd

from helpers import each
from kgroups.cli import main
from kgroups.cli.columns import TableFeatures
from kgroups.cli.table_input import is_matrix, metric_for
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Hamming, Laplacian, Manhattan


def options(metric="energy", **changes):
    settings = {
        "metric": metric, "alpha": None, "sigma": None, "standardize": False, "impute": [],
        "categorical": [], "columns": None, "drop": [],
    }  # fmt: skip
    return Namespace(**{**settings, **changes})


def features(n_numeric, n_categorical):
    width = n_numeric + n_categorical
    return TableFeatures(
        X=np.zeros((2, width)),
        names=[f"c{i}" for i in range(width)],
        numbers=np.zeros((2, n_numeric)),
        categories={f"c{i}": [] for i in range(n_numeric, width)},
    )


@each(
    ("chosen", "metric"),
    [
        (options(), Energy()),
        (options(alpha=0.5), Energy(0.5)),
        (options("manhattan"), Manhattan()),
        (options("gaussian"), Gaussian("median")),
        (options("gaussian", sigma=2.0), Gaussian(2.0)),
        (options("laplacian", sigma=0.5), Laplacian(0.5)),
        (options("precomputed"), "precomputed"),
    ],
)
def test_a_metric_on_numbers(chosen, metric):
    assert metric_for(chosen, features(3, 0)) == metric
    assert is_matrix(chosen) is isinstance(metric, str)


def test_categories_alone_are_compared_for_equality():
    assert metric_for(options(), features(0, 2)) == Hamming()


def test_each_category_that_differs_counts_one():
    """From (0, 0; a, x) to (3, 4; b, y) it is 5 on the numbers, and 2 on the categories."""
    metric = metric_for(options(), features(2, 2))
    assert isinstance(metric, ColumnSum)
    X = np.array([[0.0, 0, 0, 0], [3, 4, 1, 1], [0, 0, 0, 1]])
    np.testing.assert_allclose(metric.pairwise(X)[0], [0, 7, 1])


def test_a_matrix_with_names_is_read(folder):
    X = np.arange(5.0)[:, None] ** 2
    D, names = np.abs(X - X.T), [f"city {i}" for i in range(5)]
    command = ["cluster", "d.csv", "-k", "2", "--metric", "precomputed"]
    for index in (None, "name"):
        frame = pd.DataFrame(D, index=names, columns=names).rename_axis(index)
        frame.to_csv(folder / "d.csv")
        assert main(command) == 0


# --- text files as they are written elsewhere -----------------------------------------------------

GERMAN = "name;size;rate;note\nr1;1,5;-;a b\nr2;2,5;3,5;c\nr3;8;1.250,5;d\nr4;8,5;9,5;e\n"


def test_a_table_with_decimal_commas_and_dashes(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "de.csv"
    path.write_bytes(GERMAN.encode("latin-1"))
    command = ["cluster", str(path), "-k", "2", "--drop", "note", "--id-column", "name", "--json"]
    options = ["--na-values", "-,missing", "--encoding", "latin-1", "--impute", "mean"]
    assert main([*command, *options]) == 0
    found = capsys.readouterr()
    report = json.loads(found.out)
    assert report["data"]["text"] == {
        "delimiter": ";", "encoding": "latin-1", "decimal": None,
        "na_values": ["-", "missing"], "skip_lines": [], "decimal_commas": ["size", "rate"],
    }  # fmt: skip
    assert "--na-values -,missing" in report["command"]
    # Spelled out, the answer is the same.
    explicit = ["--delimiter", ";", "--decimal", ","]
    assert main([*command, *options, *explicit]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["labels"] == report["labels"]


def test_commas_with_two_meanings(tmp_path, capsys, monkeypatch):
    """One column "x,y" of 1.2, 2.2, … would be clustered without a word."""
    monkeypatch.setenv("COLUMNS", "400")
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n2,2\n3,8\n5,9\n")
    assert main(["cluster", str(path), "-k", "2", "--decimal", ","]) == 1
    assert main(["cluster", str(path), "-k", "2", "--decimal", "."]) == 0
    path.write_text('x,y\n1.500,"2,5"\n1.600,"2,6"\n9.000,"8,6"\n')
    capsys.readouterr()
    assert main(["cluster", str(path), "-k", "2"]) == 1
    capsys.readouterr()
    for delimiter in ([], ["--delimiter", ","]):
        assert main(["cluster", str(path), "-k", "2", "--decimal", ",", "--json", *delimiter]) == 0
        assert '"n_features": 2' in capsys.readouterr().out
