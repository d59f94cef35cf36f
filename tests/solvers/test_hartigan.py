"""Moves of single points where digits run out: zero and uneven weights, cycles, empty clusters."""

import itertools

import numpy as np
import pytest

from helpers import each, random_gram, random_start
from kgroups import KernelKGroups
from kgroups.gram import BLOCK, DenseGram
from kgroups.semimetrics import ColumnSum, Energy, Laplacian, Manhattan
from kgroups.solvers import Hartigan, Problem, Status
from kgroups.solvers import objective as spec
from kgroups.testing import is_one_move_optimal, naive_hartigan

pytestmark = pytest.mark.nojit


@each("seed", range(30))
def test_gain_is_the_change_of_the_objective(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 12)), int(rng.integers(2, 4))
    G, w = random_gram(rng, n, ["kernel", "distance", "indefinite"][seed % 3]), rng.uniform(0, 3, n)
    labels = rng.integers(k, size=n)
    for point, target in itertools.product(range(n), range(k)):
        after = labels.copy()
        after[point] = target
        change = spec.objective(G, after, w, k) - spec.objective(G, labels, w, k)
        assert spec.move_gain(G, labels, w, k, point, target) == pytest.approx(change, abs=1e-9)


def problem(seed):
    """Random sizes, kernels of three kinds, weighted every other time, k from 2 to n − 1."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 34))
    k = int(rng.integers(2, n))
    G = random_gram(rng, n, ["kernel", "distance", "indefinite"][seed % 3])
    w = rng.uniform(0.05, 3.0, n) if seed % 2 else np.ones(n)
    return G, random_start(rng, n, k), w, k


@each("seed", range(60))
def test_labels_equal_the_naive_reference_with_zero_weights(seed):
    """Weightless points are spectators: they neither move nor count as members."""
    G, start, w, k = problem(seed)
    w = np.where(np.random.default_rng(seed).random(len(w)) < 0.3, 0.0, w)
    if not w.any():
        w[0] = 1.0
    labels, n_sweeps, n_moves = naive_hartigan(G, start, w, k)
    p = Hartigan().solve(Problem(DenseGram(G), w, k), start)
    if len(set(labels[w > 0])) == min(k, np.count_nonzero(w)):
        assert p.labels.tolist() == labels.tolist()
        assert (p.n_iter, p.n_moves) == (n_sweeps, n_moves)
    else:  # a cluster without points of weight, which no gain has filled
        assert len(set(p.labels[w > 0])) == min(k, np.count_nonzero(w))
        assert is_one_move_optimal(G, p.labels, w, k, 2e-12)
    assert np.array_equal(p.labels[w == 0], start[w == 0])


@each("seed", range(20))
def test_a_cluster_that_no_gain_fills_gets_a_point(seed):
    """G is negative on the diagonal: alone, every point would lower Q, by definition."""
    rng = np.random.default_rng(seed)
    n, k = 12, 4
    A = rng.normal(size=(n, n))
    G = A + A.T - 50 * np.eye(n)
    w, start = rng.uniform(0.5, 2, n), rng.integers(2, size=n)
    w[3] = 0.0
    start[3] = 2
    alone, *_ = naive_hartigan(G, start, w, k)
    assert len(set(alone[w > 0])) == 2
    for max_iter in (1, 300):
        p = Hartigan(max_iter=max_iter).solve(Problem(DenseGram(G), w, k), start)
        assert set(p.labels[w > 0]) == set(range(k))
        assert len(p.history) == p.n_iter + 1
        assert np.all(np.diff(p.history) > -1e-12)
    assert is_one_move_optimal(G, p.labels, w, k, 2e-12)


@each("seed", range(15))
def test_weights_over_thirty_orders(seed):
    """No warning of overflow, and W by definition in long double."""
    rng = np.random.default_rng(seed)
    X, w, k = rng.normal(size=(34, 2)), 10.0 ** rng.uniform(-15, 15, 34), 12
    rho = Energy().pairwise(X)
    problem, start = Problem(DenseGram(-rho / 2), w, k), random_start(rng, 34, k)
    for p in (Hartigan().solve(problem, start), by_blocks(Hartigan(), problem, start)):
        W, wide = np.longdouble(0), w.astype(np.longdouble)
        for j in range(k):
            own = wide * (p.labels == j)
            W += own @ rho @ own / (2 * own.sum())
            assert p.weight[j] == pytest.approx(float(own.sum()), rel=1e-12)
        assert -p.objective == pytest.approx(float(W), rel=1e-12)
        assert p.converged


def test_weights_that_cancel():
    """1e20 + 1 − 1e20 is 0: a source that would be left without weight is not divided by."""
    X = np.array([[0.0], [1], [5], [6]])
    w = np.array([1e20, 1, 1, 1])
    p = Hartigan().solve(Problem(DenseGram.from_points(X, Energy()), w, 2), np.array([0, 0, 1, 1]))
    assert np.isfinite(p.objective)
    assert len(set(p.labels)) == 2


def test_gains_below_the_tolerance_are_no_moves():
    """The tolerance is relative to Σ|Q_j/s_j|: 10.5 at this start, where the first gain is 5.17."""
    G = -0.5 * np.abs(np.subtract.outer([0.0, 1, 10, 12], [0.0, 1, 10, 12]))
    start, w = np.array([0, 1, 0, 1]), np.ones(4)
    gains = [spec.best_move(G, start, w, 2, i)[1] for i in range(4)]
    below, above = max(gains) / 10.5 * 1.001, gains[0] / 10.5 * 0.999
    for factor in (1.0, 1e-9, 1e9):
        stays = Hartigan(tol=below).solve(Problem(DenseGram(factor * G), w, 2), start)
        assert stays.n_moves == 0
        moves = Hartigan(tol=above).solve(Problem(DenseGram(factor * G), w, 2), start)
        assert moves.n_moves > 0


@pytest.mark.parametrize("weighted", [False, True])
def test_many_blocks_equal_one_block(weighted, monkeypatch):
    """Blocks of 7 and of 256 points make the same moves in the same order."""
    rng = np.random.default_rng(5)
    n, k = 300, 6
    X = rng.normal(size=(n, 2))
    w = rng.uniform(0, 2, n) if weighted else np.ones(n)
    gram, start = DenseGram.from_points(X, Energy()), random_start(rng, n, k)
    assert n > BLOCK
    many = Hartigan().solve(Problem(gram, w, k), start)
    monkeypatch.setattr("kgroups.solvers.sweep.BLOCK", 7)
    few = Hartigan().solve(Problem(gram, w, k), start)
    assert few.labels.tolist() == many.labels.tolist()
    assert few.n_moves == many.n_moves


def test_tiny_weights_move_like_unit_weights():
    """The guard counts points: weights of 1e-6 freeze nothing."""
    G, start, _, k = problem(3)
    one = Hartigan().solve(Problem(DenseGram(G), np.ones(len(start)), k), start)
    tiny = Hartigan().solve(Problem(DenseGram(G), np.full(len(start), 2.0**-20), k), start)
    assert tiny.n_moves == one.n_moves > 0
    assert tiny.labels.tolist() == one.labels.tolist()


@each("ratio", [1e-7, 1e-8])
def test_heavy_points_that_leave_do_not_hide_gains_of_light_ones(ratio):
    """What heavy members rounded away stays behind when they leave a cluster to light ones."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, w = rng.normal(size=(60, 2)), ratio * rng.random(60)
        X[2], X[3] = X[0], X[1]
        w[:4] = 1.0
        start = rng.integers(3, size=60)
        start[:4] = [0, 0, 1, 2]
        G = X @ X.T
        p = Hartigan().solve(Problem(DenseGram(G), w, 3), start)
        assert p.converged
        least = spec.threshold(G, p.labels, w, 3, 2e-12)
        assert not any(
            spec.movable(p.labels, w, 3, i) and spec.best_move(G, p.labels, w, 3, i)[1] > least
            for i in range(4, 60)
        )
        # The gain of a heavy point that leaves light ones is rounded in the units of its own sums.
        assert is_one_move_optimal(G, p.labels, w, 3, 64 * np.finfo(float).eps / ratio)


