"""Precomputed matrices, KernelKMeans, numbers on a line and trees, by their definitions."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, is_valid_linkage
from sklearn.cluster import KMeans

import oracle
from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.exceptions import TheoryWarning
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy

N, K = 30, 3


def points(seed=0, n=N, d=2):
    rng = np.random.default_rng(seed)
    return 2 * rng.normal(size=(K, d))[rng.integers(K, size=n)] + rng.normal(size=(n, d))


def uneven(n=N):
    return np.random.default_rng(1).uniform(0.3, 2.5, n)


# Matrices


@pytest.mark.parametrize("weighted", [False, True])
def test_precomputed_distances(weighted):
    X, new = points(), points(1, 7)
    w = uneven() if weighted else np.ones(N)
    rho, cross = (oracle.distances("euclidean", Z, X).astype(float) for Z in (X, new))
    first = KernelKGroups(K, metric="precomputed", random_state=0).fit(rho, sample_weight=w)
    labels = first.labels_
    assert oracle.largest_gain(rho, labels, w, K) <= 1e-12 * rho.max() * w.sum()
    W, S = oracle.within_dispersion(rho, labels, w, K), oracle.between(rho, labels, w, K)
    for made in (rho, rho.astype(np.float32), rho.tolist(), pd.DataFrame(rho)):
        model = KernelKGroups(K, metric="precomputed", random_state=0).fit(made, sample_weight=w)
        assert model.labels_.tolist() == labels.tolist()
        near = 1e-6 if getattr(made, "dtype", None) == np.float32 else 1e-11
        assert model.within_dispersion_ == pytest.approx(float(W), rel=near)
        assert model.objective_ == pytest.approx(float(S), rel=near)
    far = oracle.transform(cross, rho, labels, w, K).astype(float)
    np.testing.assert_allclose(first.transform(cross), far, 1e-9)
    assert first.predict(cross).tolist() == far.argmin(axis=1).tolist()
    assert first.predict(rho).tolist() == labels.tolist()
    assert first.score(cross) == pytest.approx(-(far.min(axis=1) ** 2).sum())
    by_rows = KernelKGroups(K, random_state=0).fit(X, sample_weight=w)
    assert by_rows.labels_.tolist() == labels.tolist()
    with pytest.raises(ValueError, match="symmetric"):
        KernelKGroups(K, metric="precomputed").fit(rho + np.triu(np.ones((N, N)), 1))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("is_indefinite", [False, True])
def test_precomputed_kernels(is_indefinite, weighted):
    X, new = points(), points(1, 7)
    w = uneven() if weighted else np.ones(N)
    G, cross = X @ X.T, new @ X.T
    if is_indefinite:
        A = np.random.default_rng(2).normal(size=(N, N))
        G, cross = A + A.T, np.random.default_rng(3).normal(size=(7, N))
    G[np.abs(G) < 0.05] = 0.0
    found = []
    for made in (G, sparse.csr_array(G), sparse.coo_array(G), G.tolist()):
        model = KernelKGroups(K, metric="precomputed_kernel", random_state=0)
        model.fit(made, sample_weight=w)
        labels, of = model.labels_, (oracle.long(w), K)
        Q = oracle.objective(oracle.long(G), labels, *of)
        W = (w * np.diagonal(G)).sum() - Q
        size = np.abs(G).max() * w.sum()
        assert model.objective_ == pytest.approx(float(Q), rel=1e-11)
        assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-10, abs=1e-12 * size)
        rho = np.diagonal(G)[:, None] + np.diagonal(G) - 2 * G
        S = oracle.between(rho, labels, w, K)
        assert model.between_statistic_ == pytest.approx(float(S), rel=1e-9, abs=1e-10 * size)
        assert oracle.gains(oracle.long(G), labels, *of).max() <= 1e-12 * size
        s, within = oracle.weights_of(labels, *of), oracle.within(oracle.long(G), labels, *of)
        to = np.stack([cross[:, labels == j] @ w[labels == j] for j in range(K)], axis=1)
        nearest = (within / s**2 - 2 * to / s).astype(float)
        assert model.predict(cross).tolist() == nearest.argmin(axis=1).tolist()
        found.append(labels.tolist())
    assert found[0] == found[3]
    assert found[1] == found[2]
    if not is_indefinite:
        assert found[0] == found[1]
        with pytest.raises(ValueError, match="needs K"):
            model.score(cross)


def test_adding_to_the_diagonal_changes_q_by_k_and_no_label():
    """Q rises by c k when c 𝒲⁻¹ is added to G, and Hartigan's moves are the same."""
    G, w, start = points() @ points().T, uneven(), np.arange(N) % K
    plain, raised = (
        KernelKGroups(K, metric="precomputed_kernel", init=start).fit(matrix, sample_weight=w)
        for matrix in (G, G + np.diag(100 / w))
    )
    assert plain.labels_.tolist() == raised.labels_.tolist()
    assert raised.objective_ == pytest.approx(plain.objective_ + 100 * K, rel=1e-12)
    assert raised.n_moves_ == plain.n_moves_


