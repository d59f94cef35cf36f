"""Partitions that are the same or not, and many clusters."""

import numpy as np
import pytest

from kgroups.metrics import clustering_accuracy, same_partition

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
