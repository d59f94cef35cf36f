"""The silhouette criterion, with ρ as the distance."""

from collections.abc import Iterable
from typing import Unpack

import numpy as np

from kgroups.gram import GramOperator
from kgroups.runtime.threads import blocks
from kgroups.select.criterion import Criterion, check_k_range
from kgroups.select.subject import Sampling, Subject
from kgroups.typing import Data, Float64Array, IntArray

_PIECE = 4096


def silhouette(
    X: Data, k_range: Iterable[int] | None = None, **sampling: Unpack[Sampling]
) -> Criterion:
    r"""Number of clusters by the mean silhouette, which cannot be 1.

    .. math:: \frac1n \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}

    where a_i is the mean ρ to the other points of the same cluster and b_i the smallest mean ρ to
    another cluster; a point alone in its cluster counts as 0. Time: one partition and one pass
    over the pairs for each k; memory: that of a fit.

    Parameters
    ----------
    X, k_range, metric, max_samples, random_state, n_jobs
        As in :func:`gap_statistic`.

    Returns
    -------
    Criterion
        ``values`` are mean silhouettes; ``n_clusters`` has the largest.

    Raises
    ------
    ValueError
        If ``k_range`` is empty or goes beyond the rows, or X does not fit the metric.

    Examples
    --------
    >>> silhouette([[0.0], [1.0], [10.0], [11.0]], [2, 3], random_state=0).n_clusters
    2

    References
    ----------
    P. J. Rousseeuw, "Silhouettes: A Graphical Aid to the Interpretation and Validation of Cluster
    Analysis", J. Comput. Appl. Math. 20, 1987.
    """
    subject = Subject.of(X, **sampling)
    k = check_k_range(k_range, subject.n)
    return silhouette_of(subject, k)


def silhouette_of(subject: Subject, k: IntArray) -> Criterion:
    """The silhouette criterion of data that have been read."""
    gram, most = subject.gram(), subject.count_distinct(int(k[-1]))
    subject.partitions.partition(most)

    def mean(number: int) -> float:
        """Mean silhouette for a number of clusters; NaN if there cannot be as many."""
        if number == 1 or number > most:
            return float(np.nan)
        return float(silhouettes(gram, subject.partitions.labels(number), number).mean())

    values = np.array(subject.each(mean, k.tolist(), "silhouette"))
    best = k[np.nanargmax(values)] if np.isfinite(values).any() else k[0]
    return Criterion(
        name="silhouette",
        n_clusters=int(best),
        k=k,
        values=values,
        rule="the k with the largest mean silhouette; it cannot be 1",
        knows_one=False,
        n_samples=subject.n,
    )


def silhouettes(gram: GramOperator, labels: IntArray, k: int) -> Float64Array:
    """The silhouette of each point, from sums of distances; ``gram`` is −ρ/2."""
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
