"""Which columns determine the clusters: the between statistic as a sum over columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.input.columns import feature_names
from kgroups.input.parameters import check_weights, group_codes
from kgroups.input.rows import is_table
from kgroups.input.spaces import Space
from kgroups.layout import Block, Page, Table, laid_out
from kgroups.runtime.result_table import Columns, ResultTable
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import default_threads
from kgroups.select.column_sums import ColumnSums, Grouped, column_sums
from kgroups.select.sparse_column_sums import occurring, sparse_column_sums
from kgroups.semimetrics import ColumnSum, Metric, Semimetric
from kgroups.semimetrics.all_pairs import Term, as_differences
from kgroups.semimetrics.canonical_rows import is_sparse
from kgroups.semimetrics.codes import GAPS
from kgroups.semimetrics.finite import check_finite_dispersion
from kgroups.semimetrics.semimetric import CoordinateSemimetric
from kgroups.solvers.objective import cluster_weights
from kgroups.stats.samples import read
from kgroups.text import counted, short
from kgroups.typing import Data, Float64Array, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class FeatureContributions(ResultTable):
    """The result of :func:`feature_contributions`.

    ``to_frame()`` has one row per column of the data, the largest contribution first: ``column``,
    ``contribution``, ``share``, ``explained``.

    Examples
    --------
    >>> X = [[0.0, 0.0], [3.0, 0.0], [0.0, 8.0], [3.0, 8.0]]
    >>> found = feature_contributions(X, list("aabb"), metric="manhattan", names=["x", "y"])
    >>> found.to_frame()[["column", "contribution"]].values.tolist()
    [['y', 8.0], ['x', 0.0]]
    """

    _ITEM, _NAMES = ("column", "columns"), ("column",)

    #: The names of the D columns.
    names: tuple[str, ...]
    #: The contributions S_d, shape (D,), which add up to ``total``.
    contributions: Float64Array
    #: S/(S + W) for each column alone, shape (D,); 0 for a constant column.
    explained: Float64Array
    #: The part of each cluster in S_d, shape (k, D); columns add up to ``contributions``.
    by_cluster: Float64Array
    #: The distinct labels, in the order of the rows of ``by_cluster``.
    clusters: tuple[Any, ...]
    #: The between statistic S.
    total: float
    #: The semimetric with all parameters as numbers.
    metric: Semimetric

    @property
    def shares(self) -> Float64Array:
        """The shares S_d / S, shape (D,); zeros if S is 0."""
        return self.contributions / self.total if self.total else np.zeros(len(self.names))

    def ranking(self) -> IntArray:
        """Columns sorted from the largest contribution to the smallest."""
        return np.argsort(-self.contributions, kind="stable")

    def to_text(self, n_columns: int = 15, *, width: int = 80) -> str:
        """A table of the columns with the largest contributions."""
        top, rest = np.split(self.ranking(), [n_columns])
        head = ["column", "contribution", "share", "explained alone"]
        rows = [head, *(self._row(d) for d in top)]
        more = f"and {rest.size} more: {self.shares[rest].sum():.1%} together"
        legend = "A negative share: the column blurs the clusters that the others show."
        blocks: list[Block] = [
            [self._caption()],
            [Table(rows, left=[0]), *([more] if rest.size else [])],
            [legend] if (self.contributions < 0).any() else [],
        ]
        return laid_out(blocks, Page(width))

    def _columns(self) -> Columns:
        order = self.ranking()
        return {
            "column": [self.names[d] for d in order],
            "contribution": self.contributions[order].tolist(),
            "share": self.shares[order].tolist(),
            "explained": self.explained[order].tolist(),
        }

    def _caption(self) -> str:
        clusters = counted(len(self.clusters), "cluster")
        return f"S = {self.total:.6g} between {clusters} by {self.metric}"

    def __str__(self) -> str:
        return self.to_text()

    def _row(self, d: int) -> list[str]:
        return [
            short(self.names[d]),
            f"{self.contributions[d]:.5g}",
            f"{self.shares[d]:.1%}",
            f"{self.explained[d]:.1%}",
        ]


def feature_contributions(
    X: Data,
    labels: ArrayLike,
    *,
    metric: Metric = "energy",
    sample_weight: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> FeatureContributions:
    r"""Split the between statistic exactly over the columns of a table.

    S is linear in ρ, and ρ = φ(Σ_d δ_d) is split, pair by pair, in proportion to the δ_d:

    .. math:: S_d = \sum_{i<j} w_i w_j \left(\tfrac1s - \tfrac{[l_i = l_j]}{s_{l_i}}\right)
              ρ_{ij} \frac{δ_d(x_{id}, x_{jd})}{\sum_e δ_e(x_{ie}, x_{je})},
              \qquad \sum_d S_d = S

    For Manhattan, Hamming and ‖x − y‖² this is the plain sum over the columns; for ‖x − y‖^α it is
    Euler's decomposition x·∇/α of a homogeneous function. Each S_d is again a sum over clusters:
    s_l/2 times the energy distance between the cluster and all data.

    Except for plain sums, a column that is unrelated to the clusters has a contribution **below**
    zero: between clusters, where points are far apart in the other columns, its share of the
    distance is smaller than within clusters. It dilutes the clusters, and S_d tells by how much.
    ``explained`` is computed for each column alone: S/(S + W) of φ(δ_d), between 0 and 1 for
    semimetrics of negative type. Columns with the same information divide their contribution among
    them, but each has its full ``explained``.

    O(n²D) time on all cores, twice: about one second for n = 5,000 and D = 16. Memory: O(nD), plus
    kD numbers per thread. Of sparse rows only the columns that have an entry are listed, and the
    time is O(n²) and that of all pairs of entries in one column.

    Parameters
    ----------
    X : table (n, D)
        An array or a frame, as in ``fit`` of :class:`kgroups.KernelKGroups`.
    labels : array (n,)
        The cluster of each row: integers, text, anything that can be sorted.
    metric : str or semimetric, default="energy"
        A semimetric that adds up columns, or a weighted ``ColumnSum`` of such.
    sample_weight : array (n,) or None
        Nonnegative, not all zero.
    names : sequence of D str or None
        Names of the columns, such as ``get_feature_names_out()`` of a vectorizer; by default those
        of a frame.

    Returns
    -------
    FeatureContributions
        ``contributions``, ``shares``, ``explained``, ``by_cluster``; prints as a table.

    Raises
    ------
    ValueError
        For a metric that does not add up columns, such as Jaccard, Kendall's tau or a matrix; and
        for any input that ``fit`` would refuse.

    Examples
    --------
    >>> from kgroups.select import feature_contributions
    >>> X = [[0.0, 0.0], [0.0, 3.0], [8.0, 0.0], [8.0, 3.0]]
    >>> result = feature_contributions(X, ["a", "a", "b", "b"], metric="manhattan")
    >>> result.contributions.tolist(), result.explained.tolist()
    ([8.0, 0.0], [1.0, 0.0])
    >>> bool(feature_contributions(X, ["a", "a", "b", "b"]).contributions[1] < 0)
    True

    References
    ----------
    [RS10] M. L. Rizzo and G. J. Székely, "DISCO Analysis: A Nonparametric Extension of Analysis of
    Variance", Ann. Appl. Stat. 4 (2), 2010, eq. 2.6, for S.

    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, eq. 12.
    """
    space, data = read(X, metric)
    semimetric, table = _table(space, data, metric)
    n, n_columns = table.shape
    given = _check_names(names, X, n_columns)
    clusters, codes = group_codes(labels, n)
    weights = check_weights(sample_weight, n)
    unit = power_of_two(weights.max())  # no product over- or underflows
    points = Grouped.of(codes, weights / unit, len(clusters))
    size = cluster_weights(codes, weights / unit, len(clusters))
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        if is_sparse(table):
            together, alone, columns = _sparse_sums(semimetric, table, points)
        else:
            terms, columns = list(_terms(semimetric, table)), np.arange(n_columns)
            together, alone = _sums(terms, points, n_columns, default_threads())
        contributions = _between(together, size) * unit
        by_cluster = _by_cluster(together, size) * unit
        total = float(contributions.sum())
    check_finite_dispersion(np.hstack([total, by_cluster.ravel()]), weights.max())
    return FeatureContributions(
        names=tuple(f"column {d}" if given is None else str(given[d]) for d in columns),
        contributions=contributions,
        explained=_explained(alone, size, semimetric),
        by_cluster=by_cluster,
        clusters=clusters,
        total=total,
        metric=semimetric,
    )


def _check_names(names: Sequence[str] | None, X: Data, n_columns: int) -> Sequence[str] | None:
    """Names of all columns: those that were given, or those of a frame."""
    if names is not None and len(names) != n_columns:
        raise ValueError(f"names holds {len(names)} names, and X has {n_columns} columns.")
    return feature_names(X) if names is None else names


def _sparse_sums(
    semimetric: Semimetric, rows: csr_array, points: Grouped
) -> tuple[ColumnSums, ColumnSums, IntArray]:
    """The sums for columns that have entries, together and alone, and which columns these are."""
    if not isinstance(semimetric, CoordinateSemimetric):
        raise _does_not_add_up(semimetric)
    (term,) = semimetric.terms(rows)
    kept, columns = occurring(term.coordinates)
    sums = sparse_column_sums(term._replace(coordinates=kept), points, default_threads())
    return *sums, columns


def _table(space: Space, data: Data, metric: Metric) -> tuple[Semimetric, Any]:
    """The semimetric and the table; a matrix or objects, which have no columns, are errors."""
    semimetric = space.semimetric
    if semimetric is None:
        raise ValueError(
            f'metric="{metric}" means that X is a matrix, but contributions belong to columns: '
            "give the table and the metric that the matrix was computed with."
        )
    if is_sparse(data):
        return semimetric, data
    if not is_table(data):
        raise ValueError(
            "contributions belong to columns, but X holds objects: give a table, and a metric "
            'that adds up columns, such as "energy" or ColumnSum([...]).'
        )
    return semimetric, np.asarray(data, np.float64)


def _terms(semimetric: Semimetric, table: Float64Array) -> Iterator[tuple[Term, IntArray]]:
    """Every term, with the column of the table of each of its coordinates."""
    if isinstance(semimetric, ColumnSum):
        for part in semimetric.parts:
            positions = np.asarray(part[1], np.int64)
            weight = part[2] if len(part) == 3 else 1.0
            for term, own in _terms(part[0], table[:, positions]):
                yield term._replace(scale=weight * term.scale), positions[own]
        return
    if (made := semimetric.column_terms(table)) is not None:
        for term, columns in made:
            yield from _split(term, np.asarray(columns, np.int64))
        return
    if not isinstance(semimetric, CoordinateSemimetric) or not semimetric.keeps_columns:
        raise _does_not_add_up(semimetric)
    for term in semimetric.terms(table):
        yield term, np.arange(table.shape[1])


def _split(term: Term, columns: IntArray) -> Iterator[tuple[Term, IntArray]]:
    """The term; or sums of squares for what gaps add, column by column."""
    if term.delta != GAPS:
        yield term, columns
        return
    for d in range(len(columns)):
        of_column = term._replace(coordinates=term.coordinates[:, [d, len(columns) + d]])
        for part in as_differences(of_column):
            yield part, columns[d : d + 1]


def _does_not_add_up(semimetric: Semimetric) -> ValueError:
    """What is said of a metric whose distances cannot be split."""
    return ValueError(
        f"{semimetric!r} does not add up columns, so its distances cannot be split over them. "
        'Metrics that can: "energy", "laplacian", "gaussian", "manhattan", "hamming", "mixed", '
        '"cosine", "angular", "jensen_shannon", "hellinger", and ColumnSum of these.'
    )


def _sums(
    terms: list[tuple[Term, IntArray]], points: Grouped, n_columns: int, n_threads: int
) -> tuple[ColumnSums, ColumnSums]:
    """The sums for all columns together, and for each column alone."""
    k = len(points.starts) - 1
    together, alone = ColumnSums.zeros(k, n_columns), ColumnSums.zeros(k, n_columns)
    for term, columns in terms:
        together.add(column_sums(term, points, n_threads), columns)
        for d, column in enumerate(columns):
            single = term._replace(coordinates=term.coordinates[:, d : d + 1])
            alone.add(column_sums(single, points, n_threads), column[None])
    return together, alone


def _between(sums: ColumnSums, size: Float64Array) -> Float64Array:
    """The between statistic of each column."""
    s = size.sum()
    apart = sums.across.sum(axis=0) / (2 * s)
    return np.asarray(apart - (_inverse(size) - 1 / s) @ sums.within)


def _by_cluster(sums: ColumnSums, size: Float64Array) -> Float64Array:
    """The parts (s_l/2) 𝓔(C_l, X) of S, for each cluster and column."""
    s = size.sum()
    everywhere = (sums.within + sums.across / 2).sum(axis=0)
    toward = (sums.across + 2 * sums.within) / s
    return np.asarray(
        toward - _inverse(size)[:, None] * sums.within - np.outer(size, everywhere) / s**2
    )


def _explained(sums: ColumnSums, size: Float64Array, semimetric: Semimetric) -> Float64Array:
    """The share S / (S + W) of each column."""
    between, within = _between(sums, size), _inverse(size) @ sums.within
    total = between + within
    share = np.zeros_like(total)
    np.divide(between, total, out=share, where=total != 0)
    return np.asarray(np.clip(share, 0.0, 1.0)) if semimetric.is_negative_type else share


def _inverse(size: Float64Array) -> Float64Array:
    """The inverses 1/s_l; 0 for a cluster without weight, whose sums are 0 too."""
    return np.asarray(np.divide(1.0, size, out=np.zeros_like(size), where=size > 0))
