"""Files of Pajek, Cytoscape and Gephi, and adjacency lists, as these programs write them."""

import gzip
import re
from io import BytesIO

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kgroups.cli import main
from kgroups.exceptions import DataError
from kgroups.graphs import read_graph
from kgroups.input.graph_files import library_files
from kgroups.input.graph_files.read_graph import graph_of_stream
from kgroups.names import GRAPH_FORMATS, GRAPH_SUFFIXES
from kgroups.runtime import memory

pytestmark = pytest.mark.nojit


def read(tmp_path, text, name, **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_graph(path, **options)


def dense(graph):
    return graph.adjacency.toarray()


# --- Pajek -----------------------------------------------------------------------------------

PAJEK = """\
*Network trade
% a comment
*Vertices 4
1 "Ann Lee"   0.1 0.2 0.5 ic Red
2 Bo 0.3 0.4
3 "Cid"
*Edges
1 2 2.5 c Blue
 2 3
3 3 4
"""
LABELS = ["Ann Lee", "Bo", "Cid", "4"]
WEIGHTS = [[0, 2.5, 0, 0], [2.5, 0, 1, 0], [0, 1, 4, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("name", ["g.net", "g.paj", "g.pajek"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_network_of_pajek(tmp_path, name, end):
    graph = read(tmp_path, PAJEK.replace("\n", end), name)
    assert (graph.nodes.tolist(), graph.notes) == (LABELS, ())
    assert_array_equal(dense(graph), WEIGHTS)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("*Edgeslist\n1 2 3\n", [[0, 1, 1], [1, 0, 0], [1, 0, 0]]),
        ("*Arcslist\n1 2 3\n2 1\n3 1\n", [[0, 1, 1], [1, 0, 0], [1, 0, 0]]),
        ("*Arcs\n1 2 1\n2 1 1\n*Edges\n2 3\n", [[0, 1, 0], [1, 0, 1], [0, 1, 0]]),
        ('*arcs :1 "r"\n1 2 -2 [1-3]\n2 1 -2\n', [[0, -2, 0], [-2, 0, 0], [0, 0, 0]]),
        ("*Edges\n1 2 [1-*]\n2 3 w 3\n", [[0, 1, 0], [1, 0, 1], [0, 1, 0]]),
        ("*Matrix\n0 2 0\n2 0 .5\n0 .5 1\n", [[0, 2, 0], [2, 0, 0.5], [0, 0.5, 1]]),
    ],
)
def test_parts_of_a_network_of_pajek(tmp_path, parts, expected):
    graph = read(tmp_path, f"*Vertices 3\n{parts}", "g.net")
    assert (graph.nodes.tolist(), graph.notes) == ([1, 2, 3], ())
    assert_array_equal(dense(graph), expected)


def test_labels_that_do_not_tell_vertices_apart(tmp_path):
    text = '*Vertices 2\n1 "x"\n2 "x"\n*Edges\n1 2\n'
    assert read(tmp_path, text, "g.net").nodes.tolist() == [1, 2]
    text = '*Vertices 2\n1 "20"\n2 "10"\n*Edges\n1 2\n'
    assert read(tmp_path, text, "g.net").nodes.tolist() == [20, 10]
    latin = '*Vertices 2\n1 "José"\n2 "b"\n*Edges\n1 2\n'.encode("latin-1")
    assert read(tmp_path, latin, "g.net", encoding="latin-1").nodes.tolist() == ["José", "b"]
    with pytest.raises(DataError, match=r'line 2: byte 7 .* name its encoding, as in encoding="la'):
        read(tmp_path, latin, "g.net")


def test_notes_on_networks_of_pajek(tmp_path):
    text = "*Vertices 3\n*Arcs :1 a\n1 2\n*Arcs :2 b\n1 2\n2 1 2\n*Partition p\n1\n2\n1\n"
    graph = read(tmp_path, text, "g.paj")
    assert dense(graph)[0].tolist() == [0, 2, 0]
    assert graph.notes[:2] == ("ignored: *Partition.", "the edges of 2 relations are added.")
    assert "has 1 edge that repeats another" in graph.notes[2]
    graph = read(tmp_path, "*Vertices 2\n*Edges\n1 2 .1\n2 1 .2\n1 2 .3\n", "g.net")
    again = read(tmp_path, "*Vertices 2\n*Edges\n1 2 .3\n1 2 .2\n1 2 .1\n", "g.net")
    assert_array_equal(dense(graph), dense(again))
    assert "has 2 edges that repeat others" in graph.notes[0]
    directed = read(tmp_path, "*Vertices 2\n*Arcs\n1 2\n", "g.net")
    assert "1 edge has no counterpart" in directed.notes[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no vertices; it must have a line .Vertices"),
        ("a b\n", "line 1: 'a b' stands before .Vertices"),
        ("*Edges\n1 2\n", "line 1: .Vertices must come before '.Edges'"),
        ("*Vertices\n", "must be followed by the number of vertices, as in .Vertices 34; got ''"),
        ("*Vertices 0\n", "must be followed by the number"),
        ("*Vertices 2 2\n", "first of two kinds of vertices are 2 of 2"),
        ("*Vertices 99999999999999\n", "is too large: Reading .*, a network of 99,999,999,999,999"),
        ("*Vertices 2\n3 x\n", "line 2: '3' is not the number of a vertex; these are 1 to 2"),
        ("*Vertices 2\nann x\n", "line 2: 'ann' is not the number of a vertex"),
        ('*Vertices 2\n1 "a\n', "line 2: '1 \"a' is not a vertex; .* in double quotes"),
        ("*Vertices 2\n1 a\n1 b\n", "line 3: vertex 1 was named before"),
        ("*Vertices 2\n*Edges\n1 3\n", "line 3: '3' is not the number of a vertex"),
        ("*Vertices 2\n*Edges\n1\n", "line 3: '1' is not a line of the network"),
        ("*Vertices 2\n*Edges\n1 2 x\n", "line 3: the value 'x' is not a finite number"),
        ("*Vertices 2\n*Matrix\n0 1 1\n", "row 1 of .Matrix has 3 numbers; expected 2 rows of 2"),
        ("*Vertices 2\n*Circles\n1 2\n", "'.Circles' begins no part that is known; these are"),
        ("*Vertices 2\n*Network b\n*Network c\n", "line 3 begins another network; save the one"),
        ("*Vertices 1\n*Vertices 2\n", "line 2 begins another network"),
        ("*Vertices 2\n*Arcs\n1 2 1e308\n1 2 1e308\n", "infinity"),
    ],
)
def test_networks_of_pajek_that_are_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, text, "g.net")


# --- SIF -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a pp b\nb pd c d\ne\n",
        "a\tpp\tb\nb\tpd\tc\td\ne\n",
        "source\tinteraction\ttarget\na\tpp\tb\nb\tpd\tc\td\ne\n",
        "# Cytoscape\nb  pd  d c\ne\na pp b\n",
    ],
)
def test_interactions_of_cytoscape(tmp_path, text):
    graph = read(tmp_path, text, "g.sif")
    assert graph.nodes.tolist() == list("abcde")
    assert sorted(nx.from_numpy_array(dense(graph)).edges) == [(0, 1), (1, 2), (1, 3)]
    assert bool(graph.notes) == text.startswith("source")


