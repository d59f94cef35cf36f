"""Inequalities that partitions satisfy."""

import numpy as np
from numpy.testing import assert_allclose

from kgroups.bounds.polyhedron import Polyhedron


def test_a_cut_holds_of_partitions_and_is_found_where_it_does_not():
    root = np.sqrt([1.0, 2.0, 3.0, 4.0])
    polyhedron = Polyhedron(root)
    labels = np.array([0, 0, 1, 1])
    u = (labels[:, None] == [0, 1]) * root[:, None]
    u /= np.linalg.norm(u, axis=0)
    assert polyhedron.renew(u @ u.T) == 0
    # a point with two others, half each: X_01 + X_02 = 2 X_00 and X_12 = 0
    X = np.diag([1.0, 1.0, 1.0, 1.0])
    X[0, 1:3] = X[1:3, 0] = 0.9
    assert polyhedron.renew(X * np.outer(root, root)) == 1
    assert polyhedron.points.tolist() == [[0, 1, 2]]
    Z = X * np.outer(root, root)
    for _ in range(100):
        Y = polyhedron.project(Z)
    Y /= np.outer(root, root)
    assert_allclose(Y[0, 0] + Y[1, 2] - Y[0, 1] - Y[0, 2], 0.0, atol=1e-9)
    assert (polyhedron.multipliers > 0).all()
    assert_allclose(polyhedron.dual(), polyhedron.project(Z) - Z, atol=1e-12)
