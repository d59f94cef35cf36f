"""Weights and mean distances to landmarks of the pieces of a cluster."""

import numpy as np
from scipy.spatial.distance import cdist

from certificate_cases import random_case
from helpers import each
from kgroups.certificate import moments
from kgroups.certificate.certified import form_of
from kgroups.certificate.members import PIECE, Members
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy


@each("rows", [100, 1 << 13])
def test_moments_are_sums_over_pieces(monkeypatch, rows):
    """However many rows a task takes, and whatever piece its first row lies in."""
    monkeypatch.setattr(moments, "_ROWS", rows)
    case = random_case(3, 1500, 3, np.float64)._replace(metric=Energy(1.0))
    points = case.points()
    form = form_of(points, case.weights, 20, 0)
    members = Members.of(case.labels, case.weights, 3, 0)
    landmarks = case.X[np.isin(case.X[:, 0], form.points.table[:, 0])]
    found = moments.moments_of(form, points, members, Threads(2))
    for cluster in range(3):
        index = members.of_cluster(cluster)
        pieces = [index[a : a + PIECE] for a in range(0, len(index), PIECE)]
        w = [case.weights[piece] for piece in pieces]
        np.testing.assert_allclose(found[cluster].weight, [some.sum() for some in w], rtol=1e-13)
        rho = [cdist(case.X[piece], landmarks).mean(axis=1) for piece in pieces]
        means = [some @ of for some, of in zip(w, rho, strict=True)]
        ours = found[cluster].landmarks.mean(axis=1) * form.unit
        np.testing.assert_allclose(ours, means, rtol=1e-12)


def test_parts_are_sums_of_pieces():
    made = moments.Moments(np.arange(1.0, 6.0), np.arange(10.0).reshape(5, 2))
    parts = made.parts([PIECE, 3 * PIECE, 4 * PIECE + 7])
    assert parts.weight.tolist() == [1.0, 5.0, 9.0]
    assert parts.landmarks.tolist() == [[0.0, 1.0], [6.0, 8.0], [14.0, 16.0]]


def test_members_come_by_cluster_the_heavy_ones_first():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=2000)
    weights = np.ones(2000)
    weights[:100] = 0.0
    heavy = np.flatnonzero(labels == 1)[[60, 90, 120]]
    weights[heavy] = [50.0, 500.0, 70.0]
    members = Members.of(labels, weights, 3, 0)
    for cluster in range(3):
        index = members.of_cluster(cluster)
        assert set(index) == set(np.flatnonzero((labels == cluster) & (weights > 0)))
        assert members.weight[cluster] == weights[labels == cluster].sum()
    assert members.of_cluster(1, 0, 3).tolist() == heavy[[1, 2, 0]].tolist()
    assert members.count.sum() == 1900
    assert np.array_equal(members.of_cluster(2, 5, 9), members.of_cluster(2)[5:9])


def test_any_first_part_is_a_random_one():
    """Of members in order the first half would hold only low numbers."""
    members = Members.of(np.zeros(4000, np.int64), np.ones(4000), 1, 0)
    half = members.of_cluster(0, 0, 2000)
    assert abs(half.mean() - 1999.5) < 5 * 4000 / np.sqrt(12 * 2 * 2000)
    other = Members.of(np.zeros(4000, np.int64), np.ones(4000), 1, 1)
    assert not np.array_equal(half, other.of_cluster(0, 0, 2000))
