"""Graphs from files and from lists of edges, and the labels of their nodes."""

import bz2
import gzip
import sys
import zipfile
from io import BytesIO

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import io, sparse

from helpers import reference_folder
from kgroups.exceptions import DataError, GraphNotice
from kgroups.input.check_adjacency import check_adjacency
from kgroups.input.graph_files import integer_edges
from kgroups.input.graph_files.edge_layout import layout_of
from kgroups.input.graph_files.edge_lines import read_any
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.node_labels import read_node_labels
from kgroups.input.graph_files.read_graph import graph_of_stream, read_graph
from kgroups.input.table_files import line_blocks
from kgroups.runtime import memory

PATH = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def read(tmp_path, text, name="graph.csv", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_graph(path, **options)


def error_of(tmp_path, text, match, name="graph.csv"):
    with pytest.raises(DataError, match=match):
        read(tmp_path, text, name)


def dense(graph):
    return graph.adjacency.toarray()


# --- edges in memory -------------------------------------------------------------------------


@pytest.mark.nojit
def test_from_edges():
    graph = Graph.from_edges([2, 0], [1, 0], n_nodes=4)
    assert (graph.n_nodes, graph.n_edges, graph.shape) == (4, 2, (4, 4))
    assert not graph.is_weighted
    assert_array_equal(dense(graph), [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    assert_array_equal(graph.nodes, range(4))
    assert graph.adjacency.has_canonical_format
    assert repr(graph) == "<Graph of 4 nodes and 2 edges>"


@pytest.mark.nojit
def test_edges_given_twice():
    with pytest.warns(GraphNotice, match="2 edges repeat others"):
        graph = Graph.from_edges([0, 1, 2, 2], [1, 0, 2, 2], [1, 0.5, 1, 2])
    assert_array_equal(dense(graph), [[0, 1.5, 0], [1.5, 0, 0], [0, 0, 3]])
    assert graph.notes[0].startswith("2 edges repeat")
    assert graph.is_weighted


@pytest.mark.nojit
def test_edges_that_weigh_nothing():
    with pytest.warns(GraphNotice, match="1 edge of weight 0 was dropped"):
        graph = Graph.from_edges([0, 1], [1, 2], [0, 2])
    assert (graph.n_nodes, graph.n_edges) == (3, 1)


@pytest.mark.nojit
def test_no_edges_in_memory():
    assert Graph.from_edges([], [], n_nodes=2).n_edges == 0


@pytest.mark.parametrize("seed", range(10))
def test_random_edges_against_numpy(seed):
    rng = np.random.default_rng(seed)
    n, m = 12, int(rng.integers(1, 60))
    ends, weights = rng.integers(n, size=(2, m)), rng.normal(size=m)
    expected = np.zeros((n, n))
    for i, j, weight in zip(*ends, weights, strict=True):
        expected[i, j] += weight
        if i != j:
            expected[j, i] += weight
    distinct = len({tuple(sorted(pair)) for pair in ends.T})
    if distinct < m:
        with pytest.warns(GraphNotice, match=f"{m - distinct} edges repeat"):
            graph = Graph.from_edges(*ends, weights, n_nodes=n)
    else:
        graph = Graph.from_edges(*ends, weights, n_nodes=n)
    np.testing.assert_allclose(dense(graph), expected, atol=1e-14)
    assert_array_equal(dense(graph), dense(graph).T)
    assert graph.n_edges == distinct


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        (([0, 1], [1]), {}, ValueError, "the same length.*2 and 1"),
        (([0.5], [1]), {}, TypeError, r"source must hold ids, .* edge 0 has 0\.5"),
        (([True], [1]), {}, TypeError, "source must hold ids, integers or text; got bool"),
        (([0.0], [np.nan]), {}, TypeError, "edge 0 has no target: nan"),
        ((["a", None], ["b", "c"]), {}, TypeError, "edge 1 has no source: None; remove the edge"),
        ((["a", "b"], ["b", pd.NA]), {}, TypeError, "edge 1 has no target: <NA>"),
        (([{1}], ["b"]), {}, TypeError, "else that can be hashed: unhashable type: 'set'"),
        (
            (["a"], ["b"]),
            {"n_nodes": 2},
            ValueError,
            "n_nodes is for .* the first one is 'a'",
        ),
        ((["a"], ["b", "c"]), {}, ValueError, "the same length.*1 and 2"),
        (("a", "b"), {}, ValueError, r"one node per edge; got shape \(\)"),
        (([[0]], [1]), {}, ValueError, r"one node per edge; got shape \(1, 1\)"),
        (([-1], [1]), {}, ValueError, "numbered from 0; got -1"),
        (([0], [5]), {"n_nodes": 3}, ValueError, "name node 5; nodes are 0..2"),
        (([], []), {}, ValueError, "n_nodes"),
        (([0], [1]), {"n_nodes": 0}, ValueError, "n_nodes must be an integer"),
        (([0], [1], [1, 2]), {}, ValueError, "for each edge, 1 in all; got shape"),
        (([0], [1], [np.nan]), {}, ValueError, "edge 0 has nan"),
        (([0], [1], ["x"]), {}, TypeError, "weight must hold numbers"),
        (([0], [1], [None]), {}, TypeError, "weight must hold numbers; edge 0 has None"),
        (
            ([(0, 1), (1, 2, 3)],),
            {},
            ValueError,
            r"edge 1 is \(1, 2, 3\); expected \(source, target\)",
        ),
        (([0, 1],), {}, ValueError, r"edge 0 is 0; .* use from_edges\(source, target\)"),
        ((["ab"],), {}, ValueError, "edge 0 is 'ab'"),
        (([(0, 1, 2)], None, [1]), {}, ValueError, "have weights of their own"),
        ((nx.path_graph(3),), {}, TypeError, "networkx.classes.graph.Graph. It is a graph already"),
        ((sparse.eye_array(2),), {}, TypeError, "It is a graph already"),
        (("edges.csv",), {}, TypeError, r"For a file write kgroups\.graphs\.read_graph"),
        ((None,), {}, TypeError, "source must hold edges; got NoneType. Write pairs"),
        (
            (np.eye(4),),
            {},
            ValueError,
            r"shape \(4, 4\)\. A square matrix of .* pairs of nodes",
        ),
        ((np.ones(4),), {}, ValueError, r"two columns, .* got shape \(4,\)\.$"),
        (
            (pd.DataFrame(np.eye(4)),),
            {},
            ValueError,
            "got 4 columns of numbers, such as '3'. For a list of edges, rename the columns",
        ),
        ((pd.DataFrame({"a": [1]}),), {}, ValueError, "got 'a'"),
        (
            (nx.path_graph(3).edges(data=True),),
            {},
            TypeError,
            r'edge 0 has the weight \{\}; .*data="weight", default=1',
        ),
    ],
)
def test_edges_that_are_refused(arguments, options, kind, message):
    with pytest.raises(kind, match=message):
        Graph.from_edges(*arguments, **options)


ANN = ["ann", "bob"], ["bob", "cid"]


@pytest.mark.nojit
@pytest.mark.parametrize(
    "arguments",
    [
        ANN,
        tuple(map(np.array, ANN)),
        tuple(map(pd.Series, ANN)),
        tuple(map(pl.Series, ANN)),
        tuple(map(pd.Categorical, ANN)),
        tuple(map(iter, ANN)),
        (list(zip(*ANN, strict=True)),),
        (list(map(list, zip(*ANN, strict=True))),),
        (np.array(ANN).T,),
        (nx.Graph(list(zip(*ANN, strict=True))).edges,),
        (pd.DataFrame({"x": ANN[0], "y": ANN[1]}),),
        (pl.DataFrame({"x": ANN[0], "y": ANN[1]}),),
        (pl.DataFrame({"To": ANN[1], "From": ANN[0]}),),
        ([("ann", "bob", 1), ("bob", "cid", 1.0)],),
        (np.array([("ann", "bob", 1), ("bob", "cid", 1.0)], object),),
    ],
)
def test_edges_between_names(arguments):
    graph = Graph.from_edges(*arguments)
    assert graph.nodes.tolist() == ["ann", "bob", "cid"]
    assert graph.nodes.dtype == object
    assert_array_equal(dense(graph), PATH)
    assert graph.notes == ()


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("edges", "weight"),
    [
        ([(0, 2, 0.5), (1, 2, 2)], None),
        ([(0, 2), (1, 2)], [0.5, 2]),
        (np.array([[0, 2, 0.5], [1, 2, 2]]), None),
        (np.array([[0, 2], [1, 2]]), pd.Series([0.5, 2])),
        (pd.DataFrame({0: [0, 1], 1: [2, 2], 2: [0.5, 2]}), None),
        (pd.DataFrame({"weight": [0.5, 2], "src": [0, 1], "dst": [2, 2]}), None),
        (pl.DataFrame({"weight": [0.5, 2], "a": [0, 1], "b": [2, 2]}), None),
        (pd.DataFrame({"a": [0, 1], "b": [2, 2]}, dtype="Int64"), [0.5, 2]),
    ],
)
def test_pairs_of_integers_stay_in_order(edges, weight):
    graph = Graph.from_edges(edges, weight=weight, n_nodes=3)
    assert graph.nodes.dtype == np.int64
    assert_array_equal(dense(graph), [[0, 0, 0.5], [0, 0, 2], [0.5, 2, 0]])


