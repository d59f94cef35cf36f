"""A Gram matrix that is held: scale and shift, its origin, threads, and sums in float64."""

import numpy as np
import pytest

from helpers import each, random_gram
from kgroups.gram import DenseGram, Moves
from kgroups.gram import dense as module
from kgroups.runtime import memory
from kgroups.semimetrics import Energy
from kgroups.solvers import objective as spec


def test_the_formula():
    """G = scale · M − shift_x − shift_y."""
    rng = np.random.default_rng(0)
    M, shift = random_gram(rng, 20, "kernel"), rng.normal(size=20)
    gram = DenseGram(M, scale=3.0, shift=shift)
    G = 3 * M - shift[:, None] - shift
    some = np.array([3, 17, 3])
    np.testing.assert_allclose(gram.diagonal(), np.diagonal(G), rtol=1e-13)
    np.testing.assert_allclose(gram.rows(some), G[some], rtol=1e-13)
    np.testing.assert_allclose(gram.block(5, 9, some), G[some, 5:9], rtol=1e-13)
    np.testing.assert_allclose(gram.block(5, 9), G[5:9, 5:9], rtol=1e-13)
    np.testing.assert_allclose(gram.part(some).to_dense(), G[np.ix_(some, some)], rtol=1e-13)
    np.testing.assert_allclose(gram.to_dense(), G, rtol=1e-12, atol=1e-12)


@each(("dtype", "n_bytes"), [(np.float64, 800), (np.float32, 400)])
def test_memory_is_asked_for_before_any_distance_is_made(dtype, n_bytes, monkeypatch):
    class Never(Energy):
        def pairwise(self, X, Y=None):
            raise AssertionError("a distance was made")

    monkeypatch.setattr(memory, "available_bytes", lambda: int(n_bytes / 0.8) - 1)
    with pytest.raises(MemoryError, match=r"dense matrix of 10 x 10 distances needs \d+ B"):
        DenseGram.from_points(np.zeros((10, 1), dtype), Never())
    monkeypatch.setattr(memory, "available_bytes", lambda: int(n_bytes / 0.8))
    assert DenseGram.from_points(np.zeros((10, 1), dtype), Energy()).n == 10


def test_about_the_mean_rows_add_up_to_zero_by_weight():
    """The kernel of points about their weighted mean, and no gain changes."""
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(12, 2)) + 50, rng.uniform(0.1, 3, 12)
    moved = DenseGram(X @ X.T).about_mean(w)
    Z = X - np.average(X, axis=0, weights=w)
    np.testing.assert_allclose(moved.to_dense(), Z @ Z.T, atol=1e-9)
    np.testing.assert_allclose(moved.to_dense() @ w, 0, atol=1e-9)
    again = moved.about_mean(w)
    np.testing.assert_allclose(again.shift, moved.shift, rtol=1e-12)
    assert moved.matrix is not X
    labels = rng.integers(3, size=12)
    for point in range(12):
        before, after = (
            spec.move_gain(G, labels, w, 3, point, (labels[point] + 1) % 3)
            for G in (X @ X.T, moved.to_dense())
        )
        assert after == pytest.approx(before, abs=1e-8)


@each("n_threads", [2, 3])
def test_threads_change_no_bit(n_threads, monkeypatch):
    """Even where every piece of work is split: products, first sums, and updates after moves."""
    rng = np.random.default_rng(3)
    n, k = 700, 4
    M, w, labels = random_gram(rng, n, "indefinite"), rng.uniform(0, 2, n), rng.integers(k, size=n)
    right = rng.normal(size=(n, 3))
    points = np.arange(256, 300)
    moves = Moves(points, w[points], labels[points], (labels[points] + 1) % k)
    found = []
    monkeypatch.setattr(module, "_WORTH_A_THREAD", 0)
    for threads in (1, n_threads):
        gram = DenseGram(M, shift=w, n_threads=threads)
        sums = gram.running_sums(labels, w, k)
        first = sums.table.copy()
        sums.apply(moves, 256, 512, sums.block(256, 512))
        found.append((gram.matmul(right), first, sums.table))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_float32_is_added_in_float64():
    """In float32, 2²⁵ + 1 is 2²⁵; 1,000 ones next to it would be lost."""
    M = np.ones((1001, 1001), np.float32)
    M[:, 0] = M[0] = 2.0**25
    gram = DenseGram(M)
    sums = gram.running_sums(np.zeros(1001, np.int64), np.ones(1001), 1)
    assert sums.block(1, 2)[0, 0] == 2**25 + 1000
    assert gram.matmul(np.ones((1001, 1)))[1, 0] == 2**25 + 1000


@each("n", [70, 300])
def test_sums_of_several_labelings_are_those_of_each_to_the_bit(n):
    rng = np.random.default_rng(n)
    gram = DenseGram(random_gram(rng, n, "kernel"), shift=rng.normal(size=n), n_threads=2)
    weights = rng.choice([0.0, 0.3, 1.0, 2.5], size=n)
    starts = list(rng.integers(4, size=(3, n)))
    for labels, table in zip(starts, gram.tables_of_sums(starts, weights, 4), strict=True):
        assert (table == gram.running_sums(labels, weights, 4).table).all()
        one_hot = np.eye(4)[labels] * weights[:, None]
        np.testing.assert_allclose(table, one_hot.T @ gram.to_dense(), atol=1e-11)
