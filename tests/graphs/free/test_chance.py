"""Values next to draws from chance: p-values worked out by hand, and no draw that is not needed."""

import pytest

from helpers import each
from kgroups.graphs.free.chance import is_beyond_chance

pytestmark = pytest.mark.nojit


@each(
    ("value", "p"),
    [(5.0, 1 / 10), (4.5, 2 / 10), (3.0, 5 / 10), (-1.0, 10 / 10)],
)
def test_the_value_counts_as_one_of_its_own_draws(value, p):
    draws = [3.0, 0.0, 1.0, 4.5, 2.0, 4.0, 3.0, 0.5, 1.5]
    assert is_beyond_chance(value, [draws], 9, p + 1e-9)
    assert not is_beyond_chance(value, [draws], 9, p - 1e-9)


def test_draws_equal_but_for_rounding_are_as_large():
    assert not is_beyond_chance(-0.1 - 0.2, [[-0.3, -9.0]], 2, 0.5)
    assert not is_beyond_chance(0.1 + 0.2, [[0.3, 0.0]], 2, 0.5)


@pytest.mark.parametrize(("value", "answer"), [(9.0, True), (0.0, False)])
def test_no_more_is_drawn_than_is_needed(value, answer):
    batches = iter([[0.0, 1.0], [0.0, 1.0]])
    assert is_beyond_chance(value, batches, 4, 0.3) is answer
    assert len(list(batches)) == 1
