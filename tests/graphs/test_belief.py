"""Belief propagation on a tree by enumeration, and on planted partitions."""

import itertools

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import GraphKGroups
from kgroups.graphs import belief, planted_partition
from kgroups.graphs.belief import believed_labels, reversed_entries
from kgroups.graphs.compiled.belief import propagate
from kgroups.graphs.embedding import filled
from kgroups.metrics import clustering_accuracy, same_partition

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def adjacency(graph):
    return csr_array(nx.to_scipy_sparse_array(graph, dtype=float))


def rows_of(A):
    return np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))


def run(A, messages, beliefs, *, inside, across, activity=None, n_rounds=1, tol=0.0):
    activity = np.ones(A.shape[0]) if activity is None else activity
    return propagate(
        indptr=A.indptr,
        reverse=reversed_entries(A),
        activity=activity,
        inside=inside,
        across=across,
        messages=messages,
        beliefs=beliefs,
        n_rounds=n_rounds,
        tol=tol,
    )


@pytest.mark.nojit
@each("k", [2, 3])
@each("seed", range(3))
def test_marginals_on_a_tree_by_enumeration(seed, k):
    """The last node is known to be in community 0; all others are visited from it outward.

    Rates are so small that pairs without an edge say nothing: then beliefs on a tree are exact.
    """
    n, inside, across = 7, 5e-9, 1e-9
    tree = nx.random_labeled_tree(n, seed=seed)
    order = [*[*nx.bfs_tree(tree, n - 1)][1:], n - 1]
    tree = nx.relabel_nodes(tree, {node: place for place, node in enumerate(order)})
    A = csr_array(nx.to_scipy_sparse_array(tree, nodelist=range(n), dtype=float))
    marginals, total = np.zeros((n, k)), 0.0
    for others in itertools.product(range(k), repeat=n - 1):
        z = (*others, 0)
        p = np.prod([inside if z[u] == z[v] else across for u, v in tree.edges])
        total += p
        marginals[np.arange(n), z] += p
    messages, beliefs = np.full((A.nnz, k), 1 / k), np.full((n, k), 1 / k)
    messages[rows_of(A) == n - 1] = np.eye(k)[0]
    beliefs[n - 1] = np.eye(k)[0]
    run(A, messages, beliefs, inside=inside, across=across)
    np.testing.assert_allclose(beliefs[:-1], (marginals / total)[:-1], atol=1e-7)
    assert beliefs[:-1].std() > 0.05


def test_rounds_end_when_beliefs_have_settled():
    A, truth = planted_partition(500, 2, 12, 0.9, random_state=0)
    beliefs = np.eye(2)[truth] * 0.8 + 0.1
    messages = beliefs[rows_of(A)]
    made = run(A, messages, beliefs, inside=0.043, across=0.005, n_rounds=100, tol=1e-6)
    assert 2 < made < 100
    settled = beliefs.copy()
    run(A, messages, beliefs, inside=0.043, across=0.005, n_rounds=50)
    np.testing.assert_allclose(beliefs, settled, atol=1e-3)
    np.testing.assert_allclose(beliefs.sum(axis=1), 1, rtol=1e-12)
    # Most nodes are certain, and right.
    assert clustering_accuracy(truth, beliefs.argmax(axis=1)) > 0.97


def test_hubs_stay_in_range():
    """A thousand edges that each multiply a belief by up to a thousand."""
    A = adjacency(nx.star_graph(1_000))
    labels = np.zeros(1_001, np.int64)
    labels[600:] = 1
    believed = believed_labels(A, labels, 2)
    assert set(believed.tolist()) <= {0, 1}
    assert believed[0] == 0  # with most of its neighbors


# --- labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 5])
def test_wrong_labels_are_put_right(k):
    A, truth = planted_partition(2_000, k, 20, 0.85, random_state=1)
    rng = np.random.default_rng(0)
    wrong = np.where(rng.random(2_000) < 0.3, rng.integers(k, size=2_000), truth)
    before, after = wrong.copy(), believed_labels(A, wrong, k)
    assert adjusted_rand_score(truth, wrong) < 0.65
    assert adjusted_rand_score(truth, after) > 0.95
    assert (wrong == before).all()


@each("seed", range(4))
def test_the_names_of_communities_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    A, truth = planted_partition(300, 4, 10, 0.7, random_state=seed)
    labels = np.where(rng.random(300) < 0.4, rng.integers(4, size=300), truth)
    names = rng.permutation(4)
    assert (believed_labels(A, names[labels], 4) == names[believed_labels(A, labels, 4)]).all()


def test_labels_without_structure_stay():
    """More edges between than within: beliefs have nothing to go by."""
    A = adjacency(nx.complete_bipartite_graph(6, 6))
    labels = np.repeat([0, 1], 6)
    assert (believed_labels(A, labels, 2) == labels).all()


def test_uneven_degrees_are_put_down_to_the_nodes():
    """Two communities of a hub with leaves each, whose hubs know each other."""
    A = adjacency(nx.disjoint_union(nx.star_graph(60), nx.star_graph(60))).tolil()
    A[0, 61] = A[61, 0] = 1
    A = csr_array(A)
    degree = np.diff(A.indptr)
    assert degree.var() > belief.UNEVEN * degree.mean()
    truth = np.repeat([0, 1], 61)
    wrong = truth.copy()
    wrong[[5, 6, 70]] = 1 - wrong[[5, 6, 70]]
    assert same_partition(believed_labels(A, wrong, 2), truth)


@pytest.mark.nojit
def test_filled():
    assert filled(np.array([0, 0, 0, 2]), 4).tolist() == [0, 3, 1, 2]
    assert filled(np.array([1, 0]), 2).tolist() == [1, 0]


@each("seed", range(8))
def test_no_community_is_lost(seed):
    """More communities than there are: beliefs leave some empty, the start fills them."""
    A, _ = planted_partition(120, 2, 8, 0.95, random_state=seed)
    model = GraphKGroups(9, init="belief", random_state=seed, n_jobs=1)
    model.fit(A)
    assert model.cluster_sizes_.min() > 0
    assert model.n_clusters_ == 9


def test_beliefs_see_what_eigenvectors_do_not():
    """Near the limit of detectability the start by beliefs is nearer to the truth."""
    gains = []
    for seed in range(3):
        A, truth = planted_partition(3_000, 2, 3, 0.9, random_state=seed)
        found = {}
        for init in ("belief", "spectral"):
            model = GraphKGroups(2, init=init, random_state=0, n_jobs=1)
            found[init] = clustering_accuracy(truth, model.fit(A).labels_)
        gains.append(found["belief"] - found["spectral"])
    assert np.mean(gains) > 0.015
