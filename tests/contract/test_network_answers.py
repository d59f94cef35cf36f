"""Networks against networkx and the definitions: scores, objectives, communities, models."""

import warnings

import networkx as nx
import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.sparse import csr_array
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

import oracle
from kgroups import BetheHessianClustering, GraphKGroups, graphs, metrics, select

OBJECTIVES = (
    "bethe_hessian", "ratio_association", "ratio_cut", "normalized_cut", "modularity", "cpm",
)  # fmt: skip


def planted(seed=0, n=36, k=3, weighted=False, loops=False, inside=0.6, between=0.08):
    """A network with as many communities of equal size, and their labels."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) * k // n
    chance = np.where(np.equal.outer(labels, labels), inside, between)
    A = np.triu(rng.random((n, n)) < chance, 0 if loops else 1).astype(float)
    if weighted:
        A *= rng.uniform(0.3, 3, (n, n))
    return A + np.triu(A, 1).T, labels


GRAPHS = {
    "plain": planted(0)[0],
    "weighted": planted(1, weighted=True)[0],
    "with loops": planted(2, weighted=True, loops=True)[0],
}


def sets_of(labels):
    return [set(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels)]


# Scores


@pytest.mark.parametrize("name", GRAPHS)
def test_scores_are_those_of_networkx(name):
    A = GRAPHS[name]
    G = nx.from_numpy_array(A)
    for labels in (np.arange(36) % 4, np.arange(36) // 12, np.zeros(36, int), np.arange(36)):
        sets, k, close = sets_of(labels), labels.max() + 1, {"rel": 1e-12, "abs": 1e-13}
        L = oracle.long(A)
        for gamma in (1.0, 0.4):
            expected = nx.community.modularity(G, sets, resolution=gamma)
            found = metrics.modularity(A, labels, resolution=gamma)
            assert found == pytest.approx(expected, **close)
            assert found == pytest.approx(float(oracle.modularity(L, labels, k, gamma)), **close)
        cuts = [nx.cut_size(G, s, weight="weight") for s in sets]
        assert metrics.cut_size(A, labels) == pytest.approx(sum(cuts) / 2, **close)
        volumes = oracle.volumes(L, labels, k).astype(float)
        smaller = np.minimum(volumes, volumes.sum() - volumes)
        ratio = np.divide(cuts, smaller, out=np.zeros(k), where=smaller > 0)
        if k > 1:
            np.testing.assert_allclose(metrics.conductance(A, labels), ratio, 1e-12)
            nc = float(oracle.normalized_cut(L, labels, k))
            assert metrics.normalized_cut(A, labels) == pytest.approx(nc, **close)
        quality = nx.community.partition_quality(G, sets)
        assert metrics.coverage(A, labels) == pytest.approx(quality[0], **close)
        G.remove_edges_from(nx.selfloop_edges(G.copy()))
        without = nx.community.partition_quality(G, sets)[1]
        assert metrics.performance(A, labels) == pytest.approx(without, **close)
        G = nx.from_numpy_array(A)
        named = {node: f"c{c}" for node, c in enumerate(labels)}
        for other in (sets, named, [f"c{c}" for c in labels]):
            for graph in (A, csr_array(A), G):
                found = metrics.modularity(graph, other)
                assert found == pytest.approx(metrics.modularity(A, labels), **close)


def test_evidence_is_that_of_the_definition():
    for seed in range(3):
        for A in (planted(seed)[0], planted(seed, loops=True)[0]):
            for labels in (np.arange(36) // 12, np.arange(36) % 2, np.zeros(36, int)):
                right = oracle.evidence(oracle.long(A), labels)
                assert graphs.evidence(A, labels) == pytest.approx(right, rel=1e-9, abs=1e-8)
                again = graphs.evidence(7 * A, labels)
                assert again == pytest.approx(right, rel=1e-9, abs=1e-8)
    weighted = GRAPHS["weighted"]
    right = oracle.evidence(oracle.long(weighted), np.arange(36) // 12)
    assert graphs.evidence(weighted, np.arange(36) // 12) == pytest.approx(right, rel=1e-9)


def test_bethe_hessians():
    for name, A in GRAPHS.items():
        for r in (None, 1.7, 3.0):
            number = oracle.regularizer(A) if r is None else r
            right = oracle.bethe_hessian(oracle.long(A), number).astype(float)
            found = graphs.bethe_hessian(A, r).toarray()
            np.testing.assert_allclose(found, right, 1e-9, 1e-9, err_msg=name)
    signed = GRAPHS["weighted"] * np.where(np.add.outer(range(36), range(36)) % 5 == 0, -1, 1)
    right = oracle.bethe_hessian(oracle.long(signed), 2.0).astype(float)
    np.testing.assert_allclose(graphs.bethe_hessian(signed, 2.0).toarray(), right, 1e-9, 1e-9)
    for seed in range(5):
        A = planted(seed, n=60, k=3 + seed % 2)[0]
        values = np.linalg.eigvalsh(graphs.bethe_hessian(A).toarray())
        assert select.bethe_hessian_n_communities(A) == max(1, (values < 0).sum())
        H = graphs.bethe_hessian(A, 2.5)
        count = (np.linalg.eigvalsh(H.toarray()) < 0).sum()
        assert select.bethe_hessian_n_communities(A, r=2.5) == max(1, count)


# Communities of a given number


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_objective_and_its_moves(objective, name):
    A = GRAPHS[name]
    resolution = {"modularity": 0.8, "cpm": 0.3}.get(objective, 1.0)
    uneven = np.random.default_rng(3).uniform(0.5, 2, 36)
    has_weights = objective in ("bethe_hessian", "ratio_association", "ratio_cut")
    for weights in ("unit", "degree", uneven) if has_weights else ("unit",):
        for k in (2, 5):
            model = GraphKGroups(
                k, objective=objective, resolution=resolution, weights=weights, random_state=0
            ).fit(A)
            labels, where = model.labels_, f"{objective}, {name}, {k}"
            w = uneven if weights is uneven else np.ones(36)
            if isinstance(weights, str) and weights == "degree":
                w = A.sum(axis=1)
            of = (objective, oracle.long(A), oracle.long(w), model.r_)
            right = float(oracle.graph_value(*of, labels, k, resolution))
            assert model.objective_ == pytest.approx(right, rel=1e-9, abs=1e-10), where
            assert sorted(set(labels.tolist())) == list(range(k)), where
            G, v = oracle.graph_gram(*of, resolution)
            is_ratio = objective not in ("modularity", "cpm")
            gain = oracle.gains(G, labels, v, k, ratio=is_ratio).max()
            assert gain <= 1e-9 * np.abs(G).max() * v.max(), where
            np.testing.assert_array_equal(model.cluster_sizes_, np.bincount(labels), where)
            assert model.exactness_ == "one-move optimal", where
            assert (model.decided_by_, model.n_clusters_) == ("given", k), where
            assert model.objective_history_[-1] == pytest.approx(right, rel=1e-9), where


def plain_moves(G, w, labels, k, ratio):
    """Hartigan's moves one by one: the best of each node in turn."""
    labels, n_moves, moved = labels.copy(), 0, True
    while moved:
        moved = False
        for i in range(len(w)):
            gains = oracle.gains(G, labels, w, k, ratio=ratio)[i]
            scale = np.abs(oracle.within(G, labels, w, k)).sum()
            if gains.max() > 1e-11 * scale:
                labels[i], moved, n_moves = int(gains.argmax()), True, n_moves + 1
    return labels, n_moves


