"""Mean distances as sums over the parts of a semimetric."""

import numpy as np

from kgroups.stats.group_means import GroupMeans
from kgroups.stats.mean_distances import group_means, pairs_of
from kgroups.stats.samples import read
from stats_cases import MIXED, means_of, points


def test_group_means_add_up_over_parts_of_the_semimetric():
    rng = np.random.default_rng(19)
    X, labels, w = points(rng, 30), rng.integers(3, size=30), np.ones(30)
    space, data = read(X, MIXED)
    pairs = pairs_of(space, data, 1)
    assert (len(pairs.lines), len(pairs.squares), pairs.gram is None) == (1, 1, False)
    found = group_means(pairs, labels, w, 3)
    expected = GroupMeans.of_pairs(means_of(MIXED.pairwise(X), w, labels, 3))
    np.testing.assert_allclose(found.energy, expected.energy, atol=1e-13)
