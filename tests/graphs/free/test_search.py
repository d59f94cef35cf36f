"""Free searches: rounding, waves of moves, levels, published resolutions, a given number."""

import csv

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each, reference_folder
from kgroups import GraphKGroups
from kgroups.graphs import free_search, planted_partition
from kgroups.graphs.compiled.local_moves import local_moves, well_connected_parts
from kgroups.graphs.free import coarse
from kgroups.graphs.free.evidence import resolution_of
from kgroups.graphs.free.hierarchy import CommunityGraph
from kgroups.graphs.free.potts import PottsGraph
from kgroups.graphs.free.search import agreed, search
from kgroups.input.adjacency import components
from kgroups.metrics import modularity

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def adjacency(graph, weight=None):
    return csr_array(nx.to_scipy_sparse_array(graph, weight=weight, dtype=float, format="csr"))


def potts(A, kind, resolution):
    make = PottsGraph.of_modularity if kind == "modularity" else PottsGraph.of_constant
    return make(A, resolution)


def moved(graph, labels, seed=0):
    S, after = graph.matrix, labels.copy()
    order = np.random.default_rng(seed).permutation(graph.n)
    count = local_moves(S.indptr, S.indices, S.data, graph.sizes, graph.rate, after, order)
    return after, count


@each("weight", [0.1, 0.7, 1 / 3, 1e-9, 3e7])
def test_rounding_moves_no_node(weight):
    """In a complete graph at the resolution of its weights all partitions are equally good."""
    for n in (7, 8, 13, 30):
        A = csr_array(weight * (np.ones((n, n)) - np.eye(n)))
        labels = np.random.default_rng(n).integers(0, 3, n)
        for start in (labels, np.arange(n), np.zeros(n, np.int64)):
            assert moved(PottsGraph.of_constant(A, weight), start)[1] == 0


def test_a_wave_of_moves_ends():
    """On a path of growing weights every node would move some 1,000 times."""
    n = 2_000
    rows = np.arange(n - 1)
    A = csr_array((1.02**rows, (rows, rows + 1)), shape=(n, n))
    graph = PottsGraph.of_modularity(csr_array(A + A.T))
    assert moved(graph, np.arange(n))[1] <= 30 * n
    assert search(graph, np.random.default_rng(0)).converged


def test_parts_lie_within_communities_and_hold_together():
    A = adjacency(nx.les_miserables_graph())
    graph = PottsGraph.of_modularity(A)
    S, labels = graph.matrix, np.arange(77) % 3
    order = np.random.default_rng(0).permutation(77)
    parts = well_connected_parts(
        S.indptr, S.indices, S.data, graph.sizes, graph.rate, labels, order
    )
    for part in np.unique(parts):
        members = np.flatnonzero(parts == part)
        assert len(set(labels[members])) == 1
        assert components(csr_array(A[members][:, members]))[0] == 1


@pytest.mark.parametrize("objective", ["modularity", "cpm"])
def test_a_large_graph_begins_with_its_coarsest_level(objective, monkeypatch):
    """As good as the planted partition, which single nodes alone would find as well."""
    monkeypatch.setattr(coarse, "_LARGE", 10_000)
    monkeypatch.setattr(coarse, "_COMMUNITIES", 10)
    monkeypatch.setattr(free_search, "_VISITS", 1.0)  # no search from single nodes
    A, truth = planted_partition(2_000, 5, 16, 0.9, random_state=0)
    model = GraphKGroups(objective=objective, random_state=0, n_jobs=1)
    if objective == "cpm":
        model.set_params(resolution=0.01)
    model.fit(A)
    assert model.start_names_ == ["levels", "agreed"]
    assert adjusted_rand_score(truth, model.labels_) > 0.99


def planted(sizes, inside, near, far, seed):
    """Communities within larger ones; the graph, the fine and the coarse labels."""
    fine = np.repeat(np.arange(sum(map(len, sizes))), [n for group in sizes for n in group])
    coarse = np.repeat(np.arange(len(sizes)), [sum(group) for group in sizes])
    chance = np.where(coarse[:, None] == coarse, near, far)
    chance[fine[:, None] == fine] = inside
    W = np.triu(np.random.default_rng(seed).random((len(fine),) * 2) < chance, 1)
    return csr_array((W | W.T).astype(float)), fine, coarse


def test_negative_weights_hold_nothing_together():
    W = np.kron(np.ones((4, 4)) - 2 * np.eye(4), np.ones((5, 5))) * -0.2
    W[:10, 10:] = W[10:, :10] = -1.0
    W[:5, 5:10] = W[5:10, :5] = W[10:15, 15:] = W[15:, 10:15] = 0.05
    np.fill_diagonal(W, 0)
    model = GraphKGroups(4, random_state=0).fit(W)
    assert model.evidence_ is model.hierarchy_.evidence is None
    assert adjusted_rand_score(np.arange(20) // 10, model.labels_at(2)) == 1.0


def test_many_communities_take_no_time():
    """A star of communities, and a graph of 20,000."""
    star = nx.to_scipy_sparse_array(nx.star_graph(2_000), dtype=float, format="csr")
    tree = CommunityGraph.of(csr_array(star), np.arange(2_001), 2_001).hierarchy()
    assert len(tree.merges) == 2_000
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 20_000, (2, 80_000))
    W = csr_array((np.ones(80_000), (a, b)), shape=(20_000,) * 2)
    tree = CommunityGraph.of(csr_array(W + W.T), np.arange(20_000), 20_000).hierarchy()
    assert len(tree.merges) == 19_999


CLIQUES = nx.to_numpy_array(nx.ring_of_cliques(6, 5))


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


def cliques(sizes):
    return csr_array(block_diag([np.ones((m, m)) - np.eye(m) for m in sizes], dtype=float))


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
