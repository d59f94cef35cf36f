"""The first two steps of a proof: tables of bounds for all clusters at once."""

import numpy as np

from certificate_cases import Case, random_case, sums_by_cluster, to_centroids
from helpers import each
from kgroups.certificate.first_look import FirstLook, Table, look_at_all
from kgroups.certificate.stages import whole_layout
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy


def _look(case, n_landmarks=20):
    search = case.search(n_landmarks)
    search._sum_pairs(whole_layout)
    scene = search._present()
    look = FirstLook.of(scene)
    index = np.flatnonzero(case.weights > 0)
    rho = scene.form.distances(scene.points, index)
    lacking = scene.form.lacking(rho)
    return search, look, index, rho, lacking


def test_sums_over_first_members_are_those_of_single_pairs():
    case = random_case(3, 700, 3, np.float64)
    search, look, index, rho, lacking = _look(case)
    known = look.of_landmarks(rho, lacking)
    found, n_pairs = look.of_members(index, rho, lacking, known, np.ones(3, bool))
    assert n_pairs == 3 * 64 * len(index)
    inside = np.zeros(700)
    for cluster in range(3):
        first = search._members.of_cluster(cluster, 0, 64)
        inside[first] = case.weights[first]
    exact = sums_by_cluster(case._replace(weights=inside), search.labels)[index]
    np.testing.assert_allclose(found.sums * search.form.unit, exact, rtol=1e-12)


def test_clusters_that_are_not_asked_for_keep_the_bounds_of_landmarks():
    case = random_case(4, 600, 3, np.float64)
    _, look, index, rho, lacking = _look(case)
    known = look.of_landmarks(rho, lacking)
    found, n_pairs = look.of_members(index, rho, lacking, known, np.array([False, True, False]))
    assert n_pairs == 64 * len(index)
    for values, before in zip(found, known, strict=True):
        assert (values[:, [0, 2]] == before[:, [0, 2]]).all()
    assert (found.sums[:, 1] > 0).all()


def test_the_narrower_of_two_bounds_is_taken():
    one = Table(np.array([[1.0, 5.0]]), np.array([[4.0, 9.0]]), np.zeros((1, 2)))
    other = Table(np.array([[2.0, 3.0]]), np.array([[3.0, 20.0]]), np.ones((1, 2)))
    found = one.narrowed(other)
    assert (found.low.tolist(), found.high.tolist()) == ([[2.0, 5.0]], [[3.0, 9.0]])
    assert found.sums.tolist() == [[0.0, 0.0]]


@each("seed", range(3))
def test_rows_that_are_closed_are_nearest_to_their_cluster(seed):
    """Those left open have bounds that hold the exact squared distance, whatever the threads."""
    case = random_case(60 + seed, 900, 4, np.float64)
    search, look, index, _, _ = _look(case)
    margin = np.zeros(900)
    seen, steps = look_at_all(look.scene, look, index, margin, Threads(1))
    again, _ = look_at_all(look.scene, look, index, margin.copy(), Threads(3))
    assert (seen.index == again.index).all()
    assert (seen.others.low == again.others.low).all()
    assert [step.size for step in steps] == [0, 64]
    d, _ = to_centroids(case, search.labels)
    closed = np.setdiff1d(index, seen.index)
    w, s = case.weights[closed, None], look.scene.rule.weight
    scaled = s / (s + w) * d[closed]
    own = search.labels[closed]
    here = np.arange(len(closed))
    mine = s[own] / (s[own] - w[:, 0]) * d[closed, own]
    scaled[here, own] = np.inf
    assert len(closed) > 0
    assert (mine <= scaled.min(axis=1) + 1e-12).all()


def test_the_last_row_of_a_cluster_stays():
    X = np.concatenate([np.linspace(0.0, 1.0, 30), [1.1], np.linspace(5.0, 6.0, 30)])[:, None]
    labels = np.array([0] * 30 + [1] + [2] * 30)
    case = Case(X, Energy(1.0), np.ones(61), labels, 3)
    _, look, index, _, _ = _look(case, 5)
    seen, _ = look_at_all(look.scene, look, index, np.zeros(61), Threads(1))
    assert 30 not in seen.index
