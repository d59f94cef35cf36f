"""Functions compiled by numba as metrics, called from compiled loops."""

import os

import numba
import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.runtime.threads import at_most
from kgroups.semimetrics import (
    PairFunction,
    packed,
)

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)


@numba.njit
def manhattan(x, y):
    return np.abs(x - y).sum()


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


@each("dtype", [np.float64, np.float32, np.int64])
def test_rows_of_a_table(only_compiled, dtype):
    X = (9 * np.random.default_rng(0).normal(size=(300, 3))).astype(dtype)
    rho = PairFunction(manhattan)
    expected = cdist(X, X, "cityblock")
    np.testing.assert_allclose(rho.pairwise(X), expected, rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(rho.pairwise(X[:3], X), expected[:3], rtol=1e-6, atol=1e-4)
    with at_most(1):
        np.testing.assert_array_equal(rho.pairwise(X), rho.pairwise(X))


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


def test_numbers(only_compiled):
    @numba.njit
    def apart(x, y):
        return abs(x - y)

    np.testing.assert_array_equal(PairFunction(apart).pairwise([1, 4, 9.5])[0], [0, 3, 8.5])


def test_other_objects_are_compared_one_by_one():
    @numba.njit
    def apart(x, y):
        return abs(len(x) - len(y))

    np.testing.assert_array_equal(PairFunction(apart).pairwise(["a", "abc"]), [[0, 2], [2, 0]])
    assert packed.Packed.of(["a"]) is None
    assert packed.Packed.of([np.zeros(2), np.zeros((2, 2))]) is None
    assert packed.Packed.of([]) is None


def letters_apart(a, b):
    return len(set(a) ^ set(b))


def test_a_function_fills_the_matrix():
    words = ["cat", "act", "dog", ""]
    expected = [[0, 0, 6, 3], [0, 0, 6, 3], [6, 6, 0, 3], [3, 3, 3, 0]]
    rho = PairFunction(letters_apart)
    np.testing.assert_array_equal(rho.pairwise(words), expected)
    np.testing.assert_array_equal(rho.pairwise(words[:2], words), expected[:2])
    assert rho.pairwise(words, []).shape == (4, 0)
    assert rho.takes_objects


def test_a_function_is_called_no_more_often_than_it_says():
    calls = []

    def counted(a, b):
        calls.append((a, b))
        return abs(a - b)

    n = 30
    PairFunction(counted).pairwise(list(range(n)))
    assert len(calls) == n * (n - 1) / 2 + n + 8  # 8 for the check of symmetry
