"""Files of graphs: the nodes and weights that each holds."""

import numpy as np
import pytest

from door_graphs import KARATE, KARATE_BARE, KARATE_FILES, edges_in
from door_tables import written
from kgroups.exceptions import DataError
from kgroups.graphs import read_graph


@pytest.mark.parametrize("name", [*KARATE_FILES, *KARATE_BARE])
def test_one_graph_in_every_format(tmp_path, name):
    path = tmp_path / name
    (KARATE_FILES | KARATE_BARE)[name](path)
    expected = {
        tuple(sorted((str(a), str(b)))): weight if name in KARATE_FILES else 1
        for a, b, weight in KARATE.edges(data="weight")
    }
    graph = read_graph(path)
    assert edges_in(graph) == expected
    assert sorted(map(str, graph.nodes)) == sorted(map(str, KARATE))


_GEXF = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="SPACE" version="1.3" xmlns:viz="SPACE/viz"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="SPACE SPACE/gexf.xsd">
<meta lastmodifieddate="2024-01-01"><creator>Gephi 0.10.1</creator></meta>
<graph defaultedgetype="undirected" mode="static">
<attributes class="node" mode="static"><attribute id="m" title="M" type="integer"/></attributes>
<nodes><node id="0" label="ann"><attvalues><attvalue for="m" value="1"/></attvalues>
<viz:size value="10.0"/><viz:position x="1" y="2"/><viz:color r="1" g="2" b="3"/></node>
<node id="1" label="bob"/></nodes>
<edges><edge id="0" source="0" target="1" weight="2.5"/></edges></graph></gexf>
"""
_GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="k" for="node" attr.name="age" attr.type="TYPE"/>
<key id="w" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected"><node id="ann"><data key="KEY">VALUE</data></node><node id="bob"/>
<edge source="ann" target="bob"><data key="w">2.5</data></edge></graph></graphml>
"""


def _graphml(value, type="int", key="k"):
    return _GRAPHML.replace("TYPE", type).replace("KEY", key).replace("VALUE", value)


_TWO = '*Vertices 2\n1 "ann"\n2 "bob"\n'
_ONE = {("ann", "bob"): 2.5}
_ANN_BOB_CID = {("ann", "bob"): 2, ("bob", "cid"): 1}
_FIVE = "ann bob cid dan eve"
_LINES = "ann bob 2\nbob cid 1\n"
_IGRAPH = """Creator "igraph version 1.0.0"
Version 1
graph
[
  directed 0
  node
  [
    id 0
    name "ann"
  ]
  node
  [
    id 1
    name "bob"
  ]
  edge
  [
    source 0
    target 1
    weight 2.5
  ]
]
"""

