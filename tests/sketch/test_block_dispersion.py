"""W from a sample of rows in blocks: the estimate of a whole table by equal random numbers."""

import numpy as np
import pytest

from helpers import each
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.sketch import block_dispersion, dispersion
from kgroups.solvers.block_labels import BlockLabels

CHUNK = 32


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(block_dispersion, "CHUNK", CHUNK)


def estimated(X, labels, w, k, n_drawn, *, size=CHUNK, seed=0, order=None):
    where = LocalBlocks(RowsInMemory(X), len(X), size, Threads(1), weights=w)
    told, rng = BlockLabels.of(where, labels, k), np.random.default_rng(seed)
    order = np.arange(k) if order is None else order
    return block_dispersion.estimated_dispersion(where, Energy(), told, order, rng, 1, n_drawn)


def of_table(X, labels, w, k, n_drawn, seed=0):
    w, rng = np.ones(len(X)) if w is None else w, np.random.default_rng(seed)
    rows = RowsInMemory(X)
    return dispersion.estimated_dispersion(rows, Energy(), labels, w, k, rng, 1, n_drawn)


def case(seed, *, weighted, n=1500, k=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    labels = rng.choice(k, size=n, p=[0.6, 0.3, 0.08, 0.02, 0.0])
    w = rng.lognormal(size=n) if weighted else None
    if weighted:
        w[::6] = 0
    return X, labels, w, k


@each("seed", range(6))
@each("weighted", [False, True])
@each("n_drawn", [100, 400, 10_000])
def test_the_estimate_is_that_of_the_table(seed, weighted, n_drawn):
    """Clusters drawn from, clusters taken whole, and an empty one."""
    X, labels, w, k = case(seed, weighted=weighted)
    plain = of_table(X, labels, w, k, n_drawn, seed)
    for size in (CHUNK, 4 * CHUNK, 2048):
        found = estimated(X, labels, w, k, n_drawn, size=size, seed=seed)
        np.testing.assert_allclose(found.by_cluster, plain.by_cluster, rtol=1e-12)
        assert found.total == pytest.approx(plain.total, rel=1e-12)


def test_a_share_beyond_the_last_sum_means_the_last_chunk_with_members():
    class Last:
        def random(self, size):
            return np.ones(size)  # as rounding may make of the largest number below 1

    chunks, targets = block_dispersion._draws(np.array([1.0, 2.0, 0.0, 0.0]), 2, Last())
    assert chunks.tolist() == [1, 1]
    assert targets.tolist() == [2.0, 2.0]


def test_the_size_of_blocks_changes_no_bit():
    X, labels, w, k = case(1, weighted=True)
    found = [estimated(X, labels, w, k, 300, size=size) for size in (CHUNK, 2 * CHUNK, 2048)]
    for other in found[1:]:
        assert other.by_cluster.tobytes() == found[0].by_cluster.tobytes()
        assert other.total == found[0].total
