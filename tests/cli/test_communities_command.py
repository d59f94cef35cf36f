"""``kgroups communities``: what it prints and writes, and what it says no to."""

import bz2
import csv
import gzip
import hashlib
import io
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

from helpers import files, reference_folder, write_csv
from kgroups import GraphKGroups
from kgroups.cli import main
from kgroups.cli import option_values as values
from kgroups.graphs import read_graph
from kgroups.metrics import clustering_accuracy, overlap
from kgroups.names import GRAPH_FORMATS

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


def test_text_and_files(karate, folder, run):
    status, out, err = run(karate, "-o", "c.csv", "--plot", "p.png")
    assert (status, err) == (0, "")
    assert out.startswith("karate.csv: 34 nodes, 78 edges, mean degree 4.59, connected\n")
    assert "4 communities, chosen automatically: no division shortens the description" in out
    assert 'O"Hara, John (17), ' in out
    assert out.endswith("s in all.\nCommunities written to c.csv.\nPicture written to p.png.\n")
    assert "\x1b" not in out
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


@pytest.mark.parametrize("name", sorted(values.FORMATS))
@pytest.mark.parametrize("by_extension", [True, False])
def test_formats(folder, run, name, by_extension):
    path = write_as(name, folder)
    options = ["-k", 2, "-o", "c.csv"]
    if not by_extension:
        path = path.rename("karate.data")
        options += ["--format", name]
    found = as_json(run, path, *options)
    assert (found["nodes"], found["edges"]) == (34, 78)
    sizes = [community["nodes"] for community in found["communities"]]
    assert sum(sizes) == 34
    nodes = [row[0] for row in written(folder / "c.csv")[1:]]
    expected = range(34) if name in ("npz", "mtx", "npy") else KARATE
    if name == "pajek":  # whose labels hold no quotes
        expected = [node.replace('"', "") for node in KARATE]
    assert sorted(nodes) == sorted(map(str, expected))


