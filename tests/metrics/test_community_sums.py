"""Sums over communities: by hand on a graph with a loop, and scores by networkx."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups.metrics import conductance
from kgroups.metrics.community_sums import CommunitySums

# A triangle 0-1-2 with weights 3, 1, 1 and a loop of 2 at 0, an edge of 1/2 to the pair 3-4 of 4.
EDGES = [(0, 1, 3.0), (0, 2, 1.0), (1, 2, 1.0), (2, 3, 0.5), (3, 4, 4.0), (0, 0, 2.0)]


def by_hand():
    A = np.zeros((5, 5))
    for u, v, weight in EDGES:
        A[u, v] = A[v, u] = weight
    return csr_array(A)


def test_both_ends_of_every_edge_and_of_the_loop():
    sums = CommunitySums.of(by_hand(), np.array([0, 0, 0, 1, 1]), 2)
    assert sums.size.tolist() == [3, 2]
    assert sums.inside.tolist() == [14.0, 8.0]  # 2 · (3 + 1 + 1 + 2) and 2 · 4
    assert sums.cut.tolist() == [0.5, 0.5]
    assert sums.volume.tolist() == [14.5, 8.5]
    assert sums.normalized_cut() == pytest.approx(0.5 / 14.5 + 0.5 / 8.5)
    np.testing.assert_allclose(sums.conductance(), [0.5 / 8.5, 0.5 / 8.5])
    assert sums.modularity() == pytest.approx(22 / 23 - (14.5**2 + 8.5**2) / 23**2)
    assert sums.modularity(2.0) == pytest.approx(22 / 23 - 2 * (14.5**2 + 8.5**2) / 23**2)


def test_edges_counted():
    sums = CommunitySums.of(by_hand(), np.array([0, 0, 0, 1, 1]), 2, counted=True)
    assert sums.inside.tolist() == [8.0, 2.0]
    assert sums.cut.tolist() == [1.0, 1.0]
    assert sums.coverage() == pytest.approx(5 / 6)
    assert sums.n_loops == 1
    assert sums.performance() == pytest.approx((4 + 5) / 10)


def test_communities_without_nodes_or_edges():
    A = csr_array(nx.to_scipy_sparse_array(nx.path_graph(2), dtype=float))
    sums = CommunitySums.of(A, np.array([0, 0]), 3)
    assert sums.size.tolist() == [2, 0, 0]
    assert sums.conductance().tolist() == [0.0, 0.0, 0.0]
    assert sums.normalized_cut() == 0.0
    alone = CommunitySums.of(csr_array((1, 1)), np.array([0]), 1, counted=True)
    assert alone.performance() == 1.0


def test_an_empty_cut_is_exactly_zero():
    """0.1 + 0.2 + 0.3 is not 0.6: a cut from the difference of volumes would be rounding."""
    A = np.zeros((6, 6))
    for i, j, weight in [(0, 1, 0.1), (1, 2, 0.2), (0, 2, 0.3), (3, 4, 0.7), (4, 5, 0.1)]:
        A[i, j] = A[j, i] = weight
    sums = CommunitySums.of(csr_array(A), np.repeat([0, 1], 3), 2)
    assert sums.cut.tolist() == [0.0, 0.0]
    assert sums.conductance().tolist() == [0.0, 0.0]


@each("seed", range(4))
def test_scores_are_those_of_networkx(seed):
    rng = np.random.default_rng(seed)
    G = nx.gnp_random_graph(25, 0.2, seed=seed)
    for u, v in G.edges:
        G[u][v]["weight"] = float(rng.uniform(0.1, 3))
    labels = rng.integers(3, size=25)
    groups = [set(np.flatnonzero(labels == j).tolist()) for j in range(3)]
    A = csr_array(nx.to_scipy_sparse_array(G, dtype=float))
    weighed = CommunitySums.of(A, labels, 3)
    counted = CommunitySums.of(A, labels, 3, counted=True)
    assert weighed.modularity(1.3) == pytest.approx(
        nx.community.modularity(G, groups, resolution=1.3)
    )
    coverage, performance = nx.community.partition_quality(G, groups)
    assert counted.coverage() == pytest.approx(coverage)
    assert counted.performance() == pytest.approx(performance)
    for group, found in zip(groups, weighed.conductance(), strict=True):
        assert found == pytest.approx(nx.conductance(G, group, weight="weight"))


def test_conductance_of_a_small_community_keeps_its_digits():
    """A loop of 37,536 elsewhere: cut 1.8e-4 over a volume of 6.03e-4, from the small side."""
    edge, loop = 1.82771393603719e-4, 2.0995502652447687e-4
    A = np.zeros((4, 4))
    A[0, 2] = A[2, 0] = edge
    A[1, 1], A[3, 3] = loop, 37536.33985020242
    right = edge / (edge + 2 * loop)
    np.testing.assert_allclose(conductance(A, [0, 1, 1, 0]), [right, right], rtol=1e-14)