@pytest.mark.nojit
def test_ids_of_several_kinds():
    with pytest.warns(GraphNotice, match="1 and '1' are the same number, and different nodes"):
        graph = Graph.from_edges(["a", 1, (0, 0)], [1, "1", 2.5])
    assert graph.nodes.tolist() == [(0, 0), 1, "1", 2.5, "a"]
    assert graph.n_edges == 3
    grid = Graph.from_edges([(0, 0), (0, 1)], [(0, 1), (1, 1)])
    assert grid.nodes.tolist() == [(0, 0), (0, 1), (1, 1)]
    assert Graph.from_edges([0.0, 1.0], [1, 2]).nodes.tolist() == [0, 1, 2]
    with pytest.warns(GraphNotice, match="1 edge repeats another, in the same direction or"):
        assert Graph.from_edges(["a", "b"], ["b", "a"]).n_edges == 1
    assert Graph.from_edges([], n_nodes=2).n_edges == 0


@pytest.mark.nojit
def test_columns_of_a_frame_that_are_not_used():
    frame = pd.DataFrame({"source": ["a"], "year": [1999], "target": ["b"], "kind": ["x"]})
    with pytest.warns(
        GraphNotice, match="columns were ignored: 'year', 'kind'; .* call it 'weight'"
    ):
        assert Graph.from_edges(frame).nodes.tolist() == ["a", "b"]


@pytest.mark.nojit
@pytest.mark.parametrize("taker", [read_graph, Graph.from_networkx])
@pytest.mark.parametrize("edges", [[(0, 1)], pd.DataFrame({"a": [0], "b": [1]})])
def test_edges_in_the_wrong_place(taker, edges):
    with pytest.raises(TypeError, match=r"For a list of edges write .*Graph\.from_edges"):
        taker(edges)


@pytest.mark.nojit
def test_from_networkx():
    graph = Graph.from_networkx(nx.Graph([("b", "a"), ("a", (1, 2))]))
    assert graph.nodes.tolist() == ["b", "a", (1, 2)]
    assert_array_equal(dense(graph), PATH)
    with pytest.warns(GraphNotice, match="not symmetric"):
        directed = Graph.from_networkx(nx.DiGraph([(3, 5)]))
    assert directed.nodes.dtype == np.int64
    assert "not symmetric" in directed.notes[0]
    assert "A.T" not in directed.notes[0]
    with pytest.raises(TypeError, match="must be a networkx graph; got list"):
        Graph.from_networkx([])


@pytest.mark.nojit
def test_a_graph_is_taken_for_its_adjacency():
    graph = Graph.from_edges([0], [1])
    assert np.shares_memory(check_adjacency(graph).data, graph.adjacency.data)


@pytest.mark.nojit
def test_nodes_and_rows_are_as_many():
    with pytest.raises(ValueError, match="one id for each of the 2 rows"):
        Graph(sparse.csr_array((2, 2)), np.arange(3))


# --- lists of edges --------------------------------------------------------------------------


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.csv", "source,target\n7,8\n8,10\n"),
        ("g.csv", "7,8\n8,10"),
        ("g.csv", "7,8,1\n8,10,1\n"),
        ("g.csv", "\ufefffrom;to;weight\r\n8;10;1.0\r\n7;8;1e0\r\n"),
        ("g.csv", "\ufeff7,8\n\n8,10\n\n"),
        ("g.csv", '"7", "8"\n8 , 10\n'),
        ("g.tsv", "7\t8\n8\t10\n"),
        ("g.txt", "# SNAP\n# FromNodeId\tToNodeId\n7\t8\n8\t10\n"),
        ("g.edges", "% KONECT\n  7   8\n 8 10  \n"),
        ("g.edgelist", "7 8 1\n8 10 1.\n"),
        ("g.csv", "weight,Target,Source\n1,8,7\n1,10,8\n"),
        ("g.csv", "node_1,node_2\n7,8\n8,10\n"),
    ],
)
def test_the_same_list_in_other_clothes(tmp_path, name, text):
    graph = read(tmp_path, text, name)
    assert_array_equal(graph.nodes, [7, 8, 10])
    assert graph.nodes.dtype == np.int64
    assert_array_equal(dense(graph), PATH)
    assert graph.notes == ()
    assert graph.source.endswith(name)


