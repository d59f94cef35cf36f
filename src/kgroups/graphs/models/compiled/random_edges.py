"""Pairs of nodes drawn in time that grows with the pairs drawn, not with all pairs."""

import numpy as np
from numpy.typing import NDArray

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


@jit
def draw_pairs(
    order: NDArray[np.int32],
    starts: IntArray,
    theta: Float64Array,
    rate: float,
    loops: int,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Pairs inside each group, each with probability min(1, rate θ θ'); O(n + pairs drawn).

    Within a group θ must not increase. The next partner of a node is found by a geometric step
    with the probability of the current place, an upper bound for all later ones, and is kept with
    the ratio of its own probability to that bound.
    """
    pairs = np.empty((1024, 2), np.int32)
    count = 0
    for g in range(len(starts) - 1):
        stop = starts[g + 1]
        for i in range(starts[g], stop):
            j = i + 1 - loops
            bound = min(1.0, rate * theta[i] * theta[j]) if j < stop else 0.0
            while j < stop and bound > 0:
                if bound < 1:
                    # Cut before it becomes an integer, which it could overflow.
                    j += int(min(rng.standard_exponential() / -np.log1p(-bound), stop - j))
                if j == stop:
                    break
                probability = min(1.0, rate * theta[i] * theta[j])
                if rng.random() * bound < probability:
                    if count == len(pairs):
                        pairs = _doubled(pairs)
                    pairs[count, 0] = order[i]
                    pairs[count, 1] = order[j]
                    count += 1
                bound = probability
                j += 1
    return pairs[:count]


@jit
def _doubled(pairs: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same pairs in an array with room for twice as many."""
    larger = np.empty((2 * len(pairs), 2), np.int32)
    larger[: len(pairs)] = pairs
    return larger
