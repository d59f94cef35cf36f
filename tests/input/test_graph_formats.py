"""Files of Pajek, Cytoscape and Gephi, and adjacency lists, as these programs write them."""

import gzip
from io import BytesIO

import networkx as nx
import pytest
from numpy.testing import assert_array_equal

from helpers import each, graph_of_text
from kgroups.exceptions import DataError
from kgroups.graphs import read_graph
from kgroups.input.graph_files import library_files
from kgroups.input.graph_files.read_graph import graph_of_stream
from kgroups.runtime import memory

pytestmark = pytest.mark.nojit


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


@each("name", ["g.net", "g.paj", "g.pajek"])
@each("end", ["\n", "\r\n", "\r"])
def test_a_network_of_pajek(tmp_path, name, end):
    graph = graph_of_text(tmp_path, PAJEK.replace("\n", end), name)
    assert (graph.nodes.tolist(), graph.notes) == (LABELS, ())
    assert_array_equal(dense(graph), WEIGHTS)


def test_labels_that_do_not_tell_vertices_apart(tmp_path):
    text = '*Vertices 2\n1 "x"\n2 "x"\n*Edges\n1 2\n'
    assert graph_of_text(tmp_path, text, "g.net").nodes.tolist() == [1, 2]
    text = '*Vertices 2\n1 "20"\n2 "10"\n*Edges\n1 2\n'
    assert graph_of_text(tmp_path, text, "g.net").nodes.tolist() == [20, 10]
    latin = '*Vertices 2\n1 "José"\n2 "b"\n*Edges\n1 2\n'.encode("latin-1")
    assert graph_of_text(tmp_path, latin, "g.net", encoding="latin-1").nodes.tolist() == [
        "José",
        "b",
    ]


# --- SIF -------------------------------------------------------------------------------------


def test_names_with_blanks_and_repeated_interactions(tmp_path):
    text = "Ann Lee\tknows\tBob\nAnn Lee\tknows\tBob\nAnn Lee\tlikes\tBob\n"
    graph = graph_of_text(tmp_path, text, "g.sif")
    assert (graph.nodes.tolist(), dense(graph)[0, 1]) == (["Ann Lee", "Bob"], 2)
    mutual = graph_of_text(tmp_path, "10 pp 9\n9 pp 10\n", "g.sif")
    assert (mutual.nodes.tolist(), dense(mutual)[0, 1]) == ([9, 10], 1)
    numbered = graph_of_text(tmp_path, "gene1 pp gene2\ngene2 pp gene3\n", "g.sif")
    assert (numbered.n_nodes, numbered.notes) == (3, ())


# --- adjacency lists -------------------------------------------------------------------------


@each(
    "text",
    ["# networkx\na b\nb c d\nc\nd\ne\n", "b,c,d,\na,b\ne\n", "a;b\nb;a;c;d\nc;b\nd;b\ne\n"],
)
def test_adjacency_lists(tmp_path, text):
    graph = graph_of_text(tmp_path, text, "g.adjlist")
    assert graph.nodes.tolist() == list("abcde")
    assert sorted(nx.from_numpy_array(dense(graph)).edges) == [(0, 1), (1, 2), (1, 3)]


# --- GEXF ------------------------------------------------------------------------------------

GEXF = (
    '<?xml version="1.0" encoding="UTF-8"?>{}<gexf xmlns="http://www.gexf.net/1.2draft" '
    'version="1.2"><graph defaultedgetype="undirected"><nodes><node id="0" label="Ann"/>'
    '<node id="1" label="{}"/><node id="2" label="Cid"/></nodes><edges>{}</edges></graph></gexf>'
)
EDGES = '<edge id="0" source="0" target="1" weight="2.5"/><edge id="1" source="1" target="2"/>'


def test_what_gephi_writes(tmp_path):
    graph = graph_of_text(tmp_path, GEXF.format("", "Bo", EDGES), "g.gexf")
    assert (graph.nodes.tolist(), graph.notes) == (["Ann", "Bo", "Cid"], ())
    assert_array_equal(dense(graph), [[0, 2.5, 0], [2.5, 0, 1], [0, 1, 0]])
    assert graph_of_text(tmp_path, GEXF.format("", "Ann", EDGES), "g.gexf").nodes.tolist() == list(
        "012"
    )


@each(
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


# --- what could be lost without a word -------------------------------------------------------


def test_parts_of_pajek_may_be_followed_by_a_tab(tmp_path):
    graph = graph_of_text(tmp_path, '*Vertices\t2\n1 "a"\n2 "b"\n*Edges\t:1\n1 2 3\n', "g.net")
    assert dense(graph).tolist() == [[0, 3], [3, 0]]


WEIGHED_GML = """graph [
 node [ id 0 label "a" ]
 node [ id 1 label "LABEL" ]
 node [ id 2 label "c" ]
 edge [ source 0 target 1 value 5 ]
 edge [ source 1 target 2 value 2 MORE ]
]
"""


@each("mark", ["", "\ufeff"])
def test_weights_in_gml_have_the_names_that_columns_have(tmp_path, mark):
    graph = graph_of_text(tmp_path, mark + WEIGHED_GML.replace("MORE", ""), "g.gml")
    assert dense(graph).tolist() == [[0, 5, 0], [5, 0, 2], [0, 2, 0]]
    graph = graph_of_text(tmp_path, WEIGHED_GML.replace("MORE", "score 2"), "g.gml")
    assert dense(graph).tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    graph = graph_of_text(tmp_path, WEIGHED_GML.replace("MORE", "weight 7"), "g.gml")
    assert dense(graph).tolist() == [[0, 1, 0], [1, 0, 7], [0, 7, 0]]


def test_names_that_igraph_writes_to_gml(tmp_path):
    text = WEIGHED_GML.replace("label", "name").replace("MORE", "")
    assert graph_of_text(tmp_path, text, "g.gml").nodes.tolist() == ["a", "LABEL", "c"]
    same = text.replace("LABEL", "a")
    assert graph_of_text(tmp_path, same, "g.gml").nodes.tolist() == [0, 1, 2]


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


@each(
    ("text", "name"),
    [(WEIGHED_GRAPHML.replace('target="b"', 'target="x"'), "g.graphml"),
     (WEIGHED_GEXF.replace('target="2"', 'target="x"'), "g.gexf")],
)  # fmt: skip
def test_ends_that_are_no_nodes_are_refused(tmp_path, text, name):
    with pytest.raises(DataError, match="the end 'x'"):
        graph_of_text(tmp_path, text, name)


def test_many_elements_ask_for_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(library_files, "_ELEMENTS_PER_CHECK", 2)
    monkeypatch.setattr(memory, "available_bytes", lambda: 300)
    path = tmp_path / "g.gexf.gz"  # of which the size is not known before
    path.write_bytes(gzip.compress(WEIGHED_GEXF.encode(), mtime=0))
    with pytest.raises(DataError, match=r"too large: Reading .* needs 400 B"):
        read_graph(path)
