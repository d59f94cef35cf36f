"""Distances to centroids: of few pairs and of many alike, and where digits or floats run out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from helpers import each
from kgroups import KernelKGroups
from kgroups.gram import DenseGram, FactorGram
from kgroups.semimetrics import ColumnSum, Energy, Hamming, JensenShannon, Laplacian, Manhattan
from kgroups.solvers import Problem, Status, centroids
from kgroups.solvers.centroids import Centroids, FeatureCentroids, squared_gaps
from kgroups.solvers.partition import Record, begin

PARTS = ColumnSum([(Energy(), [0, 1]), (Hamming(), [2])])


@each("metric", [Energy(), Energy(0.7), Laplacian(1.0), Manhattan(), JensenShannon(), PARTS])
@each("dtype", [np.float32, np.float64])
@each("n_columns", [5, 40])
def test_distances_are_the_same_without_those_of_all_pairs(monkeypatch, n_columns, dtype, metric):
    X = np.random.default_rng(0).random((600, n_columns)).astype(dtype)
    X[:, 2] = np.round(2 * X[:, 2])
    w = np.where(np.arange(600) % 7 == 0, 0.0, 1.0)
    model = KernelKGroups(4, metric=metric, n_init=1, random_state=0).fit(X, sample_weight=w)
    few = model.transform(X)
    with monkeypatch.context() as patch:
        patch.setattr(centroids, "PAIRS_WORTH_GROUPS", 1)
        assert_allclose(model.transform(X), few, rtol=1e-5)
        assert model.predict(X).tolist() == model.labels_.tolist()
        patch.setattr(centroids, "ROWS_PER_BLOCK", 64)
        assert_allclose(model.transform(X), few, rtol=1e-5)
        assert_allclose(model.transform(X[:7]), model.transform(X)[:7], rtol=1e-12)


def test_overflow_is_an_error(monkeypatch):
    model = KernelKGroups(2, metric=Energy(1.9), random_state=0).fit([[0.0], [1.0], [3.0]])
    monkeypatch.setattr(centroids, "PAIRS_WORTH_GROUPS", 1)
    with pytest.raises(ValueError, match="not a finite number"):
        model.predict([[1e300]])
    assert model.predict([[2.9]]).tolist() == [int(model.labels_[2])]


@each("offset", [0.0, 1e3, 1e7])
def test_products_of_many_columns_give_way_to_differences_where_they_cancel(offset):
    rng = np.random.default_rng(5)
    means = rng.normal(size=(4, 60)) + offset
    features = np.vstack([means[:2] + 1e-6, means[2] + rng.normal(size=(3, 60)), means[3:]])
    expected = cdist(features, means, "sqeuclidean")
    assert squared_gaps(features, means) == pytest.approx(expected, rel=1e-9)
    assert squared_gaps(features, means)[-1, 3] == 0


def stay(gram, w, k, labels):
    """The partition of given labels, with its numbers."""
    problem = Problem(gram, w, k)
    return Record(problem, begin(problem, np.asarray(labels))).finish(Status.CONVERGED)


def test_a_cluster_without_weight_is_infinitely_far():
    w = np.array([1.0, 2.0, 0.0])
    partition = stay(DenseGram(np.eye(3)), w, 3, [0, 0, 1])
    found = Centroids.of(partition, w).squared_distances(np.array([[1.0, 0.0, 0.0]]), 1.0)
    assert np.isfinite(found[0]).tolist() == [True, False, False]
    features = FeatureCentroids.of(FactorGram(np.eye(3)), partition, w)
    assert np.isfinite(features.squared_distances(np.eye(3))).tolist() == [[True, False, False]] * 3
    assert features.nearest(np.eye(3, dtype=np.float32)).tolist() == [0, 0, 0]
