"""The order of the members of a cluster."""

import numpy as np

from kgroups.certificate.members import Members


def test_members_come_by_cluster_the_heavy_ones_first():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=2000)
    weights = np.ones(2000)
    weights[:100] = 0.0
    heavy = np.flatnonzero(labels == 1)[[60, 90, 120]]
    weights[heavy] = [50.0, 500.0, 70.0]
    members = Members.of(labels, weights, 3, 0)
    for cluster in range(3):
        index = members.of_cluster(cluster)
        assert set(index) == set(np.flatnonzero((labels == cluster) & (weights > 0)))
        assert members.weight[cluster] == weights[labels == cluster].sum()
    assert members.of_cluster(1, 0, 3).tolist() == heavy[[1, 2, 0]].tolist()
    assert members.count.sum() == 1900
    assert np.array_equal(members.of_cluster(2, 5, 9), members.of_cluster(2)[5:9])


def test_any_first_part_is_a_random_one():
    """Of members in order the first half would hold only low numbers."""
    members = Members.of(np.zeros(4000, np.int64), np.ones(4000), 1, 0)
    half = members.of_cluster(0, 0, 2000)
    assert abs(half.mean() - 1999.5) < 5 * 4000 / np.sqrt(12 * 2 * 2000)
    other = Members.of(np.zeros(4000, np.int64), np.ones(4000), 1, 1)
    assert not np.array_equal(half, other.of_cluster(0, 0, 2000))
