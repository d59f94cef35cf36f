"""The sparse operator: contracted, with any indices and threads, and its moves on a dense one."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each, random_start
from kgroups.gram import DenseGram, SparseGram
from kgroups.gram.csr import Csr
from kgroups.graphs import graph_objectives, planted_partition
from kgroups.solvers import Hartigan, Problem
from kgroups.solvers import objective as spec

KINDS = ["plain", "diagonal", "columns", "all"]


def sparse_symmetric(rng, n, density=0.3, loops=True):
    W = np.where(rng.random((n, n)) < density, rng.normal(size=(n, n)), 0.0)
    W = np.triu(W, 0 if loops else 1)
    return W + np.triu(W, 1).T


def dense_of(W, diagonal=None, columns=None, signs=None):
    G = W.copy()
    if diagonal is not None:
        G += np.diag(diagonal)
    if columns is not None:
        G += (columns * (np.ones(columns.shape[1]) if signs is None else signs)) @ columns.T
    return G


def random_sparse(rng, n, kind, density=0.3):
    """An operator and, made without it, its matrix."""
    W = sparse_symmetric(rng, n, density)
    parts = {}
    if kind in ("diagonal", "all"):
        parts["diagonal"] = rng.normal(size=n)
    if kind in ("columns", "all"):
        parts["columns"], parts["signs"] = rng.normal(size=(n, 2)), np.array([0.7, -1.3])
    return SparseGram(csr_array(W), **parts), dense_of(W, **parts)


def random_weights(rng, n, zeros=True):
    w = rng.uniform(0.05, 3.0, n)
    if zeros:
        w[rng.random(n) < 0.2] = 0.0
        w[0] = 1.0
    return w


def started(rng, w, k):
    """Labels in which every cluster has a point with weight."""
    labels = rng.integers(k, size=len(w))
    labels[rng.permutation(np.flatnonzero(w > 0))[:k]] = np.arange(k)
    return labels


# --- the operator ------------------------------------------------------------------------------


@pytest.mark.nojit
@each("kind", KINDS)
@each("seed", range(6))
def test_labels_constant_on_groups_have_the_same_objective_when_contracted(kind, seed):
    rng = np.random.default_rng(seed)
    n, n_groups, k = 20, 7, 3
    gram, G = random_sparse(rng, n, kind)
    w = random_weights(rng, n, zeros=seed % 2 == 1)
    groups = random_start(rng, n, n_groups)
    if seed == 3:
        w[groups == 2] = 0.0  # a group without weight
    small, weights = gram.contracted(w, groups, n_groups)
    np.testing.assert_allclose(weights, np.bincount(groups, weights=w), rtol=1e-14)
    small_G = small.to_dense()
    np.testing.assert_allclose(small_G, small_G.T, atol=1e-13)
    share = np.zeros((n_groups, n))
    share[groups, np.arange(n)] = w / np.where(weights > 0, weights, 1)[groups]
    np.testing.assert_allclose(small_G, share @ G @ share.T, rtol=1e-10, atol=1e-12)
    for _ in range(5):
        of_group = rng.integers(k, size=n_groups)
        np.testing.assert_allclose(
            spec.within(small_G, of_group, weights, k),
            spec.within(G, of_group[groups], w, k),
            rtol=1e-9,
            atol=1e-9,
        )
        a = small.running_sums(of_group, weights, k).within(of_group, weights, k)
        b = gram.running_sums(of_group[groups], w, k).within(of_group[groups], w, k)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.nojit
def test_contraction_by_hand():
    """A triangle of weights 1, 1, 2 whose first two points become one of weight 2."""
    S = csr_array([[0, 4, 6], [4, 0, 2], [6, 2, 0.0]])
    gram, weights = SparseGram(S).contracted(np.array([1.0, 1, 2]), np.array([0, 0, 1]), 2)
    assert weights.tolist() == [2.0, 2.0]
    assert gram.to_dense().tolist() == [[2.0, 4.0], [4.0, 0.0]]
    # Each pair of groups is stored once.
    assert gram.matrix.nnz == 3


def test_nothing_of_n_by_n_is_made():
    n = 20_000
    A, _ = planted_partition(n, 20, 10, 0.7, random_state=0)
    problem = graph_objectives.modularity(A, np.ones(n), 1.0)
    labels = np.arange(n) % 20
    Hartigan(max_iter=2).solve(
        Problem(problem.gram, problem.weights, 20), labels
    )  # compiled before
    groups = np.arange(n) // 3
    problem.gram.contracted(problem.weights, groups, groups[-1] + 1)
    tracemalloc.start()
    try:
        p = Hartigan(max_iter=5).solve(Problem(problem.gram, problem.weights, 20), labels)
        problem.gram.contracted(problem.weights, groups, groups[-1] + 1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert p.n_moves > 0
    assert peak < 8 * n * 20 * 2  # bytes: some tens of numbers a node, where n × n were 3.2 GB


@each("ratio", [True, False])
def test_indices_of_32_and_of_64_bits(ratio):
    rng = np.random.default_rng(4)
    gram, G = random_sparse(rng, 60, "all")
    S, w, start = gram.matrix, random_weights(rng, 60), random_start(rng, 60, 4)
    answers = []
    for dtype in (np.int32, np.int64):
        M = csr_array(S.shape)
        M.data, M.indices, M.indptr = S.data, S.indices.astype(dtype), S.indptr.astype(dtype)
        wide = SparseGram(M, diagonal=gram.extra, columns=gram.columns, signs=gram.signs)
        assert wide.matrix.indices.dtype == dtype
        np.testing.assert_allclose(wide.to_dense(), G, atol=1e-12)
        small, _ = wide.contracted(w, np.arange(60) // 2, 30)
        solved = Hartigan(ratio=ratio).solve(Problem(wide, w, 4), start)
        answers.append((small.to_dense().tolist(), solved.labels.tolist(), solved.objective))
    assert answers[0] == answers[1]


def test_threads_do_not_change_a_bit():
    """Big enough for several blocks of rows, and for threads to be woken at all."""
    n = 40_000
    rng = np.random.default_rng(0)
    A, _ = planted_partition(n, 4, 8, 0.8, random_state=1)
    gram = SparseGram(A, diagonal=rng.normal(size=n))
    right = rng.normal(size=(n, 16))
    assert gram.matrix.nnz * 16 > 1 << 22
    one, two = gram.with_threads(1), gram.with_threads(2)
    assert two.n_threads == 2
    assert two.matrix is gram.matrix
    assert (one.matmul(right) == two.matmul(right)).all()
    labels = rng.integers(4, size=n)
    answers = [Hartigan().solve(Problem(g, np.ones(n), 4), labels).labels for g in (one, two)]
    assert (answers[0] == answers[1]).all()


# --- the sweep ---------------------------------------------------------------------------------


def problem(seed):
    """Real numbers, and no two clusters alike to a point: each has an entry with all others."""
    rng = np.random.default_rng(seed)
    n, kind = int(rng.integers(4, 40)), KINDS[seed % 4]
    density = rng.choice([0.05, 0.2, 0.6]) if kind in ("columns", "all") else 1.0
    gram, G = random_sparse(rng, n, kind, density)
    w = random_weights(rng, n, zeros=seed % 3 == 0) if seed % 5 else np.ones(n)
    k = int(rng.integers(2, max(3, (w > 0).sum() // 2)))
    if k > (w > 0).sum():
        w = np.ones(n)
    return gram, G, started(rng, w, k), w, k


def whole_problem(seed):
    """Whole numbers, for which sums are exact and ties are ties; most rows have few entries."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 60)), int(rng.integers(2, 5))
    W = np.rint(2 * sparse_symmetric(rng, n, density=rng.choice([0.05, 0.2, 0.6])))
    parts = {}
    if seed % 2:
        parts["diagonal"] = rng.integers(-2, 3, n).astype(float)
    if seed % 3 == 0:
        parts["columns"] = rng.integers(-1, 2, (n, 2)).astype(float)
        parts["signs"] = np.array([1.0, -1.0])
    w = rng.integers(0 if seed % 5 else 1, 3, n).astype(float)
    w[:k] = 1.0
    return SparseGram(csr_array(W), **parts), dense_of(W, **parts), started(rng, w, k), w, k


