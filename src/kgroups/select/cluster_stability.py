"""Whether each cluster is found again in bootstrap samples of the rows."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.estimators import KernelKGroups
from kgroups.gram import DENSE_UP_TO
from kgroups.input.parameters import check_integer, check_n_jobs, group_codes
from kgroups.input.rows import has_columns, n_rows, take
from kgroups.input.spaces import (
    DistanceSpace,
    KernelSpace,
    PointSpace,
    Space,
    exact_gram,
    read_input,
)
from kgroups.input.tables import count_distinct_rows
from kgroups.layout import Page, Table, laid_out
from kgroups.runtime.result_table import Columns, ResultTable
from kgroups.runtime.seeds import seed_of, seeds_of
from kgroups.runtime.threads import effective_n_jobs, run
from kgroups.select.subject import quiet_fits
from kgroups.semimetrics import Metric, Semimetric
from kgroups.text import counted, short
from kgroups.typing import Data, Float64Array, FloatArray, IntArray, RandomStateLike

#: Thresholds on the mean Jaccard similarity, by Hennig (2007).
PATTERN, STABLE, HIGHLY_STABLE = 0.6, 0.75, 0.85
#: A resample dissolves a cluster if the similarity is at most this.
DISSOLVED = 0.5
# Starts of each fit; few, because there are many fits and clusters are grown anew after them.
_N_INIT = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterStability(ResultTable):
    """The result of :func:`cluster_stability`; clusters are in the order of their labels.

    ``to_frame()`` has one row per cluster: ``cluster``, ``size``, ``jaccard``, ``error``,
    ``recovered``, ``dissolved``, ``reading``.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [20.0], [21.0], [22.0]]
    >>> found = cluster_stability(X, list("aaabbb"), n_resamples=5, random_state=0)
    >>> found.to_frame()[["cluster", "size", "jaccard"]].values.tolist()
    [['a', 3, 1.0], ['b', 3, 1.0]]
    """

    _ITEM, _NAMES = ("cluster", "clusters"), ("cluster",)

    #: The distinct labels, k of them.
    clusters: tuple[Any, ...]
    #: Number of rows of each cluster, shape (k,).
    sizes: IntArray
    #: Jaccard similarity in each resample, shape (n_resamples, k); NaN if no row of the cluster was
    #: drawn, and then the resample does not count for it.
    resampled: Float64Array
    #: The semimetric with all parameters as numbers, or "precomputed", "precomputed_kernel".
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
        """Number of bootstrap samples."""
        return len(self.resampled)

    def to_text(self, *, width: int = 80) -> str:
        """A table with one line per cluster and an interpretation of its similarity."""
        head = ["cluster", "rows", "Jaccard", "s.e.", "recovered", "dissolved", "reading"]
        rows = [head, *(self._row(j) for j in range(len(self.clusters)))]
        table = Table(rows, left=[0, 6], words=[6])
        return laid_out([[self._caption()], [table]], Page(width))

    def _columns(self) -> Columns:
        jaccard = self.jaccard.tolist()
        return {
            "cluster": self.clusters,
            "size": self.sizes.tolist(),
            "jaccard": jaccard,
            "error": self.errors.tolist(),
            "recovered": self.recovered.tolist(),
            "dissolved": self.dissolved.tolist(),
            "reading": [reading(value) for value in jaccard],
        }

    def _caption(self) -> str:
        clusters = counted(len(self.clusters), "cluster")
        samples = counted(self.n_resamples, "bootstrap sample")
        return f"{clusters} in {samples}, by {self.metric}"

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

    def _mean(self, values: ArrayLike) -> Float64Array:
        """Mean over the resamples that contain a row of the cluster."""
        total = np.where(self._drawn, values, 0.0).sum(axis=0)
        drawn = self._drawn.sum(axis=0)
        mean = np.full(len(drawn), np.nan)
        np.divide(total, drawn, out=mean, where=drawn > 0)
        return mean


def reading(jaccard: float) -> str:
    """Hennig's interpretation of a mean Jaccard similarity.

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
    X: Data,
    labels: ArrayLike,
    *,
    metric: Metric = "energy",
    n_resamples: int = 50,
    random_state: RandomStateLike = None,
    n_jobs: int | None = None,
) -> ClusterStability:
    r"""How surely each cluster comes back when the rows are drawn again: bootstrap and Jaccard.

    B times, n rows are drawn with replacement and clustered by k-groups, where k is the number of
    distinct labels. A row that is drawn m times is one row of weight m, which is equivalent to m
    copies in the objective. A cluster C, restricted to the rows A_b that were drawn, is then
    compared with the most similar cluster found:

    .. math:: γ_C = \frac1B \sum_b \max_{F} \frac{|C ∩ A_b ∩ F|}{|(C ∩ A_b) ∪ F|}

    According to Hennig, a cluster is highly stable from 0.85 on and stable from 0.75 on; between
    0.6 and 0.75 there is a pattern, but its rows are in doubt; below 0.6 a cluster should not be
    trusted. A stable cluster need not be real: a method may repeat the same mistake. A single
    cluster always has 1.

    Time: B fits to about 0.63 n rows with 6 starts each, fewer than :class:`kgroups.KernelKGroups`
    makes by default; fits run in parallel threads. Up to 2,000 rows, and for functions of two
    objects, the n × n distances are computed once; beyond that each fit uses ``method="auto"``.

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As in ``fit`` of :class:`kgroups.KernelKGroups`.
    labels : array (n,)
        The clusters, found by any method: integers, text, anything that can be sorted. A label for
        noise is treated like any other cluster.
    metric : str, semimetric or callable, default="energy"
        As in :func:`kgroups.stats.within_dispersion`. Parameters such as ``sigma="median"`` are
        computed from all rows.
    n_resamples : int, default=50
        Number B of bootstrap samples; the standard error decreases as 1/√B.
    random_state : int, RandomState, Generator or None, default=None
        An int gives the same result on every call, whatever the threads.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores.

    Returns
    -------
    ClusterStability
        ``jaccard``, ``errors``, ``recovered``, ``dissolved``; prints as a table.

    Raises
    ------
    ValueError
        As for :func:`kgroups.stats.within_dispersion`.

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
    C. Hennig, "Cluster-Wise Assessment of Cluster Stability", Comput. Stat. Data Anal. 52, 2007.
    """
    b = check_integer(n_resamples, "n_resamples")
    n_threads = effective_n_jobs(check_n_jobs(n_jobs))
    space, data = read_input(X, metric)
    n = n_rows(data)
    clusters, codes = group_codes(labels, n)
    rows = _rows(space, data, n_threads)
    seeds = seeds_of(random_state, b)

    def one(seed: int) -> Float64Array:
        """Similarity of each cluster to those of one resample."""
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
    """Jaccard similarity of each of k clusters to the most similar one found; NaN if empty."""
    both = np.zeros((k, int(found.max()) + 1))
    np.add.at(both, (codes, found), 1.0)
    size = both.sum(axis=1, keepdims=True)
    either = size + both.sum(axis=0) - both
    similarity = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return np.where(size[:, 0] > 0, similarity.max(axis=1), np.nan)


