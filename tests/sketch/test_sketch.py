"""The Nyström sketch: what it keeps of the kernel, and what a fit on it is worth."""

import numpy as np
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy
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
