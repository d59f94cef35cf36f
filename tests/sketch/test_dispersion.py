"""W from a sample of rows: exact where all are taken, without bias, as noisy as theory says."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.input.rows import RowsInMemory
from kgroups.semimetrics import Energy
from kgroups.sketch.dispersion import LEAST_FOR_W, estimated_dispersion
from sketch_cases import dispersion


def estimate(X, labels, w, k, seed=0, alpha=1.0, **params):
    rng = np.random.default_rng(seed)
    return estimated_dispersion(RowsInMemory(X), Energy(alpha), labels, w, k, rng, 1, **params)


def deviation(X, labels, w, rows):
    """Standard deviation of an estimate of W: a U-statistic of degree two in each cluster.

    Of m draws with replacement, 4 (m − 2) ζ₁ + 2 ζ₂ over m (m − 1) is the variance of the mean over
    pairs, with ζ₁ the variance of a point's mean distance and ζ₂ that of a distance (Hoeffding,
    1948). Clusters of which all points are taken add nothing.
    """
    variance = 0.0
    for cluster in np.unique(labels):
        own = labels == cluster
        m = max(LEAST_FOR_W, int(rows / len(X) * own.sum()))
        if m >= own.sum():
            continue
        rho, p = cdist(X[own], X[own]), w[own] / w[own].sum()
        to_all = rho @ p
        mean = p @ to_all
        first, second = p @ (to_all - mean) ** 2, p @ (rho - mean) ** 2 @ p
        mean_of_pairs = (4 * (m - 2) * first + 2 * second) / (m * (m - 1))
        variance += (w[own].sum() / 2) ** 2 * mean_of_pairs
    return float(np.sqrt(variance))


@each("alpha", [0.7, 1.0, 2.0])
def test_w_of_all_pairs_is_exact(alpha):
    """Up to 20,000 rows nothing is left out, and the estimate is the truth."""
    rng = np.random.default_rng(0)
    X, labels, w = rng.normal(size=(500, 2)), rng.integers(5, size=500), rng.uniform(0, 2, 500)
    labels[labels == 3] = 0  # an empty cluster
    w[:40] = 0
    found = estimate(X, labels, w, 5, alpha=alpha)
    assert found.within == pytest.approx(dispersion(X, labels, alpha, w), rel=1e-11)
    everything = dispersion(X, np.zeros(500, int), alpha, w)
    assert found.total == pytest.approx(everything, rel=1e-11)


def test_w_of_a_sample_is_near_the_truth():
    """Within 4 standard errors of what theory says, with the spread that it says.

    The standard deviation of 40 estimates is itself known to 1/√(2 · 39) of it, or 11%.
    """
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(3000, 2)), rng.choice(3, size=3000, p=[0.7, 0.28, 0.02])
    w = np.ones(3000)
    found = [estimate(X, labels, w, 3, seed, n_drawn=400) for seed in range(40)]
    within, totals = (np.array([getattr(f, name) for f in found]) for name in ("within", "total"))
    W, total = dispersion(X, labels), dispersion(X, np.zeros(3000, int))
    error = deviation(X, labels, w, 400)
    assert error < 0.03 * W
    assert within.mean() == pytest.approx(W, abs=4 * error / np.sqrt(40))
    assert np.abs(within - W).max() < 4 * error
    assert within.std(ddof=1) == pytest.approx(error, rel=4 / np.sqrt(2 * 39))
    # S + W has no formula here, and clusters alike make its spread much that of W.
    assert totals.std(ddof=1) < 0.03 * total
    assert totals.mean() == pytest.approx(total, abs=4 * totals.std(ddof=1) / np.sqrt(40))
    small = [f.by_cluster[2] for f in found]
    np.testing.assert_allclose(small, dispersion(X[labels == 2], labels[labels == 2]), rtol=1e-11)


def test_w_of_a_sample_is_without_bias():
    """64 draws from 70: a draw compared with itself would make W too small by a 64th."""
    X = np.random.default_rng(2).normal(size=(70, 2))
    labels, w = np.zeros(70, int), np.random.default_rng(3).uniform(0.5, 2, size=70)
    found = [estimate(X, labels, w, 1, seed, n_drawn=1).within for seed in range(1500)]
    truth, noise = dispersion(X, labels, w=w), deviation(X, labels, w, 1) / np.sqrt(1500)
    assert 2 * 4 * noise < truth / 64, "a bias would be seen"
    assert np.mean(found) == pytest.approx(truth, abs=4 * noise)


def test_every_row_by_hand():
    """{0, 2} at weights 1 and 3 and {10} at 5: W = 1 · 3 · 2 / 4 = 1.5 and S + W = 176 / 9."""
    X, w = np.array([[0.0], [2.0], [10.0], [7.0]]), np.array([1.0, 3.0, 5.0, 0.0])
    found = estimate(X, np.array([0, 0, 1, 1]), w, 3)
    np.testing.assert_allclose(found.by_cluster, [1.5, 0, 0], atol=1e-15)
    assert found.within == pytest.approx(1.5)
    assert found.total == pytest.approx((1 * 3 * 2 + 1 * 5 * 10 + 3 * 5 * 8) / 9)


def test_w_under_weights_with_a_heavy_tail():
    """Drawn by weight, a few heavy points count as often as they weigh, and no more noise comes.

    One point in a hundred holds a third of the weight, and they lie apart. Each estimate is known
    to 4 of its standard deviations, and their mean to 4 standard errors.
    """
    rng = np.random.default_rng(4)
    log_weight = 2.0 * rng.normal(size=12_000)
    X = rng.normal(size=(12_000, 1)) + log_weight[:, None]
    labels, w = rng.choice(3, size=12_000, p=[0.6, 0.397, 0.003]), np.exp(log_weight)
    heavy = w > np.quantile(w, 0.99)
    assert w[heavy].sum() > 0.33 * w.sum()
    W, error = dispersion(X, labels, w=w), deviation(X, labels, w, 2000)
    found = np.array([estimate(X, labels, w, 3, s, n_drawn=2000).within for s in range(15)])
    assert error < 0.03 * W
    assert found.mean() == pytest.approx(W, abs=4 * error / np.sqrt(15))
    assert np.abs(found - W).max() < 4 * error
    assert found.std(ddof=1) == pytest.approx(error, rel=4 / np.sqrt(2 * 14)), "not all alike"
