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
import pytest

from helpers import each, files, reference_folder, write_csv
from kgroups import GraphKGroups
from kgroups.cli import main
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


@pytest.fixture
def clubs(folder):
    """The two clubs, with one member left out."""
    rows = [(name, "" if name == "Mr. Hi" else club) for name, club in CLUBS.items()]
    return write_csv(folder / "clubs.csv", [("node", "label"), *rows])


def as_json(run, *arguments):
    """What is printed; standard error holds the notes of it and nothing else."""
    status, out, err = run(*arguments, "--json")
    found = json.loads(out)
    assert (status, err) == (0, "".join(f"kgroups: note: {note}\n" for note in found["notes"]))
    return found


def fitted(k="auto", **params):
    graph = read_graph("karate.csv")
    return graph, GraphKGroups(k, **({"random_state": 0} | params)).fit(graph.adjacency)


def written(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


# --- what comes out --------------------------------------------------------------------------


def test_files(karate, folder, run):
    status, _, err = run(karate, "-o", "c.csv", "--plot", "p.png")
    assert (status, err) == (0, "")
    assert files(folder) == ["c.csv", "karate.csv", "p.png"]
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")
    assert b'\n"O""Hara, John",' in (folder / "c.csv").read_bytes()


@each(
    ("options", "params"),
    [
        (["--objective", "bethe_hessian", "--r", "average_degree"], {"objective": "bethe_hessian"}),
        (["--init", "spectral"], {"init": "spectral"}),
        (["--init", "spectral-unit", "--n-init", "2"], {"init": "spectral-unit", "n_init": 2}),
        (["--init", "spectral-walk"], {"init": "spectral-walk"}),
        (["--init", "belief"], {"init": "belief"}),
        (["--init", "multilevel"], {"init": "multilevel"}),
        (["--init", "random", "--n-init", "5", "--seed", "7"],
         {"init": "random", "n_init": 5, "random_state": 7}),
        (["--n-init", "auto", "--n-jobs", "2"], {}),
    ],
)  # fmt: skip
def test_options_reach_the_estimator(karate, folder, run, options, params):
    found = as_json(run, karate, *options, "-o", "c.csv")
    _, model = fitted(**params)
    labels = [int(row[1]) for row in written(folder / "c.csv")[1:]]
    assert labels == model.labels_.tolist()
    assert found["objective"]["name"] == model.chosen_objective_
    assert found["objective"]["value"] == model.objective_
    assert found["objective"]["resolution"] in (model.resolution_, None)
    assert (found["decided_by"], found["evidence"]) == (model.decided_by_, model.evidence_)
    assert (found["agreement"], found["settings"]["resolution"]) == (
        model.agreement_,
        model.resolution,
    )
    assert found["starts"]["names"] == model.start_names_
    assert found["starts"]["values"] == model.start_values_
    assert found["random_state"] == params.get("random_state", 0)
    assert found["r"] in (model.r_, None)


def test_decimal_commas(folder, run):
    (folder / "g.csv").write_text("von;nach;gewicht\na;b;0,5\nb;c;1,25\nc;a;2\nc;d;1.234,5\n")
    found = as_json(run, "g.csv", "-k", "2")
    assert found["total_weight"] == 0.5 + 1.25 + 2 + 1234.5
    text = {
        "delimiter": ";",
        "encoding": "utf-8",
        "decimal": None,
        "skip_lines": [],
        "decimal_commas": ["gewicht"],
        "has_header": True,
        "columns": {"source": "von", "target": "nach", "weight": "gewicht"},
    }
    assert found["data"]["text"] == text
    found = as_json(run, "g.csv", "-k", "2", "--decimal", ",", "--delimiter", ";")
    assert found["data"]["text"] == text | {"decimal": ",", "decimal_commas": []}
    assert run("g.csv", "--decimal", ",", "--delimiter", ",")[0] == 2
    status, out, _ = run("-", "-k", 2, "--decimal", ",", "--json", stdin=b"1;2;1.000\n2;3;1,5\n")
    assert (status, json.loads(out)["total_weight"]) == (0, 1001.5)


def test_dolphins(run):
    edges = reference_folder("data", "graphs", "dolphins.edges.csv")
    labels = reference_folder("data", "graphs", "dolphins.labels.csv")
    found = as_json(run, edges, "--labels", labels)
    assert (found["nodes"], found["edges"], found["n_communities"]) == (62, 159, 2)
    assert found["truth_scores"]["accuracy"] >= 0.98


# --- notes and progress ----------------------------------------------------------------------


def test_a_graph_without_communities(folder, run):
    write_csv(folder / "k.csv", nx.complete_graph(12).edges)
    assert as_json(run, "k.csv")["n_communities"] == 1
    assert run("k.csv", "-k", 1)[2] == ""


def test_nodes_without_edges_come_after_the_communities(folder, run):
    edges = [(u, v, 1) for u, v in nx.ring_of_cliques(4, 5).edges]
    write_csv(folder / "g.csv", [*edges, (100, 101, 0)])
    found = as_json(run, "g.csv", "-o", "c.csv", "--plot", "p.png")
    assert (found["n_communities"], len(found["communities"])) == (4, 4)
    rows = dict(written(folder / "c.csv")[1:])
    assert (rows["100"], rows["101"]) == ("4", "5")
    assert sorted(set(rows.values())) == list("012345")


@pytest.fixture
def pieces(folder):
    """Karate, and two others who know nobody else."""
    first, *others = KARATE.edges
    return write_csv(folder / "pieces.csv", [first, ("x", "y"), *others])


def test_the_largest_component(pieces, folder, run):
    labels = write_csv(
        folder / "labels.csv", [("node", "label"), ("x", "left"), ("y", "left"), *CLUBS.items()]
    )
    options = ["--largest-component", "-k", 2, "--objective", "normalized_cut"]
    found = as_json(run, pieces, *options, "--labels", labels, "-o", "c.csv", "--plot", "p.png")
    assert (found["nodes"], found["left_out"], found["component_sizes"]) == (34, 2, [34])
    assert (found["truth_scores"]["classes"], found["truth_scores"]["labeled"]) == (2, 34)
    rows = dict(written(folder / "c.csv")[1:])
    assert (rows.pop("x"), rows.pop("y")) == ("", "")
    alone = write_csv(folder / "karate.csv", KARATE.edges)
    as_json(run, alone, *options[1:], "-o", "alone.csv")
    assert rows == dict(written(folder / "alone.csv")[1:])
    again = as_json(run, pieces, *options, "--labels", "c.csv")
    assert again["truth_scores"]["accuracy"] == 1.0


# --- the picture -----------------------------------------------------------------------------


def test_what_the_picture_is_given(karate, clubs, folder, run, monkeypatch):
    from matplotlib.figure import Figure

    given = {}

    def draw(estimator, A, **names):
        given.update(names, estimator=estimator, A=A)
        return Figure()

    monkeypatch.setattr("kgroups.plots.network_overview", draw)
    as_json(run, karate, "--labels", clubs, "--plot", "p.svg")
    graph, model = fitted()
    assert given["estimator"].labels_.tolist() == model.labels_.tolist()
    assert (given["A"] != graph.adjacency).nnz == 0
    assert given["node_names"].tolist() == graph.nodes.tolist()
    assert given["labels_true"][0] is None
    assert "p.svg" in files(folder)


def test_a_picture_that_fails_leaves_no_file(karate, folder, run, monkeypatch):
    def fail(*_, **__):
        raise ValueError("no picture today")

    monkeypatch.setattr("kgroups.plots.network_overview", fail)
    status, out, err = run(karate, "-o", "c.csv", "--plot", "p.png")
    assert (status, out, "no picture today" in err) == (1, "", True)
    assert files(folder) == ["karate.csv"]


# --- the program -----------------------------------------------------------------------------


def test_the_examples_parse(capsys):
    from kgroups.cli.parser import make_parser

    main(["communities", "--help"])
    text = capsys.readouterr().out.split("examples:")[1].replace("\\\n", "")
    examples = text.strip().splitlines()
    assert len(examples) == 4
    for example in examples:
        make_parser().parse_args(example.split()[1:])


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
    assert written(folder / "c.csv") == [
        ["node", "community"],
        ["Zoë", "0"],
        ["b", "0"],
        ["c", "0"],
    ]


# --- compressed files and standard input -----------------------------------------------------


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
    found = []
    for name, stdin in ((f"edges.csv{suffix}", None), ("-", content)):
        status, out, err = run(name, "--labels", f"known.csv{suffix}", "--json", stdin=stdin)
        assert status == 0, err
        found.append(json.loads(out))
    for report in found:
        assert report["labels"] == [0] * 5 + [1] * 5
        assert report["data"]["labels"]["source"] == f"known.csv{suffix}"
        assert report["data"]["sha256"] == hashlib.sha256(content).hexdigest()
    assert found[1]["data"]["source"] == "standard input"
