"""Units in which no product over- or underflows."""

import numpy as np

from kgroups.typing import Float64Array

# Beyond, a quotient itself might.
_MOST = 1000


def power_of_two(value: float) -> float:
    """At most a positive number and more than half of it, so that to divide by it rounds nothing.

    Between 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰; 1 for anything that is not positive and finite.

    >>> power_of_two(12.5), power_of_two(0.3), power_of_two(0.0)
    (8.0, 0.25, 1.0)
    """
    if not 0 < value < np.inf:
        return 1.0
    return float(np.ldexp(1.0, np.clip(np.frexp(value)[1] - 1, -_MOST, _MOST)))


def in_units(values: Float64Array) -> tuple[Float64Array, float]:
    """Values that are not negative, in units near the largest, and the unit.

    So that no square of theirs over- or underflows.
    """
    unit = power_of_two(float(values.max()))
    return values / unit, unit


def norm_of(values: Float64Array) -> float:
    """The root of the sum of squares, of which none over- or underflows.

    >>> norm_of(np.array([3e300, 4e300])) == 5e300
    True
    """
    unit = power_of_two(float(np.abs(values).max(initial=0.0)))
    return unit * float(np.linalg.norm(values / unit))
