"""The silhouette with ρ for the distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from kgroups.gram import GramOperator
from kgroups.runtime.threads import blocks
from kgroups.select.criterion import Criterion, check_k_range
from kgroups.select.subject import MAX_SAMPLES, Subject
from kgroups.typing import Float64Array, IntArray

_N_INIT = 8
_PIECE = 4096


def silhouette(
    X: Any,
    k_range: Any = None,
    *,
    metric: Any = "energy",
    max_samples: int = MAX_SAMPLES,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Criterion:
    r"""Number of clusters by the mean silhouette, which cannot answer 1.

    .. math:: \frac1n \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}

    with a_i the mean ρ to the others of the own cluster and b_i the least mean ρ to another
    cluster; 0 for a point alone in its cluster. Time: a fit and a pass over the pairs for each k;
    memory: that of a fit.

    Parameters
    ----------
    X, k_range, metric, max_samples, random_state, n_jobs
        As in :func:`gap_statistic`.

    Returns
    -------
    Criterion
        ``n_clusters`` is the k with the largest value.

    Examples
    --------
    >>> silhouette([[0.0], [1.0], [10.0], [11.0]], [2, 3], random_state=0).n_clusters
    2

    References
    ----------
    Rousseeuw, J. Comput. Appl. Math. 20 (1987).
    """
    subject = Subject.of(
        X, metric, max_samples=max_samples, random_state=random_state, n_jobs=n_jobs
    )
    k = check_k_range(k_range, subject.n)
    return silhouette_of(subject, k)


def silhouette_of(subject: Subject, k: IntArray) -> Criterion:
    """The criterion of a subject."""
    gram, seed, most = subject.gram(), subject.seed, subject.count_distinct(int(k[-1]))

    def mean(number: int) -> float:
        """Of all points, in so many clusters; NaN where there are none such."""
        if number == 1 or number > most:
            return float(np.nan)
        labels = np.array(subject.fit(number, seed, _N_INIT).labels_)
        return float(silhouettes(gram, labels, number).mean())

    values = np.array(subject.each(mean, k.tolist(), "silhouette"))
    best = k[np.nanargmax(values)] if np.isfinite(values).any() else k[0]
    return Criterion(
        name="silhouette",
        n_clusters=int(best),
        k=k,
        values=values,
        rule="the k with the largest mean silhouette; it cannot say 1",
        knows_one=False,
        n_samples=subject.n,
    )


def silhouettes(gram: GramOperator, labels: IntArray, k: int) -> Float64Array:
    """The silhouette of each point, from sums of distances alone; ``gram`` is −ρ/2."""
    count = np.bincount(labels, minlength=k).astype(np.float64)
    sums = gram.running_sums(labels, np.ones(gram.n), k)
    out = np.zeros(gram.n)
    for a, b in blocks(0, gram.n, _PIECE):
        far, own = -2.0 * sums.block(a, b), labels[a:b]
        place = (own, np.arange(b - a))
        alone = count[own] == 1
        inside = far[place] / np.maximum(count[own] - 1, 1)
        far /= np.maximum(count, 1)[:, None]
        far[count == 0] = np.inf
        far[place] = np.inf
        nearest = far.min(axis=0)
        larger = np.maximum(inside, nearest)
        whole = np.divide(nearest - inside, larger, out=np.zeros(b - a), where=larger > 0)
        out[a:b] = np.where(alone, 0.0, whole)
    return out
