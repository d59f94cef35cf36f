"""The semidefinite bound, its cuts, and what it proves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from bound_cases import best_w, random_weights
from helpers import each, random_gram
from kgroups import KernelKGroups
from kgroups.bounds import semidefinite_bound, spectral_bound
from kgroups.bounds.centered import Centered
from kgroups.bounds.polyhedron import Polyhedron
from kgroups.gram import DenseGram


@pytest.mark.nojit
@each("weights", ["unit", "random", "zeros"])
@each("kind", ["kernel", "distance", "indefinite"])
def test_semidefinite_bound_lies_between_the_spectral_one_and_the_optimum(kind, weights):
    rng = np.random.default_rng(2)
    for _ in range(2):
        n = 6
        G, w = random_gram(rng, n, kind), random_weights(rng, n, weights)
        matrix = Centered.of(DenseGram(G), w)
        rounding = matrix.unit * matrix.rounding
        for k in (1, 2, 3):
            how = {"metric": "precomputed_kernel", "sample_weight": w}
            found = semidefinite_bound(G, k, max_iter=150, **how)
            assert spectral_bound(G, k, **how) <= found <= best_w(G, w, k) + rounding


@each(
    ("X", "k"),
    [(load_iris().data, 2), (load_iris().data, 3), (scale(load_wine().data), 3)],
    ids=["iris 2", "iris 3", "wine 3"],
)
def test_real_data_are_proved(X, k):
    found = KernelKGroups(k, random_state=0).fit(X).optimality_gap()
    assert found.kind == "semidefinite"
    assert found.proves_optimal
    assert found.bound <= found.within_dispersion


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
