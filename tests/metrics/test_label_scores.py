"""Partitions that are the same or not, many clusters, and digits of small communities."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups.metrics import clustering_accuracy, conductance, same_partition
from kgroups.metrics.community_sums import CommunitySums

AGREE = {
    "same": ([0, 0, 1, 1], [0, 0, 1, 1]),
    "renamed": ([0, 0, 1, 1], [5, 5, 2, 2]),
    "strings": ([0, 1, 1, 2], ["x", "y", "y", "a"]),
    "one cluster": ([3, 3, 3], ["a", "a", "a"]),
    "all apart": ([0, 1, 2], [9, 7, 8]),
    "one point": ([4], ["z"]),
}
DIFFER = {
    "one moved": ([0, 0, 1, 1], [0, 1, 1, 1]),
    "split": ([0, 0, 1, 1], [0, 1, 2, 2]),
    "merged": ([0, 1, 2, 2], [0, 0, 1, 1]),
    "crossed": ([0, 0, 1, 1], [0, 1, 0, 1]),
}


def labelings(cases):
    return pytest.mark.parametrize(("a", "b"), cases.values(), ids=cases.keys())


# --- accuracy ----------------------------------------------------------------------------------


@labelings(AGREE)
def test_accuracy_of_the_same_partition_is_one(a, b):
    assert clustering_accuracy(a, b) == 1.0


def test_accuracy_of_many_clusters_is_quick():
    a = np.arange(3_000) % 600
    assert clustering_accuracy(a, np.random.default_rng(2).permutation(600)[a]) == 1.0


# --- same partition ----------------------------------------------------------------------------


@labelings(AGREE)
def test_the_same_partition_under_other_names(a, b):
    assert same_partition(a, b)
    assert same_partition(b, a)


@labelings(DIFFER)
def test_a_different_partition(a, b):
    assert not same_partition(a, b)
    assert not same_partition(b, a)


def test_an_empty_cut_is_exactly_zero():
    """0.1 + 0.2 + 0.3 is not 0.6: a cut from the difference of volumes would be rounding."""
    A = np.zeros((6, 6))
    for i, j, weight in [(0, 1, 0.1), (1, 2, 0.2), (0, 2, 0.3), (3, 4, 0.7), (4, 5, 0.1)]:
        A[i, j] = A[j, i] = weight
    sums = CommunitySums.of(csr_array(A), np.repeat([0, 1], 3), 2)
    assert sums.cut.tolist() == [0.0, 0.0]
    assert sums.conductance().tolist() == [0.0, 0.0]


def test_conductance_of_a_small_community_keeps_its_digits():
    """A loop of 37,536 elsewhere: cut 1.8e-4 over a volume of 6.03e-4, from the small side."""
    edge, loop = 1.82771393603719e-4, 2.0995502652447687e-4
    A = np.zeros((4, 4))
    A[0, 2] = A[2, 0] = edge
    A[1, 1], A[3, 3] = loop, 37536.33985020242
    right = edge / (edge + 2 * loop)
    np.testing.assert_allclose(conductance(A, [0, 1, 1, 0]), [right, right], rtol=1e-14)
