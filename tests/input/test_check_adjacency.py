"""Graphs as other libraries hold them: frames, tuples, files, igraph and anndata."""

import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from kgroups import GraphKGroups
from kgroups.exceptions import DataError, GraphNotice
from kgroups.graphs import Graph
from kgroups.input.check_adjacency import check_adjacency, check_network
from kgroups.metrics import modularity

pytestmark = pytest.mark.nojit

#: d–a–b–c with weights 1, 2, 0.5; sorted by name.
EDGES = [("d", "a", 1.0), ("a", "b", 2.0), ("c", "b", 0.5)]
MATRIX = np.array([[0, 2, 0, 1], [2, 0, 0.5, 0], [0, 0.5, 0, 0], [1, 0, 0, 0]])
NAMES = ["a", "b", "c", "d"]


def frame_of(matrix, names, **options):
    return pd.DataFrame(matrix, columns=names, **options)


def written(folder):
    path = folder / "g.csv"
    path.write_text("".join(f"{u},{v},{w}\n" for u, v, w in EDGES))
    return path


EDGE_FRAME = pd.DataFrame(EDGES, columns=["source", "target", "weight"])
SHUFFLED = [2, 0, 3, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda _: EDGES,
        lambda _: EDGES[::-1],
        lambda _: EDGE_FRAME,
        lambda _: EDGE_FRAME[["weight", "target", "source"]],
        lambda _: pl.DataFrame(EDGE_FRAME.to_dict("list")),
        lambda _: EDGE_FRAME.rename(columns={"source": "gene1", "target": "gene2", "weight": "w"}),
        lambda _: pd.DataFrame(EDGES),
        lambda _: EDGE_FRAME.set_index(pd.Index([5, 5, 7])),
        lambda _: frame_of(MATRIX, NAMES, index=NAMES),
        lambda _: frame_of(MATRIX[:, SHUFFLED], [NAMES[c] for c in SHUFFLED], index=NAMES),
        lambda _: frame_of(MATRIX, NAMES),
        lambda _: frame_of(MATRIX, NAMES).astype("Float64"),
        lambda _: pl.DataFrame(dict(zip(NAMES, MATRIX, strict=True))),
        lambda _: pl.DataFrame({"name": NAMES, **dict(zip(NAMES, MATRIX, strict=True))}),
        lambda _: frame_of(MATRIX, NAMES, index=NAMES).reset_index(),
        written,
        lambda folder: str(written(folder)),
    ],
)
def test_the_same_graph(tmp_path, make):
    network = check_network(make(tmp_path))
    assert (network.nodes.tolist(), network.notes) == (NAMES, ())
    assert_array_equal(network.matrix.toarray(), MATRIX)


def test_an_order_of_the_users_own_is_kept():
    order = [NAMES[row] for row in SHUFFLED]
    frame = frame_of(MATRIX, NAMES, index=NAMES).loc[order]
    network = check_network(frame)
    assert network.nodes.tolist() == order
    assert_array_equal(network.matrix.toarray(), MATRIX[np.ix_(SHUFFLED, SHUFFLED)])
    counted = check_network(pd.DataFrame(MATRIX))
    assert counted.nodes.tolist() == [0, 1, 2, 3]
    G = nx.Graph([("b", "a"), ("a", "c")])
    assert check_network(G).nodes.tolist() == ["b", "a", "c"]


def test_integers_are_names_of_the_nodes_that_have_edges():
    edges = [(10**12, 7), (7, 30), (30, 10**12)]
    network = check_network([*edges, (5, 7)])
    assert network.nodes.tolist() == [5, 7, 30, 10**12]
    frame = pd.DataFrame({"from": [30, 7], "to": [7, 5]})
    assert check_network(frame).nodes.tolist() == [5, 7, 30]
    assert check_network([((0, 1), "x"), ("x", "y")]).nodes.tolist()[0] == (0, 1)


def test_repeated_edges_are_added_with_a_notice():
    with pytest.warns(GraphNotice, match="1 edge repeats another, in the same direction or"):
        network = check_network([("a", "b"), ("b", "a"), ("b", "c")])
    assert network.matrix.toarray()[0].tolist() == [0, 2, 0]
    with pytest.warns(GraphNotice, match="not symmetric: 2 pairs of nodes have different"):
        check_network(frame_of(np.triu(MATRIX) + np.tril(MATRIX, -2), NAMES, index=NAMES))


