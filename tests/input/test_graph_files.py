"""Graphs in files: delimiters, headers, numbers and names that the contract does not list."""

import bz2
import gzip
import io
import sys

import numpy as np
import pytest
from scipy import sparse

from door_graphs import edges_in
from helpers import each
from kgroups.exceptions import DataError
from kgroups.graphs import Graph, read_graph, read_node_labels

AB = {("a", "b"): 1, ("b", "c"): 1}
WEIGHTED = {("a", "b"): 0.5, ("b", "c"): 1.25}
MATRIX = {("a", "b"): 1, ("b", "c"): 2}
INTEGERS = {("0", "1"): 0.5, ("1", "2"): 1.25}

#: Name of a file, content, edges and arguments.
LISTS = [
    ("tabs.tsv", "a\tb\nb\tc\n", AB, {}),
    ("blanks.txt", "  a   b\n b\t c \n\n", AB, {}),
    ("semicolons.csv", "a;b;0,5\nb;c;1,25\n", WEIGHTED, {}),
    ("mark.csv", "a|b\nb|c\n", AB, {"delimiter": "|"}),
    ("decimal.csv", "a;b;0,5\nb;c;1,25\n", WEIGHTED, {"decimal": ","}),
    ("quotes.csv", 'a,b,"0,5"\nb,c,"1,25"\n', WEIGHTED, {}),
    ("blanks_and_commas.txt", "a b 0,5\nb c 1,25\n", WEIGHTED, {}),
    ("thousands.csv", "a;b;1.000,5\nb;c;2,5\n", {("a", "b"): 1000.5, ("b", "c"): 2.5}, {}),
    ("title.csv", "A title, of two fields\na,b\nb,c\n", AB, {"skip_lines": [1]}),
    ("comments.csv", "# one\n% two\na,b\n# three\nb,c\n", AB, {}),
    ("hash.csv", "a#1,b\nb,c\n", {("a#1", "b"): 1, ("b", "c"): 1}, {}),
    ("named_in_a_comment.txt", "# n\n#weight from to\n2 a b\n3 b c\n",
     {("a", "b"): 2, ("b", "c"): 3}, {}),
    ("ends.csv", "source,target,\na,b,\nb,c,\n", AB, {}),
    ("weights_last.csv", "x,y,type,score\na,b,p,0.5\nb,c,q,1.25\n", WEIGHTED, {}),
    ("numbers_are_ids.csv", "x,y\n1,2\n2,3\n", {("1", "2"): 1, ("2", "3"): 1}, {}),
    ("no_header.csv", "x,y\n1,2\nc,2\n", {("x", "y"): 1, ("1", "2"): 1, ("2", "c"): 1}, {}),
    ("nodes_called_u.csv", "u,v\nv,w\n", {("u", "v"): 1, ("v", "w"): 1}, {}),
    ("numbered_nodes.csv", "gene1,gene2\ngene3,gene4\n",
     {("gene1", "gene2"): 1, ("gene3", "gene4"): 1}, {}),
    ("told.csv", "source,target\na,b\n", {("source", "target"): 1, ("a", "b"): 1},
     {"header": False}),
    ("told_names.csv", "a,b\nb,c\n", {("b", "c"): 1}, {"header": True}),
    ("numbers.csv", "9,a,0.5,b\n8,b,1.25,c\n", WEIGHTED,
     {"source": 2, "target": "4", "weight": 3}),
    ("integers.txt", "0 1 0.5\n1 2 1.25\n", INTEGERS, {}),
    ("signs.txt", "+1 2\n2 03\n", {("+1", "2"): 1, ("03", "2"): 1}, {}),
    ("points.txt", "1.0 2.0\n2.0 3.5\n3.5 4.0\n",
     {("1.0", "2.0"): 1, ("2.0", "3.5"): 1, ("3.5", "4.0"): 1}, {}),
    ("truths.csv", "True,False\nFalse,x\n", {("False", "True"): 1, ("False", "x"): 1}, {}),
    ("exponents.csv", "a,b,5e-1\nb,c,125E-2\n", WEIGHTED, {}),
    ("minus.csv", "a,b,-1\nb,c,2\n", {("a", "b"): -1, ("b", "c"): 2}, {}),
    ("braces.edgelist", "b c {'weight': 1.25}\na b {'weight': 0.5, 'year': 1}\n", WEIGHTED, {}),
    ("strength.edgelist", "0,1,{'strength': 0.5}\n1,2,{'strength': 1.25}\n", INTEGERS, {}),
    ("third_counts.csv", "person,event,times\na,b,0.5\nb,c,1.25\n", WEIGHTED,
     {"weight": "times"}),
    ("third_is_numbers.csv", "person,event,times\na,b,2\nb,c,3\n", AB, {}),
    ("weight_first.csv", "weight,x,y\n0.5,a,b\n1.25,b,c\n", WEIGHTED, {"header": True}),
    ("ignored.tsv", "#x y\tid a\tid b\tScore\n1\ta\tb\t-\n2\tb\tc\t3\n", AB,
     {"source": "id a", "target": "id b", "weight": False}),
    ("no_end", "a b\nb c", AB, {"format": "edgelist"}),
]  # fmt: skip


