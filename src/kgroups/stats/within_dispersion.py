"""The dispersion of labeled points within groups and between them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.parameters import check_weights, group_codes
from kgroups.input.rows import n_rows
from kgroups.runtime.threads import default_threads
from kgroups.semimetrics import Metric
from kgroups.semimetrics.finite import check_finite_dispersion
from kgroups.solvers.objective import cluster_weights
from kgroups.stats.group_means import GroupMeans, between, dispersion
from kgroups.stats.mean_distances import group_means, pairs_of
from kgroups.stats.samples import read
from kgroups.typing import Data, Float64Array


def within_dispersion(
    X: Data,
    labels: ArrayLike,
    *,
    metric: Metric = "energy",
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Dispersion inside the groups, which k-groups minimizes.

    .. math:: W = \sum_j \tfrac{s_j}{2} g(C_j, C_j), \qquad
              g(A, B) = \tfrac{1}{s_A s_B} \sum_{x∈A} \sum_{y∈B} w(x)\,w(y)\,ρ(x, y)

    For a Gram matrix W = Σ w K(x, x) − Q. Time: O(n log n + nk) per column on a line, for Manhattan
    and for ``Energy(2)``, otherwise one pass over all pairs, O(n²D); memory O(n(D + k)).

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As in ``fit`` of :class:`kgroups.KernelKGroups`; n numbers for points on a line.
    labels : array (n,)
        The group of each point: integers, text, anything that can be sorted.
    metric : str, semimetric or callable, default="energy"
        ``"precomputed"`` for a matrix of distances, ``"precomputed_kernel"`` for a Gram matrix.
    sample_weight : array (n,) or None
        Not negative, not all zero.

    Returns
    -------
    float
        In units of ρ times weight.

    Raises
    ------
    ValueError
        For labels that are missing or of another length, and for any input that ``fit`` would
        refuse.

    Examples
    --------
    >>> from kgroups.stats import within_dispersion
    >>> within_dispersion([0.0, 1.0, 10.0, 12.0], ["a", "a", "b", "b"])
    1.5

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020.

    [LR] S. Li and M. L. Rizzo, "k-Groups: A Generalization of k-Means Clustering", 2017.
    """
    return _of_groups(dispersion, X, labels, metric, sample_weight)


def between_statistic(
    X: Data,
    labels: ArrayLike,
    *,
    metric: Metric = "energy",
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Dispersion between the groups, which k-groups maximizes.

    .. math:: S = \sum_{i<j} \tfrac{s_i s_j}{2s}
              \left[2g(C_i, C_j) - g(C_i, C_i) - g(C_j, C_j)\right]

    S + W = (s/2) g(X, X) does not depend on the labels. Time and memory as for
    :func:`within_dispersion`.

    Parameters
    ----------
    X, labels, metric, sample_weight
        As for :func:`within_dispersion`.

    Returns
    -------
    float
        In units of ρ times weight; 0 for one group.

    Raises
    ------
    ValueError
        As for :func:`within_dispersion`.

    Examples
    --------
    >>> from kgroups.stats import between_statistic, within_dispersion
    >>> X, labels = [0.0, 1.0, 10.0, 12.0], ["a", "a", "b", "b"]
    >>> between_statistic(X, labels) + within_dispersion(X, labels)
    11.25
    >>> within_dispersion(X, ["all"] * 4)
    11.25

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020.

    [RS10] M. L. Rizzo and G. J. Székely, "DISCO Analysis: A Nonparametric Extension of Analysis of
    Variance", Ann. Appl. Stat. 4 (2), 2010, where it is the between-sample component.
    """
    return _of_groups(between, X, labels, metric, sample_weight)


def _of_groups(
    statistic: Callable[[GroupMeans, Float64Array], Float64Array],
    X: Data,
    labels: ArrayLike,
    metric: Metric,
    sample_weight: ArrayLike | None,
) -> float:
    space, data = read(X, metric, deeper=1)
    n = n_rows(data)
    groups, codes = group_codes(labels, n)
    weights = check_weights(sample_weight, n)
    pairs = pairs_of(space, data, default_threads())
    means = group_means(pairs, codes, weights, len(groups))
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        found = float(statistic(means, cluster_weights(codes, weights, len(groups))))
    check_finite_dispersion(np.array([found]), weights.max())
    return found
