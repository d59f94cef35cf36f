"""Functions of two objects as semimetrics."""

import numpy as np
import pytest

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


def _fails_on_three(a, b):
    if 3 in (a, b):
        raise KeyError("three")
    return abs(a - b)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_fails_on_three, "_fails_on_three on the pair of objects 3 and 3 raised KeyError"),
        (lambda a, b: np.nan if {a, b} == {0, 4} else abs(a - b), "4 and 0 returned nan"),
        (lambda a, b: np.inf if {a, b} == {1, 4} else abs(a - b), "4 and 1 returned inf"),
        (lambda a, b: -abs(a - b), "returned -1.0; a distance is not negative"),
        (lambda a, b: abs(a - b) + (a == b == 2), "gives object 2 the distance 1.0 to itself"),
        (lambda a, b: max(0, a - b), "not symmetric: 0.0 from object 0 to 1, 1.0 from object 1"),
        (lambda a, b: "far" if a != b else 0, "raised ValueError: could not convert string"),
    ],
)  # fmt: skip
def test_a_function_that_is_no_distance_is_told_for_which_pair(function, message):
    with pytest.raises(ValueError, match=message):
        PairFunction(function).pairwise([0, 1, 2, 3, 4])


def test_errors_of_new_objects_name_the_new_and_the_training_object():
    rho = PairFunction(_fails_on_three)
    with pytest.raises(ValueError, match="pair of objects 0 and 2 raised KeyError"):
        rho.pairwise([0, 1], [1, 1, 3])
