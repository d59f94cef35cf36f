"""Communities that become one: levels that were planted, negative weights, and many of them."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import GraphKGroups
from kgroups.graphs.free.hierarchy import CommunityGraph
from kgroups.graphs.graph_objectives import BY_NAME

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def planted(sizes, inside, near, far, seed):
    """Communities within larger ones; the graph, the fine and the coarse labels."""
    fine = np.repeat(np.arange(sum(map(len, sizes))), [n for group in sizes for n in group])
    coarse = np.repeat(np.arange(len(sizes)), [sum(group) for group in sizes])
    chance = np.where(coarse[:, None] == coarse, near, far)
    chance[fine[:, None] == fine] = inside
    W = np.triu(np.random.default_rng(seed).random((len(fine),) * 2) < chance, 1)
    return csr_array((W | W.T).astype(float)), fine, coarse


def test_planted_levels_are_found():
    """Larger communities of very different sizes, which greedy modularity does not find."""
    sizes = [[60] * 8, [60] * 2, [100], [30] * 5]
    for seed in range(2):
        A, fine, coarse = planted(sizes, 0.3, 0.05, 0.01, seed)
        tree = CommunityGraph.of(A, fine, 16).hierarchy()
        assert adjusted_rand_score(coarse, tree.coarsened(fine, 4)) == 1.0
        assert (np.diff(tree.resolutions) <= 0).all()


@each("objective", ["auto", *BY_NAME])
def test_levels_of_an_estimator(objective):
    A, fine, _ = planted([[12, 12, 12], [12, 12]], 0.9, 0.12, 0.02, 0)
    A = csr_array(np.pad(A.toarray(), (0, 2)))  # and two nodes without edges
    resolution = 0.4 if objective == "cpm" else 1.0
    free = objective in ("auto", "modularity", "cpm")
    model = GraphKGroups(
        "auto" if free else 5, objective=objective, resolution=resolution, random_state=0, n_jobs=1
    ).fit(A)
    k = model.n_clusters_
    assert adjusted_rand_score(fine, model.labels_[:60]) > 0.9
    assert model.labels_at(k).tolist() == model.labels_.tolist()
    finer = model.labels_
    for level in range(k - 1, 0, -1):
        labels = model.labels_at(level)
        assert len(set(labels[:60])) == level
        assert len(np.unique(finer * 100 + labels)) == len(np.unique(finer))  # nested
        finer = labels
    assert model.hierarchy_.evidence[0] == pytest.approx(model.evidence_)
    assert model.hierarchy_.evidence[-1] == pytest.approx(0.0, abs=1e-9)
    if free:
        assert model.labels_at(1)[60:].tolist() == [1, 2]
    again = pickle.loads(pickle.dumps(model))
    assert again.labels_at(2).tolist() == model.labels_at(2).tolist()


def test_negative_weights_hold_nothing_together():
    W = np.kron(np.ones((4, 4)) - 2 * np.eye(4), np.ones((5, 5))) * -0.2
    W[:10, 10:] = W[10:, :10] = -1.0
    W[:5, 5:10] = W[5:10, :5] = W[10:15, 15:] = W[15:, 10:15] = 0.05
    np.fill_diagonal(W, 0)
    model = GraphKGroups(4, random_state=0).fit(W)
    assert model.evidence_ is model.hierarchy_.evidence is None
    assert adjusted_rand_score(np.arange(20) // 10, model.labels_at(2)) == 1.0


def test_clusters_of_rows_have_levels():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(at, 0.05, (20, 2)) for at in (0.0, 0.5, 5.0)])
    table = pd.DataFrame(np.concatenate([X, X[:5]]))
    model = GraphKGroups(3, affinity="nearest_neighbors", n_neighbors=30, random_state=0).fit(table)
    assert model.labels_at(3).tolist() == model.labels_.tolist()
    expected = np.append(np.arange(60) // 40, [0] * 5)
    assert adjusted_rand_score(expected, model.labels_at(2)) == 1.0
    assert model.hierarchy_.evidence is None


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
