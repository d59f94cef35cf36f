"""The Nyström sketch: what it keeps of the kernel, and what a fit on it is worth."""

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups import KernelKGroups
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy, Gaussian, Laplacian, Manhattan
from kgroups.sketch.sketcher import Sketcher
from sketch_cases import dispersion


def blobs(n, k, seed=0, apart=10.0, dtype=np.float64):
    """Clusters of unit spread about k points that are equally far from each other; the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = apart * np.eye(k)[truth] + rng.normal(size=(n, k))
    return X.astype(dtype), truth


@each("n", [2001, 12_000])
@each("method", ["auto", "nystroem"])
def test_a_small_group_far_away_is_a_cluster(n, method):
    """Eight rows of many, far from six groups: the sketch must see them, or nobody does."""
    rng = np.random.default_rng(0)
    X = 2 * rng.normal(size=(6, 8))[rng.integers(6, size=n)] + rng.normal(size=(n, 8))
    X[:8] += 300
    for seed in range(3):
        labels = KernelKGroups(7, method=method, random_state=seed).fit_predict(X)
        assert len(set(labels[:8])) == 1
        assert np.bincount(labels)[labels[0]] == 8


# --- fits --------------------------------------------------------------------------------------


def test_a_fit_finds_separated_blobs_and_their_dispersion():
    X, truth = blobs(6000, 6, seed=3)
    model = KernelKGroups(6, method="nystroem", random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    W, total = dispersion(X, truth), dispersion(X, np.zeros(6000, int))
    assert model.within_dispersion_ == pytest.approx(W, rel=0.03)
    assert model.within_dispersion_ + model.between_statistic_ == pytest.approx(total, rel=0.03)
    assert model.objective_ == pytest.approx(model.between_statistic_, rel=1e-9)
    assert model.objective_history_[-1] == pytest.approx(model.objective_, rel=1e-9)
    assert 0 < model.sketch_error_ < 1
    assert model.exactness_ == "one-move optimal on the sketch"
    assert (model.method_, model.method_reason_) == ("nystroem", "as method='nystroem' asks")
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert np.bincount(model.labels_).tolist() == model.cluster_weights_.tolist()
    for history in model.start_histories_:
        assert history[-1] == pytest.approx(model.objective_, rel=0.3), "on the same scale"


@each(
    ("metric", "dtype"),
    [
        (Energy(0.5), np.float32),
        (Energy(2.0), np.float32),
        (Gaussian("median"), np.float64),
        (Laplacian("median"), np.float64),
        (Manhattan(), np.float64),
    ],
)
@each("landmarks", ["uniform", "distant"])
def test_other_metrics_find_the_blobs_too(metric, dtype, landmarks):
    X, truth = blobs(2500, 4, seed=4, dtype=dtype)
    model = KernelKGroups(4, metric=metric, method="nystroem", landmarks=landmarks, random_state=1)
    assert same_partition(model.fit_predict(X), truth)
    assert model.predict(X).tolist() == model.labels_.tolist()


def test_labels_near_the_exact_ones_without_any_clusters():
    """On one cloud cut in three: a hundred landmarks, and W at most three percent worse."""
    X = np.random.default_rng(6).normal(size=(2400, 2))
    exact = KernelKGroups(3, method="matrix_free", random_state=0).fit(X)
    near = KernelKGroups(3, method="nystroem", random_state=0).fit(X)
    W = dispersion(X, exact.labels_)
    assert exact.within_dispersion_ == pytest.approx(W, rel=1e-9)
    assert dispersion(X, near.labels_) < 1.03 * W
    assert near.within_dispersion_ == pytest.approx(dispersion(X, near.labels_), rel=0.03)


def test_small_memory_makes_features_anew(monkeypatch):
    """The limit decides whether features are held, and not what the labels are."""
    X = np.random.default_rng(8).normal(size=(2600, 3))
    model = KernelKGroups(4, method="nystroem", random_state=3, n_jobs=1)
    held = model.fit(X).labels_.tolist()
    monkeypatch.setattr("kgroups.fit.plan._FEATURES_HELD", 0)
    seen = []
    spread = Sketcher._featured

    def watched(self, *args):
        seen.append(self.feature_bytes)
        return spread(self, *args)

    monkeypatch.setattr(Sketcher, "_featured", watched)
    assert model.fit(X).labels_.tolist() == held
    assert seen == [0]


def test_weights_count_and_rows_without_weight_are_no_landmarks():
    """Half of the rows, without weight, lie where a landmark would be seen by its features."""
    X, truth = blobs(3000, 3, seed=10)
    w = np.where(np.arange(3000) % 2, 2.0, 0.0)
    model = KernelKGroups(3, method="nystroem", random_state=0).fit(X, sample_weight=w)
    assert same_partition(model.labels_, truth)
    assert model.cluster_weights_.sum() == pytest.approx(3000)
    assert model.within_dispersion_ == pytest.approx(dispersion(X, truth, w=w), rel=0.03)
    landmarks = model._nearest.to_features.landmarks
    odd = {row.tobytes() for row in X[1::2]}
    assert all(row.tobytes() in odd for row in landmarks)


@each("method", ["nystroem", "matrix_free"])
def test_histories_are_in_the_unit_of_the_distances(method):
    """A power of two scales every number, differences within a history among them."""
    X = np.random.default_rng(16).normal(size=(2600, 3))
    one, other = (KernelKGroups(4, method=method, random_state=3).fit(X * s) for s in (1.0, 1024.0))
    assert other.labels_.tolist() == one.labels_.tolist()
    pairs = [(one.objective_history_, other.objective_history_)]
    pairs += list(zip(one.start_histories_, other.start_histories_, strict=True))
    assert np.ptp(one.objective_history_) > 1e-4 * one.objective_
    for mine, theirs in pairs:
        np.testing.assert_allclose(theirs / 1024, mine, rtol=1e-9)
    assert other.objective_ / 1024 == pytest.approx(one.objective_, rel=1e-9)


@each(("method", "digits"), [("nystroem", 1e-3), ("matrix_free", 1e-9)])
@each("scale", [1e-25, 1e19])
def test_a_unit_of_length_scales_w_and_moves_nobody(method, digits, scale):
    """Features are float32, which ends at 1e-45 and 3e38; ρ is about 1e-49 and 5e39 here."""
    X, truth = blobs(2400, 3, seed=15, apart=7 / np.sqrt(2))
    one, other = (
        KernelKGroups(3, metric=Energy(2.0), method=method, random_state=0).fit(X * s)
        for s in (1.0, scale)
    )
    assert same_partition(other.labels_, one.labels_)
    agree = [np.bincount(truth[one.labels_ == j], minlength=3).max() for j in range(3)]
    assert sum(agree) > 0.99 * 2400, "3.5 sigma from the middle, one point in 2,000 is beyond"
    W = dispersion(X, one.labels_, alpha=2.0)
    assert one.within_dispersion_ == pytest.approx(W, rel=digits)
    assert other.within_dispersion_ / scale**2 == pytest.approx(W, rel=digits)
    assert other.between_statistic_ / scale**2 == pytest.approx(one.between_statistic_, rel=digits)
    assert other.predict(X * scale).tolist() == other.labels_.tolist()


def test_distances_to_centroids_and_new_points():
    """transform() is ‖φ(x) − μ‖ of the exact formula, where landmarks hold what matters."""
    X, _ = blobs(2200, 3, seed=12)
    model = KernelKGroups(3, method="nystroem", n_components=300, random_state=0).fit(X)
    new = X[:50] + 0.1
    expected = np.empty((50, 3))
    for cluster in range(3):
        members = X[model.labels_ == cluster]
        inner = cdist(members, members).mean() / 2
        expected[:, cluster] = cdist(new, members).mean(axis=1) - inner
    np.testing.assert_allclose(model.transform(new) ** 2, expected, rtol=0.05)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(new).tolist() == model.predict(new).tolist()


def test_all_points_as_landmarks_give_the_exact_fit():
    """With n landmarks only the kernel's last digits are missing."""
    X = np.random.default_rng(13).normal(size=(300, 2))
    model = KernelKGroups(3, method="nystroem", n_components=300, random_state=0).fit(X)
    assert model.sketch_error_ < 1e-3
    polished = KernelKGroups(3, init=model.labels_, method="matrix_free").fit(X)
    assert np.mean(polished.labels_ != model.labels_) < 0.02
    assert model.within_dispersion_ == pytest.approx(dispersion(X, model.labels_), rel=1e-9)


@each("kind", ["labels", "callable"])
@each("n", [900, 3000])
def test_a_start_that_is_given_labels_all_rows(n, kind):
    """Beyond 2,000 rows the starts compete on a sample, which nobody can give labels for."""
    X, truth = blobs(n, 3, seed=14)
    start = np.where(np.random.default_rng(0).random(n) < 0.8, truth, 0)
    init = start if kind == "labels" else lambda X, k, random_state: start
    model = KernelKGroups(3, method="nystroem", init=init, random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    if kind == "labels":
        assert model.labels_.tolist() == truth.tolist(), "labels that are given keep their numbers"


def test_a_row_that_no_landmark_shows_leaves_no_cluster_empty():
    """Three different rows on a line, one of them once in 3,000: features see only two."""
    X = np.array([[0.0], [1.0], [5.0]])[np.r_[np.zeros(1499, int), np.ones(1500, int), 2]]
    for seed in range(3):
        model = KernelKGroups(3, method="nystroem", random_state=seed, n_init=2).fit(X)
        assert np.bincount(model.labels_, minlength=3).min() > 0
