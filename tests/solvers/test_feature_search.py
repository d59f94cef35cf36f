"""Whole searches on features, where bounds say of most points that they stay."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from helpers import each
from kgroups.gram import DenseGram, FactorGram
from kgroups.gram.squared_rows import SquaredGram
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.solvers import Hartigan, Problem, Status, block_means, block_search
from kgroups.solvers.feature_search import nearest_means
from kgroups.solvers.starts import plus_plus
from kgroups.testing import is_one_move_optimal

pytestmark = pytest.mark.nojit
SQUARED = Energy(2)


@pytest.fixture(params=["one by one", "in groups"])
def either_way(request, monkeypatch):
    """Rows that move one by one, and rows that propose moves in groups."""
    if request.param == "in groups":
        monkeypatch.setattr(block_search, "_ONE_BY_ONE", 0)
        for module in (block_search, block_means):
            monkeypatch.setattr(module, "CHUNK", 8)


def table(seed, n, d):
    """Normal, skewed, clustered and far from the origin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if seed % 4 == 1:
        X = np.exp(2 * X)
    if seed % 4 == 2:
        X += 3 * rng.normal(size=(4, d))[rng.integers(4, size=n)]
    if seed % 4 == 3:
        X += 1e8
    return X


def dispersion(X, w, labels):
    gram = SquaredGram(SQUARED.terms(X))
    return gram.dispersions(labels, w, labels.max() + 1).sum()


def solve(gram, weights, k, start, **settings):
    problem = Problem(gram, weights, k)
    return next(Hartigan(**settings).solve_all(problem, [start], Threads(1)))


@each("seed", range(12))
def test_labels_are_those_on_the_stored_matrix(seed):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(20, 90)), int(rng.integers(1, 6)), int(rng.integers(2, 6))
    X = table(seed, n, d)
    w = rng.choice([0.0, 0.5, 1.0, 3.0], size=n) if seed % 2 else np.ones(n)
    w[:k] = 1.0
    start = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    stored = solve(DenseGram.from_points(X, SQUARED), w, k, start)
    found = solve(SquaredGram(SQUARED.terms(X)), w, k, start)
    alive = w > 0
    assert found.labels[alive].tolist() == stored.labels[alive].tolist()
    assert found.n_moves == stored.n_moves
    assert dispersion(X, w, found.labels) == pytest.approx(-stored.objective, rel=1e-9)
    assert found.rise == pytest.approx(stored.rise, rel=1e-8)
    assert found.rises == pytest.approx(stored.rises, rel=1e-8, abs=1e-8 * stored.rise)
    rho = SQUARED.pairwise(X)
    assert is_one_move_optimal(-0.5 * rho, found.labels, w, k, tol=1e-9)


@pytest.mark.parametrize("size", [1, 3, 50])
def test_blocks_of_any_size_give_the_same(monkeypatch, size):
    X, rng = table(2, 60, 3), np.random.default_rng(0)
    start, w = rng.integers(5, size=60), rng.uniform(0.5, 2, size=60)
    gram = SquaredGram(SQUARED.terms(X))
    whole = solve(gram, w, 5, start)
    monkeypatch.setattr("kgroups.solvers.feature_search._BLOCK", size)
    found = solve(gram, w, 5, start)
    assert found.labels.tolist() == whole.labels.tolist()
    assert (found.n_moves, found.n_iter) == (whole.n_moves, whole.n_iter)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_calls_of_few_sweeps_give_the_same(monkeypatch, size):
    X, rng = table(1, 80, 3), np.random.default_rng(0)
    start, w = rng.integers(5, size=80), rng.uniform(0.5, 2, size=80)
    gram = SquaredGram(SQUARED.terms(X))
    whole, cut = solve(gram, w, 5, start), solve(gram, w, 5, start, max_iter=3)
    monkeypatch.setattr("kgroups.solvers.feature_search._MOST_SWEEPS", size)
    for found, expected in (
        (solve(gram, w, 5, start), whole),
        (solve(gram, w, 5, start, max_iter=3), cut),
    ):
        assert found.labels.tolist() == expected.labels.tolist()
        counts = (expected.n_moves, expected.n_iter, expected.status)
        assert (found.n_moves, found.n_iter, found.status) == counts
        np.testing.assert_allclose(found.history, expected.history, rtol=1e-12)
    assert whole.n_iter > 3


