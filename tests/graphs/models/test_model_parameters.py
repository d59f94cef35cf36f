"""Parameters of random networks: what is taken, and what is said otherwise."""

import numpy as np
import pytest

from kgroups.graphs.models.model_parameters import (
    check_above,
    check_degree,
    check_number,
    check_share_of_edges,
    check_size,
    generator,
    mean_one,
)

pytestmark = pytest.mark.nojit


def test_a_generator_is_used_up_and_everything_else_seeds_a_new_one():
    own = np.random.default_rng(0)
    assert generator(own) is own
    assert generator(4).random() == generator(4).random()
    state = np.random.RandomState(0)
    assert generator(state).random() != generator(state).random()


def test_sizes():
    assert check_size(10, 3, 2) == (10, 3, 2.0)
    assert check_size(3, 3, 0.5) == (3, 3, 0.5)
    with pytest.raises(ValueError, match=r"k=4 is more than n=3; ask for at most 3 communities"):
        check_size(3, 4, 1.0)


def test_degrees_and_numbers_at_their_bounds():
    assert check_degree(5, 5, "degree", least=0) == 5.0
    assert check_degree(1, 5, "degree", least=1) == 1.0
    assert [check_share_of_edges(x, "mixing") for x in (0, 0.5, 1)] == [0.0, 0.5, 1.0]
    assert check_above(np.float32(2.5), "tau", 2) == 2.5
    assert type(check_number(np.int8(3), "x")) is float
    with pytest.raises(ValueError, match=r"tau must be a number > 2; got 2\."):
        check_above(2, "tau", 2)
    for share in (-0.1, 1.1):
        with pytest.raises(ValueError, match=r"mixing is a share of the edges and must be in"):
            check_share_of_edges(share, "mixing")


def test_weights_over_their_mean():
    assert mean_one([1, 0, 2], 3, "weights").tolist() == [1.0, 0.0, 2.0]
    assert mean_one([10, 20], 2, "weights").tolist() == pytest.approx([2 / 3, 4 / 3])
