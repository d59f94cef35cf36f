"""Random samples of the papers: rows and the class of each."""

from typing import NamedTuple

import numpy as np

from kgroups_papers.types import Float64Array, IntArray


class Sample(NamedTuple):
    """Points and where they come from."""

    X: Float64Array
    y: IntArray


def mixture(
    n: int,
    means: Float64Array,
    deviations: Float64Array,
    rng: np.random.Generator,
    *,
    lognormal: bool = False,
    weights: tuple[float, ...] | None = None,
) -> Sample:
    """Normal distributions with diagonal covariances, one row of means and deviations each.

    Classes are drawn with ``weights``, all alike for None; ``lognormal`` takes exponentials of the
    coordinates.
    """
    y = rng.choice(len(means), size=n, p=weights)
    X = means[y] + deviations[y] * rng.standard_normal((n, means.shape[1]))
    return Sample(np.exp(X) if lognormal else X, y)


def in_equal_parts(
    n_each: int,
    means: Float64Array,
    deviations: Float64Array,
    rng: np.random.Generator,
    *,
    lognormal: bool = False,
) -> Sample:
    """The distributions of :func:`mixture`, with the same number of points in each class."""
    y = np.repeat(np.arange(len(means)), n_each)
    X = means[y] + deviations[y] * rng.standard_normal((len(y), means.shape[1]))
    return Sample(np.exp(X) if lognormal else X, y)


def narrow_and_wide(n: int, rng: np.random.Generator, *, lognormal: bool = False) -> Sample:
    """Variances 1/2 and 1 in 20 dimensions, signal 1/2 in five of them [FRV eq. 58]."""
    means, deviations = np.zeros((2, 20)), np.ones((2, 20))
    means[1, :5] = 0.5
    deviations[0] = np.sqrt(0.5)
    return mixture(n, means, deviations, rng, lognormal=lognormal)


def on_grid(side: int, variance: float, rng: np.random.Generator) -> Sample:
    """Ten points around each point of a square grid of step 1 [FRV section 5.1.2, Fig. 3e]."""
    means = np.array([(a, b) for a in range(side) for b in range(side)], dtype=np.float64)
    return in_equal_parts(10, means, np.full(means.shape, np.sqrt(variance)), rng)


def few_and_many(n: int, m: int, rng: np.random.Generator) -> Sample:
    """Classes of probability (n ∓ m)/2n in four dimensions [FRV eq. 59]."""
    means = np.array([[0.0, 0.0, 0.0, 0.0], [1.5, 1.5, 0.0, 0.0]])
    deviations = np.sqrt(np.array([[1.0, 1.0, 1.0, 1.0], [0.5, 0.5, 1.0, 1.0]]))
    return mixture(n, means, deviations, rng, weights=((n - m) / (2 * n), (n + m) / (2 * n)))


def lognormal_in_noise(D: int, rng: np.random.Generator) -> Sample:
    """100 points a class, exp of variances .3 and 1, signal in ten dimensions [FRV-b Fig. 3b]."""
    means, deviations = np.zeros((2, D)), np.ones((2, D))
    means[1, :10] = 0.5
    deviations[0] = np.sqrt(0.3)
    return in_equal_parts(100, means, deviations, rng, lognormal=True)
