"""Evidence: probabilities that sum to one, published resolutions, and graphs by chance."""

import csv
import itertools
import math

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each, reference_folder
from kgroups.graphs import evidence
from kgroups.graphs.free import evidence as module
from kgroups.graphs.free.evidence import bits_of, resolution_of, terms
from kgroups.graphs.free.potts import PottsGraph
from kgroups.graphs.free.search import agreed, search
from kgroups.metrics.community_sums import CommunitySums

CLIQUES = nx.to_numpy_array(nx.ring_of_cliques(6, 5))


OF_CLIQUES = np.arange(30) // 5


def multigraphs(n, m):
    """All graphs of m edges, loops and parallel edges among them, and their weights."""
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    for chosen in itertools.combinations_with_replacement(pairs, m):
        A = np.zeros((n, n))
        for i, j in set(chosen):
            A[i, j] = A[j, i] = chosen.count((i, j))
        yield A


def log_drawn_alike(A):
    """The factor that is the same for all partitions: ∏ k_i! / (∏ A_ij! ∏ 2^(loops) loops!)."""
    loops, degrees = np.diagonal(A), A.sum(axis=1) + np.diagonal(A)
    parallel = sum(math.lgamma(a + 1) for a in A[np.triu_indices(len(A), 1)])
    of_loops = sum(math.lgamma(a + 1) + a * math.log(2) for a in loops)
    return sum(math.lgamma(k + 1) for k in degrees) - parallel - of_loops


@each(("m", "labels"), [(3, [0, 0, 1]), (3, [0, 0, 1, 1]), (4, [0, 1, 2]), (3, [0, 0, 0])])
def test_probabilities_of_all_graphs_sum_to_one(m, labels):
    b, k, total = np.array(labels), max(labels) + 1, np.zeros(3)
    for A in multigraphs(len(b), m):
        sums = CommunitySums.of(csr_array(A), b, k)
        of = module._Totals(*terms(sums).sum(axis=1))
        forms = (module._shared_rate(of), module._own_rates(of), module._shared_share(of))
        total += np.exp(np.array(forms) + log_drawn_alike(A))
    assert total[:2] == pytest.approx(1.0, abs=1e-12)
    # Not every choice of ends that leave can be joined between communities.
    assert 0.1 < total[2] <= 1 + 1e-12


def test_partitions_of_all_nodes_sum_to_one():
    """Σ_b P(b) over all labels 0..B−1 that use each, B = 1..4."""
    total = 0.0
    for B in range(1, 5):
        for labels in itertools.product(range(B), repeat=4):
            sizes = np.bincount(labels, minlength=B)
            if sizes.all():
                sums = CommunitySums(sizes, np.zeros(B), np.zeros(B), 0)
                total += float(np.exp(module._log_prior(module._Totals(*terms(sums).sum(axis=1)))))
    assert total == pytest.approx(1.0, abs=1e-12)


def edges_of(name):
    path = reference_folder("data", "graphs") / f"{name}.edges.csv"
    with path.open(encoding="utf-8") as file:
        rows = [row[:2] for row in csv.reader(file)][1:]
    graph = nx.Graph(rows)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph.subgraph(max(nx.connected_components(graph), key=len)).copy()


@each(
    ("name", "k", "at", "published"),
    [
        ("karate", 2, 0.5, 0.78),
        ("lesmis", 6, 1.0, 1.36),
        ("football", 11, 1.4, 2.27),
        ("polbooks", 2, 0.25, 0.59),
        ("polblogs", 2, 0.2, 0.67),
    ],
)
def test_published_resolutions(name, k, at, published):
    """M. E. J. Newman, Phys. Rev. E 94, 052315 (2016), table I."""
    of_networkx = {"karate": nx.karate_club_graph, "lesmis": nx.les_miserables_graph}
    graph = of_networkx[name]() if name in of_networkx else edges_of(name)
    A = csr_array(nx.to_scipy_sparse_array(graph, weight=None, dtype=float, format="csr"))
    made, rng = PottsGraph.of_modularity(A, at), np.random.default_rng(0)
    labels = agreed(made, [search(made, rng) for _ in range(6)], rng).labels
    assert labels.max() + 1 == k
    assert resolution_of(A, labels) == pytest.approx(published, abs=0.005)


def test_the_resolution_at_its_limits():
    A = csr_array(CLIQUES)
    assert resolution_of(A, np.zeros(30, np.int64)) == np.inf
    assert resolution_of(A, np.arange(30)) == 0.0
    assert resolution_of(csr_array(np.ones((2, 2)) - 0.5 * np.eye(2)), np.arange(2)) == 1.0


def test_what_does_not_matter():
    W = CLIQUES * np.random.default_rng(0).integers(1, 5, (30, 30))
    W = np.triu(W) + np.triu(W).T
    expected = evidence(W, OF_CLIQUES)
    assert expected > 5
    for unit in (1e-300, 1e-3, 7.0, 1e300):
        assert evidence(W * unit, OF_CLIQUES) == pytest.approx(expected, rel=1e-9)
    assert evidence(W, 5 - OF_CLIQUES) == pytest.approx(expected, rel=1e-12)
    order = np.random.default_rng(1).permutation(30)
    again = evidence(W[np.ix_(order, order)], OF_CLIQUES[order])
    assert again == pytest.approx(expected, rel=1e-12)
    more = np.pad(W, (0, 3))
    for labels in ([0, 3, 3], [6, 7, 8]):
        assert evidence(more, [*OF_CLIQUES, *labels]) == pytest.approx(expected, rel=1e-12)


def test_random_graphs_have_no_evidence():
    """x bits in at most a share of 2⁻ˣ, for the best of some partitions of each."""
    found = []
    for seed in range(60):
        graph = nx.gnm_random_graph(40, 100, seed=seed)
        A = csr_array(nx.to_scipy_sparse_array(graph, dtype=float, format="csr"))
        rng = np.random.default_rng(seed)
        tried = [search(PottsGraph.of_modularity(A, at), rng).labels for at in (0.3, 0.6, 1.0, 2.0)]
        found.append(max(bits_of(A, z, int(z.max()) + 1) for z in tried if z.max() > 0))
    # Of 60 graphs 60/8 are expected at most, and 16 have a probability of .002.
    assert np.count_nonzero(np.array(found) >= 3.0) <= 16
    assert max(found) < 14  # 60 · 2⁻¹⁴ = .004
