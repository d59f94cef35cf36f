"""The sparse operator against its dense matrix, and its sweep against the definition."""

import itertools
import tracemalloc

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each, random_start
from kgroups.gram import DenseGram, SparseGram
from kgroups.gram.csr import Csr
from kgroups.graphs import graph_objectives, planted_partition
from kgroups.native import kernels
from kgroups.solvers import Hartigan, Problem
from kgroups.solvers import objective as spec
from kgroups.solvers.partition import begin, magnitude
from kgroups.solvers.sweep import Visit, sweep
from kgroups.testing import check_gram_operator, is_one_move_optimal, naive_hartigan

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
@each("seed", range(5))
def test_every_method_against_the_matrix(kind, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    gram, G = random_sparse(rng, n, kind)
    right = rng.normal(size=(n, 3))
    close = lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    close(gram.to_dense(), G)
    close(gram.matmul(right), G @ right)
    close(gram.matmul(right[:, ::2]), G @ right[:, ::2])
    close(gram.diagonal(), np.diagonal(G))
    index = rng.integers(n, size=4)
    close(gram.rows(index), G[index])
    a, b = sorted(rng.integers(n + 1, size=2))
    close(gram.block(a, b), G[a:b, a:b])
    close(gram.block(a, b, index), G[index, a:b])
    point = int(rng.integers(n))
    d = np.diagonal(G)
    close(gram.squared_distances(point), d[point] + d - 2 * G[point])
    assert gram.sweep_work(3) == gram.matrix.nnz + 3 * n
    check_gram_operator(gram, seed=seed)


@pytest.mark.nojit
@each("kind", KINDS)
@each("seed", range(5))
def test_sums_before_and_after_moves(kind, seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 16)), 3
    gram, G = random_sparse(rng, n, kind)
    w, labels = random_weights(rng, n), rng.integers(k, size=n)
    sums = gram.running_sums(labels, w, k)

    def check(labels):
        R = spec.cluster_sums(G, labels, w, k)
        np.testing.assert_allclose(sums.block(0, n), R.T, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(sums.block(1, n - 1), R.T[:, 1 : n - 1], rtol=1e-10, atol=1e-10)
        other = rng.integers(k, size=n)
        np.testing.assert_allclose(sums.own(other), R[np.arange(n), other], rtol=1e-10, atol=1e-10)
        Q = spec.within(G, labels, w, k)
        np.testing.assert_allclose(sums.within(labels, w, k), Q, rtol=1e-10, atol=1e-10)
        assert sums.everything(w) == pytest.approx(w @ G @ w, rel=1e-10, abs=1e-10)
        assert (sums.largest(w) >= np.abs(w[:, None] * R).max(axis=0) * (1 - 1e-12)).all()

    check(labels)
    given = labels.copy()
    work = begin(Problem(gram, w, k), labels)
    state = work.state
    sums = gram.running_sums(labels, w, k)
    rule = Visit(kernels.visit_by_gain, gram.diagonal(), w, 1e-12 * magnitude(state), state)
    moved = sweep(gram, sums, rule)
    assert moved == np.count_nonzero(state.labels != labels)
    check(state.labels)
    np.testing.assert_allclose(state.within, spec.within(G, state.labels, w, k), atol=1e-9)
    np.testing.assert_allclose(state.weight, spec.cluster_weights(state.labels, w, k), atol=1e-9)
    assert labels.tolist() == given.tolist()


@pytest.mark.nojit
def test_the_bound_on_sums_is_no_more_than_all_neighbors():
    """By hand: a path of weights 1, 2, 3 and edges 5 and −7; the middle sees 2(5 + 21) = 52."""
    S = csr_array([[0, 5, 0], [5, 0, -7], [0, -7, 0.0]])
    w = np.array([1.0, 2.0, 3.0])
    sums = SparseGram(S).running_sums(np.array([0, 0, 1]), w, 2)
    assert sums.largest(w).tolist() == [52.0, 52.0]
    # A column (1, 0, 2) adds |w u| · |Σ_l w u| = 6 · 1 for the first and 6 · 6 for the second.
    with_column = SparseGram(S, columns=np.array([[1.0], [0], [2.0]]))
    assert with_column.running_sums(np.array([0, 0, 1]), w, 2).largest(w).tolist() == [58.0, 88.0]


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


@pytest.mark.nojit
def test_a_matrix_without_entries():
    gram = SparseGram(csr_array((3, 3)), diagonal=np.array([1.0, 2.0, 3.0]))
    assert gram.to_dense().tolist() == np.diag([1.0, 2, 3]).tolist()
    p = Hartigan().solve(Problem(gram, np.ones(3), 2), np.array([0, 1, 1]))
    # Q = Σ δ / size is largest with the largest alone.
    assert sorted(p.within.tolist()) == [3.0, 3.0]
    assert p.objective == 1.5 + 3.0


@pytest.mark.nojit
def test_reach_by_hand():
    S = csr_array([[1, -2, 0], [-2, 0, 3], [0, 3, 0.0]])
    gram = SparseGram(S, diagonal=np.array([-4.0, 0.0, 0.0]))
    sums = gram.running_sums(np.zeros(3, int), np.ones(3), 1)
    # Row sums of absolute values 4 + 1 + 2, 2 + 3 and 3; weights enter twice.
    assert sums.largest(np.ones(3)).tolist() == [7]
    assert sums.largest(np.array([0.0, 2.0, 1.0])).tolist() == [6]


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


@each("seed", range(60))
def test_the_moves_are_those_of_a_loop_written_from_the_paper(seed):
    gram, G, start, w, k = problem(seed)
    labels, n_sweeps, n_moves = naive_hartigan(G, start, w, k)
    p = Hartigan().solve(Problem(gram, w, k), start)
    assert p.labels.tolist() == labels.tolist()
    assert (p.n_iter, p.n_moves) == (n_sweeps, n_moves)
    assert is_one_move_optimal(G, p.labels, w, k, 2e-12)
    assert p.objective == pytest.approx(spec.objective(G, p.labels, w, k), rel=1e-12, abs=1e-9)
    assert (np.bincount(p.labels[w > 0], minlength=k) > 0).all()
    assert (p.labels[w == 0] == start[w == 0]).all()


@pytest.mark.nojit
def test_a_path_of_four_by_hand():
    """From {0, 2}, {1, 3}, where Q is 0.

    0 goes: {2}, {0, 1, 3} and 2/3. 1 goes: {1, 2}, {0, 3} and 1. 2 would have 2/3 and stays. 3
    goes: {1, 2, 3}, {0} and 4/3. Next sweep: 0 is alone, 1 goes: {2, 3}, {0, 1} and 2.
    """
    path = csr_array(np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1))
    p = Hartigan().solve(Problem(SparseGram(path), np.ones(4), 2), np.array([0, 1, 0, 1]))
    assert p.labels.tolist() == [1, 1, 0, 0]
    np.testing.assert_allclose(p.history, [0, 4 / 3, 2, 2], atol=1e-15)
    assert (p.n_moves, p.n_iter) == (4, 3)


