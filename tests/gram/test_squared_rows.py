"""Squared distances as features of the rows: large, tiny, equal and far ones."""

from fractions import Fraction

import numpy as np
import pytest

from helpers import each
from kgroups.gram.cluster_means import ClusterMeans
from kgroups.gram.squared_rows import SquaredGram
from kgroups.semimetrics import ColumnSum, Energy

pytestmark = pytest.mark.nojit
SQUARED = Energy(2)


def check_distances(metric, X, **tolerance):
    gram = SquaredGram(metric.terms(X))
    G = gram.to_dense()
    rho = gram.unit * (np.diag(G)[:, None] + np.diag(G) - 2 * G)
    assert rho == pytest.approx(metric.pairwise(X), **tolerance)
    rows = [gram.unit * gram.squared_distances(i) for i in range(len(X))]
    assert np.array(rows) == pytest.approx(metric.pairwise(X), **tolerance)


def test_distances_are_those_of_the_semimetric():
    X = np.random.default_rng(1).normal(size=(20, 4))
    check_distances(SQUARED, X, abs=1e-12)
    check_distances(SQUARED, X.astype(np.float32), abs=1e-4)
    parts = ColumnSum([(SQUARED, [0, 2], 3.0), (SQUARED, [1], 0.25)])
    check_distances(parts, X, abs=1e-12)


@each("scale", [1e150, 1e-150, 1e-200])
def test_large_and_tiny_rows(scale):
    """Also next to a constant column, whose square alone would overflow."""
    X = np.random.default_rng(2).normal(size=(12, 2)) * scale
    X = np.column_stack([X, np.full(12, 1e100)]) if scale < 1 else X
    gram = SquaredGram(SQUARED.terms(X))
    features = gram.features[:]
    assert 1e-6 < np.abs(features).max() < 1e200
    assert gram.embedding(SQUARED.terms(X[3:5])).tolist() == features[3:5].tolist()
    if scale > 1e-200:
        check_distances(SQUARED, X, rel=1e-9, abs=scale**2 * 1e-12)


def test_equal_rows_are_at_distance_zero():
    X = np.repeat(np.random.default_rng(3).normal(size=(4, 3)) + 1e8, 3, axis=0)
    gram = SquaredGram(SQUARED.terms(X))
    assert (gram.squared_distances(0) == 0).sum() == 3
    assert gram.count_distinct(np.ones(12, bool), 10) == 4


@each("first", [0.0, 1e8, 1e20, -1e150])
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
