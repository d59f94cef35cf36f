"""Separation: the number of clusters by valleys, and that its p-values are those of the pairs."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from kgroups import KernelKGroups
from kgroups.select import choose_n_clusters, cluster_significance, separation
from select_cases import lumps


def test_separation_counts_a_line_of_clusters_by_its_neighbors():
    """The two ends of a line are not neighbors: what is between them is not in their way."""
    X = np.concatenate([np.random.default_rng(j).normal(7.0 * j, 1, 60) for j in range(3)])
    assert separation(X[:, None], [1, 2, 3, 4], random_state=0).n_clusters == 3


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_separation_at_k_is_the_p_value_of_the_least_separated_pair(load):
    X = load().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    criterion = separation(X, [1, 2, 3, 4], random_state=0)
    assert np.isnan(criterion.values[0])
    for k, value in zip([2, 3, 4], criterion.values[1:], strict=True):
        labels = KernelKGroups(k, random_state=1).fit_predict(X)
        found = cluster_significance(X, labels, random_state=0)
        assert found.pvalue == value
        assert found.pvalue == max(p.pvalue for p in found.pairs if p.pvalue is not None)


def test_choice_shows_the_same_p_value():
    X = lumps(3)
    count = choose_n_clusters(X, [1, 2, 3], random_state=5)
    found = cluster_significance(X, np.repeat([0, 1, 2], 60), random_state=5)
    assert count["separation"].values[2] == found.pvalue <= 0.05


def test_more_clusters_than_different_rows_are_not_separated():
    X = np.repeat([[0.0], [5.0]], 30, axis=0)
    found = separation(X, [1, 2, 3], random_state=0)
    assert found.values[1:].tolist() == [0.001, 1.0]
    assert found.n_splits.tolist() == [0, 10, 0]
