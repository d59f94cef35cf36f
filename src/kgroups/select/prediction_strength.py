"""Prediction strength: whether both halves of the data have the same clusters."""

from collections.abc import Iterable
from typing import Unpack

import numpy as np

from kgroups.input.parameters import check_integer
from kgroups.select.criterion import Criterion, check_k_range, largest_that
from kgroups.select.halves import N_SPLITS, Split, splits
from kgroups.select.subject import Sampling, Subject
from kgroups.select.successive import Successive
from kgroups.typing import Data, Float64Array, IntArray

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

    where A_j are the clusters of one half of the rows. It is 0 where the other half leaves one of
    its k clusters without rows of this half. The answer is the largest k whose mean over the
    splits, plus its standard error, reaches 0.8, or the smallest k tried if none does; one cluster
    has the value 1. Time: partitions of both halves for each split, see
    :func:`choose_n_clusters`.

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
    return prediction_strength_of(subject, k, check_integer(n_splits, "n_splits"))


def prediction_strength_of(subject: Subject, k: IntArray, n_splits: int = N_SPLITS) -> Criterion:
    """Prediction strength of data that have been read."""
    halves = splits(subject, n_splits)
    most = [split.most(int(k[-1])) for split in halves]
    several = [i for i in range(n_splits) if most[i] > 1]
    tasks = [
        (halves[i], half, most[i]) for i in several for half in (halves[i].train, halves[i].test)
    ]
    made = subject.each(lambda task: task[0].partitions(*task[1:]), tasks, "prediction strength")
    values = np.tile(np.where(k == 1, 1.0, np.nan), (n_splits, 1))
    for i, train, test in zip(several, made[::2], made[1::2], strict=True):
        values[i] = strengths(halves[i], train, test, most[i], k)
    mean, error = values.mean(axis=0), values.std(axis=0) / np.sqrt(n_splits)
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


def strengths(
    split: Split, train: Successive, test: Successive, most: int, k: IntArray
) -> Float64Array:
    """The strength for each k, 1 for one cluster, and NaN where there cannot be as many."""
    values = np.where(k == 1, 1.0, np.nan)
    predicted = split.predicted(train, most)
    for place in np.flatnonzero((k > 1) & (k <= most)):
        number = int(k[place])
        values[place] = strength(test.labels(number), predicted[number - 1])
    return values


def strength(found: IntArray, predicted: IntArray) -> float:
    """The share of pairs of the worst cluster found that the other half keeps together.

    0 if the other half predicts fewer clusters: they keep all rows together and say nothing.
    """
    k = int(found.max()) + 1
    if len(np.unique(predicted)) < k:
        return 0.0
    table = np.zeros((k, k))
    np.add.at(table, (found, predicted), 1.0)
    size = table.sum(axis=1)
    together = (table * (table - 1)).sum(axis=1)
    several = size > 1
    return float((together[several] / (size * (size - 1))[several]).min())