@pytest.mark.parametrize(
    ("A", "kind", "message"),
    [
        ([(0, 1), (1, 0)], ValueError, r"may be a matrix: for a matrix pass numpy.array\(A\)\."),
        ([(0, 1, 1), (1, 0, 1), (1, 1, 0)], ValueError, "looks like edges and may be a matrix"),
        (pd.DataFrame(MATRIX[:3, :3]), ValueError, "3 rows of numbers .* for edges call the col"),
        (pd.DataFrame(MATRIX[:2, :2]), ValueError, r"for a matrix pass A\.to_numpy\(\)"),
        (frame_of(MATRIX[:3, :3], NAMES[:3]), ValueError, "may be edges or a matrix"),
        (frame_of(np.triu(MATRIX), NAMES), ValueError, "square, but its rows have no names and it"),
        (frame_of(MATRIX[:3], NAMES), ValueError, "a frame of edges has columns source and target"),
        (frame_of(MATRIX, NAMES, index=list("abcx")).astype(str), ValueError, "frame of edges has"),
        (frame_of(MATRIX, NAMES, index=NAMES).replace(0.5, "x"), TypeError, "'b' holds text"),
        (frame_of(MATRIX, NAMES, index=NAMES).replace(0.5, np.nan), ValueError, "A contains NaN"),
        (EDGE_FRAME.assign(weight=-1.0), ValueError, "A has negative weights"),
        (EDGE_FRAME.iloc[:0], ValueError, "there are no edges"),
        (EDGE_FRAME.assign(target=[None, "a", "b"]), TypeError, "edge 0 has no target"),
        (pl.LazyFrame({"u": ["a"], "v": ["b"]}), TypeError, r"lazy frame, .* write A\.collect\(\)"),
        ([("a", "b", {"weight": 2})], TypeError, r'G.edges\(data="weight", default=1\)'),
        ("nowhere.csv", DataError, "nowhere.csv does not exist"),
        (Path("x.png"), DataError, "x.png does not exist"),
    ],
)  # fmt: skip
def test_what_could_be_two_things_is_refused(A, kind, message):
    with pytest.raises(kind, match=message):
        check_adjacency(A)


# --- igraph and anndata ----------------------------------------------------------------------


class Sequence(dict):
    """Vertices or edges of igraph with their attributes."""

    def attributes(self):
        return list(self)


class ListedGraph:
    """What igraph.Graph is asked for, without igraph."""

    def __init__(self, edges, vertices, weights):
        self.edges, self.vs, self.es = edges, Sequence(vertices), Sequence(weight=weights)

    def vcount(self):
        return 4

    def get_edgelist(self):
        return self.edges

    def is_directed(self):
        return False


@pytest.mark.parametrize(
    ("vertices", "nodes"),
    [
        ({"name": ["d", "a", "b", "c"]}, ["d", "a", "b", "c"]),
        ({"_nx_name": ["d", "a", "b", "c"]}, ["d", "a", "b", "c"]),
        ({"label": ["d", "a", "b", "c"]}, [0, 1, 2, 3]),
        ({"name": ["d", "a", "a", "c"]}, [0, 1, 2, 3]),
        ({"name": ["d", "a", None, "c"]}, [0, 1, 2, 3]),
    ],
)
def test_names_of_igraph(vertices, nodes):
    network = check_network(ListedGraph([(0, 1), (1, 2), (2, 3)], vertices, [1, 2, 0.5]))
    assert network.nodes.tolist() == nodes
    assert network.matrix.toarray()[1].tolist() == [1, 0, 2, 0]


def test_igraph_itself():
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph.TupleList(EDGES, weights=True)
    network = check_network(G)
    assert network.nodes.tolist() == G.vs["name"]
    assert network.matrix.sum() == 7


def annotated(**obsp):
    """What anndata.AnnData is asked for, without anndata."""
    return SimpleNamespace(obsp=obsp, obs_names=pd.Index(["c1", "c2", "c3", "c4"]))


