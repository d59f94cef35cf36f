"""Whole numbers that follow a power law between two bounds."""

from dataclasses import dataclass

import numpy as np

from kgroups.typing import Float64Array, IntArray

#: Draws of numbers that should have a given sum.
DRAWS = 1000


@dataclass(frozen=True)
class PowerLaw:
    """The probabilities of the whole numbers from ``least`` on."""

    least: int
    probabilities: Float64Array

    @property
    def mean(self) -> float:
        """The expected value."""
        return float(self.probabilities @ (self.least + np.arange(len(self.probabilities))))

    def draw(self, count: int, rng: np.random.Generator) -> IntArray:
        """Independent numbers, in O(count log range)."""
        cumulative = np.cumsum(self.probabilities)
        places = np.searchsorted(cumulative[:-1], rng.random(count) * cumulative[-1], side="right")
        return self.least + np.asarray(places, np.int64)


def power_law(exponent: float, least: int, most: int) -> PowerLaw:
    """P(x) proportional to x^−exponent for least ≤ x ≤ most."""
    weights = (np.arange(least, most + 1) / least) ** -exponent
    return PowerLaw(least, weights / weights.sum())


def power_law_of_mean(exponent: float, most: int, mean: float) -> PowerLaw:
    """The power law up to ``most`` whose lower bound gives it this mean.

    Bounds are whole numbers, and few means belong to them. Between two bounds, the smallest number
    has a share of its weight, so that the mean is exact. The mean lies between that of the law
    from 1 on and ``most``.
    """
    numbers = np.arange(1.0, most + 1)
    weights = numbers**-exponent
    total, first = (np.cumsum(w[::-1])[::-1] for w in (weights, weights * numbers))
    at = int(np.searchsorted(first / total, mean, side="right")) - 1
    if at >= most - 1:
        return PowerLaw(most, np.ones(1))
    share = (first[at + 1] - mean * total[at + 1]) / (weights[at] * (mean - numbers[at]))
    kept = np.concatenate([[share * weights[at]], weights[at + 1 :]])
    return PowerLaw(at + 1, kept / kept.sum())


def drawn_to_sum(total: int, law: PowerLaw, rng: np.random.Generator) -> IntArray:
    """Independent numbers of a law, given that they sum to ``total``, which some do.

    They are drawn until they do: once in about as many times as their mean. If the law makes that
    too rare, single numbers of the nearest draw are raised or lowered by one.
    """
    most = law.least + len(law.probabilities) - 1
    counts = np.arange(-(-total // most), total // law.least + 1)
    nearest, gap = np.empty(0, np.int64), total
    for _ in range(DRAWS):
        sums = np.cumsum(drawn := law.draw(int(counts[-1]), rng))[counts - 1]
        at = int(np.argmin(np.abs(sums - total)))
        if abs(total - sums[at]) < abs(gap) or len(nearest) == 0:
            nearest, gap = drawn[: counts[at]], int(total - sums[at])
        if gap == 0:
            break
    return _raised(nearest, gap, law.least, most, rng)


def _raised(
    numbers: IntArray, by: int, least: int, most: int, rng: np.random.Generator
) -> IntArray:
    """The same numbers with another sum, each as little changed as possible."""
    while by:
        free = np.flatnonzero(numbers < most if by > 0 else numbers > least)
        changed = rng.permutation(free)[: abs(by)]
        numbers[changed] += np.sign(by)
        by -= int(np.sign(by)) * len(changed)
    return numbers
