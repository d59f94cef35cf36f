"""A given number of communities by modularity or the Potts model, against brute force."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from helpers import each
from kgroups import GraphKGroups
from kgroups.graphs.free.at_number import annealed, at_number
from kgroups.graphs.free.potts import PottsGraph
from kgroups.metrics import modularity

# Disjoint cliques are several components, of which a fit informs; that is not tested here.
pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def cliques(sizes):
    return csr_array(block_diag([np.ones((m, m)) - np.eye(m) for m in sizes], dtype=float))


def random_graph(seed, n=12, p=0.3):
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < p, 1) * 1.0
    upper[0, 1] = 1.0
    return csr_array(upper + upper.T)


def labels_of(A, k, objective="modularity", **parameters):
    model = GraphKGroups(k, objective=objective, random_state=0, n_jobs=1, **parameters).fit(A)
    assert np.unique(model.labels_).tolist() == list(range(k))
    return model


def least_squares(volumes, k):
    """The least sum of squares of k sums to which all volumes are added, in every way."""
    sums = {(0,) * k}
    for volume in volumes:
        sums = {
            tuple(sorted((*some[:j], some[j] + volume, *some[j + 1 :])))
            for some in sums
            for j in range(k)
        }
    return min(sum(x * x for x in some) for some in sums if some[0] > 0)


@each("seed", range(4))
def test_components_are_put_together_as_well_as_can_be(seed):
    """Modularity of whole components is 1 − Σ vol²/(2m)²; more starts never give less."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 10, size=rng.integers(6, 11))
    volumes = (sizes * (sizes - 1)).tolist()
    order = rng.permutation(sizes.sum())
    A = csr_array(cliques(sizes)[order][:, order])
    for k in sorted({2, 3, len(sizes) // 2, len(sizes) - 1}):
        best = 1 - least_squares(volumes, k) / sum(volumes) ** 2
        few, many = (labels_of(A, k, n_init=count).objective_ for count in (1, 20))
        assert best - 1e-12 <= labels_of(A, k).objective_ <= many + 1e-12
        assert few <= many + 1e-12


def test_the_potts_model_puts_small_components_together():
    """Cliques of 3, 3 and 8 in two communities: 34 edges − γ (28 + 15), or less."""
    model = labels_of(cliques([3, 8, 3]), 2, objective="cpm", resolution=0.2)
    assert model.objective_ == pytest.approx(34 - 0.2 * (28 + 15), rel=1e-12)


@pytest.mark.parametrize("graph", [nx.karate_club_graph, nx.les_miserables_graph])
def test_a_number_that_a_free_search_found(graph):
    for seed in range(2):
        free = GraphKGroups(objective="modularity", random_state=seed, n_jobs=1).fit(graph())
        known = GraphKGroups(free.n_clusters_, objective="modularity", random_state=seed, n_jobs=1)
        assert known.fit(graph()).objective_ >= free.objective_ - 1e-12


def test_many_components():
    """Merging the smallest communities of a free search gives no more, at any number."""
    rng = np.random.default_rng(0)
    sizes = np.minimum(2 + rng.pareto(1.3, 150) * 2, 120).astype(int)
    G = nx.disjoint_union_all(nx.powerlaw_cluster_graph(n, 1 + (n > 4), 0.8, seed=1) for n in sizes)
    A = csr_array(nx.to_scipy_sparse_array(G, dtype=float))
    free = GraphKGroups(objective="modularity", random_state=0, n_jobs=1).fit(A)
    labels = free.labels_.copy()
    volume = np.asarray(A.sum(axis=1)).ravel()
    for k in range(free.n_clusters_, 59, -1):
        if k in (150, 100, 60):
            assert labels_of(A, k).objective_ >= modularity(A, labels) - 1e-12
        sums = np.bincount(labels, weights=volume)
        least, other = np.argsort(np.where(sums > 0, sums, np.inf))[:2]
        labels[labels == least] = other


# --- from one number to another ------------------------------------------------------------------


def cold(monkeypatch):
    """No annealing, so that labels are those of the merges and divisions alone."""
    monkeypatch.setattr("kgroups.graphs.free.at_number._VISITS", 0.0)


def potts(A, kind):
    return PottsGraph.of_modularity(A) if kind == "modularity" else PottsGraph.of_constant(A, 0.3)


@pytest.mark.parametrize("kind", ["modularity", "cpm"])
def test_the_pair_that_loses_least_is_merged(kind, monkeypatch):
    cold(monkeypatch)
    for seed in range(4):
        graph, labels = potts(random_graph(seed), kind), np.arange(12)
        for k in range(11, 0, -1):
            pairs = [(a, b) for a in range(k + 1) for b in range(a)]
            merged = [np.where(labels == a, b, labels) for a, b in pairs]
            best = max(map(graph.value, merged))
            found = at_number(graph, labels, k, np.random.default_rng(0))
            assert graph.value(found) == pytest.approx(best, rel=1e-12, abs=1e-12)
            labels = found
        together = at_number(graph, np.arange(12), 3, np.random.default_rng(0))
        assert len(np.unique(together)) == 3


@pytest.mark.parametrize("kind", ["modularity", "cpm"])
def test_the_node_that_loses_least_is_set_apart(kind, monkeypatch):
    cold(monkeypatch)
    for seed in range(4):
        graph, start = potts(random_graph(seed), kind), np.repeat([0, 1], [5, 7])
        labels = start.copy()
        for k in range(3, 13):
            apart = np.tile(labels, (12, 1))
            np.fill_diagonal(apart, k - 1)
            best = max(graph.value(one) for one in apart if len(np.unique(one)) == k)
            labels = at_number(graph, start, k, np.random.default_rng(0))
            assert len(np.unique(labels)) == k
            assert graph.value(labels) == pytest.approx(best, rel=1e-12, abs=1e-12)


@pytest.mark.nojit
def test_annealing_never_ends_below_its_start(monkeypatch):
    monkeypatch.setattr("kgroups.graphs.free.at_number._MOST", 60)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        graph = potts(random_graph(seed), "modularity")
        start = np.append(np.arange(4), rng.integers(4, size=8))
        found = annealed(graph, start, 4, np.random.default_rng(seed))
        assert np.unique(found).tolist() == [0, 1, 2, 3]
        assert graph.value(found) >= graph.value(start)
        again = annealed(graph, start, 4, np.random.default_rng(seed))
        assert found.tolist() == again.tolist()
