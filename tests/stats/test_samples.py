"""Samples of every kind, their mean distances, and the analysis of their variance."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from gap_cases import GAP, Gapped, gapped_distances, gapped_problem
from kgroups.stats import (
    between_statistic,
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
