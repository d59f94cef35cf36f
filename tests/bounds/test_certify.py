"""Anybody's labels: iris by its species, metrics of any type, and weights that underflow."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from kgroups import KernelKGroups
from kgroups.bounds import certify
from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import DampedSquared, Energy
from kgroups.solvers import objective as plain

certify_module = __import__("kgroups.bounds.certify", fromlist=["certify"])


def every_move(metric, X, labels, weights):
    """The best move of each row by the plain specification: target and gain, or none."""
    groups, codes = np.unique(labels, return_inverse=True)
    k, G = len(groups), -0.5 * np.asarray(metric.resolve(X).pairwise(X), np.float64)
    least = plain.threshold(G, codes, weights, k, 1e-12)
    found = {}
    for i in range(len(X)):
        if plain.movable(codes, weights, k, i):
            target, gain = plain.best_move(G, codes, weights, k, i)
            if gain > least:
                found[i] = (groups[target], gain)
    return found


def check(found, expected, tolerance=1e-9):
    assert found.rows.tolist() == sorted(expected)
    for row, target, gain in zip(found.rows, found.targets, found.gains, strict=True):
        assert target == expected[row][0]
        assert gain == pytest.approx(expected[row][1], rel=tolerance, abs=tolerance)


def test_a_metric_that_is_not_of_negative_type_is_checked_all_the_same():
    X, species = load_iris(return_X_y=True)
    with pytest.warns(TheoryWarning, match="not of negative type"):
        found = certify(X, species, metric=DampedSquared())
    check(found, every_move(DampedSquared(), X, species, np.ones(150)), 1e-7)


def test_iris_by_species():
    """W of the species is 70.3385; nine flowers would each lower it."""
    X, species = load_iris(return_X_y=True)
    found = certify(X, species)
    assert found.within_dispersion == pytest.approx(70.33848, abs=1e-4)
    assert len(found.rows) == 9
    assert found.rows[np.argmax(found.gains)] == 106
    assert found.n_pairs == found.n_pairs_full == 150 * 149 // 2


def test_a_fit_is_optimal_and_a_matrix_says_the_same():
    X = load_iris().data
    model = KernelKGroups(3, random_state=0).fit(X)
    for data, metric in ((X, "energy"), (Energy().pairwise(X), "precomputed")):
        found = certify(data, model.labels_, metric=metric)
        assert found.is_optimal
        assert found.within_dispersion == pytest.approx(model.within_dispersion_, rel=1e-12)
    centered = X - X.mean(axis=0)
    kernel = certify(centered @ centered.T, model.labels_, metric="precomputed_kernel")
    check(kernel, every_move(Energy(2.0), X, model.labels_, np.ones(150)), 1e-7)


def test_one_cluster_and_single_rows_have_no_moves():
    X = np.arange(5.0)[:, None]
    assert certify(X, np.zeros(5)).is_optimal
    assert certify(X, np.arange(5)).is_optimal
    assert certify(X, np.zeros(5)).within_dispersion == pytest.approx(4.0)  # 2 · 20 / (2 · 5)


def test_weights_whose_squares_underflow(monkeypatch):
    """Bounds divide by squares of weights, so all sums are taken."""
    monkeypatch.setattr(certify_module, "_FROM", 100)
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(200, 2)), np.ones(200)
    weights[:80] = 1e-170
    labels = rng.integers(2, size=200)
    labels[:80] = 2
    found = certify(X, labels, sample_weight=weights)
    assert found.proved
    assert found.n_pairs == 200 * 199 // 2
