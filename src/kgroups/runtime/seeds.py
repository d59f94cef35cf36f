"""Seeds: whole numbers from which random numbers follow, drawn in one way everywhere."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state as sklearn_random_state

_BOUND = 2**31 - 1


def seed_of(random_state: Any) -> int:
    """One seed from an int, a ``RandomState``, a ``Generator`` or None, which draws at random."""
    return seeds_of(random_state, 1)[0]


def seeds_of(random_state: Any, count: int) -> list[int]:
    """Several seeds, drawn together so that no result depends on who runs first."""
    if isinstance(random_state, np.random.Generator):
        drawn = random_state.integers(_BOUND, size=count)
    else:
        drawn = check_random_state(random_state).randint(_BOUND, size=count)
    return [int(seed) for seed in drawn]


def check_random_state(random_state: Any) -> np.random.RandomState:
    """The generator that scikit-learn makes; a ValueError that says what is accepted.

    >>> check_random_state(7).randint(10)
    4
    """
    try:
        generator: np.random.RandomState = sklearn_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state must be an integer from 0 to {2**32 - 1}, a numpy RandomState or "
            f"Generator, or None; got {random_state!r}."
        ) from error
    return generator
