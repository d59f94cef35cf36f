"""Partial distances against loops, and by hand."""

import numpy as np

from kgroups.semimetrics.partial_distances import partial_distances

NAN = float("nan")


def loops(X, Y, weights, factors, n_lines):
    out = np.empty((len(X), len(Y)))
    for i, x in enumerate(X):
        for j, y in enumerate(Y):
            both = [d for d in range(X.shape[1]) if not np.isnan(x[d]) and not np.isnan(y[d])]
            part = sum(
                factors[d] * (abs(x[d] - y[d]) if d < n_lines else x[d] != y[d]) for d in both
            )
            weight = sum(weights[d] for d in both)
            out[i, j] = sum(weights) * part / weight if both else sum(weights)
            if np.isnan(x).all() and np.isnan(y).all():
                out[i, j] = 0.0
    return out


def test_they_are_those_of_loops():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (150, 5)).astype(float)
    X[rng.random(X.shape) < 0.4] = NAN
    X[:2] = NAN
    weights, factors = [1.0, 2.0, 0.5, 1.0, 3.0], [1.0, 2.0, 1.0, 4.0, 1.0]
    how = {"weights": weights, "factors": factors, "n_lines": 3}
    made = partial_distances(X, X, **how)
    np.testing.assert_allclose(made, loops(X, X, **how), rtol=1e-13)
    assert np.array_equal(made, made.T)
    assert not np.diagonal(made).any()
    assert np.array_equal(partial_distances(X[:3], X, **how), made[:3])


def test_by_hand():
    X = np.array([[0.0, 1.0], [4.0, NAN], [NAN, 2.0], [NAN, NAN]])
    made = partial_distances(X, X, weights=[1.0, 1.0], factors=[1.0, 3.0], n_lines=1)
    # Only the number, twice; only the category, twice; nothing in common, the mean distance 2.
    assert made[0].tolist() == [0.0, 8.0, 6.0, 2.0]
    assert made[1].tolist() == [8.0, 0.0, 2.0, 2.0]


def test_no_columns_and_no_rows():
    assert partial_distances(
        np.zeros((2, 0)), np.zeros((1, 0)), weights=[], factors=[], n_lines=0
    ).tolist() == [[0.0], [0.0]]
    none = partial_distances(
        np.zeros((0, 1)), np.zeros((2, 1)), weights=[1.0], factors=[1.0], n_lines=1
    )
    assert none.shape == (0, 2)
