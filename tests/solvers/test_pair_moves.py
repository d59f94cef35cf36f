"""Moves of two points at once: against the definition, by hand, and through every operator."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

from helpers import best_objective, each, random_start, weighted_problem
from kgroups import KernelKGroups
from kgroups.gram import DenseGram, MatrixFreeGram, SparseGram
from kgroups.semimetrics import Energy
from kgroups.solvers import BestOf, Hartigan, HartiganPairs, Problem, Start, Status
from kgroups.solvers import objective as spec
from kgroups.testing import check_partition, is_one_move_optimal

nojit = pytest.mark.nojit

KINDS = ["kernel", "distance", "indefinite"]


def problem(seed, n_max=16, zeros=False):
    """Random sizes, kernels of three kinds, weighted every other time, k from 2 to n − 1."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, n_max))
    k = int(rng.integers(2, min(n, 6)))
    return weighted_problem(rng, n, k, KINDS[seed % 3], weighted=seed % 2 == 1, zeros=zeros)


def pair_moves(labels, w, k):
    """Labels after each joint move that leaves its cluster a point, and after each exchange."""
    members = np.bincount(labels[w > 0], minlength=k)
    for a, b in itertools.combinations(np.flatnonzero(w > 0), 2):
        after = labels.copy()
        if labels[a] != labels[b]:
            after[[a, b]] = labels[[b, a]]
            yield after
        elif members[labels[a]] > 2:
            for target in range(k):
                after[[a, b]] = target
                yield after.copy()


def best_pair_gain(G, labels, w, k):
    """The largest change of Q by a move of two points, from the definition of Q alone."""
    now = spec.objective(G, labels, w, k)
    changes = (spec.objective(G, after, w, k) - now for after in pair_moves(labels, w, k))
    return max(changes, default=0.0)


def best_pair_gain_by_formula(G, labels, w, k):
    """The same from [FRV eq. 41] with the sums of all points: for more points."""
    s, Q = spec.cluster_weights(labels, w, k), spec.within(G, labels, w, k)
    q = w[:, None] * spec.cluster_sums(G, labels, w, k)
    g, best = w**2 * np.diag(G), 0.0

    def changed(cluster, inside, weight):
        """Q_j/s_j less what it was, for arrays of additions to both."""
        new = (Q[cluster] + inside) / (s[cluster] + weight)
        return new - Q[cluster] / s[cluster]

    for j, m in itertools.permutations(range(k), 2):
        a, b = np.flatnonzero(labels == j)[:, None], np.flatnonzero(labels == m)
        own = g[a] + g[b] - 2 * w[a] * w[b] * G[a, b]
        into_j, into_m = 2 * (q[b, j] - q[a, j]) + own, 2 * (q[a, m] - q[b, m]) + own
        gain = changed(j, into_j, w[b] - w[a]) + changed(m, into_m, w[a] - w[b])
        best = max(best, gain.max())
        if len(a) > 2:
            a, b = a[np.triu_indices(len(a), 1)[0], 0], a[np.triu_indices(len(a), 1)[1], 0]
            own = g[a] + g[b] + 2 * w[a] * w[b] * G[a, b]
            leaves = changed(j, own - 2 * (q[a, j] + q[b, j]), -w[a] - w[b])
            joins = changed(m, own + 2 * (q[a, m] + q[b, m]), w[a] + w[b])
            best = max(best, (leaves + joins).max())
    return best


def rounding(G, w, tol=1e-11):
    return tol * (np.abs(G).max() * w.sum() + 1)


def on_a_line(*x):
    return DenseGram.from_points(np.array(x, float)[:, None], Energy())


@nojit
def test_a_joint_move_by_hand():
    """{4,4,8,8}, {12}: W = 32/8. One 8 to the 12 gives 8/3 + 2; both give {4,4}, {8,8,12}: 8/3."""
    gram, start, w = on_a_line(4, 4, 8, 8, 12), np.array([0, 0, 0, 0, 1]), np.ones(5)
    assert Hartigan().solve(Problem(gram, w, 2), start).labels.tolist() == start.tolist()
    p = HartiganPairs().solve(Problem(gram, w, 2), start)
    assert p.labels.tolist() == [0, 0, 1, 1, 1]
    assert p.history.tolist() == pytest.approx([-4, -4, -8 / 3, -8 / 3, -8 / 3], rel=1e-14)
    assert (p.n_iter, p.n_moves) == (4, 2)
    assert best_objective(gram.to_dense(), w, 2) == pytest.approx(p.objective)


