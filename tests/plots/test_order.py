"""The order of clusters in pictures: near ones next to each other, by hand and by brute force."""

import itertools

import numpy as np
import pytest

from kgroups import KernelKGroups
from kgroups.plots import GramDisplay, ProfileDisplay, SeparationDisplay
from kgroups.plots._order import by_nearness, in_order, order_of
from kgroups.semimetrics import Energy


def on_a_line(centers, n=3):
    """Points at and around centers on a line, their clusters, and squared distances."""
    labels = np.repeat(np.arange(len(centers)), n)
    x = np.repeat(np.asarray(centers, float), n) + np.tile([-0.1, 0.0, 0.1], len(centers))
    return np.square(x[:, None] - x), labels, x[:, None]


def test_clusters_on_a_line_are_in_the_order_of_the_line_from_the_smaller_number_on():
    rho, labels, _ = on_a_line([5.0, 0.0, 9.0, 2.0, 7.0])
    # On the line: 1 (0.0), 3 (2.0), 0 (5.0), 4 (7.0), 2 (9.0).
    assert by_nearness(rho, labels, 5).tolist() == [1, 3, 0, 4, 2]
    assert by_nearness(rho, np.array([4, 3, 2, 1, 0])[labels], 5).tolist() == [2, 0, 4, 1, 3]


def test_clusters_without_points_come_last():
    rho, labels, _ = on_a_line([5.0, 0.0, 9.0])
    assert by_nearness(rho, np.array([0, 2, 4])[labels], 6).tolist() == [2, 0, 4, 1, 3, 5]
    assert by_nearness(rho[:1, :1], labels[:1], 3).tolist() == [0, 1, 2]


def test_no_order_that_the_tree_allows_has_nearer_neighbors():
    centers = np.random.default_rng(5).normal(size=(7, 3))
    rho = Energy(2.0).pairwise(centers)
    order = by_nearness(rho, np.arange(7), 7)
    assert sorted(order) == list(range(7))

    def length(sequence):
        return sum(np.sqrt(rho[a, b]) for a, b in itertools.pairwise(sequence))

    others = [np.random.default_rng(s).permutation(7) for s in range(200)]
    assert length(order) < np.quantile([length(o) for o in others], 0.02)


def test_a_picture_takes_an_order_and_checks_it():
    _, labels, X = on_a_line([5.0, 0.0, 9.0])
    model = KernelKGroups(3, init=labels).fit(X)
    found = order_of(model, X, None)
    np.testing.assert_array_equal(found, order_of(model, X, found.tolist()))
    middles = [X[model.labels_ == c].mean() for c in found]
    assert middles in (sorted(middles), sorted(middles)[::-1])
    display = GramDisplay.from_estimator(model, X, order=[2, 0, 1])
    assert display.labels.tolist() == [2] * 3 + [0] * 3 + [1] * 3
    for wrong in ([0, 1], [0, 1, 1], [1, 2, 3]):
        with pytest.raises(ValueError, match="each of the clusters 0 to 2 once; got"):
            GramDisplay.from_estimator(model, X, order=wrong)


def test_displays_that_are_drawn_one_by_one_agree_on_the_order_whatever_they_sample():
    rng = np.random.default_rng(2)
    X = np.repeat(4.0 * rng.normal(size=(12, 3)), 60, axis=0) + rng.normal(size=(720, 3))
    model = KernelKGroups(12, n_init=2, random_state=0).fit(X)
    pairs, few = (
        GramDisplay.from_estimator(model, X),
        GramDisplay.from_estimator(model, X, max_points=40),
    )
    order = SeparationDisplay.from_estimator(model, X, max_points=100).order
    np.testing.assert_array_equal(in_order(pairs.labels), order)
    np.testing.assert_array_equal(in_order(few.labels), order)
    np.testing.assert_array_equal(ProfileDisplay.from_estimator(model, X).order, order)
