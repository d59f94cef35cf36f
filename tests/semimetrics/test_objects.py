"""Strings, series and functions: published values, shapes, limits, and compiled loops."""

import os
import sys
import types
from functools import cache

import numba
import numpy as np
import pandas as pd
import pytest

import oracle
from kgroups import KernelKGroups
from kgroups.runtime.threads import at_most
from kgroups.semimetrics import (
    EditDistance,
    ElasticDistance,
    PairFunction,
    by_name,
    elastic_distance,
)
from kgroups.semimetrics.by_strips import SINGLE_BEYOND
from kgroups.semimetrics.items import is_missing


def levenshtein(x, y, *, replace=1, swap=False):
    """The textbook recursion; with ``swap`` neighbors that changed places cost 1."""

    @cache
    def edits(i, j):
        if min(i, j) == 0:
            return max(i, j)
        best = min(edits(i - 1, j) + 1, edits(i, j - 1) + 1)
        best = min(best, edits(i - 1, j - 1) + (replace if x[i - 1] != y[j - 1] else 0))
        if swap and i > 1 and j > 1 and x[i - 2 : i] == y[j - 2 : j][::-1]:
            best = min(best, edits(i - 2, j - 2) + 1)
        return best

    return edits(len(x), len(y))


def test_values_known_from_the_literature():
    assert by_name("damerau_levenshtein").pairwise(["ca"], ["abc"]) == 2  # OSA gives 3
    assert by_name("osa").pairwise(["ca"], ["abc"]) == 3
    martha = by_name("jaro").pairwise(["MARTHA"], ["MARHTA"])
    assert martha == pytest.approx(1 - 0.944444, abs=1e-6)
    martha = by_name("jaro_winkler").pairwise(["MARTHA"], ["MARHTA"])
    assert martha == pytest.approx(1 - 0.961111, abs=1e-6)


def test_normalized_by_the_largest_number_of_edits():
    rho = EditDistance("levenshtein", normalized=True).pairwise(["kitten", ""], ["sitting", ""])
    np.testing.assert_allclose(rho, [[3 / 7, 1], [1, 0]])
    indel = EditDistance("indel", normalized=True).pairwise(["ab"], ["bc"])
    np.testing.assert_allclose(indel, [[2 / 4]])


def test_what_would_take_hours_is_refused_before():
    page = "abcde" * 200_000
    with pytest.raises(ValueError, match="item 0"):
        _one_thread(EditDistance("damerau_levenshtein"), [page[:77_000]] * 59, page)
    with pytest.raises(ValueError, match="rapidfuzz"):
        EditDistance().pairwise([page] * 60)
    assert EditDistance().pairwise([page[:20_000], page[1:20_000]])[0, 1] == 1


def _one_thread(rho, others, page):

    with at_most(1):
        rho.pairwise([page, *others])


def test_many_strings_are_held_in_half_the_memory_without_rounding():
    rng = np.random.default_rng(0)
    items = ["".join(rng.choice(list("abc"), size=3)) for _ in range(SINGLE_BEYOND + 1)]
    held = EditDistance().matrix(items)
    assert held.dtype == np.float32
    assert EditDistance().matrix(items[:20]).dtype == np.float64
    np.testing.assert_array_equal(held[:40], EditDistance().pairwise(items[:40], items))
    np.testing.assert_array_equal(held, held.T)
    model = KernelKGroups(3, metric="levenshtein", memory_limit="1 MB")
    with (
        pytest.warns(match="negative type"),
        pytest.raises(MemoryError, match="2001"),
    ):
        model.fit(items)


@pytest.mark.nojit
def test_what_is_missing():
    for value in (None, float("nan"), np.float32("nan"), pd.NA, pd.NaT):
        assert is_missing(value)
    for value in ("", 0, 0.0, "nan", np.array([np.nan])):
        assert not is_missing(value)


def matrix(function, items, others=None):
    others = items if others is None else others
    return np.array([[function(x, y) for y in others] for x in items])


@pytest.fixture(scope="module")
def series():
    rng = np.random.default_rng(0)
    return [rng.normal(size=length) for length in (5, 7, 4, 6, 6)]


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
    expected = oracle.distances("dtw", series).astype(float)
    np.testing.assert_allclose(by_name("dtw").pairwise(series), expected, rtol=1e-12)
    rho = ElasticDistance("twe", lmbda=2.0).pairwise(series)
    by_hand = lambda x, y: 0.001 * abs(len(x) - len(y)) + 2 * abs(x[0] - y[0])
    np.testing.assert_allclose(rho, matrix(by_hand, series), rtol=1e-12)


@numba.njit
def lengths(x, y):
    return abs(x.size - y.size) + abs(x.sum() - y.sum())


def by_python(function, X):
    return [[function.py_func(x, y) for y in X] for x in X]


def refuse(*_):
    raise AssertionError("called from Python")


@pytest.fixture
def only_compiled(monkeypatch):
    monkeypatch.setattr(PairFunction, "_distance", refuse)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled")
def test_arrays_of_any_length(only_compiled):
    rng = np.random.default_rng(1)
    lines = [rng.normal(size=size) for size in rng.integers(0, 6, 20)]
    rho = PairFunction(lengths)
    np.testing.assert_allclose(rho.pairwise(lines), by_python(lengths, lines), atol=1e-12)
    tables = [rng.normal(size=(size, size % 3 + 1)) for size in rng.integers(0, 6, 20)]
    np.testing.assert_allclose(rho.pairwise(tables), by_python(lengths, tables), atol=1e-12)
    across = np.array(by_python(lengths, tables))[:4]
    np.testing.assert_allclose(rho.pairwise(tables[:4], tables), across, atol=1e-12)
    cube = rng.normal(size=(6, 2, 3))
    np.testing.assert_allclose(rho.pairwise(cube), by_python(lengths, cube), atol=1e-12)


def test_a_function_is_called_no_more_often_than_it_says():
    calls = []

    def counted(a, b):
        calls.append((a, b))
        return abs(a - b)

    n = 30
    PairFunction(counted).pairwise(list(range(n)))
    assert len(calls) == n * (n - 1) / 2 + n + 8  # 8 for the check of symmetry
