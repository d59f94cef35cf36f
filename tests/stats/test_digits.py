"""Dispersions and distances that keep their digits and their range, whatever weights are."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats as scipy_stats

from helpers import each
from kgroups import semimetrics as sm
from kgroups.semimetrics import Energy, Manhattan
from kgroups.stats import (
    between_statistic,
    disco,
    energy_distance,
    energy_test,
    mmd,
    within_dispersion,
)
from kgroups.stats.group_means import GroupMeans, unrounded

METRICS = [
    sm.Energy(),
    sm.Energy(0.5),
    sm.Energy(2.0),
    sm.Manhattan(),
    sm.Laplacian(0.7),
    sm.Gaussian("median"),
    sm.ColumnSum([(sm.Energy(), [0]), (sm.Energy(2.0), [1, 2], 0.5), (sm.Hamming(), [3], 2.0)]),
    sm.ColumnSum([(sm.Energy(2.0), [0]), (sm.Manhattan(), slice(1, None))]),
    sm.Jaccard(),
]


def points(rng, n, d=4):
    X = rng.normal(size=(n, d))
    X[:, -1] = rng.integers(3, size=n)
    return X


@pytest.mark.nojit
def test_groups_whose_weights_are_far_apart():
    """S = s_a/2 · 𝓔 = 1e-200 · (2 · 7.5 − 2.5 − 1) for s_b without bound; W = 1e200."""
    X, labels, w = [0.0, 5.0, 9.0, 11.0], [0, 0, 1, 1], [1e-200, 1e-200, 1e200, 1e200]
    assert between_statistic(X, labels, sample_weight=w) == pytest.approx(11.5e-200, rel=1e-14)
    assert within_dispersion(X, labels, sample_weight=w) == pytest.approx(1e200, rel=1e-14)


def dispersions_of_squares(x, labels):
    """W and S for ρ = (x − y)² in rational numbers."""
    groups = [[Fraction(v) for v in x[labels == g].tolist()] for g in np.unique(labels)]

    def about_mean(values):
        mean = sum(values) / len(values)
        return sum((v - mean) ** 2 for v in values)

    W = sum(about_mean(values) for values in groups)
    return W, about_mean([v for values in groups for v in values]) - W


@each("apart", [1e4, 1e8, 1e12])
def test_far_groups_lose_no_digits(apart):
    rng = np.random.default_rng(25)
    groups = [rng.normal(size=50), rng.normal(size=60) + apart, rng.normal(size=55) - 3 * apart]
    x, labels = np.concatenate(groups), np.repeat([0, 1, 2], [50, 60, 55])
    W, S = dispersions_of_squares(x, labels)
    for metric, scale in ((sm.Energy(2.0), 1.0), (sm.ColumnSum([(sm.Energy(2.0), [0], 0.7)]), 0.7)):
        found = disco(x[:, None], labels, metric=metric, n_permutations=9, random_state=0)
        assert found.within == pytest.approx(scale * float(W), rel=1e-13)
        assert found.between == pytest.approx(scale * float(S), rel=1e-13)
        assert found.statistic == pytest.approx(float(S / 2 / (W / 162)), rel=1e-13)
    if apart == 1e4:
        expected = scipy_stats.f_oneway(*groups).statistic
        assert found.statistic == pytest.approx(expected, rel=1e-6)
    for metric in (sm.Energy(), sm.Energy(0.5), sm.Manhattan()):
        X = np.c_[x, x / 2]
        terms = [
            rho.sum() / (2 * len(rho))
            for rho in (metric.pairwise(X[labels == g]) for g in range(3))
        ]
        found = disco(X, labels, metric=metric, n_permutations=9, random_state=0)
        assert found.within == pytest.approx(math.fsum(terms), rel=1e-12)
        test = energy_test(X, labels=labels, metric=metric, n_permutations=9, random_state=0)
        assert test.within == found.within == within_dispersion(X, labels, metric=metric)
        assert test.between == found.between == between_statistic(X, labels, metric=metric)
        assert test.statistic == pytest.approx(test.energy.sum() / 2, rel=1e-14)


def test_a_point_without_weight_is_no_origin():
    x = np.random.default_rng(27).normal(size=30)
    options = {"metric": sm.Energy(2.0), "sample_weight": np.r_[0, np.ones(30), 0]}
    found = within_dispersion(np.r_[1e15, x, 1e15], np.zeros(32), **options)
    assert found == pytest.approx(np.var(x) * 30, rel=1e-13)


@each("metric", METRICS, ids=repr)
def test_rounding_does_not_leave_the_range(metric):
    """W, S and 𝓔 not negative, shares and coefficients in [0, 1]; all 0 for equal samples."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = points(rng, 30)
        test = energy_test(X, X[rng.permutation(30)], metric=metric, n_permutations=1)
        assert 0 <= test.statistic <= 1e-28
        assert test.coefficient <= 1e-28
        constants = np.repeat(points(rng, 2), [11, 17], axis=0)
        labels = np.repeat([0, 1], [11, 17])
        test = energy_test(constants, labels=labels, metric=metric, n_permutations=1)
        assert 0 <= test.within <= 1e-15
        assert 0 <= test.explained <= 1
        assert np.all((test.coefficients >= 0) & (test.coefficients <= 1))
        variance = disco(constants, labels, metric=metric, n_permutations=1)
        assert (variance.within, variance.explained) == (test.within, test.explained)