def test_neighbors_of_anndata():
    A = sparse.csr_matrix(MATRIX.astype(np.float32))
    network = check_network(annotated(distances=A * 0, connectivities=A))
    assert network.nodes.tolist() == ["c1", "c2", "c3", "c4"]
    assert_array_equal(network.matrix.toarray(), MATRIX)
    with pytest.raises(ValueError, match=r"only 'distances'; make it by scanpy.pp.neighbors\(A\)"):
        check_network(annotated(distances=A))


# --- what uses it ----------------------------------------------------------------------------


def test_estimators_and_scores_take_them(tmp_path):
    G = nx.relabel_nodes(nx.karate_club_graph(), str)
    edges = [(u, v, data["weight"]) for u, v, data in G.edges(data=True)]
    model = GraphKGroups(2, random_state=0).fit(edges)
    assert model.nodes_.tolist() == sorted(G)
    found = {node: part for part, nodes in enumerate(model.communities_) for node in nodes}
    assert found == dict(zip(model.nodes_, model.labels_, strict=True))
    again = GraphKGroups(2, random_state=0).fit(pd.DataFrame(edges[::-1]))
    assert_array_equal(again.labels_, model.labels_)
    groups = [set(nodes) for nodes in model.communities_]
    assert modularity(edges, groups) == pytest.approx(nx.community.modularity(G, groups))
    nx.write_pajek(G, tmp_path / "karate.net")
    by_file = GraphKGroups(2, random_state=0).fit(tmp_path / "karate.net")
    assert by_file.nodes_.tolist() == list(range(34))
    assert Graph.from_edges(edges).nodes.tolist() == sorted(G)


# --- tables of numbers that are neither edges nor a matrix between their rows ------------------

WEB = pd.DataFrame(np.eye(6, dtype=int), list("abcdef"), list("uvwxyz"))
SYMMETRIC = pd.DataFrame(MATRIX, ["p", "q", "r", "s"], NAMES)


@pytest.mark.parametrize(
    "frame",
    [
        WEB,
        WEB.reset_index(drop=True),
        WEB.iloc[:, :4],
        WEB.rename_axis("plant").reset_index(),
        pl.DataFrame(WEB.to_dict("list")),
        WEB.iloc[:, 2:4],
        SYMMETRIC,
        WEB.set_axis(["Woman1", "Woman2", "Child1", "Anna", "Bea", "Value"], axis=1),
        WEB.iloc[:5].reset_index(drop=True).set_axis(["p", "q", "weight", "x", "y", "z"], axis=1),
    ],
)
def test_a_table_of_numbers_is_not_an_edge_list(frame):
    for take in (check_network, Graph.from_edges):
        with pytest.raises(ValueError, match=r"has columns source and target; got .* of numbers"):
            take(frame)


@pytest.mark.parametrize("frame", [WEB, WEB.rename_axis("plant").reset_index()])
def test_the_edges_between_rows_and_columns_in_one_line(frame):
    with pytest.raises(ValueError, match="as of plants and pollinators") as caught:
        check_network(frame)
    line = re.search(r"write (frame\..*?\)); for the matrix", str(caught.value))[1]
    # The line is what a user pastes from the message, so it has to run as it is printed.
    network = check_network(eval(line, {"frame": frame}))  # noqa: S307
    pairs = sparse.triu(network.matrix).tocoo()
    names = network.nodes[pairs.row], network.nodes[pairs.col]
    assert [a + b for a, b in zip(*names, strict=True)] == ["au", "bv", "cw", "dx", "ey", "fz"]


def test_frames_of_edges_may_have_names_of_rows_and_many_numbers():
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "x": [1, 2], "y": 3, "p": 1})
    with pytest.warns(GraphNotice, match="columns were ignored: 'x', 'y', 'p'; if one holds"):
        assert check_network(frame.set_index(pd.Index(["e1", "e2"]))).matrix.nnz == 4
    with pytest.warns(GraphNotice, match="ignored: 'x', 'y', 'p'; the weights are in 'score'"):
        check_network(frame.assign(score=2.0))
    named = pd.DataFrame({"Kin1": ["a", "b"], "Kin2": ["b", "c"], "year": 1, "p": [2, 3]})
    with pytest.warns(GraphNotice, match="columns were ignored: 'year', 'p'"):
        assert check_network(named).matrix.nnz == 4


