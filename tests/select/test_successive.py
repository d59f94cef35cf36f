"""Partitions into 1, 2, 3, ... clusters: as good as many starts, and the same whatever is asked."""

import numpy as np
import pytest

from helpers import best_objective, each
from kgroups import KernelKGroups
from kgroups.gram import DenseGram, MatrixFreeGram
from kgroups.metrics import same_partition
from kgroups.select.successive import Successive
from kgroups.semimetrics import Energy
from select_cases import lumps


def successive(X, seed=0):
    return Successive(lambda rows: DenseGram.from_points(X[rows], Energy()), len(X), seed)


@each("seed", range(5))
def test_partitions_of_few_points_are_the_best_of_all(seed):
    X = np.random.default_rng(seed).normal(size=(9, 2))
    gram, found = DenseGram.from_points(X, Energy()), successive(X)
    for k in range(1, 5):
        best = best_objective(gram.to_dense(), np.ones(9), k)
        assert found.partition(k).objective == pytest.approx(best, rel=1e-12)
        assert found.within_dispersion(k) == pytest.approx(-best, rel=1e-12)


@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_partitions_are_as_good_as_those_of_many_starts(draw):
    X = getattr(np.random.default_rng(1), draw)(size=(200, 3))
    found = successive(X)
    excess = [
        found.within_dispersion(k)
        / KernelKGroups(k, random_state=0).fit(X).within_dispersion_
        for k in range(2, 9)
    ]  # fmt: skip
    assert np.mean(excess) < 1.001
    assert max(excess) < 1.005


def test_a_partition_does_not_depend_on_which_others_are_asked_for():
    X = np.random.default_rng(0).normal(size=(60, 2))
    one_by_one, at_once = successive(X), successive(X)
    labels = [one_by_one.labels(k) for k in range(1, 7)]
    for k in (6, 3, 1, 4):
        np.testing.assert_array_equal(at_once.labels(k), labels[k - 1])


def test_no_move_of_one_point_improves_a_partition_and_every_cluster_has_points():
    X = lumps(3)
    found = successive(X)
    for k in range(1, 6):
        labels = found.labels(k)
        assert np.bincount(labels).tolist() == sorted(np.bincount(labels), reverse=True)
        assert len(set(labels)) == k
        again = KernelKGroups(k, init=labels).fit(X)
        assert again.n_moves_ == 0
    assert same_partition(found.labels(3), np.repeat([0, 1, 2], 60))


def test_as_many_clusters_as_points():
    found = successive(np.array([[0.0], [1.0], [5.0]]))
    assert [found.within_dispersion(k) for k in (1, 2, 3)] == pytest.approx([10 / 3, 0.5, 0.0])
    assert sorted(found.labels(3)) == [0, 1, 2]


def test_rows_without_a_matrix_give_the_same_partitions():
    X = lumps(3, n=30)
    free = Successive(lambda rows: MatrixFreeGram.from_points(X[rows], Energy()), len(X), 0)
    held = successive(X)
    for k in (2, 3, 4):
        assert same_partition(free.labels(k), held.labels(k))
