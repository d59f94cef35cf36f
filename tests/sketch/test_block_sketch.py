"""A sketch of rows in blocks: its starts, labels and error, and clusters that run empty."""

import numpy as np
import pytest

from helpers import each
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.sketch import block_sample, block_sketch, sample, sketcher
from kgroups.sketch.block_sketch import BlockSketcher, Totals, improved, lacking, spread
from kgroups.sketch.sketcher import Sketcher
from kgroups.solvers import Hartigan, block_draws, block_means, block_search
from kgroups.solvers import objective as spec
from kgroups.solvers.block_labels import BlockLabels
from kgroups.solvers.restarts import BestOf
from kgroups.solvers.starts import Starts

CHUNK = 64


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    modules = (block_draws, block_sample, block_sketch, block_means, block_search, sample, sketcher)
    for module in modules:
        monkeypatch.setattr(module, "CHUNK", CHUNK)
    for module in (block_sketch, sketcher):
        monkeypatch.setattr(module, "sample_size", lambda n, k: 100)


def table(n=900, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 2 * rng.normal(size=(6, 2))[rng.integers(6, size=n)]


def weights(n=900):
    w = np.random.default_rng(3).uniform(0.5, 2, size=n)
    w[::9] = 0
    return w


def blocks_of(X, w, size, budget=np.inf):
    return LocalBlocks(RowsInMemory(X), len(X), size, Threads(2), weights=w, budget=budget)


def asked(X):
    return Starts(init="auto", X=X, seeds=[1, 2, 3]), BestOf(solver=Hartigan(), executor=Threads(1))


HOW = {"n_components": 30, "landmarks": "distant", "seed": 5, "executor": Threads(1)}


def sketched(X, w, k, size=CHUNK, **settings):
    where, (starts, search) = blocks_of(X, w, size, **settings), asked(X)
    one = np.ones(len(X)) if w is None else w
    alive = [int((one[a:b] > 0).sum()) for a, b in where.spans]
    made = BlockSketcher(**HOW).sketch(where, Energy(), alive, k, search, starts)
    return where, made


def of_table(X, w, k):
    one, (starts, search) = np.ones(len(X)) if w is None else w, asked(X)
    made = Sketcher(feature_bytes=1 << 30, **HOW)
    return made.sketch(RowsInMemory(X), Energy(), one, k, search, starts)


@each("weighted", [False, True])
@each("k", [2, 5])
def test_a_sketch_is_that_of_the_table(weighted, k):
    X, w = table(), weights() if weighted else None
    plain = of_table(X, w, k)
    for size in (CHUNK, 4 * CHUNK, 1024):
        _, found = sketched(X, w, k, size)
        assert found.labels.values.tolist() == plain.points.labels.tolist()
        assert found.runs.names == plain.runs.names
        assert found.error == pytest.approx(plain.error, rel=1e-9)
        assert found.scale(1.0) == pytest.approx(plain.scale(1.0), rel=1e-12)
        maps = (found.features.to_features, plain.to_features)
        assert maps[0].matrix.tobytes() == maps[1].matrix.tobytes()


def test_the_error_is_the_share_that_features_lack():
    """Of 10 in all, 3 lack, and of what is shown 1 is the mean's: 3 / (3 + 7 − 1)."""
    totals = Totals(np.array(2.0), np.array(7.0), np.array(3.0), np.array([1.0, 1.0]))
    assert totals.error == pytest.approx(3 / 9)
    nothing = np.array(0.0)
    assert Totals(np.array(2.0), nothing, nothing, np.array([0.0])).error == 0.0


def features_of(where, features):
    """Features of all rows."""

    def work(block, constant, shared, arg):
        return features.read(block, 0, block.n).rows

    args = [(number, None) for number in range(len(where.spans))]
    return np.concatenate(list(where.map("features", work, None, None, args)))


@each("budget", [0, 10_000, np.inf])
def test_the_optimum_is_one_of_the_features(budget):
    X, w, k = table(300), weights(300), 5
    where, found = sketched(X, w, k, budget=budget)
    heaviest = float(w.max())
    cost = (lacking, found.features)
    best, means = improved(where, found.features, found.labels, k, heaviest, cost, (1e-12, 300))
    F = features_of(where, found.features).astype(float)
    assert best.n_moves > 0
    assert spec.is_one_move_optimal(F @ F.T, best.labels.astype(int), w, k, tol=1e-6)
    assert means.weight == pytest.approx(spec.cluster_weights(best.labels.astype(int), w, k))


def test_rows_that_features_show_least_fill_empty_clusters():
    X, k = table(), 4
    where, found = sketched(X, None, 3)
    labels = BlockLabels.of(where, found.labels.values, k)
    asked_for = []

    def noted(block, features, here):
        cost = lacking(block, features, here)
        asked_for.append(cost.max())
        return cost

    best, _ = improved(where, found.features, labels, k, 1.0, (noted, found.features), (1e-12, 300))
    assert len(asked_for) == len(where.spans)
    assert np.bincount(best.labels, minlength=k).min() > 0


def test_equal_rows_fill_clusters_too():
    """Two places and three clusters: no move gains anything, and none is empty in the end."""
    X = np.repeat([[0.0], [5.0]], 200, axis=0)
    where, found = sketched(X, None, 2)
    labels = BlockLabels.of(where, found.labels.values, 3)
    cost = (lacking, found.features)
    best, means = improved(where, found.features, labels, 3, 1.0, cost, (1e-12, 300))
    assert sorted(np.bincount(best.labels, minlength=3))[0] > 0
    assert (means.members > 0).all()


def test_the_spread_of_rows_about_their_centroids():
    X = table(150)
    where, found = sketched(X, None, 3)
    F = features_of(where, found.features).astype(float)
    labels = found.labels.values.astype(int)
    centers = np.array([F[labels == c].mean(axis=0) for c in range(3)])

    def work(block, constant, shared, arg):
        own = labels[block.start : block.stop]
        return spread(block, (found.features, centers), own)

    args = [(number, None) for number in range(len(where.spans))]
    apart = np.concatenate(list(where.map("spread", work, None, None, args)))
    np.testing.assert_allclose(apart, ((F - centers[labels]) ** 2).sum(axis=1), rtol=1e-9)