@each("ratio", [True, False])
@each("make", [problem, whole_problem])
@each("seed", range(60))
def test_the_moves_are_those_of_the_dense_operator(seed, make, ratio):
    gram, G, start, w, k = make(seed)
    given = start.copy()
    dense = Hartigan(ratio=ratio).solve(Problem(DenseGram(G), w, k), start)
    p = Hartigan(ratio=ratio).solve(Problem(gram, w, k), start)
    assert p.labels.tolist() == dense.labels.tolist()
    assert (p.n_iter, p.n_moves, p.status) == (dense.n_iter, dense.n_moves, dense.status)
    np.testing.assert_allclose(p.history, dense.history, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(p.within, spec.within(G, p.labels, w, k), rtol=1e-9, atol=1e-9)
    assert p.together == pytest.approx(w @ G @ w / (w.sum() if ratio else 1), rel=1e-9, abs=1e-9)
    assert start.tolist() == given.tolist()


# --- sums without denominators -----------------------------------------------------------------


def test_rounding_is_no_gain_where_every_sum_is_zero():
    """All ones with the expected number of edges everywhere: G is zero up to rounding."""
    J = np.full((9, 9), 0.1)
    np.fill_diagonal(J, 0.05)
    made = graph_objectives.modularity(csr_array(J), np.ones(9), 1.0)
    p = Hartigan(ratio=False).solve(Problem(made.gram, made.weights, 3), np.arange(9) % 3)
    assert np.abs(p.within).max() < 1e-12
    assert p.converged


def test_entries_may_be_a_column_of_a_table():
    W = csr_array(sparse_symmetric(np.random.default_rng(0), 12))
    apart = W.copy()
    for name in ("data", "indices", "indptr"):
        setattr(apart, name, np.column_stack([getattr(W, name)] * 2)[:, 0])
    right = np.eye(12)
    np.testing.assert_array_equal(SparseGram(apart).matmul(right), SparseGram(W).matmul(right))


def test_a_column_beyond_32_bits_does_not_become_another():
    with pytest.raises(IndexError, match="out of bounds"):
        Csr.of(np.array([0, 1]), np.array([2**32]), np.ones(1), 3)
