"""Semimetrics of sets, histograms, rankings and places, against other libraries."""

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import kendalltau
from sklearn.metrics.pairwise import haversine_distances

from kgroups.semimetrics import (
    GreatCircle,
    Hellinger,
    Jaccard,
    JensenShannon,
    KendallTau,
)
from semimetric_cases import histograms, places, rankings, sets


def test_jaccard_against_scipy():
    rng = np.random.default_rng(2)
    X, Y = sets(rng, 50), sets(rng, 40)
    expected = cdist(X.astype(bool), Y.astype(bool), "jaccard")
    np.testing.assert_allclose(Jaccard().pairwise(X, Y), expected, atol=1e-15)


def test_hellinger_is_the_root_of_one_minus_the_overlap_of_the_roots():
    rng = np.random.default_rng(3)
    X, Y = histograms(rng, 30), histograms(rng, 20)
    P, Q = (t / t.sum(axis=1, keepdims=True) for t in (X, Y))
    expected = np.sqrt(1 - np.sqrt(P) @ np.sqrt(Q).T)
    np.testing.assert_allclose(Hellinger().pairwise(X, Y), expected, atol=1e-12)


def test_kendall_tau_is_the_share_of_discordant_pairs():
    rng = np.random.default_rng(4)
    X = rankings(rng, 12, d=7)
    taus = np.array([[kendalltau(x, y).statistic for y in X] for x in X])
    np.testing.assert_allclose(KendallTau().pairwise(X), (1 - taus) / 2, atol=1e-14)
    # Only the order within a row counts.
    np.testing.assert_array_equal(KendallTau().pairwise(np.exp(X)), KendallTau().pairwise(X))


def test_great_circle_against_haversine():
    rng = np.random.default_rng(5)
    X, Y = places(rng, 60), places(rng, 50)
    expected = 6371.0 * haversine_distances(np.radians(X), np.radians(Y))
    np.testing.assert_allclose(GreatCircle(radius=6371.0).pairwise(X, Y), expected, rtol=1e-8)


def test_histograms_are_scaled_to_sum_to_one():
    rng = np.random.default_rng(6)
    X = histograms(rng, 20)
    for rho in (JensenShannon(), Hellinger()):
        scaled = rho.pairwise(X * rng.uniform(0.1, 9, (20, 1)))
        np.testing.assert_allclose(scaled, rho.pairwise(X), atol=1e-7)


def test_divergence_of_nearly_equal_histograms_is_not_negative():
    rng = np.random.default_rng(0)
    X = rng.random((50, 8)) + 0.1
    for dtype, noise in ((np.float64, 1e-9), (np.float32, 1e-5)):
        Y = (X * (1 + noise * rng.normal(size=X.shape))).astype(dtype)
        assert JensenShannon().pairwise(X.astype(dtype), Y).min() >= 0
