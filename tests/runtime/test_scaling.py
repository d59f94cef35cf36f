"""Units that are powers of two: exact to divide by, near what they measure, safe at extremes."""

import math
import sys

import numpy as np
import pytest

from helpers import each
from kgroups.runtime.scaling import in_units, power_of_two

pytestmark = pytest.mark.nojit


@each(
    ("value", "unit"),
    [
        (1.0, 1.0),
        (math.nextafter(1.0, 0.0), 0.5),
        (math.nextafter(2.0, 0.0), 1.0),
        (2.0, 2.0),
        (1000.0, 512.0),
        (2.0**-1000, 2.0**-1000),
        (2.0**1000, 2.0**1000),
        (sys.float_info.max, 2.0**1000),
        (sys.float_info.min, 2.0**-1000),
        (5e-324, 2.0**-1000),
    ],
)
def test_units_by_hand(value, unit):
    assert power_of_two(value) == unit


@each("value", [0.0, -0.0, -1.0, math.inf, -math.inf, math.nan])
def test_what_is_not_positive_and_finite_has_the_unit_one(value):
    assert power_of_two(value) == 1.0


@each("exponent", [-300, -10, 0, 10, 300])
def test_a_value_in_its_unit_is_from_one_to_two_and_comes_back_exactly(exponent):
    for value in np.random.default_rng(0).uniform(1, 10, 50) * 10.0**exponent:
        unit = power_of_two(value)
        assert 1 <= value / unit < 2
        assert value / unit * unit == value
        assert math.frexp(unit)[0] == 0.5


@each("scale", [1e-200, 1.0, 1e200])
def test_squares_of_values_in_units_are_safe(scale):
    """3, 4 and 0 have the sum of squares 25 in any unit of length."""
    values, unit = in_units(scale * np.array([3.0, 4.0, 0.0]))
    assert 1 <= values.max() < 2
    assert float(np.sqrt((values**2).sum())) * unit == pytest.approx(5 * scale, rel=1e-14)
