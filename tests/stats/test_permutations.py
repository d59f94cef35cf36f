"""Permutations: each recomputed by the definition, and dependent on the seed alone."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each
from kgroups import semimetrics as sm
from kgroups.stats import (
    between_statistic,
    disco,
    energy_test,
    permutations,
    within_dispersion,
)
from kgroups.stats.group_means import GroupMeans
from kgroups.stats.mean_distances import pairs_of
from kgroups.stats.samples import read
from stats_cases import METRICS, means_of, points, seen_labels


@pytest.mark.nojit
@each("metric", METRICS, ids=repr)
@each("columns", [64, 20])  # of 32 permutations, and of 8
def test_every_permutation_is_recomputed_by_the_definition(metric, columns, monkeypatch):
    rng = np.random.default_rng(11)
    X = points(rng, 14)
    labels = np.repeat([0, 1, 2], [5, 7, 2])
    monkeypatch.setattr(permutations, "_ROWS", 5)
    monkeypatch.setattr(permutations, "_COLUMNS", 6)
    monkeypatch.setattr(permutations, "_BATCH_COLUMNS", columns)  # several batches
    space, data = read(X, metric)
    _, found = permutations.permuted_statistics(
        pairs_of(space, data, 1), labels, 3, 40, 5, 2,
        lambda means: np.concatenate([means.within[:, None], means.energy], axis=1),
    )  # fmt: skip
    rho = metric.pairwise(X)
    for number, permuted in enumerate(seen_labels(labels, 40, 5)):
        assert np.bincount(permuted).tolist() == [5, 7, 2]
        expected = GroupMeans.of_pairs(means_of(rho, np.ones(14), permuted, 3))
        np.testing.assert_allclose(found[number, 0], expected.within, atol=1e-13)
        np.testing.assert_allclose(found[number, 1:], expected.energy, atol=1e-13)


@pytest.mark.nojit
def test_dispersions_of_permuted_matrices():
    """W, unlike 𝓔, needs ρ itself and not a kernel that generates it."""
    rng = np.random.default_rng(28)
    X, labels = rng.normal(size=(40, 2)), rng.integers(3, size=40)
    options = {"n_permutations": 20, "random_state": 1}
    expected = disco(X, labels, **options)
    K = sm.kernel_from_semimetric(sm.Energy().pairwise(X), origin=0)
    for matrix in (K, csr_array(K)):
        found = disco(matrix, labels, metric="precomputed_kernel", **options)
        np.testing.assert_allclose(found.permuted, expected.permuted, rtol=1e-10)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-11)


@each("k", [256, 257, 300])
def test_many_groups_have_labels_of_their_own(k):
    rng = np.random.default_rng(k)
    X, labels = rng.normal(size=(2 * k, 2)), np.arange(2 * k) % k
    result = disco(X, labels, n_permutations=3, random_state=np.random.RandomState(0))
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    for number, permuted in enumerate(seen_labels(labels, 3, seed)[1:]):
        W, S = within_dispersion(X, permuted), between_statistic(X, permuted)
        assert result.permuted[number] == pytest.approx(S / (k - 1) / (W / k), rel=1e-10)


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


# --- near the end of float64 -------------------------------------------------------------------

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