@pytest.mark.nojit
def test_text_ids_are_sorted(tmp_path):
    graph = read(tmp_path, 'from,to\nzoë,"Doe, ""J"""\n"Doe, ""J""",a\n')
    assert graph.nodes.tolist() == ['Doe, "J"', "a", "zoë"]
    assert_array_equal(dense(graph), [[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    assert graph.notes == ("line 1 is taken as column names: 'from', 'to'.",)


@pytest.mark.nojit
def test_two_words_are_an_edge_unless_all_else_is_integers(tmp_path):
    graph = read(tmp_path, "a,b\n1,2\nc,2\n")
    assert graph.nodes.tolist() == ["1", "2", "a", "b", "c"]
    assert graph.notes == (
        "line 1, 'a,b', is read as an edge; if it holds column names, write source=\"a\" and "
        'target="b".',
    )
    graph = read(tmp_path, "a,b\n1,2\n3,2\n")
    assert graph.nodes.tolist() == [1, 2, 3]
    assert graph.notes == ("line 1 is taken as column names: 'a', 'b'.",)
    assert read(tmp_path, "a,b,1.5\n1,2,1\n").n_nodes == 4
    assert read(tmp_path, "a,b\n").n_edges == 1


@pytest.mark.nojit
def test_a_first_line_that_may_be_names_is_an_edge_with_a_note(tmp_path):
    graph = read(tmp_path, "# c\nperson,friend\nann,bob\nbob,cid\n")
    assert graph.nodes.tolist() == ["ann", "bob", "cid", "friend", "person"]
    assert graph.notes == (
        "line 2, 'person,friend', is read as an edge; if it holds column names, write "
        'source="person" and target="friend".',
    )
    for text in ("ann,bob\nbob,cid\n", "bob,ann\ncid,ann\n", "ann,ann\nbob,cid\n"):
        assert read(tmp_path, text).notes == ()
    assert read(tmp_path, "ann,bob,2\ncid,dan,1\n").notes == ()


@pytest.mark.nojit
def test_a_name_that_files_of_labels_have(tmp_path):
    labels = "holds 'class', as in a file of labels; if this is one, give it in addition"
    notes = read(tmp_path, "person,class\nann,red\nbob,blue\n").notes
    assert "is read as an edge" in notes[0]
    assert labels in notes[1]
    notes = read(tmp_path, "number,class\n1,2\n3,2\n").notes
    assert "line 1 is taken as column names" in notes[0]
    assert labels in notes[1]
    assert read(tmp_path, "source,target,label\n1,2,x\n").notes == (
        "column was ignored: 'label'; weight=\"label\" reads it as the weights.",
    )


@pytest.mark.nojit
def test_ids_in_braces_are_ids(tmp_path):
    assert read(tmp_path, "a,{b}\n{b},{}\n").nodes.tolist() == ["a", "{b}", "{}"]


@pytest.mark.nojit
@pytest.mark.parametrize("other", ["007", "+7", "-0", "7.0", "9223372036854775808", "1_0", "٣"])
def test_what_is_no_plain_integer_is_text(tmp_path, other):
    graph = read(tmp_path, f"7,{other}\n")
    assert graph.nodes.tolist() == sorted(["7", other])


@pytest.mark.nojit
def test_large_and_negative_integers(tmp_path):
    graph = read(tmp_path, f"{2**63 - 1},-5\n-5,{-(2**63) + 1}\n")
    assert graph.nodes.tolist() == [-(2**63) + 1, -5, 2**63 - 1]
    assert_array_equal(dense(graph), PATH)
    assert read(tmp_path, "999999999999999999 -999999999999999999", "g.txt").n_nodes == 2


@pytest.mark.nojit
def test_columns_that_are_not_read_are_named(tmp_path):
    graph = read(tmp_path, "source,target,year,weight\n0,1,1999,2\n")
    assert_array_equal(dense(graph), [[0, 2], [2, 0]])
    assert graph.notes == ("column was ignored: 'year'; the weights are in 'weight'.",)


@pytest.mark.nojit
def test_a_weight_of_zero_is_no_edge(tmp_path):
    graph = read(tmp_path, "0,1,0\n1,2,-1.5\n")
    assert (graph.n_nodes, graph.n_edges) == (3, 1)
    assert "1 edge of weight 0" in graph.notes[0]


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# nothing\n\n", "is empty"),
        ("source,target\n", "has column names but lists no edges"),
        ("17\n18\n", "line 1 has one field, '17'"),
        ("a\n7\n", "line 1 has one field, 'a'"),
        ("1,2,3,4\n", "line 1 has 4 fields.*source,target,weight,year"),
        ("1,2\n3,4\n5,6,7\n", "line 3: found 3 fields, expected 2"),
        ("1,2\n3\n", "line 2: found 1 field, expected 2"),
        ("# c\n1,2\n,4\n", r"line 3: an end of the edge is missing \(''\)"),
        ("a,b\nNA,c\n", "line 2: an end of the edge is missing"),
        ("1,2,x\n", "line 1: the weight 'x' is not a finite number"),
        ("1,2,1\n1,3,nan\n", r"line 2: the weight is missing \('nan'\)"),
        ("1,2,1\n1,3,1e999\n", "line 2: the weight '1e999'"),
        ("1,2,1\n1,3,1_0\n", "line 2: the weight '1_0'"),
        ("1,2,1\n1,3,\n", "line 2: the weight is missing; write one, or remove the line"),
        ("1,2,.\n", "the weight '.'"),
        ('a,b\n"c,d\n', "line 2: unexpected end of data"),
        (b"a,b\nc,\xff\n", "line 2: byte 3 of the line .0xff. is not UTF-8"),
        (b"1,2\n# \xff\n3,4\n", "line 2: byte 3 .* is not UTF-8"),
        (b"1,2\n#" + b"x" * (1 << 20) + b"\n3,4\n", "line 2 is longer than 1 MiB"),
        (b"1,2\n" + b"7" * (3 << 20), "line 2 is longer than 1 MiB"),
        ("0,1,1e308\n0,1,1e308\n", "too large"),
        (
            "0 1 {'weight': 4}\n",
            r"line 1 ends with attributes, \{'weight': 4\}, .*data=\[\"weight\"\]",
        ),
        ("a b {}\nb c {'weight': 4, 'x': 'y z'}\n", r"line 1 ends with attributes, \{\}"),
        ("0,1,{'weight': 4}\n", "data=False for no weights"),
        ("# c\n0\t1\t{'a': 1, 'weight': 4}\n", "line 2 ends with attributes"),
        ("node,label\n1,2\n", "names the columns 'node', 'label': this looks like .*--labels"),
        ("Node_ID\tCommunity\nann\t2\n", "this looks like a file of labels"),
        ("id,class,name\n1,2,ann\n", "name the columns source and target"),
        ("id;name;label\n1;ann;2\n", "this looks like a file of labels"),
        (
            "person,friend,since\nann,bob,3\n",
            'line 1: .* If the line holds column names, write weight="since" to read the .* below',
        ),
    ],
)
def test_lists_that_are_refused(tmp_path, text, message):
    error_of(tmp_path, text, message)


def plain_and_any(path):
    """What the fast reader and the other one make of a file."""
    with path.open("rb") as stream:
        layout = layout_of(stream, "g", path.suffix, may_have_header=True)
        fast = integer_edges.read_integers(stream, layout)
        slow = read_any(stream, "g", layout)
    return fast, slow


@pytest.mark.parametrize("seed", range(12))
def test_both_readers_agree(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(line_blocks, "_BYTES_AT_ONCE", 64)
    rng = np.random.default_rng(seed)
    delimiter = [",", "\t", ";", " "][seed % 4]
    written = ["{:.0f}", "{:.3f}", "{!r}", "{:.2e}", "{:+.1f}", "{:.20f}", "{:.15g}"]
    weighted, text = seed % 3 > 0, "# c\n"
    for i, j in rng.integers(-20, 300, size=(200, 2)) * (10 ** (seed % 13)):
        row = [str(i), str(j)]
        if weighted:
            row.append(written[rng.integers(len(written))].format(float(rng.normal(scale=100))))
        blanks = " " * rng.integers(0, 2)
        text += blanks + f"{blanks}{delimiter}".join(row) + ["\n", "\r\n", "\n\n"][rng.integers(3)]
    path = tmp_path / "g.txt"
    path.write_bytes(text.encode())
    fast, slow = plain_and_any(path)
    assert_array_equal(fast.nodes, slow.nodes)
    assert_array_equal(fast.source, slow.source)
    assert_array_equal(fast.target, slow.target)
    assert_array_equal(fast.weights, slow.weights)
    assert (fast.weights is None) != weighted


@pytest.mark.nojit
@pytest.mark.parametrize(
    "line",
    ["3,04", "3,", "3", "3 4", "3,4,5", "3,4 x", "3,a", ",4", "-,4", "3,-0", "3,4\r5,6", "3,\x0b4"],
)
def test_the_fast_reader_leaves_other_lines_alone(tmp_path, line):
    path = tmp_path / "g.csv"
    path.write_text(f"1,2\n{line}\n", newline="", encoding="utf-8")
    with path.open("rb") as stream:
        layout = layout_of(stream, "g", ".csv", may_have_header=True)
        assert integer_edges.read_integers(stream, layout) is None


# --- other formats ---------------------------------------------------------------------------


@pytest.mark.nojit
def test_gml_labels_that_do_not_tell_nodes_apart(tmp_path):
    text = 'graph [ node [ id 5 label "x" ] node [ id 3 label "x" ] edge [ source 5 target 3 ] ]'
    assert read(tmp_path, text, "g.gml").nodes.tolist() == [5, 3]
    text = "graph [ node [ id 5 label 8 ] node [ id 3 label 9 ] edge [ source 5 target 3 ] ]"
    assert read(tmp_path, text, "g.gml").nodes.tolist() == [8, 9]


GRAPHML = (
    '<?xml version="1.0"?>{}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'
)
ONE = '<graph edgedefault="undirected"><node id="a"/><node id="b"/></graph>'


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.gml", "graph [ node [ id", "not a valid GML file"),
        ("g.gml", "nonsense", "not a valid GML file"),
        ("g.gml", b"\xff", "not a valid GML file"),
        ("g.gml", "graph [ " + "a [ " * 5000, "not a valid GML file"),
        ("g.gml", "graph [ ]", "the graph has no nodes"),
        ("g.gml", 'graph [ node [ id 0 ] edge [ source 0 target 0 weight "x" ] ]', "weight 'x'"),
        ("g.gml", f"graph [ node [ id 0 ] edge [ source 0 target 0 weight {10**400} ] ]", "large"),
        ("g.graphml", "<graphml>", "not a valid GraphML file"),
        ("g.graphml", "", "not a valid GraphML file"),
        ("g.graphml", GRAPHML.format('<!DOCTYPE g [<!ENTITY a "b">]>', ONE), "document type"),
        ("g.graphml", GRAPHML.format('<!DOCTYPE g SYSTEM "file:///etc/hosts">', ONE), "document"),
        ("g.graphml", GRAPHML.format("", ONE + ONE), "must hold one graph; found 2"),
        ("g.graphml", GRAPHML.format("", ""), "must hold one graph; found 0"),
        ("g.mtx", "x", "not a valid Matrix Market file"),
        ("g.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "Matrix Market"),
        ("g.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "square"),
        (
            "g.mtx",
            "%%MatrixMarket matrix coordinate real general\n9 9 1000000000000\n1 1 1\n",
            "cut short: its header declares 1,000,000,000,000 entries",
        ),
        (
            "g.mtx",
            f"%%MatrixMarket matrix coordinate real general\n{10**15} {10**15} 1\n1 1 1\n",
            "too large: .* a graph of 1,000,000,000,000,000 nodes",
        ),
        ("g.mtx", "%%MatrixMarket matrix array real general\n9 9\n1\n", "cut short"),
        (
            "g.mtx",
            "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n",
            "is skew-symmetric",
        ),
        ("g.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "complex"),
        ("g.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 nan\n", "NaN"),
        ("g.npz", "x", "not a valid scipy.sparse.save_npz file"),
        ("g.yaml", "{}", r"extension '.yaml'; supported are .csv, .tsv"),
        ("graph", "", "has no extension"),
    ],
)
def test_files_that_are_refused(tmp_path, name, text, message):
    error_of(tmp_path, text, message, name)


def test_document_types_are_seen_in_any_encoding(tmp_path):
    text = GRAPHML.format("<!DOCTYPE g>", ONE).replace("1.0", '1.0" encoding="utf-16')
    error_of(tmp_path, text.encode("utf-16"), "document type", "g.graphml")


@pytest.mark.nojit
def test_npz_of_other_things(tmp_path):
    path = tmp_path / "g.npz"
    np.savez(path, data=np.ones((2, 2)))
    with pytest.raises(DataError, match="no array named shape"):
        read_graph(path)
    np.savez(path, shape=np.array([2, 2]), format=np.array([object()], dtype=object))
    with pytest.raises(DataError, match="not a valid"):
        read_graph(path)


def hostile_npz(path, A, **arrays):
    parts = {"indices": A.indices, "indptr": A.indptr, "data": A.data, "shape": A.shape}
    np.savez(path, format=np.array(b"csr"), **{**parts, **arrays})


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"indices": np.array([7, 0, 2, 1])}, "damaged"),
        ({"indptr": np.array([0, 1, 3])}, "not a valid"),
        ({"shape": np.array([2, 3])}, "square"),
        ({"shape": np.array([10**14, 10**14])}, "too large"),
        ({"data": np.array([1, 1, np.nan, 1])}, "NaN in row 1, column 2"),
    ],
)
def test_npz_that_are_damaged(tmp_path, arrays, message):
    A = sparse.csr_array(np.array(PATH, float))
    hostile_npz(tmp_path / "g.npz", A, **arrays)
    with pytest.raises(DataError, match=message):
        read_graph(tmp_path / "g.npz")


def test_npz_whose_header_claims_more_than_there_is(tmp_path):
    path = tmp_path / "g.npz"
    hostile_npz(path, sparse.csr_array(np.array(PATH, float)))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["data.npy"] = parts["data.npy"].replace(b"(4,), }         ", b"(400000000000,),}")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(DataError, match=r"cut short: data\.npy"):
        read_graph(path)


def test_no_memory_is_an_error_of_the_data(tmp_path, monkeypatch):
    io.mmwrite(tmp_path / "g.mtx", sparse.csr_array(np.array(PATH, float)))
    monkeypatch.setattr(memory, "available_bytes", lambda: 100)
    with pytest.raises(DataError, match=r"too large: Reading .*g\.mtx, a graph of 3 nodes"):
        read_graph(tmp_path / "g.mtx")


@pytest.mark.nojit
def test_places_that_hold_no_file(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        read_graph(tmp_path)
    with pytest.raises(DataError, match="does not exist"):
        read_graph(tmp_path / "g.csv")
    with pytest.raises(DataError, match="not a regular file"):
        read_graph("/dev/null")


@pytest.mark.nojit
def test_a_format_by_name(tmp_path):
    assert read(tmp_path, "0 1\n", "out.moreno", format="edgelist").n_edges == 1
    with pytest.raises(ValueError, match="format must be one of edgelist, adjlist"):
        read(tmp_path, "0 1\n", format="edgelits")


@pytest.mark.nojit
@pytest.mark.parametrize("suffix", [".gml", ".graphml"])
def test_without_networkx(tmp_path, monkeypatch, suffix):
    monkeypatch.setitem(sys.modules, "networkx", None)
    message = rf'reading {suffix} needs networkx; run: pip install "kgroups\[graph\]"'
    error_of(tmp_path, "graph [ ]", message, f"g{suffix}")


# --- labels ----------------------------------------------------------------------------------


def labels_of(tmp_path, text, graph, name="labels.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_node_labels(path, graph)


THREE = Graph.from_edges([0, 1], [1, 2])
NAMED = Graph(THREE.adjacency, np.array(["a", "b", "c"], object))


@pytest.mark.nojit
@pytest.mark.parametrize(
    "text",
    [
        "node,label\n2,x\n0,y\n1,\n",
        "2,x\n0,y\n1,NA\n",
        "knoten\tgruppe\n2\tx\n0\ty\n1\t\n",
        "id;name;Label\n2;p;x\n0;q;y\n1;r;\n",
        "\ufeffnode,label\r\n2,x\r\n2,x\r\n0,y\r\n\r\n1,\r\n",
    ],
)
def test_labels(tmp_path, text):
    labels, notes = labels_of(tmp_path, text, THREE)
    assert labels.tolist() == ["y", None, "x"]
    assert labels.dtype == object
    assert notes == ()


@pytest.mark.nojit
def test_labels_of_named_nodes(tmp_path):
    labels, notes = labels_of(tmp_path, "Node\tclass\nc\t1\nb\t2\na\t1\nz\t3\n", NAMED, "l.tsv")
    assert labels.tolist() == ["1", "2", "1"]
    assert notes == ("1 id of the labels file is not in the graph: 'z'.",)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("0,x\n1\n", "line 2: found 1 field, expected 2"),
        ("0\n1\n", "line 1: found 1 field, expected 2"),
        ("0,x\n1,y\n0,z\n2,x\n", "line 3: node '0' is labeled 'z', but 'x' before"),
        ("a,x\nb,y\n", "do not match: the graph has '0', '1', '2'; the labels file has 'b'"),
    ],
)
def test_labels_that_are_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        labels_of(tmp_path, text, THREE)


@pytest.mark.nojit
def test_labels_of_some_nodes(tmp_path):
    labels, notes = labels_of(tmp_path, "0,x\n1,y\n7,y\n", THREE)
    assert labels.tolist() == ["x", "y", None]
    assert notes == (
        "1 node of the graph has no line in the labels file, and no known label: '2'.",
        "1 id of the labels file is not in the graph: '7'.",
    )


@pytest.mark.nojit
def test_labels_of_other_nodes(tmp_path):
    text = "".join(f"{i},x\n" for i in range(9))
    with pytest.raises(DataError, match=r"has 'a', 'b', 'c'; the labels file has '0', .*'4', \.\."):
        labels_of(tmp_path, text, NAMED)
    with pytest.raises(DataError, match="does not exist"):
        read_node_labels(tmp_path / "nothing.csv", NAMED)


# --- public data -----------------------------------------------------------------------------


@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "n_nodes", "n_edges", "loops"),
    [
        ("ca_grqc", 5242, 14496, 12),
        ("dolphins", 62, 159, 0),
        ("football", 115, 613, 0),
        ("polbooks", 105, 441, 0),
        ("polblogs", 1224, 16718, 3),
        ("drosophila_left", 209, 5559, 0),
    ],
)
def test_public_graphs(name, n_nodes, n_edges, loops):
    graph = read_graph(reference_folder("data", "graphs", f"{name}.edges.csv"))
    assert (graph.n_nodes, graph.n_edges) == (n_nodes, n_edges)
    assert np.count_nonzero(graph.adjacency.diagonal()) == loops
    assert graph.is_weighted == (name == "drosophila_left")
    assert check_adjacency(graph).nnz == graph.adjacency.nnz
    labels, notes = read_node_labels(
        reference_folder("data", "graphs", f"{name}.labels.csv"), graph
    )
    assert len(labels) == n_nodes
    assert bool(notes) == (name == "polblogs")
    assert (labels[0] is None) == (name == "ca_grqc")


