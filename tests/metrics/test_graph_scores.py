"""Scores of communities: against networkx, and by hand on a graph of five nodes."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups.graphs import Graph
from kgroups.metrics import (
    conductance,
    coverage,
    cut_size,
    modularity,
    normalized_cut,
    performance,
)

SCORES = [conductance, coverage, cut_size, modularity, normalized_cut, performance]
every_score = each("score", SCORES, ids=lambda score: score.__name__)

# A triangle 0-1-2 with an edge of weight 3 and a loop of weight 2 at 0, and a pair 3-4 of weight 4
# joined to it by an edge of weight 1/2.
HAND = np.zeros((5, 5))
for u, v, weight in [(0, 1, 3), (0, 2, 1), (1, 2, 1), (2, 3, 0.5), (3, 4, 4), (0, 0, 2)]:
    HAND[u, v] = HAND[v, u] = weight
HAND_LABELS = [0, 0, 0, 1, 1]


def random_graph(seed):
    """Weights, loops, nodes without edges, several components; two to five communities."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    present = rng.random((n, n)) < rng.choice([0.05, 0.2, 0.6])
    W = np.where(present, rng.uniform(0.1, 5, (n, n)), 0)
    W = np.triu(W, 0 if seed % 2 else 1)
    W[0, 1] = 1.0
    W = W + np.triu(W, 1).T
    labels = rng.integers(int(rng.integers(2, 6)), size=n)
    labels[:2] = 0, 1
    return W, labels


def as_networkx(W):
    return nx.from_numpy_array(W)


def communities(labels):
    return [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]


def volume(G, nodes):
    return sum(degree for _, degree in G.degree(nodes, weight="weight"))


# --- by hand -----------------------------------------------------------------------------------


def test_scores_by_hand():
    # Volumes 2(3 + 1 + 1 + 2) + 1/2 = 14.5 and 2 · 4 + 1/2 = 8.5; the cut is 1/2.
    assert cut_size(HAND, HAND_LABELS) == 0.5
    np.testing.assert_allclose(conductance(HAND, HAND_LABELS), [0.5 / 8.5, 0.5 / 8.5])
    assert normalized_cut(HAND, HAND_LABELS) == pytest.approx(0.5 / 14.5 + 0.5 / 8.5)
    expected = (14 + 8) / 23 - (14.5**2 + 8.5**2) / 23**2
    assert modularity(HAND, HAND_LABELS) == pytest.approx(expected)
    assert modularity(HAND, HAND_LABELS, resolution=0) == pytest.approx(22 / 23)
    # Five of six edges are inside, the loop among them; five of the six pairs apart are not edges.
    assert coverage(HAND, HAND_LABELS) == pytest.approx(5 / 6)
    assert performance(HAND, HAND_LABELS) == pytest.approx((4 + 5) / 10)


@every_score
def test_scores_do_not_depend_on_names_or_on_the_kind_of_matrix(score):
    expected = score(HAND, HAND_LABELS)
    np.testing.assert_allclose(score(csr_array(HAND), ["a", "a", "a", "b", "b"]), expected)
    np.testing.assert_allclose(score(as_networkx(HAND), [2.5, 2.5, 2.5, 7, 7]), expected)
    np.testing.assert_allclose(score(HAND, np.array([True, True, True, False, False])), expected)
    order = np.array([3, 0, 4, 2, 1])
    again = score(HAND[np.ix_(order, order)], np.array(HAND_LABELS)[order])
    np.testing.assert_allclose(again, expected)


@every_score
def test_communities_as_sets_or_a_dict(score):
    expected = score(HAND, HAND_LABELS)
    sets = [{0, 1, 2}, frozenset({3, 4})]
    for labels in (sets, tuple(sets), dict(enumerate(sets)).values(), dict(enumerate(HAND_LABELS))):
        np.testing.assert_allclose(score(HAND, labels), expected)
    G = nx.relabel_nodes(as_networkx(HAND), dict(enumerate("abcde")))
    np.testing.assert_allclose(score(G, [set("abc"), set("de")]), expected)
    np.testing.assert_allclose(score(G, dict(zip("edcba", "yyxxx", strict=True))), expected)
    graph = Graph.from_networkx(G)
    np.testing.assert_allclose(score(graph, [set("abc"), set("de")]), expected)


@every_score
def test_communities_as_any_collections_of_nodes(score):
    expected = score(HAND, HAND_LABELS)
    lists = [[0, 1, 2], [3, 4]]
    arrays = np.fromiter((np.array(part) for part in lists), object)
    for labels in (lists, tuple(map(tuple, lists)), iter(lists), arrays, [range(3), {3, 4}]):
        np.testing.assert_allclose(score(HAND, labels), expected)
    of_igraph = SimpleNamespace(membership=HAND_LABELS)  # as a VertexClustering
    np.testing.assert_allclose(score(HAND, of_igraph), expected)
    np.testing.assert_allclose(score(np.eye(2)[::-1], [[0], [1]]), score(np.eye(2)[::-1], [0, 1]))


def test_what_networkx_finds_is_scored():
    G = nx.karate_club_graph()
    parts = nx.community.greedy_modularity_communities(G)
    assert modularity(G, parts) == pytest.approx(nx.community.modularity(G, parts))


def test_conductance_is_in_the_order_of_the_names():
    path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    np.testing.assert_allclose(conductance(path, ["b", "b", "b", "a", "a"]), [1 / 3, 1 / 3])
    np.testing.assert_allclose(conductance(path, [1, 9, 9, 5, 5]), [1, 1 / 3, 2 / 4])


