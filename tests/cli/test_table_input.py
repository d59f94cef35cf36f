"""From options to a metric on the columns of a table, and options that contradict each other."""

import json
from argparse import Namespace

import numpy as np
import pandas as pd
import pytest

from kgroups.cli import main
from kgroups.cli.columns import TableFeatures
from kgroups.cli.console import UsageError
from kgroups.cli.table_input import check_metric_options, is_matrix, metric_for
from kgroups.names import METRIC_ALIASES, SEMIMETRICS, UNSCALED
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (options("manhattan", alpha=1.0), "--alpha applies only to --metric energy; omit it for m"),
        (options(sigma=1.0), "--sigma applies only to --metric laplacian and gaussian; omit it"),
        (options("precomputed", standardize=True), "--standardize applies to tables of features"),
        (options("precomputed_kernel", impute=["mean"]), "--impute applies to tables of features"),
        (options("precomputed", categorical=["a"]), "--categorical applies to tables of features"),
        (options("precomputed", columns=["a"]), "--columns applies to tables of features, but"),
        (
            options("great_circle", standardize=True),
            "--metric great_circle compares places; omit one",
        ),
        (options("hamming", standardize=True), "--metric hamming compares categories; omit one"),
        (options("jaccard", standardize=True), "--metric jaccard compares sets; omit one"),
        (options("hellinger", standardize=True), "--metric hellinger compares histograms; omit"),
        (options("kendall_tau", standardize=True), "--metric kendall_tau compares rankings; omit"),
    ],
)
def test_options_that_contradict_each_other(chosen, message):
    with pytest.raises(UsageError, match=message):
        check_metric_options(chosen)


@pytest.mark.parametrize(
    "chosen",
    [
        options(alpha=1.0),
        options("gaussian", sigma="median"),
        options(standardize=True, impute=["mean"], columns=["a"], categorical=["b"]),
        options("precomputed"),
    ],
)
def test_options_that_agree(chosen):
    check_metric_options(chosen)


@pytest.mark.parametrize("metric", [*SEMIMETRICS, *METRIC_ALIASES])
def test_standardize_is_advised_exactly_where_it_is_taken(metric, tmp_path, capsys, monkeypatch):
    """The second column has nearly all of the variance; rows are histograms, sets and places."""
    monkeypatch.setenv("COLUMNS", "300")
    path = tmp_path / "t.csv"
    unit = 1.5 / 157 if metric == "haversine" else 1.0
    rows = [(0.0, 1), (0.02, 50), (0.03, 120), (0.01, 157), (0.02, 90), (2.1, 2)]
    path.write_text("a,b\n" + "".join(f"{a * unit},{b * unit}\n" for a, b in rows))
    command = ["cluster", str(path), "-k", "2", "--metric", metric]
    assert main(command) == 0
    advised = "--standardize gives" in capsys.readouterr().err
    assert advised is (metric not in UNSCALED)
    assert main([*command, "--standardize"]) == (0 if advised else 2)


def test_a_matrix_with_names_is_read_or_told_how_to_be(folder, capsys):
    X = np.arange(5.0)[:, None] ** 2
    D, names = np.abs(X - X.T), [f"city {i}" for i in range(5)]
    command = ["cluster", "d.csv", "-k", "2", "--metric", "precomputed"]
    for index in (None, "name"):
        frame = pd.DataFrame(D, index=names, columns=names).rename_axis(index)
        frame.to_csv(folder / "d.csv")
        assert main(command) == 0
        assert "the first column of d.csv names the rows" in capsys.readouterr().err
    pd.DataFrame(D, index=names).to_csv(folder / "d.csv", header=False)
    assert main(command) == 1
    assert "add a line of names above it: name,city 0,…" in capsys.readouterr().err
    pd.DataFrame(D).to_csv(folder / "d.csv", index=False)
    assert main(command) == 1
    assert "Perhaps the first line, 0, 1, 2, …, is read as a row" in capsys.readouterr().err


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
    assert f"fields of {path} are separated by semicolons" in found.err
    assert "1 missing number" in found.err
    assert "--na-values -,missing" in report["command"]
    # Spelled out, the answer is the same.
    explicit = ["--delimiter", ";", "--decimal", ","]
    assert main([*command, *options, *explicit]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["labels"] == report["labels"]
    assert "separated" not in found.err


def test_text_that_is_nearly_a_number_gets_its_own_advice(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,-\n2,5\n3,6\n")
    assert main(["cluster", str(path), "-k", "2"]) == 1
    assert "--na-values takes '-' for missing values." in (err := capsys.readouterr().err)
    assert err.endswith("--na-values=- --impute mean\n")
    path.write_text("a,b\n1,2\n,\n3,6\n,\n")
    assert main(["cluster", str(path), "-k", "2", "--impute", "mean"]) == 1
    assert "has 2 rows without any value: line 3, line 5; remove them." in capsys.readouterr().err
    path.write_text('a,b\n1,"1,000"\n2,"5,000"\n3,"6,000"\n')
    assert main(["cluster", str(path), "-k", "2"]) == 1
    assert "--decimal . says that points are decimal marks" in capsys.readouterr().err
    assert main(["cluster", str(path), "-k", "2", "--decimal", "."]) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--delimiter", ";;"], "must be one character"),
        (["--delimiter", "a"], "must be one character"),
        (["--encoding", "utf8x"], "Did you mean 'utf-8'?"),
        (["--encoding", "rot13"], "must be an encoding"),
        (["--encoding", "zip"], "must be an encoding"),
        (["--decimal", ";"], "invalid choice"),
        (["--na-values", "--json"], "expected one argument"),
        (["--na-values", "-k"], "expected one argument"),
    ],
)
def test_options_of_text_files_that_mean_nothing(tmp_path, capsys, monkeypatch, options, words):
    monkeypatch.setenv("COLUMNS", "300")
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    assert main(["cluster", str(path), "-k", "2", *options]) == 2
    assert words in capsys.readouterr().err


def test_commas_with_two_meanings(tmp_path, capsys, monkeypatch):
    """One column "x,y" of 1.2, 2.2, … would be clustered without a word."""
    monkeypatch.setenv("COLUMNS", "400")
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n2,2\n3,8\n5,9\n")
    assert main(["cluster", str(path), "-k", "2", "--decimal", ","]) == 1
    said = capsys.readouterr().err
    assert "its header (2 names: 'x', 'y'), so --decimal , cannot be right" in said
    assert "Write --decimal . instead, or name what separates the fields" in said
    assert main(["cluster", str(path), "-k", "2", "--decimal", "."]) == 0
    path.write_text('x,y\n1.500,"2,5"\n1.600,"2,6"\n9.000,"8,6"\n')
    capsys.readouterr()
    assert main(["cluster", str(path), "-k", "2"]) == 1
    assert "--decimal , says the reverse" in capsys.readouterr().err
    for delimiter in ([], ["--delimiter", ","]):
        assert main(["cluster", str(path), "-k", "2", "--decimal", ",", "--json", *delimiter]) == 0
        assert '"n_features": 2' in capsys.readouterr().out


def test_a_workbook_with_the_name_of_text(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    pd.DataFrame({"x": [1, 2]}).to_excel(tmp_path / "t.xlsx")
    path = (tmp_path / "t.xlsx").rename(tmp_path / "t.csv")
    assert main(["cluster", str(path), "-k", "2"]) == 1
    assert "a workbook; give it the extension .xlsx." in capsys.readouterr().err
