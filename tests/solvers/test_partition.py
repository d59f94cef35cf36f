"""Partitions: the numbers of their clusters."""

import numpy as np
import pytest

from kgroups.solvers.partition import largest_first

pytestmark = pytest.mark.nojit


def test_clusters_are_numbered_by_weight_and_then_by_first_member():
    """Clusters 0 and 2 weigh the same; the first member of 0 has no weight, so 2 comes first."""
    labels = np.array([0, 2, 0, 1, 1])
    weights = np.array([0.0, 1.0, 1.0, 2.0, 2.0])
    weight = np.bincount(labels, weights=weights)
    assert largest_first(labels, weights, weight).tolist() == [1, 2, 0]
