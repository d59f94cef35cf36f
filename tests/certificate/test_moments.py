"""Weights and mean distances to landmarks of the pieces of a cluster."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from certificate_cases import random_case
from kgroups.certificate import moments
from kgroups.certificate.certified import form_of
from kgroups.certificate.members import PIECE, Members
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy


@pytest.mark.parametrize("rows", [100, 1 << 13])
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
