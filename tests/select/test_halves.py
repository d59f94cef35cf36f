"""Random halves of the rows: which rows, which seeds, and which numbers of clusters can be."""

import numpy as np
import pytest

from helpers import each
from kgroups.metrics import same_partition
from kgroups.select.halves import splits
from kgroups.select.subject import Subject
from select_cases import lumps


def subject(X, metric="energy", seed=0):
    return Subject.of(X, metric, random_state=seed)


@pytest.mark.parametrize("n", [20, 21])
def test_halves_are_disjoint_sorted_and_all_rows(n):
    made = splits(subject(np.random.default_rng(0).normal(size=(n, 2))), 3)
    for split in made:
        assert split.train.tolist() == sorted(split.train)
        assert split.test.tolist() == sorted(split.test)
        assert sorted([*split.train, *split.test]) == list(range(n))
        assert len(split.train) == n // 2
    assert len({tuple(split.train) for split in made}) == 3


def test_the_seed_decides_which_halves():
    X = np.random.default_rng(0).normal(size=(30, 2))
    made, again, other = (splits(subject(X, seed=seed), 2) for seed in (0, 0, 1))
    assert [split.train.tolist() for split in again] == [split.train.tolist() for split in made]
    assert [split.seed for split in again] == [split.seed for split in made]
    assert other[0].train.tolist() != again[0].train.tolist()


@each(("n", "most"), [(20, 5), (21, 5), (24, 6), (3, 0)])
def test_a_half_has_two_rows_per_cluster(n, most):
    X = np.random.default_rng(0).normal(size=(n, 2))
    (split,) = splits(subject(X), 1)
    assert split.most(7) == most


def test_a_half_has_as_many_different_rows_as_clusters():
    """Three places, many times over: more than three clusters there cannot be."""
    X = np.repeat([[0.0], [1.0], [5.0]], 20, axis=0)
    assert [split.most(4) for split in splits(subject(X), 2)] == [3, 3]


@pytest.mark.parametrize("metric", ["energy", "precomputed"])
def test_partitions_of_one_half_predict_the_other(metric):
    """Two groups far apart are found in each half, and predicted from the other."""
    X = lumps(2, n=20)
    truth = np.repeat([0, 1], 20)
    given = X if metric == "energy" else np.linalg.norm(X[:, None] - X, axis=2)
    (split,) = splits(subject(given, metric), 1)
    train, test = (split.partitions(half, 2) for half in (split.train, split.test))
    assert same_partition(test.labels(2), truth[split.test])
    one, two = split.predicted(train, 2)
    assert set(one) == {0}
    assert same_partition(two, truth[split.test])
