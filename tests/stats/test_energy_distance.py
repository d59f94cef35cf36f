"""Energy distance: many points, far from the origin, equal samples, and tiny distances."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from helpers import each
from kgroups.semimetrics import (
    Energy,
    Manhattan,
)
from kgroups.stats import (
    energy_distance,
    mmd,
)
from stats_cases import METRICS, points


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
