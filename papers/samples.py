"""Random samples of the papers, tables as they are clustered, and measures of labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from kgroups.metrics import clustering_accuracy
from kgroups.typing import Float64Array, IntArray

# The same partition gives the same number, whatever its clusters are called and added up first.
_DIGITS = 12


class Sample(NamedTuple):
    """Points and where they come from."""

    X: Float64Array
    y: IntArray

    def in_any_order(self, rng: np.random.Generator) -> Sample:
        """The rows in random order."""
        order = rng.permutation(len(self.y))
        return Sample(self.X[order], self.y[order])


def normal(
    y: IntArray, means: Float64Array, deviations: Float64Array, rng: np.random.Generator
) -> Sample:
    """Normal points of given classes, one row of means and of deviations for each class."""
    return Sample(means[y] + deviations[y] * rng.standard_normal((len(y), means.shape[1])), y)


def mixture(
    n: int,
    means: Float64Array,
    deviations: Float64Array,
    rng: np.random.Generator,
    weights: Sequence[float] | None = None,
) -> Sample:
    """Normal points whose classes are drawn with ``weights``, all alike for None."""
    return normal(rng.choice(len(means), size=n, p=weights), means, deviations, rng)


def in_equal_parts(
    n_each: int, means: Float64Array, deviations: Float64Array, rng: np.random.Generator
) -> Sample:
    """As many normal points in each class."""
    return normal(np.repeat(np.arange(len(means)), n_each), means, deviations, rng)


def lognormal(draw: Callable[..., Sample], *settings: Any) -> Sample:
    """Exponentials of the coordinates of a sample."""
    X, y = draw(*settings)
    return Sample(np.exp(X), y)


def signal(
    D: int, shift: float, n_columns: int = 10, *, first: float = 1.0, second: ArrayLike = 1.0
) -> tuple[Float64Array, Float64Array]:
    """Means and deviations of two classes that are ``shift`` apart in the first columns.

    Variances are 1, but ``first`` in the first class and ``second`` in those columns of the second.
    """
    means, deviations = np.zeros((2, D)), np.ones((2, D))
    means[1, :n_columns] = shift
    deviations[0] = np.sqrt(first)
    deviations[1, :n_columns] = np.sqrt(second)
    return means, deviations


def cigars(n_each: int, rng: np.random.Generator) -> Sample:
    """Two normal classes side by side, 4.5 times as long as wide [FRV-b, eq. of the cigars]."""
    means = np.array([[0.0, 0.0], [6.5, 0.0]])
    deviations = np.tile([1.0, np.sqrt(20.0)], (2, 1))
    return in_equal_parts(n_each, means, deviations, rng).in_any_order(rng)


def circles(radii: Sequence[float], n_each: int, noise: float, rng: np.random.Generator) -> Sample:
    """Concentric circles, uniform in the angle, with normal noise in both coordinates."""
    y = np.repeat(np.arange(len(radii)), n_each)
    angle = rng.uniform(0, 2 * np.pi, len(y))
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.asarray(radii)[y, None] * around + noise * rng.standard_normal((len(y), 2))
    return Sample(X, y).in_any_order(rng)


def spirals(n_each: int, noise: float, rng: np.random.Generator) -> Sample:
    """Two arms ± t (cos t, sin t), t in even steps over two turns, with normal noise."""
    t = np.linspace(0, 4 * np.pi, n_each)
    arm = t[:, None] * np.column_stack([np.cos(t), np.sin(t)])
    X = np.concatenate([arm, -arm]) + noise * rng.standard_normal((2 * n_each, 2))
    return Sample(X, np.repeat([0, 1], n_each)).in_any_order(rng)


def standardized(X: Float64Array) -> Float64Array:
    """Columns of mean 0 and variance 1, divided by n; a constant column is 0."""
    centered = X - X.mean(axis=0)
    found: Float64Array = np.zeros_like(centered)
    np.divide(centered, X.std(axis=0), out=found, where=np.ptp(X, axis=0) > 0)
    return found


def accuracies(y: IntArray, labels: Mapping[str, IntArray]) -> dict[str, dict[str, float]]:
    """The accuracy [FRV eq. 55] of each method."""
    return {key: {"accuracy": clustering_accuracy(y, found)} for key, found in labels.items()}


def mutual_information(y: IntArray, labels: IntArray) -> float:
    """Mutual information over the geometric mean of the entropies: NMI as [FRV] has it."""
    found = normalized_mutual_info_score(y, labels, average_method="geometric")
    return round(float(found), _DIGITS)


def agreement(y: IntArray, labels: IntArray) -> dict[str, float]:
    """Accuracy, adjusted Rand index and NMI."""
    return {
        "accuracy": clustering_accuracy(y, labels),
        "adjusted_rand": round(float(adjusted_rand_score(y, labels)), _DIGITS),
        "nmi": mutual_information(y, labels),
    }
