"""What is drawn under the hypothesis of equal distributions, and the limits of the statistics."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

import oracle
from helpers import each
from kgroups import semimetrics, stats

METRICS = [
    ("energy", "energy", 2),
    ("energy", "energy", 1),
    ("manhattan", "manhattan", 2),
    ("gaussian", "gaussian", 2),
    (semimetrics.Energy(2), "sqeuclidean", 2),
    ("hamming", "hamming", 2),
    ("chebyshev", "chebyshev", 2),
]


@each("metric, definition, d", METRICS)
def test_each_permuted_statistic_is_that_of_some_permutation(metric, definition, d):
    X = np.random.default_rng(3).integers(0, 5, (6, d)).astype(float)
    labels = np.array([2, 0, 1, 1, 2, 2])
    rho = oracle.distances(definition, X)
    every = np.array(
        [float(oracle.test_statistic(rho, labels[list(p)], 3)) for p in permutations(range(6))]
    )
    settings = {"metric": metric, "n_permutations": 199, "random_state": 0}
    found = stats.energy_test(X, labels=labels, **settings)
    assert max(np.abs(every - value).min() for value in found.permuted) <= 1e-12 * every.max()
    # All of the 60 different assignments are drawn about equally often.
    assert found.permuted.mean() == pytest.approx(every.mean(), abs=4 * every.std() / 199**0.5)
    S = np.array([float(oracle.between(rho, labels[list(p)], np.ones(6), 3)) for p in
                  permutations(range(6))])  # fmt: skip
    total = float(oracle.within_dispersion(rho, np.zeros(6, int), np.ones(6), 1))
    F = (S / 2) / np.where(total - S > 1e-12, (total - S) / 3, np.nan)
    again = stats.disco(X, labels, **settings)
    finite = again.permuted[np.isfinite(again.permuted)]
    assert max(np.nanmin(np.abs(F - value)) for value in finite) <= 1e-9 * np.nanmax(F)
    # With S every assignment that is as large counts, with the one that was given.
    least = float(oracle.between(rho, labels, np.ones(6), 3)) - 1e-9
    draws = (least <= S).mean()
    assert again.pvalue == pytest.approx((1 + 199 * draws) / 200, abs=4 * 0.5 / 199**0.5)


def test_the_seed_decides_what_is_drawn():
    X = np.random.default_rng(0).normal(size=(12, 2))
    labels = np.arange(12) % 2

    def drawn(seed):
        return stats.energy_test(X, labels=labels, n_permutations=70, random_state=seed).permuted

    assert (drawn(5) == drawn(5)).all()
    assert not (drawn(5) == drawn(6)).all()
    assert not (drawn(5)[:32] == drawn(5)[32:64]).all()


def test_groups_without_spread_are_infinitely_far_apart():
    apart = stats.disco([0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1], random_state=0)
    assert (apart.statistic, apart.within, apart.between) == (np.inf, 0.0, 1.0)
    equal = stats.disco([3.0, 3.0, 3.0, 3.0], [0, 0, 1, 1], random_state=0)
    assert (equal.statistic, equal.pvalue) == (0.0, 1.0)


def test_a_sample_of_one_point_with_weight_has_no_unbiased_distance():
    with pytest.raises(ValueError, match=r"\bX\b"):
        stats.energy_distance([0.0, 1.0], [0.0, 2.0], unbiased=True, sample_weight_X=[1.0, 1e-13])


@each("metric", ["energy", "gaussian", "manhattan"])
def test_a_small_distance_between_samples_is_not_rounded_away(metric):
    X = np.random.default_rng(0).integers(0, 9, (40, 2)).astype(float)
    Y = X + 1e-3
    parts = [oracle.distances(metric, a, b) for a, b in ((X, Y), (X, X), (Y, Y))]
    ones = oracle.long(np.ones(40))
    expected = float(oracle.energy_distance(*parts, ones, ones, unbiased=False))
    assert 0 < expected < 1e-3 * float(parts[1].mean())
    assert stats.energy_distance(X, Y, metric=metric) == pytest.approx(expected, rel=1e-6)


def test_a_kernel_matrix_has_the_statistics_of_its_distances():
    rng = np.random.default_rng(4)
    X, labels = rng.normal(size=(9, 2)), np.array([0, 1, 2, 0, 1, 2, 0, 0, 1])
    w = rng.uniform(0.1, 2, 9)
    K = X @ X.T + np.diag(rng.uniform(0, 2, 9))
    rho = np.diag(K)[:, None] + np.diag(K) - 2 * K
    kernel = {"metric": "precomputed_kernel"}
    W = stats.within_dispersion(K, labels, sample_weight=w, **kernel)
    S = stats.between_statistic(K, labels, sample_weight=w, **kernel)
    assert pytest.approx(W, rel=1e-12) == float(oracle.within_dispersion(rho, labels, w, 3))
    assert pytest.approx(S, rel=1e-12) == float(oracle.between(rho, labels, w, 3))
    of_sparse = stats.within_dispersion(csr_array(K), labels, sample_weight=w, **kernel)
    assert of_sparse == pytest.approx(W, rel=1e-12)
    settings = {"labels": labels, "n_permutations": 40, "random_state": 0}
    of_kernel = stats.energy_test(K, **kernel, **settings)
    of_distances = stats.energy_test(rho, metric="precomputed", **settings)
    assert of_kernel.permuted == pytest.approx(of_distances.permuted, rel=1e-10)
    assert of_kernel.pvalue == of_distances.pvalue


@each("n", [5, 30, 101, 400, 9_000])
def test_a_dip_beyond_chance_is_as_rare_as_its_p_value(n):
    rng = np.random.default_rng(n)
    pvalues = np.array([stats.dip_test(rng.uniform(size=n)).pvalue for _ in range(200)])
    # Shares of uniform samples below a level, within four standard errors of it.
    for level in (0.1, 0.3, 0.6):
        share = (pvalues <= level).mean()
        assert abs(share - level) <= 4 * (level * (1 - level) / 200) ** 0.5 + 0.01


def nearest_unimodal(x, m):
    """How far x is from distribution functions that are convex up to x[m] and concave beyond.

    A linear program for their values at the points, with a left and a right limit at the mode, and
    for the distance d, which is the last unknown.
    """
    n = len(x)
    at, limits = np.r_[x[: m + 1], x[m:]], np.eye(n + 2)
    d = limits[-1]
    rows, most = [], []
    for unknown, point in enumerate([*range(m + 1), *range(m, n)]):
        steps = {point / n, (point + 1) / n}
        if point == m:  # the limit on this side of the jump
            steps = {(point + (unknown > m)) / n}
        for step in steps:
            rows += [limits[unknown] - d, -limits[unknown] - d]
            most += [step, -step]
    rows += [limits[i] - limits[i + 1] for i in range(n)]  # never falling
    slopes = [
        (limits[i + 1] - limits[i]) / (at[i + 1] - at[i]) if i != m else None for i in range(n)
    ]
    rows += [slopes[i] - slopes[i + 1] for i in range(m - 1)]
    rows += [slopes[i + 1] - slopes[i] for i in range(m + 1, n - 1)]
    most += [0.0] * (len(rows) - len(most))
    return linprog(d, np.array(rows), most, bounds=(0, 1)).fun


@each("seed", range(12))
def test_a_dip_is_the_distance_from_the_nearest_unimodal_distribution(seed):
    rng = np.random.default_rng(seed)
    x = np.sort(np.r_[rng.normal(size=5), rng.normal(3, 0.5, 4 + seed % 3), rng.uniform(0, 9, 2)])
    least = min(nearest_unimodal(x, m) for m in range(len(x)))
    assert stats.dip_test(x).statistic == pytest.approx(least, abs=1e-8)
