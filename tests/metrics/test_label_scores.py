"""Scores of labelings, against values worked by hand and brute force over all matchings."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics.cluster import contingency_matrix

from helpers import each
from kgroups.metrics import clustering_accuracy, contingency, overlap, same_partition

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


def brute_force(true, pred):
    """Largest share matched by any one-to-one naming of the predicted clusters."""
    size = max(true.max(), pred.max()) + 1
    return max(np.mean(np.array(p)[pred] == true) for p in permutations(range(size)))


# --- contingency -------------------------------------------------------------------------------


def test_contingency_counts_pairs_of_labels_in_sorted_order():
    counts = contingency(["b", "a", "b", "b"], [10, 20, 30, 10])
    assert counts.tolist() == [[0, 1, 0], [2, 0, 1]]
    assert counts.dtype == np.int64


def test_contingency_against_scikit_learn():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, 200), rng.integers(0, 9, 200)
    np.testing.assert_array_equal(contingency(a, b), contingency_matrix(a, b))


# --- accuracy ----------------------------------------------------------------------------------


@each(
    ("true", "pred", "accuracy"),
    [
        ([0, 0, 1, 1], [1, 1, 0, 1], 3 / 4),
        ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], 4 / 6),
        ([0, 1, 2, 3], [0, 0, 0, 0], 1 / 4),
        ([0, 0, 0, 0], [0, 1, 2, 2], 2 / 4),
        # The largest entry of the table is not part of the best matching: 3 + 3 > 4 + 0.
        ([0] * 7 + [1] * 3, [0] * 4 + [1] * 3 + [0] * 3, 6 / 10),
        ([0.5, 0.5, 1.5], [True, True, False], 1.0),
    ],
)
def test_accuracy_by_hand(true, pred, accuracy):
    assert clustering_accuracy(true, pred) == pytest.approx(accuracy, rel=1e-15)


@each("seed", range(3))
@each(("k_true", "k_pred"), [(2, 2), (3, 3), (2, 5), (5, 3), (1, 4), (6, 6)])
def test_accuracy_is_the_best_over_all_matchings(seed, k_true, k_pred):
    rng = np.random.default_rng(seed)
    true, pred = rng.integers(k_true, size=25), rng.integers(k_pred, size=25)
    assert clustering_accuracy(true, pred) == pytest.approx(brute_force(true, pred), rel=1e-15)


@labelings(AGREE)
def test_accuracy_of_the_same_partition_is_one(a, b):
    assert clustering_accuracy(a, b) == 1.0


def test_accuracy_is_symmetric_and_blind_to_names_and_order():
    rng = np.random.default_rng(1)
    a, b = rng.integers(4, size=60), rng.integers(6, size=60)
    expected = clustering_accuracy(a, b)
    shuffle = rng.permutation(60)
    assert clustering_accuracy(b, a) == expected
    assert clustering_accuracy(a[shuffle], b[shuffle]) == expected
    assert clustering_accuracy(rng.permutation(4)[a], rng.permutation(6)[b]) == expected
    assert clustering_accuracy(a, np.array(list("uvwxyz"))[b]) == expected


def test_accuracy_of_many_clusters_is_quick():
    a = np.arange(3_000) % 600
    assert clustering_accuracy(a, np.random.default_rng(2).permutation(600)[a]) == 1.0


# --- overlap -----------------------------------------------------------------------------------


@each(
    ("true", "pred", "score"),
    [
        ([0, 0, 1, 1], [1, 1, 0, 1], 2 * (3 / 4 - 1 / 2)),
        ([0, 1, 2, 3], [0, 0, 0, 0], 0.0),
        ([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], 3 / 2 * (4 / 6 - 1 / 3)),
        ([0, 0, 1, 1], [3, 3, 3, 3], 0.0),
        (["a", "a", "b"], [1, 1, 0], 1.0),
    ],
)
def test_overlap_by_hand(true, pred, score):
    assert overlap(true, pred) == pytest.approx(score, abs=1e-15)


# --- same partition ----------------------------------------------------------------------------


@labelings(AGREE)
def test_the_same_partition_under_other_names(a, b):
    assert same_partition(a, b)
    assert same_partition(b, a)


@labelings(DIFFER)
def test_a_different_partition(a, b):
    assert not same_partition(a, b)
    assert not same_partition(b, a)


# --- what labels must be -----------------------------------------------------------------------