@pytest.mark.reference
def test_a_list_of_both_directions_is_the_same_graph(tmp_path):
    path = reference_folder("data", "graphs", "ca_grqc.edges.csv")
    pairs = [line.split(",") for line in path.read_text().splitlines()[1:]]
    text = "# FromNodeId\tToNodeId\n" + "".join(
        f"{a}\t{b}\n" + (f"{b}\t{a}\n" if a != b else "") for a, b in pairs
    )
    graph = read(tmp_path, text, "CA-GrQc.txt")
    assert "14,484 edges is listed in both directions" in graph.notes[0]
    assert (graph.adjacency != read_graph(path).adjacency).nnz == 0


def test_gml_labels_that_are_the_same_text_are_no_ids(tmp_path):
    path = tmp_path / "x.gml"
    path.write_text(
        'graph [ node [ id 5 label "1" ] node [ id 6 label 1 ] edge [ source 5 target 6 ] ]'
    )
    assert read_graph(path).nodes.tolist() == [5, 6]


def test_half_a_character_is_no_label(tmp_path):
    path = tmp_path / "x.gml"
    path.write_text(
        'graph [ node [ id 5 label "&#55296;" ] node [ id 6 label "b" ] '
        "edge [ source 5 target 6 ] ]"
    )
    with pytest.raises(DataError, match="contains an unpaired surrogate"):
        read_graph(path)


