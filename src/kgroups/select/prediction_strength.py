"""Prediction strength: whether both halves of the data have the same clusters."""

from collections.abc import Iterable, Sequence
from typing import Unpack

import numpy as np

from kgroups.input.parameters import check_integer
from kgroups.select.criterion import Criterion, check_k_range, largest_that
from kgroups.select.halves import N_SPLITS, Split, splits
from kgroups.select.subject import Sampling, Subject
from kgroups.typing import Data, IntArray

#: The value from which on Tibshirani & Walther consider clusters as real.
THRESHOLD = 0.8


def prediction_strength(
    X: Data,
    k_range: Iterable[int] | None = None,
    *,
    n_splits: int = N_SPLITS,
    **sampling: Unpack[Sampling],
) -> Criterion:
    r"""Number of clusters by stability: the largest k whose clusters are found in both halves.

    .. math:: \mathrm{ps}(k) = \min_{j ≤ k} \frac{1}{n_j (n_j - 1)}
              \sum_{i ≠ i' \in A_j} 1[\text{the other half puts } i, i' \text{ together}]

    where A_j are the clusters of one half of the rows. The answer is the largest k whose mean over
    the splits, plus its standard error, reaches 0.8, or the smallest k tried if none does; one
    cluster has the value 1. Time: two fits to half of the rows for each split and k.

    Parameters
    ----------
    X, k_range, metric, max_samples, random_state, n_jobs
        As in :func:`gap_statistic`.
    n_splits : int, default=5
        Number of times that the rows are split into halves.

    Returns
    -------
    Criterion
        ``values`` are means over the splits, ``errors`` their standard errors.

    Raises
    ------
    ValueError
        If ``k_range`` is empty or goes beyond the rows, ``n_splits`` is below 1, or X does not fit
        the metric.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 9)])
    >>> prediction_strength(X, range(1, 5), random_state=0).n_clusters
    2

    References
    ----------
    R. Tibshirani and G. Walther, "Cluster Validation by Prediction Strength", J. Comput. Graph.
    Statist. 14 (3), 2005.
    """
    subject = Subject.of(X, **sampling)
    k = check_k_range(k_range, subject.n)
    halves = splits(subject, k, check_integer(n_splits, "n_splits"))
    return prediction_strength_of(subject, k, halves)


def prediction_strength_of(subject: Subject, k: IntArray, halves: Sequence[Split]) -> Criterion:
    """Prediction strength from splits, which other criteria may share."""
    values = np.array(subject.each(strength, halves, "prediction strength")).reshape(-1, len(k))
    mean, error = values.mean(axis=0), values.std(axis=0) / np.sqrt(len(values))
    n_clusters, rule = largest_that(
        mean + error >= THRESHOLD,
        k,
        f"the largest k whose value, with its standard error, reaches {THRESHOLD}",
    )
    return Criterion(
        name="prediction strength",
        n_clusters=n_clusters,
        k=k,
        values=mean,
        errors=error,
        rule=rule,
        threshold=THRESHOLD,
        n_samples=subject.n,
    )


def strength(split: Split) -> float:
    """The share of pairs of the worst cluster that the other half keeps together, or NaN."""
    if split.k == 1:
        return 1.0
    if not split.is_possible:
        return float(np.nan)
    table = np.zeros((split.k, split.k))
    np.add.at(table, (split.found, split.predicted), 1.0)
    size = table.sum(axis=1)
    together = (table * (table - 1)).sum(axis=1)
    several = size > 1
    return float((together[several] / (size * (size - 1))[several]).min())
