"""Separation: the number of clusters by valleys, and that its p-values are those of the pairs."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from kgroups import KernelKGroups
from kgroups.select import choose_n_clusters, cluster_significance, separation
from kgroups.select.held_out import Pairs
from kgroups.select.held_out import Tests as OfSplit
from kgroups.select.separation import _matters
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


def pairs_of(pvalues, k):
    """The evidence for k clusters, of which the first two are neighbors with these p-values."""
    pairs = Pairs(np.arange(k), 120)
    everybody = frozenset(range(k))
    pairs.add([OfSplit({(0, 1): (p, 9)}, everybody) for p in pvalues])
    return pairs


def test_splits_are_made_where_the_answer_may_depend_on_them():
    doubtful, low, high = [0.01, 0.03] * 10, [0.01] * 20, [0.9] * 20
    for above, expected in ((low, False), (high, True), (doubtful, True)):
        tested = {2: pairs_of(doubtful, 2), 3: pairs_of(above, 3)}
        assert _matters(tested)(tested[2]) == expected, above
    tested = {2: pairs_of(low, 2), 3: pairs_of(doubtful, 3), 4: pairs_of(high, 4)}
    assert [_matters(tested)(pairs) for pairs in tested.values()] == [False, True, False]


def test_what_is_not_known_of_a_smaller_k_is_not_looked_for():
    """Three equal lumps: which two of them are one of two clusters differs between splits."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 8, 16)])
    found, alone = (separation(X, k, random_state=0) for k in ([2, 3], [2]))
    assert found.n_clusters == 3
    assert found.n_splits.tolist() == [10, 10]
    assert alone.n_splits[0] > 10