# --- compressed files and streams ------------------------------------------------------------

EDGES = "source,target,weight\n0,1,2\n1,2,1\n2,0,1\n2,3,5\n"
WRITTEN = {
    "edgelist": EDGES,
    "csv": EDGES,
    "tsv": EDGES.replace(",", "\t"),
    "gml": "Creator \"me\"\ngraph [\n" + "".join(f"node [ id {i} ]\n" for i in range(4))
    + "".join(
        f"edge [ source {a} target {b} weight {w} ]\n"
        for a, b, w in ((0, 1, 2), (1, 2, 1), (2, 0, 1), (2, 3, 5))
    ) + "]\n",
    "mtx": "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n2 1 2\n3 2 1\n3 1 1\n4 3 5",
    "graphml": '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    '<key id="w" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="undirected">'
    + "".join(f'<node id="{i}"/>' for i in range(4))
    + "".join(
        f'<edge source="{a}" target="{b}"><data key="w">{w}</data></edge>'
        for a, b, w in ((0, 1, 2), (1, 2, 1), (2, 0, 1), (2, 3, 5))
    ) + "</graph></graphml>",
}  # fmt: skip
COMPRESS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}
WEIGHTS = [[0, 2, 1, 0], [2, 0, 1, 0], [1, 1, 0, 5], [0, 0, 5, 0]]


