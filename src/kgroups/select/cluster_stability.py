"""Whether each cluster comes back when the data are drawn again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kgroups.estimators import KernelKGroups
from kgroups.fit.plan import DENSE_UP_TO
from kgroups.input.parameters import check_integer, check_n_jobs
from kgroups.input.rows import n_rows, take
from kgroups.input.spaces import (
    DistanceSpace,
    KernelSpace,
    PointSpace,
    Space,
    exact_gram,
    read_input,
)
from kgroups.input.tables import count_distinct_rows
from kgroups.runtime.seeds import seed_of, seeds_of
from kgroups.runtime.threads import effective_n_jobs, run
from kgroups.select.subject import quiet_fits
from kgroups.semimetrics import Semimetric
from kgroups.stats.samples import group_codes
from kgroups.text import aligned, counted, short
from kgroups.typing import Float64Array, IntArray

#: Mean Jaccard similarities from which on a cluster is more than a pattern, and so on [Hennig].
PATTERN, STABLE, HIGHLY_STABLE = 0.6, 0.75, 0.85
#: A resample has dissolved a cluster whose similarity is at most this.
DISSOLVED = 0.5
# Starts of each fit: moves of whole clusters come after them, and there are many fits.
_N_INIT = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterStability:
    """The answer of :func:`cluster_stability`; clusters in the order of their labels."""

    #: The labels.
    clusters: tuple[Any, ...]
    #: Rows of each cluster, shape (k,).
    sizes: IntArray
    #: Jaccard similarity in each resample, shape (n_resamples, k); NaN where no row of the cluster
    #: was drawn, and such resamples do not count for it.
    resampled: Float64Array
    #: The semimetric with its parameters settled, or "precomputed", "precomputed_kernel".
    metric: Any

    @property
    def jaccard(self) -> Float64Array:
        """Mean Jaccard similarity of each cluster, shape (k,)."""
        return self._mean(self.resampled)

    @property
    def errors(self) -> Float64Array:
        """Standard errors of these means; NaN from fewer than two resamples."""
        drawn = self._drawn.sum(axis=0)
        squares = self._mean((self.resampled - self.jaccard) ** 2)
        return np.asarray(np.sqrt(np.where(drawn > 1, squares / np.maximum(drawn - 1, 1), np.nan)))

    @property
    def recovered(self) -> Float64Array:
        """Share of the resamples with a similarity of 0.75 or more, shape (k,)."""
        return self._mean(self.resampled >= STABLE)

    @property
    def dissolved(self) -> Float64Array:
        """Share of the resamples with a similarity of 0.5 or less, shape (k,)."""
        return self._mean(self.resampled <= DISSOLVED)

    @property
    def n_resamples(self) -> int:
        """Bootstrap samples that were clustered."""
        return len(self.resampled)

    def to_text(self) -> str:
        """A line a cluster, with what the number means."""
        head = ["cluster", "rows", "Jaccard", "s.e.", "recovered", "dissolved", "reading"]
        rows = [head, *(self._row(j) for j in range(len(self.clusters)))]
        clusters = counted(len(self.clusters), "cluster")
        samples = counted(self.n_resamples, "bootstrap sample")
        title = f"{clusters} in {samples}, by {self.metric}"
        return "\n".join([title, "", *aligned(rows, left=[0, 6])])

    def __str__(self) -> str:
        return self.to_text()

    def _row(self, j: int) -> list[str]:
        return [
            short(self.clusters[j]),
            f"{self.sizes[j]:,}",
            f"{self.jaccard[j]:.3f}",
            f"{self.errors[j]:.3f}",
            f"{self.recovered[j]:.0%}",
            f"{self.dissolved[j]:.0%}",
            reading(float(self.jaccard[j])),
        ]

    @property
    def _drawn(self) -> Any:
        return np.isfinite(self.resampled)

    def _mean(self, values: Any) -> Float64Array:
        """Over the resamples that drew some row of the cluster."""
        total = np.where(self._drawn, values, 0.0).sum(axis=0)
        drawn = self._drawn.sum(axis=0)
        mean = np.full(len(drawn), np.nan)
        np.divide(total, drawn, out=mean, where=drawn > 0)
        return mean


def reading(jaccard: float) -> str:
    """What Hennig says of a cluster with such a mean similarity.

    >>> reading(0.9), reading(0.7)
    ('highly stable', 'a pattern; its rows are in doubt')
    """
    if np.isnan(jaccard):
        return "never drawn"
    if jaccard >= HIGHLY_STABLE:
        return "highly stable"
    if jaccard >= STABLE:
        return "stable"
    return "a pattern; its rows are in doubt" if jaccard >= PATTERN else "not to be trusted"


def cluster_stability(
    X: Any,
    labels: Any,
    *,
    metric: Any = "energy",
    n_resamples: int = 50,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ClusterStability:
    r"""How surely each cluster comes back when the rows are drawn again: bootstrap and Jaccard.

    Each of B times n rows are drawn with replacement and clustered by k-groups, k being the number
    of different labels; a row that was drawn m times is one row of weight m, which is the same
    objective as m copies. With A_b the rows that were drawn, a cluster C is then compared with the
    found cluster that is most like it:

    .. math:: γ_C = \frac1B \sum_b \max_{F} \frac{|C ∩ A_b ∩ F|}{|(C ∩ A_b) ∪ F|}

    By Hennig: from 0.85 on a cluster is highly stable, from 0.75 on stable; between 0.6 and 0.75
    there is a pattern, but which rows belong to it is in doubt; below 0.6 it is not to be trusted.
    That a cluster is stable does not make it true: a method may insist on the same mistake. One
    cluster alone always has 1.

    Time: B fits of about 0.63 n rows with 6 starts each, which are fewer than
    :class:`kgroups.KernelKGroups` makes by itself, and as many of them at once as there are
    threads. Up to 2,000 rows, and for functions of two objects, the n × n distances are made once;
    beyond, each fit goes the way that ``method="auto"`` chooses for it.

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As ``fit`` of :class:`kgroups.KernelKGroups` takes it.
    labels : array (n,)
        The clusters in question, of any method: integers, text, anything that sorts. A label for
        noise is a cluster like the others.
    metric : str, semimetric or callable, default="energy"
        ``"precomputed"`` for a matrix of distances, ``"precomputed_kernel"`` for a Gram matrix.
        Parameters that come from data are taken from all of them.
    n_resamples : int, default=50
        Bootstrap samples B; the standard error falls as 1/√B.
    random_state : int, RandomState or None, default=None
        The same number gives the same result, whatever the threads.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Returns
    -------
    ClusterStability
        ``jaccard``, ``errors``, ``recovered``, ``dissolved``; prints as a table.

    Raises
    ------
    ValueError
        For labels of another length or missing, and for any input that ``fit`` would refuse.

    Examples
    --------
    >>> import numpy as np
    >>> from kgroups.select import cluster_stability
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (30, 2)) for m in (0, 20)])
    >>> result = cluster_stability(X, ["a"] * 30 + ["b"] * 30, n_resamples=10, random_state=0)
    >>> result.jaccard.tolist(), result.recovered.tolist()
    ([1.0, 1.0], [1.0, 1.0])

    References
    ----------
    Hennig, "Cluster-wise assessment of cluster stability", Comput. Stat. Data Anal. 52 (2007).
    """
    b = check_integer(n_resamples, "n_resamples")
    n_threads = effective_n_jobs(check_n_jobs(n_jobs))
    space, data = read_input(X, metric)
    n = n_rows(data)
    clusters, codes = group_codes(labels, n)
    rows = _rows(space, data, n_threads)
    seeds = seeds_of(random_state, b)

    def one(seed: int) -> Float64Array:
        """Similarities of the clusters to those of one resample."""
        rng = np.random.RandomState(seed)
        counts = np.bincount(rng.randint(n, size=n), minlength=n)
        drawn = np.flatnonzero(counts)
        found = rows.clustered(drawn, counts[drawn], len(clusters), seed_of(rng))
        return largest_jaccard(codes[drawn], found, len(clusters))

    with quiet_fits():
        resampled = np.array(list(run(one, seeds, n_threads)))
    return ClusterStability(
        clusters=clusters,
        sizes=np.bincount(codes),
        resampled=resampled,
        metric=metric if space.semimetric is None else space.semimetric,
    )


def largest_jaccard(codes: IntArray, found: IntArray, k: int) -> Float64Array:
    """Of each of k clusters the similarity to the found one most like it; NaN where it is empty."""
    both = np.zeros((k, int(found.max()) + 1))
    np.add.at(both, (codes, found), 1.0)
    size = both.sum(axis=1, keepdims=True)
    either = size + both.sum(axis=0) - both
    similarity = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return np.where(size[:, 0] > 0, similarity.max(axis=1), np.nan)


class _Table(NamedTuple):
    """Rows whose distances each fit makes anew."""

    data: Any
    semimetric: Semimetric

    def clustered(self, rows: IntArray, weights: IntArray, k: int, seed: int) -> IntArray:
        """Labels of some rows; as many clusters as there are different ones, at most k."""
        part = take(self.data, rows)
        distinct = count_distinct_rows(part, np.ones(len(part), np.bool_), k)
        return _labels(part, self.semimetric, weights, min(k, distinct), seed)


class _Matrix(NamedTuple):
    """A Gram matrix but for its scale."""

    matrix: Any
    scale: float

    def clustered(self, rows: IntArray, weights: IntArray, k: int, seed: int) -> IntArray:
        """Labels of some rows; as many clusters as there are different ones, at most k."""
        part = self.scale * _block(self.matrix, rows)
        distinct = exact_gram(KernelSpace(), part, 1).count_distinct(
            np.ones(len(rows), np.bool_), k
        )
        return _labels(part, "precomputed_kernel", weights, min(k, distinct), seed)


def _block(matrix: Any, rows: IntArray) -> Any:
    """Some rows of a matrix and the same columns; a sparse one stays sparse."""
    is_dense = isinstance(matrix, np.ndarray)
    return matrix[np.ix_(rows, rows)] if is_dense else matrix[rows][:, rows]


def _rows(space: Space, data: Any, n_threads: int) -> _Table | _Matrix:
    """What can be clustered in part. −ρ/2 is a Gram matrix of ρ, also where ρ is negative."""
    if not isinstance(space, PointSpace):
        return _Matrix(data, -0.5 if isinstance(space, DistanceSpace) else 1.0)
    if n_rows(data) <= DENSE_UP_TO or space.semimetric.takes_objects:
        gram: Any = space.gram(data, "dense", n_threads)
        return _Matrix(gram.matrix, gram.scale)
    return _Table(data, space.semimetric)


def _labels(X: Any, metric: Any, weights: IntArray, k: int, seed: int) -> IntArray:
    model = KernelKGroups(k, metric=metric, n_init=_N_INIT, random_state=seed, n_jobs=1)
    return np.asarray(model.fit(X, sample_weight=weights).labels_)
