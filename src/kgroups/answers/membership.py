r"""How sure the label of a row is: probabilities from squared distances, by one temperature.

.. math:: p_l(x) = \frac{e^{-\|φ(x) - μ_l\|^2 / T}}{\sum_m e^{-\|φ(x) - μ_m\|^2 / T}}

The nearest centroid has the largest probability, whatever T is. T is such that the mean entropy of
some rows of the fit equals that of a reassignment by halves: a random half of the rows is clustered
anew, a mixture is fitted to it, beginning with these clusters, and reassigns the rows of the other
half. How often halves differ would not do: the border between two clusters settles as rows become
many, and rows near it remain as uncertain as they were. Nor would the clusters of all rows do as
those of a half: of rows without structure, such as random categories, they are one of many cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from kgroups.answers.centers import weighted_median
from kgroups.gram import DenseGram
from kgroups.input.rows import is_table
from kgroups.runtime.eigenpairs import eigenpairs_by_division
from kgroups.runtime.scaling import power_of_two
from kgroups.semimetrics import Cosine, Energy, Semimetric
from kgroups.semimetrics.semimetric import CoordinateSemimetric
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.problem import Problem
from kgroups.solvers.starts import plus_plus
from kgroups.typing import BoolArray, Float64Array, IntArray

#: Labels with a smaller probability are uncertain.
UNCERTAIN = 0.6
#: Rows by which a temperature is found, at most; there are more for many clusters.
MOST_ROWS, ROWS_PER_CLUSTER = 1_000, 20
_SPLITS = 5
# New starts of a half at most, and the search from each.
_STARTS, _SOLVER = 8, Hartigan(tol=1e-9)
# Directions in which clusters are told apart, at most.
_DIRECTIONS = 20
_MOST_STEPS = 100
# Multiply-adds that the steps of one mixture may take.
_MOST_WORK = 1e9
# A mixture has settled when its mean entropy changes by less than this share.
_SETTLED = 1e-3
# An outlier is so many standard deviations farther away than usual, and a cluster with less than
# this share of the rows may hold nothing else.
_FAR, _FEW = 4.0, 0.1
# Differences of squared distances, relative to the largest, that rounding may make.
_ROUNDING = 1e-9
_LEAST = np.finfo(np.float64).tiny
# The least variance within clusters in directions where that of all rows is 1: rows of a cluster
# may be equal.
_NARROWEST = 1e-12
# Temperatures as multiples of the largest squared distance.
_COLDEST, _HOTTEST = 1e-9, 1e9


@dataclass(frozen=True, eq=False)
class FitSample:
    """Some rows of a fit: labels, weights, distances to all centroids and to each other."""

    #: Their numbers.
    rows: IntArray
    labels: IntArray
    weights: Float64Array
    squared: Float64Array  # (m, k) squared distances to the centroids
    rho: Float64Array  # (m, m), as the fit has it
    lengths: Float64Array  # (m, m), see :func:`lengths_between`

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.squared.shape[1])

    @property
    def n_elsewhere(self) -> int:
        """How many rows are not in a cluster with the nearest centroid, beyond rounding."""
        own = self.squared[np.arange(len(self.labels)), self.labels]
        size = np.abs(self.squared[np.isfinite(self.squared)]).max(initial=0.0)
        return int(np.count_nonzero(own - self.squared.min(axis=1) > _ROUNDING * size))


def sample_size(n: int, n_clusters: int) -> int:
    """How many rows of n a temperature is found by."""
    return min(n, max(MOST_ROWS, ROWS_PER_CLUSTER * n_clusters))


def lengths_between(data: Any, metric: Semimetric, rho: Float64Array) -> Float64Array:
    """Squared lengths between some rows, by which mixtures are fitted, (m, m).

    ‖x − y‖² where ρ is a function of the differences of the columns of a dense table, because a
    mixture in the space of a bounded kernel has no Gaussian shape; else :func:`squared_lengths`.
    """
    is_plain = isinstance(metric, CoordinateSemimetric) and metric.is_translation_invariant
    if is_plain and is_table(data):
        unit = power_of_two(float(np.abs(data).max(initial=0.0)))  # no square over- or underflows
        return np.asarray(Energy(2.0).pairwise(data / unit), np.float64)
    return squared_lengths(rho, metric)


def squared_lengths(rho: Float64Array, metric: Semimetric | str) -> Float64Array:
    """ρ as the square of a length in some unit: ρ itself of a kernel or a cosine, else ρ²."""
    is_square = metric == "precomputed_kernel" or isinstance(metric, Cosine)
    rho = np.maximum(rho, 0.0) / power_of_two(float(rho.max(initial=0.0)))
    return rho if is_square else np.square(rho)


def temperature_of(sample: FitSample) -> float:
    """T of a fit, in units of ρ: the mean entropy of the sample is that of its reassignment.

    Outliers do not count. O(m²k) time for m rows of a sample. 1 where there is one cluster.
    """
    if sample.n_clusters == 1:
        return 1.0
    usual = usual_rows(sample)
    share = sample.weights[usual] / sample.weights[usual].sum()
    wanted = float(share @ _entropies_of_mean(reassigned(sample, usual)[:, usual]))
    squared = sample.squared[usual]
    unit = power_of_two(float(np.abs(squared[np.isfinite(squared)]).max()))
    squared = squared / unit
    low, high = np.log(_COLDEST), np.log(_HOTTEST)
    for _ in range(60):  # halving reaches the last digit
        middle = 0.5 * (low + high)
        found = float(share @ entropies(probabilities(squared, float(np.exp(middle)))))
        low, high = (middle, high) if found < wanted else (low, middle)
    return unit * float(np.exp(0.5 * (low + high)))


def usual_rows(sample: FitSample) -> BoolArray:
    """Which rows of a sample are not outliers, because these would widen all clusters. O(m²).

    A row is one if it is too far from the middle of its cluster, the row with the smallest mean
    length to the others. Cube roots of squared lengths are nearly normal (Wilson and Hilferty,
    1931); the limit are four standard deviations, by the median absolute deviation. Rows of a
    cluster with few rows are measured from the nearest of the others, which they may be outliers
    of, together. All rows count where those that are left are of one cluster.
    """
    m, k = sample.squared.shape
    middles, near = np.zeros(k, np.int64), sample.labels.copy()
    sums = np.bincount(sample.labels, sample.weights, k)
    large = np.flatnonzero(sums >= min(_FEW, 0.5 / k) * sums.sum())
    for cluster in large.tolist():
        members = np.flatnonzero(sample.labels == cluster)
        apart = np.sqrt(sample.lengths[np.ix_(members, members)])
        middles[cluster] = members[np.argmin(apart @ sample.weights[members])]
    others = np.flatnonzero(~np.isin(sample.labels, large))
    nearest = np.argmin(sample.lengths[np.ix_(others, middles[large])], axis=1)
    near[others] = large[nearest]
    size = np.cbrt(sample.lengths[np.arange(m), middles[near]])
    limits = np.full(k, np.inf)
    for cluster in large.tolist():
        members = np.flatnonzero(sample.labels == cluster)
        limits[cluster] = _limit(size[members], sample.weights[members])
    usual = np.asarray(size <= limits[near])
    return usual if len(np.unique(sample.labels[usual])) > 1 else np.ones(m, np.bool_)


def _limit(size: Float64Array, weights: Float64Array) -> float:
    """Four standard deviations above the median; infinity where most are alike."""
    middle = weighted_median(size, weights)
    deviation = weighted_median(np.abs(size - middle), weights)
    return middle + _FAR * 1.4826 * deviation if deviation > _ROUNDING * middle else np.inf


def probabilities(squared: Float64Array, temperature: float) -> Float64Array:
    """Membership of each row in each cluster, (m, k), of which the largest is the nearest.

    A cluster without weight, to which the distance is infinite, has probability 0.
    """
    nearest = np.argmin(squared, axis=1)
    rows = np.arange(len(squared))
    with np.errstate(under="ignore"):
        found = np.exp((squared[rows, nearest][:, None] - squared) / temperature)
        found /= found.sum(axis=1, keepdims=True)
    # Distances that differ in the last digit may have equal probabilities.
    tied = np.flatnonzero(np.argmax(found, axis=1) != nearest)
    found[tied, nearest[tied]] = np.nextafter(found[tied].max(axis=1), 2.0)
    return np.asarray(found)


def entropies(found: Float64Array) -> Float64Array:
    """−Σ p log p of each row, in nats."""
    return np.asarray(-(found * np.log(np.maximum(found, _LEAST))).sum(axis=-1))


def _entropies_of_mean(found: Float64Array) -> Float64Array:
    """Entropies of the mean of infinitely many memberships, of which some are given, (s, m, k).

    The mean of few is too sure by about a multiple of 1/s, which the jackknife removes.
    """
    s, total = len(found), found.sum(axis=0)
    others = entropies((total - found) / (s - 1)).mean(axis=0)
    return np.asarray(s * entropies(total / s) - (s - 1) * others)


def reassigned(sample: FitSample, usual: BoolArray) -> Float64Array:
    """Membership of usual rows by mixtures of halves that do not hold them, (splits, m, k)."""
    m, k = sample.squared.shape
    if usual.sum() < 3 * k:  # halves of so few rows need not have rows of every cluster
        return np.tile(np.eye(k)[sample.labels], (_SPLITS, 1, 1))
    rng = np.random.default_rng(0)
    unit = power_of_two(float(np.abs(sample.rho).max()))
    gram, found = DenseGram.from_distances(sample.rho / unit), np.zeros((_SPLITS, m, k))
    for split in found:
        order = rng.permutation(m)
        order = order[usual[order]]
        half = len(order) // 2
        for own, other in ((order[:half], order[half:]), (order[half:], order[:half])):
            labels = _clustered_again(sample, gram, own, rng)
            split[other] = _by_half(sample, own, labels, other)
    return found


def _clustered_again(
    sample: FitSample, gram: DenseGram, own: IntArray, rng: np.random.Generator
) -> IntArray:
    """Labels of a half by itself, by the names of the clusters of the fit that share most with it.

    The best that the search reaches from the labels of the fit and from new starts, until one
    reaches the best again. Other rows have no weight.
    """
    alive, names = np.unique(sample.labels[own], return_inverse=True)
    begun, weights = np.zeros(gram.n, np.int64), np.zeros(gram.n)
    begun[own], weights[own] = names, sample.weights[own]
    problem = Problem(gram, weights, len(alive), origin_is_free=True)
    found = _SOLVER.solve(problem, begun)
    for _ in range(_STARTS):
        other = _SOLVER.solve(problem, plus_plus(problem, rng))
        rise = other.objective - found.objective
        if rise > 0:
            found = other
        if abs(rise) <= _ROUNDING * abs(found.objective):
            break  # reached twice
    labels = found.labels[own]
    shared = np.zeros((len(alive), len(alive)))
    np.add.at(shared, (labels, names), weights[own])
    _, match = linear_sum_assignment(shared, maximize=True)
    return np.asarray(alive[match[labels]])


def _by_half(sample: FitSample, own: IntArray, labels: IntArray, other: IntArray) -> Float64Array:
    """Membership of the rows ``other`` by the mixture of the rows ``own`` with these labels."""
    m, k = sample.squared.shape
    weights = sample.weights[own]
    held = np.zeros((m, k))
    held[own, labels] = weights
    sums = held.sum(axis=0)
    alive = np.flatnonzero(sums > 0)
    # The mean squared length to each cluster is, up to a term that all clusters share, linear in
    # Euclidean coordinates: differences between clusters are discriminant directions.
    places = sample.lengths @ (held[:, alive] / sums[alive])
    places = _whitened(places - places.mean(axis=1, keepdims=True), own, weights)
    mixture = Mixture.fitted(places[own], held[np.ix_(own, alive)], weights)
    found = np.zeros((len(other), k))
    found[:, alive] = mixture.responsibilities(places[other])
    return found


def _whitened(places: Float64Array, own: IntArray, weights: Float64Array) -> Float64Array:
    """The leading directions of some rows, each with variance 1 there."""
    places = places - np.average(places[own], axis=0, weights=weights)
    scale = float(np.abs(places).max()) or 1.0
    places = places / scale
    some = places[own] * np.sqrt(weights / weights.sum())[:, None]
    variances, directions = eigenpairs_by_division(some.T @ some)
    kept = np.flatnonzero(variances > 1e-9 * max(float(variances[-1]), _LEAST))[-_DIRECTIONS:]
    if not len(kept):
        return np.zeros((len(places), 1))
    return np.asarray(places @ directions[:, kept] / np.sqrt(variances[kept]))


@dataclass(frozen=True, eq=False)
class Mixture:
    """Gaussian clusters of one covariance, as a linear rule: log p_l = ⟨a_l, x⟩ + b_l + c(x)."""

    slopes: Float64Array  # (directions, k)
    offsets: Float64Array  # (k,)

    @classmethod
    def fitted(cls, places: Float64Array, held: Float64Array, weights: Float64Array) -> Mixture:
        """The mixture that expectation and maximization reach from given labels.

        ``held`` are the weights of the rows in their clusters, (m, k).
        """
        steps = int(np.clip(_MOST_WORK / (places.size * held.shape[1]), 5, _MOST_STEPS))
        mixture, before = cls.of(places, held), np.inf
        for _ in range(steps):
            found = mixture.responsibilities(places)
            mixture = cls.of(places, found * weights[:, None])
            entropy = float(weights @ entropies(found) / weights.sum())
            if abs(entropy - before) <= _SETTLED * max(entropy, _SETTLED):
                break
            before = entropy
        return mixture

    @classmethod
    def of(cls, places: Float64Array, held: Float64Array) -> Mixture:
        """The rule of given shares of the rows in the clusters."""
        sums = np.maximum(held.sum(axis=0), _LEAST)
        means = held.T @ places / sums[:, None]
        total = float(sums.sum())
        within = (places * held.sum(axis=1)[:, None]).T @ places - (means * sums[:, None]).T @ means
        covariance = _shrunk(within / total, len(places))
        slopes = np.linalg.solve(covariance, means.T)
        offsets = np.log(sums / total) - 0.5 * np.einsum("ij,ji->i", means, slopes)
        return cls(slopes, offsets)

    def responsibilities(self, places: Float64Array) -> Float64Array:
        """The share of each row that each cluster takes, (m, k)."""
        logarithms = places @ self.slopes + self.offsets
        found = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def _shrunk(covariance: Float64Array, n: int) -> Float64Array:
    """A covariance of n rows, moved toward a multiple of the identity as far as its noise asks.

    Source: Y. Chen, A. Wiesel, Y. Eldar & A. Hero, "Shrinkage Algorithms for MMSE Covariance
    Estimation", IEEE Transactions on Signal Processing 58 (2010), eq. 23.
    """
    d = len(covariance)
    trace, squares = float(np.trace(covariance)), float((covariance**2).sum())
    above = (1 - 2 / d) * squares + trace**2
    below = (n + 1 - 2 / d) * (squares - trace**2 / d)
    share = min(1.0, above / below) if below > 0 else 1.0
    share = max(share, 1e-9)  # so that it can be inverted
    target = max(trace / d, _NARROWEST) * np.eye(d)
    return np.asarray((1 - share) * covariance + share * target)
