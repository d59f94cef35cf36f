"""Graphs as other libraries hold them: orders and names of nodes, and tables that are none."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from helpers import each
from kgroups import GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs import Graph
from kgroups.input.check_adjacency import check_network
from kgroups.metrics import modularity

pytestmark = pytest.mark.nojit

MATRIX = np.array([[0, 2, 0, 1], [2, 0, 0.5, 0], [0, 0.5, 0, 0], [1, 0, 0, 0]])
NAMES = ["a", "b", "c", "d"]


def frame_of(matrix, names, **options):
    return pd.DataFrame(matrix, columns=names, **options)


SHUFFLED = [2, 0, 3, 1]


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


def test_repeated_edges_are_added_with_a_notice():
    with pytest.warns(GraphNotice):
        network = check_network([("a", "b"), ("b", "a"), ("b", "c")])
    assert network.matrix.toarray()[0].tolist() == [0, 2, 0]
    with pytest.warns(GraphNotice):
        check_network(frame_of(np.triu(MATRIX) + np.tril(MATRIX, -2), NAMES, index=NAMES))


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


@each(
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


@each(
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
        with pytest.raises(ValueError, match="source and target"):
            take(frame)


def test_frames_of_edges_may_have_names_of_rows_and_many_numbers():
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "x": [1, 2], "y": 3, "p": 1})
    with pytest.warns(GraphNotice):
        assert check_network(frame.set_index(pd.Index(["e1", "e2"]))).matrix.nnz == 4
    with pytest.warns(GraphNotice):
        check_network(frame.assign(score=2.0))
    named = pd.DataFrame({"Kin1": ["a", "b"], "Kin2": ["b", "c"], "year": 1, "p": [2, 3]})
    with pytest.warns(GraphNotice):
        assert check_network(named).matrix.nnz == 4


# --- edges and neighbors in objects of Python --------------------------------------------------


@each("columns", [slice(0, 2), slice(0, 3)])
@each("kind", [np.int64, np.float64])
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
        with pytest.warns(GraphNotice):
            assert check_network(A).matrix.nnz == 3
    assert check_network([[0, 1], [1, 0]]).matrix.nnz == 2


@each("names", ["uvw", ("start", "end", "middle"), ("node1", "node2", "node3")])
def test_nodes_may_be_called_like_columns(names):
    neighbors = {a: [b for b in names if b != a] for a in names}
    network = check_network(neighbors)
    assert network.nodes.tolist() == sorted(names)
    assert network.matrix.nnz == 6
