"""Whether a value is larger than chance gives, from values that were drawn at random."""

from collections.abc import Iterable

import numpy as np

# Draws end early where the value is so many standard deviations above the first of them.
_FAR = 5.0
# Values that differ by less than this share are equal.
_ROUNDING = 1e-9


def is_beyond_chance(
    value: float, batches: Iterable[list[float]], n_draws: int, chance: float
) -> bool:
    """Whether at most this share of the draws, the value itself among them, is as large.

    The p-value is (1 + draws as large)/(1 + draws). Draws come in batches, so that no more are made
    than are needed: the answer is known as soon as too many are as large, and taken for known where
    the value is 5 standard deviations above their mean.

    >>> is_beyond_chance(3.0, [[1.0, 2.0], [4.0, 1.5]], 4, 0.4)
    True
    >>> is_beyond_chance(3.0, [[1.0, 2.0], [4.0, 1.5]], 4, 0.39)
    False

    Source: B. Phipson and G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010), article 39.
    """
    reached: list[float] = []
    for batch in batches:
        reached += batch
        as_large = np.count_nonzero(np.array(reached) >= value - _ROUNDING * abs(value))
        if 1 + as_large > chance * (1 + n_draws):
            return False
        if value > np.mean(reached) + _FAR * np.std(reached):
            return True
    return True