def test_names_with_blanks_and_repeated_interactions(tmp_path):
    text = "Ann Lee\tknows\tBob\nAnn Lee\tknows\tBob\nAnn Lee\tlikes\tBob\n"
    graph = read(tmp_path, text, "g.sif")
    assert (graph.nodes.tolist(), dense(graph)[0, 1]) == (["Ann Lee", "Bob"], 2)
    assert graph.notes == (
        "1 edge is listed again with the same relation, and left out.",
        "1 line repeats an edge in the same direction; weights were added.",
    )
    mutual = read(tmp_path, "10 pp 9\n9 pp 10\n", "g.sif")
    assert (mutual.nodes.tolist(), dense(mutual)[0, 1]) == ([9, 10], 1)
    numbered = read(tmp_path, "gene1 pp gene2\ngene2 pp gene3\n", "g.sif")
    assert (numbered.n_nodes, numbered.notes) == (3, ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty: it lists no nodes"),
        ("a pp b\na b\n", "line 2 has two fields; write node, relation and node, or only a node"),
        ("a\tpp\tb\nc pp d\na\tb\n", "line 3 has two fields; .* tabs in a file, blanks do not sep"),
        ("a\t\tb\n", "line 1 has an empty field"),
    ],
)
def test_interactions_that_are_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, text, "g.sif")


