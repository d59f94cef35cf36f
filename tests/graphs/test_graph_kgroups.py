"""The community estimators: what goes in, what comes out, and that it comes out the same."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs import bethe_hessian, planted_partition
from kgroups.graphs.graph_objectives import BY_NAME
from kgroups.names import GRAPH_INITS
from kgroups.select import bethe_hessian_n_communities

ESTIMATORS = [GraphKGroups, BetheHessianClustering]
every_estimator = each("make", ESTIMATORS, ids=lambda make: make.__name__)


def cliques(count=2, size=5, bridges=True):
    A = np.kron(np.eye(count), np.ones((size, size)) - np.eye(size))
    for a in range(size - 1, (count - 1) * size, size) if bridges else ():
        A[a, a + 1] = A[a + 1, a] = 1
    return A


A, TRUTH = planted_partition(300, 3, 12, 0.85, random_state=0)


# --- what comes out ------------------------------------------------------------------------------


@every_estimator
def test_two_cliques(make):
    model = make(random_state=0).fit(cliques())
    assert model.labels_.tolist() == [0] * 5 + [1] * 5
    assert model.n_clusters_ == 2
    assert model.labels_.dtype == np.int64
    assert model.n_features_in_ == 10
    assert model.component_sizes_.tolist() == [10]
    assert model.r_ == pytest.approx(4.2**0.5)
    assert make(random_state=0).fit_predict(cliques()).tolist() == model.labels_.tolist()


@every_estimator
def test_one_community_and_as_many_as_nodes(make):
    W = cliques()
    one = make(1, random_state=0).fit(W)
    assert one.labels_.tolist() == [0] * 10
    every = make(10, random_state=0).fit(W)
    assert sorted(every.labels_.tolist()) == list(range(10))


@each("objective", BY_NAME)
@each("k", [1, 2, 9, 10])
def test_every_objective_at_every_k(objective, k):
    model = GraphKGroups(k, objective=objective, random_state=0, n_jobs=1).fit(cliques())
    assert np.unique(model.labels_).tolist() == list(range(k))
    assert (model.cluster_weights_ > 0).all()
    if k == 2:
        assert model.labels_.tolist() == [0] * 5 + [1] * 5


@every_estimator
def test_two_nodes(make):
    W = [[0, 1], [1, 0]]
    assert make().fit(W).labels_.tolist() == [0, 0]
    assert make(2, random_state=0).fit(W).labels_.tolist() == [0, 1]


@every_estimator
def test_one_edge_among_many_nodes(make):
    W = np.zeros((50, 50))
    W[3, 7] = W[7, 3] = 1
    with pytest.warns(GraphNotice, match="49 components, one with 2 nodes, and 48 isolated nodes"):
        model = make(random_state=0).fit(W)
    assert model.n_clusters_ == 1


@pytest.mark.parametrize("n_nodes", [40, 700])
def test_stars_and_complete_graphs_are_one_community(n_nodes):
    for graph in (nx.star_graph(n_nodes - 1), nx.complete_graph(min(n_nodes, 100))):
        assert bethe_hessian_n_communities(graph) == 1
        model = GraphKGroups(2, random_state=0, n_jobs=1).fit(graph)
        assert model.cluster_sizes_.min() >= 1


def test_a_hundred_thousand_components():
    pairs = np.arange(200_000).reshape(-1, 2)
    W = coo_array((np.ones(200_000), (pairs.ravel(), pairs[:, ::-1].ravel()))).tocsr()
    with pytest.warns(GraphNotice, match="100,000 components, with 2, 2, 2, 2, 2, ... nodes"):
        model = GraphKGroups(random_state=0, n_jobs=1).fit(W)
    assert model.n_clusters_ == 1  # H_1 is the Laplacian
    assert len(model.component_sizes_) == 100_000


# --- what goes in --------------------------------------------------------------------------------


@every_estimator
def test_entries_that_repeat_are_noticed(make):
    W = coo_array(cliques())
    rows, columns = W.coords
    twice = coo_array((np.ones(2 * W.nnz), (np.tile(rows, 2), np.tile(columns, 2))), shape=(10, 10))
    with pytest.warns(GraphNotice, match=f"A has {W.nnz} entries that repeat others"):
        model = make(2, random_state=0).fit(twice)
    assert model.labels_.tolist() == [0] * 5 + [1] * 5


# --- starts --------------------------------------------------------------------------------------


def test_labels_as_a_start_keep_their_names():
    start = 1 - TRUTH % 2
    model = GraphKGroups(init=start, n_jobs=1).fit(A)
    assert model.n_clusters_ == 2
    assert model.start_names_ == ["given"]
    W = cliques()
    given = np.repeat([1, 0], 5)
    model = GraphKGroups(init=given).fit(W)
    assert model.labels_.tolist() == given.tolist()
    assert model.n_moves_ == 0
    model = GraphKGroups(3, init=(given + np.eye(10, dtype=int)[9] * 2).tolist()).fit(W)
    assert model.n_clusters_ == 3


def test_a_function_as_a_start():
    asked = []

    def mine(graph, n_clusters, random_state):
        asked.append((graph, n_clusters, random_state.randint(1000)))
        return np.arange(10) % n_clusters

    W = cliques()
    model = GraphKGroups(2, init=mine, n_init=3, random_state=0, n_jobs=1).fit(W)
    assert [graph is W for graph, *_ in asked] == [True] * 3
    assert [k for _, k, _ in asked] == [2] * 3
    assert len({number for *_, number in asked}) == 3
    assert model.start_names_ == ["mine"] * 3
    assert model.labels_.tolist() == [0] * 5 + [1] * 5
    assert len(GraphKGroups(2, init=mine).fit(W).start_names_) == 1


# --- weights -------------------------------------------------------------------------------------


def lone_and_cliques():
    """Two cliques of six and eighty nodes without edges."""
    W = np.zeros((92, 92))
    W[:12, :12] = cliques(2, 6)
    return W


def spectators():
    """Objectives that give nodes without edges no weight, every start, few and many communities."""
    for objective, weights in (
        ("normalized_cut", "unit"),
        ("bethe_hessian", "degree"),
        ("ratio_association", "degree"),
    ):
        for init in GRAPH_INITS:
            for k in (2, 5, 12):
                yield objective, weights, init, k


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
@each(("objective", "weights", "init", "k"), [*spectators()])
def test_no_community_is_without_weight(objective, weights, init, k):
    """Nodes that have none cannot be a community, however many there are of them."""
    model = GraphKGroups(
        k, objective=objective, weights=weights, init=init, random_state=0, n_jobs=1
    ).fit(lone_and_cliques())
    assert (model.cluster_weights_ > 0).all()


# --- progress, and stopping early ----------------------------------------------------------------


def test_a_large_tolerance_lets_nothing_move():
    start = np.arange(300) % 3
    model = GraphKGroups(3, init=start, tol=1e6).fit(A)
    assert (model.n_moves_, model.n_iter_, model.converged_) == (0, 1, True)
    assert model.labels_.tolist() == start.tolist()
    assert GraphKGroups(3, init=start, tol=0).fit(A).n_moves_ > 0


# --- the regularizer and the eigenvectors --------------------------------------------------------


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
@each("weighted", [False, True])
@each("seed", range(1, 4))
def test_zeta(seed, weighted):
    """Each eigenvector has an r of its own, between 1 and the published one, with eigenvalue 0.

    The graphs are connected: at r = 1 each component has an eigenvector of its own, and which
    mixture of them is found depends on the processor.
    """
    W, truth = planted_partition(400, 3, 8, 0.85, random_state=seed)
    if weighted:
        W.data = np.random.default_rng(0).uniform(0.9, 1.1, W.nnz)
        W = csr_array((W + W.T) / 2)
    model = BetheHessianClustering(4, r="zeta", random_state=0).fit(W)
    published = BetheHessianClustering(4, random_state=0).fit(W)
    assert model.r_.shape == (4,)
    found = published.eigenvalues_ < 0
    assert found.sum() == 3
    assert (model.r_[found] >= 1).all()
    assert (model.r_[found] <= published.r_).all()
    # The lowest r of a weighted graph is not quite 1, where the first root is.
    roots = found & (model.r_ > 1.0011) if weighted else found
    assert roots.sum() == (2 if weighted else 3)
    assert np.abs(model.eigenvalues_[roots]).max() < 1e-6
    assert np.abs(model.eigenvalues_[found]).max() < 0.01
    assert (np.diff(model.r_[found]) >= -1e-6).all()
    # One that is not below zero stays where it was.
    assert model.r_[3] == published.r_
    assert model.eigenvalues_[3] == published.eigenvalues_[3]
    for r, value, vector in zip(model.r_, model.eigenvalues_, model.embedding_.T, strict=True):
        H = bethe_hessian(W, max(r, 1.001) if weighted else r)
        assert np.abs(H @ vector - value * vector).max() < 1e-5
    three = BetheHessianClustering(3, r="zeta", random_state=0).fit(W)
    assert adjusted_rand_score(truth, three.labels_) > 0.7


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_zeta_of_equal_cliques_keeps_as_many_dimensions():
    model = BetheHessianClustering(3, r="zeta", random_state=0).fit(cliques(3, 6, bridges=False))
    assert np.linalg.matrix_rank(model.embedding_, tol=1e-6) == 3


# --- as many as can be ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
@each("objective", [name for name in BY_NAME if name != "bethe_hessian"])
@each("k", [5, 6])
def test_more_communities_than_the_largest_component_has_room_for(objective, k):
    W = np.kron(np.eye(3), [[0, 1], [1, 0]])
    model = GraphKGroups(k, objective=objective, random_state=0, n_jobs=1).fit(W)
    assert np.unique(model.labels_).tolist() == list(range(k))


def test_no_edge_between_nodes_with_weight():
    """A star whose center has none: its leaves are all alike, and any partition will do."""
    star = nx.star_graph(6)
    weights = [0, 1, 1, 1, 1, 1, 1]
    model = GraphKGroups(
        2, objective="ratio_association", weights=weights, random_state=0, n_jobs=1
    ).fit(star)
    assert (model.cluster_weights_ > 0).all()
