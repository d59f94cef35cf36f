"""Graphs in memory: the weights and nodes that each object holds."""

import itertools
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import oracle
from door_graphs import edges_in
from helpers import each
from kgroups import GraphKGroups
from kgroups.exceptions import DataError
from kgroups.graphs import Graph, read_graph, read_node_labels
from kgroups.metrics import cut_size, modularity

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def weights_in(A, n):
    """The weights of all pairs of n nodes, by the cuts around one and around two of them."""
    places = np.arange(n)
    alone = [cut_size(A, places == i) for i in places]
    W = np.zeros((n, n))
    for i, j in itertools.combinations(range(n), 2):
        both = cut_size(A, (places == i) | (places == j))
        W[i, j] = W[j, i] = (alone[i] + alone[j] - both) / 2
    return W


def check(A, expected, where=""):
    """That an object is read as this symmetric matrix, loops included."""
    expected, n = np.asarray(expected, float), len(expected)
    found = weights_in(A, n)
    np.testing.assert_allclose(found, expected - np.diag(np.diag(expected)), err_msg=where)
    labels = np.arange(n) % 2
    right = float(oracle.modularity(oracle.long(expected), labels, 2))
    assert modularity(A, labels) == pytest.approx(right, rel=1e-12), where


#: Four nodes, a loop at the third; and the same as edges.
W = np.array([[0, 2, 0, 0.5], [2, 0, 3, 0], [0, 3, 4, 1], [0.5, 0, 1, 0]])
EDGES = [(0, 1, 2.0), (1, 2, 3.0), (2, 2, 4.0), (2, 3, 1.0), (0, 3, 0.5)]
ONES = (W > 0).astype(float)
LETTERS = np.array(list("abcd"))


def of_networkx(kind=nx.Graph, names=range(4)):
    graph = kind()
    graph.add_nodes_from(names)
    graph.add_weighted_edges_from((names[i], names[j], weight) for i, j, weight in EDGES)
    return graph


def like_igraph(weights=True, names=True):
    """What is asked of a graph of igraph."""

    class Sequence(dict):
        def attributes(self):
            return list(self)

    return SimpleNamespace(
        get_edgelist=lambda: [edge[:2] for edge in EDGES],
        vcount=lambda: 4,
        is_directed=lambda: False,
        es=Sequence(weight=[w for *_, w in EDGES] if weights else []) if weights else Sequence(),
        vs=Sequence(name=list("abcd")) if names else Sequence(),
    )


def with_zeros(A):
    """A sparse matrix that holds its zeros."""
    i, j = np.indices(A.shape).reshape(2, -1)
    return sparse.csr_array((A.ravel(), (i, j)), shape=A.shape)


def in_two(A, step=-1):
    """Each entry stored as two that are added, and columns in the wrong order, unless step is 1."""
    i, j = np.nonzero(A)
    starts = 2 * np.r_[0, np.cumsum(np.bincount(i, minlength=len(A)))]
    columns = np.concatenate([np.repeat(j[i == row], 2)[::step] for row in range(len(A))])
    rows = np.repeat(np.arange(len(A)), np.diff(starts))
    return sparse.csr_array((A[rows, columns] / 2, columns, starts), shape=A.shape)


def damaged(A):
    """A sparse matrix with an index that points outside."""
    made = sparse.csr_array(A)
    made.indices[1] = 99
    return made


