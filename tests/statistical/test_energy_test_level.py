"""The energy test keeps its level, and finds what it should find."""

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmarks.checks.energy_test_level import CASES, LEVEL
from kgroups.semimetrics import Energy
from kgroups.stats import energy_test


def rejections(case, n_data_sets):
    rng = np.random.default_rng(0)
    return sum(case.pvalue(rng, seed) <= LEVEL for seed in range(n_data_sets))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_level(case):
    """With 199 permutations p ≤ .05 has probability .05 exactly, and less only where ties are."""
    assert binomtest(rejections(case, 200), 200, LEVEL).pvalue > 1e-3


def test_differences_of_every_kind_are_found():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    others = {
        "place": rng.normal(size=(120, 2)) + 0.8,
        "spread": rng.normal(size=(120, 2)) * 2,
        "dependence": rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=120),
    }
    for Y in others.values():
        assert energy_test(X, Y, n_permutations=199, random_state=0).pvalue <= 0.01


def test_squared_distances_see_means_alone():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(200, 1)), 3 * rng.normal(size=(200, 1))
    X, Y = X - X.mean(), Y - Y.mean()
    assert energy_test(X, Y, metric=Energy(2.0), random_state=0).pvalue > 0.9
    assert energy_test(X, Y, metric=Energy(1.0), random_state=0).pvalue == 0.001
