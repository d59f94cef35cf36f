"""The Jensen–Shannon and Hellinger distances of close histograms, in decimal arithmetic."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from helpers import each
from kgroups import semimetrics as sm
from kgroups.semimetrics.all_pairs import Term, all_pairs


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
