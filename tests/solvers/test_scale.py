"""From Q to the numbers that a user reads: one affine map after another."""

import numpy as np
import pytest

from kgroups.solvers import Scale


def test_by_hand():
    assert Scale()(7.5) == 7.5
    assert Scale(2.0, 1.0)(10.0) == 21.0
    assert Scale(2.0, 1.0)(np.array([0.0, -1.0])).tolist() == [1.0, -1.0]


def test_after_is_the_first_and_then_the_second():
    """3 (2x + 1) + 5 = 6x + 8, and the other way round 2 (3x + 5) + 1 = 6x + 11."""
    one, other = Scale(2.0, 1.0), Scale(3.0, 5.0)
    assert [other.after(one)(rise) for rise in (0.0, 1.0)] == [8.0, 14.0]
    assert [one.after(other)(rise) for rise in (0.0, 1.0)] == [11.0, 17.0]
    assert Scale(1e200).after(Scale(1e200))(0.0) == 0.0, "units whose product overflows"


@pytest.mark.parametrize("seed", range(5))
def test_maps_compose(seed):
    a, b, c, d, e, f, x = np.random.default_rng(seed).normal(size=7)
    first, second, third = Scale(a, b), Scale(c, d), Scale(e, f)
    assert third.after(second).after(first)(x) == pytest.approx(third(second(first(x))))
    assert third.after(second.after(first))(x) == pytest.approx(third(second(first(x))))
