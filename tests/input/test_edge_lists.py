"""Graphs from lists of edges, in memory and in text files."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from door_graphs import edges_in
from helpers import each
from helpers import graph_of_text as read
from kgroups.exceptions import DataError, GraphNotice
from kgroups.input.graph_files import integer_edges
from kgroups.input.graph_files.edge_layout import layout_of
from kgroups.input.graph_files.edge_lines import read_any
from kgroups.input.graph_files.graph import Graph
from kgroups.input.table_files import line_blocks

PATH = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def error_of(tmp_path, text, match, name="graph.csv"):
    with pytest.raises(DataError, match=match):
        read(tmp_path, text, name)


def dense(graph):
    return graph.adjacency.toarray()


# --- edges in memory -------------------------------------------------------------------------


ANN = ["ann", "bob"], ["bob", "cid"]


@pytest.mark.nojit
@each(
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
@each(
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
    with pytest.warns(GraphNotice):
        graph = Graph.from_edges(["a", 1, (0, 0)], [1, "1", 2.5])
    assert graph.nodes.tolist() == [(0, 0), 1, "1", 2.5, "a"]
    assert graph.n_edges == 3
    grid = Graph.from_edges([(0, 0), (0, 1)], [(0, 1), (1, 1)])
    assert grid.nodes.tolist() == [(0, 0), (0, 1), (1, 1)]
    assert Graph.from_edges([0.0, 1.0], [1, 2]).nodes.tolist() == [0, 1, 2]
    with pytest.warns(GraphNotice):
        assert Graph.from_edges(["a", "b"], ["b", "a"]).n_edges == 1
    assert Graph.from_edges([], n_nodes=2).n_edges == 0


# --- lists of edges --------------------------------------------------------------------------


@pytest.mark.nojit
def test_two_words_are_an_edge_unless_all_else_is_integers(tmp_path):
    graph = read(tmp_path, "a,b\n1,2\nc,2\n")
    assert graph.nodes.tolist() == ["1", "2", "a", "b", "c"]
    graph = read(tmp_path, "a,b\n1,2\n3,2\n")
    assert graph.nodes.tolist() == [1, 2, 3]
    assert read(tmp_path, "a,b,1.5\n1,2,1\n").n_nodes == 4
    assert read(tmp_path, "a,b\n").n_edges == 1


@pytest.mark.nojit
@each("other", ["007", "+7", "-0", "7.0", "9223372036854775808", "1_0", "٣"])
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
def test_a_weight_of_zero_is_no_edge(tmp_path):
    graph = read(tmp_path, "0,1,0\n1,2,-1.5\n")
    assert (graph.n_nodes, graph.n_edges) == (3, 1)


def plain_and_any(path):
    """What the fast reader and the other one make of a file."""
    with path.open("rb") as stream:
        layout = layout_of(stream, "g", path.suffix, may_have_header=True)
        fast = integer_edges.read_integers(stream, layout)
        slow = read_any(stream, "g", layout)
    return fast, slow


@each("seed", range(12))
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
@each(
    "line",
    ["3,04", "3,", "3", "3 4", "3,4,5", "3,4 x", "3,a", ",4", "-,4", "3,-0", "3,4\r5,6", "3,\x0b4"],
)
def test_the_fast_reader_leaves_other_lines_alone(tmp_path, line):
    path = tmp_path / "g.csv"
    path.write_text(f"1,2\n{line}\n", newline="", encoding="utf-8")
    with path.open("rb") as stream:
        layout = layout_of(stream, "g", ".csv", may_have_header=True)
        assert integer_edges.read_integers(stream, layout) is None


# --- delimiters and decimal marks ------------------------------------------------------------

WEIGHTED = [[0, 0.5, 2], [0.5, 0, 1.25], [2, 1.25, 0]]


@pytest.mark.nojit
@each(
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


# --- what newcomers write --------------------------------------------------------------------


@pytest.mark.nojit
def test_names_with_blanks_in_quotes(tmp_path):
    text = '"Ann Lee"  "Bob Ray" 2\n"Bob Ray"\tCid 1\n'
    graph = read(tmp_path, text, "names.txt")
    assert graph.nodes.tolist() == ["Ann Lee", "Bob Ray", "Cid"]
    assert_array_equal(dense(graph), [[0, 2, 0], [2, 0, 1], [0, 1, 0]])


# --- messy lists -----------------------------------------------------------------------------


@each(
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
    assert edges_in(read(tmp_path, text, name)) == {
        tuple(sorted(ends.split() if " " in ends else ends)): w for ends, w in weights.items()
    }


def test_names_of_columns_stay_a_header(tmp_path):
    # A shop may be called Target, so one of two words is not enough.
    assert edges_in(read(tmp_path, "Source,Target\nTarget,x\n")) == {("Target", "x"): 1}
    assert read(tmp_path, "u,v\na,b\nb,c\n").n_edges == 2
    assert read(tmp_path, "u,v,w\nu,b,1\n").n_edges == 1


@each(
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
def test_lines_that_are_no_edges_are_left_out(tmp_path, text, lines):
    graph = read(tmp_path, text, "g.txt", skip_lines=lines)
    assert edges_in(graph) == {("a", "b"): 1, ("b", "c"): 1}
    assert graph.text.skip_lines == tuple(lines)


def test_lines_that_are_skipped_in_a_list_of_integers(tmp_path):
    text = "1,2\n2,3\n3,4\n4,x\n"
    graph = read(tmp_path, text, skip_lines=(line for line in (4, 2)))
    assert (graph.nodes.tolist(), graph.n_edges) == ([1, 2, 3, 4], 2)


@each(("encoding", "asked"), [("utf-16", None), ("utf-16-le", "utf-16-le"), ("latin-1", "latin-1")])
def test_other_encodings(tmp_path, encoding, asked):
    text = "é,b\r\nb,c\r\n"
    graph = read(tmp_path, text.encode(encoding), encoding=asked)
    assert (graph.nodes.tolist(), graph.text.encoding) == (["b", "c", "é"], encoding)
    matrix = "é,b,c,d\n0,1,1,0\n1,0,0,0\n1,0,0,1\n0,0,1,0\n".encode(encoding)
    assert read(tmp_path, matrix, encoding=asked).nodes.tolist() == ["é", "b", "c", "d"]


@each(("decimal", "total"), [(",", 3.5), (".", 3500)])
@each("header", ["", "source,target,weight\n"])
def test_quoted_weights_with_decimal_commas_between_commas(tmp_path, decimal, total, header):
    graph = read(tmp_path, f'{header}a,b,"1,500"\nb,c,"2,000"\n', decimal=decimal)
    assert (graph.nodes.tolist(), sum(edges_in(graph).values())) == (["a", "b", "c"], total)


@each(
    ("text", "weight"),
    [
        ("a,b,\nb,c,\n", 1),
        ("a\tb\t3\t\nb\tc\t3\t\n", 3),
        ("source,target\na,b,\nb,c,\n", 1),
        ("source,target,\na,b,\nb,c,\n", 1),
        ("source;target;weight;\na;b;2\nb;c;2\n", 2),
    ],
)
def test_delimiters_at_the_end_of_lines(tmp_path, text, weight):
    graph = read(tmp_path, text)
    assert edges_in(graph) == {("a", "b"): weight, ("b", "c"): weight}


def test_missing_weights_are_no_delimiters_at_the_end(tmp_path):
    error_of(tmp_path, "source,target,weight\na,b,\nb,c,\n", "line 2: the weight is missing")
    error_of(tmp_path, "a,b,\nb,c,\nc,d,\nd,e,5\n", "line 4: found 3 fields, expected 2")
    graph = read(tmp_path, "1,2,\n2,3,\n")
    assert (graph.nodes.tolist(), graph.n_edges) == ([1, 2, 3], 2)


def test_weights_that_are_nearly_numbers(tmp_path):
    text = "a,b,1 500\nb,c,20\n"
    error_of(tmp_path, text, "1 500")
    assert edges_in(read(tmp_path, text, decimal="."))[("a", "b")] == 1500
    error_of(tmp_path, "a,b,12%\n", "percent")


def test_a_matrix_as_r_writes_it(tmp_path):
    for text in ("a,b\na,0,1\nb,1,0\n", '"a" "b"\n"a" 0 1\n"b" 1 0\n'):
        graph = read(tmp_path, text, "g.txt")
        assert (graph.nodes.tolist(), dense(graph).tolist()) == (["a", "b"], [[0, 1], [1, 0]])
    names = list("abcd")
    rows = [",".join([name, *"0101"]) if name in "ac" else f"{name},1,0,1,0" for name in names]
    graph = read(tmp_path, "\n".join([",".join(names), *rows]))
    assert (graph.nodes.tolist(), graph.n_edges) == (names, 4)
