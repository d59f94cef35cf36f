"""The energy test keeps its level, and finds what it should find."""

import numpy as np
import pytest
from scipy.stats import binomtest

from kgroups.semimetrics import Energy, Gaussian, Manhattan
from kgroups.stats import disco, energy_test

LEVEL = 0.05


def normal(rng, n):
    return rng.normal(size=(n, 3))


def heavy(rng, n):
    return rng.standard_t(2, size=(n, 3))


def tied(rng, n):
    return rng.poisson(1.0, size=(n, 2)).astype(float)


def on_a_line(rng, n):
    return rng.exponential(size=(n, 1))


def by_energy_test(X, labels, metric, seed):
    return energy_test(X, labels=labels, metric=metric, n_permutations=199, random_state=seed)


def by_disco(X, labels, metric, seed):
    return disco(X, labels, metric=metric, n_permutations=199, random_state=seed)


def rejections(test, draw, metric, sizes, n_data_sets):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    results = (test(draw(rng, len(labels)), labels, metric, seed) for seed in range(n_data_sets))
    return sum(result.pvalue <= LEVEL for result in results)


CASES = [
    (by_energy_test, normal, Energy(), (30, 40)),
    (by_energy_test, heavy, Energy(0.5), (10, 50)),
    (by_energy_test, tied, Manhattan(), (30, 40)),
    (by_energy_test, on_a_line, Energy(), (20, 20, 30)),
    (by_disco, heavy, Energy(), (15, 25, 30)),
    (by_disco, normal, Gaussian("median"), (30, 40)),
]


@pytest.mark.parametrize(
    ("test", "draw", "metric", "sizes"),
    CASES,
    ids=lambda value: getattr(value, "__name__", repr(value)),
)
def test_level(test, draw, metric, sizes):
    """With 199 permutations p ≤ .05 has probability .05 exactly, and less only where ties are."""
    n_reject = rejections(test, draw, metric, sizes, 200)
    assert binomtest(n_reject, 200, LEVEL).pvalue > 1e-3


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
