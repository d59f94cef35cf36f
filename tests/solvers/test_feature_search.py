"""Whole searches on features, where bounds say of most points that they stay."""

import numpy as np
import pytest

from kgroups.gram import DenseGram, FactorGram
from kgroups.gram.squared_rows import SquaredGram
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.solvers import Hartigan, Problem, Status
from kgroups.solvers import objective as spec
from kgroups.solvers.feature_search import nearest_means
from kgroups.testing import is_one_move_optimal

pytestmark = pytest.mark.nojit
SQUARED = Energy(2)


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


@pytest.mark.parametrize("seed", range(12))
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


def test_features_in_float32_and_without_columns():
    rng = np.random.default_rng(2)
    F, start = rng.normal(size=(50, 4)).astype(np.float32), rng.integers(3, size=50)
    p = solve(FactorGram(F), np.ones(50), 3, start)
    G = F.astype(np.float64) @ F.T.astype(np.float64)
    assert p.objective == pytest.approx(spec.objective(G, p.labels, np.ones(50), 3), rel=1e-6)
    empty = solve(FactorGram(np.empty((5, 0))), np.ones(5), 2, np.array([0, 1, 0, 1, 0]))
    assert (empty.n_moves, empty.objective) == (0, 0.0)


def test_max_iter_is_said():
    X, rng = table(0, 80, 2), np.random.default_rng(0)
    start = rng.integers(6, size=80)
    p = solve(SquaredGram(SQUARED.terms(X)), np.ones(80), 6, start, max_iter=1)
    assert (p.status, p.n_iter) == (Status.MAX_ITER, 1)


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