@pytest.mark.parametrize("objective", ["bethe_hessian", "normalized_cut", "ratio_cut"])
def test_moves_from_given_labels(objective):
    A, _ = planted(4, n=30, weighted=True)
    start = np.random.default_rng(0).integers(3, size=30)
    model = GraphKGroups(3, objective=objective, init=start).fit(A)
    G, w = oracle.graph_gram(objective, oracle.long(A), oracle.long(np.ones(30)), model.r_)
    labels, n_moves = plain_moves(G, w, start, 3, objective != "modularity")
    assert model.labels_.tolist() == labels.tolist()
    assert model.n_moves_ == n_moves > 5


def test_planted_communities_are_found():
    A, labels = planted(5, n=120, k=4, inside=0.4, between=0.03)
    for objective in ("auto", *OBJECTIVES[:1], *OBJECTIVES[3:]):
        gamma = 0.15 if objective == "cpm" else 1.0
        model = GraphKGroups(4, objective=objective, resolution=gamma, random_state=0).fit(A)
        assert adjusted_rand_score(labels, model.labels_) == 1.0, objective
    for init in ("spectral", "spectral-unit", "spectral-walk", "belief", "multilevel", "random"):
        model = GraphKGroups(4, init=init, n_init=3, random_state=0).fit(A)
        assert adjusted_rand_score(labels, model.labels_) == 1.0, init
    for given in ({}, {"r": "zeta"}, {"normalize_rows": True}, {"normalize_rows": "auto"}):
        model = BetheHessianClustering(random_state=0, **given).fit(A)
        assert model.n_clusters_ == 4, given
        assert adjusted_rand_score(labels, model.labels_) == 1.0, given
        if "r" in given:
            assert (np.abs(model.eigenvalues_[1:]) < 1e-4).all()
            continue
        H = graphs.bethe_hessian(A, model.r_).toarray()
        np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(H)[:4], 1e-7, 1e-8)
        residual = H @ model.embedding_ - model.embedding_ * model.eigenvalues_
        assert np.abs(residual).max() < 1e-5
    assert model.rows_normalized_ == (model.row_scores_[True] > model.row_scores_[False])


