"""Criteria one by one, and the coordinates that some of them use."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from helpers import each
from kgroups.select import (
    choose_n_clusters,
)
from kgroups.select.criterion import check_k_range
from kgroups.select.prediction_strength import prediction_strength_of, strength
from kgroups.select.subject import Subject
from select_cases import lumps


def test_the_largest_number_is_short_for_a_range():
    """As --k-max of the command line; by position, by name and as a range it is one answer."""
    X = lumps(2, n=20)
    first, *others = (
        choose_n_clusters(X, range(1, 4), random_state=0),
        choose_n_clusters(X, k_range=[3, 1, 2], random_state=0),
        choose_n_clusters(X, k_max=3, random_state=0),
    )
    assert first.k.tolist() == [1, 2, 3]
    for other in others:
        assert [c.to_dict() for c in other.criteria] == [c.to_dict() for c in first.criteria]


@each(("n", "most"), [(1, 1), (7, 1), (8, 4), (15, 7), (20, 10), (5_000, 10)])
def test_the_range_by_default(n, most):
    assert check_k_range(None, n).tolist() == list(range(1, most + 1))


def test_rows_equally_far_apart_have_no_leading_coordinates():
    """Of 99 equal eigenvalues, no 30 come first."""
    subject = Subject.of(1.0 - np.eye(100), "precomputed")
    assert not subject.coordinates.any()
    assert Subject.of(1.0 - np.eye(20), "precomputed").coordinates.shape == (20, 19)


@each("unit", [1.0, 1e-200, 1e200])
def test_coordinates_of_a_matrix_are_those_of_its_points_but_for_a_unit(unit):
    X = np.random.default_rng(0).normal(size=(30, 3))
    subject = Subject.of(unit * squareform(pdist(X)), "precomputed")
    ratio = pdist(subject.coordinates) / pdist(X)
    assert ratio == pytest.approx(ratio[0], rel=1e-8)


def test_prediction_strength_by_hand():
    """Clusters {0,1,2} and {3,4,5,6}; the other half splits off point 2 and point 6."""
    found = np.array([0, 0, 0, 1, 1, 1, 1])
    predicted = np.array([0, 0, 1, 1, 1, 1, 0])
    # One of three pairs stays together; three of six.
    assert strength(found, predicted) == pytest.approx(min(1 / 3, 3 / 6))


def test_a_half_that_predicts_fewer_clusters_says_nothing():
    """All rows together, as where all centroids are equally far: each pair found would stay."""
    assert strength(np.array([0, 0, 1, 1]), np.zeros(4, np.int64)) == 0.0
    assert strength(np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 2, 2, 2, 2])) == 0.0


def test_one_cluster_has_the_value_one_and_too_many_have_none():
    subject = Subject.of(lumps(2, n=10), "energy", random_state=0)
    values = prediction_strength_of(subject, np.array([1, 2, 6]), 2).values
    assert values[:2].tolist() == [1.0, 1.0]
    assert np.isnan(values[2])  # a half has 10 rows


def test_the_standard_error_counts_in_favor_of_more_clusters(monkeypatch):
    """.7, .86, .7, .86: the mean .78 is below .8, and its standard error is .08 / √4 = .04."""
    given = iter([0.7, 0.86] * 2)
    monkeypatch.setitem(prediction_strength_of.__globals__, "strength", lambda *_: next(given))
    subject = Subject.of(lumps(1), "energy", random_state=0)
    found = prediction_strength_of(subject, np.array([1, 2]), 4)
    assert (found.n_clusters, found.values[1], found.errors[1]) == (
        2, pytest.approx(0.78), pytest.approx(0.04)
    )  # fmt: skip
