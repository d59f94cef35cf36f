"""The community estimators: small, lone and large graphs, correlations, camps, and levels."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs import planted_partition
from kgroups.graphs.graph_objectives import BY_NAME
from kgroups.metrics import same_partition
from kgroups.select import bethe_hessian_n_communities

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")

ESTIMATORS = [GraphKGroups, BetheHessianClustering]
every_estimator = each("make", ESTIMATORS, ids=lambda make: make.__name__)


def cliques(count=2, size=5, bridges=True):
    A = np.kron(np.eye(count), np.ones((size, size)) - np.eye(size))
    for a in range(size - 1, (count - 1) * size, size) if bridges else ():
        A[a, a + 1] = A[a + 1, a] = 1
    return A


A, TRUTH = planted_partition(300, 3, 12, 0.85, random_state=0)


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


@pytest.mark.parametrize("n_nodes", [40, 700])
def test_stars_and_complete_graphs_are_one_community(n_nodes):
    for graph in (nx.star_graph(n_nodes - 1), nx.complete_graph(min(n_nodes, 100))):
        assert bethe_hessian_n_communities(graph) == 1
        model = GraphKGroups(2, random_state=0, n_jobs=1).fit(graph)
        assert model.cluster_sizes_.min() >= 1


def test_a_hundred_thousand_components():
    pairs = np.arange(200_000).reshape(-1, 2)
    W = coo_array((np.ones(200_000), (pairs.ravel(), pairs[:, ::-1].ravel()))).tocsr()
    with pytest.warns(GraphNotice):
        model = GraphKGroups(random_state=0, n_jobs=1).fit(W)
    assert model.n_clusters_ == 1  # H_1 is the Laplacian
    assert len(model.component_sizes_) == 100_000


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


def test_zeta_of_equal_cliques_keeps_as_many_dimensions():
    model = BetheHessianClustering(3, r="zeta", random_state=0).fit(cliques(3, 6, bridges=False))
    assert np.linalg.matrix_rank(model.embedding_, tol=1e-6) == 3


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


def correlations(n_columns, n_rows, seed, n_factors=0, market=0.0):
    """Columns in turn load .5 to .7 on their factor, or on none, and all on the market."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_columns, n_rows))
    if n_factors:
        loads = rng.uniform(0.5, 0.7, (n_columns, 1))
        factors = rng.standard_normal((n_factors, n_rows))[np.arange(n_columns) % n_factors]
        X = loads * factors + np.sqrt(1 - loads**2) * X
    return np.corrcoef(X + market * rng.standard_normal(n_rows))


@each(("n_columns", "n_rows"), [(60, 200), (100, 50), (30, 500), (200, 200)])
def test_correlations_of_noise_are_one_community(n_columns, n_rows):
    found = [
        bethe_hessian_n_communities(correlations(n_columns, n_rows, seed)) for seed in range(5)
    ]
    assert found == [1] * 5
    model = GraphKGroups(random_state=0, n_jobs=1).fit(correlations(n_columns, n_rows, 0))
    assert (model.n_clusters_, model.decided_by_) == (1, "spectrum")


def test_factors_are_found_behind_one_that_all_share():
    """The Bethe Hessian alone shows one or two groups: the market outweighs the others."""
    for seed in range(5):
        C = correlations(40, 300, seed, n_factors=4, market=0.3)
        assert C.min() < 0
        assert bethe_hessian_n_communities(C) == 4
        labels = GraphKGroups(random_state=0).fit(C).labels_
        assert same_partition(labels, np.arange(40) % 4)
    assert bethe_hessian_n_communities(correlations(40, 100, 0, market=0.7)) == 1


@each("k", [2, 3, 4])
def test_camps_with_uneven_weights_are_no_correlations(k):
    """Friends by .3 to 1, foes by as much: k camps, whatever the unit of the weights."""
    rng = np.random.default_rng(0)
    camps = np.where(np.equal.outer(np.arange(60) % k, np.arange(60) % k), 1.0, -1.0)
    weights = np.triu(rng.uniform(0.3, 1.0, (60, 60)), 1)
    A = (weights + weights.T) * camps
    assert bethe_hessian_n_communities(A) == bethe_hessian_n_communities(2 * A) == k


def test_units_whose_product_overflows_leave_an_objective_of_zero():
    """Two nodes apart: nothing is inside, whatever the units of edges and weights are."""
    A = np.array([[0.0, 1.3e133], [1.3e133, 0.0]])
    model = GraphKGroups(2, objective="ratio_association", weights=[1.5e-283, 1e-283], init=[0, 1])
    model.fit(A)
    assert model.objective_ == 0
    assert (model.objective_history_ == 0).all()
    together = GraphKGroups(1, objective="ratio_association", weights=[1.5e-283, 1e-283])
    with pytest.raises(ValueError, match="not a finite number"):
        together.fit(A)


def star(n):
    A = np.zeros((n, n))
    A[0, 1:] = A[1:, 0] = 1
    return csr_array(A)


def path(n):
    return csr_array(np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1))


def graph(kind):
    if kind == "star":
        return star(3_000)
    if kind == "dust":
        A = np.zeros((3_000, 3_000))
        A[0, 1] = A[1, 0] = 1
        return csr_array(A)
    if kind == "path":
        return path(3_000)
    if kind == "stars":
        return csr_array(np.kron(np.eye(30), star(100).toarray()))
    return planted_partition(3_000, 5, 8, 0.8, random_state=0)[0]


KINDS = ["star", "stars", "dust", "path", "planted"]


@each("objective", ["bethe_hessian", "normalized_cut", "modularity"])
def test_a_planted_partition_of_twenty_thousand_nodes_is_found(objective):
    A, truth = planted_partition(20_000, 20, 20, 0.7, random_state=0)
    model = GraphKGroups(20, objective=objective, init="multilevel", random_state=0, n_jobs=1)
    model.fit(A)
    assert adjusted_rand_score(truth, model.labels_) >= 0.95
    assert model.start_names_ == ["multilevel"]


@each("kind", KINDS)
def test_every_kind_of_graph_goes_through(kind):
    A = graph(kind)
    k = 2 if kind == "dust" else 5
    model = GraphKGroups(k, init="multilevel", random_state=0, n_jobs=1).fit(A)
    assert model.cluster_sizes_.min() > 0
    assert model.converged_
