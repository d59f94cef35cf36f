"""Separation: the number of clusters by valleys between the least evident of them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from helpers import each
from kgroups import KernelKGroups
from kgroups.select import cluster_significance, separation
from kgroups.select.separation import Together, _matters


def test_separation_counts_a_line_of_clusters_by_its_neighbors():
    """The two ends of a line are not neighbors: what is between them is not in their way."""
    X = np.concatenate([np.random.default_rng(j).normal(7.0 * j, 1, 60) for j in range(3)])
    assert separation(X[:, None], [1, 2, 3, 4], random_state=0).n_clusters == 3


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_separation_of_two_clusters_is_the_p_value_of_the_pair(load):
    X = load().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    criterion = separation(X, [1, 2], random_state=0)
    assert np.isnan(criterion.values[0])
    labels = KernelKGroups(2, random_state=1).fit_predict(X)
    assert cluster_significance(X, labels, random_state=0).pvalue == criterion.values[1]


def test_separation_is_decided_by_the_two_clusters_that_stand_least_apart():
    """Of three groups two touch: so does p of these two, whatever else there is."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (80, 2)) for m in ((0, 0), (2.4, 0), (30, 0))])
    assert separation(X, [1, 2, 3], random_state=0).n_clusters == 2
    assert separation(X[:160], [1, 2], random_state=0).n_clusters == 1


def simplex(k, d, apart, rng):
    """k centers in d ≥ k − 1 dimensions, each two of them this far apart."""
    corners = np.eye(k) * apart / np.sqrt(2.0)
    _, _, axes = np.linalg.svd(corners - corners.mean(axis=0))
    return np.pad(corners @ axes[: k - 1].T, ((0, 0), (0, d - k + 1)))


@pytest.mark.parametrize("d", [7, 10])
def test_eight_small_groups_stand_apart_though_each_pair_has_few_rows(d):
    rng = np.random.default_rng(d)
    X = np.concatenate([rng.normal(m, 1, (25, d)) for m in simplex(8, d, 6.0, rng)])
    assert separation(X, range(1, 11), random_state=0).n_clusters == 8


@each(("n", "few", "apart"), [(1000, 40, 8.0), (190, 10, 11.0)])
@each("d", [2, 6])
def test_a_small_cluster_stands_apart(n, few, apart, d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n + few, d))
    X[n:, 0] += apart
    assert separation(X, [1, 2, 3], random_state=0).n_clusters == 2


def test_a_few_outliers_are_no_cluster():
    """Three groups and three rows far away: the smallest cluster is tested too."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(m, 1, (60, 2)) for m in ((0, 0), (9, 0), (0, 9))])
    far = np.array([30.0, 30.0]) + rng.normal(0, 6, (3, 2))
    assert separation(np.concatenate([X, far]), range(1, 6), random_state=0).n_clusters <= 3


def test_more_clusters_than_different_rows_are_not_separated():
    X = np.repeat([[0.0], [5.0]], 30, axis=0)
    found = separation(X, [1, 2, 3], random_state=0)
    assert found.values[1:].tolist() == [0.001, 1.0]
    assert found.n_splits.tolist() == [0, 10, 0]


def apart(pvalues, k):
    """The evidence for k clusters, from the p-values of splits."""
    clusters = Together(np.zeros((k, 1)), np.arange(k), 120)
    clusters.add(pvalues)
    return clusters


def test_the_p_value_is_twice_the_median_of_all_splits_so_far():
    """Of ten splits half say .01, half .03; an eleventh to a twentieth say .01 too."""
    some, more = [0.01, 0.03] * 5, [0.01] * 10
    assert (apart(some, 2).is_decided, apart(some, 2).pvalue) == (False, pytest.approx(0.04))
    both = apart(some + more, 2)
    assert (both.is_decided, both.pvalue) == (True, pytest.approx(0.02))


def test_splits_are_made_where_the_answer_may_depend_on_them():
    doubtful, low, high = [0.01, 0.03] * 10, [0.01] * 20, [0.9] * 20
    for above, expected in ((low, False), (high, True), (doubtful, True)):
        tested = {2: apart(doubtful, 2), 3: apart(above, 3)}
        assert _matters(tested)(tested[2]) == expected, above
    tested = {2: apart(low, 2), 3: apart(doubtful, 3), 4: apart(high, 4)}
    assert [_matters(tested)(some) for some in tested.values()] == [False, True, False]


def test_what_is_not_known_of_a_smaller_k_is_not_looked_for():
    """Three equal lumps: which two of them are one of two clusters differs between splits."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 8, 16)])
    found, alone = (separation(X, k, random_state=0) for k in ([2, 3], [2]))
    assert found.n_clusters == 3
    assert found.n_splits.tolist() == [10, 10]
    assert alone.n_splits[0] > 10
