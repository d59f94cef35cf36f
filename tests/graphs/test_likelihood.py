"""The likelihood of a planted partition, from Poisson probabilities and by hand."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import poisson

from kgroups.graphs.likelihood import planted_likelihood


def as_matrix(G):
    return csr_array(nx.to_scipy_sparse_array(G, dtype=float))


def test_the_likelihood_of_a_planted_partition_by_hand():
    """Two triangles and an edge between them: 6 of 6 pairs inside, 1 of 9 between."""
    two_triangles = nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3))
    two_triangles.add_edge(2, 3)
    W = as_matrix(two_triangles)
    labels = np.repeat([0, 1], 3)
    assert planted_likelihood(W, labels, 2) == pytest.approx(np.log(1 / 9), rel=1e-12)
    whole = pytest.approx(7 * np.log(7 / 15), rel=1e-12)
    assert planted_likelihood(W, np.zeros(6, int), 1) == whole
    # More edges between than inside.
    assert planted_likelihood(W, np.array([0, 1, 2, 0, 1, 2]), 3) == whole


def test_differences_are_those_of_poisson_draws():
    """Each pair of nodes is a draw at the rate of its kind; what all labels share drops out."""
    rng = np.random.default_rng(0)
    A = np.triu(rng.poisson(0.4, size=(20, 20)), 1).astype(float)
    i, j = np.triu_indices(20, 1)
    edges = A[i, j]

    def by_pairs(labels):
        same = labels[i] == labels[j]
        rates = np.array([edges[same].mean(), edges[~same].mean()])
        assert rates[0] > rates[1]
        return poisson.logpmf(edges, np.where(same, *rates)).sum()

    good = [labels for labels in rng.integers(3, size=(40, 20)) if inside_is_denser(edges, labels)]
    assert len(good) > 5
    graph = csr_array(A + A.T)
    ours = np.array([planted_likelihood(graph, labels, 3) for labels in good])
    expected = np.array([by_pairs(labels) for labels in good])
    np.testing.assert_allclose(ours - ours[0], expected - expected[0], atol=1e-9)


def inside_is_denser(edges, labels):
    i, j = np.triu_indices(len(labels), 1)
    same = labels[i] == labels[j]
    return edges[same].mean() > edges[~same].mean()


def test_planted_communities_are_likelier_than_any_with_one_node_moved():
    G = nx.planted_partition_graph(3, 12, 0.7, 0.05, seed=0)
    truth = np.repeat([0, 1, 2], 12)
    A = as_matrix(G)
    best = planted_likelihood(A, truth, 3)
    for node in range(36):
        labels = truth.copy()
        labels[node] = (labels[node] + 1) % 3
        assert planted_likelihood(A, labels, 3) < best


def test_names_of_communities_do_not_matter_and_empty_ones_neither():
    A = as_matrix(nx.karate_club_graph())
    labels = np.array([int(d["club"] == "Officer") for _, d in nx.karate_club_graph().nodes.data()])
    value = planted_likelihood(A, labels, 2)
    assert planted_likelihood(A, 1 - labels, 2) == pytest.approx(value)
    assert planted_likelihood(A, 3 * labels, 5) == pytest.approx(value)


def test_two_nodes_alone():
    """One edge and one pair, both inside: the rate is 1, and its logarithm 0."""
    A = as_matrix(nx.path_graph(2))
    assert planted_likelihood(A, np.array([0, 0]), 1) == 0.0
    assert planted_likelihood(A, np.array([0, 1]), 2) == 0.0
