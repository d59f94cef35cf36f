"""How well communities are found and counted: rates over many graphs, with fixed seeds."""

import networkx as nx
import numpy as np
import pytest

from helpers import each, slow
from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.graphs import degree_corrected_block_model, stochastic_block_model
from kgroups.metrics import overlap
from kgroups.select import bethe_hessian_n_communities

# Sparse random graphs have isolated nodes and small components, which a notice counts.
pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def mean_and_error(values):
    return np.mean(values), np.std(values, ddof=1) / len(values) ** 0.5


def default_overlaps(n_graphs, *model, **settings):
    """Of GraphKGroups(k) as it comes, on graphs with seeds 0, 1, ..."""
    values = []
    for seed in range(n_graphs):
        A, truth = stochastic_block_model(*model, random_state=seed, **settings)
        values.append(overlap(truth, GraphKGroups(model[1], random_state=seed).fit(A).labels_))
    return np.array(values)


@slow
@each("k", [2, 5, 10])
@each(("n", "n_graphs"), [(2000, 6), (5000, 1)])
def test_the_number_of_communities_is_found(k, n, n_graphs):
    """d=10, λ=2: at least 95 of 100, and so none of six is wrong."""
    counts = [
        bethe_hessian_n_communities(stochastic_block_model(n, k, 10, 2, random_state=seed)[0])
        for seed in range(n_graphs)
    ]
    assert counts.count(k) >= np.ceil(n_graphs * 0.9)


@pytest.mark.parametrize(("n", "n_graphs"), [(2000, 10), (5000, 1)])
def test_chance_alone_is_one_community(n, n_graphs):
    """Of a finite graph a second eigenvalue is just below zero once in about twenty times."""
    counts = []
    for seed in range(n_graphs):
        graph = nx.fast_gnp_random_graph(n, 10 / (n - 1), seed=seed)
        A = nx.to_scipy_sparse_array(graph, dtype=float, format="csr")
        counts.append(bethe_hessian_n_communities(A))
    assert counts.count(1) >= 0.9 * n_graphs
    assert max(counts) <= 2


@pytest.mark.parametrize("k", [2, pytest.param(4, marks=slow)])
def test_nothing_is_found_below_the_threshold_and_nearly_all_well_above(k):
    """λ=1 is the limit of detectability."""
    below, error = mean_and_error(default_overlaps(3, 2000, k, 10, 0.5))
    assert abs(below) < 0.06 + 2 * error
    above, _ = mean_and_error(default_overlaps(3, 2000, k, 10, 2.5))
    assert above > 0.97


@slow
@each(
    ("n", "k", "degree", "snr"),
    [(1000, 2, 3, 1.5), (1000, 5, 3, 1.5), (1000, 15, 3, 1.5), (128, 4, 16, 1.5), (800, 6, 12, 2)],
)
def test_default_is_not_below_spectral_clustering(n, k, degree, snr):
    differences = []
    for seed in range(5):
        A, truth = stochastic_block_model(n, k, degree, snr, random_state=seed)
        ours = GraphKGroups(k, random_state=seed).fit(A).labels_
        bethe = BetheHessianClustering(k, random_state=seed).fit(A).labels_
        differences.append(overlap(truth, ours) - overlap(truth, bethe))
    mean, error = mean_and_error(differences)
    assert mean >= -error


MANY = [pytest.param(sizes, marks=slow) for sizes in ((0.6, 0.3, 0.1), (0.4, 0.3, 0.2, 0.1))]
UNBALANCED = [(0.7, 0.3), *MANY]


@pytest.mark.parametrize("sizes", UNBALANCED)
def test_communities_of_different_sizes(sizes):
    """One rate between all, so that small communities have smaller degrees."""
    for seed in range(2):
        assert unbalanced_overlap(sizes, seed) > 0.9


def unbalanced_overlap(sizes, seed, **settings):
    k = len(sizes)
    A, truth = stochastic_block_model(2000, k, 20, 3, sizes=sizes, random_state=seed)
    labels = GraphKGroups(k, random_state=seed, **settings).fit(A).labels_
    return overlap(truth, labels)


@slow
@pytest.mark.parametrize("k", [2, 5])
def test_communities_of_nodes_with_very_different_degrees(k):
    """The Bethe Hessian may give hubs a community; the normalized cut knows of degrees."""
    default, cut = [], []
    for seed in range(3):
        A, truth = degree_corrected_block_model(2000, k, 15, 3, random_state=seed)
        by_cut = GraphKGroups(k, objective="normalized_cut", random_state=seed).fit(A)
        default.append(overlap(truth, GraphKGroups(k, random_state=seed).fit(A).labels_))
        cut.append(overlap(truth, by_cut.labels_))
    assert np.mean(default) > 0.9
    assert np.median(default) > 0.95
    assert min(cut) > 0.95
