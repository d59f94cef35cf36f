"""Draws and repairs of labels that several searches share."""

import numpy as np
import pytest

from kgroups.solvers.draws import drawn_by_potential, fill_empty, largest_first, random_labels

pytestmark = pytest.mark.nojit


def test_draws_follow_a_potential():
    """In proportion, and nothing without potential."""
    rng = np.random.default_rng(0)
    assert drawn_by_potential(np.zeros(5), 3, rng).tolist() == []
    assert drawn_by_potential(np.ones(5), 0, rng).tolist() == []
    potential = np.array([0.0, 1.0, 0.0, 3.0, 0.0])
    counts = np.bincount(drawn_by_potential(potential, 4000, rng), minlength=5)
    assert counts[[0, 2, 4]].tolist() == [0, 0, 0]
    assert abs(counts[3] - 3000) < 4 * np.sqrt(4000 * 0.75 * 0.25)


def test_random_labels_give_each_cluster_a_point_of_weight():
    weights = np.array([0.0, 1.0, 0.0, 2.0, 3.0])
    for seed in range(20):
        labels = random_labels(weights, 3, np.random.default_rng(seed))
        assert sorted(labels[[1, 3, 4]]) == [0, 1, 2]
    few = random_labels(weights, 4, np.random.default_rng(0))
    assert len(set(few[[1, 3, 4]])) == 3, "three points of weight cannot fill four clusters"


def test_an_empty_cluster_gets_the_costliest_point_that_can_be_spared():
    """The costliest of all is alone in its cluster, the next has no weight."""
    labels = np.array([0, 1, 1, 1, 1])
    fill_empty(labels, np.array([9.0, 8.0, 2.0, 3.0, 1.0]), np.array([1.0, 0, 1, 1, 1]), 4)
    assert labels.tolist() == [0, 1, 3, 2, 1]


def test_clusters_are_numbered_by_weight_and_then_by_first_member():
    """Clusters 0 and 2 weigh the same; the first member of 0 has no weight, so 2 comes first."""
    labels = np.array([0, 2, 0, 1, 1])
    weights = np.array([0.0, 1.0, 1.0, 2.0, 2.0])
    weight = np.bincount(labels, weights=weights)
    assert largest_first(labels, weights, weight).tolist() == [1, 2, 0]
