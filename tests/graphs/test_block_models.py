"""Random networks at their ends: rates that are cut, one node, all edges inside or outside."""

import numpy as np
import pytest
from scipy.stats import binomtest

from kgroups.graphs import lfr_graph, planted_partition, stochastic_block_model


def pairs_of_edges(A, labels):
    """Edges, and how many of them are inside communities."""
    rows, columns = A.nonzero()
    upper = rows < columns
    return upper.sum(), (labels[rows[upper]] == labels[columns[upper]]).sum()


def pairs_of_nodes(labels):
    n, sizes = len(labels), np.bincount(labels)
    inside = int((sizes * (sizes - 1) // 2).sum())
    return n * (n - 1) // 2, inside


def rates_agree(A, labels, inside, between):
    """Numbers of edges inside and between against the binomials that they are drawn from."""
    edges, edges_inside = pairs_of_edges(A, labels)
    pairs, inner_pairs = pairs_of_nodes(labels)
    within = binomtest(int(edges_inside), inner_pairs, inside).pvalue
    if pairs == inner_pairs:
        return within > 1e-3
    across = binomtest(int(edges - edges_inside), pairs - inner_pairs, between).pvalue
    return min(within, across) > 1e-3


def test_a_negative_rate_between_is_cut_at_zero():
    A, labels = stochastic_block_model(2_000, 4, 9, 5.0, random_state=0)
    edges, inside = pairs_of_edges(A, labels)
    assert edges == inside
    assert rates_agree(A, labels, (9 + 5 * 3 * 3) / 2_000, 0.0)


def test_large_networks_take_time_by_edges_not_by_pairs():
    A, labels = planted_partition(100_000, 5_000, 10, 0.7, random_state=0)
    assert A.nnz / 100_000 == pytest.approx(10, abs=0.4)
    assert len(np.unique(labels)) == 5_000


@pytest.mark.nojit
def test_networks_of_one_and_two_nodes():
    A, labels = stochastic_block_model(1, 1, 1, 0.0, random_state=0)
    assert A.shape == (1, 1)
    assert A.nnz == 0
    assert labels.tolist() == [0]
    A, _ = stochastic_block_model(2, 1, 2, 0.0, random_state=0)
    assert A.toarray().tolist() == [[0, 1], [1, 0]]
    A, labels = planted_partition(2, 2, 2, 0.0, random_state=0)
    assert A.toarray().tolist() == [[0, 1], [1, 0]]
    assert sorted(labels.tolist()) == [0, 1]


# What most published comparisons use: mean degree 20, at most 50, small and large communities.
PUBLISHED = {
    "average_degree": 20,
    "max_degree": 50,
    "degree_exponent": 2,
    "community_exponent": 1,
}
SMALL = {**PUBLISHED, "min_community": 10, "max_community": 50}


def degrees_inside(A, labels):
    rows, columns = A.nonzero()
    return np.bincount(rows, weights=labels[rows] == labels[columns], minlength=A.shape[0])


@pytest.mark.nojit
def test_all_edges_inside_or_all_outside():
    A, labels = lfr_graph(300, mixing=0, random_state=0, **{**SMALL, "max_degree": 40})
    np.testing.assert_array_equal(degrees_inside(A, labels), np.diff(A.indptr))
    A, labels = lfr_graph(300, mixing=1, random_state=0, **SMALL)
    assert not degrees_inside(A, labels).any()


@pytest.mark.nojit
def test_dense_communities_are_nearly_complete():
    options = {"average_degree": 9, "max_degree": 9, "min_community": 10, "max_community": 10}
    A, labels = lfr_graph(100, mixing=0.0, random_state=0, **options)
    np.testing.assert_array_equal(A.toarray() + np.eye(100), labels[:, None] == labels)
