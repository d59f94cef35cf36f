"""The energy test: equal points, units, random states, and its memory."""

import tracemalloc

import numpy as np
import pytest

from helpers import each
from kgroups.semimetrics import (
    Energy,
    Manhattan,
)
from kgroups.stats import (
    disco,
    energy_test,
)


@pytest.mark.nojit
@each("metric", [Energy(), Energy(0.5), Energy(2.0), Manhattan()], ids=repr)
def test_equal_points_give_p_one(metric):
    X = np.full((12, 2), 0.1)
    labels = [0, 1, 2] * 4
    result = energy_test(X, labels=labels, metric=metric, n_permutations=99)
    assert (result.statistic, result.pvalue, result.coefficient) == (0, 1, 0)
    variance = disco(X, labels, metric=metric, n_permutations=99)
    assert (variance.statistic, variance.pvalue, variance.explained) == (0, 1, 0)
    assert np.isfinite(variance.permuted).all()


@pytest.mark.parametrize("d", [1, 3])
def test_samples_with_the_same_points_give_p_one(d):
    """T is its least possible value, 0, so every permutation reaches it."""
    X = np.random.default_rng(16).normal(size=(20, d)) * 1e3
    assert energy_test(X, X.copy(), n_permutations=199, random_state=0).pvalue == 1
    assert disco(np.r_[X, X], [0] * 20 + [1] * 20, n_permutations=199).pvalue == 1


@pytest.mark.nojit
@each("unit", [1e-150, 1e150])
@each("metric", [Energy(), Energy(0.5), Energy(2.0), Manhattan()], ids=repr)
def test_units_change_no_p(metric, unit):
    rng = np.random.default_rng(21)
    X, Y = rng.normal(size=(12, 2)), rng.normal(size=(15, 2))
    options = {"metric": metric, "n_permutations": 49, "random_state": 0}
    plain, scaled = energy_test(X, Y, **options), energy_test(unit * X, unit * Y, **options)
    assert scaled.pvalue == plain.pvalue
    assert scaled.coefficient == pytest.approx(plain.coefficient, rel=1e-11)


@pytest.mark.nojit
def test_what_a_random_state_may_be():
    X, Y = np.arange(9.0), np.arange(5.0) + 0.5
    for make in (lambda: 7, lambda: np.random.RandomState(7), lambda: np.random.default_rng(7)):
        one, two = (energy_test(X, Y, n_permutations=40, random_state=make()) for _ in range(2))
        np.testing.assert_array_equal(one.permuted, two.permuted)
    rng = np.random.default_rng(7)
    one, two = (energy_test(X, Y, n_permutations=40, random_state=rng) for _ in range(2))
    assert (one.permuted != two.permuted).any()


def test_many_groups_take_no_more_memory_than_few():
    """All means at once would take 1000 · 150² numbers, 180 MB, a few times over."""
    rng = np.random.default_rng(22)
    X, labels = rng.normal(size=(300, 1)), np.arange(300) % 150
    disco(X, labels, n_permutations=1)
    tracemalloc.start()
    disco(X, labels, n_permutations=999, n_jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6


def test_a_thread_takes_no_more_than_its_share():
    """Indicators of 4,096 permutations take 42 MB, sums and products of a thread 34 MB."""
    X = np.random.default_rng(29).normal(size=(1100, 3))
    labels = np.arange(1100) % 2
    energy_test(X, labels=labels, n_permutations=1)
    tracemalloc.start()
    energy_test(X, labels=labels, n_permutations=9_999, n_jobs=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