#: Name → an object, and the matrix that it stands for.
OBJECTS = {
    "array": (W, W),
    "list": (W.tolist(), W),
    "csr": (sparse.csr_array(W), W),
    "csc": (sparse.csc_matrix(W), W),
    "coo": (sparse.coo_array(W), W),
    "zeros": (with_zeros(W), W),
    "in two": (in_two(W), W),
    "in two, in order": (in_two(W, 1), W),
    "small integers": (sparse.csr_array(ONES.astype(np.int8)), ONES),
    "directed": (np.triu(W), W),
    "directed, ones": (np.triu(ONES), ONES),
    "some directed, ones": (ONES - np.diag([1.0], -3), 2 * ONES - np.diag([1.0], 3)
                             - np.diag([1.0], -3) - np.diag([0.0, 0, 1, 0])),
    "some directed": (np.triu(W) + np.tril(W) / 2, 1.5 * W),
    "networkx": (of_networkx(), W),
    "networkx, directed": (of_networkx(nx.DiGraph), W),
    "networkx, parallel": (of_networkx(nx.MultiGraph), W),
    "igraph": (like_igraph(), W),
    "igraph without weights": (like_igraph(weights=False), ONES),
    "graph": (Graph.from_edges(EDGES), W),
    "holder": (SimpleNamespace(adjacency=sparse.csr_array(W)), W),
    "anndata": (SimpleNamespace(obsp={"connectivities": W}, obs_names=list("abcd")), W),
    "pairs": ([edge[:2] for edge in EDGES], ONES),
    "triples": (EDGES, W),
    "edges of numbers": (np.array(EDGES), W),
    "view": (of_networkx().edges, W),
    "set": ({*EDGES}, W),
    "dict of edges": ({edge[:2]: edge[2] for edge in EDGES}, W),
    "dict of lists": (nx.to_dict_of_lists(of_networkx()), ONES),
    "dict of dicts": (nx.to_dict_of_dicts(of_networkx()), W),
    "dict of weights": ({0: {1: 2.0, 3: 0.5}, 1: {2: 3.0}, 2: {2: 4.0, 3: 1.0}}, W),
    "series": (pd.Series({edge[:2]: edge[2] for edge in EDGES}), W),
    "frame of edges": (pd.DataFrame(EDGES, columns=["source", "target", "weight"]), W),
    "frame in another order": (
        pd.DataFrame(EDGES, columns=["u", "v", "weight"])[["weight", "v", "u"]], W),
    "polars edges": (pl.DataFrame(EDGES, ["from", "to", "weight"], orient="row"), W),
    "frame of a matrix": (pd.DataFrame(W, LETTERS, LETTERS), W),
    "frame with names first": (pd.DataFrame(W, columns=LETTERS).assign(n=LETTERS)[
        ["n", *"cabd"]], W[:, [2, 0, 1, 3]][:, [1, 2, 0, 3]]),
    "frame with other order": (pd.DataFrame(W, LETTERS, LETTERS)[list("dbca")], W),
    "polars matrix": (pl.DataFrame(W, list("abcd")), W),
}  # fmt: skip


@each("name", OBJECTS)
def test_weights_of_an_object(name):
    A, expected = OBJECTS[name]
    check(A, expected, name)


def test_parallel_edges_give_the_same_bits_in_any_order():
    rng = np.random.default_rng(0)
    ends, weights = rng.integers(0, 4, (200, 2)), rng.uniform(size=200)
    first = Graph.from_edges(ends[:, 0], ends[:, 1], weights).adjacency.toarray()
    for _ in range(4):
        order = rng.permutation(200)
        some = ends[order][:, ::-1]
        again = Graph.from_edges(some[:, 0], some[:, 1], weights[order]).adjacency.toarray()
        assert (first == again).all()
    right = np.zeros((4, 4), np.longdouble)
    for (i, j), weight in zip(ends, weights, strict=True):
        right[i, j] += weight
    right = right + right.T - np.diag(np.diag(right))
    np.testing.assert_allclose(first, right.astype(float), rtol=1e-14)


