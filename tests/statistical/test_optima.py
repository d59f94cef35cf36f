"""How often the default finds the best there is, and where another metric is better."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from helpers import best_objective
from kgroups import KernelKGroups
from kgroups.gram import DenseGram
from kgroups.semimetrics import Energy, GreatCircle, Manhattan
from kgroups.solvers import Hartigan, Lloyd, Problem


def small_problem(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 11))
    k = int(rng.integers(2, n))
    X = rng.normal(size=(n, int(rng.integers(1, 4))))
    w = rng.uniform(0.1, 3, n) if seed % 2 else np.ones(n)
    return X, w, k, Energy(float(rng.uniform(0.2, 2)))


def test_default_portfolio_equals_the_exhaustive_optimum():
    """At least 95 % of 200 random problems of up to ten points, half of them weighted."""
    found = 0
    for seed in range(200):
        X, w, k, metric = small_problem(seed)
        model = KernelKGroups(k, metric=metric, random_state=seed).fit(X, sample_weight=w)
        least = -best_objective(-0.5 * metric.pairwise(X), w, k)
        assert model.within_dispersion_ >= least * (1 - 1e-12)
        found += model.within_dispersion_ <= least * (1 + 1e-10)
    assert found >= 190


@pytest.mark.parametrize("k", [5, 20])
def test_hartigan_beats_lloyd_from_the_same_starts(k):
    """In 50 dimensions: never worse on average, and strictly better most of the time."""
    wins, losses = 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 50))
        gram, w = DenseGram.from_points(X, Energy()), np.ones(150)
        start = rng.integers(k, size=150)
        a, b = (
            Hartigan().solve(Problem(gram, w, k), start),
            Lloyd().solve(Problem(gram, w, k), start),
        )
        wins += a.objective > b.objective * (1 - 1e-10)
        losses += a.objective < b.objective * (1 + 1e-10)
    assert wins >= 18
    assert losses <= 2


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_metric_wins_on_other_draws_too(seed):
    """Two of the shapes of the picture, drawn anew."""
    rng, groups = np.random.default_rng(seed), np.repeat([0, 1], 40)
    X = groups[:, None] + rng.normal(0, 0.4, (80, 20))
    for row in X:
        row[rng.integers(20, size=2)] += rng.choice([-9.0, 9.0], size=2)
    places = np.array([[-17.0, 179.0], [-10.0, 150.0]])[groups] + rng.normal(0, 5, (80, 2))
    places[:, 1] = (places[:, 1] + 180) % 360 - 180
    for rows, metric in ((X, Manhattan()), (places, GreatCircle())):
        found = [KernelKGroups(2, metric=m, random_state=0).fit(rows) for m in (metric, "energy")]
        best, other = (adjusted_rand_score(groups, model.labels_) for model in found)
        assert best > 0.85 > 0.5 > other