# --- adjacency lists -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["# networkx\na b\nb c d\nc\nd\ne\n", "b,c,d,\na,b\ne\n", "a;b\nb;a;c;d\nc;b\nd;b\ne\n"],
)
def test_adjacency_lists(tmp_path, text):
    graph = read(tmp_path, text, "g.adjlist")
    assert graph.nodes.tolist() == list("abcde")
    assert sorted(nx.from_numpy_array(dense(graph)).edges) == [(0, 1), (1, 2), (1, 3)]


def test_adjacency_lists_that_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"line 2: the name of a node is missing \(''\)"):
        read(tmp_path, "a,b\na,,c\n", "g.adjlist")
    with pytest.raises(DataError, match="is empty"):
        read(tmp_path, "# nothing\n", "g.adjlist")
    assert read(tmp_path, "a|b|c\n", "g.adjlist", delimiter="|").n_edges == 2
    with pytest.raises(DataError, match=r'is sif, where there is .* omit delimiter="\|"'):
        read(tmp_path, "a pp b\n", "g.sif", delimiter="|")
    with pytest.raises(DataError, match=r'is adjlist, .* omit decimal=","'):
        read(tmp_path, "a b\n", "g.adjlist", decimal=",")


# --- GEXF ------------------------------------------------------------------------------------

GEXF = (
    '<?xml version="1.0" encoding="UTF-8"?>{}<gexf xmlns="http://www.gexf.net/1.2draft" '
    'version="1.2"><graph defaultedgetype="undirected"><nodes><node id="0" label="Ann"/>'
    '<node id="1" label="{}"/><node id="2" label="Cid"/></nodes><edges>{}</edges></graph></gexf>'
)
EDGES = '<edge id="0" source="0" target="1" weight="2.5"/><edge id="1" source="1" target="2"/>'


def test_what_gephi_writes(tmp_path):
    graph = read(tmp_path, GEXF.format("", "Bo", EDGES), "g.gexf")
    assert (graph.nodes.tolist(), graph.notes) == (["Ann", "Bo", "Cid"], ())
    assert_array_equal(dense(graph), [[0, 2.5, 0], [2.5, 0, 1], [0, 1, 0]])
    assert read(tmp_path, GEXF.format("", "Ann", EDGES), "g.gexf").nodes.tolist() == list("012")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a valid GEXF file"),
        ("<gexf><graph/></gexf>", "GEXF"),
        (GEXF.format('<!DOCTYPE g [<!ENTITY a "b">]>', "Bo", EDGES), "declares a document type"),
        (GEXF.format("", "Bo", '<edge id="0" source="0"/>'), "an edge lacks its source or its"),
        (GEXF.format("", "Bo", EDGES.replace("2.5", "x")), "not a valid GEXF file"),
    ],
)
def test_gexf_that_is_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, text, "g.gexf")