#: Edges, and their nodes in order.
NODES = [
    ([(10, 9), (9, 2), (2, 10)], [2, 9, 10]),
    ([("b", "a"), ("a", 10), (9, "b")], [10, 9, "a", "b"]),
    ({10: [9], 9: [2.5]}, [2.5, 9, 10]),
    ([(2**70, 1), (1, 5), (5, 7)], [1, 5, 7, 2**70]),
    ([(("x", 1), ("x", 2))], [("x", 1), ("x", 2)]),
    (np.array([[5, 300_000], [7, 5], [300_000, 12]]), [5, 7, 12, 300_000]),
    (np.array([[5.0, 9.0, 0.5], [9.0, 7.0, 0.25]]), [5, 7, 9]),
    (of_networkx(names=list("dbca")), list("dbca")),
    (like_igraph(), list("abcd")),
    (like_igraph(names=False), [0, 1, 2, 3]),
    (SimpleNamespace(obsp={"connectivities": W}, obs_names=list("wxyz")), list("wxyz")),
    (pd.DataFrame(W, LETTERS, LETTERS)[list("dbca")], list("abcd")),
    (W, [0, 1, 2, 3]),
]


@each("A, nodes", NODES)
def test_nodes_and_their_order(A, nodes):
    assert GraphKGroups(1, objective="ratio_association").fit(A).nodes_.tolist() == nodes


#: What is no graph, or could be two: objects, and two words.
NO_GRAPHS = [
    (np.ones((2, 3)), ValueError, ("square", "(2, 3)")),
    (W * 1j, TypeError, ("complex", "real")),
    (np.where(W == 3, np.nan, W), ValueError, ("NaN", "row 1, column 2")),
    (np.where(W == 3, np.inf, W), ValueError, ("infinity", "row 1")),
    (-W, ValueError, ("negative", "row 0, column 1")),
    (damaged(W), ValueError, ("damaged",)),
    (sparse.csr_array((0, 0)), ValueError, ("no nodes", "A")),
    ([(0, 1, 2), (1, 2, 0), (2, 0, 1)], ValueError, ("edges", "matrix")),
    (pd.DataFrame(W, columns=list("abcd")).assign(a=[9.0, 0, 0, 1]), ValueError,
     ("square", "symmetric")),
    (pd.DataFrame([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]], columns=list("xyz")), ValueError,
     ("edges", "matrix")),
    (pd.DataFrame(W, LETTERS, list("abce")), ValueError, ("'d'", "'e'")),
    (pd.DataFrame(W, list("aacd"), list("aacd")), ValueError, ("'a'", "differ")),
    ({"source": [0, 1], "target": [1, 2]}, TypeError, ("columns", "DataFrame")),
    ({("a", "b"): "heavy"}, TypeError, ("A", "dict")),
    ({"a": {"b": "2"}}, TypeError, ("weight", "'2'")),
    (SimpleNamespace(obsp={"distances": W}, obs_names=[]), ValueError, ("connectivities",)),
    (np.ma.masked_array(W, W == 3), TypeError, ("masked", "0")),
    (pl.LazyFrame({"source": [1], "target": [2]}), TypeError, ("lazy", "collect")),
    ([("a", "b"), ("c", None)], TypeError, ("edge 1", "target")),
    ([("a", "b", 1.0), ("a", "c", np.inf)], ValueError, ("edge 1", "inf")),
    ([("a", "b"), ("a", "c", 2.0)], ValueError, ("edge 1", "expected")),
    (pd.DataFrame({"source": ["a"], "target": ["b"], "weight": ["3,5"]}), TypeError,
     ("3,5", "decimal")),
    (pd.DataFrame(np.eye(3, 4), list("xyz")), ValueError, ("source", "'x'")),
]  # fmt: skip


@each("A, kind, words", NO_GRAPHS)
def test_what_is_no_graph(A, kind, words):
    with pytest.raises(kind) as error:
        modularity(A, [0, 1, 0, 1])
    for word in words:
        assert word in str(error.value)


#: Arguments that are no edges, and a word.
NO_EDGES = [
    (([0, 1], [1]), {}, "same length"),
    (([0, 1], [1, 2], [1.0]), {}, "weight"),
    (([0, 5], [1, 2]), {"n_nodes": 4}, "node 5"),
    (([0, -1], [1, 2]), {}, "-1"),
    (([0.5, 1], [1, 2]), {}, "0.5"),
    ((["a"], ["b"]), {"n_nodes": 4}, "integers"),
]