def test_without_negative_type_shares_may_leave_the_range():
    """𝓔 = 2·1 − 5 − 5 = T, S = 4/8 of it, W = 5 + 5."""
    rho = np.array([[0, 10, 1, 1], [10, 0, 1, 1], [1, 1, 0, 10], [1, 1, 10, 0]], float)
    labels = [0, 0, 1, 1]
    test = energy_test(rho, labels=labels, metric="precomputed", n_permutations=5)
    assert (test.statistic, test.coefficient) == (-8, -4)
    assert (test.within, test.between) == (10, -4)
    variance = disco(rho, labels, metric="precomputed", n_permutations=5)
    assert test.explained == variance.explained == pytest.approx(-4 / 6)
    assert variance.statistic == pytest.approx(-4 / (10 / 2))


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


pytestmark = pytest.mark.nojit


def test_overflow_is_an_error():
    zeros = GroupMeans.zeros((), 2)
    assert zeros.check() is zeros
    for bad in (np.inf, np.nan):
        with pytest.raises(ValueError, match="not a finite number"):
            GroupMeans(np.array([0.0, bad]), np.zeros((2, 2))).check()
        with pytest.raises(ValueError, match="not a finite number"):
            GroupMeans(np.zeros(2), np.full((2, 2), bad)).check()


def test_differences_of_rounding_are_zero():
    difference = np.array([1e-14, 1e-12, -1e-14, -1.0])
    assert unrounded(difference, np.ones(4)).tolist() == [0.0, 1e-12, 0.0, -1.0]
    assert GroupMeans.of_pairs(np.full((2, 2), 0.1 + 0.2)).energy.tolist() == [[0, 0], [0, 0]]


@pytest.mark.nojit
@each("unit", [1e-200, 1e200])
@each("metric", [sm.Energy(), sm.Energy(0.5), sm.Energy(2.0)], ids=repr)
def test_the_unit_of_weights_is_that_of_dispersions(metric, unit):
    rng = np.random.default_rng(24)
    X, labels, w = rng.normal(size=(20, 1)), rng.integers(3, size=20), rng.uniform(size=20)
    for statistic in (within_dispersion, between_statistic):
        plain = statistic(X, labels, metric=metric, sample_weight=w)
        found = statistic(X, labels, metric=metric, sample_weight=unit * w)
        assert found / unit == pytest.approx(plain, rel=1e-12)
