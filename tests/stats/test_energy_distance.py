"""Energy distance and MMD: by definition, by hand, against SciPy, and far from the origin."""

import numpy as np
import pytest
from scipy import stats as scipy_stats
from sklearn.metrics.pairwise import rbf_kernel

from helpers import each
from kgroups.semimetrics import (
    Energy,
    Gaussian,
    Manhattan,
)
from kgroups.stats import (
    energy_distance,
    mmd,
)
from stats_cases import METRICS, brute_energy, points


@pytest.mark.nojit
@each("unbiased", [False, True])
@each("metric", METRICS, ids=repr)
def test_energy_distance_is_its_definition(metric, unbiased):
    rng = np.random.default_rng(0)
    both = points(rng, 23)
    rho = metric.pairwise(both)
    ones = brute_energy(rho, 9, np.ones(9), np.ones(14), unbiased)
    found = energy_distance(both[:9], both[9:], metric=metric, unbiased=unbiased)
    assert found == pytest.approx(ones, rel=1e-12)
    wx, wy = rng.uniform(size=9), rng.uniform(size=14)
    wx[2] = 0
    weighted = energy_distance(
        both[:9], both[9:], metric=metric, unbiased=unbiased,
        sample_weight_X=wx * 1e200, sample_weight_Y=wy * 1e-3,
    )  # fmt: skip
    assert weighted == pytest.approx(brute_energy(rho, 9, wx, wy, unbiased), rel=1e-11)


@pytest.mark.nojit
@each("seed", range(5))
def test_energy_distance_on_a_line_is_the_square_of_scipys(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=30).round(1), rng.exponential(size=50).round(1)  # with ties
    wx, wy = rng.uniform(size=30), rng.uniform(size=50)
    plain = scipy_stats.energy_distance(x, y) ** 2
    assert energy_distance(x, y) == pytest.approx(plain, rel=1e-12)
    weighted = scipy_stats.energy_distance(x, y, wx, wy) ** 2
    found = energy_distance(x, y, sample_weight_X=wx, sample_weight_Y=wy)
    assert found == pytest.approx(weighted, rel=1e-12)


def test_a_hundred_thousand_points_on_a_line_agree_with_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=100_000), rng.normal(size=100_000)
    assert energy_distance(x, y) == pytest.approx(scipy_stats.energy_distance(x, y) ** 2, rel=1e-9)


@pytest.mark.nojit
@each("metric", [Energy(), Manhattan(), Energy(2.0), Energy(0.5)], ids=repr)
def test_far_from_the_origin_nothing_is_lost(metric):
    """Coordinates in sixteenths, so that the shift rounds nothing."""
    rng = np.random.default_rng(2)
    x, y = rng.integers(64, size=(40, 1)) / 16, rng.integers(4, 80, size=(30, 1)) / 16
    near = energy_distance(x, y, metric=metric)
    assert energy_distance(x + 1e8, y + 1e8, metric=metric) == pytest.approx(near, rel=1e-12)


@pytest.mark.nojit
def test_energy_distance_by_hand():
    assert energy_distance([0.0, 2.0], [5.0]) == 2 * 4 - 1 - 0
    assert energy_distance([0.0, 2.0], [5.0, 5.0], unbiased=True) == 2 * 4 - 2 - 0
    assert energy_distance([3.0], [3.0]) == 0
    assert energy_distance([[0.0, 0.0]], [[3.0, 4.0]]) == 10


def test_equal_samples_are_at_distance_zero_and_never_below():
    rng = np.random.default_rng(3)
    for metric in METRICS:
        X = points(rng, 40)
        found = energy_distance(X, X[rng.permutation(40)], metric=metric)
        assert 0 <= found <= 1e-14
        assert mmd(X, X, metric=metric) == 0


@pytest.mark.nojit
def test_tiny_distances_are_kept_where_no_difference_makes_them():
    """One of 10⁴ points moves by 1e-9: 𝓔 = 2 · 1e-8 · 1e-9 on the line, 2 · 1e-26 by squares."""
    x = np.arange(10_000.0)
    y = x.copy()
    y[0] -= 1e-9
    assert energy_distance(x, y) == pytest.approx(2e-17, rel=1e-12)
    assert energy_distance(x, y, metric=Energy(2.0)) == pytest.approx(2e-26, rel=1e-3)


@pytest.mark.nojit
def test_float32_is_summed_in_float64():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    Y = rng.normal(size=(60, 3)).astype(np.float32)
    expected = energy_distance(X.astype(np.float64), Y.astype(np.float64))
    assert energy_distance(X, Y) == expected


def test_mmd_is_that_of_the_kernel():
    rng = np.random.default_rng(5)
    X, Y, sigma = rng.normal(size=(30, 2)), rng.normal(0.5, size=(40, 2)), 1.3
    gamma = 1 / (2 * sigma**2)
    Kxx, Kyy, Kxy = rbf_kernel(X, X, gamma), rbf_kernel(Y, Y, gamma), rbf_kernel(X, Y, gamma)
    squared = Kxx.mean() + Kyy.mean() - 2 * Kxy.mean()
    assert mmd(X, Y, metric=Gaussian(sigma), squared=True) == pytest.approx(squared, rel=1e-12)
    assert mmd(X, Y, metric=Gaussian(sigma)) == pytest.approx(np.sqrt(squared), rel=1e-12)
    unbiased = (
        (Kxx.sum() - 30) / (30 * 29) + (Kyy.sum() - 40) / (40 * 39) - 2 * Kxy.mean()
    )  # Gretton et al. (2012), eq. 3
    found = mmd(X, Y, metric=Gaussian(sigma), unbiased=True, squared=True)
    assert found == pytest.approx(unbiased, rel=1e-11)


@pytest.mark.nojit
def test_a_negative_unbiased_square_has_the_root_zero():
    x, y = [0.0, 1.0], [0.0, 1.0]  # 2·½ − 1 − 1 = −1, half of it
    assert mmd(x, y, unbiased=True, squared=True) == -0.5
    assert mmd(x, y, unbiased=True) == 0.0