#: Name → (content, weights of the pairs, arguments).
FILES = {
    # lists of edges
    "header.csv": ("source,target,weight\nann,bob,2\nbob,cid,1\n", _ANN_BOB_CID, {}),
    "no_header.csv": ("ann,bob\nbob,cid\n", {("ann", "bob"): 1, ("bob", "cid"): 1}, {}),
    "other_order.csv": ("weight,target,source\n2,bob,ann\n1,cid,bob\n", _ANN_BOB_CID, {}),
    "of_gephi.csv": (
        "Source,Target,Type,Id,Label,timeset,Weight\nann,bob,Undirected,0,,,2.0\n"
        "bob,cid,Undirected,1,,,1.0\n", _ANN_BOB_CID, {}),
    "named.csv": ("who,age,whom,often\nann,3,bob,2\nbob,4,cid,1\n", _ANN_BOB_CID,
                  {"source": "who", "target": "whom", "weight": "often"}),
    "german.csv": ("von;nach;gewicht\nann;bob;1.234,5\nbob;cid;2,5\n",
                   {("ann", "bob"): 1234.5, ("bob", "cid"): 2.5}, {}),
    "blanks.edges": (_LINES, _ANN_BOB_CID, {}),
    "tabs.tsv": ("#gene_a\tgene_b\nann\tbob\n", {("ann", "bob"): 1}, {}),
    "string.tsv": ("protein1 protein2 combined_score\n96.A 96.B 900\n96.B 96.C 400\n",
                   {("96.A", "96.B"): 900, ("96.B", "96.C"): 400}, {}),
    "snap.txt": ("# Undirected graph: x.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n"
                 "1\t2\n", {("0", "1"): 1, ("1", "2"): 1}, {}),
    "konect.txt": ("% sym weighted\n1 2 3\n2 3 1\n", {("1", "2"): 3, ("2", "3"): 1}, {}),
    "crlf.csv": ("source,target\r\nann,bob\r\n", {("ann", "bob"): 1}, {}),
    "cr.csv": ("source,target\rann,bob\r", {("ann", "bob"): 1}, {}),
    "bom.csv": ("\ufeffsource,target\nann,bob\n", {("ann", "bob"): 1}, {}),
    "utf16.csv": ("source\ttarget\nann,x\tbob\n".encode("utf-16"), {("ann,x", "bob"): 1}, {}),
    "latin1.csv": ("von,nach\nMüller,Köhler\n".encode("latin-1"), {("Köhler", "Müller"): 1},
                   {"encoding": "latin-1"}),
    "quoted.csv": ('source,target,weight\n"Smith, J","O""Neil",2\n', {('O"Neil', "Smith, J"): 2},
                   {}),
    "zeros.csv": ("source,target\n007,008\n008,7\n", {("007", "008"): 1, ("008", "7"): 1}, {}),
    "large.txt": ("9007199254740992 9007199254740993\n9007199254740993 18446744073709551617\n",
                  {("9007199254740992", "9007199254740993"): 1,
                   ("18446744073709551617", "9007199254740993"): 1}, {}),
    "negative.txt": ("-1 2\n2 -3\n", {("-1", "2"): 1, ("-3", "2"): 1}, {}),
    "countries.csv": ("source,target\nNA,DE\nDE,FR\n", {("DE", "NA"): 1, ("DE", "FR"): 1}, {}),
    "words.csv": ("source,target\nNone,null\nnull,nan\n", {("None", "null"): 1,
                                                          ("nan", "null"): 1}, {}),
    "large_graph.ncol": (_LINES, _ANN_BOB_CID, {}),
    # neighbors and matrices
    "neighbors.adjlist": ("# by hand\nann bob cid\nbob\ncid\ndan\n",
                          {("ann", "bob"): 1, ("ann", "cid"): 1}, {}),
    "blanks.sif": ("ann pp bob cid\nbob pd dan\neve\n",
                   {("ann", "bob"): 1, ("ann", "cid"): 1, ("bob", "dan"): 1}, {}),
    "tabs.sif": ("Ann B\tpp\tbob\tcid\neve\n", {("Ann B", "bob"): 1, ("Ann B", "cid"): 1}, {}),
    "matrix.csv": (",a,b,c\na,0,1,0\nb,1,0,2.5\nc,0,2.5,4\n",
                   {("a", "b"): 1, ("b", "c"): 2.5, ("c", "c"): 4}, {}),
    "symmetric.mtx": ("%%MatrixMarket matrix coordinate real symmetric\n% by hand\n3 3 3\n"
                      "2 1 2.5\n3 2 1\n3 3 4", {("0", "1"): 2.5, ("1", "2"): 1, ("2", "2"): 4}, {}),
    "pattern.mtx": ("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1",
                    {("0", "1"): 1}, {}),
    "twice.mtx": ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n1 2 2\n",
                  {("0", "1"): 3}, {}),
    # Pajek
    "plain.net": (_TWO + "*Edges\n1 2 2.5\n", _ONE, {}),
    "upper.NET": (_TWO.upper().replace("ANN", "ann").replace("BOB", "bob") + "*EDGES\n1 2 2.5\n",
                  _ONE, {}),
    "network.net": ("*Network x\n" + _TWO + '*Edges\n1 2 2.5 l "x"\n', _ONE, {}),
    "places.paj": ('*Vertices 2\n1 "ann" 0.1 0.2 0.5 ic Blue\n2 "bob"\n*Arcs\n2 1 2.5\n', _ONE, {}),
    "comment.net": ("% by hand\n" + _TWO + "*Edges\n1 2 2.5\n", _ONE, {}),
    "description.net": ("*Description by hand\n" + _TWO + "*Edges\n1 2 2.5\n", _ONE, {}),
    "edges_first.net": ("*Edges\n1 2 2.5\n" + _TWO, _ONE, {}),
    "no_names.net": ("*Vertices 3\n*Edges\n1 2\n2 3\n", {("1", "2"): 1, ("2", "3"): 1}, {}),
    "odd_names.net": ('*Vertices 2\n1 "NA"\n2 "007"\n*Edges\n1 2\n', {("007", "NA"): 1}, {}),
    "two_modes.net": ('*Vertices 4 2\n1 "a a"\n2 "b"\n3 "x"\n4 "y"\n*Edges\n1 3\n2 4\n',
                      {("a a", "x"): 1, ("b", "y"): 1}, {}),
    "two_mode_matrix.net": (
        '*Vertices 5 2\n1 "a"\n2 "b"\n3 "x"\n4 "y"\n5 "z"\n*Matrix\n1 0 2\n0 3 0\n',
        {("a", "x"): 1, ("a", "z"): 2, ("b", "y"): 3}, {}),
    # GML, GraphML and GEXF
    "of_igraph.gml": (_IGRAPH, _ONE, {}),
    "entities.gml": ('graph [ node [ id 0 label "M&#252;ller &amp; Co" ] node [ id 1 label "Ö" ] '
                     "edge [ source 0 target 1 ] ]", {("Müller & Co", "Ö"): 1}, {}),
    "undeclared_multigraph.gml": (
        'graph [ node [ id 0 label "ann" ] node [ id 1 label "bob" ] edge [ source 0 target 1 ]\n'
        "edge [ source 0 target 1 value 1.5 ] ]", _ONE, {}),
    "directed.gml": ('graph [ directed 1 node [ id 0 label "ann" ] node [ id 1 label "bob" ]\n'
                     "edge [ source 0 target 1 weight 2 ] edge [ source 1 target 0 weight 0.5 ] ]",
                     _ONE, {}),
    "whole.graphml": (_graphml("3"), _ONE, {}),
    "fraction.graphml": (_graphml("3.0"), _ONE, {}),
    "no_number.graphml": (_graphml("unknown"), _ONE, {}),
    "empty_value.graphml": (_graphml(""), _ONE, {}),
    "date.graphml": (_graphml("2020-01-01", type="date"), _ONE, {}),
    "vector.graphml": (_graphml("1, 2", type="vector_float"), _ONE, {}),
    "no_key.graphml": (_graphml("3", key="other"), _ONE, {}),
    "1.2.gexf": (_GEXF.replace("SPACE", "http://www.gexf.net/1.2draft"), _ONE, {}),
    "1.3.gexf": (_GEXF.replace("SPACE", "http://gexf.net/1.3"), _ONE, {}),
    "1.3_www.gexf": (_GEXF.replace("SPACE", "http://www.gexf.net/1.3"), _ONE, {}),
    "1.3_https.gexf": (_GEXF.replace("SPACE", "https://gexf.net/1.3"), _ONE, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_weights(tmp_path, name):
    content, expected, arguments = FILES[name]
    assert edges_in(read_graph(written(tmp_path, name, content), **arguments)) == expected


def test_nodes_without_edges_are_nodes(tmp_path):
    for name, nodes in (("neighbors.adjlist", "ann bob cid dan"), ("blanks.sif", _FIVE)):
        graph = read_graph(written(tmp_path, name, FILES[name][0]))
        assert sorted(graph.nodes) == nodes.split(), name


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("no_end.csv", "source,target\n007,\n008,7\n", ("line 2", "missing")),
        ("ragged.csv", "ann,bob\nbob,cid,3\n", ("line 2", "field")),
        ("no_number.csv", "source,target,weight\nann,bob,x\n", ("line 2", "'x'")),
        ("infinite.csv", "source,target,weight\nann,bob,inf\n", ("line 2", "finite")),
        ("latin1.csv", "a,b\nMüller,Köhler\n".encode("latin-1"), ("line 2", "encoding")),
        ("three_rows.csv", "1,2,3\n2,3,1\n3,1,2\n", ("edges", "matrix")),
        ("outside.net", _TWO + "*Edges\n1 3\n", ("line 5", "3")),
        ("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1\n",
         ("2", "3")),
        ("table.npz", lambda path: np.savez(path, X=np.ones((3, 2))), ("(3, 2)", "square")),
        ("frame.parquet", b"PAR1", ("csv", "parquet")),
    ],
)  # fmt: skip
def test_refused(tmp_path, name, content, words):
    path = written(tmp_path, name, content)
    with pytest.raises(DataError) as raised:
        read_graph(path)
    for word in (name, *words):
        assert word in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "program"),
    [
        ("a.graph", "3 2\n2\n1 3\n2\n", "METIS"),
        ("a.metis", "3 2\n2\n1 3\n2\n", "METIS"),
        ("a.dl", "dl n=3 format=edgelist1\ndata:\n1 2\n2 3\n", "UCINET"),
        ("a.##h", bytes(20), "UCINET"),
        ("a.##d", bytes(20), "UCINET"),
    ],
)
def test_programs_whose_files_are_refused_are_named(tmp_path, name, content, program):
    with pytest.raises(DataError, match=program):
        read_graph(written(tmp_path, name, content))


