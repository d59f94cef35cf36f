"""W from a sample of rows: without bias, and as noisy as theory says."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

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


def test_w_of_a_sample_is_without_bias():
    """64 draws from 70: a draw compared with itself would make W too small by a 64th."""
    X = np.random.default_rng(2).normal(size=(70, 2))
    labels, w = np.zeros(70, int), np.random.default_rng(3).uniform(0.5, 2, size=70)
    found = [estimate(X, labels, w, 1, seed, n_drawn=1).within for seed in range(1500)]
    truth, noise = dispersion(X, labels, w=w), deviation(X, labels, w, 1) / np.sqrt(1500)
    assert 2 * 4 * noise < truth / 64, "a bias would be seen"
    assert np.mean(found) == pytest.approx(truth, abs=4 * noise)


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