@nojit
def test_an_exchange_by_hand():
    """{1}, {4,5,5,10}: W = 36/8; {10}, {1,4,5,5}: 26/8. No other move of one or two gains."""
    gram, start, w = on_a_line(1, 4, 5, 5, 10), np.array([1, 0, 0, 0, 0]), np.ones(5)
    assert Hartigan().solve(Problem(gram, w, 2), start).labels.tolist() == start.tolist()
    p = HartiganPairs().solve(Problem(gram, w, 2), start)
    assert p.labels.tolist() == [0, 0, 0, 0, 1]
    assert p.history.tolist() == pytest.approx([-4.5, -4.5, -3.25, -3.25, -3.25], rel=1e-14)
    assert (p.n_iter, p.n_moves) == (4, 2)


@nojit
def test_nor_without_denominators():
    """Σ Q_j = 6 + 6; all in one cluster would be 20, by a joint move alone."""
    same = np.equal.outer([0, 0, 1, 1], [0, 0, 1, 1])
    G = np.where(same, 3.0, 1.0) - 3.0 * np.eye(4)
    p = HartiganPairs(ratio=False).solve(
        Problem(DenseGram(G), np.ones(4), 2), np.array([0, 0, 1, 1])
    )
    assert p.labels.tolist() == [0, 0, 1, 1]
    assert p.objective == 12.0


@nojit
@each("seed", range(60))
def test_no_move_of_a_point_or_a_pair_gains_at_the_end(seed):
    G, start, w, k = problem(seed, zeros=seed % 5 == 4)
    p = HartiganPairs().solve(Problem(DenseGram(G), w, k), start)
    assert p.status is Status.PAIRS
    assert best_pair_gain(G, p.labels, w, k) <= rounding(G, w)
    assert is_one_move_optimal(G, p.labels, w, k, 2e-12)
    check_partition(p, G, w, k)
    assert np.all(np.diff(p.history) >= -rounding(G, w))
    members = np.bincount(p.labels[w > 0], minlength=k)
    assert np.all(members >= np.minimum(np.bincount(start[w > 0], minlength=k), 1))
    assert np.array_equal(p.labels[w == 0], start[w == 0])


@each("seed", range(12))
def test_the_formula_for_more_points_is_the_definition(seed):
    G, labels, w, k = problem(seed)
    expected = max(0.0, best_pair_gain(G, labels, w, k))
    assert best_pair_gain_by_formula(G, labels, w, k) == pytest.approx(expected, abs=1e-9)


def noise(n, D, seed=0):
    return np.random.default_rng(seed).normal(size=(n, D))


@each(("n", "D", "k"), [(300, 60, 12), (600, 2, 20), (2300, 3, 3)])
def test_pairs_across_pieces_of_the_matrix(n, D, k):
    """Strips of 256 rows and pieces of 2,048 columns leave no pair out."""
    gram, w = DenseGram.from_points(noise(n, D), Energy()), np.ones(n)
    start = random_start(np.random.default_rng(1), n, k)
    p = HartiganPairs().solve(Problem(gram, w, k), start)
    assert p.status is Status.PAIRS
    G = gram.to_dense()
    assert best_pair_gain_by_formula(G, p.labels, w, k) <= 1e-11 * abs(p.objective)
    if k > 3:
        one = Hartigan().solve(Problem(gram, w, k), start)
        assert best_pair_gain_by_formula(G, one.labels, w, k) > 1e-6 * abs(p.objective)
        assert p.objective > one.objective


@each("weighted", [False, True])
def test_distances_that_are_not_held_give_the_same_labels(weighted):
    X, rng = noise(600, 5), np.random.default_rng(2)
    w, start = rng.uniform(0.5, 2, 600) if weighted else np.ones(600), random_start(rng, 600, 12)
    dense = HartiganPairs().solve(Problem(DenseGram.from_points(X, Energy()), w, 12), start)
    free = HartiganPairs().solve(Problem(MatrixFreeGram.from_points(X, Energy()), w, 12), start)
    again = HartiganPairs().solve(
        Problem(MatrixFreeGram.from_points(X, Energy()).with_threads(3), w, 12), start
    )
    assert (
        dense.n_moves
        > Hartigan().solve(Problem(DenseGram.from_points(X, Energy()), w, 12), start).n_moves
    )
    assert free.labels.tolist() == again.labels.tolist() == dense.labels.tolist()


def random_graph(n, seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) < 6 / n, 1) * rng.integers(1, 4, (n, n))
    return np.asarray(A + A.T, float)


@each("ratio", [True, False])
def test_sparse_matrices_give_the_labels_of_dense_ones(ratio):
    moved = 0
    for seed in range(8):
        A, k = random_graph(90, seed), 6
        d = A.sum(axis=0)
        column, sign = d[:, None] / np.sqrt(d.sum()), np.array([-1.0])
        sparse = SparseGram(csr_array(A), columns=column, signs=sign)
        start, w = random_start(np.random.default_rng(seed), 90, k), np.ones(90)
        solver = HartiganPairs(ratio=ratio)
        p = solver.solve(Problem(sparse, w, k), start)
        dense = solver.solve(Problem(DenseGram(A - column @ column.T), w, k), start)
        assert p.objective == pytest.approx(dense.objective, rel=1e-9)
        assert p.status is Status.PAIRS
        moved += p.n_moves > Hartigan(ratio=ratio).solve(Problem(sparse, w, k), start).n_moves
    assert moved >= 2


