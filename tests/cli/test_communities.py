"""``kgroups communities``: its numbers are those of the library, its files are whole or absent."""

import csv
import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from helpers import files, write_csv
from kgroups import load

COMMAND = "communities"

NAMES = {0: "Mr. Hi", 33: 'O"Hara, John', **{i: f"member {i}" for i in range(1, 33)}}
KARATE = nx.relabel_nodes(nx.Graph(nx.karate_club_graph().edges), NAMES)


@pytest.fixture
def karate(folder):
    """karate.csv, and only that in the folder."""
    return write_csv(folder / "karate.csv", KARATE.edges)


def as_json(run, *arguments):
    """What is printed; standard error holds the notes of it and nothing else."""
    status, out, err = run(*arguments, "--json")
    assert status == 0, err
    found = json.loads(out)
    assert err == "".join(f"kgroups: note: {note}\n" for note in found["notes"])
    return found


def written(path):
    with Path(path).open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def test_files(karate, folder, run):
    status, out, err = run(karate, "-o", "c.csv", "--plot", "p.png", "--save", "m.kg")
    assert (status, err) == (0, "")
    assert files(folder) == ["c.csv", "karate.csv", "m.kg", "p.png"]
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")
    assert 'O"Hara, John' in [row[0] for row in written("c.csv")]
    for line in ("Communities written to c.csv.", "Model written to m.kg."):
        assert line in out
    model = load("m.kg")
    assert dict(written("c.csv")[1:]) == dict(
        zip(model.nodes_, map(str, model.labels_), strict=True)
    )
    assert run(karate, "-o", "c.parquet")[0] == 0
    assert pd.read_parquet("c.parquet")["community"].tolist() == model.labels_.tolist()


def test_networks_without_communities_and_without_edges(folder, run):
    write_csv(folder / "k.csv", nx.complete_graph(12).edges)
    assert as_json(run, "k.csv")["n_communities"] == 1
    assert run("k.csv", "-k", 1)[2] == ""
    np.save("zero.npy", np.zeros((4, 4)))
    status, _, err = run("zero.npy")
    assert (status, "zero.npy has no edges" in err) == (1, True)


def test_nodes_without_edges_come_after_the_communities(folder, run):
    edges = [(u, v, 1) for u, v in nx.ring_of_cliques(4, 5).edges]
    write_csv(folder / "g.csv", [*edges, (100, 101, 0)])
    found = as_json(run, "g.csv", "-o", "c.csv", "--plot", "p.png")
    assert (found["n_communities"], len(found["communities"])) == (4, 4)
    rows = dict(written("c.csv")[1:])
    assert (rows["100"], rows["101"]) == ("4", "5")
    assert sorted(set(rows.values())) == list("012345")


def test_as_a_program_where_text_is_ascii(folder):
    """Ids of any script reach the file as UTF-8, and the terminal as it can show them."""
    write_csv(folder / "g.csv", [("Zoë", "b"), ("b", "c"), ("c", "Zoë")])
    ended = subprocess.run(
        [sys.executable, "-m", "kgroups", "communities", "g.csv", "-k", "1", "-o", "c.csv"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert rb"Zo\xeb (2)" in ended.stdout
    assert dict(written("c.csv")) == {"node": "community", "Zoë": "0", "b": "0", "c": "0"}


def test_standard_input_is_identified_as_a_file_is(folder, run):
    edges = [(a, b) for block in (0, 5) for a in range(block, block + 5) for b in range(block, a)]
    content = gzip.compress("".join(f"{a},{b}\n" for a, b in [*edges, (4, 5)]).encode())
    (folder / "edges.csv.gz").write_bytes(content)
    write_csv(folder / "known.csv", [(node, node // 5) for node in range(10)])
    for name, stdin in (("edges.csv.gz", None), ("-", content)):
        status, out, err = run(name, "--labels", "known.csv", "--json", stdin=stdin)
        assert status == 0, err
        found = json.loads(out)
        assert found["labels"] == [0] * 5 + [1] * 5
        assert found["data"]["labels"]["source"] == "known.csv"
        assert found["data"]["sha256"] == hashlib.sha256(content).hexdigest()
        assert found["data"]["source"] == (name if stdin is None else "standard input")
