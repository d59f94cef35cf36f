"""Landmarks and samples of rows: who is drawn, with which chance, and what it stands for."""

import numpy as np
import pytest

from helpers import each
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.sketch.sample import coreset, drawn_landmarks


def landmarks(X, m, how, seed=0, w=None):
    w = np.ones(len(X)) if w is None else w
    rng = np.random.default_rng(seed)
    return drawn_landmarks(RowsInMemory(X), Energy(), w, m, how, rng, Threads(1))


def test_a_coreset_stands_for_all():
    """Weighted sums over it are without bias, and a far point is nearly always in it."""
    rng = np.random.default_rng(1)
    w, far = rng.uniform(0.5, 2, 5000), rng.uniform(0, 1, 5000)
    w[:10] = 0
    far[77] = 500.0
    value = rng.normal(size=5000)
    sums, seen = [], 0
    for _ in range(200):
        index, weight = coreset(w, far, 300, rng)
        assert len(np.unique(index)) == len(index) <= 300
        assert index.min() >= 10
        sums.append([weight.sum(), weight @ value[index]])
        seen += 77 in index
    error = np.std(sums, axis=0) / np.sqrt(200)
    assert np.all(np.abs(np.mean(sums, axis=0) - [w.sum(), w @ value]) < 4 * error)
    assert error[1] > 0
    assert seen > 195


@each("how", ["uniform", "distant"])
def test_landmarks_differ_and_have_weight(how):
    """Rows 0 to 29 are ten places, three times each; the first six of the others have no weight."""
    rng = np.random.default_rng(0)
    X = np.r_[np.repeat(np.arange(10.0), 3), rng.uniform(20, 30, 30)][:, None]
    w = np.ones(60)
    w[30:36] = 0
    for m in (5, 20, 60):
        found = landmarks(X, m, how, w=w).index
        assert len(np.unique(X[found])) == len(found) <= m
        assert w[found].all()
        assert found.tolist() == sorted(found)
    assert len(landmarks(X, 60, how, w=w).index) == 34


def test_weight_counts_where_distance_does():
    """Of two groups equally far away, the one a thousand times as heavy is drawn."""
    X = np.r_[np.zeros(100), np.full(5, 1e3), np.full(5, -1e3)][:, None]
    X += 1e-3 * np.random.default_rng(3).normal(size=X.shape)
    w = np.ones(110)
    w[100:105] = 1000.0
    w[105:] = 1e-3
    heavy = light = 0
    for seed in range(20):
        found = landmarks(X, 2, "distant", seed, w).index
        if found[0] >= 100:  # the first, which is uniform, is of one of the groups already
            continue
        heavy += 100 <= found[-1] < 105
        light += found[-1] >= 105
    assert heavy > 10
    assert light == 0


def test_a_coreset_of_points_without_distances_goes_by_weight():
    """All rows are one point: every draw has the weight Σ w / m."""
    w = np.array([1.0, 0.0, 3.0])
    index, weight = coreset(w, np.zeros(3), 400, np.random.default_rng(0))
    assert index.tolist() == [0, 2]
    assert weight.sum() == pytest.approx(4.0)
    np.testing.assert_allclose(weight * 100, np.round(weight * 100), atol=1e-9)