def test_without_denominators_no_pair_gains_at_the_end():
    """Q = Σ Q_j, such as modularity: a cluster may gain by any two points."""
    A = random_graph(24, 0)
    d = A.sum(axis=0)
    B = A - np.outer(d, d) / d.sum()
    w, start = np.ones(24), random_start(np.random.default_rng(0), 24, 4)

    def total(labels):
        return spec.within(B, labels, w, 4).sum()

    p = HartiganPairs(ratio=False).solve(Problem(DenseGram(B), w, 4), start)
    assert p.objective == pytest.approx(total(p.labels), rel=1e-12)
    assert max(total(after) for after in pair_moves(p.labels, w, 4)) <= p.objective + 1e-9


@nojit
def test_max_iter_counts_sweeps_and_passes():
    gram, start, w = on_a_line(4, 4, 8, 8, 12), np.array([0, 0, 0, 0, 1]), np.ones(5)
    ends = {m: HartiganPairs(max_iter=m).solve(Problem(gram, w, 2), start) for m in range(1, 6)}
    assert [p.n_iter for p in ends.values()] == [1, 2, 3, 4, 4]
    assert [p.n_moves for p in ends.values()] == [0, 2, 2, 2, 2]
    stopped = [p.status is Status.MAX_ITER for p in ends.values()]
    assert stopped == [True, True, True, False, False]


def test_improve_goes_on_from_an_optimum():
    gram, w = DenseGram.from_points(noise(300, 60), Energy()), np.ones(300)
    one = Hartigan().solve(Problem(gram, w, 12), random_start(np.random.default_rng(1), 300, 12))
    two = HartiganPairs().improve(Problem(gram, w, 12), one)[0]
    assert two.objective > one.objective
    assert two.history[: one.n_iter + 1].tolist() == one.history.tolist()
    assert (two.n_iter, two.n_moves) > (one.n_iter, one.n_moves)
    again = HartiganPairs().improve(Problem(gram, w, 12), two)[0]
    assert (again.n_moves, again.n_iter) == (two.n_moves, two.n_iter + 1)


IRIS = load_iris().data


@pytest.mark.reference
@each(("k", "W"), [(2, 89.7572), (3, 67.5288), (4, 58.0480), (5, 52.8779)])
def test_iris_against_r(k, W):
    """The best W of R energy 1.7-11 over 200 starts of kgroups."""
    labels = KernelKGroups(k, random_state=0).fit_predict(IRIS)
    gram, w = DenseGram.from_points(IRIS, Energy()), np.ones(150)
    assert round(-HartiganPairs().solve(Problem(gram, w, k), labels).objective, 4) <= W


class TestImprover:
    """What it does for the best of several starts."""

    @each("operator", [DenseGram, MatrixFreeGram])
    def test_the_best_of_several_starts(self, operator):
        X = noise(300, 60)
        gram, w = operator.from_points(X, Energy()), np.ones(300)
        starts = random_starts(300, 12, 5)
        one = BestOf(solver=Hartigan()).solve(Problem(gram, w, 12), starts)
        two = BestOf(solver=Hartigan(), improver=HartiganPairs()).solve(
            Problem(gram, w, 12), starts
        )
        assert two.best.status is Status.PAIRS
        assert two.best.converged
        assert two.best.objective >= one.best.objective
        assert two.best.n_iter > one.best.n_iter
        assert len(two.best.history) == two.best.n_iter + 1
        assert two.best.history[-1] == pytest.approx(two.best.objective, rel=1e-12)
        assert [p.objective for p in two.partitions] == [p.objective for p in one.partitions]
        G = -0.5 * Energy().pairwise(X)
        assert best_pair_gain_by_formula(G, two.best.labels, w, 12) <= 1e-9

    def test_weightless_points_do_not_matter(self):
        w = np.ones(150)
        w[::7] = 0.0
        gram = DenseGram.from_points(IRIS, Energy())
        alive = DenseGram.from_points(IRIS[w > 0], Energy())
        start = random_start(np.random.default_rng(0), 150, 5)
        some = HartiganPairs().solve(Problem(alive, w[w > 0], 5), start[w > 0])
        assert HartiganPairs().solve(Problem(gram, w, 5), start).objective == pytest.approx(
            some.objective, rel=1e-9
        )


def random_starts(n, k, count):
    """Labels drawn at random, the same whenever they are made."""
    return [
        Start(
            name="random", labels=lambda seed=seed: random_start(np.random.default_rng(seed), n, k)
        )
        for seed in range(count)
    ]
