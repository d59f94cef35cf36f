"""How far two samples are apart: the energy distance and the maximum mean discrepancy."""

from __future__ import annotations

from typing import Any

import numpy as np

from kgroups.input.parameters import check_weights
from kgroups.runtime.threads import default_threads
from kgroups.stats._groups import GroupMeans
from kgroups.stats._means import group_means, pairs_of
from kgroups.stats._samples import pooled, read
from kgroups.typing import Float64Array

_NAMES = ("X", "Y")
# A weight so much smaller than the largest that pairs with it are lost in rounding.
_NOTHING = 1e-12


def energy_distance(
    X: Any,
    Y: Any,
    *,
    metric: Any = "energy",
    unbiased: bool = False,
    sample_weight_X: Any = None,
    sample_weight_Y: Any = None,
) -> float:
    r"""Energy distance between the distributions of two samples.

    .. math:: 𝓔(X, Y) = 2Eρ(X, Y) - Eρ(X, X') - Eρ(Y, Y')

    The means are over all pairs, those of a point with itself among them (a V-statistic), which is
    the energy distance of the two empirical distributions: not negative for a semimetric of
    negative type, and 0 only for equal samples where the semimetric tells them apart. With
    ``unbiased`` the means within a sample are over pairs of different points (a U-statistic): right
    on average, and negative about half the time when the distributions are equal.

    On a line, for Manhattan and for ``Energy(2)`` by sorting or by means: O(n log n) a column.
    Otherwise O(n²D) time. O(nD) memory, but for semimetrics that are Python code up to 2,000 points
    the n × n matrix.

    Parameters
    ----------
    X, Y : table (n, D) and (m, D), or sequences of objects
        Arrays, lists, frames of pandas or polars with the same columns; n numbers for points on a
        line; objects of any kind for a function of two objects.
    metric : str, semimetric or callable, default="energy"
        Parameters that come from data are taken from both samples together.
    unbiased : bool, default=False
    sample_weight_X, sample_weight_Y : array (n,) and (m,), or None
        Not negative; only ratios within a sample count.

    Returns
    -------
    float
        In units of ρ. The square of :func:`scipy.stats.energy_distance`, twice the square of
        :func:`mmd`.

    Raises
    ------
    ValueError
        For samples of different columns, missing values, weights out of range, or fewer than two
        points with weight in a sample for ``unbiased``.

    Examples
    --------
    >>> from kgroups.stats import energy_distance
    >>> energy_distance([0.0, 2.0], [5.0])
    7.0
    >>> energy_distance([0.0, 2.0], [5.0, 5.0], unbiased=True)
    6.0

    References
    ----------
    [SR13]; Sejdinovic et al., Ann. Statist. 41 (2013).
    """
    return _energy(X, Y, metric, unbiased, sample_weight_X, sample_weight_Y)


def mmd(
    X: Any,
    Y: Any,
    *,
    metric: Any = "energy",
    unbiased: bool = False,
    squared: bool = False,
    sample_weight_X: Any = None,
    sample_weight_Y: Any = None,
) -> float:
    r"""Maximum mean discrepancy between two samples, in the kernel that ρ generates.

    .. math:: \mathrm{MMD}^2(X, Y) = \tfrac12 𝓔(X, Y)

    With K(x, y) = ½[ρ(x, x₀) + ρ(y, x₀) − ρ(x, y)] it is the distance of the mean embeddings; for
    ``Gaussian`` and ``Laplacian`` that is the usual MMD of these kernels. An unbiased estimate of
    the square may be negative; its root is then given as 0.0, and ``squared=True`` gives the number
    itself. Time and memory as for :func:`energy_distance`.

    Parameters
    ----------
    X, Y, metric, unbiased, sample_weight_X, sample_weight_Y
        As for :func:`energy_distance`.
    squared : bool, default=False
        Return MMD².

    Returns
    -------
    float

    Examples
    --------
    >>> from kgroups.stats import mmd
    >>> mmd([0.0], [8.0])
    2.8284271247461903
    >>> mmd([0.0], [8.0], squared=True)
    8.0

    References
    ----------
    Gretton et al., JMLR 13 (2012), eq. 3 (unbiased) and 5; Sejdinovic et al., Ann. Statist. 41
    (2013).
    """
    half = _energy(X, Y, metric, unbiased, sample_weight_X, sample_weight_Y) / 2
    return half if squared else float(np.sqrt(max(half, 0.0)))


def _energy(
    X: Any, Y: Any, metric: Any, unbiased: bool, sample_weight_X: Any, sample_weight_Y: Any
) -> float:
    """𝓔(X, Y), for the two functions above."""
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
    """Without the diagonals, Σ_{i≠j} w_i w_j ρ / (s² − Σ w_i²) in place of the means within."""
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
                "one, beside which others weigh nothing. Leave unbiased out for single points."
            )
