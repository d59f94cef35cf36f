"""What fitted estimators say: attributes, answers about clusters, and fits that fail."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import oracle
from contract_cases import three_clusters as points
from kgroups import (
    BetheHessianClustering,
    EnergyAgglomerative,
    GraphKGroups,
    KernelKGroups,
    KernelKMeans,
    KGroups1D,
    load,
)
from kgroups.semimetrics import Energy

N, K = 60, 3


def uneven(n=N):
    w = np.random.default_rng(1).uniform(0.5, 2, n)
    w[7] = 0.0
    return w


def own_distances(rho, labels, w):
    """‖φ(x) − μ_j‖² of each row to the centroid of its own cluster."""
    far = oracle.transform(rho, rho, labels, w, K).astype(float) ** 2
    return far[np.arange(len(labels)), labels]


# Attributes


@pytest.mark.parametrize("method", ["dense", "matrix_free", "certified"])
@pytest.mark.parametrize("kind", [KernelKGroups, KernelKMeans])
def test_attributes(kind, method):
    X, w = points(), uneven()
    model = kind(K, method=method, random_state=0).fit(X, sample_weight=w)
    rho = oracle.distances("energy", X)
    W = float(oracle.within_dispersion(rho, model.labels_, w, K))
    assert model.within_dispersion_ == pytest.approx(W, rel=1e-11)
    assert model.n_clusters_ == K
    assert model.cluster_count_ is None
    assert model.cluster_weights_.sum() == pytest.approx(w.sum())
    assert model.cluster_dispersions_.sum() == pytest.approx(W, rel=1e-11)
    assert len(model.objective_history_) == model.n_iter_ + 1
    assert model.objective_history_[-1] == pytest.approx(model.objective_, rel=1e-9)
    assert len(model.start_names_) == len(model.start_histories_) >= 1
    assert model.converged_
    low, high = model.within_dispersion_interval_
    assert low * (1 - 1e-12) <= W <= high * (1 + 1e-12)
    total = oracle.within_dispersion(rho, np.zeros(N, int), w, 1)
    low, high = model.between_statistic_interval_
    assert low * (1 - 1e-11) <= float(total) - W <= high * (1 + 1e-11)
    assert model.negative_type_violation_ == 0
    assert repr(model.metric_) == repr(Energy(1.0))
    assert (model.n_features_in_, model.method_) == (2, method)
    assert method in model.method_reason_
    assert not hasattr(model, "cluster_centers_")
    assert not hasattr(model, "feature_names_in_")
    certificate = model.certificate_
    assert certificate.n_pairs_full == N * (N - 1) // 2
    if kind is KernelKGroups:
        assert (certificate.proved, certificate.n_open, certificate.largest_gain) == (True, 0, 0)
    other = {"dense": "matrix_free"}.get(method, "dense")
    assert kind(K, method=other, init=model.labels_).fit(X, sample_weight=w).n_moves_ == 0


def test_histories_never_fall():
    """Q at the start and after each sweep, also where clusters are grown anew."""
    for seed in range(12):
        X = np.random.default_rng(seed).normal(size=(150, 2))
        for given in ({}, {"method": "matrix_free"}, {"metric": "sqeuclidean"}):
            model = KernelKGroups(8, n_init=1, init="random", random_state=seed, **given).fit(X)
            history = model.objective_history_
            assert (np.diff(history) >= -1e-12 * history[-1]).all(), (seed, given)
            assert history[0] > 0.01 * history[-1], (seed, given)
            assert len(history) == model.n_iter_ + 1


def test_weights_of_trees_scores_and_bounds():
    X, w = points(), uneven()
    rho = oracle.distances("energy", X)
    tree = EnergyAgglomerative(K).fit(X, sample_weight=w)
    s = np.bincount(tree.labels_, weights=w)
    np.testing.assert_allclose(tree.cluster_weights_, s, 1e-12)
    W = float(oracle.within_dispersion(rho, tree.labels_, w, K))
    assert tree.within_dispersion_ == pytest.approx(W, rel=1e-9)
    model = KernelKGroups(K, random_state=0).fit(X, sample_weight=w)
    far = oracle.transform(rho, rho, model.labels_, w, K).astype(float) ** 2
    assert model.score(X, sample_weight=w) == pytest.approx(-(w @ far.min(axis=1)))
    assert model.score(X) == pytest.approx(-far.min(axis=1).sum())
    for alpha, text in ((0.5, "optimal over contiguous partitions"), (1, "optimal")):
        assert KGroups1D(K, alpha=alpha).fit(X[:, 0]).exactness_ == text
    w[:9] = 0
    model = KernelKGroups(K, random_state=0).fit(X, sample_weight=w)
    far = oracle.transform(rho, rho, model.labels_, w, K)
    assert model.labels_[:9].tolist() == far.argmin(axis=1)[:9].tolist()
    assert len(set(model.labels_[:9])) == K
    heavy = KernelKGroups(K, init=model.labels_).fit(X, sample_weight=8 * w)
    bounds = [m.optimality_gap(kind="spectral").bound for m in (model, heavy)]
    assert bounds[1] == pytest.approx(8 * bounds[0], rel=1e-9)
    assert 0.2 * heavy.within_dispersion_ < bounds[1] <= heavy.within_dispersion_


def test_clusters_of_k_means():
    X, w = points(), uneven()
    for method in ("dense", "matrix_free"):
        model = KernelKGroups(K, metric="sqeuclidean", method=method, random_state=0)
        model.fit(X, sample_weight=w)
        labels = model.labels_
        means = [np.average(X[labels == j], axis=0, weights=w[labels == j]) for j in range(K)]
        np.testing.assert_allclose(model.cluster_centers_, means, 1e-12)
        inertia = w @ ((X - np.array(means)[labels]) ** 2).sum(axis=1)
        assert model.inertia_ == model.within_dispersion_ == pytest.approx(inertia, rel=1e-12)
        rows = sparse.csr_array(np.where(X > 0, X, 0))
        of_rows = KernelKGroups(K, metric="sqeuclidean", random_state=0).fit(rows)
        means = [rows.toarray()[of_rows.labels_ == j].mean(axis=0) for j in range(K)]
        np.testing.assert_allclose(of_rows.cluster_centers_, means, 1e-12, 1e-14)


def test_names_and_kinds_of_columns():
    frame = pd.DataFrame({"x": points()[:, 0], "c": np.array(list("uvw"))[np.arange(N) % K]})
    frame.loc[5, "x"] = None
    model = KernelKGroups(K, metric="mixed", random_state=0).fit(frame)
    assert model.feature_names_in_.tolist() == ["x", "c"]
    assert model.n_missing_ == {"x": 1}
    assert list(model.column_kinds_) == ["x", "c"]
    assert model.get_feature_names_out().tolist() == [f"kernelkgroups{i}" for i in range(K)]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["c", "x"]])


def test_the_number_of_clusters_is_chosen():
    X = np.concatenate([points()[:, :1] + 9 * j for j in range(2)])
    X = np.column_stack([X, np.zeros(len(X))]) + np.random.default_rng(0).normal(size=(120, 2))
    model = KernelKGroups("auto", random_state=0).fit(X)
    count = model.cluster_count_
    assert model.n_clusters_ == count.n_clusters == len(np.unique(model.labels_))
    assert count.interval[0] <= model.n_clusters_ <= count.interval[1]
    assert {c.name for c in count.criteria} >= {"prediction strength", "gap", "separation"}
    given = KernelKGroups(model.n_clusters_, random_state=0).fit(X)
    assert given.within_dispersion_ == pytest.approx(model.within_dispersion_, rel=0.02)


def test_starts():
    X = points()
    best = KernelKGroups(K, random_state=0).fit(X).within_dispersion_
    for init in ("k-means++", "euclidean-k-means++", "random", "spectral"):
        model = KernelKGroups(K, init=init, random_state=0).fit(X)
        assert model.within_dispersion_ == pytest.approx(best, rel=1e-9), init
        n_starts = 1 if init == "spectral" else 8 + 4 * K
        assert len(model.start_names_) == n_starts, init
    called = []

    def init(data, n_clusters, random_state):
        called.append((data.shape, n_clusters))
        return np.arange(len(data)) % n_clusters

    by_call = KernelKGroups(K, init=init).fit(X)
    by_labels = KernelKGroups(K, init=np.arange(N) % K).fit(X)
    assert called == [((N, 2), K)]
    assert by_call.labels_.tolist() == by_labels.labels_.tolist()
    assert by_call.n_moves_ == by_labels.n_moves_
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        KernelKGroups(K, init="random", n_init=1, max_iter=1, random_state=0).fit(points(n=300))


# Answers


@pytest.mark.parametrize("metric", ["energy", "sqeuclidean", "gaussian", "precomputed"])
def test_rows_that_stand_for_clusters(metric):
    X, w = points(), uneven()
    X[11] = X[8]
    rho = oracle.distances("energy" if metric == "precomputed" else metric, X)
    data = rho.astype(float) if metric == "precomputed" else X
    model = KernelKGroups(K, metric=metric, random_state=0).fit(data, sample_weight=w)
    labels, own = model.labels_, own_distances(rho, model.labels_, w)
    order = [
        [i for i in np.argsort(own, kind="stable") if labels[i] == j and w[i] > 0] for j in range(K)
    ]
    assert model.medoid_indices_.tolist() == [rows[0] for rows in order]
    for count in (4, N):
        for found, rows in zip(model.exemplars(count), order, strict=True):
            expected = [i for i in rows if metric == "precomputed" or i != 11][:count]
            assert found.tolist() == expected
    if metric == "energy":
        sketch = KernelKGroups(K, method="nystroem", random_state=0).fit(X, sample_weight=w)
        found = np.concatenate(sketch.exemplars(N, X, sample_weight=w)).tolist()
        assert sorted(found) == [i for i in range(N) if i not in (7, 11)]
    usual = np.array([weighted_median(own[rows], w[rows]) for rows in map(np.array, order)])
    np.testing.assert_allclose(model.outlier_scores_, own / usual[labels], 1e-8, 1e-9)
    far = oracle.transform(rho, rho, labels, w, K).astype(float) ** 2
    nearest = far.argmin(axis=1)
    scores = far.min(axis=1) / usual[nearest]
    np.testing.assert_allclose(model.outlier_scores(data), scores, 1e-8, 1e-9)


def weighted_median(values, weights):
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    return values[order][np.searchsorted(below, below[-1] / 2)]


@pytest.mark.parametrize("method", ["dense", "nystroem"])
def test_probabilities(method):
    X = points()
    model = KernelKGroups(K, method=method, random_state=0).fit(X)
    found = model.predict_proba(X)
    assert found.shape == (N, K)
    np.testing.assert_allclose(found.sum(axis=1), 1, 1e-12)
    assert (found > 0).all()
    assert found.argmax(axis=1).tolist() == model.predict(X).tolist()
    squared = model.transform(X) ** 2
    expected = np.exp(-(squared - squared.min(axis=1, keepdims=True)) / model.temperature_)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, 1e-6, 1e-9)
    rows = model.uncertain_rows(0.99, X)
    certainty = found[np.arange(N), model.labels_]
    assert sorted(rows.tolist()) == np.flatnonzero(certainty < 0.99).tolist()
    assert len(rows) > 5
    assert (np.diff(certainty[rows]) >= 0).all()
    apart = KernelKGroups(2, random_state=0).fit(np.r_[X, X + 500])
    assert apart.predict_proba(X).max(axis=1).min() > 1 - 1e-9


def test_descriptions():
    frame = pd.DataFrame(points(), columns=["x", "y"])
    frame["c"] = np.array(list("uvw"))[np.arange(N) % K]
    w = uneven()
    model = KernelKGroups(K, random_state=0).fit(frame[["x", "y"]], sample_weight=w)
    found, labels = model.describe(frame, sample_weight=w), model.labels_
    assert found["size"].tolist() == np.bincount(labels).tolist()
    np.testing.assert_allclose(found["share"], model.cluster_weights_ / w.sum(), 1e-12)
    assert found["medoid"].tolist() == model.medoid_indices_.tolist()
    mean = np.average(frame["x"], weights=w)
    deviation = np.sqrt(np.average((frame["x"] - mean) ** 2, weights=w))
    for j in range(K):
        own = np.average(frame["x"][labels == j], weights=w[labels == j])
        assert found["x"][j] == pytest.approx((own - mean) / deviation, rel=0.02)
        assert found["c"][j][0] == frame["c"][model.medoid_indices_[j]]


def test_files(tmp_path):
    X, A = points(), np.kron(np.eye(2), np.ones((6, 6)) - np.eye(6))
    A[0, 6] = A[6, 0] = 1
    for number, (estimator, data) in enumerate(
        [
            (KernelKGroups(K, random_state=0), X),
            (KernelKGroups(K, method="nystroem", random_state=0), X),
            (KernelKGroups(K, metric="sqeuclidean", random_state=0), X),
            (KernelKMeans(K, random_state=0), X),
            (KGroups1D(K), X[:, :1]),
            (EnergyAgglomerative(K), X),
            (GraphKGroups(2, random_state=0), A),
            (BetheHessianClustering(2, random_state=0), A),
        ]
    ):
        path = tmp_path / f"{number}.kgroups"
        model = estimator.fit(data)
        model.save(path)
        again = load(path)
        assert type(again) is type(model)
        assert again.labels_.tolist() == model.labels_.tolist()
        assert again.get_params() == model.get_params()
        if hasattr(model, "predict") and estimator.__class__ is not GraphKGroups:
            new = data[::2] + 0.25
            assert again.predict(new).tolist() == model.predict(new).tolist()


# Limits, and what is approximate


def test_sketches():
    X, w = points(n=400), uneven(400)
    exact = KernelKGroups(K, method="dense", random_state=0).fit(X, sample_weight=w)
    rho = oracle.distances("energy", X)
    errors = []
    for n_components in (20, 80, 400):
        for landmarks in ("uniform", "distant"):
            model = KernelKGroups(
                K,
                method="nystroem",
                n_components=n_components,
                landmarks=landmarks,
                random_state=0,
            ).fit(X, sample_weight=w)
            W = float(oracle.within_dispersion(rho, model.labels_, w, K))
            assert model.within_dispersion_ == pytest.approx(W, rel=1e-9)
            assert exact.within_dispersion_ * (1 - 1e-9) <= W <= 1.03 * exact.within_dispersion_
            assert model.predict(X).tolist() == model.labels_.tolist()
            assert model.within_dispersion_interval_ is None
            assert "on the sketch" in model.exactness_
            assert not model.certificate_.proved
            errors.append(model.sketch_error_)
    assert errors[0] > errors[2] > 0.001
    assert errors[1] > errors[3] > 0.001
    assert max(errors[4:]) < 1e-5
    right = oracle.transform(rho, rho, model.labels_, w, K).astype(float)
    np.testing.assert_allclose(model.transform(X) ** 2, right**2, 1e-3, 1e-3)
    assert exact.sketch_error_ is None


def test_limits():
    X = points(n=3000)
    events, how = [], {"method": "certified", "random_state": 0, "n_init": 1}
    with pytest.warns(ConvergenceWarning, match="limit of time"):
        stopped = KernelKGroups(K, time_limit=1e-9, verbose=events.append, **how).fit(X)
    assert not stopped.certificate_.is_repeatable
    assert not stopped.certificate_.proved
    assert 0 < stopped.certificate_.n_open <= 3000
    assert {event.phase for event in events} >= {"pairs", "sweep"}
    for method in ("dense", "matrix_free", "certified", "nystroem"):
        with pytest.raises(MemoryError, match="limit is"):
            KernelKGroups(K, method=method, memory_limit="10 kB").fit(X)
    small = KernelKGroups(K, memory_limit="8 MB", random_state=0, n_init=1).fit(X[:1500])
    assert small.method_ == "matrix_free"
    assert KernelKGroups(K, random_state=0, n_init=1).fit(X[:1500]).method_ == "dense"


def test_scores_have_weights():
    X, w = points(), uneven()
    model = KernelKGroups(K, random_state=0).fit(X, sample_weight=w)
    far = model.transform(X).min(axis=1) ** 2
    assert model.score(X) == pytest.approx(-far.sum())
    assert model.score(X, sample_weight=w) == pytest.approx(-(w @ far))
    assert model.score(X, sample_weight=w) == pytest.approx(-model.within_dispersion_)
    again = KernelKGroups(K, random_state=0)
    assert again.fit_predict(X, sample_weight=w).tolist() == model.labels_.tolist()
    assert again.fit_transform(X).shape == (N, K)
