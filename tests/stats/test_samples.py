"""Samples of every kind, their mean distances, and the analysis of their variance."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats as scipy_stats

from gap_cases import GAP, Gapped, gapped_distances, gapped_problem
from kgroups.semimetrics import (
    Energy,
    Gaussian,
)
from kgroups.stats import (
    between_statistic,
    disco,
    energy_distance,
    energy_test,
    within_dispersion,
)
from kgroups.stats.group_means import GroupMeans
from kgroups.stats.mean_distances import group_means, pairs_of
from kgroups.stats.samples import read
from stats_cases import MIXED, brute_energy, means_of, points


@pytest.mark.nojit
def test_samples_of_every_kind():
    X, Y = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[5.0, 1.0]])
    expected = energy_distance(X, Y)
    assert energy_distance(X.tolist(), Y.tolist()) == expected
    assert energy_distance(X.astype(int), Y.astype(np.float32)) == expected
    for frame in (pd.DataFrame, pl.DataFrame):
        a, b = ({"p": Z[:, 0], "q": Z[:, 1]} for Z in (X, Y))
        assert energy_distance(frame(a), frame(b)) == expected
    assert energy_distance(pd.Series([0.0, 2.0]), pl.Series([5.0])) == 7


@pytest.mark.nojit
def test_parameters_and_categories_are_those_of_all_points():
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(20, 2)), rng.normal(3, size=(30, 2))
    sigma = Gaussian("median").resolve(np.concatenate([X, Y])).sigma
    together = energy_distance(X, Y, metric=Gaussian(sigma))
    assert energy_distance(X, Y, metric=Gaussian("median")) == together
    # b is code 1 in the first sample and would be code 0 in the second.
    x, y = pd.DataFrame({"c": ["a", "b", "b"]}), pd.DataFrame({"c": ["b", "c"]})
    rho = np.array([[a != b for b in "abbbc"] for a in "abbbc"], float)
    expected = brute_energy(rho, 3, np.ones(3), np.ones(2))
    assert energy_distance(x, y, metric="hamming") == pytest.approx(expected, rel=1e-12)
    assert energy_distance(["a", "b", "b"], ["b", "c"], metric="hamming") == pytest.approx(expected)


@pytest.mark.nojit
def test_objects_and_a_function():
    def edits(a, b):
        return abs(len(a) - len(b))

    x, y = ["a", "bbb"], ["cc", "dddd", "e"]
    rho = np.array([[edits(a, b) for b in x + y] for a in x + y], float)
    expected = brute_energy(rho, 2, np.ones(2), np.ones(3))
    assert energy_distance(x, y, metric=edits) == pytest.approx(expected, rel=1e-12)
    result = energy_test(x, y, metric=edits, n_permutations=20, random_state=0)
    assert result.energy[0, 1] == pytest.approx(expected * 6 / 5, rel=1e-12)
    assert energy_distance([1, 2], [4], metric=lambda a, b: abs(a - b)) == 2 * 2.5 - 0.5


def test_group_means_add_up_over_parts_of_the_semimetric():
    rng = np.random.default_rng(19)
    X, labels, w = points(rng, 30), rng.integers(3, size=30), np.ones(30)
    space, data = read(X, MIXED)
    pairs = pairs_of(space, data, 1)
    assert (len(pairs.lines), len(pairs.squares), pairs.gram is None) == (1, 1, False)
    found = group_means(pairs, labels, w, 3)
    expected = GroupMeans.of_pairs(means_of(MIXED.pairwise(X), w, labels, 3))
    np.testing.assert_allclose(found.energy, expected.energy, atol=1e-13)


@pytest.mark.parametrize("columns_from", [0, 10**6])
def test_dispersion_with_gaps_is_that_of_the_definition(columns_from, monkeypatch):
    monkeypatch.setattr("kgroups.stats.mean_distances._COLUMNS_FROM", columns_from)
    for seed in (2, 3, 8):
        X, known, n_lines, w, _, _ = gapped_problem(seed)
        labels = np.random.default_rng(seed).integers(3, size=len(X))
        table, metric = np.where(np.isnan(X), GAP, X), Gapped(known.tolist(), n_lines)
        assert (pairs_of(*read(table, metric), 1).columns is None) == (columns_from > 0)
        how = {"metric": metric, "sample_weight": w}
        within = within_dispersion(table, labels, **how)
        apart = between_statistic(table, labels, **how)
        rho = gapped_distances(X, known, n_lines)
        by_hand = [
            w[labels == c]
            @ rho[np.ix_(labels == c, labels == c)]
            @ w[labels == c]
            / (2 * w[labels == c].sum())
            for c in range(3)
        ]
        assert within == pytest.approx(sum(by_hand), rel=1e-9)
        assert apart + within == pytest.approx(w @ rho @ w / (2 * w.sum()), rel=1e-9)


def test_disco_of_squared_distances_is_the_analysis_of_variance():
    rng = np.random.default_rng(17)
    groups = [rng.normal(m, size=n) for m, n in ((0, 8), (0.5, 12), (0, 7))]
    labels = np.repeat([0, 1, 2], [8, 12, 7])
    result = disco(np.concatenate(groups), labels, metric=Energy(2.0), random_state=0)
    expected = scipy_stats.f_oneway(*groups)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert result.pvalue == pytest.approx(expected.pvalue, abs=0.05)