# Kernel k-means


@pytest.mark.parametrize("algorithm", ["batch", "online"])
@pytest.mark.parametrize("method", ["dense", "matrix_free"])
def test_kernel_k_means_is_stable_under_lloyds_rule(algorithm, method):
    X = points(n=60)
    for metric, w in (
        ("energy", np.ones(60)),
        ("sqeuclidean", uneven(60)),
        ("gaussian", uneven(60)),
    ):
        rho = oracle.distances(metric, X)
        model = KernelKMeans(
            K, metric=metric, algorithm=algorithm, method=method, random_state=0, n_init=3
        ).fit(X, sample_weight=w)
        where = f"{metric}, {algorithm}, {method}"
        W = oracle.within_dispersion(rho, model.labels_, w, K)
        assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-11), where
        far = oracle.transform(rho, rho, model.labels_, w, K)
        own = far[np.arange(60), model.labels_]
        assert (own <= far.min(axis=1) + 1e-9).all(), where
        assert model.exactness_ == "stable under Lloyd's rule"
        assert model.predict(X).tolist() == model.labels_.tolist(), where


def lloyd(rho, labels, k):
    """Labels after each pass in which all points go to the nearest centroid."""
    passes = 0
    while True:
        nearest = oracle.transform(rho, rho, labels, np.ones(len(labels)), k).argmin(axis=1)
        if (nearest == labels).all():
            return labels, passes
        labels, passes = nearest, passes + 1


def test_batches_are_those_of_lloyd():
    for seed in range(4):
        X = points(seed, n=80)
        start = np.random.default_rng(seed).integers(K, size=80)
        for metric in ("energy", "sqeuclidean"):
            rho = oracle.distances(metric, X)
            labels, passes = lloyd(rho, start, K)
            model = KernelKMeans(K, metric=metric, init=start).fit(X)
            assert model.labels_.tolist() == labels.tolist(), (seed, metric)
            assert model.n_iter_ == passes + 1, (seed, metric)
        theirs = KMeans(K, init=[X[start == j].mean(axis=0) for j in range(K)], n_init=1, tol=0)
        assert same_partition(theirs.fit(X).labels_, labels)
        assert model.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)


def online(rho, labels, w, k):
    """Labels and moves where each point in turn goes to the nearest centroid of that moment."""
    labels, n_moves, moved = labels.copy(), 0, True
    while moved:
        moved = False
        for i in range(len(labels)):
            if (labels == labels[i]).sum() == 1:
                continue
            far = oracle.transform(rho[i : i + 1], rho, labels, w, k)[0]
            if far.min() < far[labels[i]] * (1 - 1e-9):
                labels[i], moved, n_moves = int(far.argmin()), True, n_moves + 1
    return labels, n_moves


def test_points_that_go_to_the_nearest_centroid_one_by_one():
    for seed, metric in enumerate(("energy", "sqeuclidean", "gaussian")):
        X, w = points(seed, n=45), uneven(45)
        start = np.random.default_rng(seed).integers(K, size=45)
        rho = oracle.distances(metric, X)
        labels, n_moves = online(rho, start, w, K)
        for method in ("dense", "matrix_free"):
            model = KernelKMeans(K, metric=metric, method=method, algorithm="online", init=start)
            model.fit(X, sample_weight=w)
            assert model.labels_.tolist() == labels.tolist(), (metric, method)
            assert model.n_moves_ == n_moves > 5


