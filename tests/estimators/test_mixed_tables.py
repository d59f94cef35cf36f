"""Estimators, statistics, bounds and choices on tables of several types with gaps."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import get_tags

import oracle
from helpers import each
from kgroups import EnergyAgglomerative, KernelKGroups, KernelKMeans
from kgroups.select import feature_contributions
from kgroups.semimetrics import ColumnSum, Hamming, Manhattan, Mixed
from kgroups.stats import energy_distance, energy_test


def customers(n=150, seed=0, share=0.1):
    """Three groups that differ in every column, and the group of each row."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    noisy = np.where(rng.random(n) < 0.04, rng.integers(0, 3, n), group)
    table = pd.DataFrame(
        {
            "income": np.exp(group + 0.15 * rng.normal(size=n)),
            "town": np.array(["Ulm", "Bonn", "Kiel"])[noisy],
            "size": pd.Categorical(np.array(["S", "M", "L"])[noisy], ["S", "M", "L"], ordered=True),
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(300 * group + rng.integers(0, 100, n), "D"),
            "member": pd.array(rng.random(n) < np.array([0.02, 0.98, 0.98])[group], "boolean"),
        }
    )
    return table.mask(rng.random(table.shape) < share), group


X, GROUP = customers()


def fit(table=X, **how):
    return KernelKGroups(3, **{"metric": "mixed", "random_state": 0} | how).fit(table)


def test_pairs_with_a_table_that_has_other_categories():
    """By hand: a mean distance of 2 in numbers and of 1/2 in towns."""
    rows = [[0.0, "Ulm"], [4.0, "Bonn"]]
    assert Mixed().pairwise(rows).tolist() == [[0.0, 4.0], [4.0, 0.0]]
    assert Mixed().pairwise(rows, [[4.0, "Bonn"], [2.0, "Ulm"]]).tolist() == [
        [4.0, 1.0],
        [0.0, 3.0],
    ]
    with pytest.warns(UserWarning, match="'Kiel' in column 1"):
        assert Mixed().pairwise(rows, [[0.0, "Kiel"]]).tolist() == [[2.0], [4.0]]
    settled = Mixed().resolve([[0.0, 0.0], [8.0, 1.0]])
    assert settled.pairwise(pd.DataFrame([[0.0, 0.0], [4.0, 0.0]])).tolist() == [[0, 1], [1, 0]]


def test_tags_say_where_gaps_are_taken():
    taking = ["mixed", Mixed(), Manhattan("distribution"), Hamming("category")]
    refusing = ["energy", Mixed(missing="error"), "precomputed", "no such name", None, len]
    for metrics, expected in ((taking, True), (refusing, False)):
        for metric in metrics:
            assert get_tags(KernelKGroups(metric=metric)).input_tags.allow_nan is expected
    assert get_tags(EnergyAgglomerative(metric="mixed")).input_tags.allow_nan
    assert get_tags(KernelKMeans(metric="mixed")).input_tags.allow_nan
    some = ColumnSum([(Manhattan("distribution"), [0])])
    assert get_tags(KernelKGroups(metric=some)).input_tags.allow_nan


def test_statistics():
    first, second = X[GROUP == 0], X[GROUP == 1]
    rho, n = Mixed().pairwise(pd.concat([first, second], ignore_index=True)), len(first)
    a, b = slice(0, n), slice(n, None)
    expected = 2 * rho[a, b].mean() - rho[a, a].mean() - rho[b, b].mean()
    made = energy_distance(first, second, metric="mixed")
    assert made == pytest.approx(expected, rel=1e-10)
    test = energy_test(first, second, metric="mixed", n_permutations=19, random_state=0)
    assert test.pvalue == 0.05
    numbers = [np.where(np.eye(4) > 0, np.nan, np.eye(4) + i) for i in (0.0, 3.0)]
    assert energy_distance(*numbers, metric=Manhattan("distribution")) > 1
    with pytest.raises(ValueError, match="NaN"):
        energy_distance(*numbers)


def between(rho, labels):
    """S by its definition, from the distances of all rows."""
    return float(oracle.between(rho, labels, np.ones(len(labels)), 3))


@each("metric", [Mixed({"town": 3.0}), Mixed(missing="category")])
def test_contributions_by_column(metric):
    labels = fit().labels_
    found = feature_contributions(X, labels, metric=metric)
    assert found.names == tuple(X)
    assert found.total == pytest.approx(between(metric.pairwise(X), labels), rel=1e-9)
    for d, name in enumerate(X):
        weight = 3.0 if name == "town" and metric.weights else 1.0
        alone = feature_contributions(X[[name]], labels, metric=Mixed(missing=metric.missing))
        assert found.contributions[d] == pytest.approx(weight * alone.total, rel=1e-9)
        assert found.explained[d] == pytest.approx(alone.explained[0], rel=1e-9)


def test_contributions_with_gaps_of_numbers():
    table = X[["income"]].assign(other=np.arange(len(X)) % 7.0)
    parts = ColumnSum([(Manhattan("distribution"), ["income"]), (Hamming(), ["other"], 0.5)])
    labels = fit().labels_
    found = feature_contributions(table, labels, metric=parts)
    assert found.total == pytest.approx(between(parts.pairwise(table), labels), rel=1e-9)
    with pytest.raises(ValueError, match='"mixed"'):
        feature_contributions(table, labels, metric=Mixed(alpha=0.5))


def test_a_metric_that_was_fitted_is_settled_anew_by_another_table():
    first = fit()
    table, _ = customers(80, 9)
    again = fit(table, metric=first.metric_)
    assert again.within_dispersion_ == fit(table).within_dispersion_


def test_predictions_of_several_blocks_are_those_of_one(monkeypatch):
    for metric in (Mixed(), Mixed(alpha=0.5), Mixed(missing="category")):
        model = fit(metric=metric)
        expected = model.transform(X)
        with monkeypatch.context() as patch:
            patch.setattr("kgroups.input.spaces._PAIRS_AT_ONCE", 40 * len(X))
            np.testing.assert_allclose(model.transform(X), expected, rtol=1e-7, atol=1e-7)
            assert np.array_equal(model.predict(X), model.labels_)
