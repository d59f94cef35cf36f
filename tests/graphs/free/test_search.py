"""Local moves, levels and votes: no move is left, ties, and graphs that take long."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import GraphKGroups
from kgroups.graphs import free_search, planted_partition
from kgroups.graphs.compiled.local_moves import local_moves, well_connected_parts
from kgroups.graphs.free import coarse
from kgroups.graphs.free.potts import PottsGraph
from kgroups.graphs.free.search import Found, agreed, search, settled
from kgroups.input.adjacency import components


def adjacency(graph, weight=None):
    return csr_array(nx.to_scipy_sparse_array(graph, weight=weight, dtype=float, format="csr"))


def random_weights(seed, n):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(0.2, 3.0, (n, n)) * (rng.random((n, n)) < 0.45))
    W[0, 1] = 1.0
    return csr_array(W + np.triu(W, 1).T)


def potts(A, kind, resolution):
    make = PottsGraph.of_modularity if kind == "modularity" else PottsGraph.of_constant
    return make(A, resolution)


def moved(graph, labels, seed=0):
    S, after = graph.matrix, labels.copy()
    order = np.random.default_rng(seed).permutation(graph.n)
    count = local_moves(S.indptr, S.indices, S.data, graph.sizes, graph.rate, after, order)
    return after, count


@pytest.mark.nojit
@pytest.mark.parametrize("kind", ["modularity", "cpm"])
def test_no_move_of_one_node_is_left(kind):
    for seed in range(4):
        graph = potts(random_weights(seed, 9), kind, 0.8)
        for found in (
            search(graph, np.random.default_rng(seed)),
            settled(graph, np.arange(9) % 4, np.random.default_rng(seed)),
        ):
            assert found.converged
            assert (np.diff(found.history) > 0).all()
            for node in range(9):
                for label in range(found.labels.max() + 2):
                    other = found.labels.copy()
                    other[node] = label
                    assert graph.value(other) <= found.value + 1e-12


def test_a_contracted_graph_has_the_same_values():
    made = PottsGraph.of_modularity(random_weights(3, 12), 0.7)
    groups = np.random.default_rng(1).integers(0, 5, 12)
    labels = np.array([0, 1, 0, 2, 1])
    small = made.contracted(groups, 5)
    assert small.value(labels) == pytest.approx(made.value(labels[groups]), rel=1e-12)


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


def test_settled_stops_at_its_limit():
    graph = PottsGraph.of_modularity(adjacency(nx.les_miserables_graph()))
    found = settled(graph, np.arange(77), np.random.default_rng(0), max_iter=1)
    assert (len(found.history), found.converged) == (2, False)
    assert not search(graph, np.random.default_rng(0), max_iter=1).converged


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_both_kinds_of_positions(index):
    A = adjacency(nx.karate_club_graph())
    A.indices, A.indptr = A.indices.astype(index), A.indptr.astype(index)
    found = search(PottsGraph.of_modularity(A), np.random.default_rng(0))
    assert found.value / 156 > 0.41


@each(
    ("graph", "k"),
    [
        (nx.path_graph(2), 1),
        (nx.complete_graph(9), 1),
        (nx.star_graph(9), 1),
        (nx.disjoint_union_all([nx.complete_graph(3)] * 4), 4),
    ],
)
def test_small_graphs(graph, k):
    found = search(PottsGraph.of_modularity(adjacency(graph)), np.random.default_rng(0))
    assert found.labels.max() + 1 == k


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


def test_a_vote_is_never_worse_than_the_best():
    graph = PottsGraph.of_modularity(adjacency(nx.florentine_families_graph()))
    runs = [search(graph, np.random.default_rng(seed)) for seed in range(3)]
    poor = Found(np.zeros(15, np.int64), (graph.value(np.zeros(15, np.int64)),))
    best = max(one.value for one in runs)
    assert agreed(graph, [poor, *runs], np.random.default_rng(0)).value >= best


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
