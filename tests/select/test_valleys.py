"""Valleys: neighbors, regions and cuts by definition."""

from math import comb

import numpy as np
import pytest
from scipy.linalg import cho_solve
from scipy.spatial.distance import pdist
from sklearn.covariance import ledoit_wolf

from helpers import each
from kgroups.select import valleys
from kgroups.select.compiled.regions import best_cut, mark_region
from kgroups.select.valleys import (
    Borders,
    _scatter,
    neighbors,
    shrunk_covariance,
    valley_pvalue,
    where_tested,
)
from select_cases import lumps


@each("seed", range(5))
def test_neighbors_have_no_third_center_in_the_ball_between_them(seed):
    centers = np.random.default_rng(seed).normal(size=(7, 2))
    expected = []
    for i in range(7):
        for j in range(i + 1, 7):
            middle, radius = (centers[i] + centers[j]) / 2, np.hypot(*(centers[i] - centers[j])) / 2
            others = [q for q in range(7) if q not in (i, j)]
            if all(np.hypot(*(centers[q] - middle)) >= radius - 1e-12 for q in others):
                expected.append((i, j))
    assert neighbors(centers) == expected


@pytest.mark.nojit
@each("seed", range(10))
def test_best_cut_errs_least(seed):
    rng = np.random.default_rng(seed)
    near, far = rng.normal(size=9), rng.normal(1.0, 1.0, size=7)

    def errors(cut):
        return int((near > cut).sum() + (far <= cut).sum())

    values = np.sort(np.concatenate([near, far]))
    tried = [values[0] - 1, *(values[:-1] + values[1:]) / 2, values[-1] + 1]
    cut = best_cut(near, far)
    assert errors(cut) <= min(errors(t) for t in tried) + (cut == values[0])


@pytest.mark.nojit
def test_best_cut_by_hand():
    """Between 2 and 5 no value is on the wrong side; of all far ones nothing is below the least."""
    assert best_cut(np.array([1.0, 2.0]), np.array([5.0, 6.0])) == 3.5
    assert best_cut(np.array([1.0, 2.0]), np.array([2.0, 3.0])) == 2.0
    assert best_cut(np.array([5.0]), np.array([1.0, 2.0])) == 1.0
    assert best_cut(np.array([1.0, 2.0, 3.0]), np.array([0.0])) == np.inf


