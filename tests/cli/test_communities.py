"""``kgroups communities``: its numbers are those of the library, its files are whole or absent."""

import bz2
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

from helpers import each, files, reference_folder, write_csv
from kgroups import GraphKGroups, load
from kgroups.graphs import read_graph

COMMAND = "communities"

NAMES = {0: "Mr. Hi", 33: 'O"Hara, John'}
KARATE = nx.relabel_nodes(
    nx.Graph(nx.karate_club_graph().edges), {i: NAMES.get(i, f"member {i}") for i in range(34)}
)
CLUBS = {
    NAMES.get(i, f"member {i}"): data["club"] for i, data in nx.karate_club_graph().nodes(data=True)
}


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


def fitted(k="auto", **params):
    graph = read_graph("karate.csv")
    return graph, GraphKGroups(k, **({"random_state": 0} | params)).fit(graph.adjacency)


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


@each(
    ("options", "params"),
    [
        (["--objective", "bethe_hessian", "--r", "average_degree"], {"objective": "bethe_hessian"}),
        (["--init", "spectral-unit", "--n-init", "2"], {"init": "spectral-unit", "n_init": 2}),
        (["--init", "belief"], {"init": "belief"}),
        (["--init", "multilevel"], {"init": "multilevel"}),
        (["--init", "random", "--n-init", "5", "--seed", "7"],
         {"init": "random", "n_init": 5, "random_state": 7}),
        (["-k", "3", "--objective", "ratio_cut", "--weights", "degree"],
         {"n_clusters": 3, "objective": "ratio_cut", "weights": "degree"}),
        (["--n-init", "auto", "--n-jobs", "2"], {}),
    ],
)  # fmt: skip
def test_options_reach_the_estimator(karate, run, options, params):
    found = as_json(run, karate, *options, "-o", "c.csv")
    _, model = fitted(**{"k": params.pop("n_clusters", "auto"), **params})
    assert [int(row[1]) for row in written("c.csv")[1:]] == model.labels_.tolist()
    assert found["objective"]["name"] == model.chosen_objective_
    assert found["objective"]["value"] == model.objective_
    assert (found["decided_by"], found["evidence"]) == (model.decided_by_, model.evidence_)
    assert found["settings"]["resolution"] == model.resolution
    assert found["starts"]["names"] == model.start_names_
    assert found["starts"]["values"] == model.start_values_
    assert found["random_state"] == params.get("random_state", 0)


@each(
    ("options", "words"),
    [
        (["--r", "2", "--objective", "cpm"], ["--r", "bethe_hessian"]),
        (["--resolution", "2", "--objective", "ratio_cut"], ["--resolution", "modularity"]),
        (["--weights", "unit", "--objective", "modularity"], ["--weights", "ratio_cut"]),
        (["--source", "a"], ["--source", "--target"]),
        (["-o", "karate.csv"], ["-o", "GRAPH"]),
    ],
)
def test_options_that_contradict_each_other(karate, run, options, words):
    status, _, err = run(karate, *options)
    assert status == 2
    assert all(word in err for word in words)


def test_dolphins(run):
    edges = reference_folder("data", "graphs", "dolphins.edges.csv")
    labels = reference_folder("data", "graphs", "dolphins.labels.csv")
    found = as_json(run, edges, "--labels", labels)
    assert (found["nodes"], found["edges"], found["n_communities"]) == (62, 159, 2)
    assert found["truth_scores"]["accuracy"] >= 0.98


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


def test_the_largest_component(karate, folder, run):
    """Karate, and two others who know nobody else."""
    first, *others = KARATE.edges
    pieces = write_csv(folder / "pieces.csv", [first, ("x", "y"), *others])
    labels = write_csv(
        folder / "labels.csv", [("node", "label"), ("x", "left"), ("y", "left"), *CLUBS.items()]
    )
    options = ["--largest-component", "-k", 2, "--objective", "normalized_cut"]
    found = as_json(run, pieces, *options, "--labels", labels, "-o", "c.csv", "--plot", "p.png")
    assert (found["nodes"], found["left_out"], found["component_sizes"]) == (34, 2, [34])
    assert (found["truth_scores"]["classes"], found["truth_scores"]["labeled"]) == (2, 34)
    rows = dict(written("c.csv")[1:])
    assert (rows.pop("x"), rows.pop("y")) == ("", "")
    as_json(run, karate, *options[1:], "-o", "alone.csv")
    assert rows == dict(written("alone.csv")[1:])
    again = as_json(run, pieces, *options, "--labels", "c.csv")
    assert again["truth_scores"]["accuracy"] == 1.0


def test_a_picture_that_fails_leaves_no_file(karate, folder, run, monkeypatch):
    def fail(*_, **__):
        raise ValueError("no picture today")

    monkeypatch.setattr("kgroups.plots.network_overview", fail)
    status, out, err = run(karate, "-o", "c.csv", "--plot", "p.png")
    assert (status, out, "no picture today" in err) == (1, "", True)
    assert files(folder) == ["karate.csv"]


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


@each("compress", [bytes, gzip.compress, bz2.compress])
def test_standard_input_and_compressed_files(folder, run, compress):
    edges = [(a, b) for block in (0, 5) for a in range(block, block + 5) for b in range(block, a)]
    text = "source,target\n" + "".join(f"{a},{b}\n" for a, b in [*edges, (4, 5)])
    suffix = {bytes: "", gzip.compress: ".gz", bz2.compress: ".bz2"}[compress]
    content = compress(text.encode())
    Path(f"edges.csv{suffix}").write_bytes(content)
    Path(f"known.csv{suffix}").write_bytes(
        compress("".join(f"{node},{node // 5}\n" for node in range(10)).encode())
    )
    for name, stdin in ((f"edges.csv{suffix}", None), ("-", content)):
        status, out, err = run(name, "--labels", f"known.csv{suffix}", "--json", stdin=stdin)
        assert status == 0, err
        found = json.loads(out)
        assert found["labels"] == [0] * 5 + [1] * 5
        assert found["data"]["labels"]["source"] == f"known.csv{suffix}"
        assert found["data"]["sha256"] == hashlib.sha256(content).hexdigest()
        assert found["data"]["source"] == (name if stdin is None else "standard input")
