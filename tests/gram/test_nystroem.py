"""The Nyström map: what it keeps of the kernel."""

import numpy as np
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.gram import NystroemMap
from kgroups.semimetrics import Energy, Gaussian, Laplacian, Manhattan

KINDS = {
    "energy-1": (Energy(1.0), cdist),
    "energy-0.5": (Energy(0.5), lambda X, Y: np.sqrt(cdist(X, Y))),
    "energy-1.5": (Energy(1.5), lambda X, Y: cdist(X, Y) ** 1.5),
    "energy-2": (Energy(2.0), lambda X, Y: cdist(X, Y) ** 2),
    "laplacian": (Laplacian(1.0), lambda X, Y: 2 - 2 * np.exp(-cdist(X, Y) / 2)),
    "gaussian": (Gaussian(1.0), lambda X, Y: 2 - 2 * np.exp(-(cdist(X, Y) ** 2) / 2)),
    "manhattan": (Manhattan(), lambda X, Y: cdist(X, Y, "cityblock")),
}


def in_full(to_features, X):
    """Features and what they lack, in units of ρ, and in float64."""
    F, lacking = to_features(X)
    return F.astype(float) * np.sqrt(to_features.unit), lacking * to_features.unit


every_kind = each("kind", KINDS)


@every_kind
def test_between_landmarks_it_is_the_kernel(kind):
    """f fᵀ is −ρ/2 centered about the mean of the landmarks, to rounding in float32."""
    semimetric, by_hand = KINDS[kind]
    Z = np.random.default_rng(0).normal(size=(80, 3))
    to_features = NystroemMap.of(Z, semimetric)
    assert to_features(Z)[0].dtype == np.float32
    F, lacking = in_full(to_features, Z)
    rho = by_hand(Z, Z)
    J = np.eye(80) - 1 / 80
    K = -0.5 * J @ rho @ J
    assert F.shape == (80, to_features.rank)
    found = F @ F.T
    assert np.abs(found - K).max() < 1e-4 * np.abs(K).max()
    assert lacking.max() < 1e-4 * np.abs(K).max()
    assert lacking.min() >= 0
    np.testing.assert_allclose(F.mean(axis=0), 0, atol=1e-4 * np.sqrt(np.abs(K).max()))


@every_kind
def test_what_features_lack_is_the_distance_to_what_landmarks_span(kind):
    """Never negative, and less with each landmark more; with all of them nothing."""
    semimetric, by_hand = KINDS[kind]
    X = np.random.default_rng(2).normal(size=(120, 2))
    scale = by_hand(X, X).max()
    before = np.full(120, np.inf)
    for m in (2, 5, 15, 40, 120):
        F, lacking = in_full(NystroemMap.of(X[:m], semimetric), X)
        rho = by_hand(X, X[:m])
        inner = by_hand(X[:m], X[:m]).mean()
        norms = np.einsum("ij,ij->i", F, F)
        own = rho.mean(axis=1) - inner / 2
        np.testing.assert_allclose(lacking, np.maximum(own - norms, 0), atol=1e-4 * scale)
        assert lacking.min() >= 0
        assert np.all(lacking <= before + 1e-3 * scale)
        before = lacking
    assert before.max() < 1e-3 * scale


def test_one_landmark_and_equal_landmarks():
    """No direction is left: no features, and each point lacks all of its distance."""
    X = np.arange(6.0)[:, None]
    for Z in (X[2:3], np.repeat(X[2:3], 4, axis=0)):
        to_features = NystroemMap.of(Z, Energy())
        F, lacking = to_features(X)
        assert F.shape == (6, to_features.rank)
        assert np.abs(F).max(initial=0.0) < 1e-6
        np.testing.assert_allclose(lacking, np.abs(X[:, 0] - 2), rtol=1e-6)


@each("dtype", [np.float32, np.float64])
def test_landmarks_far_from_the_origin(dtype):
    """An offset of 1e3 costs no more digits than the points have lost already."""
    X = (np.random.default_rng(3).normal(size=(90, 3)) + 1e3).astype(dtype)
    F, _ = in_full(NystroemMap.of(X, Energy()), X)
    rho = cdist(X.astype(float), X.astype(float))
    found = cdist(F, F, "sqeuclidean")
    np.testing.assert_allclose(found, rho, atol=2e-3 * rho.max())


@each("power", [-60, -7, 0, 40])
def test_the_unit_is_a_power_of_two_below_the_mean_distance(power):
    """Points twice as far apart have the same features, to the last digit."""
    X = np.random.default_rng(4).normal(size=(50, 3))
    one, other = NystroemMap.of(X[:20], Energy()), NystroemMap.of(X[:20] * 2.0**power, Energy())
    assert np.frexp(one.unit)[0] == 0.5
    assert one.unit <= cdist(X[:20], X[:20]).mean() < 2 * one.unit
    assert other.unit == one.unit * 2.0**power
    for a, b in zip(one(X), other(X * 2.0**power), strict=True):
        assert np.array_equal(a, b)