@each("columns, more, word", NO_EDGES)
def test_what_is_no_list_of_edges(columns, more, word):
    with pytest.raises((TypeError, ValueError), match=word):
        Graph.from_edges(*columns, **more)


def test_graphs_of_edges_by_hand():
    graph = Graph.from_edges([0, 2, 2, 3], [1, 1, 2, 3], [1, 2, 3, 0], n_nodes=6)
    assert (graph.n_nodes, graph.n_edges, graph.is_weighted) == (6, 3, True)
    assert edges_in(graph) == {("0", "1"): 1, ("1", "2"): 2, ("2", "2"): 3}
    assert not Graph.from_edges([0, 1], [1, 2]).is_weighted
    turned = Graph.from_edges([("c", "a", 2), ("a", "b", 3), ("d", "b", 5)])
    assert edges_in(turned) == {("a", "c"): 2, ("a", "b"): 3, ("b", "d"): 5}


def test_loops_count_twice_in_degrees():
    labels = np.array([0, 0, 1, 1])
    for objective in ("modularity", "cpm", "normalized_cut", "ratio_association"):
        model = GraphKGroups(2, objective=objective, init=labels).fit(W)
        given = oracle.long(W), oracle.long(np.ones(4)), None, model.labels_, 2
        right = float(oracle.graph_value(objective, *given))
        assert model.objective_ == pytest.approx(right, rel=1e-12), objective


#: Content of files of graphs → their edges, or a word of the refusal.
FILES = {
    "names_below.csv": ("gene1,gene2,score\nTP53,MDM2,0.5\nTP53,ATM,1\n",
                        {("MDM2", "TP53"): 0.5, ("ATM", "TP53"): 1}),
    "numbers_in_front.csv": ("id,From,To\n1,a,b\n2,b,c\n", {("a", "b"): 1, ("b", "c"): 1}),
    "semicolons.csv": ("a;b;1.234\nb;c;2.345\n", {("a", "b"): 1.234, ("b", "c"): 2.345}),
    "percent.csv": ("a,b,10%\nb,c,20%\n", "percent"),
    "groups.csv": ('source,target,weight\na,b,"1,234"\nb,c,"5,678"\n', "decimal"),
    "names.txt": ("a b c\na 0 1 2\nb 1 0 0\nc 2 0 5\n",
                  {("a", "b"): 1, ("a", "c"): 2, ("c", "c"): 5}),
    "bare.txt": ("0 1 2 0\n1 0 0 3\n2 0 0 1\n0 3 1 5\n",
                 {("0", "1"): 1, ("0", "2"): 2, ("1", "3"): 3, ("2", "3"): 1, ("3", "3"): 5}),
    "again.sif": ("a r b c\nb r a\na r b\na s b\n", {("a", "b"): 3, ("a", "c"): 1}),
    "names.sif": ("source interaction target\nx pp y\n", {("x", "y"): 1}),
    "styles.net": ('*Vertices 3\n1 a\n2 "b b"\n3\n*Arcs\n1 2 3 w 9\n1 3 c Blue\n',
                   {("a", "b b"): 3, ("3", "a"): 1}),
    "second.net": ("*Vertices 2\n*Edges\n1 2\n*Vertices 2\n", "another"),
    "twice.net": ("*Vertices 2\n1 a\n1 b\n", "named before"),
    "same_names.net": ("*Vertices 3\n1 a\n2 a\n3 b\n*Edges\n1 2 5\n", {("1", "2"): 5}),
    "parts.gexf": ('<gexf><graph/><graph/></gexf>', "one graph"),
    "unknown.graphml": ('<graphml><graph edgedefault="undirected"><node id="a"/>'
                        '<edge source="a" target="z"/></graph></graphml>', "'z'"),
    "type.graphml": ('<!DOCTYPE x><graphml><graph edgedefault="undirected"/></graphml>', "DOCTYPE"),
    "default.graphml": (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" '
        'attr.name="weight" attr.type="double"><default>4.5</default></key>'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>'
        '<edge source="a" target="b"/><edge source="b" target="c"><data key="w">2</data></edge>'
        "</graph></graphml>", {("a", "b"): 4.5, ("b", "c"): 2}),
    "value.gml": ('graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1'
                  " value 3.5 ] ]", {("a", "b"): 3.5}),
    "skew.mtx": ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "skew"),
    "cut.mtx": ("%%MatrixMarket matrix coordinate real general\n9 9 900\n1 2 1\n", "cut short"),
    "colon.adjlist": ("a,b,c\nb,d,\n", {("a", "b"): 1, ("a", "c"): 1, ("b", "d"): 1}),
    "fields.csv": ("a,b,c,d\ne,f,g,h\n", "source"),
    "late_zeros.txt": ("1 2\n" * 60 + "007 7\n", {("1", "2"): 60, ("007", "7"): 1}),
    "nodes_called_u.csv": ("u,v\nv,w\n", {("u", "v"): 1, ("v", "w"): 1}),
    "four_by_four.csv": ("who,whom,weight,year\n4,4,1,9\n6,3,5,7\n2,8,2,8\n8,3,3,8\n",
                         {("4", "4"): 1, ("3", "6"): 5, ("2", "8"): 2, ("3", "8"): 3}),
    "both_ways.graphml": (
        '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
        '<edge source="a" target="b"/><edge source="b" target="a"/></graph></graphml>',
        {("a", "b"): 2}),
    "same_column.csv": ("source,target,weight,weights\na,b,1,2\n", {("a", "b"): 1}),
    "e_weights.csv": ("source,target,weight\na,b,1e-3\nb,c,-2.5E2\nc,d,+4\nd,e,.5\n",
                      {("a", "b"): 1e-3, ("b", "c"): -250, ("c", "d"): 4, ("d", "e"): 0.5}),
    "digits.txt": ("0 1 0.1234567890123456789012\n1 2 123456789012345678901\n2 3 1e-300\n",
                   {("0", "1"): 0.12345678901234568, ("1", "2"): 123456789012345678901.0,
                    ("2", "3"): 1e-300}),
}  # fmt: skip


