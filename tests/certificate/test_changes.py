"""Clusters that points joined and left, and what is known of their sums."""

import numpy as np
import pytest

from certificate_cases import Case, assert_intervals_hold, random_case, to_centroids
from kgroups.certificate.changes import Bracket
from kgroups.certificate.moves import _counted
from kgroups.certificate.stages import whole_layout
from kgroups.semimetrics import Energy


def test_brackets_add_and_scale():
    bracket = Bracket(1.0, 3.0).plus(2.0, 0.5).times(2.0)
    assert (bracket.least, bracket.most, bracket.middle) == (5.0, 11.0, 8.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_point_that_is_nearly_all_of_the_weight_leaves(dtype):
    """What is left is 10⁻¹¹ of the sums that are known; intervals are wide and still true."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2)).astype(dtype)
    labels = rng.integers(3, size=600)
    weights = np.ones(600)
    heavy = int(np.flatnonzero(labels == 0)[0])
    weights[heavy] = 1e13
    X[heavy] = 30.0
    labels[:3] = [0, 1, 2]
    case = Case(X, Energy(1.0), weights, labels, 3)
    search = case.search()
    search._sum_pairs(whole_layout)
    search._round(np.arange(600))
    moved = labels.copy()
    moved[heavy] = 1
    found = _counted(search._scene, np.array([heavy]), np.array([1]), 1, search.executor)
    search.labels, search._totals = moved, found.totals
    assert_intervals_hold(case, search)
    now = search._present().clusters
    assert now[0].weight == weights[moved == 0].sum()
    assert search._is_worn()


def test_moves_add_up_over_rounds():
    """Members are those of the first sums, whatever has moved since, and moved again."""
    case = random_case(12, 800, 4, np.float64)
    search = case.search()
    search._sum_pairs(whole_layout)
    for _ in range(3):
        search._round(np.flatnonzero(case.weights > 0), upto=1)
        search._move(search._record)
        _, g = to_centroids(case, search.labels)
        s = np.bincount(search.labels, weights=case.weights, minlength=4)
        own = np.arange(800), search.labels
        spread = 0.5 * np.bincount(search.labels, weights=case.weights * g[own], minlength=4) / s
        clusters = search._present().clusters
        found = [cluster.middle_spread * search.form.unit for cluster in clusters]
        np.testing.assert_allclose(found, spread, rtol=1e-11)
        assert len(clusters[0].index) == len(clusters[0].signed)