@pytest.mark.parametrize("suffix", WRITTEN)
@pytest.mark.parametrize("compression", COMPRESS)
def test_the_same_graph_in_every_format(tmp_path, suffix, compression):
    content = COMPRESS[compression](WRITTEN[suffix].encode())
    assert_array_equal(dense(read(tmp_path, content, f"x.{suffix}{compression}")), WEIGHTS)
    found = graph_of_stream(BytesIO(content), "standard input")
    assert_array_equal(dense(found), WEIGHTS)
    assert found.source == "standard input"
    if suffix not in ("csv", "tsv"):
        named = read(tmp_path, content, f"x.net{compression}", format=suffix)
        assert_array_equal(dense(named), WEIGHTS)


def test_a_sparse_array_as_a_stream(tmp_path):
    sparse.save_npz(tmp_path / "x.npz", sparse.csr_array(np.array(WEIGHTS)))
    with (tmp_path / "x.npz").open("rb") as stream:
        assert_array_equal(dense(graph_of_stream(stream, "x")), WEIGHTS)
    content = gzip.compress((tmp_path / "x.npz").read_bytes())
    with pytest.raises(DataError, match=r"x\.npz\.gz is compressed, and only text is"):
        read(tmp_path, content, "x.npz.gz")
    with pytest.raises(DataError, match=r"^x holds Parquet, which is not a graph\."):
        graph_of_stream(BytesIO(b"PAR1\x15"), "x")


@pytest.mark.parametrize("suffix", WRITTEN)
def test_compressed_graphs_that_are_cut_short(tmp_path, suffix):
    content = gzip.compress(WRITTEN[suffix].encode())[:-12]
    with pytest.raises(DataError, match=rf"x\.{suffix}\.gz cannot be unpacked as \.gz: Compressed"):
        read(tmp_path, content, f"x.{suffix}.gz")


@pytest.mark.parametrize("name", ["x.csv.gz", "x.gml.gz", "x.graphml.gz", "x.mtx.gz", "y.csv.gz"])
def test_compressed_graphs_too_large_for_memory(tmp_path, monkeypatch, name):
    """Their size is known only as they are read."""
    content = WRITTEN[name.split(".")[1]].encode()
    if name == "y.csv.gz":
        content = content.replace(b"3,5", b"x,5")
        monkeypatch.setattr("kgroups.input.graph_files.edge_lines._EDGES_PER_CHECK", 2)
    monkeypatch.setattr(memory, "available_bytes", lambda: 50)
    with pytest.raises(DataError, match=rf"{name} is too large: .* needs"):
        read(tmp_path, gzip.compress(content), name)


@pytest.mark.parametrize("cut", [2, 30])
def test_matrix_market_without_an_end_of_its_last_line(tmp_path, cut):
    """SciPy reads past such an end, and the process may die of it."""
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((50, 50)) < 0.1, 1) * rng.random((50, 50))
    stream = BytesIO()
    io.mmwrite(stream, sparse.coo_array(A + A.T), symmetry="general")
    content = stream.getvalue()[:-cut]
    for _ in range(100):
        if cut == 2:
            assert read(tmp_path, content, "x.mtx").n_edges == np.count_nonzero(A)
        else:
            error_of(tmp_path, content, r"x\.mtx is not a valid Matrix Market file: .", "x.mtx")


def test_a_symmetric_array_that_lacks_entries(tmp_path):
    """SciPy takes them for zeros."""
    text = "%%MatrixMarket matrix array real symmetric\n% note\n3 3\n0\n1\n2\n0\n3\n0\n"
    assert_array_equal(dense(read(tmp_path, text, "x.mtx")), [[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    match = r"a symmetric array of 3 rows has 6 numbers on and below its diagonal; found 5\."
    error_of(tmp_path, text[:-2], match, "x.mtx")


# --- delimiters and decimal marks ------------------------------------------------------------

WEIGHTED = [[0, 0.5, 2], [0.5, 0, 1.25], [2, 1.25, 0]]


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("von;nach;gewicht\na;b;0,5\nb;c;1,25\nc;a;2\n", {}),
        ("0;1;0,5\n1;2;1,25\n2;0;2\n", {}),
        ("a\tb\t0,5\nb\tc\t1,25\nc\ta\t2\n", {}),
        ("a b 0,5\nb c 1,25\nc a 2\n", {}),
        ('a,b,"0,5"\nb,c,"1,25"\nc,a,2\n', {}),
        ("a|b|0,5\nb|c|1,25\nc|a|2\n", {"delimiter": "|"}),
        ("0 1 0,500\n1 2 1,250\n2 0 2\n", {"delimiter": " ", "decimal": ","}),
        ("0;1;0.5\n1;2;1.25\n2;0;2\n", {"decimal": "."}),
    ],
)
def test_weights_with_decimal_commas(tmp_path, text, options):
    graph = read(tmp_path, text, "graph.txt", **options)
    assert_array_equal(dense(graph), WEIGHTED)
    told = [note for note in graph.notes if "decimal commas" in note]
    assert bool(told) == bool(graph.text.decimal_commas) == ("decimal" not in options)


def test_a_matrix_with_decimal_commas(tmp_path):
    graph = read(tmp_path, ";a;b;c;d\na;0;0,5;0;1\nb;0,5;0;1;1\nc;0;1;0;2\nd;1;1;2;0\n")
    assert dense(graph)[0].tolist() == [0, 0.5, 0, 1]
    assert graph.text.decimal_commas == ("a", "b", "c", "d")


@pytest.mark.nojit
def test_a_matrix_with_decimal_commas_and_without_names(tmp_path):
    text = "0;0,5;0,3;0,2\n0,5;0;0,1;0,7\n0,3;0,1;0;0,4\n0,2;0,7;0,4;0,0\n"
    graph = read(tmp_path, text)
    assert (graph.text.delimiter, dense(graph)[3].tolist()) == (";", [0.2, 0.7, 0.4, 0])


@pytest.mark.nojit
def test_points_far_below_decimal_commas_are_not_left_out(tmp_path):
    n = 25
    names = ["", *(f"n{i}" for i in range(n))]
    entries = [["0" if i == j else "0,5" for j in range(n)] for i in range(n)]
    entries[23][24] = entries[24][23] = "1.234"
    lines = [names, *([names[i + 1], *row] for i, row in enumerate(entries))]
    text = "\n".join(map(";".join, lines))
    error_of(tmp_path, text, "line 1 has 26 fields")
    assert read(tmp_path, text, decimal=",").adjacency.max() == 1234


@pytest.mark.nojit
def test_groups_of_three_digits(tmp_path):
    marks = "a;b;1.234\nb;c;500\nc;a;2.000\n"
    assert read(tmp_path, marks, decimal=",").adjacency.max() == 2000
    graph = read(tmp_path, marks)
    assert graph.adjacency.max() == 500
    assert "points in '3' are read as decimal points" in graph.notes[0]
    assert read(tmp_path, "a;b;1.234\nb;c;0.5\n").notes == ()


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a;b;1,234\nb;c;2\n", r"line 1: the weight '1,234' has a comma; decimal=\"\.\" says that"),
        ("a;b;1,2\nb;c;2.5\n", "no decimal mark makes numbers of all weights"),
        ("1,2,1,5\n2,3,2,5\n", "If '1,5' is one number with a decimal comma, put it in"),
        ("a,b,1\nb,c,2,5\n", "If '2,5' is one number with a decimal comma, put it in"),
    ],
)
def test_commas_that_only_a_person_can_read(tmp_path, text, match):
    error_of(tmp_path, text, match)


