"""DISCO: the analysis of variance with distances instead of squares."""

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.parameters import check_integer, check_n_jobs, group_codes
from kgroups.input.rows import n_rows
from kgroups.runtime.seeds import seed_of
from kgroups.runtime.threads import effective_n_jobs
from kgroups.semimetrics import Metric
from kgroups.stats.group_means import between, dispersion
from kgroups.stats.mean_distances import pairs_of
from kgroups.stats.permutations import permuted_statistics, pvalue
from kgroups.stats.results import DiscoResult
from kgroups.stats.samples import check_several_groups, read
from kgroups.typing import Data, RandomStateLike

# Under permuted labels a W below this share of S is 0 up to rounding.
_ROUNDING = 1e-14


def disco(
    X: Data,
    labels: ArrayLike,
    *,
    metric: Metric = "energy",
    n_permutations: int = 999,
    random_state: RandomStateLike = None,
    n_jobs: int | None = None,
) -> DiscoResult:
    r"""Distance components: the dispersion of labeled points, within groups and between them.

    .. math:: F = \frac{S / (k - 1)}{W / (n - k)}, \qquad S + W = \tfrac n2 g(X, X)

    S is :func:`between_statistic` and W :func:`within_dispersion`; with ``Energy(2)`` they are the
    sums of squares of the analysis of variance. p is the share of random assignments of the points
    to the groups whose S, and therefore F, is at least as large, with the given one included. F is
    0 when all points are equal, and infinite when they are equal only within groups. Time and
    memory as for :func:`energy_test`.

    Parameters
    ----------
    X, labels, metric
        As for :func:`within_dispersion`.
    n_permutations, random_state, n_jobs
        As for :func:`energy_test`.

    Returns
    -------
    DiscoResult
        ``statistic`` (F), ``pvalue``, ``within``, ``between``, ``total``, ``df_between``,
        ``df_within`` and more.

    Raises
    ------
    ValueError
        For fewer than two groups, missing labels, and any input that ``fit`` would refuse.

    Examples
    --------
    >>> from kgroups.stats import disco
    >>> result = disco([0.0, 1.0, 10.0, 12.0], ["a", "a", "b", "b"], random_state=0)
    >>> result.within, result.between, result.statistic
    (1.5, 9.75, 13.0)

    References
    ----------
    [RS10] M. L. Rizzo and G. J. Székely, "DISCO Analysis: A Nonparametric Extension of Analysis of
    Variance", Ann. Appl. Stat. 4 (2), 2010.

    M. L. Rizzo and G. J. Székely, R package "energy", function ``disco``.
    """
    check_integer(n_permutations, "n_permutations")
    n_threads = effective_n_jobs(check_n_jobs(n_jobs))
    space, data = read(X, metric)
    n = n_rows(data)
    groups, codes = group_codes(labels, n)
    check_several_groups(groups)
    k = len(groups)
    pairs, seed = pairs_of(space, data, n_threads), seed_of(random_state)
    sizes = np.bincount(codes).astype(np.float64)
    observed, both = permuted_statistics(
        pairs, codes, k, n_permutations, seed, n_threads,
        lambda means: np.stack([dispersion(means, sizes), between(means, sizes)], axis=-1),
    )  # fmt: skip
    with np.errstate(over="ignore", invalid="ignore"):  # checked with the p-value
        W, S = float(dispersion(observed, sizes)), float(between(observed, sizes))
    freedom = max(n - k, 1) / (k - 1)
    return DiscoResult(
        statistic=_ratio(S, W) * freedom,
        # F increases with S, because the total is the same for all permutations.
        pvalue=pvalue(both[:, 1], W + S),
        n_permutations=n_permutations,
        groups=groups,
        sizes=tuple(np.bincount(codes).tolist()),
        metric=metric if space.semimetric is None else space.semimetric,
        permuted=np.array([_ratio(s, _known(w, s)) for w, s in both[1:]]) * freedom,
        within=W,
        between=S,
        total=W + S,
        df_between=k - 1,
        df_within=n - k,
    )


def _ratio(between: float, within: float) -> float:
    """Between divided by within; 0 for 0 / 0, when no points differ, and infinity for x / 0."""
    if within > 0:
        return float(between / within)
    return float(np.inf) if between > 0 else 0.0


def _known(within: float, between: float) -> float:
    """W under permuted labels, and 0 if it is only rounding."""
    return within if within > _ROUNDING * abs(between) else 0.0
