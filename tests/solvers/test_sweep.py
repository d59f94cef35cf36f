"""One sweep gives the moves of a plain loop over the points, whatever holds the similarity."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each, random_start, weighted_problem
from kgroups.gram import BLOCK, DenseGram, FactorGram, SparseGram
from kgroups.native import kernels
from kgroups.solvers import Problem, sweep
from kgroups.solvers import objective as spec
from kgroups.solvers.partition import begin, value
from kgroups.solvers.sweep import Visit


def plain_sweep(G, labels, w, k):
    """Every point once, in order, to the target with the largest gain; the number of moves."""
    labels, moved = labels.copy(), 0
    least = spec.threshold(G, labels, w, k, 1e-12)
    for point in range(len(w)):
        if not spec.movable(labels, w, k, point):
            continue
        target, gain = spec.best_move(G, labels, w, k, point)
        if gain > least:
            labels[point], moved = target, moved + 1
    return labels, moved


def swept_once(gram, labels, w, k):
    problem = Problem(gram, w, k)
    work = begin(problem, labels)
    least = spec.threshold(gram.to_dense(), labels, w, k, 1e-12)
    visit = Visit(kernels.visit_by_gain, gram.diagonal(), w, least, work.state)
    return sweep.sweep(gram, work.sums, visit), work


def check_against_the_plain_sweep(gram, labels, w, k, rtol=1e-9):
    G = gram.to_dense()
    expected, n_moves = plain_sweep(G, labels, w, k)
    moved, work = swept_once(gram, labels, w, k)
    assert (work.state.labels.tolist(), moved) == (expected.tolist(), n_moves)
    assert value(work.state) == pytest.approx(spec.objective(G, expected, w, k), rel=rtol)
    sums = spec.cluster_sums(G, expected, w, k)
    np.testing.assert_allclose(
        work.sums.block(0, gram.n), sums.T, rtol=rtol, atol=rtol * np.abs(sums).max()
    )
    return n_moves


@each("zeros", [False, True])
@each("kind", ["kernel", "distance", "indefinite"])
def test_dense(kind, zeros):
    rng = np.random.default_rng(1)
    G, labels, w, k = weighted_problem(rng, 60, 4, kind, weighted=True, zeros=zeros)
    assert check_against_the_plain_sweep(DenseGram(G), labels, w, k) > 0


@each("size", [3, 8, 64])
def test_any_size_of_blocks_and_windows(size, monkeypatch):
    """Points of a block that move one after another, and windows that end within the points."""
    monkeypatch.setattr(sweep, "BLOCK", size)
    monkeypatch.setattr(sweep, "_WINDOW", 2 * size)
    rng = np.random.default_rng(2)
    G, labels, w, k = weighted_problem(rng, 50, 5, "distance", weighted=True, zeros=False)
    assert check_against_the_plain_sweep(DenseGram(G), labels, w, k) > 8


def test_a_point_behind_many_blocks_that_stay():
    """All but the last of three blocks of points stand where they belong; one point moves."""
    n = 2 * BLOCK + 40
    X = np.r_[np.zeros(n // 2), np.full(n - n // 2, 9.0)] + 1e-3 * np.arange(n) / n
    labels = (X > 5).astype(np.int64)
    labels[-3] = 0
    gram = FactorGram(X[:, None] - 4.5)
    dense = DenseGram(gram.to_dense())
    moved, work = swept_once(dense, labels, np.ones(n), 2)
    assert moved == 1
    assert work.state.labels.tolist() == (X > 5).astype(int).tolist()


def test_a_sparse_matrix():
    rng = np.random.default_rng(4)
    A = np.triu(rng.random((60, 60)) * (rng.random((60, 60)) < 0.15), 1)
    gram = SparseGram(csr_array(A + A.T))
    assert check_against_the_plain_sweep(gram, random_start(rng, 60, 3), np.ones(60), 3) > 0


def test_other_sums_of_a_sparse_matrix_are_swept_in_blocks():
    """The table of sums that any operator has serves too, with the same moves."""
    rng = np.random.default_rng(5)
    w, labels = rng.uniform(0.5, 2, 40), random_start(rng, 40, 3)
    A = np.triu(rng.random((40, 40)), 1)
    gram = SparseGram(csr_array(A + A.T))
    dense = DenseGram(gram.to_dense())
    sums = dense.running_sums(labels, w, 3)
    work = begin(Problem(dense, w, 3), labels, sums)
    least = spec.threshold(dense.to_dense(), labels, w, 3, 1e-12)
    visit = Visit(kernels.visit_by_gain, gram.diagonal(), w, least, work.state)
    moved = sweep.sweep(gram, sums, visit)
    expected, n_moves = plain_sweep(dense.to_dense(), labels, w, 3)
    assert (work.state.labels.tolist(), moved) == (expected.tolist(), n_moves)