@pytest.mark.nojit
def test_wrong_marks(tmp_path):
    with pytest.raises(ValueError, match="delimiter must be one character, such as ';'; got ';;'"):
        read(tmp_path, "a;b\n", delimiter=";;")
    with pytest.raises(ValueError, match="delimiter and decimal are both ','"):
        read(tmp_path, "a;b\n", delimiter=",", decimal=",")
    with pytest.raises(ValueError, match="decimal must be one of"):
        read(tmp_path, "a;b\n", decimal=";")
    with pytest.raises(DataError, match=r"is gml and not a list of edges: omit decimal"):
        read(tmp_path, "graph [\n]\n", "g.gml", decimal=",")


# --- what newcomers write --------------------------------------------------------------------


@pytest.mark.nojit
def test_names_with_blanks_in_quotes(tmp_path):
    text = '"Ann Lee"  "Bob Ray" 2\n"Bob Ray"\tCid 1\n'
    graph = read(tmp_path, text, "names.txt")
    assert graph.nodes.tolist() == ["Ann Lee", "Bob Ray", "Cid"]
    assert_array_equal(dense(graph), [[0, 2, 0], [2, 0, 1], [0, 1, 0]])


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("Ann Lee Bob Ray\n", "Put an id that contains a blank in double quotes"),
        ("a|b\n", r'If "\|" separates the fields, write delimiter="\|"\.'),
        (
            "# a matrix\n0,1,1,0\n1,0,,0\n1,,0,1\n0,0,1,0\n",
            "line 3: entry 3 of the matrix is missing",
        ),
        ("0,1,1,0\n1,0,0,0\n1,0,0,1\n0,0,inf,0\n", "line 4: entry 3 of the matrix is infinite"),
        (
            "source,target,weight\na,b,x\n",
            r"line 2: the weight 'x' is not a finite number; write one, or remove the line\. "
            r"If the line is not an edge, skip_lines=\[2\] leaves it out\.$",
        ),
    ],
)
def test_what_newcomers_are_told(tmp_path, text, match):
    error_of(tmp_path, text, match, "g.txt")


@pytest.mark.nojit
def test_weights_that_are_text():
    frame = pd.DataFrame({"source": ["a"], "target": ["b"], "weight": ["2"]})
    with pytest.raises(TypeError, match=r"edge 0 has '2'. Convert text by pandas.to_numeric"):
        Graph.from_edges(frame)
    with pytest.raises(TypeError, match=r"edge 0 has '0,5'. Convert decimal commas by weight.str"):
        Graph.from_edges(frame.assign(weight=["0,5"]))
    with pytest.raises(TypeError, match=r"got <U1. Convert text by weight.astype\(float\)"):
        Graph.from_edges([0], [1], np.array(["2"]))
    for text, numbers in (("2", "numbers, without quotes.$"), ("0,5", "quotes and with a decimal")):
        with pytest.raises(TypeError, match=numbers):
            Graph.from_networkx(nx.Graph([("a", "b", {"weight": text})]))


@pytest.mark.nojit
@pytest.mark.parametrize("edges", [[(0, 1), (1, 2)], [(0, 1, 1), (1, 2, 1), (2, 0, 1)]])
def test_a_list_of_edges_is_not_a_small_matrix(edges):
    with pytest.raises(
        ValueError,
        match=r"looks like edges and .* matrix: for a .* For a list of edges write kgroups",
    ):
        check_adjacency(edges)
    check_adjacency([list(edge) for edge in [(0, 1), (1, 0)]])


# --- messy lists -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "weights"),
    [
        ("u,v,3\nv,w,5\nu,w,7\n", "graph.csv", {"uv": 3, "vw": 5, "uw": 7}),
        ("v u 2.5\nw v 1\n", "graph.txt", {"uv": 2.5, "vw": 1}),
        ("source,target,3\na,b,1\n", "graph.csv", {"source target": 3, "ab": 1}),
        ("u,v\nv,w\nu,w\n", "graph.csv", {"uv": 1, "vw": 1, "uw": 1}),
        ("u,v\nv,w\n", "graph.csv", {"uv": 1, "vw": 1}),
        ("i,j\nj,k\n", "graph.csv", {"ij": 1, "jk": 1}),
        ("u,v\n1,2\nv,2\n", "graph.csv", {"uv": 1, "12": 1, "v2": 1}),
        ("start,end\nstart,a\na,end\n", "graph.csv", {"start end": 1, "start a": 1, "a end": 1}),
    ],
)
def test_an_edge_between_names_of_columns_is_an_edge(tmp_path, text, name, weights):
    assert edges_of(read(tmp_path, text, name)) == {
        frozenset(ends.split() if " " in ends else ends): weight for ends, weight in weights.items()
    }


def edges_of(graph):
    """The weight of each edge, by its ends as text."""
    entries = sparse.triu(graph.adjacency).tocoo()
    names = [str(node) for node in graph.nodes]
    found = zip(entries.row, entries.col, entries.data, strict=True)
    return {frozenset({names[i], names[j]}): weight for i, j, weight in found}


def test_names_of_columns_stay_a_header(tmp_path):
    # A shop may be called Target, so one of two words is not enough.
    assert edges_of(read(tmp_path, "Source,Target\nTarget,x\n")) == {frozenset({"Target", "x"}): 1}
    assert read(tmp_path, "u,v\na,b\nb,c\n").n_edges == 2
    assert read(tmp_path, "u,v,w\nu,b,1\n").n_edges == 1
    (note,) = read(tmp_path, "u,v\nv,w\nu,w\n").notes
    assert "line 1, 'u,v', is read as an edge, because other lines hold these names" in note
    (note,) = read(tmp_path, "source,target,2020\na,b,5\nb,c,3\n").notes
    assert "because its third field is a number; if it holds column names, leave it out by" in note
    assert read(tmp_path, "u,v,3\nv,w,5\nu,w,7\n").notes == ()


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Doe, John;Roe, Ann\nRoe, Ann;Lee, Bo\n", ";"),
        ("Smith, J\tb\nb\tc\n", "\t"),
        ("a|b|1,5\nb|c|2\n", "|"),
        ("a:b\nb:c\n", ":"),
    ],
)
def test_a_delimiter_that_was_not_guessed_is_named(tmp_path, text, mark):
    shown = mark.replace("\t", "\\t")
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    assert f'If "{shown}" separates the fields, write delimiter="{shown}".' in str(caught.value)
    assert "skip_lines" not in str(caught.value)
    assert read(tmp_path, text, delimiter=mark).n_edges == 2


