"""How many communities and clusters there are, and the best that there can be on small graphs."""

import warnings
from functools import cache

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import oracle
from kgroups import GraphKGroups, graphs, metrics
from kgroups.exceptions import GraphNotice


def by_chance(chance, seed=0):
    """A graph with an edge for each pair of nodes by its own chance."""
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random(chance.shape) < chance, 1) * 1.0
    return A + A.T


def same(labels):
    return np.equal.outer(labels, labels)


def of(graph):
    return nx.to_numpy_array(graph, weight=None)


# Communities


def few_heavy_edges():
    A = of(nx.gnm_random_graph(40, 120, seed=1))
    i, j = (ends[::20] for ends in np.nonzero(np.triu(A)))
    A[i, j] = A[j, i] = 30
    return A


def heavy_inside():
    """Edges between all nodes, that weigh three times as much inside three communities."""
    rng = np.random.default_rng(0)
    A = np.triu(np.where(same(np.arange(30) // 10), 3.0, 1.0) * rng.uniform(0.8, 1.2, (30, 30)), 1)
    return A + A.T


def in_communities():
    """Eight communities in two of them, of which two are the clearer."""
    fine, coarse = np.arange(64) // 8, np.arange(64) // 32
    return by_chance(np.where(same(fine), 0.95, np.where(same(coarse), 0.2, 0.02)))


DECISIONS = {
    "cliques of 4": (of(nx.barbell_graph(4, 0)), np.arange(8) // 4, "weak"),
    "a ring of triangles": (of(nx.ring_of_cliques(7, 3)), np.arange(21) // 3, "random graphs"),
    "cliques of 8": (of(nx.ring_of_cliques(4, 8)), np.arange(32) // 8, "evidence"),
    "nested": (in_communities(), np.arange(64) // 32, "evidence"),
    "weights": (heavy_inside(), np.arange(30) // 10, "evidence"),
    "a tree": (of(nx.balanced_tree(2, 3)), np.zeros(15), "one"),
    "a path": (of(nx.path_graph(12)), np.zeros(12), "one"),
    "a clique": (of(nx.complete_graph(12)), np.zeros(12), "one"),
    "a part that is a tree": (of(nx.barbell_graph(4, 3)), np.zeros(11), "one"),
    "chance": (of(nx.gnm_random_graph(40, 120, seed=1)), np.zeros(40), "one"),
    "a few heavy edges": (few_heavy_edges(), np.zeros(40), "one"),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_what_decides(name):
    A, labels, decided_by = DECISIONS[name]
    model = GraphKGroups(random_state=0).fit(A)
    k = len(set(labels.tolist()))
    assert (model.n_clusters_, model.decided_by_) == (k, decided_by)
    assert adjusted_rand_score(labels, model.labels_) == 1.0
    right = oracle.evidence(oracle.long(A), model.labels_)
    assert model.evidence_ == pytest.approx(right, rel=1e-9, abs=1e-8)
    for k, evidence in model.candidates_:  # no partition that was looked at has more
        if decided_by == "evidence":
            assert evidence <= model.evidence_ + 1e-9
        assert 1 <= k <= len(A)


def test_communities_that_weights_make_by_chance():
    for seed in (26, 32, 34):
        A = np.triu(np.exp(2 * np.random.default_rng(seed).normal(size=(100, 100))), 1)
        model = GraphKGroups(n_init=4, random_state=0).fit(A + A.T)
        assert max(evidence for _, evidence in model.candidates_) > 3
        assert (model.n_clusters_, model.decided_by_) == (1, "one"), seed


def test_random_graphs_have_the_degrees_and_no_double_edges():
    """Of all graphs of six nodes with these degrees, 3 of 27 and 6 of 7 are as modular."""
    prism = "01 12 20 34 45 53 03 14 25"  # others of its degrees are bipartite
    for edges, right in (("04 05 12 13 14 23 24 45", "weak"), (prism, "one")):
        A = nx.to_numpy_array(nx.Graph(edges.split()), nodelist="012345")
        assert GraphKGroups(random_state=0).fit(A).decided_by_ == right, edges


def test_moves_that_lose_evidence_are_not_made():
    z = np.random.default_rng(154).integers(5, size=80)
    A = by_chance(np.where(same(z), 0.4, 0.08), seed=154)
    model = GraphKGroups(n_init=4, random_state=0).fit(A)
    assert model.exactness_ == "best supported"
    assert model.evidence_ == pytest.approx(float(oracle.evidence(oracle.long(A), model.labels_)))
    assert max(e for _, e in model.candidates_) <= model.evidence_ + 1e-9


def test_communities_that_are_blurred():
    """Near the limit of detectability: eigenvectors, found again without a tenth of the edges."""
    A, labels = graphs.stochastic_block_model(800, 2, 5, 1.5, balanced=True, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphNotice)
        model = GraphKGroups(random_state=0).fit(A)
    assert (model.n_clusters_, model.decided_by_) == (2, "spectrum")
    linked = A.sum(axis=1) > 0
    assert metrics.overlap(labels[linked], model.labels_[linked]) > 0.7
    assert 0.65 <= model.agreement_ < 0.9
    assert model.evidence_ < 0
    alone = np.sort(model.labels_[~linked])
    assert alone.tolist() == list(range(2, 2 + len(alone)))


def two_ways(inside, half_inside, seed):
    """Communities of eight, which two halves cut across: neither is part of the other."""
    row, column = np.divmod(np.arange(128), 8)
    half = column % 2
    chance = np.where(same(row), inside, np.where(same(half), half_inside, 0.0))
    return by_chance(chance, seed), {16: row, 2: half}


def test_two_ways_to_part_a_graph_are_alternatives():
    """The best supported of those on which searches agree, and the other if it has half as much."""
    for inside, half_inside, seed, k, others in (
        (0.9, 0.2, 0, 2, [16]),
        (0.9, 0.18, 0, 16, []),
        (0.95, 0.18, 1, 16, []),
        (1.0, 0.2, 2, 16, [2]),
    ):
        A, labels = two_ways(inside, half_inside, seed)
        model = GraphKGroups(random_state=0).fit(A)
        assert adjusted_rand_score(labels[k], model.labels_) == 1.0, (inside, half_inside)
        evidence = {j: oracle.evidence(oracle.long(A), z) for j, z in labels.items()}
        assert model.evidence_ == pytest.approx(evidence[k], rel=1e-9)
        found = [(j, pytest.approx(evidence[j], rel=1e-9)) for j in others]
        assert model.alternatives_ == found, (inside, half_inside)
    nested = GraphKGroups(random_state=0).fit(in_communities())
    assert max(evidence for k, evidence in nested.candidates_ if k > 2) > nested.evidence_ / 2
    assert nested.alternatives_ == []


def test_searches_of_noise_do_not_agree():
    """As their adjusted Rand index says, which is 0 on the average for labels by chance."""
    A = by_chance(np.full((60, 60), 0.5))
    model = GraphKGroups(objective="modularity", random_state=0).fit(A)
    assert model.n_clusters_ > 1
    assert model.agreement_ < 0.4


def test_communities_of_a_large_graph():
    """A million entries: searched on coarse graphs, with the same evidence on all of them."""
    A, labels = graphs.stochastic_block_model(6000, 3, 170, 6, balanced=True, random_state=0)
    assert A.nnz > 1_000_000
    model = GraphKGroups(random_state=0).fit(A)
    assert metrics.same_partition(labels, model.labels_)
    right = graphs.evidence(A, labels)
    assert model.evidence_ == pytest.approx(right, rel=1e-12)
    assert [e for k, e in model.candidates_ if k == 3] == pytest.approx([right] * 2, rel=1e-9)


def test_merges_lose_the_least():
    """Four communities, two of which are closer to each other, at half their number."""
    labels = np.arange(1600) // 400
    chance = np.where(same(labels), 0.09, np.where(same(labels % 2), 0.02, 0.005))
    A = by_chance(chance)
    for k, right in ((4, labels), (2, labels % 2)):
        for objective, init in (("modularity", "auto"), ("normalized_cut", "multilevel")):
            model = GraphKGroups(k, objective=objective, init=init, random_state=0).fit(A)
            assert adjusted_rand_score(right, model.labels_) == 1.0, (k, init)
    votes = GraphKGroups(2, objective="modularity", random_state=0).fit(A)
    first = votes.start_names_.index("levels")  # four communities that are merged
    right = A.sum() * metrics.modularity(A, labels % 2)  # starts compete by 2m times it
    assert votes.start_values_[first] == pytest.approx(right, rel=1e-9)


def test_merges_of_many_communities_lose_the_least():
    """More of them than are annealed: pairs, of which two and two are the closer."""
    four = np.arange(500) // 4
    A = np.where(same(np.arange(500) // 2), 1000.0, np.where(same(four), 10.0, 1.0))
    np.fill_diagonal(A, 0)
    model = GraphKGroups(125, objective="cpm", resolution=20, n_init=1, random_state=0).fit(A)
    assert metrics.same_partition(four, model.labels_)


def test_no_node_would_rather_be_alone():
    for seed in range(20):
        A = by_chance(np.full((40, 40), 0.6), seed)
        model = GraphKGroups(objective="cpm", resolution=0.7, n_init=1, random_state=0).fit(A)
        inside = same(model.labels_) & ~np.eye(40, dtype=bool)
        assert ((A - 0.7) * inside).sum(axis=1).min() >= -1e-9, seed


@cache
def partitions(n):
    """All partitions of n nodes, as labels in the order of first members."""
    if n == 1:
        return [(0,)]
    return [(*z, c) for z in partitions(n - 1) for c in range(max(z) + 2)]


def test_the_best_of_all_partitions_is_found():
    """Modularity and the Potts model on small graphs, for every number and for an open one."""
    every = np.array(partitions(8))
    counts = every.max(axis=1) + 1
    together = np.equal(every[:, :, None], every[:, None, :])
    for seed in range(6):
        rng = np.random.default_rng(seed)
        A = np.triu(rng.random((8, 8)) < 0.45, seed % 2) * rng.integers(1, 4, (8, 8))
        A = (A + np.triu(A, 1).T).astype(float)
        A[np.arange(7), np.arange(1, 8)] = A[np.arange(1, 8), np.arange(7)] = 1
        ends = A + np.diag(np.diagonal(A))
        d = ends.sum(axis=1)
        for name, gamma in (("modularity", 1.0), ("modularity", 1.6), ("cpm", 0.8)):
            G = ends / d.sum() - gamma * np.outer(d, d) / d.sum() ** 2
            if name == "cpm":
                G = (ends - gamma * (1 - np.eye(8))) / 2
            values = (together * G).sum(axis=(1, 2))
            for k in (*range(1, 6), "auto"):
                how = {"objective": name, "resolution": gamma, "random_state": 0}
                model = GraphKGroups(k, **how).fit(A)
                best = values.max() if k == "auto" else values[counts == k].max()
                if k == "auto":  # where six searches vote, not all of them
                    assert best - model.objective_ <= 0.02 * abs(best) + 1e-9, (seed, name)
                    continue
                assert model.objective_ == pytest.approx(best, rel=1e-9, abs=1e-12), (seed, name, k)
                if k > 1:  # starts compete by the sum over all ordered pairs of nodes
                    own = best * d.sum() if name == "modularity" else 2 * best - 8 * gamma
                    found = zip(model.start_values_, model.start_names_, strict=True)
                    worst = min(value for value, start in found if start == "annealed")
                    assert worst == pytest.approx(own, rel=1e-9, abs=1e-9)


# Clusters of a table


def clusters(X, **given):
    """A fit to rows, and its notices."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = GraphKGroups(affinity="nearest_neighbors", random_state=0, **given).fit(X)
    return model, [str(one.message) for one in caught if issubclass(one.category, GraphNotice)]


def test_one_cloud_is_one_cluster():
    rng = np.random.default_rng(0)
    for n, d in ((50, 1), (80, 2), (300, 1), (300, 2), (350, 2), (300, 6)):
        for X in (rng.normal(size=(n, d)), rng.random((n, d))):
            assert clusters(X)[0].n_clusters_ == 1, (n, d)
    t = rng.random(300) * 2 * np.pi
    ring = np.column_stack([np.cos(t), np.sin(t)]) + 0.05 * rng.normal(size=(300, 2))
    assert clusters(ring)[0].n_clusters_ == 1


def test_clusters_that_touch_or_wind_or_are_far():
    rng = np.random.default_rng(0)
    t, side = np.sqrt(rng.uniform(0.03, 1, 300)) * 9, np.arange(300) % 2
    arm = np.column_stack([np.cos(t), np.sin(t)]) * (t * np.where(side, 1, -1))[:, None]
    arms = arm + 0.1 * rng.normal(size=(300, 2))
    touching, which = make_blobs(300, centers=[[0, 0], [6, 0], [0, 6]], random_state=0)
    few, half = make_blobs(60, centers=[[0, 0], [8, 0]], random_state=0)
    uneven, part = make_blobs([285, 15], centers=[[0, 0], [30, 0]], random_state=0)
    wide, of_wide = make_blobs(
        [150, 150, 150], centers=[[0, 0], [40, 0], [46, 0]], cluster_std=[8, 1, 1], random_state=0
    )
    for name, X, labels in (
        ("arms", arms, side),
        ("touching", touching, which),
        ("few", few, half),
        ("uneven", uneven, part),
        ("wide", wide, of_wide),
    ):
        model, _ = clusters(X)
        k = len(set(labels.tolist()))
        assert (model.n_clusters_, model.decided_by_) == (k, "spectrum"), name
        assert metrics.clustering_accuracy(labels, model.labels_) > 0.98, name
        twice = clusters(np.repeat(X, 2, axis=0))[0]
        assert metrics.clustering_accuracy(np.repeat(labels, 2), twice.labels_) > 0.98, name


def test_groups_too_small_for_a_cluster_are_reported():
    X, labels = make_blobs([295, 5], centers=[[0, 0], [30, 0]], random_state=0)
    model, notices = clusters(X)
    assert model.n_clusters_ == 1
    assert [text.split(" are far")[0] for text in notices] == ["5 rows in 1 small group"]
    model, notices = clusters(X, n_clusters=2)
    assert metrics.same_partition(labels, model.labels_)
    assert notices == []
    assert clusters(X[labels == 0])[1] == []


def test_a_group_that_is_apart_needs_two_times_as_many_rows_as_neighbors():
    X, labels = make_blobs([1500, 22], centers=[[0, 0], [40, 0]], random_state=0)
    assert metrics.same_partition(labels, clusters(X)[0].labels_)
    assert clusters(np.vstack([X[labels == 0], X[labels == 1][:18]]))[0].n_clusters_ == 1


def test_more_rows_than_are_divided():
    X, labels = make_blobs(3300, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    model, _ = clusters(X)
    assert metrics.same_partition(labels, model.labels_)
