"""Random draws that several searches share: points by potential, and labels."""

import numpy as np

from kgroups.runtime.scaling import power_of_two
from kgroups.typing import Float64Array, IntArray


def drawn_by_potential(potential: Float64Array, size: int, rng: np.random.Generator) -> IntArray:
    """Indices drawn with replacement, with probability proportional to a potential; O(n).

    None are drawn where the potential is zero everywhere.
    """
    if size <= 0 or not potential.any():
        return np.empty(0, np.int64)
    return by_potential(potential, rng.random(size))


def by_potential(potential: Float64Array, uniform: Float64Array) -> IntArray:
    """The same for uniform numbers that were drawn already."""
    # In units near the largest, so that no sum overflows; a power of two rounds nothing.
    cumulative = np.cumsum(potential / power_of_two(float(potential.max(initial=0.0))))
    if not cumulative[-1] > 0:
        return np.empty(0, np.int64)
    return places(cumulative, uniform)


def evenly_by_potential(
    potential: Float64Array, along: Float64Array, size: int, rng: np.random.Generator
) -> IntArray:
    """``size`` indices, evenly spaced in the potential cumulated in the order of ``along``.

    Each stretch that holds the share 1/``size`` of the sum has one of them, so that a group at one
    end is represented by as many as it has shares. None where the potential is zero everywhere.
    O(n log n).
    """
    order = np.argsort(along, kind="stable")
    return order[by_potential(potential[order], (np.arange(size) + rng.random()) / size)]


def places(cumulative: Float64Array, uniform: Float64Array) -> IntArray:
    """The first places whose cumulative sums exceed some shares of the total.

    The last sum may round to less than the share; the last place with a share is meant.
    """
    total = cumulative[-1]
    found = np.searchsorted(cumulative, uniform * total, side="right")
    return np.asarray(np.minimum(found, np.searchsorted(cumulative, total)), np.int64)


def random_labels(weights: Float64Array, k: int, rng: np.random.Generator) -> IntArray:
    """Each point in a cluster drawn uniformly, and at least one point with weight in each. O(n)."""
    labels = rng.integers(k, size=len(weights))
    some = rng.permutation(np.flatnonzero(weights > 0))[:k]
    labels[some] = np.arange(len(some))
    return labels
