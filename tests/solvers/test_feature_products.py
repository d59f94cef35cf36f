"""Searches on many columns, where products in float32 say of most points that they stay."""

import numpy as np

from helpers import each
from kgroups.gram import DenseGram, FactorGram
from kgroups.gram.directions import DirectedRows, DirectionGram
from kgroups.gram.low_rank import WIDE, product_rounding
from kgroups.gram.squared_rows import SquaredGram
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Cosine, Energy
from kgroups.solvers import Hartigan, Problem
from kgroups.solvers import feature_search as module
from kgroups.solvers.block_search import partition_by_blocks
from kgroups.testing import is_one_move_optimal

SQUARED = Energy(2)


def table(seed, n, d):
    """Normal, skewed, clustered, of all sizes, and far from the origin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if seed % 5 == 1:
        X = np.exp(2 * X)
    if seed % 5 == 2:
        X += 3 * rng.normal(size=(4, d))[rng.integers(4, size=n)]
    if seed % 5 == 3:
        X += 1e6
    if seed % 5 == 4:
        X *= 10.0 ** rng.uniform(-6, 6, size=(n, 1))
    return X


def problem(seed):
    """Rows, weights that may be 0 or uneven, k and a start."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(20, 120)), int(rng.integers(WIDE, 120)), int(rng.integers(2, 7))
    w = rng.choice([0.0, 1e-6, 1.0, 3.0], size=n) if seed % 2 else np.ones(n)
    w[:k] = 1.0
    start = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    return table(seed, n, d), w, k, start


def solve(gram, weights, k, start):
    return next(Hartigan().solve_all(Problem(gram, weights, k), [start], Threads(1)))


@each("seed", range(20))
@each("metric", [SQUARED, Cosine()])
def test_moves_are_those_on_the_stored_matrix(metric, seed):
    X, w, k, start = problem(seed)
    is_squared = metric == SQUARED
    gram = SquaredGram(metric.terms(X)) if is_squared else DirectionGram(DirectedRows.of(X))
    stored = Hartigan().solve(Problem(DenseGram.from_points(X, metric), w, k), start)
    found = solve(gram, w, k, start)
    alive = w > 0
    assert found.labels[alive].tolist() == stored.labels[alive].tolist()
    assert found.n_moves == stored.n_moves
    assert is_one_move_optimal(-0.5 * metric.pairwise(X), found.labels, w, k, tol=1e-9)


def crowded(seed):
    """Many clusters that overlap, so that many points are in doubt between a few of them."""
    rng = np.random.default_rng(seed)
    n, d, k = 600, int(rng.integers(WIDE, 80)), int(rng.integers(30, 80))
    X = (0.3 * rng.normal(size=(k, d)))[rng.integers(k, size=n)] + rng.normal(size=(n, d))
    w = rng.choice([0.5, 1.0, 7.0], size=n)
    return SquaredGram(SQUARED.terms(X)), w, k, np.arange(n) % k


def by_blocks(gram, w, k, start):
    return partition_by_blocks(Problem(gram, w, k), gram, start, 1e-12, 300, Threads(2))


@each("search", [solve, by_blocks])
def test_clusters_that_are_far_need_not_be_measured(monkeypatch, search):
    """A point in doubt is measured against near clusters only, and makes the same moves."""
    for seed in range(4):
        given = crowded(seed)
        with_products = search(*given)
        with monkeypatch.context() as patch:
            patch.setattr(module, "WIDE", 10_000)
            without = search(*given)
        assert with_products.labels.tolist() == without.labels.tolist()
        assert with_products.n_moves == without.n_moves > 500


def test_rounding_of_products_is_below_its_bound():
    rng = np.random.default_rng(1)
    for d in (48, 300, 5000):
        X, C = rng.normal(size=(20, d)), rng.normal(size=(7, d)) + 3
        single = X.astype(np.float32) @ C.T.astype(np.float32)
        norms = np.einsum("ij,ij->i", X, X)[:, None] + np.einsum("ij,ij->i", C, C)
        assert (2 * np.abs(single - X @ C.T) <= product_rounding(d) * norms).all()


@each("scale", [1e-30, 1e-25, 1.0, 1e20, 1e30])
@each("places", [(0.0, 1.0, 4.0, 9.0, 10.0, 30.0), (-20.0, -9.0, 0.0, 0.5, 7.0, 9.0)])
def test_products_that_over_or_underflow_settle_nothing(places, scale):
    """Features on a line in float64: in float32 their products are 0 or infinite."""
    X = np.zeros((6 * 4, WIDE))
    X[:, 3] = np.repeat(places, 4) * scale + np.tile(np.arange(4) * 0.01 * scale, 6)
    start = np.arange(24) % 3
    found = solve(FactorGram(X), np.ones(24), 3, start)
    expected = solve(FactorGram(X / scale), np.ones(24), 3, start)
    assert found.labels.tolist() == expected.labels.tolist()
    G = (X / scale) @ (X / scale).T
    assert is_one_move_optimal(G, found.labels, np.ones(24), 3, tol=1e-9)
