"""DISCO: by hand and against the analysis of variance."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from kgroups.semimetrics import (
    Energy,
    Manhattan,
)
from kgroups.stats import (
    disco,
)


@pytest.mark.nojit
def test_disco_by_hand():
    result = disco([0.0, 1.0, 10.0, 12.0], ["a", "a", "b", "b"], random_state=0)
    assert (result.within, result.between, result.total) == (1.5, 9.75, 11.25)
    assert (result.df_between, result.df_within) == (1, 2)
    assert result.statistic == 13.0
    assert result.explained == pytest.approx(9.75 / 11.25)
    assert abs(result.pvalue - 2 / 6) < 0.06


def test_disco_of_squared_distances_is_the_analysis_of_variance():
    rng = np.random.default_rng(17)
    groups = [rng.normal(m, size=n) for m, n in ((0, 8), (0.5, 12), (0, 7))]
    labels = np.repeat([0, 1, 2], [8, 12, 7])
    result = disco(np.concatenate(groups), labels, metric=Energy(2.0), random_state=0)
    expected = scipy_stats.f_oneway(*groups)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert result.pvalue == pytest.approx(expected.pvalue, abs=0.05)


@pytest.mark.nojit
def test_disco_where_only_groups_differ_is_infinite():
    result = disco([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [0, 0, 0, 1, 1, 1], random_state=0)
    assert result.statistic == np.inf
    assert result.explained == 1
    assert abs(result.pvalue - 2 / 20) < 0.04
    # W by differences of sums of distances that are not binary fractions.
    X = np.repeat([[0.1, 0.2], [1.3, 1.7], [0.3, 0.9]], [3, 4, 5], axis=0)
    labels = np.repeat([0, 1, 2], [3, 4, 5])
    for metric in (Energy(0.5), Energy(), Energy(2.0), Manhattan()):
        assert disco(X, labels, metric=metric, n_permutations=9).statistic == np.inf
