"""The form that landmarks leave open: positive semidefinite, and what its norm is."""

import numpy as np

from helpers import each
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.semimetrics import Energy, Gaussian, Manhattan
from kgroups.semimetrics.all_pairs import Points

METRICS = [Energy(1.0), Energy(0.5), Energy(1.9), Gaussian(2.0), Manhattan()]


def made(X, metric, index):
    points = Points.of(metric.resolve(X).terms(X))
    return LandmarkForm.of(points, np.asarray(index)), points


def kernel(X, metric, index):
    """K about the mean of some points, from its definition."""
    rho = metric.pairwise(X.astype(np.float64))
    to_mean = rho[:, index].mean(axis=1) - 0.5 * rho[np.ix_(index, index)].mean()
    return 0.5 * (to_mean[:, None] + to_mean - rho)


@each("metric", METRICS)
@each("dtype", [np.float32, np.float64])
def test_the_form_is_positive_semidefinite(metric, dtype):
    """K − FᵀF has no negative eigenvalue beyond rounding, and F explains the landmarks."""
    X = np.random.default_rng(0).normal(size=(120, 2)).astype(dtype)
    index = np.arange(0, 120, 4)
    form, points = made(X, metric, index)
    K = kernel(X, metric, index) / form.unit
    rho = form.distances(points, slice(None))
    F = form.features(rho)
    left = K - F @ F.T
    assert np.linalg.eigvalsh(left).min() > -1e-12 * np.trace(K)
    np.testing.assert_allclose(form.own(rho), np.diagonal(K), atol=1e-13)
    lacking = form.lacking(rho)
    assert np.all(lacking**2 >= np.diagonal(left))
    np.testing.assert_allclose(lacking**2, np.diagonal(left), atol=1e-5)
    assert lacking[index].max() < 2e-2 * lacking.max()
    assert np.all(form.length(rho) ** 2 >= np.diagonal(K))


def test_features_are_scaled_down_to_what_rounding_leaves_of_a_projection():
    """Many nearly equal landmarks: eigenvalues over seven orders of magnitude."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(20, 3)), 1e-6 * rng.normal(size=(60, 3)), X_far(rng)])
    form, points = made(X, Energy(1.0), np.arange(90))
    rho = form.distances(points, slice(None))
    K = kernel(X, Energy(1.0), np.arange(90)) / form.unit
    F = form.features(rho)
    assert np.linalg.eigvalsh(K - F @ F.T).min() > -1e-13 * np.trace(K)
    assert np.all(form.lacking(rho) ** 2 >= np.diagonal(K - F @ F.T))


def X_far(rng):
    return 1e5 + rng.normal(size=(20, 3))


@each("index", [[0], [0, 0, 0], [0, 1]])
def test_few_or_equal_landmarks_leave_all_of_the_kernel(index):
    X = np.array([[0.0], [2.0], [7.0]])
    form, points = made(X, Energy(1.0), index)
    rho = form.distances(points, slice(None))
    K = kernel(X, Energy(1.0), np.array(index)) / form.unit
    assert form.rank == len(set(index)) - 1
    left = np.diagonal(K) - (form.features(rho) ** 2).sum(axis=1)
    np.testing.assert_allclose(form.lacking(rho) ** 2, left, atol=1e-12)


def test_reach_bounds_distances_to_landmarks():
    X = np.random.default_rng(2).standard_cauchy(size=(300, 2))
    form, points = made(X, Energy(1.0), np.arange(30))
    rho = form.distances(points, slice(None))
    assert np.all(rho.max(axis=1) <= 2.0 * form.own(rho) + form.reach)


def test_many_rows_are_measured_as_few():
    """Features are made some rows at a time: 570 rows take three times, the last one short."""
    X = np.random.default_rng(4).normal(size=(600, 3))
    points = Points.of(Energy().terms(X), as_they_are=True)
    form = LandmarkForm.of(points, np.arange(30))
    rho = form.distances(points, slice(30, None))
    each = np.concatenate([form.lacking(rho[i : i + 1]) for i in range(570)])
    np.testing.assert_allclose(form.lacking(rho), each, rtol=1e-9)
    squared = (form.features(rho) ** 2).sum(axis=1)
    expected = np.sqrt(np.maximum(form.own(rho) - squared, 0))
    np.testing.assert_allclose(form.lacking(rho), expected, atol=1e-6)
