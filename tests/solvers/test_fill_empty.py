"""Clusters that run empty get a point."""

import numpy as np
import pytest

from kgroups.solvers.fill_empty import fill_empty

pytestmark = pytest.mark.nojit


def test_an_empty_cluster_gets_the_costliest_point_that_can_be_spared():
    """The costliest of all is alone in its cluster, the next has no weight."""
    labels = np.array([0, 1, 1, 1, 1])
    fill_empty(labels, np.array([9.0, 8.0, 2.0, 3.0, 1.0]), np.array([1.0, 0, 1, 1, 1]), 4)
    assert labels.tolist() == [0, 1, 3, 2, 1]