@pytest.mark.parametrize(
    ("ids", "attribute", "names", "expected"),
    [
        (["n0", "n1"], "name", ["Ann", "Bo"], ["Ann", "Bo"]),
        (["0", "1"], "label", ["Ann", "Bo"], ["Ann", "Bo"]),
        (["n0", "n1"], "name", ["Ann", "Ann"], ["n0", "n1"]),
        (["n0", "x"], "name", ["Ann", "Bo"], ["n0", "x"]),
    ],
)
def test_names_in_graphml(tmp_path, ids, attribute, names, expected):
    G = nx.Graph([ids])
    nx.set_node_attributes(G, dict(zip(ids, names, strict=True)), attribute)
    nx.write_graphml(G, tmp_path / "g.graphml")
    assert read_graph(tmp_path / "g.graphml").nodes.tolist() == expected


# --- all of them -----------------------------------------------------------------------------


def test_formats_are_known_by_how_they_begin():
    for text in (PAJEK, GEXF.format("", "Bo", EDGES)):
        graph = graph_of_stream(BytesIO(text.encode()), "standard input")
        assert (graph.n_edges, graph.source) == (3 if text is PAJEK else 2, "standard input")
    assert graph_of_stream(BytesIO(b"a pp b c\n"), "x", "sif").n_edges == 2
    assert graph_of_stream(BytesIO(b"a b c\n"), "x", "adjlist").n_edges == 2


def test_every_format_has_an_extension():
    assert set(GRAPH_SUFFIXES.values()) == set(GRAPH_FORMATS)


def test_many_edges_ask_for_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10_000)
    with pytest.raises(DataError, match=re.escape("too large: Reading")):
        read(tmp_path, "*Vertices 900\n", "g.net")
    with pytest.raises(DataError, match=re.escape("too large: Reading")):
        read(tmp_path, GEXF.format("", "Bo" * 9_000, EDGES), "g.gexf")
    assert np.isfinite(memory.available_bytes())


# --- what could be lost without a word -------------------------------------------------------


def test_parts_of_pajek_may_be_followed_by_a_tab(tmp_path):
    graph = read(tmp_path, '*Vertices\t2\n1 "a"\n2 "b"\n*Edges\t:1\n1 2 3\n', "g.net")
    assert dense(graph).tolist() == [[0, 3], [3, 0]]


def test_a_matrix_of_pajek_holds_numbers_alone(tmp_path):
    with pytest.raises(DataError, match="line 3: the value 'c' is not a finite number"):
        read(tmp_path, "*Vertices 2\n*Matrix\n0 c\nc 0\n", "g.net")


WEIGHED_GML = """graph [
 node [ id 0 label "a" ]
 node [ id 1 label "LABEL" ]
 node [ id 2 label "c" ]
 edge [ source 0 target 1 value 5 ]
 edge [ source 1 target 2 value 2 MORE ]
]
"""


def test_labels_that_repeat_are_noted(tmp_path):
    said = "labels are not used, because some nodes share one or have none."
    graph = read(tmp_path, WEIGHED_GML.replace("LABEL", "a").replace("MORE", ""), "g.gml")
    assert graph.nodes.tolist() == [0, 1, 2]
    assert said in graph.notes
    graph = read(tmp_path, '*Vertices 2\n1 "a"\n2 "a"\n*Edges\n1 2\n', "g.net")
    assert (graph.nodes.tolist(), graph.notes) == ([1, 2], (said,))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_weights_in_gml_have_the_names_that_columns_have(tmp_path, mark):
    graph = read(tmp_path, mark + WEIGHED_GML.replace("MORE", ""), "g.gml")
    assert dense(graph).tolist() == [[0, 5, 0], [5, 0, 2], [0, 2, 0]]
    assert graph.notes == ("the attribute 'value' of the edges is read as their weights.",)
    graph = read(tmp_path, WEIGHED_GML.replace("MORE", "score 2"), "g.gml")
    assert dense(graph).tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert graph.notes[0].startswith("edges have several attributes that may be weights")
    graph = read(tmp_path, WEIGHED_GML.replace("MORE", "weight 7"), "g.gml")
    assert dense(graph).tolist() == [[0, 1, 0], [1, 0, 7], [0, 7, 0]]
    assert graph.notes[0].endswith("g.gml: 1 of 2 edges has no weight, and weighs 1.")
    with pytest.raises(DataError, match=r"byte 29 \(0xe9\) is not UTF-8 text; save it"):
        read(tmp_path, WEIGHED_GML.replace('"a"', '"é"').encode("latin-1"), "g.gml")


