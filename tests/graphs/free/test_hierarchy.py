"""Communities that become one, against plain loops; levels that were planted."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from helpers import each
from kgroups import GraphKGroups
from kgroups.graphs.free.evidence import bits_of
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


def by_hand(A, labels):
    """The most densely linked pair becomes one, with a dense matrix: labels after each step."""
    W = A.toarray() + np.diag(A.diagonal())
    names, out = list(range(labels.max() + 1)), []
    labels = labels.copy()
    while len(names) > 1:
        member = labels[:, None] == np.array(names)
        M = member.T.astype(float) @ W @ member
        v = M.sum(axis=1)
        density = np.where(np.eye(len(names)), 0.0, M * v.sum() / np.outer(v, v))
        i, j = np.unravel_index(density.argmax(), density.shape)
        if density[i, j] <= 0:
            break
        labels[labels == names[max(i, j)]] = names[min(i, j)]
        names.remove(names[max(i, j)])
        out.append((labels.copy(), density[i, j]))
    return out


def random_network(seed, n=40):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(0.2, 3.0, (n, n)) * (rng.random((n, n)) < 0.15))
    return csr_array(W + np.triu(W, 1).T), rng.permutation(np.arange(n) % 11)


@pytest.mark.nojit
def test_every_step_is_that_of_plain_loops():
    for seed in range(4):
        A, labels = random_network(seed)
        tree = CommunityGraph.of(A, labels, 11).hierarchy()
        plain = by_hand(A, labels)
        assert len(plain) == 10
        assert tree.resolutions == pytest.approx([density for _, density in plain])
        assert tree.evidence[0] == pytest.approx(bits_of(A, labels, 11))
        for step, (expected, _) in enumerate(plain):
            found = tree.coarsened(labels, 10 - step)
            assert found.tolist() == np.unique(expected, return_inverse=True)[1].tolist()
            assert tree.evidence[step + 1] == pytest.approx(bits_of(A, found, 11), abs=1e-8)
        assert (tree.merges[:, 0] < tree.merges[:, 1]).all()


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


def test_pieces_are_joined_at_the_end_the_two_smallest_first():
    pieces = nx.disjoint_union_all([nx.complete_graph(n) for n in (7, 4, 5, 6)])
    model = GraphKGroups(objective="modularity", random_state=0).fit(pieces)
    assert model.n_clusters_ == 4
    assert model.labels_at(3).tolist() == [0] * 7 + [2] * 4 + [2] * 5 + [1] * 6
    assert model.labels_at(2).tolist() == [0] * 7 + [1] * 15
    assert model.hierarchy_.resolutions.tolist() == [0, 0, 0]


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
