"""Coordinates by classical scaling."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from kgroups.select.subject import Subject


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200])
def test_coordinates_of_a_matrix_are_those_of_its_points_but_for_a_unit(unit):
    X = np.random.default_rng(0).normal(size=(30, 3))
    subject = Subject.of(unit * squareform(pdist(X)), "precomputed")
    ratio = pdist(subject.coordinates) / pdist(X)
    assert ratio == pytest.approx(ratio[0], rel=1e-8)
