"""Random halves of the rows: which rows, which seeds, and which numbers of clusters can be."""

import numpy as np
import pytest

from kgroups.metrics import same_partition
from kgroups.select.halves import splits
from kgroups.select.subject import Subject
from select_cases import lumps


def subject(X, metric="energy", seed=0):
    return Subject.of(X, metric, random_state=seed)


@pytest.mark.parametrize("n", [20, 21])
def test_halves_are_disjoint_sorted_and_all_rows(n):
    made = splits(subject(np.random.default_rng(0).normal(size=(n, 2))), [2], 3)
    for split in made:
        assert split.train.tolist() == sorted(split.train)
        assert split.test.tolist() == sorted(split.test)
        assert sorted([*split.train, *split.test]) == list(range(n))
        assert len(split.train) == n // 2
    assert len({tuple(split.train) for split in made}) == 3


def test_every_k_has_the_same_halves_and_the_seed_decides():
    X = np.random.default_rng(0).normal(size=(30, 2))
    made = splits(subject(X), [2, 3, 4], 2)
    assert [split.k for split in made] == [2, 3, 4, 2, 3, 4]
    for a, b in [(0, 1), (0, 2), (3, 4)]:
        assert made[a].train.tolist() == made[b].train.tolist()
        assert made[a].seed == made[b].seed
    again = splits(subject(X), [2], 2)
    assert [split.train.tolist() for split in again] == [made[i].train.tolist() for i in (0, 3)]
    other = splits(subject(X, seed=1), [2], 2)
    assert other[0].train.tolist() != again[0].train.tolist()


@pytest.mark.parametrize(("n", "most"), [(20, 5), (21, 5), (24, 6), (3, 0)])
def test_a_half_has_two_rows_per_cluster(n, most):
    X = np.random.default_rng(0).normal(size=(n, 2))
    made = splits(subject(X), range(1, 8), 1)
    assert [split.k for split in made if split.is_possible] == list(range(1, most + 1))


def test_a_half_has_as_many_different_rows_as_clusters():
    """Three places, many times over: more than three clusters there cannot be."""
    X = np.repeat([[0.0], [1.0], [5.0]], 20, axis=0)
    made = splits(subject(X), [2, 3, 4], 2)
    assert [split.is_possible for split in made] == [True, True, False] * 2


@pytest.mark.parametrize("metric", ["energy", "precomputed"])
def test_a_fit_to_one_half_predicts_the_other(metric):
    """Two groups far apart are found in each half, and predicted from the other."""
    X = lumps(2, n=20)
    truth = np.repeat([0, 1], 20)
    given = X if metric == "energy" else np.linalg.norm(X[:, None] - X, axis=2)
    (split,) = splits(subject(given, metric), [2], 1)
    assert same_partition(split.found, truth[split.test])
    assert same_partition(split.predicted, truth[split.test])
