"""Distances that are not finite: found without a second array, and told by their place."""

import numpy as np
import pytest

from helpers import each
from kgroups.semimetrics import Energy
from kgroups.semimetrics.finite import check_computed_distances, check_finite_distances, is_finite

pytestmark = pytest.mark.nojit


@each("dtype", [np.float32, np.float64])
def test_a_sum_that_overflows_is_of_finite_values(dtype):
    largest = np.finfo(dtype).max
    assert is_finite(np.full(9, largest))
    assert is_finite(np.array([largest, largest, -largest, -largest]))
    assert is_finite(np.empty(0))


@each("bad", [np.inf, -np.inf, np.nan])
def test_one_value_is_enough(bad):
    values = np.zeros((5, 5))
    values[3, 1] = bad
    assert not is_finite(values)
    with pytest.raises(ValueError, match=r"the values of X are too large .* Standardize the col"):
        check_finite_distances(values)
    with pytest.raises(ValueError, match=rf"^Energy\(.*\) gives {bad} between rows 3 and 1; a"):
        check_computed_distances(values, Energy())


def test_infinities_that_cancel_are_not_finite():
    assert not is_finite(np.array([np.inf, -np.inf]))


def test_finite_distances_pass():
    check_finite_distances(np.eye(3))
    check_computed_distances(np.eye(3), Energy())