@pytest.mark.parametrize(
    ("options", "params"),
    [
        (["--objective", "modularity"], {"objective": "modularity"}),
        (["--objective", "normalized_cut", "-k", "3"], {"objective": "normalized_cut", "k": 3}),
        (["--objective", "ratio_cut", "-k", "2"], {"objective": "ratio_cut", "k": 2}),
        (
            ["--objective", "ratio_association", "-k", "2", "--weights", "degree"],
            {"objective": "ratio_association", "k": 2, "weights": "degree"},
        ),
        (["-k", "auto"], {}),
        (["--weights", "unit"], {}),
        (["--objective", "auto"], {}),
        (["--objective", "bethe_hessian", "--r", "average_degree"], {"objective": "bethe_hessian"}),
        (
            ["--objective", "bethe_hessian", "--r", "2.5"],
            {"r": 2.5, "objective": "bethe_hessian"},
        ),
        (
            ["--resolution", "2", "--objective", "modularity"],
            {"resolution": 2.0, "objective": "modularity"},
        ),
        (["--objective", "cpm", "--resolution", "0.1"], {"objective": "cpm", "resolution": 0.1}),
        (["--objective", "cpm", "-k", "3"], {"objective": "cpm", "k": 3}),
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


def test_every_format_of_the_library_has_a_name():
    assert set(values.FORMATS.values()) == set(GRAPH_FORMATS)


def test_ignore_weights(folder, run):
    rows = [(u, v, 1 + 10 * (i % 3)) for i, (u, v) in enumerate(KARATE.edges)]
    write_csv(folder / "karate.csv", rows)
    weighted = as_json(run, "karate.csv", "-k", 2)
    assert (weighted["weighted"], weighted["total_weight"]) == (True, sum(w for *_, w in rows))
    plain = as_json(run, "karate.csv", "-k", 2, "--ignore-weights")
    write_csv(folder / "karate.csv", KARATE.edges)
    expected = as_json(run, "karate.csv", "-k", 2)
    of_run = dict.fromkeys(("seconds", "command", "data", "settings"))
    assert plain | of_run == expected | of_run
    assert plain["data"]["sha256"] != expected["data"]["sha256"]
    assert not plain["weighted"]


def test_decimal_commas(folder, run):
    (folder / "g.csv").write_text("von;nach;gewicht\na;b;0,5\nb;c;1,25\nc;a;2\nc;d;1.234,5\n")
    found = as_json(run, "g.csv", "-k", "2")
    assert found["total_weight"] == 0.5 + 1.25 + 2 + 1234.5
    assert "column 'gewicht' has decimal commas." in found["notes"]
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
    (folder / "h.csv").write_text("a;b;1,234\n")
    assert "a comma; --decimal . says that it is between groups" in run("h.csv")[2]
    (folder / "h.csv").write_text("a|b\n")
    assert "write --delimiter '|'." in run("h.csv")[2]
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
    _, out, _ = run(karate, "--labels", clubs)
    assert "Against clubs.csv: 2 classes, 33 nodes; 1 node without a label not counted\n" in out


def test_dolphins(run):
    edges = reference_folder("data", "graphs", "dolphins.edges.csv")
    labels = reference_folder("data", "graphs", "dolphins.labels.csv")
    found = as_json(run, edges, "--labels", labels)
    assert (found["nodes"], found["edges"], found["n_communities"]) == (62, 159, 2)
    assert found["truth_scores"]["accuracy"] >= 0.98


# --- notes and progress ----------------------------------------------------------------------


def test_notes_are_told_once(folder, clubs, run):
    lonely = [("x", "y")]
    write_csv(folder / "karate.csv", [*KARATE.edges, *lonely, *lonely])
    rows = [*CLUBS.items(), ("x", ""), ("y", ""), ("z", "")]
    write_csv(folder / "clubs.csv", [("node", "label"), *rows])
    status, out, err = run("karate.csv", "-k", 2, "--labels", clubs, "--json")
    assert status == 0
    notes = err.splitlines()
    assert [line.split(": ")[:2] for line in notes] == [["kgroups", "note"]] * 3
    assert "1 line repeats an edge in the same direction; weights were added." in notes[0]
    assert "1 id of the labels file is not in the graph: 'z'." in notes[1]
    assert "the graph is not connected: it has 2 components" in notes[2]
    told = json.loads(out)["notes"]
    assert [f"kgroups: note: {note}" for note in told] == notes


def test_a_graph_without_communities(folder, run):
    write_csv(folder / "k.csv", nx.complete_graph(12).edges)
    status, out, err = run("k.csv")
    assert status == 0
    assert "\nno communities found: no division on which independent searches agree" in out
    assert err == ("kgroups: note: no communities detected; use -k to ask for a number anyway\n")
    assert run("k.csv", "-k", 1)[2] == ""


def test_advice_is_in_the_notes_of_json_too(folder, run):
    write_csv(folder / "k.csv", nx.complete_graph(12).edges)
    words = "no communities detected; use -k to ask for a number anyway"
    assert as_json(run, "k.csv", "--objective", "modularity")["notes"] == [words]


def test_nodes_without_edges_come_after_the_communities(folder, run):
    edges = [(u, v, 1) for u, v in nx.ring_of_cliques(4, 5).edges]
    write_csv(folder / "g.csv", [*edges, (100, 101, 0)])
    found = as_json(run, "g.csv", "-o", "c.csv", "--plot", "p.png")
    assert (found["n_communities"], len(found["communities"])) == (4, 4)
    rows = dict(written(folder / "c.csv")[1:])
    assert (rows["100"], rows["101"]) == ("4", "5")
    assert sorted(set(rows.values())) == list("012345")
    assert "2 nodes without edges each have a label of their own" in found["notes"][-1]


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
    _, out, err = run(pieces, *options)
    assert out.startswith("pieces.csv: 34 nodes, 2 outside the largest component left out, 78 ed")
    assert err == ""
    again = as_json(run, pieces, *options, "--labels", "c.csv")
    assert again["truth_scores"]["accuracy"] == 1.0


def test_the_largest_component_of_a_connected_graph_is_the_graph(karate, run):
    whole, part = (as_json(run, karate, *options) for options in ([], ["--largest-component"]))
    of_run = dict.fromkeys(("seconds", "command", "settings"))
    assert part | of_run == whole | of_run


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-k", "35"], "-k 35 is more than the 34 nodes in the largest component of pieces.csv"),
        (["--labels", "l.csv"], "l.csv has no label for any of the nodes in the largest component"),
    ],
)
def test_what_the_largest_component_has_not(pieces, folder, run, options, message):
    known = [("x", "a"), ("y", "b"), *((node, "") for node in KARATE)]
    write_csv(folder / "l.csv", [("node", "label"), *known])
    status, out, err = run(pieces, "--largest-component", *options)
    assert (status, out) == (1, "")
    assert err.startswith(f"kgroups: error: {message}")


