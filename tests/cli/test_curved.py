"""``kgroups cluster --curved``."""

import json

import numpy as np
import pytest
from json_cases import faults, schema
from sklearn.datasets import make_moons

from helpers import each, write_csv
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
    assert run(capsys, *USES, "-o", "found.csv", "--plot", "found.png")[0] == 0
    assert (moons / "found.png").stat().st_size > 10_000
    lines = (moons / "found.csv").read_text().splitlines()
    assert (lines[0], len(lines)) == ("row,id,cluster", 202)
    assert lines[1].split(",")[2] == lines[-1].split(",")[2]


@each(("asked", "decided"), [((), "spectrum"), (("-k", "2"), "given")])
def test_json_is_as_its_schema_says(moons, capsys, asked, decided):
    found = json.loads(run(capsys, *USES, *asked, "--json")[1])
    rule = schema("cluster-curved")
    assert faults(found, rule, rule) == []
    assert (found["n_clusters"], found["decided_by"]) == (2, decided)
    assert found["scores"]["ari"] == 1.0
    assert found["cluster_sizes"] == np.bincount(found["labels"]).tolist()


def test_names_of_columns_cannot_write_to_the_terminal(folder, capsys):
    X, _ = make_moons(60, noise=0.05, random_state=0)
    write_csv(folder / "moons.csv", [["x\x1b[31m", "y"], *X.tolist()])
    status, out, _ = run(capsys, "-k", "2")
    assert (status, "\x1b" in out) == (0, False)
    assert " sd" in out