def test_lines_that_two_delimiters_divide_alike_have_a_note(tmp_path):
    (*_, note) = read(tmp_path, "a|b|1,5\nb|c|2,5\n").notes
    assert 'vertical bars divide all lines alike, too; delimiter="|" takes those.' in note
    assert read(tmp_path, "a,b\nb,c\n").notes == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Friends of 2024\nsource,target\na,b\nb,c\n", [1]),
        ("Friends\nof 2024\nsource;target\na;b\nb;c\n", [1, 2]),
        ("My friends\nsource target\na b\nb c\n", [1]),
        ("source,target\nname,name\na,b\nb,c\n", [2]),
        ("source,target,weight\nname,name,kg\na,b,1\nb,c,1\n", [2]),
        ("a,b,1\nb,c,1\nTotal,2\n", [3]),
        ("a,b\nb,c\nTotal,2\n", [3]),
    ],
)
def test_lines_that_are_no_edges_are_named_and_left_out(tmp_path, text, lines):
    try:
        said = " ".join(read(tmp_path, text, "g.txt").notes)
    except DataError as error:
        said = str(error)
    assert f"skip_lines={lines}" in said
    graph = read(tmp_path, text, "g.txt", skip_lines=lines)
    assert edges_of(graph) == {frozenset("ab"): 1, frozenset("bc"): 1}
    are = "line 1" if lines == [1] else "line"
    assert any(note.startswith(are) and note.endswith("skipped.") for note in graph.notes)
    assert graph.text.skip_lines == tuple(lines)


def test_lines_that_are_skipped_in_a_list_of_integers(tmp_path):
    text = "1,2\n2,3\n3,4\n4,x\n"
    graph = read(tmp_path, text, skip_lines=(line for line in (4, 2)))
    assert (graph.nodes.tolist(), graph.n_edges) == ([1, 2, 3, 4], 2)
    with pytest.raises(DataError, match=r"has 4 lines; skip_lines=\[7\] names none of them"):
        read(tmp_path, text, skip_lines=[4, 7])
    with pytest.raises(ValueError, match="skip_lines must be an integer >= 1; got 0"):
        read(tmp_path, text, skip_lines=[0])
    with pytest.raises(DataError, match=r"omit skip_lines=\[1\], because only lists"):
        read(tmp_path, "graph [\n]\n", "g.gml", skip_lines=[1])


@pytest.mark.parametrize(
    ("encoding", "asked"), [("utf-16", None), ("utf-16-le", "utf-16-le"), ("latin-1", "latin-1")]
)
def test_other_encodings(tmp_path, encoding, asked):
    text = "é,b\r\nb,c\r\n"
    graph = read(tmp_path, text.encode(encoding), encoding=asked)
    assert (graph.nodes.tolist(), graph.text.encoding) == (["b", "c", "é"], encoding)
    assert any("is UTF-16." in note for note in graph.notes) == (asked is None)
    matrix = "é,b,c,d\n0,1,1,0\n1,0,0,0\n1,0,0,1\n0,0,1,0\n".encode(encoding)
    assert read(tmp_path, matrix, encoding=asked).nodes.tolist() == ["é", "b", "c", "d"]


def test_encodings_that_do_not_fit(tmp_path):
    latin = "é,b\n".encode("latin-1")
    error_of(tmp_path, latin, r'as UTF-8\. Or name its encoding, as in encoding="latin-1"')
    with pytest.raises(DataError, match=r"is not ascii text: .*; save it as UTF-8, or name"):
        read(tmp_path, latin, encoding="ascii")
    with pytest.raises(DataError, match="begins with the mark of UTF-8, so it is not enc"):
        read(tmp_path, "é,b\n".encode("utf-8-sig"), encoding="latin-1")
    with pytest.raises(ValueError, match=r"encoding must be one that Python knows, .* got 'nope'"):
        read(tmp_path, latin, encoding="nope")


@pytest.mark.parametrize(("decimal", "total"), [(",", 3.5), (".", 3500)])
@pytest.mark.parametrize("header", ["", "source,target,weight\n"])
def test_quoted_weights_with_decimal_commas_between_commas(tmp_path, decimal, total, header):
    graph = read(tmp_path, f'{header}a,b,"1,500"\nb,c,"2,000"\n', decimal=decimal)
    assert (graph.nodes.tolist(), sum(edges_of(graph).values())) == (["a", "b", "c"], total)


def test_decimal_commas_between_blanks_stay_in_numbers(tmp_path):
    graph = read(tmp_path, "a b 1,5\nb c 2\n", "g.txt", decimal=",")
    assert edges_of(graph) == {frozenset("ab"): 1.5, frozenset("bc"): 2}


@pytest.mark.parametrize(
    ("text", "weight", "note"),
    [
        ("a,b,\nb,c,\n", 1, "the lines end with"),
        ("a\tb\t3\t\nb\tc\t3\t\n", 3, "the lines end with"),
        ("source,target\na,b,\nb,c,\n", 1, "the lines below the first end with"),
        ("source,target,\na,b,\nb,c,\n", 1, "the lines end with"),
        ("source;target;weight;\na;b;2\nb;c;2\n", 2, "the first line ends with"),
    ],
)
def test_delimiters_at_the_end_of_lines(tmp_path, text, weight, note):
    graph = read(tmp_path, text)
    assert edges_of(graph) == {frozenset("ab"): weight, frozenset("bc"): weight}
    assert f"{note} a delimiter; the empty field is left out." in graph.notes


def test_missing_weights_are_no_delimiters_at_the_end(tmp_path):
    error_of(tmp_path, "source,target,weight\na,b,\nb,c,\n", "line 2: the weight is missing")
    error_of(tmp_path, "a,b,\nb,c,\nc,d,\nd,e,5\n", "line 4: found 3 fields, expected 2")
    graph = read(tmp_path, "1,2,\n2,3,\n")
    assert (graph.nodes.tolist(), graph.n_edges) == ([1, 2, 3], 2)


def test_weights_that_are_nearly_numbers(tmp_path):
    text = "a,b,1 500\nb,c,20\n"
    error_of(tmp_path, text, 'line 1: the weight .1 500. has blanks .* decimal="." reads groups of')
    assert edges_of(read(tmp_path, text, decimal="."))[frozenset("ab")] == 1500
    error_of(tmp_path, "a,b,12%\n", "line 1: the weight '12%' has a percent sign; remove all of")


@pytest.mark.parametrize("name", ["g.csv", "g.gml", "g.txt"])
def test_files_that_are_not_text(tmp_path, name):
    packed = gzip.compress(b"a,b\n", mtime=0)
    error_of(tmp_path, packed, f"is not text, but gzip; name it {name}.gz", name)
    error_of(tmp_path, b"\x93NUMPY", "is not text, but NPY; give it the extension .npy", name)
    error_of(tmp_path, b"%PDF-1.4", "is not text, but PDF, which is not a graph", name)


def test_ids_that_are_text_are_noted_where_most_are_integers(tmp_path):
    assert read(tmp_path, "a,b\nb,c\nc,1\n").notes == ()
    (note,) = read(tmp_path, "1,2\n2,3\n3,x\n").notes
    assert note == "ids are read as text, because 'x' is not an integer."


def test_a_matrix_as_r_writes_it(tmp_path):
    for text in ("a,b\na,0,1\nb,1,0\n", '"a" "b"\n"a" 0 1\n"b" 1 0\n'):
        graph = read(tmp_path, text, "g.txt")
        assert (graph.nodes.tolist(), dense(graph).tolist()) == (["a", "b"], [[0, 1], [1, 0]])
    names = list("abcd")
    rows = [",".join([name, *"0101"]) if name in "ac" else f"{name},1,0,1,0" for name in names]
    graph = read(tmp_path, "\n".join([",".join(names), *rows]))
    assert (graph.nodes.tolist(), graph.n_edges) == (names, 4)
