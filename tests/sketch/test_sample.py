"""Landmarks and samples of rows: who is drawn, with which chance, and what it stands for."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.input.rows import RowsInMemory
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy, PairFunction
from kgroups.sketch.sample import (
    coreset,
    distances_to,
    drawn_landmarks,
    sample_size,
    uniform_landmarks,
)


def landmarks(X, m, how, seed=0, w=None):
    w = np.ones(len(X)) if w is None else w
    rng = np.random.default_rng(seed)
    return drawn_landmarks(RowsInMemory(X), Energy(), w, m, how, rng, Threads(1))


def test_uniform_landmarks_are_candidates_once_each():
    candidates = np.array([2, 3, 5, 7, 11, 13])
    for m in (1, 4, 6, 50):
        found = uniform_landmarks(candidates, m, np.random.default_rng(m))
        assert found.tolist() == sorted(set(found.tolist()))
        assert set(found.tolist()) <= set(candidates.tolist())
        assert len(found) == min(m, 6)
    drawn = [uniform_landmarks(candidates, 3, np.random.default_rng(s)) for s in range(400)]
    share = np.bincount(np.concatenate(drawn), minlength=14)[candidates] / 400
    assert np.all(np.abs(share - 0.5) < 0.1)


def test_distances_to_some_points():
    X = np.random.default_rng(0).normal(size=(300, 2))
    nearest, far = distances_to(RowsInMemory(X), X[:40], Energy(), Threads(2))
    rho = cdist(X, X[:40])
    np.testing.assert_allclose(nearest, rho.min(axis=1), atol=1e-12)
    np.testing.assert_allclose(far, rho.mean(axis=1) - rho[:40].mean() / 2, rtol=1e-10)
    words = ["a", "b", "ab", "abc"]
    longer = PairFunction(lambda a, b: abs(len(a) - len(b)))
    nearest, _ = distances_to(RowsInMemory(words), ["a"], longer, Threads(1))
    assert nearest.tolist() == [0, 0, 1, 2]


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


def test_uniform_landmarks_have_no_distances_and_distant_ones_those_to_half_of_them():
    X = np.random.default_rng(1).normal(size=(80, 2))
    assert landmarks(X, 10, "uniform").far.tolist() == [1.0] * 80
    found = landmarks(X, 10, "distant")
    # The first half is drawn as 40 candidates of which 5 are taken, by the same generator.
    rng = np.random.default_rng(0)
    first = uniform_landmarks(uniform_landmarks(np.arange(80), 40, rng), 5, rng)
    assert set(first) <= set(found.index)
    rho = cdist(X, X[first])
    np.testing.assert_allclose(found.far, rho.mean(axis=1) - rho[first].mean() / 2, rtol=1e-10)


def test_distant_landmarks_reach_a_small_group_that_uniform_ones_miss():
    """Four of 2,000 rows: one of ten uniform landmarks is among them in one draw of fifty."""
    X = np.random.default_rng(2).normal(size=(2000, 2))
    X[:4] += 1000
    hits = {
        how: sum(bool((landmarks(X, 10, how, seed).index < 4).any()) for seed in range(50))
        for how in ("uniform", "distant")
    }
    assert hits["uniform"] < 10
    assert hits["distant"] == 50


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


def test_objects_are_taken_to_differ():
    words = ["a", "a", "b", "ccc"]
    longer = PairFunction(lambda a, b: abs(len(a) - len(b)))
    found = drawn_landmarks(
        RowsInMemory(words), longer, np.ones(4), 4, "uniform", np.random.default_rng(0), Threads(1)
    )
    assert found.index.tolist() == [0, 1, 2, 3]


@each(
    ("n", "k", "size"),
    [
        (1_500, 3, 1_500),  # fewer than the least
        (10_000, 3, 2_000),  # the least
        (10_000, 30, 3_000),  # 100 a cluster
        (80_000, 3, 10_000),  # an eighth
        (1_000_000, 3, 50_000),  # the most
        (1_000_000, 1_000, 50_000),
        (1_000_000, 4_000, 80_000),  # 20 a cluster, whatever the most is
        (70_000, 4_000, 70_000),
    ],
)
def test_sizes_of_the_sample(n, k, size):
    assert sample_size(n, k) == size


def test_weights_of_a_coreset_by_hand():
    """The chance is ½ w_i / Σ w + ½ w_i d_i / Σ w d, and the weight w_i · draws / (m · chance).

    With weights 1, 1, 2 and distances 0, 3, 0 these are 1/8, 5/8 and 1/4.
    """
    w, far = np.array([1.0, 1.0, 2.0]), np.array([0.0, 3.0, 0.0])
    index, weight = coreset(w, far, 8000, np.random.default_rng(0))
    assert index.tolist() == [0, 1, 2]
    draws = weight * np.array([1 / 8, 5 / 8, 1 / 4]) * 8000 / w
    np.testing.assert_allclose(draws, np.round(draws), atol=1e-9)
    assert draws.sum() == pytest.approx(8000)
    assert np.all(np.abs(draws - [1000, 5000, 2000]) < 4 * np.sqrt([875, 1875, 1500]))


def test_a_coreset_of_points_without_distances_goes_by_weight():
    """All rows are one point: every draw has the weight Σ w / m."""
    w = np.array([1.0, 0.0, 3.0])
    index, weight = coreset(w, np.zeros(3), 400, np.random.default_rng(0))
    assert index.tolist() == [0, 2]
    assert weight.sum() == pytest.approx(4.0)
    np.testing.assert_allclose(weight * 100, np.round(weight * 100), atol=1e-9)