@pytest.mark.nojit
def test_singletons_stay():
    """Every merge of two of these would gain, for all entries are positive."""
    gram = SparseGram(csr_array(np.ones((4, 4)) - np.eye(4)))
    p = Hartigan().solve(Problem(gram, np.ones(4), 4), np.arange(4))
    assert p.labels.tolist() == [0, 1, 2, 3]
    assert p.n_moves == 0
    # A spectator of weight zero does not make its companion free to go.
    w = np.array([1.0, 1.0, 1.0, 0.0])
    p = Hartigan().solve(Problem(gram, w, 2), np.array([0, 1, 1, 0]))
    assert p.labels[3] == 0
    assert p.labels[0] == 0


# --- sums without denominators -----------------------------------------------------------------


def sum_of_within(G, labels, w, k):
    return float(spec.within(G, labels, w, k).sum())


@pytest.mark.nojit
@each("seed", range(6))
def test_each_gain_is_the_change_of_the_sum(seed):
    """The moves of one sweep without denominators, by brute force over all other clusters."""
    rng = np.random.default_rng(seed)
    n, k = 12, 3
    gram, G = random_sparse(rng, n, KINDS[seed % 4])
    w = random_weights(rng, n)
    start = started(rng, w, k)
    labels, n_moves = start.copy(), 0
    for point in range(n):
        if not spec.movable(labels, w, k, point):
            continue
        tried = []
        for target in range(k):
            after = labels.copy()
            after[point] = target
            tried.append(sum_of_within(G, after, w, k))
        if max(tried) > tried[labels[point]] + 1e-12:
            labels[point] = int(np.argmax(tried))
            n_moves += 1
    p = Hartigan(ratio=False, max_iter=1).solve(Problem(gram, w, k), start)
    assert p.labels.tolist() == labels.tolist()
    assert p.n_moves == n_moves
    assert p.objective == pytest.approx(sum_of_within(G, labels, w, k))
    assert p.history[0] == pytest.approx(sum_of_within(G, start, w, k))
    assert p.together == pytest.approx(w @ G @ w)


def in_parts(labels):
    return [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]


@each("seed", range(20))
def test_modularity_is_one_move_optimal(seed):
    """No single move that leaves all communities non-empty has more of networkx' modularity."""
    graph = nx.gnp_random_graph(9, 0.4, seed=seed)
    graph.add_edges_from([(0, 1), (3, 3)])
    A = csr_array(nx.to_scipy_sparse_array(graph, dtype=float))
    k = 2 + seed % 3
    made = graph_objectives.modularity(A, np.ones(9), 1.0)
    start = random_start(np.random.default_rng(seed), 9, k)
    p = Hartigan(ratio=made.ratio).solve(Problem(made.gram, made.weights, k), start)
    reached = nx.community.modularity(graph, in_parts(p.labels))
    assert made.named(p.objective, k) == pytest.approx(reached, abs=1e-12)
    for point, target in itertools.product(range(9), range(k)):
        after = p.labels.copy()
        after[point] = target
        if len(np.unique(after)) == k:
            assert nx.community.modularity(graph, in_parts(after)) <= reached + 1e-12


@each("seed", range(6))
def test_the_best_of_all_starts_is_the_best_of_all_partitions(seed):
    graph = nx.gnp_random_graph(6, 0.5, seed=seed)
    graph.add_edge(0, 1)
    A = csr_array(nx.to_scipy_sparse_array(graph, dtype=float))
    k = 2 + seed % 2
    made = graph_objectives.modularity(A, np.ones(6), 1.0)
    all_labels = [np.array(z) for z in itertools.product(range(k), repeat=6) if len(set(z)) == k]
    best = max(nx.community.modularity(graph, in_parts(z)) for z in all_labels)
    found = max(
        made.named(Hartigan(ratio=False).solve(Problem(made.gram, made.weights, k), z).objective, k)
        for z in all_labels
    )
    assert found == pytest.approx(best, abs=1e-12)


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
