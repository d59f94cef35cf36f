"""Seeds from every kind of random state."""

import numpy as np
import pytest

from helpers import each
from kgroups.runtime.seeds import seed_of, seeds_of

pytestmark = pytest.mark.nojit

_MOST = 2**31 - 2


def test_an_integer_always_gives_the_same_seeds_which_are_those_of_numpy():
    expected = np.random.RandomState(7).randint(2**31 - 1, size=4).tolist()
    assert seeds_of(7, 4) == seeds_of(np.int64(7), 4) == expected
    assert seed_of(7) == expected[0]


def test_states_advance():
    state = np.random.RandomState(3)
    assert [seed_of(state), seed_of(state)] == seeds_of(np.random.RandomState(3), 2)
    generator = np.random.default_rng(3)
    first, second = seeds_of(generator, 2), seeds_of(generator, 2)
    assert first + second == np.random.default_rng(3).integers(2**31 - 1, size=4).tolist()
    assert first != second


def test_none_draws_from_the_global_state_of_numpy():
    before = np.random.get_state()  # noqa: NPY002 - what None stands for in scikit-learn
    try:
        np.random.seed(11)  # noqa: NPY002
        assert seeds_of(None, 3) == seeds_of(11, 3)
    finally:
        np.random.set_state(before)  # noqa: NPY002


@each("random_state", [0, np.random.default_rng(0)])
def test_seeds_are_plain_integers_that_numpy_takes_as_seeds(random_state):
    seeds = seeds_of(random_state, 1000)
    assert {type(seed) for seed in seeds} == {int}
    assert 0 <= min(seeds) < max(seeds) <= _MOST
    np.random.RandomState(max(seeds))
    assert len(set(seeds)) == 1000
    assert seeds_of(random_state, 0) == []


@each("bad", ["7", 1.5, [1, 2]])
def test_what_is_not_a_random_state(bad):
    with pytest.raises(ValueError, match="random_state must be an integer from 0 to 4294967295"):
        seed_of(bad)