class _Rows(NamedTuple):
    """A table whose distances each fit recomputes, or a Gram matrix up to its scale."""

    data: Any
    semimetric: Semimetric | None = None
    scale: float = 1.0

    def clustered(self, rows: IntArray, weights: IntArray, k: int, seed: int) -> IntArray:
        """Labels of some rows: at most k clusters, fewer if there are fewer distinct rows."""
        everywhere = np.ones(len(rows), np.bool_)
        metric: Metric
        if self.semimetric is None:
            part, metric = self.scale * _block(self.data, rows), "precomputed_kernel"
            distinct = exact_gram(KernelSpace(), part, 1).count_distinct(everywhere, k)
        else:
            part, metric = take(self.data, rows), self.semimetric
            distinct = count_distinct_rows(part, everywhere, k)
        model = KernelKGroups(
            min(k, distinct), metric=metric, n_init=_N_INIT, random_state=seed, n_jobs=1
        )
        return np.asarray(model.fit(part, sample_weight=weights).labels_)


def _block(matrix: FloatArray | csr_array, rows: IntArray) -> Any:
    """The block of a matrix with some rows and the same columns; sparse if the matrix is."""
    if isinstance(matrix, np.ndarray):
        return matrix[np.ix_(rows, rows)]
    return matrix[rows][:, rows]


def _rows(space: Space, data: Data, n_threads: int) -> _Rows:
    """The data, in a form of which parts can be clustered; −ρ/2 is a Gram matrix for any ρ."""
    if not isinstance(space, PointSpace):
        return _Rows(data, scale=-0.5 if isinstance(space, DistanceSpace) else 1.0)
    if n_rows(data) <= DENSE_UP_TO or not has_columns(data) or space.semimetric.takes_objects:
        gram: Any = space.gram(data, "dense", n_threads)
        return _Rows(gram.matrix, scale=gram.scale)
    return _Rows(data, space.semimetric)