# Communities of an open number


def test_an_open_number():
    A, labels = planted(5, n=120, k=4, inside=0.4, between=0.03)
    model = GraphKGroups(random_state=0).fit(A)
    assert (model.n_clusters_, model.decided_by_) == (4, "evidence")
    assert adjusted_rand_score(labels, model.labels_) == 1.0
    right = oracle.evidence(oracle.long(A), model.labels_)
    assert model.evidence_ == pytest.approx(right, rel=1e-9)
    assert model.agreement_ == 1.0
    for k, evidence in enumerate(model.hierarchy_.evidence[::-1], 1):
        merged = model.labels_at(k)
        assert len(set(merged.tolist())) == k
        right = oracle.evidence(oracle.long(A), merged)
        assert evidence == pytest.approx(right, rel=1e-9, abs=1e-8)
        assert all(len(set(merged[labels == c])) == 1 for c in range(4))
    assert model.labels_at(4).tolist() == model.labels_.tolist()
    first, second = model.hierarchy_.merges[0]
    i, j = (model.labels_ == c for c in (first, second))
    d = A.sum(axis=1)
    density = A[np.ix_(i, j)].sum() * d.sum() / (d[i].sum() * d[j].sum())
    assert model.hierarchy_.resolutions[0] == pytest.approx(density, rel=1e-9)
    for name in ("normalized_cut", "modularity"):
        free = GraphKGroups(objective=name, random_state=0).fit(A)
        assert adjusted_rand_score(labels, free.labels_) == 1.0, name
    noise, _ = planted(6, n=100, k=1, inside=0.06)
    nothing = GraphKGroups(random_state=0).fit(noise)
    assert (nothing.n_clusters_, nothing.decided_by_) == (1, "one")


