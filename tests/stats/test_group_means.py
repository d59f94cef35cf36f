"""Mean distances and energies of groups, and the statistics that follow, by hand and by pairs."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.stats.group_means import (
    GroupMeans,
    between,
    dispersion,
    multisample,
    multisample_statistic,
    unrounded,
)
from stats_cases import brute_energy, means_of

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


def test_two_groups_by_hand():
    """{0, 1} and {10, 12}: means ½ and 1 within, 10.5 across; 𝓔 = 21 − 1.5 = 19.5."""
    means = GroupMeans.of_pairs(np.array([[0.5, 10.5], [10.5, 1.0]]))
    sizes = np.array([2.0, 2.0])
    assert means.energy.tolist() == [[0, 19.5], [19.5, 0]]
    assert means.across().tolist() == [[1.0, 21.0], [21.0, 2.0]]
    assert dispersion(means, sizes) == 1.5
    assert between(means, sizes) == pytest.approx(19.5 * 2 * 2 / (2 * 4))
    assert multisample(means, sizes).tolist() == [[0, 19.5], [19.5, 0]]
    assert multisample_statistic(means, sizes) == 19.5


def test_energies_are_those_of_all_pairs(drawn):
    rho, w, labels = drawn
    means, _ = found(drawn)
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        rows = np.r_[np.flatnonzero(labels == a), np.flatnonzero(labels == b)]
        n = int((labels == a).sum())
        expected = brute_energy(rho[np.ix_(rows, rows)], n, w[rows[:n]], w[rows[n:]])
        assert means.energy[a, b] == pytest.approx(expected)
        assert means.energy[b, a] == pytest.approx(expected)


def test_within_and_between_add_up_to_the_dispersion_of_everything(drawn):
    """W + S = Σ w w ρ / 2s, for any labels."""
    rho, w, _ = drawn
    means, weight = found(drawn)
    total = dispersion(means, weight) + between(means, weight)
    assert total == pytest.approx(w @ rho @ w / (2 * w.sum()))


@each("unit", [1e-300, 1.0, 1e300])
def test_weights_of_any_unit(drawn, unit):
    means, weight = found(drawn)
    assert between(means, unit * weight) == pytest.approx(unit * between(means, weight))
    uneven = np.array([1e-200, 1.0, 1e200])
    # With one group so heavy, s_i s_j / s is the weight of the lighter one.
    expected = means.energy[1, 2] / 2
    assert between(means, uneven) == pytest.approx(expected)


def test_several_labelings_at_once(drawn):
    rho, w, labels = drawn
    pair = means_of(rho, w, labels, 3), means_of(rho, w, (labels + 1) % 3, 3)
    both = GroupMeans.of_pairs(np.stack(pair))
    for row, means in enumerate(pair):
        one = GroupMeans.of_pairs(means)
        np.testing.assert_array_equal(both.within[row], one.within)
        np.testing.assert_array_equal(both.energy[row], one.energy)
    sizes = np.array([7.0, 7.0, 6.0])
    assert dispersion(both, sizes).shape == between(both, sizes).shape == (2,)
    assert multisample(both, sizes).shape == (2, 3, 3)
    sums = multisample(both, sizes).sum(axis=(1, 2)) / 2
    np.testing.assert_allclose(multisample_statistic(both, sizes), sums)


def test_groups_in_another_order(drawn):
    means, _ = found(drawn)
    order = np.array([2, 0, 1])
    taken = means.taken(order)
    np.testing.assert_array_equal(taken.within, means.within[order])
    np.testing.assert_array_equal(taken.energy, means.energy[np.ix_(order, order)])


def test_sums_of_semimetrics_and_nothing(drawn):
    means, _ = found(drawn)
    twice = means.plus(means)
    np.testing.assert_array_equal(twice.energy, 2 * means.energy)
    none = GroupMeans.zeros((), 3)
    np.testing.assert_array_equal(means.plus(none).within, means.within)


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