@each("name", FILES)
def test_files_with_something_odd(name, tmp_path):
    content, expected = FILES[name]
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    if isinstance(expected, str):
        with pytest.raises(DataError, match=expected):
            read_graph(path)
        return
    assert edges_in(read_graph(path)) == expected


def test_columns_by_their_numbers(tmp_path):
    path = tmp_path / "four.csv"
    path.write_text("x,2.5,ann,bob\ny,1,cid,bob\n")
    graph = read_graph(path, source="4", target="3", weight="2")
    assert edges_in(graph) == {("ann", "bob"): 2.5, ("bob", "cid"): 1}


def test_labels_of_nodes(tmp_path):
    graph = Graph.from_edges([("a", "b"), ("b", "7"), ("7", "d")])
    path = tmp_path / "labels.csv"
    for content in (
        "node,label\na,x\nb,y\n7,\n",
        "id,age,label\na,1,x\nb,2,y\n7,3,NA\nq,4,z\n",
        "a,x\nb,y\nd,\n",
    ):
        path.write_text(content)
        labels, notes = read_node_labels(path, graph)
        known = dict(zip(graph.nodes.tolist(), labels, strict=True))
        assert known == {"a": "x", "b": "y", "7": None, "d": None}
        assert len(notes) == 1 + ("q" in content)
    for content, word in (
        ("a,x\nb,y\na,z\n", "line 3"),
        ("q,x\n", "match"),
        ("a,x\nb\n", "line 2"),
    ):
        path.write_text(content)
        with pytest.raises(DataError, match=word):
            read_node_labels(path, graph)