def _refused_or_right(path, expected):
    """Whether a file is refused by its name, or holds these edges."""
    try:
        return edges_in(read_graph(path)) == expected
    except DataError as error:
        return path.name in str(error)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("dicts.edgelist", "ann bob {'weight': 2}\nbob cid {'weight': 1}\n", _ANN_BOB_CID),
        ("new_line.csv", 'source,target,weight\n"ann",bob,2\n"b\nob",ann,1\n',
         {("ann", "bob"): 2, ("ann", "b\nob"): 1}),
        ("times.txt", "% asym posweighted\n1 2 3 1100000000\n2 3 1 1100000001\n",
         {("1", "2"): 3, ("2", "3"): 1}),
    ],
)  # fmt: skip
def test_refused_or_right(tmp_path, name, content, expected):
    assert _refused_or_right(written(tmp_path, name, content), expected)


_VISITS = {
    ("bee", "rose"): 1, ("moth", "rose"): 2, ("fly", "lily"): 3, ("bee", "mint"): 1,
    ("fly", "mint"): 1, ("mint", "wasp"): 1, ("moth", "sage"): 1, ("sage", "wasp"): 1,
}  # fmt: skip


def test_plants_and_pollinators_are_no_adjacency_matrix(tmp_path):
    """Rows and columns have other names: refused, or edges between the two kinds."""
    content = ",bee,fly,moth,wasp\nrose,1,0,2,0\nlily,0,3,0,0\nmint,1,1,0,1\nsage,0,0,1,1\n"
    assert _refused_or_right(written(tmp_path, "visits.csv", content), _VISITS)


def test_a_matrix_with_names_in_another_order(tmp_path):
    """Not the same as two kinds of nodes: refused, or put in order."""
    content = ",c,a,b\na,0,0,1\nb,2.5,1,0\nc,4,0,2.5\n"
    expected = {("a", "b"): 1, ("b", "c"): 2.5, ("c", "c"): 4}
    assert _refused_or_right(written(tmp_path, "shuffled.csv", content), expected)
