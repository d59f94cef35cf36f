"""Coordinates by classical scaling."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from helpers import each
from kgroups.select.subject import Subject


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