def region(train, labels, i, j, test):
    """The region around two clusters, as the tests of pairs have it."""
    centers = np.array([train[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    inside = np.empty(len(test), np.bool_)
    mark_region(train @ centers.T, labels, test @ centers.T, i, j, inside)
    return inside


@pytest.mark.nojit
def test_region_by_hand():
    """Clusters about 0, 10 and 20 on a line: for the first two, all up to half way to the third."""
    train = np.array([[-1.0], [1.0], [9.0], [11.0], [19.0], [21.0]])
    test = np.array([[-50.0], [4.9], [14.9], [15.1], [40.0]])
    labels = np.repeat([0, 1, 2], 2)
    assert region(train, labels, 0, 1, test).tolist() == [True, True, True, False, False]
    assert region(train, labels, 1, 2, test).tolist() == [False, False, True, True, True]


def test_region_of_two_clusters_is_convex():
    rng = np.random.default_rng(0)
    train = lumps(4, apart=3.0)
    labels = np.repeat(range(4), 60)
    points = rng.uniform(-3, 12, size=(400, 2))
    inside = points[region(train, labels, 1, 2, points)]
    assert 20 < len(inside) < 390
    pairs = rng.integers(len(inside), size=(2, 500))
    between = inside[pairs[0]] + rng.uniform(size=(500, 1)) * (inside[pairs[1]] - inside[pairs[0]])
    assert region(train, labels, 1, 2, between).all()


@pytest.mark.parametrize("shape", [(20, 4), (20, 50)])
def test_projections_are_made_in_a_space_that_is_as_the_table(shape):
    X = 1e3 + np.random.default_rng(0).normal(size=shape)
    space = where_tested(X)
    assert space.shape == (20, min(shape))
    ratio = pdist(space) / pdist(X)
    assert ratio == pytest.approx(ratio[0], rel=1e-9)
    assert np.abs(space).max() < 10


def test_what_reaches_the_dip_test_are_the_held_out_rows_along_the_direction(monkeypatch):
    X = lumps(2)
    train, test, labels = X[::2], X[1::2], np.repeat([0, 1], 30)
    seen = []
    monkeypatch.setattr(valleys, "dip_pvalue", lambda x: seen.append(x) or 1.0)
    borders = Borders.of(train, labels)
    borders.tests(neighbors(borders.centers), test)
    centers = np.array([train[labels == j].mean(axis=0) for j in range(2)])
    direction = cho_solve(_scatter(train - centers[labels]), centers[0] - centers[1])
    np.testing.assert_allclose(seen, [test @ direction], rtol=1e-12)


def test_a_valley_before_a_small_cluster_by_hand():
    """In units of the largest distance to 0, the others are .75 or more: P(u ≥ .75)^2.

    With one more at .2 the excess is .75 − 1/3, which three uniform
    numbers reach with the probability 1 − F, by the formula of Birnbaum and Tingey.
    """
    left = -np.linspace(9.0, 10.0, 200)
    assert valley_pvalue(np.append(left, [3.0, 3.2, 4.0]), 0.0) == pytest.approx(0.25**2)
    d = 0.75 - 1 / 3
    exact = d * sum(
        comb(3, j) * (1 - d - j / 3) ** (3 - j) * (d + j / 3) ** (j - 1) for j in range(2)
    )
    assert valley_pvalue(np.append(left, [0.8, 3.0, 3.2, 4.0]), 0.0) == pytest.approx(exact)
    assert valley_pvalue(np.append(left, 3.0), 0.0) == 1.0
    assert valley_pvalue(np.append(left, [3.0, 3.0]), 0.0) == 1.0  # repeated, not far


@each("few", [1, 3, 10, 40])
def test_a_tail_is_seldom_taken_for_a_small_cluster(few):
    """Exponential tails fall from every cut; uniform ones reject as often as the level says."""
    rng = np.random.default_rng(few)
    body = -rng.exponential(size=(400, 100))
    fall, even = rng.exponential(size=(400, few)), rng.uniform(size=(400, few))
    for tail, most in ((fall, 0.05), (even, 0.085)):
        pvalues = [valley_pvalue(np.append(b, t), 0.0) for b, t in zip(body, tail, strict=True)]
        assert np.mean(np.array(pvalues) <= 0.05) <= most


def test_clusters_stand_apart_by_their_own_spread():
    """Centers 10 apart with standard deviations √2/2 of two rows each, so 10 / √((1 + 1)/4)."""
    train = np.array([[-0.5], [0.5], [9.5], [10.5], [40.0], [42.0]])
    borders = Borders.of(train, np.repeat([0, 1, 2], 2))
    apart = borders.apart()
    assert apart[0, 1] == pytest.approx(10 / np.sqrt((0.5 + 0.5) / 2))
    assert apart[1, 2] == apart[2, 1] == pytest.approx(31 / np.sqrt((0.5 + 2.0) / 2))
    assert borders.least_evident() == [(0, 1)]


def test_the_smallest_cluster_is_tested_too_if_it_is_small():
    train = np.concatenate([np.linspace(m - 1, m + 1, n) for m, n in ((0, 50), (9, 50), (90, 3))])
    labels = np.repeat([0, 1, 2], [50, 50, 3])
    assert Borders.of(train[:, None], labels).least_evident() == [(0, 1), (1, 2)]


@each("shape", [(40, 3), (50, 1), (10, 30), (600, 16)])
def test_covariance_is_shrunk_as_by_scikit_learn(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1]))
    expected, _ = ledoit_wolf(X, assume_centered=True)
    np.testing.assert_allclose(shrunk_covariance(X), np.atleast_2d(expected), rtol=1e-12)


def test_covariance_of_nothing_is_nothing():
    assert shrunk_covariance(np.zeros((5, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("unit", [2.0**1000, 2.0**-900])
def test_units_change_nothing_where_valleys_are_looked_for(unit):
    X = np.random.default_rng(0).normal(size=(30, 3)).round(1)
    assert np.array_equal(where_tested(unit * X), where_tested(X))
