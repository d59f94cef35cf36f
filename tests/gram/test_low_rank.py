"""G = F Fᵀ that is never formed: sums of features against sums of similarities."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each, random_start
from kgroups.gram import DenseGram, FactorGram, Moves
from kgroups.gram.nystroem import NystroemMap
from kgroups.input.rows import RowsInMemory
from kgroups.semimetrics import Energy
from kgroups.sketch.sketcher import LazyFeatures
from kgroups.solvers import Hartigan, Lloyd, OnlineLloyd, Problem
from kgroups.solvers import objective as spec
from kgroups.testing import check_gram_operator, check_solver


def features(rng, n, rank):
    return rng.normal(size=(n, rank)) * 0.8 ** np.arange(rank)


@each(("n", "rank"), [(1, 1), (2, 3), (33, 1), (70, 5), (200, 40)])
def test_operator_conforms(n, rank):
    check_gram_operator(FactorGram(features(np.random.default_rng(n), n, rank)), seed=n)


@each("rank", [1, 7])
def test_every_part_is_that_of_the_product(rank, monkeypatch):
    """In chunks of 16 points, which cut every method's work into several."""
    monkeypatch.setattr("kgroups.gram.low_rank.CHUNK", 16)
    rng = np.random.default_rng(0)
    F = features(rng, 75, rank)
    G, gram = F @ F.T, FactorGram(F)
    close = {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(gram.to_dense(), G, **close)
    np.testing.assert_allclose(gram.diagonal(), np.diagonal(G), **close)
    np.testing.assert_allclose(gram.rows(np.array([74, 2, 2])), G[[74, 2, 2]], **close)
    np.testing.assert_allclose(gram.block(10, 40), G[10:40, 10:40], **close)
    distances = cdist(F, F, "sqeuclidean")[5]
    np.testing.assert_allclose(gram.squared_distances(5), distances, rtol=1e-10, atol=1e-12)


def test_sums_of_features_stand_for_sums_of_similarities(monkeypatch):
    monkeypatch.setattr("kgroups.gram.low_rank.CHUNK", 50)
    rng = np.random.default_rng(1)
    F, labels = features(rng, 130, 6), rng.integers(4, size=130)
    labels[labels == 2] = 0  # an empty cluster
    w = rng.uniform(0, 2, 130) * (rng.random(130) < 0.8)
    G = F @ F.T
    sums = FactorGram(F).running_sums(labels, w, 4)
    for cluster in range(4):
        expected = (F * w[:, None])[labels == cluster].sum(axis=0)
        np.testing.assert_allclose(sums.vectors[cluster], expected, rtol=1e-12, atol=1e-13)
    table = spec.cluster_sums(G, labels, w, 4).T
    np.testing.assert_allclose(sums.block(0, 130), table, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(sums.block(40, 70), table[:, 40:70], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(sums.within(labels, w, 4), spec.within(G, labels, w, 4), rtol=1e-11)
    assert sums.everything(w) == pytest.approx(w @ G @ w, rel=1e-11)
    own = table[labels, np.arange(130)]
    np.testing.assert_allclose(sums.own(labels), own, rtol=1e-11, atol=1e-12)
    assert np.all(sums.largest(w) >= np.abs(table * w).max(axis=1) * (1 - 1e-12)), "a bound"


def test_a_point_may_move_and_several_into_one_cluster():
    rng = np.random.default_rng(2)
    F, labels, w = features(rng, 60, 4), rng.integers(3, size=60), rng.uniform(0.1, 2, 60)
    sums = FactorGram(F).running_sums(labels, w, 3)
    points = np.array([3, 8, 9, 20, 41])
    after = labels.copy()
    after[points] = 2
    sums.apply(Moves(points, w[points], labels[points], after[points]), 0, 60, np.zeros((3, 60)))
    expected = spec.cluster_sums(F @ F.T, after, w, 3).T
    np.testing.assert_allclose(sums.block(0, 60), expected, rtol=1e-11, atol=1e-12)


def problem(seed):
    rng = np.random.default_rng(seed)
    n, k, rank = int(rng.integers(5, 400)), int(rng.integers(2, 7)), int(rng.integers(1, 12))
    k = min(k, n - 1)
    w = rng.uniform(0.1, 3, n) * (rng.random(n) < 0.9) if seed % 2 else np.ones(n)
    w[0] = 1.0
    return features(rng, n, rank), random_start(rng, n, k), w, k


@each("seed", range(24))
def test_hartigan_moves_as_on_the_product(seed):
    F, start, w, k = problem(seed)
    G = F @ F.T
    dense = Hartigan().solve(Problem(DenseGram(G), w, k), start)
    factor = Hartigan().solve(Problem(FactorGram(F), w, k), start)
    assert factor.labels.tolist() == dense.labels.tolist()
    assert (factor.n_moves, factor.n_iter) == (dense.n_moves, dense.n_iter)
    assert factor.objective == pytest.approx(dense.objective, rel=1e-10)
    np.testing.assert_allclose(factor.history, dense.history, rtol=1e-9)
    np.testing.assert_allclose(factor.within, dense.within, rtol=1e-9, atol=1e-9)
    assert factor.together == pytest.approx(dense.together, rel=1e-9, abs=1e-9)


def test_chunks_change_no_move(monkeypatch):
    F, start, w, k = problem(3)
    whole = Hartigan().solve(Problem(FactorGram(F), w, k), start)
    monkeypatch.setattr("kgroups.gram.low_rank.CHUNK", 7)
    chunked = Hartigan().solve(Problem(FactorGram(F), w, k), start)
    assert chunked.labels.tolist() == whole.labels.tolist()
    assert chunked.n_moves == whole.n_moves > 0


@each("solver", [Lloyd(), OnlineLloyd(), Hartigan()])
@each("seed", [0, 1, 2])
def test_solvers_conform(solver, seed):
    F, start, w, k = problem(seed)
    check_solver(solver, FactorGram(F), n_clusters=k, weights=w, seed=seed)
    dense = solver.solve(Problem(DenseGram(F @ F.T), w, k), start)
    factor = solver.solve(Problem(FactorGram(F), w, k), start)
    assert factor.labels.tolist() == dense.labels.tolist()
    assert factor.n_moves == dense.n_moves


def test_float32_features_are_added_in_float64():
    """2^24 + 1 is no float32: a sum in float32 would lose the ones."""
    F = np.ones((70_000, 1), np.float32)
    F[0] = 2.0**24
    sums = FactorGram(F).running_sums(np.zeros(70_000, int), np.ones(70_000), 1)
    assert sums.vectors.tolist() == [[2.0**24 + 69_999]]
    assert sums.everything(np.ones(70_000)) == (2.0**24 + 69_999) ** 2
    assert FactorGram(F).diagonal()[:2].tolist() == [2.0**48, 1.0]


@each("solver", [Hartigan(), Lloyd(), OnlineLloyd()])
def test_features_made_anew_equal_features_held(solver, monkeypatch):
    rng = np.random.default_rng(4)
    X, start = rng.normal(size=(500, 3)), random_start(rng, 500, 4)
    to_features = NystroemMap.of(X[::20], Energy())
    lazy, held = LazyFeatures(RowsInMemory(X), to_features), to_features(X)[0]
    assert lazy.shape == held.shape
    np.testing.assert_allclose(lazy[10:90], held[10:90], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(lazy[np.array([7, 3])], held[[7, 3]], rtol=1e-5, atol=1e-6)
    monkeypatch.setattr("kgroups.gram.low_rank.CHUNK", 128)
    # Rows whose features are made when asked for are searched in groups, whatever their number.
    monkeypatch.setattr("kgroups.solvers.block_search._ONE_BY_ONE", 0)
    made = solver.solve(Problem(FactorGram(lazy), np.ones(500), 4), start)
    kept = solver.solve(Problem(FactorGram(held), np.ones(500), 4), start)
    assert made.labels.tolist() == kept.labels.tolist()
    assert made.objective == pytest.approx(kept.objective, rel=1e-5)


def test_a_diagonal_that_is_given_is_used():
    F = features(np.random.default_rng(5), 20, 3)
    given = np.arange(20.0)
    assert FactorGram(F, given).diagonal() is given
    assert FactorGram(F, given).with_threads(3).diagonal() is given