@each(("method", "dtype"), [("matrix_free", np.float32), ("nystroem", np.float64)])
def test_weights_of_all_sizes_never_make_a_fit_cycle(method, dtype):
    """Gains that are rounding do not count: Q never falls, and no labels come back."""
    for seed in range(15):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 14))
        X, w = rng.integers(-4, 8, size=(n, 2)).astype(dtype), 10.0 ** rng.uniform(-15, 15, n)
        k = int(rng.integers(2, min(len(np.unique(X, axis=0)), 5)))
        model = KernelKGroups(k, method=method, random_state=seed, init="random", n_init=1)
        model.fit(X, sample_weight=w)
        assert model.converged_
        assert model.n_iter_ < 50
        history = model.objective_history_
        assert (np.diff(history) > -1e-5 * history.max()).all()


def test_a_heavy_point_does_not_go_to_and_fro_between_two_light_ones():
    """The best partition sets the heavy and the lightest apart from the other: W = 3 w_3."""
    X, w = np.array([[4.0], [2.0], [7.0]], np.float32), [9e9, 5e-3, 4e-5]
    for seed in range(10):
        model = KernelKGroups(2, random_state=seed, method="matrix_free").fit(X, sample_weight=w)
        assert model.n_iter_ < 10
        assert (np.diff(model.objective_history_) >= 0).all()
    # Where the sums of single points held others before, their dispersion is 0 all the same.
    labels = np.array([0, 1, 2])
    model = KernelKGroups(3, method="matrix_free", init=labels).fit(X, sample_weight=w)
    assert model.within_dispersion_ == 0
    assert model.cluster_dispersions_.tolist() == [0, 0, 0]


