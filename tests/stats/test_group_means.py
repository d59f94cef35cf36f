"""Mean distances and energies of groups: units of weights, overflow and rounding."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.stats.group_means import (
    GroupMeans,
    between,
    unrounded,
)
from stats_cases import means_of

pytestmark = pytest.mark.nojit


@pytest.fixture
def drawn():
    """Distances, weights and labels of 20 points in three groups."""
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(20, 2)), np.arange(20) % 3
    return cdist(X, X), rng.uniform(0.1, 2, 20), labels


def found(drawn):
    rho, w, labels = drawn
    return GroupMeans.of_pairs(means_of(rho, w, labels, 3)), np.bincount(labels, weights=w)


@each("unit", [1e-300, 1.0, 1e300])
def test_weights_of_any_unit(drawn, unit):
    means, weight = found(drawn)
    assert between(means, unit * weight) == pytest.approx(unit * between(means, weight))
    uneven = np.array([1e-200, 1.0, 1e200])
    # With one group so heavy, s_i s_j / s is the weight of the lighter one.
    expected = means.energy[1, 2] / 2
    assert between(means, uneven) == pytest.approx(expected)


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
