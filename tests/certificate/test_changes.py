"""Clusters that points joined and left, and what is known of their sums."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from certificate_cases import Case, assert_intervals_hold, random_case, to_centroids
from helpers import each
from kgroups.certificate.changes import Bracket, Changes, sums_among
from kgroups.certificate.landmark_form import LandmarkForm
from kgroups.certificate.moves import moved_to
from kgroups.certificate.stages import layout_of, whole_layout
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.semimetrics.all_pairs import Points


def test_brackets_add_and_scale():
    bracket = Bracket(1.0, 3.0).plus(2.0, 0.5).times(2.0)
    assert (bracket.least, bracket.most, bracket.middle) == (5.0, 11.0, 8.0)


@each("dtype", [np.float32, np.float64])
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
    found = moved_to(search._scene, np.array([heavy]), np.array([1]), search.executor)
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
        search._round(np.flatnonzero(case.weights > 0), only_opening=True)
        search._move(search._record)
        _, g = to_centroids(case, search.labels)
        s = np.bincount(search.labels, weights=case.weights, minlength=4)
        own = np.arange(800), search.labels
        spread = 0.5 * np.bincount(search.labels, weights=case.weights * g[own], minlength=4) / s
        clusters = search._present().clusters
        found = [cluster.middle_spread * search.form.unit for cluster in clusters]
        np.testing.assert_allclose(found, spread, rtol=1e-11)
        assert len(clusters[0].index) == len(clusters[0].signed)


def _with_moved_rows(seed, layout):
    """A search whose levels are those of clusters that a tenth of the rows have left."""
    case = random_case(seed, 900, 3, np.float64)
    search = case.search(5)
    search._sum_pairs(layout)
    search._round(np.flatnonzero(case.weights > 0), only_opening=True)
    rng = np.random.default_rng(seed)
    some = np.sort(rng.choice(900, 90, replace=False))
    labels = rng.integers(3, size=90)
    found = moved_to(search._scene, some, labels, search.executor)
    search.labels = search.labels.copy()
    search.labels[some] = labels
    search._totals = found.totals
    return case, search


@each("layout", [whole_layout, lambda count: layout_of(count, 64)])
@each("seed", range(6))
def test_levels_serve_on_when_rows_have_moved(seed, layout):
    case, search = _with_moved_rows(seed, layout)
    n_alive = np.count_nonzero(case.weights)
    assert assert_intervals_hold(case, search) >= 3 * n_alive * 3


def test_what_moved_counts_for_bounds(monkeypatch):
    """Without the length of the change bounds are too narrow somewhere."""
    monkeypatch.setattr(Changes, "_norm", lambda *_: 0.0)
    case, search = _with_moved_rows(5, whole_layout)
    with pytest.raises(AssertionError, match="level"):
        assert_intervals_hold(case, search)


def test_sums_over_signed_weights_are_those_of_single_pairs():
    X = np.random.default_rng(3).normal(size=(1500, 3))
    points = Points.of(Energy(1.0).terms(X))
    index = np.arange(0, 1500, 1)
    signed = np.where(index % 3, 1.0, -2.0)
    found = sums_among(points, 2.0, index, signed, Threads(2))
    rho = cdist(X, X)
    assert found.total == pytest.approx(signed @ rho @ signed / 2.0, rel=1e-9)
    assert found.size == pytest.approx(abs(signed) @ rho @ abs(signed) / 2.0, rel=1e-9)
    assert found == sums_among(points, 2.0, index, signed, Threads(1))


@each(("far", "heavy"), [(1e6, 1e9), (1e9, 1e6), (1e9, 1e9)])
def test_what_a_heavy_point_far_away_leaves_behind_is_known_up_to_its_digits(far, heavy):
    """Landmarks' sums of the cluster are differences of sums that it made large."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))[rng.integers(20, size=602)]
    X[600:] = [[far, 0.0], [far, 1.0]]
    labels = np.append(np.repeat([0, 1, 2], 200), [0, 1])
    weights = np.append(np.ones(600), [heavy, heavy])
    case = Case(X, Energy(1.0), weights, labels, 3)
    search = case.search(100)
    search.form = LandmarkForm.of(search.points, np.arange(0, 600, 6))
    search._sum_pairs(whole_layout)
    search._round(np.arange(602), only_opening=True)
    found = moved_to(search._scene, np.array([600]), np.array([1]), search.executor)
    search.labels, search._totals = np.append(labels[:600], [1, 1]), found.totals
    _, g = to_centroids(case, search.labels)
    form, level = search.form, search._present().clusters[0].levels[0]
    rho = form.distances(search.points, np.arange(600))
    half = form.lacking(rho) * level.width + level.error + rho.max(axis=1) * level.rounding
    off = np.abs(rho @ level.direction + level.constant - g[:600, 0] / form.unit)
    assert np.all(off <= half)


def test_clusters_that_nothing_has_joined_or_left_are_kept():
    case, search = _with_moved_rows(2, whole_layout)
    before = search._present().clusters
    n_pairs = search.n_pairs
    search._scene = search._present()
    again = search._scene.clusters
    assert all(a is b for a, b in zip(before, again, strict=True))
    assert search.n_pairs == n_pairs
    row = int(np.flatnonzero((search.labels == 0) & (case.weights > 0))[0])
    found = moved_to(search._scene, np.array([row]), np.array([1]), search.executor)
    search.labels = search.labels.copy()
    search.labels[row], search._totals = 1, found.totals
    now = search._present().clusters
    assert [a is b for a, b in zip(before, now, strict=True)] == [False, False, True]
    assert search.n_pairs > n_pairs