def test_labels_that_come_back_end_the_search(monkeypatch):
    """Gains that lead back to earlier labels were rounding: then only larger ones count."""
    asked = []

    def around(points, means, labels, bounds, size, rounding, tol, fallen):
        asked.append(tol)
        fallen[:] = 0.0
        means.weight[:], means.centers[:] = 1.0, 0.0
        labels[0] = 1 - labels[0]
        return len(fallen) - 1, len(fallen) - 1, False

    fake = SimpleNamespace(search_features=around)
    monkeypatch.setattr("kgroups.solvers.feature_search.kernels", fake)
    start = np.array([0, 1, 0, 1])
    p = solve(FactorGram(np.eye(4)), np.ones(4), 2, start, max_iter=10**6)
    assert p.status is Status.CYCLE
    assert not p.converged
    assert asked == sorted(asked)
    assert asked[-1] > 1e-7


@pytest.mark.usefixtures("either_way")
def test_weights_members_and_numbers_by_hand():
    """0, 1 | 10, 12 with weights: means .5 and 11, W = .5 + 2."""
    X = np.array([[0.0], [1.0], [10.0], [12.0]])
    p = solve(SquaredGram(SQUARED.terms(X)), np.ones(4), 2, np.array([0, 1, 0, 1]))
    assert p.labels.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    assert p.status is Status.CONVERGED
    # S is the dispersion of all four about 5.75 less W.
    assert p.rise == pytest.approx(((X - 5.75) ** 2).sum() - 2.5, rel=1e-14)
    heavy = solve(
        SquaredGram(SQUARED.terms(X)), np.array([3.0, 1, 1, 1]), 2, np.array([0, 1, 0, 1])
    )
    assert sorted(heavy.weight) == [2.0, 4.0]
    mean = (1 + 10 + 12) / 6
    assert heavy.rise == pytest.approx(3 * mean**2 + ((X[1:] - mean) ** 2).sum() - 2.75)


@pytest.mark.usefixtures("either_way")
def test_groups_far_apart_keep_their_digits():
    """Two pairs of groups, 2e8 apart: each pair is parted as if it were alone."""
    rng = np.random.default_rng(1)
    near = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 8])
    X = np.concatenate([near - 1e8, near + 1e8])
    start = np.repeat([0, 2], 60) + rng.integers(2, size=120)
    p = solve(SquaredGram(SQUARED.terms(X)), np.ones(120), 4, start)
    truth = np.repeat([0, 1, 2, 3], 30)
    alone = sum(((part - part.mean(axis=0)) ** 2).sum() for part in (near[:30], near[30:]))
    assert len(np.unique(p.labels * 4 + truth)) == 4
    assert dispersion(X, np.ones(120), p.labels) == pytest.approx(2 * alone, rel=1e-7)


def exact_gains(X, w, labels, k):
    """W, and what the best move of each point gains, in fractions of integers."""
    rows, w = [[Fraction(x) for x in row] for row in X.tolist()], [Fraction(x) for x in w.tolist()]
    members = [[i for i in range(len(w)) if labels[i] == j] for j in range(k)]

    def cost(i, others):
        """What a point adds to the dispersion of others: w s/(s + w) ‖x − mean‖²."""
        s = sum(w[j] for j in others)
        mean = [sum(w[j] * rows[j][d] for j in others) / s for d in range(len(rows[0]))]
        return w[i] * s / (s + w[i]) * sum((a - b) ** 2 for a, b in zip(rows[i], mean, strict=True))

    W, gains = Fraction(0), []
    for own in members:
        W += sum(cost(i, own[:at]) for at, i in enumerate(own) if at)
        for i in own if len(own) > 1 else ():
            others = [cost(i, other) for other in members if i not in other]
            gains.append(cost(i, [j for j in own if j != i]) - min(others))
    return W, max(gains)


@each("seed", range(6))
@pytest.mark.usefixtures("either_way")
def test_a_row_far_away_costs_the_others_no_digits(seed):
    """Such as 1e20 for a missing value: the others are parted as if they were alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2)) + 6 * rng.integers(3, size=(40, 1))
    X[7] = [1e9, 1e15, 1e20][seed % 3]
    w = rng.uniform(0.5, 2, size=40) if seed % 2 else np.ones(40)
    gram = SquaredGram(SQUARED.terms(X))
    p = solve(gram, w, 4, np.concatenate([np.arange(4), rng.integers(4, size=36)]))
    assert np.bincount(p.labels)[p.labels[7]] == 1
    W, gain = exact_gains(X, w, p.labels, 4)
    assert p.status is Status.CONVERGED
    assert gain <= 1.01e-12 * W
    assert gram.dispersions(p.labels, w, 4).sum() == pytest.approx(float(W), rel=1e-13, abs=0)


@each("seed", range(4))
@pytest.mark.usefixtures("either_way")
def test_two_groups_whose_spread_is_the_last_digits_of_their_place(seed):
    """About their middle all distances within a group round to nothing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-40, 41, size=(60, 2)) + 1e15 * np.repeat([[-1.0], [1.0]], 30, axis=0)
    start = np.repeat([0, 3], 30) + rng.integers(3, size=60)
    gram = SquaredGram(SQUARED.terms(X))
    p = solve(gram, np.ones(60), 6, start)
    W, gain = exact_gains(X, np.ones(60), p.labels, 6)
    assert p.status is Status.CONVERGED
    assert gain <= 1.01e-12 * W
    assert W < 60 * 40**2


