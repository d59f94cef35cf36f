"""Functions of two objects as semimetrics."""

import numpy as np

from kgroups.semimetrics import (
    PairFunction,
)


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