def test_progress(karate, run, monkeypatch):
    seen = []
    monkeypatch.setattr("kgroups.cli.console.Console.status", lambda _, text: seen.append(text))
    as_json(run, karate)
    as_json(run, karate, "--objective", "bethe_hessian")
    assert any(str(text).startswith("plan: 2 communities") for text in seen)
    assert str(seen[-1]).startswith("start 12/12: ")


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


@pytest.mark.parametrize(("suffix", "magic"), [("pdf", b"%PDF"), ("svg", b"<?x")])
def test_plot(karate, clubs, folder, run, suffix, magic):
    status, _, err = run(karate, "--labels", clubs, "--plot", f"p.{suffix}")
    assert (status, err) == (0, "")
    assert (folder / f"p.{suffix}").read_bytes().startswith(magic)


def test_a_picture_that_fails_leaves_no_file(karate, folder, run, monkeypatch):
    def fail(*_, **__):
        raise ValueError("no picture today")

    monkeypatch.setattr("kgroups.plots.network_overview", fail)
    status, out, err = run(karate, "-o", "c.csv", "--plot", "p.png")
    assert (status, out, err) == (1, "", "kgroups: error: no picture today\n")
    assert files(folder) == ["karate.csv"]


def test_plot_without_matplotlib(karate, folder, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run(karate, "--plot", "p.png")
    assert (status, out) == (1, "")
    assert err == 'kgroups: error: --plot needs matplotlib; run: pip install "kgroups[plot]"\n'


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-k", "0"], "argument -k: must be an integer >= 1, or auto; got '0'"),
        (["-k", "two"], "argument -k: must be an integer >= 1, or auto; got 'two'"),
        (["--objective", "cut"], "--objective: invalid choice: 'cut'"),
        (["--weights", "x"], "--weights: invalid choice: 'x'"),
        (["--r", "-1"], "--r: must be a positive number or average_degree; got '-1'"),
        (["--r", "nan"], "--r: must be a positive number or average_degree; got 'nan'"),
        (["--init", "x"], "--init: invalid choice: 'x'"),
        (["--format", "xml"], "--format: invalid choice: 'xml'"),
        (["--n-init", "0"], "--n-init: must be an integer >= 1"),
        (["--plot", "p.bmp"], "--plot: must end in .png, .svg, .pdf; got 'p.bmp'"),
        (
            ["--objective", "modularity", "--weights", "degree"],
            "--objective modularity sets the weights itself; omit --weights",
        ),
        (
            ["--objective", "ratio_cut", "-k", "3", "--r", "2"],
            "--r applies only to --objective bethe_hessian; omit it for --objective ratio_cut",
        ),
        (
            ["--r", "2"],
            "--r applies only to --objective bethe_hessian; omit it for --objective auto",
        ),
        (
            ["--resolution", "2"],
            "--resolution applies only to --objective modularity and cpm; omit it for --objective "
            "auto",
        ),
        (
            ["--objective", "cpm", "--resolution", "0"],
            "--resolution: must be a positive number; got '0'",
        ),
        (["-o", "karate.csv"], "-o karate.csv is the same file as GRAPH; give it another name"),
        (["--labels", "l.csv", "-o", "./l.csv"], "-o l.csv is the same file as --labels"),
        (["-o", "a.png", "--plot", "./a.png"], "--plot a.png is the same file as -o"),
        (["-o", "-"], "-o needs a file name"),
    ],
)
def test_usage(karate, folder, run, options, message):
    status, out, err = run(karate, *options)
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("kgroups communities: error: ")
    assert err.splitlines()[1].startswith("usage: kgroups communities ")
    assert files(folder) == ["karate.csv"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", [], "x.csv is empty: it lists no edges."),
        ("source,target\n", [], "x.csv has column names but lists no edges."),
        ("a,b,0\n", [], "x.csv has no edges: there are no communities to find."),
        ("a,b\nb,c\n", ["-k", "4"], "-k 4 is more than the 3 nodes of x.csv; ask for at most 3."),
        ("a,b,1\nb,c,0\n", ["-k", "3"], "2 of 3; ask for at most 2 communities."),
        (
            "a,b,1\nb,c,-2\n",
            ["-k", "2", "--objective", "normalized_cut"],
            "x.csv has negative weights, which --objective normalized_cut does not allow; use "
            "--objective auto, bethe_hessian or ratio_association, or --ignore-weights.",
        ),
        (
            "a,b,1\nb,c,3\n",
            ["--objective", "bethe_hessian", "--r", "1"],
            "or a number of at least 1.001 for",
        ),
        ("a,b,x\nb,c,3\n", [], "x.csv, line 1: the weight 'x' is not a finite number"),
        ("a,b\nb,c\n", ["--format", "gml"], "x.csv is not a valid GML file"),
        ("a,b\nb,c\n", ["--labels", "none.csv"], "none.csv does not exist"),
        ("p,q\nq,r\n", ["--labels", "l.csv"], "l.csv: the ids of the two files do not match"),
        ("a,b\nb,c\n", ["--labels", "l.csv"], "l.csv has no label for any of the nodes; omit"),
    ],
)
def test_bad_data(folder, run, content, options, message):
    (folder / "x.csv").write_text(content)
    (folder / "l.csv").write_text("node,label\na,\nb,\nc,\n")
    (folder / "c.csv").write_text("old")
    status, out, err = run("x.csv", *options, "-o", "c.csv", "--plot", "p.png")
    assert (status, out) == (1, "")
    assert message in err
    assert err.splitlines()[-1].startswith("kgroups: error: ")
    assert "Traceback" not in err
    assert files(folder) == ["c.csv", "l.csv", "x.csv"]
    assert (folder / "c.csv").read_text() == "old"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.csv", "none.csv does not exist."),
        ("sub", "sub is a folder; name a file in it."),
        (
            "karate.data",
            "karate.data ends in none of .csv, .tsv, .txt, .edges, .edgelist, .net, .paj, "
            ".adjlist, .sif, .pajek, .gml, .graphml, .gexf, .mtx, .npz, .npy; state its format "
            "with --format csv, tsv, adjlist, sif, pajek, gml, graphml, gexf, mtx, npz, npy.",
        ),
    ],
)
def test_graphs_that_are_not_there(folder, run, name, message):
    (folder / "sub").mkdir()
    (folder / "karate.data").write_text("a,b\n")
    assert run(name) == (1, "", f"kgroups: error: {message}\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "none/c.csv"], "-o none/c.csv: the folder none does not exist; create it first"),
        (["-o", "sub"], "-o sub is a folder; name a file in it"),
        (["--plot", "karate.csv/p.png"], "--plot karate.csv/p.png: the folder karate.csv does"),
    ],
)
def test_places_that_cannot_be_written_are_found_first(
    karate, folder, run, monkeypatch, options, message
):
    def never(*_):
        raise AssertionError("the work has begun")

    monkeypatch.setattr(GraphKGroups, "fit", never)
    (folder / "sub").mkdir()
    status, out, err = run(karate, *options)
    assert (status, out) == (1, "")
    assert err.startswith(f"kgroups: error: {message}")