@each("seed", range(10))
@pytest.mark.usefixtures("either_way")
def test_rows_of_all_sizes(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2)) * 10.0 ** rng.uniform(-12, 12, size=(12, 1))
    gram = SquaredGram(SQUARED.terms(X))
    p = solve(gram, np.ones(12), 6, np.arange(12) % 6)
    W, gain = exact_gains(X, np.ones(12), p.labels, 6)
    assert gain <= 1.01e-12 * W
    assert gram.dispersions(p.labels, np.ones(12), 6).sum() == pytest.approx(
        float(W), rel=1e-13, abs=0
    )


@each("seed", range(6))
@pytest.mark.usefixtures("either_way")
def test_heavy_points(seed):
    """What is left of a cluster without them is a difference of nearly equal numbers."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(20, 2)), 10.0 ** rng.uniform(-5, 5, size=20)
    p = solve(SquaredGram(SQUARED.terms(X)), w, 4, np.arange(20) % 4)
    W, gain = exact_gains(X, w, p.labels, 4)
    assert gain <= 1.01e-12 * W


@each("far", [1e3, 1e12])
@pytest.mark.usefixtures("either_way")
def test_rows_in_float32_are_the_same_numbers_in_float64(far):
    """Differences of rows are not rounded to the type of the rows, nor are those of seeds."""
    X = table(2, 300, 4).astype(np.float32)
    X[0] = far
    start = np.random.default_rng(0).integers(5, size=300)
    grams = [SquaredGram(SQUARED.terms(A)) for A in (X, X.astype(np.float64))]
    single, double = (solve(gram, np.ones(300), 5, start) for gram in grams)
    assert single.labels.tolist() == double.labels.tolist()
    assert single.objective == double.objective
    problems = [Problem(gram, np.ones(300), 30) for gram in grams]
    seeds = [plus_plus(problem, np.random.default_rng(1)) for problem in problems]
    assert seeds[0].tolist() == seeds[1].tolist()


@each("max_iter", [1, 2, 300])
@pytest.mark.usefixtures("either_way")
def test_weights_of_all_sizes_are_added_up_at_the_end(max_iter):
    """What heavy points leave of a cluster has no digits, also where max_iter cuts a search."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(30, 1)), 10.0 ** rng.uniform(-12, 12, size=30)
    p = solve(SquaredGram(SQUARED.terms(X), w), w, 5, np.arange(30) % 5, max_iter=max_iter)
    sums = [sum(map(Fraction, w[p.labels == j])) for j in range(5)]
    assert p.weight.tolist() == pytest.approx([float(s) for s in sums], rel=1e-14, abs=0)


@pytest.mark.usefixtures("either_way")
def test_uneven_weights_cost_no_digits_of_what_clusters_explain():
    """Two points, w = 2e9 and 3e-7, one apart: S = w v/(w + v)."""
    X, w = np.array([[-7.0], [-8.0]]), np.array([2e9, 3e-7])
    p = solve(SquaredGram(SQUARED.terms(X), w), w, 2, np.array([0, 1]))
    exact = Fraction(w[0]) * Fraction(w[1]) / (Fraction(w[0]) + Fraction(w[1]))
    assert p.rise == pytest.approx(float(exact), rel=1e-12, abs=0)


@pytest.mark.usefixtures("either_way")
def test_equal_rows_never_move():
    X = np.repeat([[0.1], [0.7], [1.3]], 7, axis=0)
    start = np.arange(21) % 5
    p = solve(SquaredGram(SQUARED.terms(X)), np.ones(21), 5, start)
    again = solve(SquaredGram(SQUARED.terms(X)), np.ones(21), 5, p.labels)
    assert again.n_moves == 0
    assert p.status is Status.CONVERGED


def test_nearest_means():
    X, means = table(0, 70, 3), np.random.default_rng(5).normal(size=(4, 3))
    gram = SquaredGram(SQUARED.terms(X))
    labels, squared = nearest_means(gram.in_memory(), means, Threads(2))
    expected = ((X - X.mean(axis=0))[:, None] - means) ** 2
    assert labels.tolist() == expected.sum(axis=2).argmin(axis=1).tolist()
    assert squared == pytest.approx(expected.sum(axis=2).min(axis=1))
