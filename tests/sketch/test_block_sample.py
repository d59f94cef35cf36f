"""Landmarks and samples of rows in blocks: those of :mod:`kgroups.sketch.sample`."""

import numpy as np
import pytest

from helpers import each
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.sketch import block_sample, sample
from kgroups.sketch.block_sample import coreset, drawn_landmarks
from kgroups.solvers import block_draws

CHUNK = 16


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    for module in (block_draws, block_sample, sample):
        monkeypatch.setattr(module, "CHUNK", CHUNK)


def table(kind, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    if kind == "skewed":
        X = np.exp(2 * X)
    if kind == "lattice":
        X = np.round(X)
    if kind == "one place":
        X[:] = 3.0
    return X


def weights(n, seed=0):
    w = np.random.default_rng(seed + 100).lognormal(size=n)
    w[::5] = 0
    return w


KINDS = ["normal", "skewed", "lattice", "one place"]


def blocks_of(X, size, w):
    return LocalBlocks(RowsInMemory(X), len(X), size, Threads(2), weights=w)


def alive_of(where, w, n):
    w = np.ones(n) if w is None else w
    return [int((w[a:b] > 0).sum()) for a, b in where.spans]


def both_landmarks(X, w, m, how, size, seed):
    """Landmarks of blocks, and of the table by equal random numbers."""
    where, one = blocks_of(X, size, w), np.ones(len(X)) if w is None else w
    rng, same = np.random.default_rng(seed), np.random.default_rng(seed)
    found = drawn_landmarks(where, Energy(), alive_of(where, w, len(X)), m, how, rng)
    plain = sample.drawn_landmarks(RowsInMemory(X), Energy(), one, m, how, same, Threads(1))
    return where, found, plain, (rng, same)


def far_of(where, far):
    """Distances of all rows."""

    def work(block, constant, shared, arg):
        return far.far(block)

    args = [(number, None) for number in range(len(where.spans))]
    return np.concatenate(list(where.map("far", work, None, None, args)))


@each("how", ["uniform", "distant"])
@each("weighted", [False, True])
@each("kind", KINDS)
def test_landmarks_are_those_of_the_table(kind, weighted, how):
    for n, m in ((5, 3), (40, 7), (200, 20), (200, 300)):
        for size in (CHUNK, 4 * CHUNK, 1024):
            X, w = table(kind, n), weights(n) if weighted else None
            where, found, plain, _ = both_landmarks(X, w, m, how, size, seed=n + m)
            assert found.rows.tolist() == X[plain.index].tolist()
            assert far_of(where, found.far).tolist() == plain.far.tolist()


def test_landmarks_differ_where_rows_are_repeated():
    """Equal rows in different blocks, and in both halves."""
    X = np.tile(np.arange(10.0), 20)[:, None]
    for m in (4, 10, 50):
        _, found, _, _ = both_landmarks(X, None, m, "distant", CHUNK, seed=m)
        assert len(np.unique(found.rows)) == len(found.rows) <= 10


# --- the sample -----------------------------------------------------------------------------------


class Given:
    """Distances that are given."""

    def __init__(self, values):
        self.values = values

    def far(self, block):
        return self.values[block.start : block.stop]


@each("weighted", [False, True])
@each("seed", range(5))
def test_a_coreset_is_that_of_the_table(weighted, seed):
    rng = np.random.default_rng(seed)
    n, X = 300, table("skewed", 300, seed)
    w = weights(n, seed) if weighted else None
    far, one = rng.exponential(size=n), np.ones(n) if w is None else w
    for size in (1, 20, 150):
        plain, plain_weights = sample.coreset(one, far, size, np.random.default_rng(seed))
        for n_rows in (CHUNK, 4 * CHUNK, 1024):
            where = blocks_of(X, n_rows, w)
            n_alive = int((one > 0).sum())
            found = coreset(where, Given(far), size, n_alive, np.random.default_rng(seed))
            assert found.numbers.tolist() == plain.tolist()
            assert found.rows.tolist() == X[plain].tolist()
            np.testing.assert_allclose(found.weights, plain_weights, rtol=1e-12)
            assert found.total == pytest.approx(one.sum(), rel=1e-12)


@each("seed", range(10))
def test_the_likeliest_others_join_where_few_rows_are_drawn(seed):
    """Nearly all weight is in one row, and six rows are needed."""
    rng = np.random.default_rng(seed)
    n, w = 100, np.full(100, 1e-9)
    w[::3] = 0
    w[40] = 1e9
    w[70:75] = [3e-9, 5e-9, 5e-9, 2e-9, 5e-9]
    X, far = table("normal", n), np.round(rng.random(n), 1)
    plain, plain_weights = sample.coreset(w, far, 30, np.random.default_rng(seed), least=6)
    assert len(plain) == 6
    for size in (CHUNK, 4 * CHUNK, 128):
        alive, rng = int((w > 0).sum()), np.random.default_rng(seed)
        found = coreset(blocks_of(X, size, w), Given(far), 30, alive, rng, least=6)
        assert found.numbers.tolist() == plain.tolist()
        assert found.rows.tolist() == X[plain].tolist()
        np.testing.assert_allclose(found.weights, plain_weights, rtol=1e-12)


def test_distances_that_are_all_zero_leave_the_weights_to_decide():
    X, w = table("one place", 100), weights(100)
    where, n_alive = blocks_of(X, CHUNK, w), int((w > 0).sum())
    found = coreset(where, Given(np.zeros(100)), 30, n_alive, np.random.default_rng(2))
    plain, plain_weights = sample.coreset(w, np.zeros(100), 30, np.random.default_rng(2))
    assert found.numbers.tolist() == plain.tolist()
    np.testing.assert_allclose(found.weights, plain_weights, rtol=1e-12)
