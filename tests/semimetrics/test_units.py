"""Distances and fits at any scale, and of close histograms, in long double and decimals."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups import semimetrics as sm
from kgroups.semimetrics.all_pairs import Term, all_pairs

TINY, HUGE = 1e-300, 1e300
SCALES = [
    (np.float64, 1e-290), (np.float64, 1e-170), (np.float64, 1e-157), (np.float64, 1e160),
    (np.float64, 1e290), (np.float32, 1e-37), (np.float32, 1e-24), (np.float32, 1e-20),
    (np.float32, 1e20), (np.float32, 1e36),
]  # fmt: skip


def exact(X, Y, power):
    """‖x − y‖^power in long double, whose exponents reach 4932."""
    gaps = X.astype(np.longdouble)[:, None] - Y.astype(np.longdouble)
    return np.sqrt((gaps**2).sum(axis=2)) ** np.longdouble(power)


def rounding(dtype):
    return 1e-12 if dtype == np.float64 else 3e-6


@each(("dtype", "scale"), SCALES)
@each("d", [1, 3, 40])
def test_distances_at_any_scale(dtype, scale, d):
    """Every power that the type can hold, within one table and between two."""
    rng = np.random.default_rng(d)
    X, Y = ((rng.normal(size=(n, d)) * scale).astype(dtype) for n in (40, 7))
    least, most = np.log10(np.float64([np.finfo(dtype).tiny, np.finfo(dtype).max]))
    for alpha in (0.1, 0.3, 0.5, 1.0, 1.3, 1.5, 2.0):
        expected = exact(X, X, alpha)
        np.fill_diagonal(expected, 0)
        if not least + 2 < alpha * np.log10(scale) < most - 3:
            continue
        found = sm.Energy(alpha).pairwise(X)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected.astype(float), rtol=rounding(dtype))
        cross = sm.Energy(alpha).pairwise(Y, X)
        np.testing.assert_allclose(cross, exact(Y, X, alpha).astype(float), rtol=rounding(dtype))


@each(("dtype", "scale"), SCALES)
def test_bounded_distances_at_any_scale(dtype, scale):
    """The length scale is in the units of X: 2 − 2 exp(−t²/2) and 2 − 2 exp(−t/2) at σ = scale."""
    X = (np.random.default_rng(1).normal(size=(40, 3)) * scale).astype(dtype)
    t = (exact(X, X, 1) / np.longdouble(scale)).astype(float)
    for rho, expected in (
        (sm.Gaussian(scale), -2 * np.expm1(-t * t / 2)),
        (sm.Laplacian(scale), -2 * np.expm1(-t / 2)),
    ):
        np.testing.assert_allclose(rho.pairwise(X), expected, rtol=rounding(dtype), atol=1e-300)
    off = exact(X, X, 1)[np.triu_indices(40, 1)].astype(float)
    assert sm.Gaussian("median").resolve(X).sigma == pytest.approx(np.median(off), rel=1e-6)


def test_length_scales_far_from_the_data():
    """Points are all the same next to a large σ, and all equally far next to a tiny one."""
    X = np.random.default_rng(2).normal(size=(5, 2))
    apart = 2.0 - 2.0 * np.eye(5)
    for kind in (sm.Gaussian, sm.Laplacian):
        for x, sigma in ((X, TINY), (X * HUGE, 1.0), (X * HUGE, TINY)):
            np.testing.assert_array_equal(np.abs(kind(sigma).pairwise(x)), apart)
        assert not sm.Gaussian(HUGE).pairwise(X * TINY).any()


@each("alpha", [0.5, 1.0, 1.5])
def test_units_round_nothing(alpha):
    """Square roots of powers of 16 are powers of two, so that a scale of 2^s moves no bit."""
    X = np.random.default_rng(3).normal(size=(50, 4))
    for exponent in (-600, -602, 520):
        found = sm.Energy(alpha).pairwise(np.ldexp(X, 2 * exponent // 2))
        plain = sm.Energy(alpha).pairwise(X)
        np.testing.assert_array_equal(found, plain * 2.0 ** (exponent * alpha))


def test_new_points_at_another_scale_than_the_training_points():
    """The unit is that of the points compared with, if the others then still are finite."""
    X = np.array([[0.0], [1e-170], [5e-170], [6e-170]])
    model = KernelKGroups(2, random_state=0).fit(X)
    apart = model.labels_[2]
    assert model.labels_.tolist() == [1 - apart, 1 - apart, apart, apart]
    assert model.predict([[1.0], [5.4e-170], [1e-171]])[1:].tolist() == [apart, 1 - apart]
    large = sm.Energy().pairwise([[1e200], [2.0]], [[0.0], [1.0]])
    np.testing.assert_allclose(large, [[1e200, 1e200], [2.0, 1.0]], rtol=1e-15)


ONE_FAR_ROW = [(np.float32, 1e24), (np.float64, 1e160), (np.float64, 1e180), (np.float64, 1e290)]
METRICS = [  # and what they are of the distance t on a line
    (sm.Energy(0.5), np.sqrt), (sm.Energy(1.0), abs), (sm.Energy(2.0), np.square),
    (sm.Gaussian(1.0), lambda t: -2 * np.expm1(-t * t / 2)),
    (sm.Laplacian(1.0), lambda t: -2 * np.expm1(-t / 2)), (sm.Manhattan(), abs),
]  # fmt: skip


def two_groups(dtype, scale=1.0, far=None):
    """20 points near 0, 20 near 50, and one that may be far from both."""
    rng = np.random.default_rng(0)
    groups = [rng.normal(size=(20, 1)), rng.normal(50, 1, size=(20, 1))]
    return np.concatenate([np.concatenate(groups) * scale, [[far]]]).astype(dtype)


@each(("dtype", "far"), ONE_FAR_ROW)
@each(("metric", "phi"), METRICS)
def test_a_far_row_leaves_the_others_their_distances(metric, phi, dtype, far):
    """Within one table, between two in either order, and in the clusters of a fit."""
    X = two_groups(dtype, far=far)
    true = phi(exact(X, X, 1))
    with np.errstate(over="ignore"):
        expected = true.astype(float)
    known = expected < np.finfo(dtype).max
    apart = known & ~np.eye(41, dtype=bool)
    for found in (metric.pairwise(X), metric.pairwise(X, X.copy())):
        np.testing.assert_allclose(found[apart], expected[apart], rtol=20 * rounding(dtype))
    if known.all():
        model = KernelKGroups(3, metric=metric, n_init=20, random_state=0).fit(X)
        for j, found in enumerate(model.cluster_dispersions_):
            among = model.labels_ == j
            W = float(true[np.ix_(among, among)].sum() / (2 * among.sum()))
            assert found == pytest.approx(W, rel=20 * rounding(dtype), abs=1e-300)


@each("method", ["dense", "matrix_free"])
@each("scale", [1e-37, 1e-30, 1e-23, 1e-19, 1e-12])
def test_small_numbers_next_to_large_ones_in_single_precision(method, scale):
    X = two_groups(np.float32, scale, far=1.0)
    model = KernelKGroups(2, method=method, random_state=0).fit(X)
    assert model.labels_.sum() in (1, 40)
    W = float(exact(X[:40], X[:40], 1).sum() / 80)
    assert model.within_dispersion_ == pytest.approx(W, rel=1e-6, abs=0)


def shares(row):
    numbers = [Decimal(float(value)) for value in row]
    return [number / sum(numbers) for number in numbers]


def jensen_shannon(x, y):
    """½ Σ p ln(p/m) + q ln(q/m) in 60 digits."""
    with localcontext(prec=60):
        total = Decimal(0)
        for p, q in zip(shares(x), shares(y), strict=True):
            m = (p + q) / 2
            total += sum((a * (a / m).ln() for a in (p, q) if a), Decimal(0))
        return float(total / 2)


def hellinger(x, y):
    with localcontext(prec=60):
        gaps = [p.sqrt() - q.sqrt() for p, q in zip(shares(x), shares(y), strict=True)]
        return float((sum(gap * gap for gap in gaps) / 2).sqrt())


def close_histograms(dtype, apart, d):
    rng = np.random.default_rng(d)
    p = rng.gamma(1.0, size=d) + 0.01
    return np.array([p, p * (1 + apart * rng.uniform(-1, 1, size=d))]).astype(dtype)


@each("dtype", [np.float32, np.float64])
@each("digits", range(16))
def test_close_histograms(dtype, digits):
    """Exact up to the rounding of the shares, 1e-16 of them, next to their relative difference."""
    for d in (2, 20):
        X = close_histograms(dtype, 10.0**-digits, d)
        if np.array_equal(*X):
            continue
        shares_apart = np.abs(np.subtract(*(X / X.sum(axis=1, dtype=float)[:, None])) * d).max()
        most = 1e-15 + 1e-15 / shares_apart + (1e-7 if dtype == np.float32 else 0)
        for rho, definition in ((sm.JensenShannon(), jensen_shannon), (sm.Hellinger(), hellinger)):
            expected = pytest.approx(definition(*X), rel=most)
            assert rho.pairwise(X)[0, 1] == expected
            assert rho.pairwise(X[1:], X[:1])[0, 0] == expected


@each("q", [0.0, 5e-324, 1e-300, 1e-17, 0.1, 0.6, 0.61, 0.999, 1.0])
def test_one_term(q):
    """On both sides of d² = 1/16, which is at 0.6, and at zero; the order moves no bit."""
    with localcontext(prec=60):
        a, b = Decimal(1), Decimal(q)
        m = (a + b) / 2
        expected = float((a * (a / m).ln() + (b * (b / m).ln() if b else 0)) / 2)
    rho = all_pairs([Term(np.array([[1.0], [q]]), sm.codes.SHANNON, sm.codes.SCALE, 1.0, 1.0)])
    assert rho[0, 1] == pytest.approx(expected, rel=2e-15, abs=1e-300)
    assert rho[0, 1] == rho[1, 0]


def test_histograms_whose_sums_overflow():
    X = np.random.default_rng(1).gamma(1.0, size=(3, 4))
    for rho in (sm.JensenShannon(), sm.Hellinger()):
        for scale in (1e-310, 2e307):
            np.testing.assert_allclose(rho.pairwise(X * scale), rho.pairwise(X), rtol=1e-12)


def test_near_places_in_float32():
    """1e-5 degrees of longitude on the equator and at 60 degrees, where they are half as long."""
    X = np.float32([[0, 0], [0, 1e-5], [60, 0], [60, 1e-5]])
    found = sm.GreatCircle().pairwise(X)
    one = np.radians(np.float64(np.float32(1e-5)))
    assert found.dtype == np.float32
    assert found[0, 1] == pytest.approx(one, rel=1e-6)
    assert found[2, 3] == pytest.approx(one / 2, rel=1e-6)


def test_damped_squares_keep_their_digits_far_away():
    """t² exp(−t/2) = 3600 e^−30 at 60; and 0 where the exponential is, however large t² is."""
    rho = sm.DampedSquared()
    assert rho.pairwise([[0.0], [60.0]])[0, 1] == pytest.approx(3600 * np.exp(-30), rel=1e-14)
    assert rho.pairwise([[0.0], [1e150], [-1e200]])[0].tolist() == [0.0, 0.0, 0.0]
