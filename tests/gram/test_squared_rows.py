"""Squared distances as features of the rows."""

import numpy as np
import pytest

from kgroups.gram.squared_rows import SquaredGram, squared_rank
from kgroups.semimetrics import ColumnSum, Energy, Manhattan
from kgroups.testing import check_gram_operator

pytestmark = pytest.mark.nojit
SQUARED = Energy(2)


def check_distances(metric, X, **tolerance):
    gram = SquaredGram(metric.terms(X))
    G = gram.to_dense()
    rho = gram.unit * (np.diag(G)[:, None] + np.diag(G) - 2 * G)
    assert rho == pytest.approx(metric.pairwise(X), **tolerance)
    rows = [gram.unit * gram.squared_distances(i) for i in range(len(X))]
    assert np.array(rows) == pytest.approx(metric.pairwise(X), **tolerance)


def test_it_is_an_operator():
    X = np.random.default_rng(0).normal(size=(30, 3))
    check_gram_operator(SquaredGram(SQUARED.terms(X)), seed=0)


def test_distances_are_those_of_the_semimetric():
    X = np.random.default_rng(1).normal(size=(20, 4))
    check_distances(SQUARED, X, abs=1e-12)
    check_distances(SQUARED, X.astype(np.float32), abs=1e-4)
    parts = ColumnSum([(SQUARED, [0, 2], 3.0), (SQUARED, [1], 0.25)])
    check_distances(parts, X, abs=1e-12)


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e-200])
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


def test_rank():
    X = np.zeros((2, 3))
    assert squared_rank(SQUARED.terms(X)) == 3
    assert squared_rank(ColumnSum([(SQUARED, [0]), (SQUARED, [1, 2])]).terms(X)) == 3
    assert squared_rank(Energy(1).terms(X)) is None
    assert squared_rank(ColumnSum([(SQUARED, [0]), (Manhattan(), [1])]).terms(X)) is None
    assert squared_rank(None) is None
