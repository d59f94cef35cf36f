"""The two halves of the dispersion of labeled points: within groups and between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kgroups.input.parameters import check_weights
from kgroups.input.rows import n_rows
from kgroups.input.spaces import Space
from kgroups.runtime.threads import default_threads
from kgroups.solvers.objective import cluster_weights
from kgroups.stats._groups import GroupMeans, between, dispersion
from kgroups.stats._means import group_means, pairs_of
from kgroups.stats._samples import group_codes, read
from kgroups.typing import Float64Array


def within_dispersion(
    X: Any, labels: Any, *, metric: Any = "energy", sample_weight: Any = None
) -> float:
    r"""Dispersion inside the groups, which k-groups minimizes.

    .. math:: W = \sum_j \tfrac{s_j}{2} g(C_j, C_j), \qquad
              g(A, B) = \tfrac{1}{s_A s_B} \sum_{x∈A} \sum_{y∈B} w(x)\,w(y)\,ρ(x, y)

    For a Gram matrix W = Σ w K(x, x) − Q. On a line, for Manhattan and for ``Energy(2)`` O(n log n)
    and O(nk) a column, otherwise one pass over all pairs, O(n²D); memory O(n(D + k)).

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As ``fit`` of :class:`kgroups.KernelKGroups` takes it; n numbers for points on a line.
    labels : array (n,)
        The group of each point: integers, text, anything that sorts.
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
        For labels of another length or missing, and for any input that ``fit`` would refuse.

    Examples
    --------
    >>> from kgroups.stats import within_dispersion
    >>> within_dispersion([0.0, 1.0, 10.0, 12.0], ["a", "a", "b", "b"])
    1.5

    References
    ----------
    [FRV]; [LR].
    """
    space, data = read(X, metric)
    return _of_groups(dispersion, space, data, labels, sample_weight)


def between_statistic(
    X: Any, labels: Any, *, metric: Any = "energy", sample_weight: Any = None
) -> float:
    r"""Dispersion between the groups, which k-groups maximizes.

    .. math:: S = \sum_{i<j} \tfrac{s_i s_j}{2s}
              \left[2g(C_i, C_j) - g(C_i, C_i) - g(C_j, C_j)\right]

    S + W = (s/2) g(X, X), whatever the labels are. Time and memory as for
    :func:`within_dispersion`.

    Parameters
    ----------
    X, labels, metric, sample_weight
        As for :func:`within_dispersion`.

    Returns
    -------
    float
        In units of ρ times weight; 0 for one group.

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
    [FRV]; [RS10], where it is the between-sample component.
    """
    space, data = read(X, metric)
    return _of_groups(between, space, data, labels, sample_weight)


def _of_groups(
    statistic: Callable[[GroupMeans, Float64Array], Float64Array],
    space: Space,
    data: Any,
    labels: Any,
    sample_weight: Any,
) -> float:
    n = n_rows(data)
    groups, codes = group_codes(labels, n)
    weights = check_weights(sample_weight, n)
    pairs = pairs_of(space, data, default_threads())
    means = group_means(pairs, codes, weights, len(groups))
    with np.errstate(over="ignore", invalid="ignore"):  # looked at below
        found = float(statistic(means, cluster_weights(codes, weights, len(groups))))
    if not np.isfinite(found):
        raise ValueError(
            "The dispersion is not a finite number: sample_weight is too large for it, up to "
            f"{weights.max():.6g}. Divide all weights by that; the dispersion is divided with them."
        )
    return found
