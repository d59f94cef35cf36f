"""How many starts end at the best objective, up to rounding, in any unit."""

import math

from helpers import each
from kgroups.fit.starts_at_best import same_objective, starts_at_best


def test_ends_that_are_the_best_by_hand():
    ends = [10.0, 10.0 + 5e-9, 10.0 - 2e-8, 9.0]  # relative: 0, 5e-10, 2e-9, .1
    assert starts_at_best(ends, 10.0) == 2
    assert starts_at_best([-x for x in ends], -10.0) == 2
    assert starts_at_best([], 1.0) == 0


def test_zero_is_zero_up_to_rounding_of_the_total():
    ends = [0.0, 1e-11, -1e-11, 1e-9]
    assert starts_at_best(ends, 0.0) == 1
    assert starts_at_best(ends, 0.0, total=100.0) == 3
    assert starts_at_best(ends, 0.0, total=-100.0) == 3


@each("scale", [1e-200, 1.0, 1e200])
def test_scale_does_not_matter(scale):
    ends = [2.0 * scale, 2.0 * scale * (1 - 1e-12), 1.0 * scale]
    assert starts_at_best(ends, 2.0 * scale, total=5.0 * scale) == 2


def test_the_same_infinity_is_the_same():
    assert same_objective(math.inf, math.inf)
    assert not same_objective(math.inf, 1.0)
    assert not same_objective(math.nan, math.nan)
