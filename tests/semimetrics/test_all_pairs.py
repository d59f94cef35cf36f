"""Compiled distances against SciPy: every rule, width and type, and where digits cancel."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import rel_entr

from helpers import each
from kgroups import semimetrics as sm
from kgroups.gram import MatrixFreeGram
from kgroups.semimetrics.all_pairs import (
    Points,
    Term,
    all_pairs,
    cross_blocks,
    cross_pairs,
    in_panels,
)
from kgroups.semimetrics.group_sums import Group, sums_to_group

DIMENSIONS = [1, 2, 31, 32, 33, 100]


def relative_to(dtype):
    return 1e-12 if dtype == np.float64 else 3e-6


# --- data, and each distance as its definition has it ------------------------------------------


def normal(rng, n, d):
    return rng.normal(size=(n, d))


def categories(rng, n, d):
    return rng.integers(0, 3, size=(n, d)).astype(float)


def histograms(rng, n, d):
    """Some entries are zero, no row is."""
    return rng.gamma(1.0, size=(n, d)) * (rng.random((n, d)) < 0.7) + np.eye(n, d) + 1e-3


def scores(rng, n, d):
    """Rankings with ties."""
    return rng.integers(0, d, size=(n, d)).astype(float)


def places(rng, n, d):
    """Far from antipodes, where an arc is ill conditioned."""
    return rng.uniform(-60, 60, size=(n, d))


def squared(X, Y):
    return cdist(X, Y, "sqeuclidean")


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def angles(X, Y):
    """Angles from the chord, or near antipodes from the chord to the opposite direction."""
    near, far = np.minimum(cdist(X, Y), 2), np.minimum(cdist(X, -Y), 2)
    return np.where(near < far, 2 * np.arcsin(near / 2), np.pi - 2 * np.arcsin(far / 2))


def arcs(X, Y):
    (a, b), (c, d) = np.radians(X).T[:, :, None], np.radians(Y).T[:, None, :]
    h = np.sin((a - c) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((b - d) / 2) ** 2
    return 2 * 2.5 * np.arcsin(np.sqrt(h))


def discordant(X, Y):
    d = X.shape[1]
    first, second = np.triu_indices(d, 1)
    signs = [np.sign(Z[:, first] - Z[:, second]) for Z in (X, Y)]
    return cdist(*signs, "cityblock") / 2 / math.comb(d, 2)


def hellinger(X, Y):
    left, right = (np.sqrt(Z / Z.sum(axis=1, keepdims=True)) for Z in (X, Y))
    return cdist(left, right) / np.sqrt(2)


def divergences(X, Y):
    p, q = (Z / Z.sum(axis=1, keepdims=True) for Z in (X, Y))
    p, q = p[:, None], q[None]
    return (rel_entr(p, (p + q) / 2) + rel_entr(q, (p + q) / 2)).sum(axis=2) / 2


def mixed(d):
    """Of four kinds, on a column, a few columns, and on all."""
    few = [0, d - 1]
    return sm.ColumnSum(
        [
            (sm.Energy(0.7), [0]),
            (sm.Manhattan(), slice(None), 0.5),
            (sm.Gaussian(2.0), few),
            (sm.Hamming(), few),
        ]
    )


def mixed_by_hand(X, Y):
    few = [0, X.shape[1] - 1]
    return (
        cdist(X[:, :1], Y[:, :1]) ** 0.7
        + 0.5 * cdist(X, Y, "cityblock")
        - 2 * np.expm1(-squared(X[:, few], Y[:, few]) / 8)
        + cdist(X[:, few], Y[:, few], "hamming")
    )


def energy(alpha):
    return lambda d: sm.Energy(alpha), normal, lambda X, Y: cdist(X, Y) ** alpha


CASES = {
    **{f"energy-{alpha}": energy(alpha) for alpha in (0.3, 0.5, 0.7, 1.0, 1.5, 2.0)},
    "laplacian": (
        lambda d: sm.Laplacian(1.3),
        normal,
        lambda X, Y: -2 * np.expm1(-cdist(X, Y) / 2.6),
    ),
    "gaussian": (
        lambda d: sm.Gaussian(3.0),
        normal,
        lambda X, Y: -2 * np.expm1(-squared(X, Y) / 18),
    ),
    "damped": (
        lambda d: sm.DampedSquared(),
        normal,
        lambda X, Y: squared(X, Y) * np.exp(-cdist(X, Y) / 2),
    ),
    "sine": (
        lambda d: sm.SineSquared(2.0),
        normal,
        lambda X, Y: squared(X, Y) * 2 * np.sin(cdist(X, Y) / 2),
    ),
    "manhattan": (lambda d: sm.Manhattan(), normal, lambda X, Y: cdist(X, Y, "cityblock")),
    "hamming": (lambda d: sm.Hamming(), categories, lambda X, Y: cdist(X, Y, "hamming")),
    "cosine": (lambda d: sm.Cosine(), normal, lambda X, Y: squared(unit(X), unit(Y)) / 2),
    "angular": (
        lambda d: sm.Angular(),
        normal,
        lambda X, Y: angles(unit(X), unit(Y)),
    ),
    "hellinger": (lambda d: sm.Hellinger(), histograms, hellinger),
    "great_circle": (lambda d: sm.GreatCircle(2.5), places, arcs),
    "kendall_tau": (lambda d: sm.KendallTau(), scores, discordant),
    "jensen_shannon": (lambda d: sm.JensenShannon(), histograms, divergences),
    "column_sum": (mixed, normal, mixed_by_hand),
}


def case(name, d, n, dtype, seed=0):
    """A semimetric, n points of the type, and their distances from the numbers that they hold."""
    build, draw, by_hand = CASES[name]
    X = draw(np.random.default_rng(seed), n, d).astype(dtype)
    wide = X.astype(np.float64)
    return build(d), X, by_hand(wide, wide)


def fits(name, d):
    return d == 2 if name == "great_circle" else d > 1 if name == "kendall_tau" else True


EVERY = [(name, d) for name in CASES for d in DIMENSIONS if fits(name, d)]


def assert_close(found, expected, name, dtype):
    """Each distance to its own digits; to those of the largest where the formula cancels."""
    rel = relative_to(dtype)
    cancels = ("damped", "sine", "hellinger", "great_circle", "angular", "cosine", "jensen_shannon")
    atol = rel * np.abs(expected).max() if name in cancels else 0.0
    np.testing.assert_allclose(found, expected, rtol=rel, atol=atol + 1e-300)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@each(("name", "d"), EVERY)
def test_all_pairs(name, d, dtype):
    for n in (1, 2, 31, 32, 33, 64, 97):
        rho, X, expected = case(name, d, n, dtype, seed=n)
        np.fill_diagonal(expected, 0.0)
        found = all_pairs(rho.terms(X), dtype)
        assert found.dtype == dtype
        assert not np.diagonal(found).any()
        assert np.array_equal(found, found.T), "exactly symmetric"
        assert_close(found, expected, name, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@each(("name", "d"), EVERY)
def test_cross_pairs(name, d, dtype):
    """The first m points with the others: m in less than a panel, and in several."""
    for m, others in [(1, 1), (5, 70), (31, 33), (67, 45), (101, 3)]:
        rho, X, expected = case(name, d, m + others, dtype, seed=m)
        found = cross_pairs(rho.terms(X), m, dtype)
        assert found.dtype == dtype
        assert_close(found, expected[:m, m:], name, dtype)


def test_several_threads_and_chunks_of_panels():
    """900 columns need more than one chunk of panels, and 500² pairs are worth threads."""
    X = np.random.default_rng(0).normal(size=(500, 900))
    terms = sm.Energy(1.0).terms(X)
    assert Points.of(terms).chunk() < 500 // 32
    np.testing.assert_allclose(all_pairs(terms), cdist(X, X), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(cross_pairs(terms, 130), cdist(X[:130], X[130:]), rtol=1e-12)


def test_jaccard_has_no_terms():
    assert sm.Jaccard().terms(np.eye(3)) is None
    assert sm.ColumnSum([(sm.Energy(), [0]), (sm.Jaccard(), [1, 2])]).terms(np.eye(3)) is None


# --- the layout --------------------------------------------------------------------------------


@each("n", [1, 31, 32, 33, 70])
def test_panels_hold_the_points_and_copies_of_the_last(n):
    table = np.random.default_rng(n).normal(size=(n, 3))
    panels = in_panels(table)
    assert panels.shape == (-(-n // 32), 3, 32)
    for i in range(panels.shape[0] * 32):
        assert np.array_equal(panels[i // 32, :, i % 32], table[min(i, n - 1)])


def test_the_width_decides_between_differences_and_products():
    rng = np.random.default_rng(0)
    narrow, wide = (Points.of(sm.Energy().terms(rng.normal(size=(9, d)))) for d in (31, 32))
    assert narrow.rule.forms.tolist() == [sm.codes.SQUARED]
    assert wide.rule.forms.tolist() == [sm.codes.PRODUCT]
    assert wide.table.shape == (9, 33)
    np.testing.assert_allclose(wide.table[:, 32], (wide.table[:, :32] ** 2).sum(axis=1), rtol=1e-14)
    sine = Points.of(sm.SineSquared().terms(rng.normal(size=(9, 64))))
    assert sine.rule.forms.tolist() == [sm.codes.SQUARED]


def test_a_scale_is_taken_out_once():
    """Distances are unit times what the rule gives, which is a plain power: for Hamming a count."""
    points = Points.of(sm.Hamming().terms(np.eye(4)))
    assert points.unit == 0.25
    assert points.rule.powers.tolist() == [0]
    assert all_pairs(sm.Hamming().terms(np.eye(4)))[0].tolist() == [0, 0.5, 0.5, 0.5]


# --- where digits cancel -----------------------------------------------------------------------


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


@each("d", [5, 64])
def test_an_offset_costs_the_digits_that_it_takes_and_no_more(d):
    """Coordinates near 1e6 hold 1e-10; products of them would leave 1e-4 of a squared distance."""
    X = np.random.default_rng(0).normal(size=(80, d)) + 1e6
    expected = cdist(X, X)
    np.testing.assert_allclose(all_pairs(sm.Energy().terms(X)), expected, rtol=1e-8)


@each("d", [31, 32, 33])
def test_one_far_point_leaves_the_others_their_digits(d):
    """A mean pulled away by an outlier makes products cancel for all other pairs."""
    X = np.random.default_rng(1).normal(size=(65, d))
    X[40] = 1e7
    expected = cdist(X, X)
    found = all_pairs(sm.Energy().terms(X))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-300)


# --- φ -----------------------------------------------------------------------------------------


def function_of(t, phi, parameter):
    """φ of some numbers, as distances from zero."""
    points = np.append(0.0, t)[:, None]
    return cross_pairs([Term(points, sm.codes.ABSOLUTE, phi, parameter, 1.0)], 1)[0]


def power(t, exponent):
    return function_of(t, sm.codes.POWER, exponent)


def exp_minus_one(x):
    return function_of(-2 * np.asarray(x), sm.codes.GAUSSIAN, 1.0) / -2


def shannon(p, q):
    term = Term(np.array([[p], [q]]), sm.codes.SHANNON, sm.codes.SCALE, 1.0, 1.0)
    return all_pairs([term])[0, 1]


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


def test_shannon_by_hand():
    """½·1·log(1/(3/4)) + ½·½·log(½/(3/4)) from p = 1 and q = ½; nothing at 0 and 0."""
    by_hand = 0.5 * math.log(4 / 3) + 0.25 * math.log(2 / 3)
    assert shannon(1.0, 0.5) == pytest.approx(by_hand, rel=1e-14)
    assert shannon(0.5, 1.0) == pytest.approx(by_hand, rel=1e-14)
    assert shannon(0.0, 1.0) == pytest.approx(0.5 * math.log(2), rel=1e-15)
    assert shannon(0.0, 0.0) == 0.0


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


def test_blocks_of_rows_are_rows_of_the_whole():
    rng = np.random.default_rng(3)
    terms = sm.Manhattan().terms(rng.normal(size=(90, 3)))
    whole = cross_pairs(terms, 40)
    pieces = list(cross_blocks(terms, 40, [(0, 7), (7, 39), (39, 40)]))
    assert [len(piece) for piece in pieces] == [7, 32, 1]
    assert np.array_equal(np.vstack(pieces), whole)


@each("dtype", [np.float32, np.float64])
def test_columns_are_moved_to_a_center_only_where_no_digit_is_lost(dtype):
    rng = np.random.default_rng(0)
    X = np.empty((300, 40), dtype)
    X[:, :10] = rng.integers(0, 256, (300, 10))  # numbers of few digits
    X[:, 10:20] = 1e6 + rng.normal(size=(300, 10))  # far from 0, seen from their spread
    X[:, 20:30] = rng.exponential(size=(300, 10))  # entries near 0 would be rounded
    X[:, 30:] = 7.3  # constant
    points = Points.of(sm.Energy().terms(X))
    assert points.rule.forms.tolist() == [sm.codes.PRODUCT]
    moved = points.table[:, :40]
    center = X[0].astype(np.longdouble) - moved[0]
    assert np.all(moved + center == X.astype(np.longdouble))
    spread = X.std(axis=0, dtype=np.float64)
    for some in (slice(0, 20), slice(30, 40)):
        assert np.all(np.abs(moved[:, some].mean(axis=0)) <= 0.5 * spread[some] + 1e-12)
    assert np.array_equal(moved[:, 20:30], X[:, 20:30])
    assert np.abs(moved[:, 30:]).max() <= 1e-12


def test_columns_far_off_that_cannot_be_moved_are_compared_by_differences():
    rng = np.random.default_rng(0)
    X = rng.gamma(20.0, size=(5000, 40))
    assert Points.of(sm.Energy().terms(X)).rule.forms.tolist() == [sm.codes.SQUARED]
    assert Points.of(sm.Energy().terms(X - 20)).rule.forms.tolist() == [sm.codes.PRODUCT]


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
