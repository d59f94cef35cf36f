"""Means of clusters keep their digits, wherever these are."""

from fractions import Fraction

import numpy as np
import pytest

from kgroups.gram.cluster_means import ClusterMeans

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize("first", [0.0, 1e8, 1e20, -1e150])
def test_against_fractions(first):
    """The first row, in a cluster of its own, may be anywhere."""
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 2)) + 1e6, rng.integers(1, 4, size=30)
    X[0], labels[0] = first, 0
    w = rng.choice([0.0, 0.5, 3.0], size=30)
    w[:2] = 1.0
    found = ClusterMeans.of(X, labels, w, 5)
    means, dispersions = found.means(), found.dispersions(X, labels, w)
    for j in range(4):
        own = [i for i in range(30) if labels[i] == j and w[i] > 0]
        s = sum(Fraction(w[i]) for i in own)
        squared = Fraction(0)
        for d in range(2):
            mean = sum(Fraction(w[i]) * Fraction(X[i, d]) for i in own) / s
            squared += sum(Fraction(w[i]) * (Fraction(X[i, d]) - mean) ** 2 for i in own)
            assert means[j, d] == pytest.approx(float(mean), rel=1e-15, abs=0)
        assert dispersions[j] == pytest.approx(float(squared), rel=1e-13, abs=0)
    assert np.isnan(means[4]).all()
    assert dispersions[4] == 0.0


def test_rows_in_float32():
    X = np.array([[0.1], [0.2], [5.0]], np.float32)
    means = ClusterMeans.of(X, np.array([0, 0, 1]), np.ones(3), 2).means()
    exact = (Fraction(float(X[0, 0])) + Fraction(float(X[1, 0]))) / 2
    assert means.tolist() == [[float(exact)], [5.0]]
