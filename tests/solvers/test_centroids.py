"""Centroids in feature space: each class against the formula, worked out with the features."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.gram import DenseGram, FactorGram, NystroemMap
from kgroups.semimetrics import Energy
from kgroups.solvers import Problem, Status, centroids
from kgroups.solvers.centroids import (
    Centroids,
    FeatureCentroids,
    RowsToSketchedCentroids,
    squared_gaps,
)
from kgroups.solvers.partition import Record, begin

pytestmark = pytest.mark.nojit


def stay(gram, w, k, labels):
    """The partition of given labels, with its numbers."""
    problem = Problem(gram, w, k)
    return Record(problem, begin(problem, np.asarray(labels))).finish(Status.CONVERGED)


def weighted_means(X, w, labels, k):
    return np.array([np.average(X[labels == j], axis=0, weights=w[labels == j]) for j in range(k)])


@pytest.fixture
def drawn():
    """Points, weights, labels in three clusters, and new points."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(30, 3)), rng.uniform(0.1, 2, 30)
    return X, w, np.arange(30) % 3, rng.normal(size=(7, 3))


def test_by_hand():
    """The point 4 is 3.5 from the mean of {0, 1} and 7 from that of {10, 12}."""
    x = np.array([0.0, 1.0, 10.0, 12.0])
    gram = DenseGram(np.outer(x, x))
    found = Centroids.of(stay(gram, np.ones(4), 2, [0, 0, 1, 1]), np.ones(4))
    squared = found.squared_distances(np.array([4 * x]), 16.0)
    np.testing.assert_allclose(squared, [[3.5**2, 7.0**2]])


def test_a_kernel_of_features(drawn):
    X, w, labels, new = drawn
    found = Centroids.of(stay(DenseGram(X @ X.T), w, 3, labels), w)
    expected = cdist(new, weighted_means(X, w, labels, 3), "sqeuclidean")
    for row, similarities, squared in zip(new, new @ X.T, expected, strict=True):
        own = found.squared_distances(similarities[None], float(row @ row))
        np.testing.assert_allclose(own[0], squared, rtol=1e-10)


def test_a_cluster_without_weight_is_infinitely_far():
    w = np.array([1.0, 2.0, 0.0])
    partition = stay(DenseGram(np.eye(3)), w, 3, [0, 0, 1])
    found = Centroids.of(partition, w).squared_distances(np.array([[1.0, 0.0, 0.0]]), 1.0)
    assert np.isfinite(found[0]).tolist() == [True, False, False]
    features = FeatureCentroids.of(FactorGram(np.eye(3)), partition, w)
    assert np.isfinite(features.squared_distances(np.eye(3))).tolist() == [[True, False, False]] * 3
    assert features.nearest(np.eye(3, dtype=np.float32)).tolist() == [0, 0, 0]


def test_what_is_kept_does_not_change_with_what_was_given(drawn):
    X, w, labels, new = drawn
    partition = stay(DenseGram(X @ X.T), w, 3, labels)
    found = Centroids.of(partition, w)
    before = found.squared_distances(new @ X.T, 0.0)
    partition.labels[:] = 0
    w[:] = 9.0
    np.testing.assert_array_equal(found.squared_distances(new @ X.T, 0.0), before)


def test_features_in_the_plane_by_hand():
    """Means (1, 0) and (0, 3) by weights 1 and 3; all have the norm of the point in common."""
    F = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 4.0]])
    gram, w = FactorGram(F), np.array([1.0, 1.0, 3.0])
    found = FeatureCentroids.of(gram, stay(gram, w, 2, [0, 1, 1]), w)
    np.testing.assert_allclose(found.means, [[1, 0], [0, 3]])
    np.testing.assert_allclose(found.squared_norms, [1, 9])
    np.testing.assert_allclose(found.squared_distances(np.array([[2.0, 1.0]])), [[1 - 4, 9 - 6]])


def test_centers_are_means_and_empty_ones_are_infinitely_far():
    rng = np.random.default_rng(3)
    F = rng.normal(size=(90, 4)).astype(np.float32)
    w = rng.uniform(0.1, 1, 90)
    gram = FactorGram(F)
    partition = stay(gram, w, 4, np.arange(90) % 3)
    centers = FeatureCentroids.of(gram, partition, w)
    for cluster in range(3):
        rows = np.arange(90) % 3 == cluster
        mean = np.average(F[rows].astype(float), axis=0, weights=w[rows])
        np.testing.assert_allclose(centers.means[cluster], mean, rtol=1e-6, atol=1e-7)
    assert centers.squared_norms[3] == np.inf
    means = np.array(centers.means[:3])
    nearest = cdist(F.astype(float), means).argmin(axis=1)
    assert centers.nearest(F).tolist() == nearest.tolist()
    apart = centers.squared_distances(F)[:, :3] + (F.astype(float) ** 2).sum(axis=1)[:, None]
    np.testing.assert_allclose(apart, cdist(F.astype(float), means, "sqeuclidean"), rtol=1e-4)


def energy_to_clusters(X, w, labels, new, alpha):
    """‖φ(x) − μ‖² = g(x, C) − g(C, C)/2 with g weighted means of ρ = |x − y|^α, by SciPy."""
    columns = []
    for cluster in range(3):
        own = labels == cluster
        p = w[own] / w[own].sum()
        columns.append(cdist(new, X[own]) ** alpha @ p - p @ cdist(X[own], X[own]) ** alpha @ p / 2)
    return np.column_stack(columns)


@each("chunk", [3, 1 << 13])
def test_a_sketch_of_all_points_has_all_distances(drawn, chunk, monkeypatch):
    """With every point a landmark nothing is lost, but for float32; K(x, x) is exact anyway."""
    monkeypatch.setattr(centroids, "CHUNK", chunk)
    X, w, labels, new = drawn
    to_features = NystroemMap.of(X, Energy())
    gram = FactorGram(to_features(X)[0])
    to = RowsToSketchedCentroids(
        to_features, FeatureCentroids.of(gram, stay(gram, w, 3, labels), w)
    )
    expected = energy_to_clusters(X, w, labels, new, 1.0)
    np.testing.assert_allclose(to.squared_distances(new), expected, rtol=1e-4)


@each("offset", [0.0, 1e3, 1e7])
def test_products_of_many_columns_give_way_to_differences_where_they_cancel(offset):
    rng = np.random.default_rng(5)
    means = rng.normal(size=(4, 60)) + offset
    features = np.vstack([means[:2] + 1e-6, means[2] + rng.normal(size=(3, 60)), means[3:]])
    expected = cdist(features, means, "sqeuclidean")
    assert squared_gaps(features, means) == pytest.approx(expected, rel=1e-9)
    assert squared_gaps(features, means)[-1, 3] == 0
