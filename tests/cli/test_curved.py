"""``kgroups cluster --curved``."""

import json

import numpy as np
import pytest
from json_cases import faults, is_said, numbers_in, schema
from sklearn.datasets import make_moons

from helpers import write_csv
from kgroups.cli import main


@pytest.fixture
def moons(folder):
    """A table of two half-moons with their classes, a name per row and an equal row."""
    X, y = make_moons(200, noise=0.06, random_state=0)
    rows = [
        [f"r{i}", f"{a:.6f}", f"{b:.6f}", c] for i, ((a, b), c) in enumerate(zip(X, y, strict=True))
    ]
    write_csv(folder / "moons.csv", [["id", "x", "y", "kind"], *rows, ["last", *rows[0][1:]]])
    return folder


USES = ["--label-column", "kind", "--id-column", "id"]


def run(capsys, *options):
    status = main(["cluster", "moons.csv", "--curved", *options])
    return status, *capsys.readouterr()


def test_labels_a_report_and_a_picture(moons, capsys):
    status, out, err = run(capsys, *USES, "-o", "found.csv", "--plot", "found.png")
    assert status == 0
    assert "moons.csv: 201 rows, 2 columns, 2 clusters by nearest neighbors" in out
    assert "adjusted Rand index            1.0000" in out
    assert "note: 1 row of 201 equals an earlier one" in err
    assert (moons / "found.png").stat().st_size > 10_000
    lines = (moons / "found.csv").read_text().splitlines()
    assert (lines[0], len(lines)) == ("row,id,cluster", 202)
    assert lines[1].split(",")[2] == lines[-1].split(",")[2]


@pytest.mark.parametrize(("asked", "decided"), [((), "spectrum"), (("-k", "2"), "given")])
def test_json_is_as_its_schema_says(moons, capsys, asked, decided):
    found = json.loads(run(capsys, *USES, *asked, "--json")[1])
    rule = schema("cluster-curved")
    assert faults(found, rule, rule) == []
    assert (found["n_clusters"], found["decided_by"]) == (2, decided)
    text = run(capsys, *USES, *asked)[1].rpartition(";")[0]
    assert [token for token in numbers_in(text) if not is_said(token, found)] == []
    assert found["cluster_sizes"] == np.bincount(found["labels"]).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "manhattan"], "--metric manhattan does not apply to --curved"),
        (["--weight-column", "x"], "--weight-column does not apply to --curved"),
        (["--categorical", "kind"], "--categorical does not apply to --curved"),
        (["--plot-search", "s.png"], "--plot-search does not apply to --curved"),
        (["--bound", "spectral"], "--bound does not apply to --curved"),
        (["--n-neighbors", "0"], "--n-neighbors: must be an integer >= 1"),
    ],
)
def test_what_contradicts_it(moons, capsys, options, message):
    status, _, err = run(capsys, *options)
    assert status == 2
    assert message in err


def test_without_it(moons, capsys):
    assert main(["cluster", "moons.csv", "-k", "2", "--n-neighbors", "5"]) == 2
    assert "--n-neighbors applies only to --curved" in capsys.readouterr().err
    assert main(["cluster", "moons.csv"]) == 2
    assert "the following arguments are required: -k" in capsys.readouterr().err


def test_names_of_columns_cannot_write_to_the_terminal(folder, capsys):
    X, _ = make_moons(60, noise=0.05, random_state=0)
    write_csv(folder / "moons.csv", [["x\x1b[31m", "y"], *X.tolist()])
    status, out, _ = run(capsys, "-k", "2")
    assert (status, "\x1b" in out) == (0, False)
    assert " sd" in out


def test_more_neighbors_than_few_rows_have_are_fewer(folder, capsys):
    X, _ = make_moons(20, noise=0.05, random_state=0)
    write_csv(folder / "moons.csv", [["x", "y"], *X.tolist()])
    status, out, err = run(capsys, "-k", "2", "--n-neighbors", "50")
    assert (status, "neighbors of each row  3" in out) == (0, True)
    assert "note: 3 neighbors of each row instead of 50" in err


def test_advice_on_text_contradicts_no_option(folder, capsys):
    rows = [[str(i), str(i % 3), "ab"[i % 2], "cd"[i % 2]] for i in range(10)]
    write_csv(folder / "moons.csv", [["x", "y", "c", "d"], *rows])
    status, _, err = run(capsys)
    assert (status, "--categorical" in err) == (1, False)
    assert "--drop c,d" in err


def test_text_is_not_to_be_compared(folder, capsys):
    rows = [[f"r{i}", i % 7, i * i % 11, "ab"[i % 2]] for i in range(30)]
    write_csv(folder / "moons.csv", [["id", "x", "y", "town"], *rows])
    status, _, err = run(capsys)
    assert status == 1
    command = "kgroups cluster moons.csv --curved --drop town --id-column id"
    assert command in err
    assert "--categorical" not in err
    assert main(command.split()[1:]) == 0
    err = run(capsys, "--drop", "id")[2]
    assert "--drop town to leave it out" in err


def test_one_cluster_is_explained(folder, capsys):
    rows = np.random.default_rng(0).normal(size=(40, 2)).round(6).tolist()
    write_csv(folder / "moons.csv", [["x", "y"], *rows])
    status, out, err = run(capsys)
    assert status == 0
    assert "No empty space between groups of 5 rows or more was found" in out
    assert "neighbors of each row  5" in out
    assert "note: 5 neighbors of each row instead of 10" in err
    assert "No empty space" not in run(capsys, "-k", "1")[1]