def test_the_karate_club():
    """The largest modularity is .4198, with four communities (Brandes et al., 2008)."""
    A = nx.to_numpy_array(nx.karate_club_graph(), weight=None)
    model = GraphKGroups(objective="modularity", random_state=0).fit(A)
    assert model.n_clusters_ == 4
    assert round(model.objective_, 4) == 0.4198
    assert model.objective_ == pytest.approx(metrics.modularity(A, model.labels_), rel=1e-12)
    given = GraphKGroups(4, objective="modularity", random_state=0).fit(A)
    assert adjusted_rand_score(given.labels_, model.labels_) == 1.0
    two = GraphKGroups(2, objective="normalized_cut", random_state=0).fit(A)
    club = [nx.karate_club_graph().nodes[i]["club"] for i in range(34)]
    assert metrics.clustering_accuracy(club, two.labels_) >= 32 / 34
    by_name = nx.relabel_nodes(nx.karate_club_graph(), lambda i: f"n{i:02d}")
    named = GraphKGroups(2, objective="normalized_cut", random_state=0).fit(by_name)
    assert list(named.nodes_) == [f"n{i:02d}" for i in range(34)]
    found = {node: c for c, some in enumerate(named.communities_) for node in some}
    assert [found[node] for node in named.nodes_] == named.labels_.tolist()


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.ComponentsNotice")
def test_parts_and_nodes_without_edges():
    clique = np.ones((6, 6)) - np.eye(6)
    A = np.zeros((20, 20))
    for at in (0, 6, 12):
        A[at : at + 6, at : at + 6] = clique
    model = GraphKGroups(random_state=0).fit(A)
    assert model.n_clusters_ == 3
    assert model.component_sizes_.tolist() == [6, 6, 6, 1, 1]
    assert adjusted_rand_score(np.repeat([0, 1, 2], 6), model.labels_[:18]) == 1.0
    assert sorted(model.labels_[18:].tolist()) == [3, 4]
    assert GraphKGroups(3, random_state=0).fit(A).labels_.max() == 2


def test_curved_clusters():
    rows, labels = make_moons(400, noise=0.05, random_state=0)
    model = GraphKGroups(affinity="nearest_neighbors", random_state=0).fit(rows)
    assert (model.n_clusters_, model.n_neighbors_) == (2, 10)
    assert adjusted_rand_score(labels, model.labels_) == 1.0
    assert model.predict(rows).tolist() == model.labels_.tolist()
    new, right = make_moons(100, noise=0.05, random_state=1)
    assert adjusted_rand_score(right, model.predict(new)) == 1.0
    given = GraphKGroups(2, affinity="nearest_neighbors", n_neighbors=7, random_state=0)
    assert adjusted_rand_score(labels, given.fit(rows).labels_) == 1.0
    assert given.n_neighbors_ == 7


# Models


def counts_of(A, labels):
    """Edges inside and between communities, and the pairs of nodes for them."""
    A, same = A.toarray(), np.equal.outer(labels, labels)
    assert (A == A.T).all()
    edges, pairs = np.triu(A, 1), np.triu(np.ones_like(A), 1)
    return [(int((edges * of).sum()), int((pairs * of).sum())) for of in (same, ~same)]


def likely(count, pairs, chance):
    return scipy_stats.binomtest(count, pairs, chance).pvalue > 1e-4


