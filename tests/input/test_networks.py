"""What holds a network, handed over in memory: weights, nodes and their order."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from helpers import each
from kgroups.exceptions import GraphNotice
from kgroups.graphs import Graph
from kgroups.input.adjacency import (
    both_directions,
    canonical_order,
    components,
    degrees,
    of_edges,
    of_matrix,
    scaled,
    summed,
    with_loops_twice,
    without_loops,
)
from kgroups.input.edges import named_ends
from kgroups.input.networks import check_adjacency, check_network

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")

#: A loop, and edges of weights 2, 3 and 0.5.
W = np.array([[0, 2, 0, 0.5], [2, 0, 3, 0], [0, 3, 4, 0], [0.5, 0, 0, 0]])


# --- matrices ----------------------------------------------------------------------------------


def test_a_canonical_symmetric_matrix_is_used_as_it_is():
    given = sparse.csr_array(W)
    found = check_adjacency(given)
    assert np.shares_memory(found.data, given.data)
    assert found.indices.dtype == np.int32
    assert (found.toarray() == W).all()


@each("make", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.lil_array])
def test_the_object_of_the_caller_is_not_changed(make):
    given = make(np.triu(W))
    before = given.copy()
    check_adjacency(given)
    assert (given.toarray() == before.toarray()).all()
    assert given.nnz == before.nnz


def test_wrong_flags_of_an_object_are_not_believed():
    given = sparse.csr_array(([1.0, 1, 2, 2], [1, 1, 0, 0], [0, 2, 4]), shape=(2, 2))
    given.has_canonical_format = given.has_sorted_indices = True
    with pytest.warns(GraphNotice, match="A has 2 entries that repeat others"):
        found = check_adjacency(given)
    assert found.toarray().tolist() == [[0, 6], [6, 0]]


@each("unit", [1e-200, 1.0, 1e200])
def test_rounding_is_no_direction(unit):
    A = W * unit
    A[0, 1] *= 1 + 1e-13
    found, notes = of_matrix(sparse.csr_array(A), "A", allow_negative=False)
    assert notes == []
    np.testing.assert_allclose(found.toarray(), W * unit, rtol=1e-12)
    assert (found != found.T).nnz == 0
    A[0, 1] *= 1 + 1e-6
    _, notes = of_matrix(sparse.csr_array(A), "A", allow_negative=False)
    assert len(notes) == 1


def test_directions_that_cancel_leave_no_edge():
    assert check_adjacency([[0, 1], [-1, 2]], allow_negative=True).toarray().tolist() == [
        [0, 0],
        [0, 2],
    ]


def test_too_large_sums_are_refused():
    with pytest.raises(ValueError, match="infinity"):
        check_adjacency([[0, 1.5e308], [1.6e308, 0]])
    with pytest.raises(ValueError, match="too large"):
        Graph.from_edges([0, 0], [1, 1], [1.5e308, 1.5e308])


def test_arithmetic_of_adjacency_matrices():
    A = sparse.csr_array(W)
    assert degrees(A).tolist() == [2.5, 5, 7, 0.5]
    assert degrees(with_loops_twice(A)).tolist() == [2.5, 5, 11, 0.5]
    assert (without_loops(A).toarray() == W - np.diag(np.diag(W))).all()
    factors = np.array([1.0, 2, 3, 4])
    assert (scaled(A, factors).toarray() == np.diag(factors) @ W @ np.diag(factors)).all()
    assert (both_directions(sparse.csr_array(np.triu(W))).toarray() == W).all()
    count, labels = components(sparse.csr_array(np.kron(np.eye(2), [[0, 1], [1, 0]])))
    assert (count, labels.tolist()) == (2, [0, 0, 1, 1])


# --- the one rule ------------------------------------------------------------------------------


def by_hand(edges):
    """The weights of pairs by the rule in words."""
    directed = {}
    for u, v, weight in edges:
        directed[u, v] = directed.get((u, v), 0) + weight
    pairs = {pair for pair in directed if pair[0] != pair[1]}
    if pairs and all(directed[u, v] == directed.get((v, u)) for u, v in pairs):
        return {tuple(sorted(pair)): weight for pair, weight in directed.items()}
    found = {}
    for (u, v), weight in directed.items():
        found[min(u, v), max(u, v)] = found.get((min(u, v), max(u, v)), 0) + weight
    return found


def test_every_short_list_follows_the_rule():
    kinds = [(0, 1, 1), (1, 0, 1), (0, 1, 2), (1, 2, 1), (2, 1, 1), (0, 0, 1)]
    for size in (1, 2, 3, 4):
        for edges in itertools.combinations_with_replacement(kinds, size):
            u, v, weights = (np.array(column) for column in zip(*edges, strict=True))
            found, _ = of_edges(u, v, weights.astype(float), 3)
            upper = sparse.coo_array(sparse.triu(found))
            pairs = zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)
            assert {(i, j): weight for i, j, weight in pairs} == by_hand(edges), edges
            assert (found != found.T).nnz == 0


def test_edges_without_directions_are_added():
    found, notes = of_edges(np.array([0, 1]), np.array([1, 0]), np.ones(2), 2, has_directions=False)
    assert found.toarray().tolist() == [[0, 2], [2, 0]]
    assert len(notes) == 1


def test_neither_order_nor_ends_change_a_bit():
    rng = np.random.default_rng(0)
    ends, weights = rng.integers(0, 5, (300, 2)), rng.uniform(size=300)
    first = of_edges(*ends.T, weights, 5)[0]
    for _ in range(5):
        order = rng.permutation(300)
        some, turned = ends[order], rng.uniform(size=300) < 0.5
        some[turned] = some[turned][:, ::-1]
        again = of_edges(*some.T, weights[order], 5)[0]
        assert (again.toarray() == first.toarray()).all()
    right = sparse.coo_array((weights.astype(np.longdouble), tuple(ends.T)), shape=(5, 5))
    np.testing.assert_allclose(
        summed(*ends.T, weights, 5).toarray(), right.toarray().astype(float), rtol=1e-14
    )


def test_edges_of_weight_zero_are_no_edges():
    found, notes = of_edges(np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([1.0, 0, 0]), 3)
    assert found.nnz == 2
    assert notes == ["2 edges of weight 0 dropped."]


# --- order of nodes ----------------------------------------------------------------------------


class Thing:
    """An object whose text is its address."""


THINGS = [Thing(), Thing()]


@each(
    "nodes, expected",
    [
        ([10, 9, 2], [2, 9, 10]),
        (["b", "a", 10, 9], [10, 9, "a", "b"]),
        ([2.5, 10, 9], [2.5, 9, 10]),
        ([1, "1", "0"], ["0", 1, "1"]),
        ([("b", 1), ("a", 2)], [("a", 2), ("b", 1)]),
        (np.array([3, 1, 2]), [1, 2, 3]),
        ([*THINGS, "a"], [*THINGS, "a"]),
        ([2**70, -1], [-1, 2**70]),
    ],
)
def test_canonical_order(nodes, expected):
    assert [nodes[i] for i in canonical_order(nodes)] == expected


def test_names_of_a_graph_are_in_order_whatever_the_order_of_its_edges():
    edges = [("b", "a"), ("c", "b"), ("a", "z")]
    for some in itertools.permutations(edges):
        assert check_network(list(some)).nodes.tolist() == ["a", "b", "c", "z"]
    graph = nx.Graph(edges)
    assert check_network(graph).nodes.tolist() == list(graph)


@each(
    "A, words",
    [
        ([[0, 1], [2, 3]], "edges or a matrix"),
        ([[0, 1, 5], [1, 2, 3], [2, 0, 1]], "edges or a matrix"),
        ([("a", "b", 10**400)], "too large"),
        ([([1], [2])], "ids"),
        (pd.DataFrame({"target": ["a"], "weight": [2]}), "'target', 'weight'"),
        (pd.DataFrame({"target": [1], "count": [2]}).rename_axis("source"), "'target', 'count'"),
    ],
)
def test_what_may_be_something_else_is_refused(A, words):
    with pytest.raises((TypeError, ValueError), match=words):
        check_network(A)


def test_attributes_of_networkx_are_read_as_those_of_files():
    graph = nx.Graph()
    graph.add_edge("a", "b", strength=3, year=1990)
    graph.add_edge("b", "c", strength=1, year=1991)
    found = check_network(graph)
    assert found.adjacency.toarray()[0].tolist() == [0, 3, 0]
    assert ["strength" in note for note in found.notes] == [True, False]
    assert "'year'" in found.notes[1]


# --- names of columns --------------------------------------------------------------------------


@each(
    "names, expected",
    [
        (["source", "target"], (0, 1)),
        (["Target ID", "Source ID", "x"], (1, 0)),
        (["w", "from_node", "to_node"], (1, 2)),
        (["Gene Interactor A", "Gene Interactor B"], (0, 1)),
        (["protein1", "protein2", "combined_score"], (0, 1)),
        (["gene1", "gene2", "gene3"], None),
        (["CDK1", "CDK2"], None),
        (["a", "b"], None),
        (["u", "v"], (0, 1)),
    ],
)
def test_names_of_ends(names, expected):
    assert named_ends(names) == expected


def test_columns_of_frames_by_their_names():
    rows = [("x", 5.0, "a", "b"), ("y", 2.0, "b", "c")]
    frame = pd.DataFrame(rows, columns=["kind", "Score", "Bait 1", "Bait 2"])
    for given in (frame, pl.from_pandas(frame)):
        graph = Graph.from_edges(given)
        assert graph.nodes.tolist() == ["a", "b", "c"]
        assert graph.adjacency.toarray().tolist() == [[0, 5, 0], [5, 0, 2], [0, 2, 0]]
        assert any("'kind'" in note for note in graph.notes)
    assert Graph.from_edges(frame[["kind", "Bait 1"]]).nodes.tolist() == ["a", "b", "x", "y"]
    third = pd.DataFrame({"x": ["a"], "y": ["b"], "z": [3]})
    assert Graph.from_edges(third).adjacency.max() == 3


def test_ids_stay_as_they_are():
    graph = Graph.from_edges(pd.DataFrame({"source": ["007", "NA"], "target": ["7", "007"]}))
    assert graph.nodes.tolist() == ["007", "7", "NA"]
    whole = pd.DataFrame({"source": [5.0, 7.0], "target": [7.0, 9.0]})
    assert check_network(whole).nodes.tolist() == [5, 7, 9]
    kinds = pd.DataFrame({"source": pd.Categorical(["b", "a"]), "target": pd.Categorical([3, 4])})
    assert check_network(kinds).nodes.tolist() == [3, 4, "a", "b"]
    large = np.array([[2**63, 1], [1, 2]], dtype=np.uint64)
    assert Graph.from_edges(large[:, 0], large[:, 1]).nodes.tolist() == [1, 2, 2**63]


def test_a_path_gives_the_notes_of_its_file(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("source,target,often\na,b,1\nb,a,1\n")
    found = check_network(path)
    assert found.adjacency.toarray().tolist() == [[0, 1], [1, 0]]
    assert [("often" in note, "directions" in note) for note in found.notes] == [
        (True, False),
        (False, True),
    ]
