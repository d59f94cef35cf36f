"""Elastic distances between series, against the recursion, and the shapes of series."""

import sys
import types
from functools import cache

import numba
import numpy as np
import pandas as pd
import pytest

from helpers import each
from kgroups import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import ElasticDistance, by_name, elastic_distance
from kgroups.testing import check_semimetric


def dtw(x, y, radius=10**9):
    """Root of the least sum of squared differences along a path, from the definition."""
    x, y = (np.reshape(one, (len(one), -1)) for one in (x, y))

    @cache
    def least(i, j):
        if abs(i - j) > radius or min(i, j) < 0:
            return np.inf
        here = float(((x[i] - y[j]) ** 2).sum())
        if i == j == 0:
            return here
        return here + min(least(i - 1, j), least(i, j - 1), least(i - 1, j - 1))

    return np.sqrt(least(len(x) - 1, len(y) - 1))


def matrix(function, items, others=None):
    others = items if others is None else others
    return np.array([[function(x, y) for y in others] for x in items])


@pytest.fixture(scope="module")
def series():
    rng = np.random.default_rng(0)
    return [rng.normal(size=length) for length in (5, 7, 4, 6, 6)]


@pytest.fixture
def tslearn_only(monkeypatch):
    """As if aeon were not installed."""
    found = elastic_distance.find_spec
    without = lambda name: None if name == "aeon" else found(name)
    monkeypatch.setattr(elastic_distance, "find_spec", without)


def test_dtw_is_the_root_of_squares_along_the_best_path(series):
    rho = by_name("dtw")
    expected = matrix(dtw, series)
    np.testing.assert_allclose(rho.pairwise(series), expected, rtol=1e-12)
    np.testing.assert_allclose(rho.pairwise(series[:2], series), expected[:2], rtol=1e-12)
    check_semimetric(rho, series)
    assert not rho.is_negative_type


def test_several_channels(series):
    pairs = [np.column_stack([one, one[::-1] ** 2]) for one in series]
    np.testing.assert_allclose(ElasticDistance().pairwise(pairs), matrix(dtw, pairs), rtol=1e-12)


@each("window", [0.0, 0.25, 0.5, 1.0])
def test_a_window_is_a_share_of_the_length(window):
    X = np.random.default_rng(1).normal(size=(4, 9))
    expected = matrix(lambda x, y: dtw(x, y, radius=int(window * 9)), X)
    np.testing.assert_allclose(ElasticDistance(window=window).pairwise(X), expected, rtol=1e-12)


def test_lcss_is_one_minus_the_similarity(tslearn_only):
    x, y = [0.0, 1.0, 2.0, 9.0], [0.1, 2.1, 9.1]
    rho = ElasticDistance("lcss", epsilon=0.2).pairwise([x, y])
    np.testing.assert_allclose(rho, [[0, 0], [0, 0]])  # 0, 2 and 9 are common, all of y
    rho = ElasticDistance("lcss", epsilon=0.2).pairwise([x, [0.1, 2.1, 5.1]])
    np.testing.assert_allclose(rho, [[0, 1 / 3], [1 / 3, 0]])


def test_frechet_is_the_longest_step_of_the_shortest_leash():
    rho = ElasticDistance("frechet").pairwise([[0.0, 1.0, 2.0], [0.0, 2.0]])
    np.testing.assert_allclose(rho, [[0, 1], [1, 0]])


def test_all_shapes_of_the_same_series():
    X = np.random.default_rng(2).normal(size=(6, 8))
    expected = ElasticDistance().pairwise(X)
    longer = np.hstack([X, np.full((6, 2), np.nan)])  # the padding of tslearn
    lists = [
        list(X),
        [one[:, None] for one in X],
        [one.tolist() for one in X],
        list(map(pd.Series, X)),
    ]
    arrays = [X[:, :, None], pd.DataFrame(X), longer, longer[:, :, None], X.astype(object)]
    for other in (*lists, *arrays):
        np.testing.assert_array_equal(ElasticDistance().pairwise(other), expected)


def test_padding_is_cut_off(series):
    padded = np.full((5, 7), np.nan)
    for row, one in zip(padded, series, strict=True):
        row[: len(one)] = one
    rho = ElasticDistance()
    np.testing.assert_array_equal(rho.pairwise(padded), rho.pairwise(series))


def test_parameters_belong_to_their_distance():
    rho = ElasticDistance("lcss", window=0.5, epsilon=0.1)
    assert rho.get_params() == {"name": "lcss", "window": 0.5, "epsilon": 0.1}
    assert repr(rho) == "ElasticDistance('lcss', window=0.5, epsilon=0.1)"
    with pytest.raises(ValueError, match="window"):
        rho.set_params(window=2)
    assert rho.set_params(epsilon=0.3).get_params()["epsilon"] == 0.3
    assert rho.window == 0.5


@pytest.fixture
def stand_in(monkeypatch):
    """A library with the conventions of aeon: compiled functions, time last, squares for DTW."""

    @numba.njit
    def dtw_distance(x, y, window=None, itakura_max_slope=None):
        a, b = np.atleast_2d(x), np.atleast_2d(y)
        costs = np.full((a.shape[1] + 1, b.shape[1] + 1), np.inf)
        costs[0, 0] = 0.0
        for i in range(a.shape[1]):
            for j in range(b.shape[1]):
                here = ((a[:, i] - b[:, j]) ** 2).sum()
                before = min(costs[i, j], costs[i, j + 1], costs[i + 1, j])
                costs[i + 1, j + 1] = here + before
        return costs[-1, -1]

    @numba.njit
    def twe_distance(x, y, window=None, nu=0.001, lmbda=1.0, itakura_max_slope=None):
        return abs(nu) * abs(x.size - y.size) + lmbda * abs(x[0] - y[0])

    library = types.ModuleType("aeon.distances")
    library.dtw_distance, library.twe_distance = dtw_distance, twe_distance
    monkeypatch.setitem(sys.modules, "aeon", types.ModuleType("aeon"))
    monkeypatch.setitem(sys.modules, "aeon.distances", library)
    monkeypatch.setattr(elastic_distance, "find_spec", lambda name: name)
    return library


def test_functions_of_aeon_are_called_from_compiled_loops(stand_in, series):
    expected = matrix(dtw, series)
    np.testing.assert_allclose(by_name("dtw").pairwise(series), expected, rtol=1e-12)
    pairs = [np.column_stack([one, one[::-1] ** 2]) for one in series]
    np.testing.assert_allclose(by_name("dtw").pairwise(pairs), matrix(dtw, pairs), rtol=1e-12)
    rho = ElasticDistance("twe", lmbda=2.0).pairwise(series)
    by_hand = lambda x, y: 0.001 * abs(len(x) - len(y)) + 2 * abs(x[0] - y[0])
    np.testing.assert_allclose(rho, matrix(by_hand, series), rtol=1e-12)


def test_the_violation_of_series_is_measured():
    X = np.random.default_rng(5).normal(size=(40, 6))
    with pytest.warns(TheoryWarning, match=r"ElasticDistance\('dtw'\) is not .* % of the largest"):
        model = KernelKGroups(3, metric="dtw", random_state=0).fit(X)
    assert 0.01 < model.negative_type_violation_ < 1
