"""``--json`` of every command: as its schema says, with every number that the text prints."""

import getpass
import hashlib
import io
import json
import re
import shlex
import socket
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from json_cases import faults, is_said, numbers_in, schema

from helpers import write_csv
from kgroups.cli import main
from kgroups.semimetrics import Energy

rng = np.random.default_rng(0)
POINTS = np.concatenate([rng.normal(c, 1.0, (12, 2)) for c in ((0, 0), (9, 0), (0, 9))])
KINDS = np.repeat(["red", "green", "blue"], 12)


@pytest.fixture
def data(folder):
    """Tables, a matrix and networks in a working folder."""
    head = ["name", "x", "y", "town", "kind", "w", "rest"]
    rows = [
        [f"n{i}", "" if i == 3 else f"{x:.3f}", f"{y:.3f}", "ab"[i % 2], kind, 1 + i % 3, i**2]
        for i, ((x, y), kind) in enumerate(zip(POINTS, KINDS, strict=True))
    ]
    write_csv(folder / "table.csv", [head, *rows])
    write_csv(folder / "plain.csv", [["x", "y"], *POINTS[:18].round(3).tolist()])
    write_csv(folder / "other.csv", [["x", "y"], *POINTS[18:].round(3).tolist()])
    write_csv(folder / "few.csv", [["x", "g"], [0.5, "p"], [1.5, "p"], [7.5, "q"], [9.0, "q"]])
    np.save(folder / "distances.npy", Energy().pairwise(POINTS))
    np.save(folder / "kernel.npy", POINTS @ POINTS.T)
    pairs = [(u, v) for group in ("abcd", "efghi") for u, v in combinations(group, 2)]
    edges = [(u, v, 1 + i % 3) for i, (u, v) in enumerate(pairs)]
    extra = [("d", "e", 1), ("a", "a", 2), ("y", "z", 5)]
    write_csv(folder / "edges.csv", [("source", "target", "weight"), *edges, *extra])
    signed = [(u, v, -1 if (u, v) == ("d", "e") else 1) for u, v, _ in (*edges, *extra[:1])]
    write_csv(folder / "signed.csv", [("source", "target", "weight"), *signed])
    truth = [(u, "" if u in "ayz" else "12"[u > "d"]) for u in "abcdefghiyz"]
    write_csv(folder / "truth.csv", [("node", "label"), *truth])
    return folder


USES = ["--id-column", "name", "--label-column", "kind", "--weight-column", "w"]
FEATURES = ["--drop", "rest", "--categorical", "town", "--standardize", "--impute", "mean"]
CASES = {
    "every use of a column": ["cluster", "table.csv", "-k", 3, "--n-init", 3, *USES, *FEATURES],
    "a length scale": ["cluster", "plain.csv", "-k", 2, "--n-init", 1, "--metric", "gaussian"],
    "an approximation": ["cluster", "plain.csv", "-k", 2, "--method", "nystroem", "--n-init", 2],
    "distances": ["cluster", "distances.npy", "-k", 3, "--metric", "precomputed", "--n-init", 2,
                  "--memory-limit", "1 GiB", "--bound", "none"],
    "a number that is chosen": ["cluster", "plain.csv", "-k", "auto", "--n-init", 2],
    "a kernel": ["cluster", "kernel.npy", "-k", 3, "--metric", "precomputed_kernel"],
    "a count": ["choose-k", "table.csv", "--k-max", 2, "--max-samples", 20, "--columns", "x,y",
                "--label-column", "kind", "--impute", "mean"],
    "two files": ["test", "plain.csv", "other.csv", "--permutations", 99],
    "samples by a column": ["test", "few.csv", "--by", "g", "--permutations", 99],
    "a network": ["communities", "edges.csv", "--labels", "truth.csv", "--n-init", 3],
    "a part of it": ["communities", "edges.csv", "-k", 2, "--largest-component", "--objective",
                     "modularity"],
    "signs": [
        "communities", "signed.csv", "-k", 2, "--objective", "bethe_hessian", "--init", "spectral",
        "--r", 1.5,
    ],
}  # fmt: skip
# What a hint says can be asked for, whatever the data.
HINTS = {"5,000"}


def run(capsys, *arguments, status=0):
    found = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert found == status, err
    return out, err


def as_json(capsys, *arguments):
    return json.loads(run(capsys, *arguments, "--json")[0])


@pytest.mark.parametrize("case", CASES)
def test_json_is_as_its_schema_says_with_every_number_of_the_text_and_no_secret(data, capsys, case):
    text, said = run(capsys, *CASES[case])
    found = as_json(capsys, *CASES[case])
    rule = schema(CASES[case][0])
    assert faults(found, rule, rule) == []
    assert "".join(f"kgroups: note: {note}\n" for note in found["notes"]) == said
    # The text takes its own time.
    words = re.sub(r"[\d.]+\s+s\s+in\s+all", "", text)
    whole = json.dumps({key: value for key, value in found.items() if key != "versions"})
    for secret in (socket.gethostname(), str(data), str(Path.home()), f"/{getpass.getuser()}/"):
        assert secret not in whole
    missing = [t for t in numbers_in(words) if t not in HINTS and not is_said(t, found)]
    assert missing == []


def test_settings_are_what_auto_stood_for(data, capsys):
    settings = as_json(capsys, *CASES["a length scale"])["settings"]
    pairs = np.triu_indices(18, 1)
    X = np.loadtxt("plain.csv", delimiter=",", skiprows=1)
    distances = np.linalg.norm(X[pairs[0]] - X[pairs[1]], axis=1)
    assert settings["metric"]["params"]["sigma"] == pytest.approx(np.median(distances))
    assert (settings["method"], settings["bound"]) == ("dense", "spectral")
    assert as_json(capsys, "choose-k", "few.csv", "--drop", "g")["settings"]["k_max"] == 1


@pytest.mark.parametrize("case", ["every use of a column", "two files", "a network"])
def test_the_command_repeats_the_run(data, capsys, case):
    found = as_json(capsys, *CASES[case])
    program, *arguments = shlex.split(found["command"])
    assert program == "kgroups"
    again = json.loads(run(capsys, *arguments)[0])
    assert again | {"seconds": 0} == found | {"seconds": 0}


class Pipe(io.BytesIO):
    """Bytes that can be read once."""

    def seekable(self):
        return False

    def seek(self, *_):
        raise io.UnsupportedOperation("seek")


@pytest.mark.parametrize("stream", [io.BytesIO, Pipe])
def test_digest_of_standard_input(data, capsys, monkeypatch, stream):
    content = Path("plain.csv").read_bytes()

    class Stdin:
        buffer = stream(content)

    monkeypatch.setattr(sys, "stdin", Stdin())
    found = as_json(capsys, "cluster", "-", "-k", 2, "--n-init", 1)
    assert found["data"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert found["data"]["source"] == "standard input"
    expected = as_json(capsys, "cluster", "plain.csv", "-k", 2, "--n-init", 1)
    assert found["labels"] == expected["labels"]


def test_digests_of_networks_and_samples(data, capsys):
    def digest(name):
        return hashlib.sha256(Path(name).read_bytes()).hexdigest()

    network = as_json(capsys, *CASES["a network"])
    assert network["data"]["sha256"] == digest("edges.csv")
    assert network["data"]["labels"] == {"source": "truth.csv", "sha256": digest("truth.csv")}
    assert dict(zip(network["ids"], network["labels"], strict=True)).keys() == set("abcdefghiyz")
    samples = as_json(capsys, *CASES["two files"])
    assert [d["sha256"] for d in samples["data"]] == [digest("plain.csv"), digest("other.csv")]
