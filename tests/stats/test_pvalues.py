"""P-values: of equal points, of any unit, of many rows; the same for any threads and memory."""

import tracemalloc

import numpy as np
import pytest

from helpers import each
from kgroups import semimetrics as sm
from kgroups.semimetrics import Energy, Manhattan
from kgroups.stats import (
    dip_test,
    disco,
    energy_test,
    permutations,
)
from kgroups.stats.dip_test import dip, dip_pvalue
from kgroups.stats.group_means import GroupMeans


def means_of(rho, weights, labels, k):
    """g(C_a, C_b) by the definition."""
    Z = np.zeros((k, len(rho)))
    Z[labels, np.arange(len(rho))] = weights
    s = Z.sum(axis=1)
    return Z @ rho @ Z.T / np.outer(s, s)


def seen_labels(labels, n_permutations, seed):
    """All labelings of a test with that seed, in the order of the groups."""
    sizes = np.bincount(labels)
    order = np.argsort(sizes, kind="stable")
    place = np.argsort(order)
    permuted = permutations.Permuted(place[labels], sizes[order], seed)
    pieces = [
        permuted.rows(a, min(a + 32, n_permutations + 1)) for a in range(0, n_permutations + 1, 32)
    ]
    return order[np.concatenate(pieces)]


@each("metric", [sm.Energy(), sm.Energy(0.5), sm.Energy(2.0), sm.Manhattan()], ids=repr)
def test_equal_statistics_count_whatever_rounding_says(metric):
    """Samples that change places have the same T; of 35 divisions each is met often."""
    labels = np.repeat([0, 1], 4)
    for number in range(6):
        X = np.random.default_rng(number).normal(size=(8, 3))
        result = energy_test(
            X, labels=labels, metric=metric, n_permutations=299,
            random_state=np.random.RandomState(number),
        )  # fmt: skip
        seed = int(np.random.RandomState(number).randint(2**31 - 1))
        rho = metric.pairwise(X)
        T = np.array(
            [
                2 * GroupMeans.of_pairs(means_of(rho, np.ones(8), permuted, 2)).energy[0, 1]
                for permuted in seen_labels(labels, 299, seed)
            ]
        )
        assert T[0] == pytest.approx(result.statistic, rel=1e-12)
        assert result.pvalue == np.mean(T[0] - 1e-9 <= T)


def test_p_depends_on_the_seed_alone(monkeypatch):
    rng = np.random.default_rng(14)
    X, labels = rng.normal(size=(700, 3)), rng.integers(3, size=700)
    for metric in (sm.Energy(), sm.Manhattan()):
        options = {"labels": labels, "metric": metric, "n_permutations": 200}
        one = energy_test(X, random_state=3, n_jobs=1, **options)
        two = energy_test(X, random_state=3, n_jobs=2, **options)
        with monkeypatch.context() as patch:
            patch.setattr(permutations, "_WORTH_A_THREAD", 1)
            patch.setattr(permutations, "_BATCH_COLUMNS", 100)
            small = energy_test(X, random_state=3, n_jobs=2, **options)
        np.testing.assert_array_equal(one.permuted, two.permuted)
        assert one.statistic == two.statistic == small.statistic
        np.testing.assert_allclose(small.permuted, one.permuted, rtol=1e-12)
        assert one.pvalue == two.pvalue == small.pvalue
        other = energy_test(X, random_state=4, **options)
        assert not np.allclose(other.permuted, one.permuted)
    few = energy_test(X, labels=labels, n_permutations=50, random_state=3)
    many = energy_test(X, labels=labels, n_permutations=70, random_state=3)
    np.testing.assert_allclose(many.permuted[:50], few.permuted, rtol=1e-12)


LINE = np.random.default_rng(0).normal(size=30)
HALVES = np.repeat([0, 1], 15)


@each("metric", ["energy", "manhattan"])
@each("unit", [1e300, 1e306])
def test_p_values_of_large_data_on_a_line(metric, unit):
    """A unit of length moves no p-value as long as sums of distances are finite."""
    plain, large = (
        energy_test(X, labels=HALVES, metric=metric, n_permutations=99, random_state=0)
        for X in (LINE, LINE * unit)
    )
    assert large.pvalue == plain.pvalue
    assert large.statistic / unit == pytest.approx(plain.statistic, rel=1e-12)
    one, other = (
        disco(X, HALVES, metric=metric, n_permutations=99, random_state=0)
        for X in (LINE, LINE * unit)
    )
    assert other.pvalue == one.pvalue
    assert other.statistic == pytest.approx(one.statistic, rel=1e-12)


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


@pytest.mark.nojit
@each("unit", [1e-310, 1e300, 1.6e308])
def test_units_at_the_end_of_the_range(unit):
    x = np.concatenate([np.linspace(-1, -0.9, 20), np.linspace(0.9, 1, 20)])
    assert dip(unit * x) == pytest.approx(dip(x), rel=1e-9)


@each("n", [105, 808, 1_300])
def test_p_values_between_two_sizes_are_those_of_the_size_itself(n):
    """The worst places: simulations of the size itself reject as often, up to their error."""
    rng = np.random.default_rng(n)
    own = np.cumsum(rng.standard_exponential((6_000, n)), axis=1)
    p = np.array([dip_pvalue(row) for row in own])
    for level in (0.025, 0.05, 0.5):
        error = np.sqrt(level * (1 - level) * (1 / 6_000 + 1 / 1_999))
        assert abs((p <= level).mean() - level) < 3.3 * error


def test_gaussians_are_rejected_less_often_and_two_modes_always():
    rng = np.random.default_rng(1)
    lump = [dip_test(rng.normal(size=100)).pvalue for _ in range(100)]
    pair = [dip_test(rng.normal(size=100) + 5 * (np.arange(100) % 2)).pvalue for _ in range(20)]
    assert min(lump) > 0.05
    assert max(pair) <= 0.01
