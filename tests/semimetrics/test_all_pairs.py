"""Compiled distances where digits cancel, and their functions to a few roundings."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups import semimetrics as sm
from kgroups.gram import MatrixFreeGram
from kgroups.semimetrics.all_pairs import (
    Points,
    Term,
    all_pairs,
    cross_pairs,
)
from kgroups.semimetrics.group_sums import Group, sums_to_group


def relative_to(dtype):
    return 1e-12 if dtype == np.float64 else 3e-6


def normal(rng, n, d):
    return rng.normal(size=(n, d))


def squared(X, Y):
    return cdist(X, Y, "sqeuclidean")


def tight_clusters(d, dtype):
    """Three clusters a thousand apart and a thousandth wide; each point comes twice."""
    rng = np.random.default_rng(7)
    centers = rng.normal(scale=1e3, size=(3, d))
    half = centers[np.arange(60) % 3] + rng.normal(scale=1e-3, size=(60, d))
    return np.concatenate([half, half]).astype(dtype)


@each("alpha", [0.7, 1.0, 2.0])
@each(("dtype", "most"), [(np.float64, 1e-8), (np.float32, 1e-2)])
def test_tight_clusters_far_apart(alpha, dtype, most):
    X = tight_clusters(64, dtype)
    terms = sm.Energy(alpha).terms(X)
    rule = Points.of(terms).rule
    assert rule.forms.tolist() == [sm.codes.PRODUCT]
    wide = X.astype(np.float64)
    expected = cdist(wide, wide) ** alpha
    expected[squared(wide, wide) == 0] = 0
    for found, true in [
        (all_pairs(terms), expected),
        (cross_pairs(terms, 45), expected[:45, 45:]),
    ]:
        apart = true > 0
        assert np.array_equal(found[~apart], np.zeros(np.count_nonzero(~apart)))
        assert np.max(np.abs(found[apart] / true[apart] - 1)) < most


@each("dtype", [np.float32, np.float64])
@each("d", [31, 32, 64, 100])
@each("offset", [0.0, 1e2, 1e6])
def test_duplicates_are_at_distance_zero(d, offset, dtype):
    half = (np.random.default_rng(0).normal(size=(37, d)) + offset).astype(dtype)
    found = all_pairs(sm.Energy(1.0).terms(np.concatenate([half, half])))
    assert not np.diagonal(found, 37).any()
    np.testing.assert_allclose(found[:37], found[37:], rtol=relative_to(dtype))


@each("d", [31, 32, 33])
def test_one_far_point_leaves_the_others_their_digits(d):
    """A mean pulled away by an outlier makes products cancel for all other pairs."""
    X = np.random.default_rng(1).normal(size=(65, d))
    X[40] = 1e7
    expected = cdist(X, X)
    found = all_pairs(sm.Energy().terms(X))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-300)


def function_of(t, phi, parameter):
    """φ of some numbers, as distances from zero."""
    points = np.append(0.0, t)[:, None]
    return cross_pairs([Term(points, sm.codes.ABSOLUTE, phi, parameter, 1.0)], 1)[0]


def power(t, exponent):
    return function_of(t, sm.codes.POWER, exponent)


def exp_minus_one(x):
    return function_of(-2 * np.asarray(x), sm.codes.GAUSSIAN, 1.0) / -2


def relative_error(found, exact):
    return np.abs((found - exact) / exact).astype(float)


@each("exponent", [1e-3, 0.15, 0.35, 0.5, 0.65, 0.75, 0.999, 1.0])
def test_power_to_as_many_roundings_as_its_logarithm_is_large(exponent):
    rng = np.random.default_rng(0)
    t = np.concatenate([10.0 ** rng.uniform(-300, 300, 2000), 1 + rng.normal(size=500) / 1e4])
    found = power(t, exponent)
    exact = np.power(t.astype(np.longdouble), np.longdouble(exponent))
    most = (2 + np.abs(np.log(t))) * np.finfo(float).eps
    assert np.all(relative_error(found, exact) <= most)


def test_power_at_the_ends():
    for exponent in (0.15, 0.5, 1.0):
        assert power([0.0, 1.0], exponent).tolist() == [0.0, 1.0]
    assert power(4.0, 0.5) == 2.0
    assert power([2.0**-1000, 2.0**-1070], 0.2) == pytest.approx([2.0**-200, 2.0**-214], rel=1e-13)


@each("exponent", [0.15, 0.65, 0.95])
def test_a_sum_that_overflowed_stays_visible(exponent):
    """An infinite sum of squares must not become a finite distance, nor NaN a zero."""
    assert not np.isfinite(power(np.inf, exponent))
    assert not np.isfinite(power(np.nan, exponent))


def test_exp_minus_one_to_two_roundings():
    rng = np.random.default_rng(0)
    x = np.concatenate([-(10.0 ** rng.uniform(-15, 2.8, 3000)), np.linspace(-2, 0, 1001)])
    x = x[x != 0]
    found = exp_minus_one(x)
    exact = np.expm1(x.astype(np.longdouble))
    assert np.max(relative_error(found, exact)) <= 2 * np.finfo(float).eps
    assert exp_minus_one([0.0, -1e4, -np.inf]).tolist() == [0.0, -1.0, -1.0]


def test_sine_to_a_rounding_of_it_and_one_of_its_argument():
    x = np.concatenate([np.linspace(0.01, 50, 5001), 10.0 ** np.linspace(-8, 8, 1001)])
    found = function_of(x * x, sm.codes.SINE, 1.0) / (x * x)
    exact = np.sin(x.astype(np.longdouble))
    eps = np.finfo(float).eps
    assert np.all(np.abs(found - exact) <= 4 * eps * np.abs(exact) + eps * x * np.abs(np.cos(x)))
    assert np.isnan(function_of(np.inf, sm.codes.SINE, 1.0))


def test_arc_to_three_roundings():
    x = np.concatenate([np.linspace(0, 1, 5001), 10.0 ** np.linspace(-100, 0, 101)])[1:]
    found = function_of(4 * x * x, sm.codes.ARC, 0.5)
    # A rounding of the chord, near the end of the half circle, is a large one of the arc.
    half = np.sqrt(4 * x * x) / 2
    exact = np.arcsin(half.astype(np.longdouble))
    assert np.max(relative_error(found, exact)) <= 1.5 * np.finfo(float).eps
    assert function_of(5.0, sm.codes.ARC, 2.0) == 2 * np.pi


@each("d", [3, 40])
@each("dtype", [np.float64, np.float32])
def test_no_distance_depends_on_the_others(d, dtype):
    """To the bit, by three loops, also where products cancel between some points."""
    X = np.random.default_rng(0).normal(size=(75, d)).astype(dtype)
    X[40] = X[3] + np.float32(1e-3)
    points = Points.of(sm.Energy().terms(X))
    rho = all_pairs(sm.Energy().terms(X))
    assert np.allclose(rho, cdist(X, X), rtol=1e-3 if dtype == np.float32 else 1e-9, atol=1e-6)
    assert np.array_equal(rho, rho.T)
    rows = -2 * MatrixFreeGram(points).rows(np.arange(3, 41))
    assert np.array_equal(rows, rho[3:41])
    one = Group.of(points.table[40:41], np.ones(1))
    assert np.array_equal(sums_to_group(points, points.table, one), rho[40].astype(np.float64))


@each("dtype", [np.float32, np.float64])
def test_near_rows_far_from_the_center_keep_their_digits(dtype):
    """Rounded coordinates would cost the first group all digits of its distances."""
    rng = np.random.default_rng(0)
    X = 1e-3 * rng.normal(size=(400, 40))
    X[200:] += 1e4
    X = X.astype(dtype)
    exact = cdist(X.astype(np.float64), X.astype(np.float64))
    rho = sm.Energy().pairwise(X)
    np.testing.assert_allclose(rho[:200, :200], exact[:200, :200], rtol=20 * np.finfo(dtype).eps)
    np.testing.assert_allclose(rho[200:, 200:], exact[200:, 200:], rtol=20 * np.finfo(dtype).eps)
