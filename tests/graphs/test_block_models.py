"""Random networks: states, sizes, rates that are cut at zero, and large and tiny ones."""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from kgroups.graphs import (
    girvan_newman_graph,
    planted_partition,
    stochastic_block_model,
)


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


# --- what every model returns ------------------------------------------------------------------


@pytest.mark.parametrize("state", [np.random.default_rng, np.random.RandomState])
def test_states_of_both_kinds_advance(state):
    shared = state(5)
    A, _ = planted_partition(100, 2, 8, 0.7, random_state=shared)
    B, _ = planted_partition(100, 2, 8, 0.7, random_state=shared)
    C, _ = planted_partition(100, 2, 8, 0.7, random_state=state(5))
    assert (A != B).nnz > 0
    assert (A != C).nnz == 0


# --- rates -------------------------------------------------------------------------------------


@pytest.mark.nojit
def test_nodes_of_weight_zero_have_no_edges():
    A, _ = stochastic_block_model(40, 2, 20, 0.0, degree_weights=np.arange(40) % 2, random_state=0)
    degrees = A.sum(axis=1)
    assert np.all(degrees[::2] == 0)
    assert degrees[1::2].min() > 0


def test_a_negative_rate_between_is_cut_at_zero():
    A, labels = stochastic_block_model(2_000, 4, 9, 5.0, random_state=0)
    edges, inside = pairs_of_edges(A, labels)
    assert edges == inside
    assert rates_agree(A, labels, (9 + 5 * 3 * 3) / 2_000, 0.0)


def test_the_benchmark_by_signal_is_the_block_model():
    A, labels = girvan_newman_graph(1.4, balanced=False, random_state=3)
    B, same = stochastic_block_model(128, 4, 16, 1.4, random_state=3)
    assert (A != B).nnz == 0
    np.testing.assert_array_equal(labels, same)


def test_large_networks_take_time_by_edges_not_by_pairs():
    A, labels = planted_partition(100_000, 5_000, 10, 0.7, random_state=0)
    assert A.nnz / 100_000 == pytest.approx(10, abs=0.4)
    assert len(np.unique(labels)) == 5_000


# --- labels ------------------------------------------------------------------------------------


def sizes_of(**options):
    _, labels = stochastic_block_model(1_003, 4, 5, 1.0, random_state=0, **options)
    return np.bincount(labels, minlength=4), labels


def test_balanced_communities():
    sizes, labels = sizes_of(balanced=True)
    assert sorted(sizes.tolist()) == [250, 251, 251, 251]
    assert np.any(np.diff(labels) < 0)


def test_sizes_are_kept_and_shares_are_probabilities():
    assert sizes_of(sizes=[1_000, 0, 2, 1])[0].tolist() == [1_000, 0, 2, 1]
    sizes, _ = sizes_of(sizes=[0.7, 0.1, 0.1, 0.1])
    assert sizes.sum() == 1_003
    assert chisquare(sizes, 1_003 * np.array([0.7, 0.1, 0.1, 0.1])).pvalue > 1e-3


def test_empty_communities_take_no_part():
    A, labels = stochastic_block_model(60, 3, 6, 1.0, sizes=[30, 30, 0], random_state=0)
    assert labels.max() == 1
    assert A.nnz > 0


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
