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
import pytest
from scipy.io import mmwrite
from scipy.sparse import csr_array, save_npz
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from helpers import each, files, reference_folder, write_csv
from kgroups import GraphKGroups
from kgroups.cli import main
from kgroups.cli import option_values as values
from kgroups.graphs import read_graph
from kgroups.metrics import clustering_accuracy, overlap

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


def test_json_is_what_the_estimator_and_networkx_say(karate, folder, run):
    found = as_json(run, karate, "-k", 2, "-o", "c.csv")
    graph, model = fitted(2)
    assert (found["nodes"], found["edges"], found["n_communities"]) == (34, 78, 2)
    assert (found["source"], found["chosen_by"]) == ("karate.csv", "asked")
    of_objective = {"name": "bethe_hessian", "value": model.objective_, "resolution": None}
    assert found["objective"] == of_objective
    assert (found["r"], found["converged"]) == (model.r_, True)
    assert found["starts"]["names"] == model.start_names_
    assert found["seconds"] > 0
    groups = [set(graph.nodes[model.labels_ == j]) for j in range(2)]
    assert found["scores"]["modularity"] == pytest.approx(nx.community.modularity(KARATE, groups))
    quality = nx.community.partition_quality(KARATE, groups)
    assert (found["scores"]["coverage"], found["scores"]["performance"]) == pytest.approx(quality)
    for own, group in zip(found["communities"], groups, strict=True):
        assert own["nodes"] == len(group)
        assert own["conductance"] == pytest.approx(nx.conductance(KARATE, group))
        hub = max(group, key=KARATE.degree)
        assert own["best_connected"][0] == {"node": hub, "degree": KARATE.degree[hub]}
    expected = [[node, str(z)] for node, z in zip(graph.nodes, model.labels_, strict=True)]
    assert written(folder / "c.csv") == [["node", "community"], *expected]


def test_files(karate, folder, run):
    status, _, err = run(karate, "-o", "c.csv", "--plot", "p.png")
    assert (status, err) == (0, "")
    assert files(folder) == ["c.csv", "karate.csv", "p.png"]
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")
    assert b'\n"O""Hara, John",' in (folder / "c.csv").read_bytes()


def test_what_is_written_can_be_read_as_labels(karate, run):
    as_json(run, karate, "-o", "c.csv")
    found = as_json(run, karate, "--labels", "c.csv")
    assert found["truth_scores"]["accuracy"] == 1.0


def write_as(name, folder):
    """Karate in a format, under a plain name; the matrix formats know no names of nodes."""
    path = folder / f"x.{name}"
    if name in ("csv", "tsv"):
        comma = {"csv": ",", "tsv": "\t"}[name]
        lines = (
            comma.join(f'"{n.replace(chr(34), chr(34) * 2)}"' for n in e) for e in KARATE.edges
        )
        path.write_text("\n".join(lines))
    elif name in ("gml", "graphml", "gexf"):
        getattr(nx, f"write_{name}")(KARATE, path)
    elif name == "adjlist":
        with path.open("w", newline="") as stream:
            csv.writer(stream, delimiter=";").writerows([u, *KARATE[u]] for u in KARATE)
    elif name == "sif":
        path.write_text("".join(f"{u}\tknows\t{v}\n" for u, v in KARATE.edges))
    elif name == "pajek":
        number = {node: i for i, node in enumerate(KARATE, start=1)}
        vertices = "".join(f'{i} "{node.replace(chr(34), "")}"\n' for node, i in number.items())
        lines = "".join(f"{number[u]} {number[v]}\n" for u, v in KARATE.edges)
        path.write_text(f"*Vertices 34\n{vertices}*Edges\n{lines}")
    else:
        matrix = csr_array(nx.to_scipy_sparse_array(KARATE, format="csr"))
        save = {"npz": save_npz, "mtx": mmwrite, "npy": np.save}[name]
        save(path, matrix.toarray() if name == "npy" else matrix)
    return path


@each("name", sorted(values.FORMATS))
def test_formats_are_named_where_an_extension_does_not(folder, run, name):
    path = write_as(name, folder).replace("karate.data")
    found = as_json(run, path, "-k", 2, "-o", "c.csv", "--format", name)
    assert (found["nodes"], found["edges"]) == (34, 78)
    sizes = [community["nodes"] for community in found["communities"]]
    assert sum(sizes) == 34
    nodes = [row[0] for row in written(folder / "c.csv")[1:]]
    expected = range(34) if name in ("npz", "mtx", "npy") else KARATE
    if name == "pajek":  # whose labels hold no quotes
        expected = [node.replace('"', "") for node in KARATE]
    assert sorted(nodes) == sorted(map(str, expected))


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


def test_negative_weights_may_be_ignored_or_used(folder, run):
    rows = [(u, v, -1 if i % 9 == 0 else 1) for i, (u, v) in enumerate(KARATE.edges)]
    write_csv(folder / "karate.csv", rows)
    found = as_json(run, "karate.csv", "-k", 2)
    assert found["scores"]["modularity"] is None
    found = as_json(run, "karate.csv", "-k", 2, "--ignore-weights", "--objective", "modularity")
    assert found["scores"]["modularity"] > 0.3


def test_labels(karate, clubs, folder, run):
    found = as_json(run, karate, "--labels", clubs, "-o", "c.csv")["truth_scores"]
    pairs = [(CLUBS[node], z) for node, z in written(folder / "c.csv")[1:] if node != "Mr. Hi"]
    true, labels = zip(*pairs, strict=True)
    assert found == {
        "overlap": overlap(true, labels),
        "accuracy": clustering_accuracy(true, labels),
        "nmi": pytest.approx(normalized_mutual_info_score(true, labels)),
        "ari": pytest.approx(adjusted_rand_score(true, labels)),
        "classes": 2,
        "labeled": 33,
        "unlabeled": 1,
    }


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


@each(
    ("content", "options", "status"),
    [
        ("", [], 1),
        ("a,b,x\nb,c,3\n", [], 1),
        ("a,b\nb,c\n", ["-k", "4"], 1),
        ("a,b,1\nb,c,-2\n", ["-k", "2", "--objective", "normalized_cut"], 1),
        ("a,b\nb,c\n", ["--format", "gml"], 1),
        ("a,b\nb,c\n", ["--labels", "none.csv"], 1),
        ("a,b\nb,c\n", ["--objective", "cut"], 2),
        ("a,b\nb,c\n", ["--r", "2"], 2),
        ("a,b\nb,c\n", ["--label", "l.csv"], 2),
    ],
)
def test_an_error_leaves_files_as_they_were(folder, run, content, options, status):
    (folder / "x.csv").write_text(content)
    (folder / "c.csv").write_text("old")
    found, out, err = run("x.csv", *options, "-o", "c.csv", "--plot", "p.png")
    assert (found, out, "Traceback" in err) == (status, "", False), err
    assert files(folder) == ["c.csv", "x.csv"]
    assert (folder / "c.csv").read_text() == "old"


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


def test_standard_input_in_other_formats(folder, run):
    content = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"
    status, out, _ = run("-", "-k", 1, "--json", stdin=content)
    assert (status, json.loads(out)["data"]["n_edges"]) == (0, 2)
    status, out, _ = run("-", "-k", 1, "--json", "--format", "csv", stdin=b"0,1\n1,2\n")
    assert (status, json.loads(out)["data"]["n_edges"]) == (0, 2)
