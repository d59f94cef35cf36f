"""Distances between two samples: the energy distance and the maximum mean discrepancy."""

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.parameters import check_weights
from kgroups.runtime.threads import default_threads
from kgroups.semimetrics import Metric
from kgroups.stats.group_means import GroupMeans
from kgroups.stats.mean_distances import group_means, pairs_of
from kgroups.stats.samples import pooled, read
from kgroups.typing import Data, Float64Array

_NAMES = ("X", "Y")
# A weight below this share of the largest is too small for its pairs to exceed rounding.
_NOTHING = 1e-12


def energy_distance(
    X: Data,
    Y: Data,
    *,
    metric: Metric = "energy",
    unbiased: bool = False,
    sample_weight_X: ArrayLike | None = None,
    sample_weight_Y: ArrayLike | None = None,
) -> float:
    r"""Energy distance between the distributions of two samples.

    .. math:: 𝓔(X, Y) = 2Eρ(X, Y) - Eρ(X, X') - Eρ(Y, Y')

    The means are over all pairs, including those of a point with itself (a V-statistic). This is
    the energy distance between the two empirical distributions: nonnegative for a semimetric of
    negative type, and 0 only for equal samples if the semimetric can tell distributions apart, as
    :class:`~kgroups.semimetrics.Energy` with alpha < 2 can. With ``unbiased`` the means within a
    sample are over pairs of different points (a U-statistic), which makes it unbiased, and negative
    about half the time when the distributions are equal.

    Time: O(n log n) per column on a line, for Manhattan and for ``Energy(2)``, by sorting or by
    means; otherwise O(n²D). Memory O(nD); for semimetrics that are Python code the n × n matrix, up
    to 2,000 points.

    Parameters
    ----------
    X, Y : table (n, D) and (m, D), or sequences of objects
        Arrays, lists, frames of pandas or polars with the same columns; n numbers for points on a
        line; objects of any kind for a function of two objects.
    metric : str, semimetric or callable, default="energy"
        Parameters such as ``sigma="median"`` are computed from both samples together.
    unbiased : bool, default=False
        Leave out pairs of a point with itself.
    sample_weight_X, sample_weight_Y : array (n,) and (m,), or None
        Nonnegative; only ratios within a sample matter.

    Returns
    -------
    float
        In units of ρ. The square of :func:`scipy.stats.energy_distance`, twice the square of
        :func:`mmd`.

    Raises
    ------
    ValueError
        For samples with different columns, missing values, weights out of range, or with
        ``unbiased`` fewer than two points with weight in a sample.

    Examples
    --------
    >>> from kgroups.stats import energy_distance
    >>> energy_distance([0.0, 2.0], [5.0])
    7.0
    >>> energy_distance([0.0, 2.0], [5.0, 5.0], unbiased=True)
    6.0

    References
    ----------
    [SR13] G. J. Székely and M. L. Rizzo, "Energy Statistics: A Class of Statistics Based on
    Distances", J. Stat. Plan. Inference 143, 2013.

    D. Sejdinovic, B. Sriperumbudur, A. Gretton and K. Fukumizu, "Equivalence of Distance-Based and
    RKHS-Based Statistics in Hypothesis Testing", Ann. Statist. 41 (5), 2013.
    """
    return _energy(X, Y, metric, unbiased, sample_weight_X, sample_weight_Y)


def mmd(
    X: Data,
    Y: Data,
    *,
    metric: Metric = "energy",
    unbiased: bool = False,
    squared: bool = False,
    sample_weight_X: ArrayLike | None = None,
    sample_weight_Y: ArrayLike | None = None,
) -> float:
    r"""Maximum mean discrepancy between two samples, in the kernel that ρ generates.

    .. math:: \mathrm{MMD}^2(X, Y) = \tfrac12 𝓔(X, Y)

    With K(x, y) = ½[ρ(x, x₀) + ρ(y, x₀) − ρ(x, y)] it is the distance between the mean embeddings;
    for ``Gaussian`` and ``Laplacian`` it is the usual MMD of these kernels. An unbiased estimate of
    the square may be negative; its root is then returned as 0.0, and ``squared=True`` returns the
    estimate itself. Time and memory as for :func:`energy_distance`.

    Parameters
    ----------
    X, Y, metric, unbiased, sample_weight_X, sample_weight_Y
        As for :func:`energy_distance`.
    squared : bool, default=False
        Return MMD².

    Returns
    -------
    float
        In units of √ρ, or of ρ if ``squared``.

    Raises
    ------
    ValueError
        As for :func:`energy_distance`.

    Examples
    --------
    >>> from kgroups.stats import mmd
    >>> mmd([0.0], [8.0])
    2.8284271247461903
    >>> mmd([0.0], [8.0], squared=True)
    8.0

    References
    ----------
    A. Gretton, K. M. Borgwardt, M. J. Rasch, B. Schölkopf and A. Smola, "A Kernel Two-Sample Test",
    JMLR 13, 2012, eq. 3 (unbiased) and 5.

    D. Sejdinovic, B. Sriperumbudur, A. Gretton and K. Fukumizu, "Equivalence of Distance-Based and
    RKHS-Based Statistics in Hypothesis Testing", Ann. Statist. 41 (5), 2013.
    """
    half = _energy(X, Y, metric, unbiased, sample_weight_X, sample_weight_Y) / 2
    return half if squared else float(np.sqrt(max(half, 0.0)))


def _energy(
    X: Data,
    Y: Data,
    metric: Metric,
    unbiased: bool,
    sample_weight_X: ArrayLike | None,
    sample_weight_Y: ArrayLike | None,
) -> float:
    """The energy distance, for both public functions, whose caller is as many frames away."""
    both, sizes = pooled((X, Y), _NAMES, metric)
    weights = [
        check_weights(given, n, f"sample_weight_{name}")
        for given, n, name in zip((sample_weight_X, sample_weight_Y), sizes, _NAMES, strict=True)
    ]
    if unbiased:
        _check_several(weights)
    space, data = read(both, metric, deeper=1)
    labels = np.repeat(np.arange(2), sizes)
    pairs = pairs_of(space, data, default_threads())
    means = group_means(pairs, labels, np.concatenate(weights), 2)
    return _unbiased(means, weights) if unbiased else float(means.energy[0, 1])


def _unbiased(means: GroupMeans, weights: list[Float64Array]) -> float:
    """The energy with Σ_{i≠j} w_i w_j ρ / (s² − Σ w_i²) for the means within samples."""
    energy = float(means.energy[0, 1])
    for within, w in zip(means.within, weights, strict=True):
        share = w / w.max() / (w / w.max()).sum()
        on_diagonal = float(share @ share)
        energy -= float(within) * on_diagonal / (1 - on_diagonal)
    return energy


def _check_several(weights: list[Float64Array]) -> None:
    for w, name in zip(weights, _NAMES, strict=True):
        if np.count_nonzero(w > _NOTHING * w.max()) < 2:
            raise ValueError(
                f"unbiased=True needs at least two points with weight in each sample; {name} has "
                "one, and the others weigh nothing next to it. Omit unbiased for single points."
            )