def test_edges_of_block_models_are_as_likely_as_they_should_be():
    n, k, d, snr = 900, 3, 12.0, 1.5
    a, b = d + snr * 2 * np.sqrt(d), d - snr * np.sqrt(d)
    assert graphs.signal_to_noise_ratio(a, b, k) == pytest.approx(snr, rel=1e-14)
    A, labels = graphs.stochastic_block_model(n, k, d, snr, random_state=0)
    for (count, pairs), rate in zip(counts_of(A, labels), (a, b), strict=True):
        assert likely(count, pairs, rate / n)
    assert not np.diagonal(A.toarray()).any()
    shares = np.bincount(labels, minlength=3)
    assert scipy_stats.chisquare(shares).pvalue > 1e-4
    A, labels = graphs.stochastic_block_model(n, k, d, snr, balanced=True, random_state=1)
    assert np.bincount(labels).tolist() == [300] * 3
    A, labels = graphs.stochastic_block_model(
        n, k, d, snr, sizes=[100, 200, 600], loops=True, random_state=2
    )
    assert sorted(np.bincount(labels)) == [100, 200, 600]
    assert likely(int(np.diagonal(A.toarray()).sum()), n, a / n)
    A, labels = graphs.planted_partition(n, k, d, 0.7, random_state=0)
    rates = 0.7 * k * d / n, 0.3 * k * d / (2 * n)
    for (count, pairs), rate in zip(counts_of(A, labels), rates, strict=True):
        assert likely(count, pairs, rate)
    inside, between = [0, 0], [0, 0]
    for seed in range(5):
        A, labels = graphs.girvan_newman_graph(out_degree=5, random_state=seed)
        assert np.bincount(labels).tolist() == [32] * 4
        for total, found in zip((inside, between), counts_of(A, labels), strict=True):
            total[0], total[1] = total[0] + found[0], total[1] + found[1]
    assert likely(*inside, 11 / 31)
    assert likely(*between, 5 / 96)
    theta = np.repeat([0.5, 1.5], 450)
    A, labels = graphs.stochastic_block_model(n, 1, d, 0, degree_weights=theta, random_state=3)
    degrees = A.sum(axis=1)
    assert degrees[450:].sum() / degrees[:450].sum() == pytest.approx(3, rel=0.1)
    weights = np.repeat([1.0, 3.0], 450)
    A, labels = graphs.degree_corrected_block_model(n, 1, d, 0, weights=weights, random_state=3)
    theta = weights / 2
    for some in (slice(0, 450), slice(450, 900)):
        pairs = np.outer(theta[some], theta[some]) * d / n
        block = A.toarray()[some, some]
        assert likely(int(np.triu(block, 1).sum()), 450 * 449 // 2, pairs[0, 0])
    A, labels = graphs.lfr_graph(
        1000, mixing=0.3, average_degree=15, min_community=30, random_state=0
    )
    across = A.toarray()[~np.equal.outer(labels, labels)].sum() / A.sum()
    assert across == pytest.approx(0.3, abs=0.03)
    assert A.sum() / 1000 == pytest.approx(15, rel=0.1)


def test_rows_and_eigenpairs():
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    assert graphs.unit_rows(rows).tolist() == [[0.6, 0.8], [0.0, 0.0], [0.0, -1.0]]
    rng = np.random.default_rng(0)
    points = np.repeat(np.eye(3), 10, axis=0) + 0.01 * rng.normal(size=(30, 3))
    found = graphs.cluster_rows(points, 3, seed=0, n_init=4)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 10), found) == 1.0
    H = graphs.bethe_hessian(planted(0, n=200)[0])
    found = graphs.smallest_eigenpairs(H, 4)
    assert np.abs(H @ found.vectors - found.vectors * found.values).max() < 1e-6
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(H.toarray())[:4], 1e-8, 1e-8)


def test_a_stop_before_the_end_is_reported():
    A, _ = planted(0, n=60)
    start = np.arange(60) % 3
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = GraphKGroups(3, objective="ratio_cut", init=start, max_iter=1).fit(A)
    assert (model.n_iter_, model.converged_) == (1, False)
    assert model.exactness_ == "stopped at max_iter"
    assert len(caught) == 1


def test_negative_weights():
    A, labels = planted(7, n=40, k=2, weighted=True, inside=0.7, between=0.4)
    A = np.where(np.equal.outer(labels, labels), A, -A)
    for given in ({}, {"n_clusters": 2}, {"n_clusters": 2, "objective": "ratio_association"}):
        model = GraphKGroups(random_state=0, **given).fit(A)
        assert adjusted_rand_score(labels, model.labels_) == 1.0, given
        assert model.evidence_ is None
    of = ("ratio_association", oracle.long(A), oracle.long(np.ones(40)), 1)
    assert model.objective_ == pytest.approx(float(oracle.graph_value(*of, model.labels_, 2)))
    for objective in ("modularity", "normalized_cut", "ratio_cut"):
        with pytest.raises(ValueError, match="negative"):
            GraphKGroups(2, objective=objective).fit(A)


def test_nodes_of_weight_zero():
    A, _ = planted(8, n=30)
    w = np.where(np.arange(30) % 7 == 3, 0.0, np.random.default_rng(0).uniform(0.5, 2, 30))
    start = np.arange(30) % 3
    for objective in ("bethe_hessian", "ratio_association"):
        model = GraphKGroups(3, objective=objective, weights=w, init=start).fit(A)
        G, v = oracle.graph_gram(objective, oracle.long(A), oracle.long(w), model.r_)
        labels, n_moves = plain_moves(G, v, start, 3, ratio=True)
        assert model.labels_.tolist() == labels.tolist(), objective
        assert model.n_moves_ == n_moves
        s = [w[labels == j].sum() for j in range(3)]
        np.testing.assert_allclose(model.cluster_weights_, s, 1e-12)
