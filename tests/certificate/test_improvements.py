"""Rows that gain by a move, from all sums: against the plain specification."""

import numpy as np
import pytest

from helpers import each
from kgroups.certificate.improvements import Improvements, improvements_on
from kgroups.gram import DenseGram
from kgroups.solvers import objective as plain


def problem(seed, n=40, k=4, *, indefinite=False):
    """A Gram matrix, labels and weights, some of which are zero."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, 3))
    G = F @ F.T
    if indefinite:
        noise = rng.normal(size=(n, n))
        G = noise + noise.T
    weights = rng.random(n) + 0.1
    weights[rng.choice(n, 3, replace=False)] = 0.0
    return G, rng.integers(k, size=n), weights


def plain_moves(G, labels, w, k, tol=1e-12):
    least = plain.threshold(G, labels, w, k, tol)
    moves = {}
    for i in range(len(w)):
        if not plain.movable(labels, w, k, i):
            continue
        target, gain = plain.best_move(G, labels, w, k, i)
        if gain > least:
            moves[i] = (target, gain)
    return moves


@each("indefinite", [False, True])
@each("seed", range(10))
def test_all_rows_that_gain_and_only_these(seed, indefinite):
    G, labels, w = problem(seed, indefinite=indefinite)
    found, W = improvements_on(DenseGram(G), labels, w, 4, 1e-12)
    expected = plain_moves(G, labels, w, 4)
    assert expected
    assert found.rows.tolist() == sorted(expected)
    for row, target, gain in zip(found.rows, found.targets, found.gains, strict=True):
        assert target == expected[row][0]
        assert gain == pytest.approx(expected[row][1], rel=1e-9)
    assert pytest.approx(w @ np.diag(G) - plain.objective(G, labels, w, 4), rel=1e-12) == W


@each("seed", range(5))
def test_a_gain_is_what_the_objective_rises_by(seed):
    G, labels, w = problem(seed)
    found, _ = improvements_on(DenseGram(G), labels, w, 4, 1e-12)
    before = plain.objective(G, labels, w, 4)
    for row, target, gain in zip(found.rows, found.targets, found.gains, strict=True):
        moved = labels.copy()
        moved[row] = target
        assert plain.objective(G, moved, w, 4) - before == pytest.approx(gain, rel=1e-8)


def test_rows_alone_in_their_cluster_stay():
    """Rows 0 and 1 are alike, but a cluster keeps its last row."""
    G = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found, W = improvements_on(DenseGram(G), np.array([0, 1, 2]), np.ones(3), 3, 1e-12)
    assert found.rows.tolist() == []
    assert pytest.approx(0.0) == W


def test_a_large_tolerance_hides_moves():
    G, labels, w = problem(0)
    many, _ = improvements_on(DenseGram(G), labels, w, 4, 1e-12)
    few, _ = improvements_on(DenseGram(G), labels, w, 4, 0.1)
    least = plain.threshold(G, labels, w, 4, 0.1)
    assert few.rows.tolist() == many.rows[many.gains > least].tolist()
    assert len(few.rows) < len(many.rows)


def test_the_order_and_the_unit_of_rows():
    some = Improvements(np.array([5, 2]), np.array([1, 0]), np.array([0.5, 2.0]))
    found = some.by_row(10.0)
    assert found.rows.tolist() == [2, 5]
    assert found.targets.tolist() == [0, 1]
    assert found.gains.tolist() == [20.0, 5.0]
    assert Improvements.none().by_row(2.0).rows.size == 0