# --- edges and neighbors in objects of Python --------------------------------------------------

WEIGHTED = nx.Graph()
WEIGHTED.add_weighted_edges_from(EDGES)
PARALLEL = nx.MultiGraph([("d", "a"), ("a", "b"), ("a", "b")])
PARALLEL.add_edge("b", "c", weight=0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: WEIGHTED.edges,
        WEIGHTED.edges,
        lambda: WEIGHTED.edges(data="weight"),
        lambda: PARALLEL.edges,
        lambda: set(EDGES),
        lambda: iter(EDGES),
        lambda: (edge for edge in EDGES),
        lambda: [list(edge) for edge in EDGES],
        lambda: tuple(EDGES),
        lambda: np.array(EDGES, object),
        lambda: {(u, v): weight for u, v, weight in EDGES},
        {edge[:2]: 1 for edge in EDGES}.keys,
        lambda: nx.to_dict_of_dicts(WEIGHTED),
        lambda: nx.to_dict_of_lists(WEIGHTED),
        lambda: {"a": {"b": 2, "d": 1.0}, "c": {"b": 0.5}},
        lambda: EDGE_FRAME.set_index(["source", "target"])["weight"],
    ],
)
def test_edges_and_neighbors_of_python(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphNotice)
        network = check_network(make())
    assert network.nodes.tolist() == NAMES
    is_plain = network.matrix.max() == 1
    assert_array_equal(network.matrix.toarray(), MATRIX > 0 if is_plain else MATRIX)


@pytest.mark.parametrize("columns", [slice(0, 2), slice(0, 3)])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_arrays_of_edges(columns, kind):
    edges = np.array([[5, 7, 2], [7, 9, 2], [9, 5, 2], [9, 11, 2]], kind)[:, columns]
    for A in (edges, edges.tolist(), edges.astype(np.int64).astype(str)[:, :2]):
        network = check_network(A)
        assert network.matrix.nnz == 8
        assert {*map(int, network.nodes)} == {5, 7, 9, 11}
    assert check_network(np.array([["a", "b"], ["b", "c"]])).nodes.tolist() == ["a", "b", "c"]


def test_a_node_without_neighbors_is_a_node():
    assert check_network({"a": ["b"], "b": ["a"], "c": []}).nodes.tolist() == ["a", "b", "c"]


def test_two_edges_that_are_read_as_a_matrix_get_a_note():
    for A in ([[0, 1], [1, 2]], np.array([[0, 1], [1, 2]])):
        with pytest.warns(
            GraphNotice, match=r"matrix between 2 nodes, not as 2 edges\. For a list"
        ):
            assert check_network(A).matrix.nnz == 3
    assert check_network([[0, 1], [1, 0]]).matrix.nnz == 2


@pytest.mark.parametrize(
    ("A", "kind", "message"),
    [
        (
            {"source": ["a"], "target": ["b"]},
            TypeError,
            r"dict of columns; write pandas\.DataFrame",
        ),
        ({"a": {"b": "x"}}, TypeError, r"the edge \('a', 'b'\) has the weight 'x'"),
        (nx.to_dict_of_dicts(PARALLEL), TypeError, "weights must be numbers"),
        ({"a": 1}, TypeError, "A must be .* a dict of their neighbors, .*; got dict"),
        ({"ab", "bc"}, ValueError, r"edge 0 is '..'; expected \(source, target\)"),
        (np.array([[0.5, 1], [1, 2], [2, 3]]), ValueError, r"A must be square.* \(3, 2\)"),
        (PARALLEL.edges(keys=True, data=True), ValueError, "edge 0 is .*; expected"),
    ],
)
def test_objects_that_are_no_edges(A, kind, message):
    with pytest.raises(kind, match=message):
        check_network(A)


@pytest.mark.parametrize("names", ["uvw", ("start", "end", "middle"), ("node1", "node2", "node3")])
def test_nodes_may_be_called_like_columns(names):
    neighbors = {a: [b for b in names if b != a] for a in names}
    network = check_network(neighbors)
    assert network.nodes.tolist() == sorted(names)
    assert network.matrix.nnz == 6