# --- against networkx --------------------------------------------------------------------------


def assert_equal_to_networkx(G, W, labels):
    parts = communities(labels)
    share, _ = nx.community.partition_quality(G, parts)
    without_loops = nx.Graph((u, v) for u, v in G.edges if u != v)
    without_loops.add_nodes_from(G)
    _, agreement = nx.community.partition_quality(without_loops, parts)
    assert coverage(W, labels) == pytest.approx(share, rel=1e-12)
    assert performance(W, labels) == pytest.approx(agreement, rel=1e-12)
    for resolution in (1.0, 0.3, 2.5):
        expected = nx.community.modularity(G, parts, resolution=resolution)
        assert modularity(W, labels, resolution=resolution) == pytest.approx(expected, abs=1e-12)
    total = volume(G, list(G))
    for value, part in zip(conductance(W, labels), parts, strict=True):
        if 0 < volume(G, part) < total:
            expected = nx.conductance(G, part, weight="weight")
            assert value == pytest.approx(expected, abs=1e-12)
        else:
            assert value == 0


@each("seed", range(10))
def test_scores_of_random_graphs_against_networkx(seed):
    W, labels = random_graph(seed)
    assert_equal_to_networkx(as_networkx(W), W, labels)


@each("seed", range(6))
def test_cuts_in_two_against_networkx(seed):
    W, labels = random_graph(seed)
    G, two = as_networkx(W), labels % 2
    S, T = communities(two)
    assert cut_size(W, two) == pytest.approx(nx.cut_size(G, S, T, weight="weight"), abs=1e-12)
    if volume(G, S) > 0 and volume(G, T) > 0:
        expected = nx.normalized_cut_size(G, S, T, weight="weight")
        assert normalized_cut(W, two) == pytest.approx(expected, abs=1e-12)


@each("seed", range(4))
def test_cuts_in_many_are_sums_over_communities(seed):
    W, labels = random_graph(seed)
    G = as_networkx(W)
    cuts = [nx.cut_size(G, part, weight="weight") for part in communities(labels)]
    volumes = [volume(G, part) for part in communities(labels)]
    assert cut_size(W, labels) == pytest.approx(sum(cuts) / 2)
    expected = sum(cut / vol for cut, vol in zip(cuts, volumes, strict=True) if vol)
    assert normalized_cut(W, labels) == pytest.approx(expected)


@pytest.mark.parametrize("weight", ["weight", None])
def test_the_karate_club(weight):
    G = nx.karate_club_graph()
    labels = np.array([club == "Officer" for club in nx.get_node_attributes(G, "club").values()])
    if weight is None:
        G = nx.from_numpy_array(nx.to_numpy_array(G, weight=None))
    assert_equal_to_networkx(G, G, labels)
    assert_equal_to_networkx(G, nx.to_scipy_sparse_array(G), labels)


# --- extremes ----------------------------------------------------------------------------------


@pytest.mark.nojit
def test_one_community_of_everything():
    labels = np.zeros(5)
    assert coverage(HAND, labels) == 1
    assert modularity(HAND, labels) == pytest.approx(0, abs=1e-15)
    assert conductance(HAND, labels).tolist() == [0]
    assert (cut_size(HAND, labels), normalized_cut(HAND, labels)) == (0, 0)
    assert performance(HAND, labels) == pytest.approx(5 / 10)


@pytest.mark.nojit
def test_communities_without_edges_add_nothing():
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = 0.1
    assert normalized_cut(W, [0, 1, 2, 2, 3]) == pytest.approx(2)
    assert conductance(W, [0, 1, 2, 2, 3]).tolist() == [1, 1, 0, 0]
    assert conductance(W, [0, 0, 1, 1, 1]).tolist() == [0, 0]


def test_separate_components_are_not_cut_at_all():
    rng = np.random.default_rng(0)
    W = np.zeros((60, 60))
    for start in (0, 20, 40):
        block = rng.uniform(size=(20, 20))
        W[start : start + 20, start : start + 20] = block + block.T
    labels = np.repeat([0, 1, 2], 20)
    assert cut_size(W, labels) == 0
    assert conductance(W, labels).tolist() == [0, 0, 0]
    assert coverage(W, labels) == 1
    assert performance(W - np.diag(np.diag(W)), labels) == 1


@pytest.mark.nojit
def test_a_network_without_edges():
    W = np.zeros((3, 3))
    for score in (modularity, coverage):
        with pytest.raises(ValueError, match=f"{score.__name__} is a share of the edges, and A"):
            score(W, [0, 0, 1])
    assert performance(W, [0, 0, 1]) == pytest.approx(2 / 3)
    assert performance([[0.0]], [0]) == 1
    assert (cut_size(W, [0, 0, 1]), normalized_cut(W, [0, 0, 1])) == (0, 0)


@pytest.mark.nojit
def test_loops_are_no_pairs_of_nodes():
    """A path of three nodes with loops at its ends: networkx gives 4/3, of which 1 is the most."""
    W = np.array([[1.0, 1, 0], [1, 0, 1], [0, 1, 1]])
    assert nx.community.partition_quality(as_networkx(W), [{0, 1, 2}])[1] == pytest.approx(4 / 3)
    assert performance(W, [0, 0, 0]) == pytest.approx(2 / 3)
    assert performance(np.eye(3), [0, 1, 2]) == 1


# --- what is refused ---------------------------------------------------------------------------
