"""The spectral bound: its formula, and below every partition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bound_cases import best_w, plain_bound, random_weights
from helpers import each, random_gram
from kgroups import KernelKGroups
from kgroups.bounds import semidefinite_bound, spectral_bound
from kgroups.bounds.centered import Centered
from kgroups.bounds.spectral_bound import largest_sum, spectral
from kgroups.gram import DenseGram
from kgroups.semimetrics import Energy


@pytest.mark.nojit
@each("weights", ["unit", "random", "zeros", "extreme"])
@each("kind", ["kernel", "distance", "indefinite"])
def test_spectral_bound_is_the_formula_and_below_every_partition(kind, weights):
    rng = np.random.default_rng(1)
    for _ in range(5):
        n = int(rng.integers(4, 8))
        G, w = random_gram(rng, n, kind), random_weights(rng, n, weights)
        for k in range(1, int((w > 0).sum()) + 1):
            found = spectral_bound(G, k, metric="precomputed_kernel", sample_weight=w)
            matrix = Centered.of(DenseGram(G), w)
            rounding = matrix.unit * matrix.rounding
            assert found <= best_w(G, w, k) + rounding
            assert_allclose(found, plain_bound(G, w, k), atol=3 * n * rounding)


@each("name", ["flat", "rank two", "indefinite", "zero"])
def test_lanczos_on_spectra_without_gaps_or_without_end(name):
    rng = np.random.default_rng(5)
    n, w = 650, np.ones(650)
    F = rng.normal(size=(n, 2))
    A = rng.normal(size=(n, n))
    G = {"flat": np.eye(n), "rank two": F @ F.T, "indefinite": A + A.T, "zero": np.zeros((n, n))}
    matrix = Centered.of(DenseGram(G[name]), w)
    P = np.eye(n) - 1 / n
    found = largest_sum(matrix, 4, 1e-8)
    exact = float(np.linalg.eigvalsh(P @ G[name] @ P)[-4:].sum())
    scale = np.abs(G[name]).sum() / n
    assert exact - 1e-12 * scale <= found <= exact + 1e-6 * scale + 1e-300


def test_bounds_do_not_depend_on_the_origin():
    rng = np.random.default_rng(6)
    for n, size in ((40, 1e-9), (700, 1e-7)):
        X = rng.normal(size=(n, 3))
        a = rng.normal(size=n)
        rho = Energy().pairwise(X)
        K = -0.5 * rho + a[:, None] + a
        expected = spectral_bound(X, 5)
        assert_allclose(spectral_bound(X + 1e6, 5), expected, rtol=1e-6)
        assert_allclose(spectral_bound(rho, 5, metric="precomputed"), expected, rtol=size)
        assert_allclose(spectral_bound(K, 5, metric="precomputed_kernel"), expected, rtol=size)
        offset = spectral_bound(K + 1e6, 5, metric="precomputed_kernel")
        assert 0.99 * expected <= offset <= expected * (1 + 1e-6)


def test_weights_are_repeats_and_their_unit_does_not_matter():
    rng = np.random.default_rng(7)
    X, w = rng.normal(size=(12, 2)), rng.integers(0, 4, size=12)
    for bound in (spectral_bound, semidefinite_bound):
        found = bound(X, 3, sample_weight=w)
        assert_allclose(bound(X, 3, sample_weight=1e200 * w), 1e200 * found, rtol=1e-5)
        if bound is spectral_bound:
            assert_allclose(bound(np.repeat(X, w, axis=0), 3), found, rtol=1e-9)


@each("n", [30, 100, 400])
@each("k", [2, 3, 7])
def test_points_at_equal_distances_have_no_gap(n, k):
    """A cluster of m has W = (m − 1)/2, so all partitions into k have (n − k)/2."""
    model = KernelKGroups(k, metric="hamming", random_state=0).fit(np.arange(n)[:, None])
    assert_allclose(model.within_dispersion_, (n - k) / 2)
    for kind in ("auto", "spectral"):
        found = model.optimality_gap(kind=kind)
        assert found.bound <= (n - k) / 2
        assert_allclose(found.bound, (n - k) / 2, rtol=1e-6)
        assert found.proves_optimal


def test_equal_points():
    assert_allclose(spectral_bound(np.ones((700, 2)), 3), 0.0, atol=1e-9)
    assert_allclose(semidefinite_bound(np.ones((20, 2)), 3), 0.0, atol=1e-12)


def test_spectral_of_no_more_points_than_clusters():
    matrix = Centered.of(DenseGram(np.eye(3)), np.array([1.0, 0.0, 2.0]))
    assert spectral(matrix, 3, 1e-8) == 0.0
