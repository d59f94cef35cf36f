"""Mean distances on a line by sorting, against all pairs and SciPy."""

import numpy as np
import pytest
from scipy.stats import energy_distance

from helpers import each
from kgroups.stats.group_means import GroupMeans
from kgroups.stats.line import line_means, line_of, permuted_line_means
from stats_cases import means_of


def by_pairs(x, labels, w, k, scale=1.0):
    return GroupMeans.of_pairs(means_of(scale * np.abs(x[:, None] - x), w, labels, k))


def assert_same(one, other):
    np.testing.assert_allclose(one.within, other.within, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(one.energy, other.energy, rtol=1e-10, atol=1e-12)


def test_by_hand():
    """{0, 1} and {10, 12} in any order, in units of 2: means 1 and 2, energy 2 · 19.5."""
    x = np.array([12.0, 0.0, 10.0, 1.0])
    means = line_means(line_of(x, 2.0), np.array([1, 0, 1, 0]), np.ones(4), 2)
    np.testing.assert_allclose(means.within, [1.0, 2.0])
    np.testing.assert_allclose(means.energy, [[0, 39], [39, 0]])


@each("ties", [False, True])
@each("k", [1, 2, 5])
def test_all_pairs(k, ties):
    rng = np.random.default_rng(k)
    x = rng.integers(4, size=40).astype(float) if ties else rng.normal(size=40)
    labels, w = rng.permutation(np.arange(40) % k), rng.uniform(0.1, 2, 40)
    found = line_means(line_of(x, 0.5), labels, w, k)
    assert_same(found, by_pairs(x, labels, w, k, 0.5))


def test_two_samples_by_scipy():
    """SciPy's energy distance is the root of 𝓔."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=30), rng.exponential(size=50)
    labels = np.repeat([0, 1], [30, 50])
    found = line_means(line_of(np.r_[x, y], 1.0), labels, np.ones(80), 2)
    assert found.energy[0, 1] == pytest.approx(energy_distance(x, y) ** 2)


def test_equal_samples_have_an_energy_of_exactly_zero():
    x = np.random.default_rng(1).normal(size=33)
    found = line_means(line_of(np.r_[x, x[::-1]], 1.0), np.repeat([0, 1], 33), np.ones(66), 2)
    assert found.energy.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_no_digits_are_lost_far_from_zero():
    """Gaps of 1 at 10⁹: as all sums are over gaps, they are those at 0."""
    x, labels, w = np.arange(6.0), np.array([0, 1, 0, 1, 0, 1]), np.ones(6)
    near, far = (line_means(line_of(shifted, 1.0), labels, w, 2) for shifted in (x, x + 1e9))
    np.testing.assert_array_equal(near.within, far.within)
    np.testing.assert_array_equal(near.energy, far.energy)


def test_several_labelings_with_the_same_sizes():
    rng = np.random.default_rng(2)
    x = rng.normal(size=25)
    table = np.array([rng.permutation(np.repeat([0, 1, 2], [5, 8, 12])) for _ in range(4)])
    found = permuted_line_means(line_of(x, 1.0), table, np.array([5, 8, 12]))
    assert found.energy.shape == (4, 3, 3)
    for row, labels in enumerate(table):
        one = GroupMeans(found.within[row], found.energy[row])
        assert_same(one, by_pairs(x, labels, np.ones(25), 3))