def test_names_that_igraph_writes_to_gml(tmp_path):
    text = WEIGHED_GML.replace("label", "name").replace("MORE", "")
    assert read(tmp_path, text, "g.gml").nodes.tolist() == ["a", "LABEL", "c"]
    same = text.replace("LABEL", "a")
    assert read(tmp_path, same, "g.gml").nodes.tolist() == [0, 1, 2]


WEIGHED_GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    '<key id="d0" for="edge" attr.name="weight" attr.type="double"><default>5.0</default></key>'
    '<graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>'
    '<edge source="a" target="b"/>'
    '<edge source="b" target="c"><data key="d0">2.0</data></edge></graph></graphml>'
)
WEIGHED_GEXF = (
    '<gexf xmlns="http://gexf.net/1.3" version="1.3"><graph defaultedgetype="undirected">'
    '<nodes><node id="0" label="a"/><node id="1" label="b"/><node id="2" label="c"/></nodes>'
    '<edges><edge id="0" source="0" target="1" weight="5"/><edge id="1" source="1" target="2"/>'
    "</edges></graph></gexf>"
)


def test_weights_that_are_left_out_are_those_that_a_file_declares(tmp_path):
    graph = read(tmp_path, WEIGHED_GRAPHML, "g.graphml")
    assert (dense(graph)[0, 1], dense(graph)[1, 2], graph.notes) == (5, 2, ())
    graph = read(tmp_path, WEIGHED_GEXF, "g.gexf")
    assert (dense(graph)[0, 1], dense(graph)[1, 2], graph.notes) == (5, 1, ())


@pytest.mark.parametrize(
    ("text", "name"),
    [(WEIGHED_GRAPHML.replace('target="b"', 'target="x"'), "g.graphml"),
     (WEIGHED_GEXF.replace('target="2"', 'target="x"'), "g.gexf")],
)  # fmt: skip
def test_ends_that_are_no_nodes_are_refused(tmp_path, text, name):
    with pytest.raises(DataError, match="line 1: the edge has the end 'x', which is not the id"):
        read(tmp_path, text, name)


def test_many_elements_ask_for_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(library_files, "_ELEMENTS_PER_CHECK", 2)
    monkeypatch.setattr(memory, "available_bytes", lambda: 300)
    path = tmp_path / "g.gexf.gz"  # of which the size is not known before
    path.write_bytes(gzip.compress(WEIGHED_GEXF.encode(), mtime=0))
    with pytest.raises(DataError, match=r"too large: Reading .* needs 400 B"):
        read_graph(path)


@pytest.mark.parametrize("weights", [True, False])
def test_multiline_lists_of_networkx_are_refused(tmp_path, weights):
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 1.5)])
    nx.write_multiline_adjlist(G if weights else nx.path_graph(3), tmp_path / "m.adjlist")
    with pytest.raises(DataError, match=r"ends with attributes, as networkx.write_multiline_adjli"):
        read_graph(tmp_path / "m.adjlist")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("e.parquet", r"save it as \.csv, in Python by pandas\.read_parquet"),
        ("e.json", r"pass networkx\.node_link_graph"),
    ],
)
def test_other_files_of_edges_say_how_to_be_read(tmp_path, name, words, capsys):
    (tmp_path / name).write_text("{}")
    with pytest.raises(DataError, match=f"{name} is not read as a graph; .*{words}"):
        read_graph(tmp_path / name)
    assert main(["communities", str(tmp_path / name)]) == 1
    assert "is not read as a graph; " in capsys.readouterr().err
