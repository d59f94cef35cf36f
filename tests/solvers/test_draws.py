"""Random draws that several searches share."""

import numpy as np
import pytest

from kgroups.solvers.draws import drawn_by_potential, random_labels

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
