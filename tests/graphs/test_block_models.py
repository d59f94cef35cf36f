"""Random networks: the law of every pair exactly on small ones, rates and shapes on larger ones."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import binomtest, chisquare

from helpers import each
from kgroups.graphs import (
    degree_corrected_block_model,
    girvan_newman_graph,
    lfr_graph,
    planted_partition,
    signal_to_noise_ratio,
    stochastic_block_model,
)

MODELS = {
    "block": lambda seed: stochastic_block_model(300, 3, 12, 1.5, random_state=seed),
    "loops": lambda seed: stochastic_block_model(300, 3, 12, 1.5, loops=True, random_state=seed),
    "corrected": lambda seed: degree_corrected_block_model(300, 3, 12, 1.5, random_state=seed),
    "planted": lambda seed: planted_partition(300, 3, 12, 0.7, random_state=seed),
    "classical": lambda seed: girvan_newman_graph(out_degree=6, random_state=seed),
    "by snr": lambda seed: girvan_newman_graph(1.5, random_state=seed),
    "lfr": lambda seed: lfr_graph(200, mixing=0.2, average_degree=6, random_state=seed),
}
models = each("model", MODELS.values(), ids=MODELS.keys())


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


@models
def test_an_adjacency_matrix_of_zeros_and_ones(model):
    A, labels = model(0)
    assert isinstance(A, csr_array)
    assert A.dtype == np.float64
    assert A.shape == (len(labels), len(labels))
    assert np.all(A.data == 1)
    assert (A != A.T).nnz == 0
    assert labels.dtype == np.int64


@models
def test_columns_are_in_order_and_none_repeats(model):
    A, _ = model(0)
    for row in range(A.shape[0]):
        assert np.all(np.diff(A.indices[A.indptr[row] : A.indptr[row + 1]]) > 0)
    assert A.has_canonical_format


@models
def test_the_seed_decides(model):
    (A, labels), (B, same), (C, other) = model(0), model(0), model(1)
    assert (A != B).nnz == 0
    np.testing.assert_array_equal(labels, same)
    assert C.nnz != A.nnz or (A != C).nnz > 0
    assert other.shape != labels.shape or np.any(other != labels)


@models
def test_loops_only_where_asked(model):
    A, _ = model(0)
    assert A.diagonal().any() == (model is MODELS["loops"])


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


@each("seed", range(3))
@each("snr", [-0.4, 0.0, 1.0, 2.5])
@each("k", [2, 5])
def test_rates_of_the_block_model(k, snr, seed):
    n, d = 2_000, 16
    A, labels = stochastic_block_model(n, k, d, snr, random_state=seed)
    a, b = d + snr * (k - 1) * 4, d - snr * 4
    assert rates_agree(A, labels, a / n, b / n)
    assert signal_to_noise_ratio(a, b, k) == pytest.approx(snr, abs=1e-12)


def test_a_negative_rate_between_is_cut_at_zero():
    A, labels = stochastic_block_model(2_000, 4, 9, 5.0, random_state=0)
    edges, inside = pairs_of_edges(A, labels)
    assert edges == inside
    assert rates_agree(A, labels, (9 + 5 * 3 * 3) / 2_000, 0.0)


def test_the_least_signal_leaves_no_edge_inside():
    A, labels = stochastic_block_model(500, 3, 7, -np.sqrt(7) / 2, random_state=0)
    assert pairs_of_edges(A, labels)[1] == 0
    assert A.nnz > 0


def test_one_community_is_a_random_graph():
    A, labels = stochastic_block_model(2_000, 1, 10, 3.0, random_state=0)
    assert np.all(labels == 0)
    assert rates_agree(A, labels, 10 / 2_000, 0.0)


def test_loops_have_the_probability_inside():
    A, _ = stochastic_block_model(5_000, 2, 500, 10.0, loops=True, random_state=0)
    p = (500 + 10 * np.sqrt(500)) / 5_000
    assert binomtest(int(A.diagonal().sum()), 5_000, p).pvalue > 1e-3


@pytest.mark.parametrize("k", [2, 7])
def test_a_planted_share_of_edges_is_inside(k):
    A, labels = planted_partition(5_000, k, 20, 0.7, random_state=0)
    edges, inside = pairs_of_edges(A, labels)
    assert rates_agree(A, labels, 0.7 * k * 20 / 5_000, 0.3 * k * 20 / (k - 1) / 5_000)
    assert inside / edges == pytest.approx(0.7, abs=0.01)
    assert A.nnz / 5_000 == pytest.approx(20, abs=0.3)


def test_neighbors_of_the_classical_benchmark():
    totals = np.zeros(2)
    for seed in range(40):
        A, labels = girvan_newman_graph(out_degree=5, random_state=seed)
        totals += pairs_of_edges(A, labels)
    mean_degree, inside = 2 * totals / (40 * 128)
    assert mean_degree == pytest.approx(16, abs=0.2)
    assert inside == pytest.approx(11, abs=0.2)


def test_the_benchmark_by_signal_is_the_block_model():
    A, labels = girvan_newman_graph(1.4, balanced=False, random_state=3)
    B, same = stochastic_block_model(128, 4, 16, 1.4, random_state=3)
    assert (A != B).nnz == 0
    np.testing.assert_array_equal(labels, same)


@each("seed", range(3))
def test_degrees_follow_their_weights(seed):
    n, d = 4_000, 20
    theta = np.repeat([0.5, 1.0, 1.5], [1_000, 2_000, 1_000])
    A, _ = degree_corrected_block_model(
        n, 2, d, 1.0, weights=10 * theta, balanced=True, random_state=seed
    )
    degrees = A.sum(axis=1)
    for value in (0.5, 1.0, 1.5):
        group = degrees[theta == value]
        assert group.mean() == pytest.approx(value * d, abs=4 * np.sqrt(value * d / len(group)))


def test_degrees_of_a_power_law_are_uneven_and_keep_their_mean():
    A, labels = degree_corrected_block_model(20_000, 4, 12, 2.0, exponent=3.0, random_state=0)
    degrees = A.sum(axis=1)
    assert degrees.mean() == pytest.approx(12, rel=0.05)
    assert degrees.max() > 20 * degrees.mean()
    a, b = 12 + 6 * np.sqrt(12), 12 - 2 * np.sqrt(12)
    edges, inside = pairs_of_edges(A, labels)
    assert inside / edges == pytest.approx(a / (a + 3 * b), abs=0.02)


def test_large_networks_take_time_by_edges_not_by_pairs():
    A, labels = planted_partition(100_000, 5_000, 10, 0.7, random_state=0)
    assert A.nnz / 100_000 == pytest.approx(10, abs=0.4)
    assert len(np.unique(labels)) == 5_000


# --- labels ------------------------------------------------------------------------------------


def sizes_of(**options):
    _, labels = stochastic_block_model(1_003, 4, 5, 1.0, random_state=0, **options)
    return np.bincount(labels, minlength=4), labels


def test_labels_are_uniform_unless_asked_otherwise():
    sizes, labels = sizes_of()
    assert chisquare(sizes).pvalue > 1e-3
    assert len(set(sizes.tolist())) > 1
    assert np.any(np.diff(labels) < 0)


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


# --- parameters that cannot be -----------------------------------------------------------------
