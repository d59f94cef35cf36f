"""The eigengap, against the random walk and by hand."""

import numpy as np
import pytest

from kgroups.select import (
    eigengap,
)
from kgroups.select.eigengap import laplacian_spectrum
from kgroups.semimetrics import Gaussian


def test_eigengap_is_of_the_random_walk_laplacian():
    rng = np.random.default_rng(0)
    F = rng.uniform(size=(30, 4))
    G = F @ F.T
    L = np.eye(30) - G / G.sum(axis=1)[:, None]
    expected = np.sort(np.linalg.eigvals(L).real)[:7]
    assert laplacian_spectrum(G.copy(), 7) == pytest.approx(expected, abs=1e-10)


def test_eigengap_by_hand():
    """Two pairs that know nothing of each other: eigenvalues 0, 0, 1, 1 up to e^-50."""
    X = np.array([[0.0], [0.0], [10.0], [10.0]])
    found = eigengap(X, [1, 2, 3], metric=Gaussian(1.0))
    assert found.values[1:] == pytest.approx([1.0, 0.0], abs=1e-12)
