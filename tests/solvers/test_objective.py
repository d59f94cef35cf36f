"""The specification itself: sums over pairs one by one, and numbers by hand."""

import itertools

import numpy as np
import pytest

from helpers import each, weighted_problem
from kgroups.solvers import objective as spec

LINE = np.array([0.0, 1.0, 10.0, 12.0])
G = -0.5 * np.abs(np.subtract.outer(LINE, LINE))


def by_pairs(G, labels, w, k):
    """Q_j and s_j from their definitions, in pure Python."""
    Q, s = [0.0] * k, [0.0] * k
    for i, j in itertools.product(range(len(w)), repeat=2):
        if labels[i] == labels[j]:
            Q[labels[i]] += w[i] * w[j] * G[i, j]
    for i, label in enumerate(labels):
        s[label] += w[i]
    return np.array(Q), np.array(s)


def test_four_points_by_hand():
    """ρ inside {0,1} is 1 and inside {10,12} is 2, each counted twice in Q_j = −½ Σ Σ ρ."""
    labels, w = np.array([0, 0, 1, 1]), np.ones(4)
    assert spec.within(G, labels, w, 2).tolist() == [-1.0, -2.0]
    assert spec.cluster_weights(labels, w, 2).tolist() == [2.0, 2.0]
    assert spec.objective(G, labels, w, 2) == -1.5
    assert spec.threshold(G, labels, w, 2, 1e-3) == pytest.approx(1.5e-3)
    sums = spec.cluster_sums(G, labels, w, 2)
    assert sums[0].tolist() == [-0.5, -11.0]
    assert sums[2].tolist() == [-9.5, -1.0]


def test_weights_by_hand():
    """A weight of 2 is the point twice: {0, 0, 10} has Σ Σ ρ = 4 · 10 and weight 3."""
    labels, w = np.array([0, 1, 0, 1]), np.array([2.0, 0.0, 1.0, 5.0])
    assert spec.within(G, labels, w, 2).tolist() == [-20.0, 0.0]
    assert spec.objective(G, labels, w, 2) == pytest.approx(-20 / 3)


def test_sums_by_cluster_reach_to_k():
    assert spec.sum_by_cluster(np.array([2, 0, 2]), np.array([1.0, 2.0, 4.0]), 4).tolist() == [
        2.0, 0.0, 5.0, 0.0,
    ]  # fmt: skip
    assert spec.over_weight(np.array([3.0, 7.0]), np.array([2.0, 0.0])).tolist() == [1.5, 0.0]


@each("kind", ["kernel", "distance", "indefinite"])
@each("zeros", [False, True])
def test_sums_over_pairs_one_by_one(kind, zeros):
    rng = np.random.default_rng(3)
    made, labels, w, k = weighted_problem(rng, 12, 3, kind, weighted=True, zeros=zeros)
    Q, s = by_pairs(made, labels, w, k)
    np.testing.assert_allclose(spec.within(made, labels, w, k), Q, atol=1e-12)
    np.testing.assert_allclose(spec.cluster_weights(labels, w, k), s, rtol=1e-14)
    expected = sum(q / t for q, t in zip(Q, s, strict=True) if t > 0)
    assert spec.objective(made, labels, w, k) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_origin_of_the_kernel_shifts_the_objective_by_a_constant():
    """Adding a_x + a_y to G adds 2 Σ w a, whatever the labels."""
    rng = np.random.default_rng(0)
    made, _, w, k = weighted_problem(rng, 10, 3, "kernel", weighted=True, zeros=False)
    a = rng.normal(size=10)
    moved = made + a[:, None] + a
    for _ in range(5):
        labels = rng.permutation(np.arange(10) % k)
        shift = spec.objective(moved, labels, w, k) - spec.objective(made, labels, w, k)
        assert shift == pytest.approx(2 * w @ a)


def test_moves_into_and_out_of_an_empty_cluster():
    """12 leaves {10, 12} for an empty cluster: W falls by the 1 that the two cost together."""
    labels, w = np.array([0, 0, 1, 1]), np.ones(4)
    assert spec.move_gain(G, labels, w, 3, 3, 2) == pytest.approx(1.0)
    alone = np.array([0, 0, 1, 2])
    assert spec.move_gain(G, alone, w, 3, 3, 1) == pytest.approx(-1.0)
    assert spec.move_gain(G, alone, w, 3, 3, 2) == 0.0
    assert spec.best_move(G, labels, w, 3, 3) == (2, pytest.approx(1.0))


def test_points_without_weight_gain_nothing_and_do_not_fill_a_cluster():
    labels, w = np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 1.0, 0.0])
    assert spec.move_gain(G, labels, w, 2, 3, 0) == 0.0
    assert [spec.movable(labels, w, 2, point) for point in range(4)] == [True, True, False, False]


@each(("labels", "optimal"), [([0, 0, 1, 1], True), ([0, 1, 1, 1], False), ([0, 1, 0, 1], False)])
def test_optimality_of_one_move_on_a_line(labels, optimal):
    assert spec.is_one_move_optimal(G, np.array(labels), np.ones(4), 2) is optimal
    assert spec.is_one_move_optimal(G, np.zeros(4, int), np.ones(4), 1)


def test_equal_gains_go_to_the_first_target():
    """The second of two points in the middle is as near to the left as to the right, at 1."""
    places = np.array([-1.0, 0.0, 0.0, 1.0])
    made = -0.5 * np.subtract.outer(places, places) ** 2
    target, gain = spec.best_move(made, np.array([0, 2, 2, 1]), np.ones(4), 3, 1)
    assert (target, gain) == (0, pytest.approx(-0.5))