def test_singletons_have_no_dispersion_whatever_their_sums_held():
    """Nine points in nine clusters: W is 0 to the last bit, also in float32."""
    X = np.array(
        [[-3, -3], [-2, -1], [1, 0], [-1, 1], [3, 0], [1, -1], [-1, -1], [-3, 0], [2, 2]],
        np.float32,
    )
    parts = [(Energy(1.6677002237720018), [0], 1e-3), (Manhattan(), [0, 1], 1e-3)]
    metric = ColumnSum([*parts, (Laplacian(), [0], 3.0)])
    start = np.array([1, 8, 7, 3, 0, 1, 4, 1, 2])
    model = KernelKGroups(9, metric=metric, init=start, method="matrix_free", tol=1e-3)
    model.fit(X, sample_weight=np.full(9, 1e-5))
    assert model.within_dispersion_ == 0
    assert (model.cluster_dispersions_ == 0).all()


def by_blocks(solver, problem, start):
    """Solve by visits of blocks, which no compiled search takes."""
    return solver._in_blocks(problem, start)


def test_labels_that_come_back_end_the_search_at_the_best(monkeypatch):
    """A sweep that only ever turns labels round, as gains by rounding might, is not repeated."""
    G, _, w, _ = problem(1)
    start = np.arange(len(w)) % 2
    sweeps = []

    def turning(gram, sums, visit):
        sweeps.append(visit.state.labels.copy())
        visit.state.labels[:2] = 1 - visit.state.labels[:2]
        visit.state.held_back[0] += 1
        return 2

    monkeypatch.setattr("kgroups.solvers.hartigan.sweep", turning)
    p = by_blocks(Hartigan(), Problem(DenseGram(G), w, 2), start)
    assert 3 <= len(sweeps) < 60
    assert p.status is Status.CYCLE
    assert p.objective == p.history.max()


def test_where_rounding_leads_round_only_larger_gains_count(monkeypatch):
    """Moves that gain 1e-13 by rounding and lead back are made no more: the search converges."""
    G, _, w, _ = problem(1)
    start = np.arange(len(w)) % 2

    def turning(gram, sums, visit):
        if visit.least > 1e-13:
            return 0
        visit.state.labels[:2] = 1 - visit.state.labels[:2]
        visit.state.held_back[0] += 1
        return 2

    monkeypatch.setattr("kgroups.solvers.hartigan.sweep", turning)
    p = by_blocks(Hartigan(tol=0.0), Problem(DenseGram(G), w, 2), start)
    assert p.status is Status.CONVERGED
    assert p.objective == p.history.max()


def test_ties_with_tol_zero_end_in_convergence():
    """Rows of zeros and ones whose gains are zero but for rounding."""
    rows = (
        "10000 01001 11110 01101 00101 00000 00110 10010 10100 01100 01001 10001 10101 10111 10001 "
        "01001 11010 00100 11011 11111 00001 11100 11101 01010 00000 10110 11110 00011"
    )
    X = np.array([[float(x) for x in row] for row in rows.split()])
    init = [11, 4, 11, 5, 16, 0, 19, 11, 4, 18, 14, 12, 20, 9, 17, 0, 10, 22, 2, 20, 21, 1, 3, 7]
    init = np.array([*init, 17, 6, 10, 12])
    model = KernelKGroups(23, metric="hamming", init=init, tol=0.0, random_state=231).fit(X)
    assert model.converged_
