"""Squared distances of rows in blocks: features, starts and dispersions of the whole table."""

import numpy as np
import pytest

from helpers import each
from kgroups.gram.squared_rows import SquaredGram
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.sketch import block_sample, block_squared, sampled_starts
from kgroups.sketch.block_sketch import improved
from kgroups.solvers import Hartigan, Problem, block_draws, block_means, block_search
from kgroups.solvers.restarts import BestOf
from kgroups.solvers.starts import Starts
from sketch_cases import dispersion

CHUNK = 32
KINDS = ["ordinary", "far", "outlier", "tiny", "large", "float32", "wide"]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    for module in (block_draws, block_sample, block_squared, block_means, block_search):
        monkeypatch.setattr(module, "CHUNK", CHUNK)


def table(kind, n=700, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 70 if kind == "wide" else 3))
    X += 3 * rng.normal(size=(5, X.shape[1]))[rng.integers(5, size=n)]
    change = {
        "far": lambda: X + 1e7,
        "outlier": lambda: np.r_[X[:-1], np.full((1, 3), 1e12)],
        "tiny": lambda: 1e-200 * X,
        "large": lambda: 1e200 * X,
        "float32": lambda: X.astype(np.float32),
    }
    return change.get(kind, lambda: X)()


def weights(n=700):
    w = np.random.default_rng(8).uniform(0.5, 2, size=n)
    w[:40:3] = 0
    return w


def blocks_of(X, w=None, size=CHUNK, n_threads=2):
    return LocalBlocks(RowsInMemory(X), len(X), size, Threads(n_threads), weights=w)


def features_of(X, w=None, size=CHUNK, metric=None):
    return block_squared.squared_features(blocks_of(X, w, size), metric or Energy(2))


def gram_of(X, w, metric=None):
    return SquaredGram((metric or Energy(2)).terms(X), np.ones(len(X)) if w is None else w)


def embeddings_agree(found, plain):
    assert found.unit == plain.unit
    assert found.scale == plain.scale
    assert found.first.tolist() == plain.first.tolist()
    near = 1e-12 * np.abs(plain.mean).max()
    np.testing.assert_allclose(found.mean, plain.mean, rtol=1e-12, atol=near)


@each("kind", KINDS)
@each("weighted", [False, True])
def test_features_are_those_of_the_operator(kind, weighted):
    X, w = table(kind), weights() if weighted else None
    embeddings_agree(features_of(X, w).embedding, gram_of(X, w).embedding)


def test_an_outlier_does_not_take_the_origin_away_from_most_rows():
    X = table("outlier")
    mean = features_of(X).embedding.mean
    assert np.abs(mean - np.median(X, axis=0)).max() < 1e-9


@each("kind", KINDS)
def test_the_size_of_blocks_changes_no_bit_of_the_features(kind):
    X, w = table(kind), weights()
    found = [features_of(X, w, size).embedding for size in (CHUNK, 4 * CHUNK, 1024)]
    for other in found[1:]:
        assert other.mean.tobytes() == found[0].mean.tobytes()
        assert other.unit == found[0].unit


def search_of(n_threads=1):
    return BestOf(solver=Hartigan(), executor=Threads(n_threads), improver=None)


def starts_of(n_init=3):
    return Starts.asked("auto", n_init, n_init, None, 0)


def sampled(X, w, k, size=CHUNK):
    where = blocks_of(X, w, size)
    features = block_squared.squared_features(where, Energy(2))
    n_alive = len(X) if w is None else int((w > 0).sum())
    found = block_squared.sampled_starts(
        where, features, n_alive, k, search_of(), starts_of(), Threads(1)
    )
    return where, features, found


@each("kind", ["ordinary", "far", "tiny", "float32"])
@each("weighted", [False, True])
def test_starts_are_those_of_the_operator(monkeypatch, kind, weighted):
    """On a sample of 200 rows; with few rows in two clusters, none is empty."""
    for module in (block_squared, sampled_starts):
        monkeypatch.setattr(module, "size_of_sample", lambda n, k: 200)
    X, w, k = table(kind), weights() if weighted else None, 5
    gram, one = gram_of(X, w), np.ones(len(X)) if w is None else w
    problem = Problem(gram, one, k, origin_is_free=True, table=X)
    labels, runs, part = sampled_starts.labels_from_sample(
        problem, gram, search_of(), starts_of(), Threads(1)
    )
    for size in (CHUNK, 4 * CHUNK, 1024):
        _, _, found = sampled(X, w, k, size)
        assert found.labels.values.tolist() == labels.tolist()
        assert found.part == pytest.approx(part, rel=1e-12)
        assert found.runs.names == runs.names
        rises = [run.rise for run in found.runs.partitions]
        assert rises == pytest.approx([run.rise for run in runs.partitions], rel=1e-9)


def moved(where, features, labels, k, means):
    """The optimum from some labels."""
    cost = (block_squared.nearest_cost, (features, means))
    return improved(where, features, labels, k, 2.0, cost, (1e-12, 100))


@each("kind", ["ordinary", "far", "float32", "wide"])
@each("weighted", [False, True])
def test_dispersions_are_those_of_the_definition(kind, weighted):
    X, w, k = table(kind), weights() if weighted else None, 5
    where, features, start = sampled(X, w, k)
    best, means = moved(where, features, start.labels, k, start.means)
    assert best.labels.tolist() == start.labels.values.tolist()
    found = block_squared.dispersions(where, features, start.labels, means)
    one = np.ones(len(X)) if w is None else w
    plain = gram_of(X, w).dispersions(best.labels.astype(np.int64), one, k)
    np.testing.assert_allclose(found, plain, rtol=1e-9)
    if kind != "far":  # where the definition has lost its digits
        exact = dispersion(X.astype(float), best.labels, alpha=2, w=one)
        assert found.sum() == pytest.approx(exact, rel=1e-5 if kind == "float32" else 1e-9)


@each("first", [0, 40, 100])
def test_the_first_row_with_weight_may_be_in_any_block(first):
    X, w = table("far", n=150), np.zeros(150)
    w[first:] = 1.0
    embeddings_agree(features_of(X, w).embedding, gram_of(X, w).embedding)