@each("name, content, expected, arguments", LISTS, ids=lambda row: row[0])
def test_lists_of_edges(name, content, expected, arguments, tmp_path):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert edges_in(read_graph(path, **arguments)) == expected


#: Square tables, and their edges.
TABLES = [
    (",a,b,c\na,0,1,0\nb,1,0,2\nc,0,2,0\n", MATRIX),
    (",a,b,c\na,0,0,1\nb,2,1,0\nc,0,2,0\n", None),
    ("a b c\na 0 1 0\nb 1 0 2\nc 0 2 0\n", MATRIX),
    ("a,b,c,d\n0,1,0,0\n1,0,2,0\n0,2,0,0\n0,0,0,0\n", MATRIX),
    ("0 1 0 0\n1 0 2 0\n0 2 0 0\n0 0 0 0\n", {("0", "1"): 1, ("1", "2"): 2}),
    ("0;0,5;0;0\n0,5;0;1,25;0\n0;1,25;0;0\n0;0;0;0\n", {("0", "1"): 0.5, ("1", "2"): 1.25}),
]


@each("content, expected", TABLES)
def test_square_tables(content, expected, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(content)
    if expected is None:
        assert read_graph(path).notes[-1].count("not symmetric") == 1
        return
    graph = read_graph(path)
    assert edges_in(graph) == expected
    assert "adjacency matrix" in graph.notes[0]


@each(
    "content",
    [
        "0,1,1\n1,0,1\n1,1,0\n",
        "x,y,z\n1,2,3\n2,3,1\n3,1,2\n",
        "0,2.5\n2.5,0\n",
        "0,1,1\n0,0,1\n0,0,0\n",
    ],
)
def test_two_or_three_rows_that_may_be_a_matrix_are_refused(content, tmp_path):
    path = tmp_path / "small.csv"
    path.write_text(content)
    with pytest.raises(DataError, match="edges or a matrix"):
        read_graph(path)


#: What is wrong with a list, and words of the error.
WRONG = [
    ("a,b,1\nb,c,1\nTotal,2\n", ("line 3", "field")),
    ("a b 1\nb c\n", ("line 2", "field")),
    ("a,b\nb,c\n" + "c,d\n" * 200 + "d,e,f\n", ("line 203", "field")),
    ("# n\n\na,b,1\n\nb,c,none\n", ("line 5", "'none'")),
    ("a\nb\n", ("line 1", "one field")),
    ("source,target\n", ("no edges",)),
    ("a,b\n,\n", ("line 2", "end")),
    ("source,target,weight\na,b\n", ("3 fields", "2")),
    ("source,target,Score\na,b,1\nb,c,-\n", ("line 3", "'Score'", "'-'")),
    ("source,target,weight\na,b,true\nb,c,false\n", ("line 2", "'true'")),
    ("weight,b\n1,2\n2,3\n", ("'weight'", "ends")),
    ("a b {'weight': 2, 'n': 3}\nb c {'weight': f()}\n", ("braces",)),
]


@each("content, words", WRONG)
def test_wrong_lists_name_the_line(content, words, tmp_path):
    path = tmp_path / "wrong.csv"
    path.write_text(content)
    with pytest.raises(DataError) as error:
        read_graph(path)
    for word in ("wrong.csv", *words):
        assert word in str(error.value)


def test_notes_name_columns_that_are_read_or_not(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text("source,target,often,year\na,b,2,1999\nb,c,1,2000\n")
    assert ["often" in note and "year" in note for note in read_graph(path).notes] == [True]
    first, second = read_graph(path, source="source", target="target", weight="often").notes
    assert ("'often'" in first, "weights" in first, "'year'" in second) == (True, True, True)
    assert read_graph(path, source=1, target=2, weight=4).adjacency.max() == 2000


@each(
    "content, words",
    [
        ("person,event\nann,gala\nbob,gala\ncid,ball\n", ("line 1", "person - event", "--source")),
        ("source,target\na,#b\n#b,c\n", ("1 line", "#")),
        ("a,b,mentions\n1,2,3\n", ("mentions", "--weight-column")),
    ],
)
def test_notes_name_what_may_be_read_wrongly(content, words, tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text(content)
    notes = " ".join(read_graph(path).notes)
    assert [word in notes for word in words] == [True] * len(words)


def test_how_a_list_was_written(tmp_path):
    path = tmp_path / "text.csv"
    path.write_bytes("von;nach;gewicht\nä;b;0,5\n".encode("utf-16"))
    found = read_graph(path).text.to_dict()
    assert found == {
        "delimiter": ";", "encoding": "utf-16", "decimal": None, "skip_lines": [],
        "decimal_commas": ["gewicht"], "has_header": True,
        "columns": {"source": "von", "target": "nach", "weight": "gewicht"},
    }  # fmt: skip


@each("pack, suffix", [(gzip.compress, ".gz"), (bz2.compress, ".bz2")])
def test_packed_files(pack, suffix, tmp_path):
    for name, content in (("g.csv", b"a,b\nb,c\n"), ("g.net", b"*Vertices 3\n1 a\n2 b\n3 c\n"
                          b"*Edges\n1 2\n2 3\n")):  # fmt: skip
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(pack(content))
        assert edges_in(read_graph(path)) == AB


def test_order_of_lines_does_not_matter(tmp_path):
    rng = np.random.default_rng(1)
    for names in ("{}", "n{}"):
        lines = [f"{names} {names} {w}\n".format(*rng.integers(0, 9, 2)) for w in range(1, 60)]
        graphs = []
        for order in (range(59), rng.permutation(59)):
            path = tmp_path / "g.txt"
            path.write_text("".join(lines[i] for i in order))
            graphs.append(read_graph(path))
        assert graphs[0].nodes.tolist() == graphs[1].nodes.tolist()
        assert (graphs[0].adjacency != graphs[1].adjacency).nnz == 0


# --- other formats -------------------------------------------------------------------------------

_XML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}'
    '<graph edgedefault="{}">{}</graph></graphml>'
)
_KEYS = (
    '<key id="d0" for="edge" attr.name="strength" attr.type="double"/>'
    '<key id="d1" for="edge" attr.name="year" attr.type="int"/>'
    '<key id="d0n" for="node" attr.name="name" attr.type="string"/>'
)
_NODES = "".join(f'<node id="n{i}"><data key="d0n">{n}</data></node>' for i, n in enumerate("abc"))
_EDGES = (
    '<edge source="n0" target="n1"><data key="d0">2.5</data><data key="d1">1999</data></edge>'
    '<edge source="n1" target="n2"><data key="d0">1</data><data key="d1">2000</data></edge>'
)


def test_attributes_of_edges(tmp_path):
    path = tmp_path / "a.graphml"
    path.write_text(_XML.format(_KEYS, "directed", _NODES + _EDGES))
    graph = read_graph(path)
    assert edges_in(graph) == {("a", "b"): 2.5, ("b", "c"): 1}
    assert ["strength" in n for n in graph.notes[:2]] == [True, False]
    assert "'year'" in graph.notes[1]
    assert edges_in(read_graph(path, weight="year")) == {("a", "b"): 1999, ("b", "c"): 2000}
    with pytest.raises(DataError, match="'age'"):
        read_graph(path, weight="age")


def test_attributes_of_nodes_and_edges_of_gexf_have_ids_of_their_own(tmp_path):
    path = tmp_path / "a.gexf"
    path.write_text(
        '<gexf xmlns="http://gexf.net/1.3"><graph>'
        '<attributes class="node"><attribute id="0" title="age"/></attributes>'
        '<attributes class="edge"><attribute id="0" title="value"><default>4</default></attribute>'
        '</attributes><nodes><node id="x"/><node id="y"><attvalues><attvalue for="0" value="9"/>'
        '</attvalues></node><node id="z"/></nodes><edges><edge source="x" target="y"/>'
        '<edge source="y" target="z"><attvalues><attvalue for="0" value="3"/></attvalues></edge>'
        "</edges></graph></gexf>"
    )
    assert edges_in(read_graph(path)) == {("x", "y"): 4, ("y", "z"): 3}


@each("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_in_any_encoding(encoding, tmp_path):
    path = tmp_path / "e.graphml"
    text = '<!DOCTYPE graphml [<!ENTITY a "b">]>' + _XML.format("", "undirected", _NODES)
    path.write_bytes(text.encode(encoding))
    with pytest.raises(DataError, match="DOCTYPE"):
        read_graph(path)


def test_names_of_gml(tmp_path):
    path = tmp_path / "a.gml"
    text = "graph [ node [ id 5 {} ] node [ id 7 {} ] edge [ source 5 target 7 ] ]"
    for labels, nodes in (
        (('label "x"', 'label "y"'), ["x", "y"]),
        (('label "x"', 'label "x"'), [5, 7]),
        (('name "x"', 'name "y"'), ["x", "y"]),
        (("", ""), [5, 7]),
    ):
        path.write_text(text.format(*labels))
        graph = read_graph(path)
        assert graph.nodes.tolist() == nodes
        assert len(graph.notes) == (labels[0] == 'label "x"' == labels[1])


@each(
    "lines, word",
    [
        ("*Vertices 2\n1 a\n3 b\n", "line 3"),
        ("*Vertices 2\n*Edges\n1 2 x5\n", "'x5'"),
        ("*Vertices 2\n*Matrix\n0 1 0\n", "row 1"),
        ("1 2\n", "before"),
        ("*Vertices 2 2\n", "number of vertices"),
        ("*Vertices 9999999\n", "too many"),
    ],
)
def test_wrong_lines_of_pajek(lines, word, tmp_path):
    path = tmp_path / "wrong.net"
    path.write_text(lines)
    with pytest.raises(DataError, match=word):
        read_graph(path)


@each("make", [sparse.csr_array, sparse.coo_array, sparse.dia_array, sparse.bsr_array])
def test_damaged_matrices_are_refused(make, tmp_path):
    path = tmp_path / "m.npz"
    matrix = make(np.array([[0.0, np.inf], [1, 0]]))
    sparse.save_npz(path, matrix)
    with pytest.raises(DataError, match="infinity"):
        read_graph(path)


def test_declared_sizes_hyperedges_and_encodings_are_refused(tmp_path):
    np.savez_compressed(tmp_path / "bomb.npz", np.zeros((3000, 3000)))
    (tmp_path / "hyper.graphml").write_text(_XML.format("", "", "<hyperedge/>"))
    (tmp_path / "klingon.graphml").write_text('<?xml version="1.0" encoding="klingon"?><a/>')
    (tmp_path / "gap.csv").write_text(",a,b,c\na,0,1,\nb,1,0,2\nc,,2,0\n")
    for name, word in (
        ("bomb.npz", "times"), ("hyper.graphml", "hyperedge"), ("klingon.graphml", "klingon"),
        ("gap.csv", "NaN"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=word) as error:
            read_graph(tmp_path / name)
        assert str(error.value).count(name) == 1


def test_standard_input_tells_its_format(monkeypatch):
    gml = b'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ]\nedge [ source 0 target 1 ] ]'
    for content, edges in (
        (b"a,b\nb,c\n", AB),
        (gml, {("a", "b"): 1}),
        (b"*Vertices 3\n1 a\n2 b\n3 c\n*Edges\n1 2\n2 3\n", AB),
        (b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", {("0", "1"): 1}),
        (gzip.compress(b"a,b\nb,c\n"), AB),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        graph = read_graph("-")
        assert edges_in(graph) == edges
        assert graph.source == "standard input"


@each(
    "arguments, word",
    [
        ({"decimal": ";"}, "decimal"),
        ({"delimiter": ";;"}, "delimiter"),
        ({"encoding": "utf-99"}, "utf-99"),
        ({"skip_lines": [0]}, "skip_lines"),
        ({"format": "dot"}, "format"),
    ],
)
def test_arguments_that_are_no_choice(arguments, word, tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match=word):
        read_graph(path, **arguments)


def test_labels_are_those_of_the_column_called_so(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 2])
    path = tmp_path / "labels.tsv"
    path.write_text("id\tage\tLabel\n2\t5\tx\n0\t6\ty\n9\t7\tz\n")
    labels, notes = read_node_labels(path, graph)
    assert labels.tolist() == ["y", None, "x"]
    assert [("'1'" in note, "'9'" in note) for note in notes] == [(True, False), (False, True)]
