"""Groups of variables that are correlated, and camps that oppose each other."""

import numpy as np
import pytest

from helpers import each
from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.metrics import same_partition
from kgroups.select import bethe_hessian_n_communities

# --- correlations --------------------------------------------------------------------------------


def correlations(n_columns, n_rows, seed, n_factors=0, market=0.0):
    """Columns in turn load .5 to .7 on their factor, or on none, and all on the market."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_columns, n_rows))
    if n_factors:
        loads = rng.uniform(0.5, 0.7, (n_columns, 1))
        factors = rng.standard_normal((n_factors, n_rows))[np.arange(n_columns) % n_factors]
        X = loads * factors + np.sqrt(1 - loads**2) * X
    return np.corrcoef(X + market * rng.standard_normal(n_rows))


@each(("n_columns", "n_rows"), [(60, 200), (100, 50), (30, 500), (200, 200)])
def test_correlations_of_noise_are_one_community(n_columns, n_rows):
    found = [
        bethe_hessian_n_communities(correlations(n_columns, n_rows, seed)) for seed in range(5)
    ]
    assert found == [1] * 5
    model = GraphKGroups(random_state=0, n_jobs=1).fit(correlations(n_columns, n_rows, 0))
    assert (model.n_clusters_, model.decided_by_) == (1, "spectrum")


@pytest.mark.parametrize("estimator", [GraphKGroups, BetheHessianClustering])
def test_factors_are_communities_whatever_the_diagonal(estimator):
    C = correlations(60, 200, 0, n_factors=4)
    with_ones = estimator(random_state=0).fit(C).labels_
    assert same_partition(with_ones, np.arange(60) % 4)
    for diagonal in (0.0, -2.0):
        np.fill_diagonal(C, diagonal)
        assert estimator(random_state=0).fit(C).labels_.tolist() == with_ones.tolist()
        assert bethe_hessian_n_communities(C) == 4


def test_factors_are_found_behind_one_that_all_share():
    """The Bethe Hessian alone shows one or two groups: the market outweighs the others."""
    for seed in range(5):
        C = correlations(40, 300, seed, n_factors=4, market=0.3)
        assert C.min() < 0
        assert bethe_hessian_n_communities(C) == 4
        labels = GraphKGroups(random_state=0).fit(C).labels_
        assert same_partition(labels, np.arange(40) % 4)
    assert bethe_hessian_n_communities(correlations(40, 100, 0, market=0.7)) == 1


@pytest.mark.parametrize("k", [2, 3])
def test_factors_with_opposite_sides_are_a_group_more(k):
    """k groups that move against each other have k − 1 factors."""
    rng = np.random.default_rng(0)
    moves = rng.standard_normal((k, 300))
    X = (moves - moves.mean(axis=0))[np.arange(30) % k] + 0.8 * rng.standard_normal((30, 300))
    assert bethe_hessian_n_communities(np.corrcoef(X)) == k


@each("n", [6, 30])
@each("alike", [0.05, 0.5])
def test_the_diagonal_of_similarities_is_no_evidence(n, alike):
    """Nor where all are positive: loops would make every node a community of its own."""
    A = np.full((n, n), alike) + (1 - alike) * np.eye(n)
    A[0, 1] = A[1, 0] = alike / 2
    A[0, 0] -= 1e-15  # as correlations are computed
    model = GraphKGroups(random_state=0).fit(A)
    without = GraphKGroups(random_state=0).fit(A - np.diag(A.diagonal()))
    assert model.n_clusters_ == without.n_clusters_ == 1
    assert (model.evidence_, model.objective_) == (without.evidence_, without.objective_)


@each("k", [2, 3, 4])
def test_camps_that_oppose_each_other_stay(k):
    camp = np.arange(60) % k
    W = np.where(camp[:, None] == camp, 1.0, -1.0)
    assert bethe_hessian_n_communities(W) == k


@each("k", [2, 3, 4])
def test_camps_with_uneven_weights_are_no_correlations(k):
    """Friends by .3 to 1, foes by as much: k camps, whatever the unit of the weights."""
    rng = np.random.default_rng(0)
    camps = np.where(np.equal.outer(np.arange(60) % k, np.arange(60) % k), 1.0, -1.0)
    weights = np.triu(rng.uniform(0.3, 1.0, (60, 60)), 1)
    A = (weights + weights.T) * camps
    assert bethe_hessian_n_communities(A) == bethe_hessian_n_communities(2 * A) == k


def test_many_equal_factors_are_counted():
    """The mean square of partial correlations rises until the last of them is gone."""
    rng = np.random.default_rng(0)
    for n_groups, size in ((12, 5), (20, 5)):
        X = np.repeat(rng.standard_normal((n_groups, 500)), size, axis=0)
        X += 0.5 * rng.standard_normal(X.shape)
        assert bethe_hessian_n_communities(np.corrcoef(X)) == n_groups


def test_variables_that_repeat_each_other_are_a_group():
    """Nothing of any variable is left after four factors, nor is it after four rows of noise."""
    rng = np.random.default_rng(0)
    repeated = np.corrcoef(np.repeat(rng.standard_normal((4, 200)), 8, axis=0))
    assert bethe_hessian_n_communities(repeated) == 4
    assert bethe_hessian_n_communities(np.corrcoef(rng.standard_normal((60, 5)))) == 1
