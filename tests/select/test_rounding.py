"""Rounded numbers: values that many rows share are not clusters."""

import numpy as np
import pytest

from kgroups.select import (
    choose_n_clusters,
)
from kgroups.select.rounding import smoothed
from kgroups.stats import dip_test


def test_rounding_makes_no_modes():
    rng = np.random.default_rng(0)
    rounded = rng.integers(0, 6, size=(400, 1)).astype(float)
    assert dip_test(rounded).pvalue <= 0.001
    assert dip_test(smoothed(rounded)).pvalue > 0.05
    assert np.array_equal(smoothed(rounded), smoothed(rounded))
    assert np.abs(smoothed(rounded) - rounded).max() <= 0.5
    fine = rng.normal(size=(50, 2))
    assert np.array_equal(smoothed(fine), fine)


@pytest.mark.parametrize("sd", [0.3, 0.5, 1.0])
def test_values_that_many_rows_share_are_no_clusters(sd):
    """A Gaussian rounded to three to seven values; prediction strength counts the values."""
    X = np.round(np.random.default_rng(0).normal(0, sd, (150, 1)))
    count = choose_n_clusters(X, [1, 2, 3, 5], random_state=0)
    assert count.votes["gap"] == count.votes["separation"] == count.n_clusters == 1


def test_three_values_far_apart_are_three():
    X = np.array([[0, 0], [1, 5], [7, 2.0]])[np.arange(60) % 3]
    assert choose_n_clusters(X, range(1, 6), random_state=0).n_clusters == 3


def test_rounding_is_as_wide_as_values_mostly_are_apart():
    X = np.repeat([[0.0], [1.0], [2.0], [3.0], [3.01]], 20, axis=0)
    shift = np.abs(smoothed(X) - X)
    assert 0.4 < shift.max() <= 0.5
