"""Sums to clusters without any kept distance: equal to those of all distances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import each
from kgroups import KernelKGroups
from kgroups.semimetrics import ColumnSum, Energy, Hamming, JensenShannon, Laplacian, Manhattan
from kgroups.solvers import centroids
from kgroups.solvers.cluster_sums import sums_to_clusters

RNG = np.random.default_rng(0)
METRICS = [
    Energy(), Energy(0.7), Laplacian(1.0), Manhattan(), JensenShannon(),
    ColumnSum([(Energy(), [0, 1]), (Hamming(), [2])]),
]  # fmt: skip


@each("metric", METRICS)
@each("dtype", [np.float32, np.float64])
@each("n_columns", [3, 40])
def test_sums_of_all_distances(metric, dtype, n_columns):
    X = RNG.random((150, n_columns)).astype(dtype)
    X[:, 2] = np.round(2 * X[:, 2])
    if isinstance(metric, JensenShannon):
        X /= X.sum(axis=1, keepdims=True)
    labels, weights = RNG.integers(0, 4, 120), RNG.random(120)
    weights[:5] = 0
    labels[labels == 3] = 0  # an empty cluster
    found = sums_to_clusters(metric.terms(X), 30, labels, weights, 4)
    rho = metric.pairwise(X[:30].astype(float), X[30:].astype(float))
    held = np.eye(4)[labels] * weights[:, None]
    assert_allclose(found, rho @ held, rtol=1e-6 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predict_is_the_same_either_way(dtype, monkeypatch):
    X = RNG.normal(size=(600, 5)).astype(dtype)
    model = KernelKGroups(4, random_state=0).fit(X)
    few = model.transform(X)
    monkeypatch.setattr(centroids, "PAIRS_WORTH_GROUPS", 1)
    assert_allclose(model.transform(X), few, rtol=1e-5)
    assert model.predict(X).tolist() == model.labels_.tolist()
    monkeypatch.setattr(centroids, "ROWS_PER_BLOCK", 64)
    assert_allclose(model.transform(X), few, rtol=1e-5)
    assert_allclose(model.transform(X[:7]), model.transform(X)[:7], rtol=1e-12)


def test_overflow_is_an_error(monkeypatch):
    model = KernelKGroups(2, metric=Energy(1.9), random_state=0).fit([[0.0], [1.0], [3.0]])
    monkeypatch.setattr(centroids, "PAIRS_WORTH_GROUPS", 1)
    with pytest.raises(ValueError, match="not a finite number"):
        model.predict([[1e300]])
    assert model.predict([[2.9]]).tolist() == [int(model.labels_[2])]