# A line and a tree


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 2.0])
def test_a_line_has_the_least_dispersion(alpha):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = np.round(rng.normal(size=14) + 3 * rng.integers(3, size=14), 1)
        x[3] = x[4]
        weights = [np.ones(14), rng.uniform(0.2, 3, 14), np.where(rng.random(14) < 0.3, 0.0, 1.0)]
        for w in weights:
            for k in (1, 2, 3, 4):
                model = KGroups1D(k, alpha=alpha).fit(x, sample_weight=w)
                where = f"{seed}, {alpha}, {k}"
                right = oracle.best_on_line(oracle.long(x), oracle.long(w), k, alpha)
                rho = np.abs(x[:, None] - x) ** alpha
                W = oracle.within_dispersion(rho, model.labels_, w, k)
                close = {"rel": 1e-11, "abs": 1e-12}
                assert model.within_dispersion_ == pytest.approx(float(right), **close), where
                assert float(W) == pytest.approx(float(right), **close), where
                S = oracle.between(rho, model.labels_, w, k)
                assert model.objective_ == pytest.approx(float(S), **close), where
                order = model.labels_[np.argsort(x, kind="stable")]
                assert (np.diff(order) >= 0).all(), where
                assert (np.searchsorted(model.boundaries_, x) == model.labels_).all(), where
                far = oracle.transform(rho, rho, model.labels_, w, k)
                chosen = far[np.arange(14), model.predict(x)]
                assert (chosen <= far.min(axis=1) + 1e-7).all(), where


def merge(rho, w):
    """Heights of the merges, each of the two closest clusters."""
    clusters, heights = [[i] for i in range(len(w))], []
    while len(clusters) > 1:
        pairs = [
            (oracle.merge_height(oracle.long(rho), oracle.long(w), a, b), i, j)
            for i, a in enumerate(clusters)
            for j, b in enumerate(clusters[:i])
        ]
        height, i, j = min(pairs)
        heights.append(float(height))
        clusters[j] = clusters[j] + clusters.pop(i)
    return heights


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_a_tree_merges_the_closest(alpha):
    X, w = points(n=16), uneven(16)
    rho = oracle.distances(("energy", {"alpha": alpha}), X)
    for weights in (None, w):
        v = np.ones(16) if weights is None else weights
        model = EnergyAgglomerative(4, alpha=alpha).fit(X, sample_weight=weights)
        np.testing.assert_allclose(model.distances_, merge(rho, v), 1e-9)
        W = oracle.within_dispersion(rho, model.labels_, v, 4)
        assert model.within_dispersion_ == pytest.approx(float(W), rel=1e-10)
        assert model.within_dispersion_ == pytest.approx(model.distances_[:12].sum() / 2)
        S = oracle.between(rho, model.labels_, v, 4)
        assert model.between_statistic_ == pytest.approx(float(S), rel=1e-10)
        assert (np.diff(model.cluster_weights_) <= 0).all()
        for k in range(1, 17):
            cut = model.labels_at(k)
            assert len(set(cut)) == k
            within = oracle.within_dispersion(rho, cut, v, k)
            assert float(within) == pytest.approx(model.distances_[: 16 - k].sum() / 2, abs=1e-11)
        matrix = model.linkage_matrix()
        assert is_valid_linkage(matrix)
        assert cophenet(matrix).max() == model.distances_[-1]
        threshold = (model.distances_[9] + model.distances_[10]) / 2
        by_height = EnergyAgglomerative(None, alpha=alpha, distance_threshold=threshold)
        assert by_height.fit(X, sample_weight=weights).n_clusters_ == 6
        at = EnergyAgglomerative(None, alpha=alpha, distance_threshold=model.distances_[10])
        assert at.fit(X, sample_weight=weights).n_clusters_ == 6
        by_matrix = EnergyAgglomerative(4, metric="precomputed", alpha=1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TheoryWarning)
            by_matrix.fit(rho.astype(float), sample_weight=weights)
        assert by_matrix.labels_.tolist() == model.labels_.tolist()
    metric = EnergyAgglomerative(4, metric=Energy(0.5), alpha=0.5).fit(X)
    quarter = EnergyAgglomerative(4, alpha=0.25).fit(X)
    np.testing.assert_allclose(metric.distances_, quarter.distances_, 1e-12)
    named = EnergyAgglomerative(3, metric="manhattan").fit(X)
    np.testing.assert_allclose(
        named.distances_, merge(oracle.distances("manhattan", X), np.ones(16))
    )
