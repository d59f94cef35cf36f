"""G = F Fᵀ that is never formed: chunks, sums in float64, features that are made anew."""

import numpy as np
import pytest

from helpers import each, random_start
from kgroups.gram import FactorGram
from kgroups.gram.nystroem import NystroemMap
from kgroups.input.rows import RowsInMemory
from kgroups.semimetrics import Energy
from kgroups.sketch.sketcher import LazyFeatures
from kgroups.solvers import Hartigan, Lloyd, OnlineLloyd, Problem


def features(rng, n, rank):
    return rng.normal(size=(n, rank)) * 0.8 ** np.arange(rank)


def problem(seed):
    rng = np.random.default_rng(seed)
    n, k, rank = int(rng.integers(5, 400)), int(rng.integers(2, 7)), int(rng.integers(1, 12))
    k = min(k, n - 1)
    w = rng.uniform(0.1, 3, n) * (rng.random(n) < 0.9) if seed % 2 else np.ones(n)
    w[0] = 1.0
    return features(rng, n, rank), random_start(rng, n, k), w, k


def test_chunks_change_no_move(monkeypatch):
    F, start, w, k = problem(3)
    whole = Hartigan().solve(Problem(FactorGram(F), w, k), start)
    monkeypatch.setattr("kgroups.gram.low_rank.CHUNK", 7)
    chunked = Hartigan().solve(Problem(FactorGram(F), w, k), start)
    assert chunked.labels.tolist() == whole.labels.tolist()
    assert chunked.n_moves == whole.n_moves > 0


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