def test_no_eigensolver(karate, run, monkeypatch):
    def fail(*_):
        raise RuntimeError("None of the eigensolvers converged")

    monkeypatch.setattr(GraphKGroups, "fit", fail)
    assert run(karate) == (1, "", "kgroups: error: None of the eigensolvers converged\n")


# --- the program -----------------------------------------------------------------------------


def test_color_only_for_terminals(karate, run, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, out, _ = run(karate)
    assert out.startswith("\x1b[1mkarate.csv")


def test_options_are_not_guessed_from_their_beginnings(karate, capsys):
    assert main(["communities", karate, "--label", "c.csv"]) == 2
    assert "unrecognized arguments: --label" in capsys.readouterr().err


def test_help(capsys):
    assert main(["communities", "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: kgroups communities")
    for option in ("--objective", "--largest-component", "--labels", "coverage is", "examples:"):
        assert option in out


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


def test_integers_stay_integers(folder, run):
    write_csv(folder / "g.csv", [(10, 20), (20, 30), (30, 10)])
    found = as_json(run, "g.csv", "-k", 1)
    assert [m["node"] for m in found["communities"][0]["best_connected"]] == [10, 20, 30]
    assert np.isclose(found["mean_degree"], 2)


# --- compressed files and standard input -----------------------------------------------------


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
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


def test_standard_input_that_cannot_be_used(folder, run, monkeypatch):
    status, _, err = run("-", "--labels", "-", stdin=b"0,1\n")
    assert status == 2
    assert "--labels reads a file; only GRAPH may be -" in err
    status, _, err = run("-", stdin=gzip.compress(b"0,1\n")[:-6])
    assert status == 1
    assert "standard input cannot be unpacked as .gz: Compressed file ended" in err
    stream = io.BytesIO(b"0,1\n1,2\n")
    stream.readline()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    status, _, err = run("-")
    assert status == 1
    assert "standard input was read by another command before; name a file instead." in err


# --- messy files -----------------------------------------------------------------------------


def test_advice_that_is_followed(folder, run):
    text = "Freundschaften\nvon;nach\nJosé, A;Bo, B\nBo, B;Cy, C\nSumme;2\n"
    (folder / "g.csv").write_text(text, encoding="latin-1")
    options, found = ["g.csv", "-k", 1], None
    for advice in ("--encoding latin-1", "--skip-lines 1", "--skip-lines 1,5"):
        assert advice in "".join(run(*options)[1:])
        options = [*options, *advice.split()]
    found = as_json(run, *options)
    assert found["ids"] == ["Bo, B", "Cy, C", "José, A"]
    assert found["data"]["text"]["skip_lines"] == [1, 5]
    assert found["data"]["text"]["encoding"] == "latin-1"
    assert "lines 1,5 of g.csv are skipped." in found["notes"]


def test_the_option_for_each_delimiter(folder, run):
    for name, text, option in (
        ("a.csv", "Smith, J\tb\nb\tc\n", "--delimiter tab"),
        ("b.csv", "Doe, John;Roe, Ann\nRoe, Ann;Lee, Bo\n", "--delimiter ';'"),
        ("c.csv", "a|b|1,5\nb|c|2\n", "--delimiter '|'"),
    ):
        (folder / name).write_text(text)
        assert f"write {option}.\n" in run(name)[2]


def test_what_negative_weights_leave_out_is_said(folder, run):
    (folder / "g.csv").write_text("a,b,1\nb,c,-2\nc,d,1\n")
    found = as_json(run, "g.csv", "-k", 1)
    assert found["scores"]["modularity"] is None
    (note,) = (note for note in found["notes"] if "negative" in note)
    assert "modularity, the normalized cut and conductance are left out" in note
    (folder / "g.csv").write_text("a,b,1\nb,c,2\nc,d,1\n")
    assert "negative" not in "".join(run("g.csv", "-k", 1)[1:])
