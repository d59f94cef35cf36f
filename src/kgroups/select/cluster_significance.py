"""Whether clusters are real: valleys between them, confirmed on held-out rows."""

from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.parameters import check_integer, check_share, group_codes
from kgroups.layout import Table, laid_out
from kgroups.runtime.result_table import Columns, ResultTable
from kgroups.select.held_out import LEVEL, MAX_SPLITS, WHOLE, Pairs, decide
from kgroups.select.neighbor_borders import cut_through
from kgroups.select.rounding import rounded_columns, spread_in_words
from kgroups.select.subject import Sampling, Subject
from kgroups.select.valleys import where_tested
from kgroups.stats import energy_test
from kgroups.text import counted, short
from kgroups.typing import Data, IntArray

# Permutations of the test that ignores selection.
_PERMUTATIONS = 199


@dataclass(frozen=True, kw_only=True)
class PairSignificance:
    """Two clusters and the evidence for a valley between them.

    ``pvalue`` is adjusted for the number of pairs (Holm, in each split), and that of the whole
    border of either cluster if that is less. It is None if the two are
    neighbors in fewer than half of the splits in which both are found, because other clusters lie
    between them.
    ``naive_pvalue`` ignores selection: it is that of an energy test on the same rows that
    determined the clusters, and is small whether they are real or not.
    """

    first: Any
    second: Any
    pvalue: float | None
    naive_pvalue: float
    #: Energy coefficient of the two clusters, between 0 and 1: their distance, not its evidence.
    coefficient: float
    #: Splits in which they were neighbors, and the median number of rows tested.
    n_splits: int
    n_points: int


@dataclass(frozen=True, kw_only=True)
class ClusterSignificance(ResultTable):
    """The evidence for a valley between each pair of clusters.

    ``to_frame()`` has one row per pair of clusters: ``first``, ``second``, and the numbers of
    :class:`PairSignificance`; ``pvalue`` is NaN for two clusters that are not neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2))
    >>> X[60:] += 9
    >>> found = cluster_significance(X, np.repeat(["a", "b"], [60, 30]), random_state=0)
    >>> found.to_frame()[["first", "second", "naive_pvalue"]].values.tolist()
    [['a', 'b', 0.005]]
    """

    _ITEM, _NAMES = ("pair", "pairs"), ("first", "second")

    groups: tuple[Any, ...]
    pairs: tuple[PairSignificance, ...]
    #: Number of rows used.
    n_samples: int
    #: The p-value of any gap at all: between two clusters, or between two unions of clusters. Where
    #: clusters are more than groups, no two of them need have a gap between them.
    any_pvalue: float = 1.0
    #: Columns that were treated as rounded, so that values which rows share are no evidence; of
    #: distances, the coordinates of classical scaling.
    rounded_columns: tuple[int, ...] = ()
    #: Clusters whose borders cut through groups that nearest neighbors hold together, as they do
    #: where clusters are curved. A gap somewhere is not a gap along such a border.
    cut_through: tuple[Any, ...] = ()

    #: Whether distances take few different values, as those of categories do. There is empty space
    #: between any two categories, so only what is more than that counts as a gap; without it,
    #: nothing is known.
    few_distances: bool = False

    @property
    def pvalue(self) -> float:
        """The largest p-value, 1 if there is none."""
        return max((p.pvalue for p in self.pairs if p.pvalue is not None), default=1.0)

    def pair(self, first: object, second: object) -> PairSignificance:
        """The evidence for two clusters, in either order."""
        for found in self.pairs:
            if {found.first, found.second} == {first, second}:
                return found
        raise KeyError(f"there is no pair of clusters {first!r} and {second!r}.")

    def any_separated(self, level: float = LEVEL) -> bool:
        """Whether there is any gap at this level, between clusters or between unions of them."""
        check_share(level, "level")
        return self.any_pvalue <= level

    def separated(self, level: float = LEVEL) -> dict[Any, bool]:
        """For each cluster, whether it is separated from all its neighbors at this level.

        One that cuts through a group of rows, see ``cut_through``, is not.
        """
        check_share(level, "level")
        found = {}
        for group in self.groups:
            own = [p.pvalue for p in self.pairs if group in (p.first, p.second)]
            tested = [pvalue for pvalue in own if pvalue is not None]
            found[group] = bool(tested) and max(tested) <= level and group not in self.cut_through
        return found

    def __str__(self) -> str:
        rows = [["cluster", "and", "p (gap)", "p (ignoring selection)", "coefficient"]]
        for pair in self.pairs:
            told = "-" if pair.pvalue is None else f"{pair.pvalue:.4f}"
            numbers = [told, f"{pair.naive_pvalue:.4f}", f"{pair.coefficient:.3f}"]
            rows.append([short(pair.first), short(pair.second), *numbers])
        lines: list[str | Table] = [Table(rows, left=[0, 1], keys=[0, 1])]
        if any(pair.pvalue is None for pair in self.pairs):
            lines.append("- not neighbors: other clusters lie between them")
        if len(self.groups) > 2:
            lines.append(f"p of any gap, also between unions of clusters: {self.any_pvalue:.4f}")
        if self.cut_through:
            names = ", ".join(short(group) for group in self.cut_through)
            lines.append(
                f"cut through groups of neighboring rows, so that a gap between centers is not one "
                f"along the border: {names}"
            )
        if self.few_distances:
            lines.append("distances take few different values: rows were spread over their steps")
        if self.rounded_columns:
            lines.append(spread_in_words(len(self.rounded_columns)))
        return laid_out([lines])

    def _columns(self) -> Columns:
        columns = {
            each.name: [getattr(pair, each.name) for pair in self.pairs]
            for each in fields(PairSignificance)
        }
        unknown = [np.nan if pvalue is None else pvalue for pvalue in columns["pvalue"]]
        return {**columns, "pvalue": unknown}

    def _caption(self) -> str:
        clusters = counted(len(self.groups), "cluster")
        return f"Evidence for gaps between {clusters}, from {counted(self.n_samples, 'row')}"


def cluster_significance(
    X: Data, labels: ArrayLike, *, n_splits: int = MAX_SPLITS, **sampling: Unpack[Sampling]
) -> ClusterSignificance:
    r"""Test for each pair of neighboring clusters whether there is a valley between them.

    In each split a third of the rows is clustered again into as many clusters, each of which is
    matched with the label with which it shares most rows; the other rows are used to test for a
    valley: those in a convex region around two neighbors, projected onto the direction between
    them, must have two modes by Hartigan's dip. The dip sees nothing of a cluster with less than a
    fifth of the rows of both; then, on each side of a cut between the two, more rows must be far
    from it than near, by the one-sided test of Kolmogorov and Smirnov. The cut is a quarter of the
    way from the larger cluster to the smaller one. The p-values are adjusted for the number of
    pairs by Holm's method. The p-value of a pair is then twice the median over the splits, at most
    1, and a split in which the two are not neighbors counts as 1. So does one in which one of them
    is not found again, because the third has another cluster cut in two instead. Splits are made
    until the p-value is known to about 0.04 and to be above or below 0.05, so it hardly depends on
    the seed, or until no further ones, up to ``n_splits``, could put it on the other side. If there
    is no structure, that is, for one log-concave distribution, the probability that any pair is
    separated at level 0.05 is at most 0.05, whenever one stops.

    Other thirds may have a neighbor cut elsewhere. So a pair is separated, too, if the whole border
    of one of the two is: in each split the pieces of a cluster are those that share most with it,
    and the largest p-value between them and others counts, 1 if they hold most of another cluster.

    With more clusters than groups, some of them are cut in pieces, and no pair need show a valley.
    So one more test in each split is between two unions of clusters: those on either side of an
    edge of the minimum spanning tree of the centers, between which the rows of the third have the
    deepest valley. ``any_pvalue`` is twice the median of the least p-value of all these tests,
    times their number, and ``any_separated()`` says whether there is any valley at all.

    A valley between two centers is not one along a curved border. ``cut_through`` names clusters
    whose borders cut through pieces of the graph of nearest neighbors, as halves of moons and rings
    do; ``kgroups.GraphKGroups(affinity="nearest_neighbors")`` finds the whole ones.

    Columns with repeated values are taken for rounded, and their values are spread evenly over the
    rounding interval, the median distance between neighboring values: the values of counts, of
    scales from 1 to 5 and of numbers with one decimal are not clusters. ``rounded_columns`` names
    these columns. The exception is a table of atoms: if each different row is at least a fifth of
    the rows and no column has more than three values, nothing is taken for rounded, and every atom
    may be a cluster. Numbers that are rounded to an interval of at most their standard deviation
    have more values than that.

    Distances may take few different values, as those of categories do, and then any cut between
    two categories has a gap. Rows are then spread by normal shifts that leave one mode in columns
    of independent categories, and ``few_distances`` is True. Without a gap nothing is known there,
    because clear groups may have none that is left.

    An energy test between clusters, as by :func:`kgroups.stats.energy_test`, answers a different
    question: clusters that are cut out of one lump do differ in distribution, so it always rejects.
    Its p-value is reported as ``naive_pvalue``, next to the energy coefficient.

    Time: partitions of a third of the rows into 1, 2, ..., k clusters (see
    :func:`choose_n_clusters`) for each of 10 to ``n_splits`` splits, and 199 permutations per pair.

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As in :meth:`kgroups.KernelKGroups.fit`.
    labels : array (n,)
        Cluster of each row: integers or text, at least two different ones.
    metric : as in :class:`kgroups.KernelKGroups`, default="energy"
        The metric with which the labels were found.
    n_splits : int, default=120
        The largest number of splits. With 1 there is no factor 2, and p depends on the seed.
    max_samples, random_state, n_jobs
        As in :func:`prediction_strength`.

    Returns
    -------
    ClusterSignificance
        ``pairs``, ``pvalue``, ``any_separated()``, ``separated()``, ``cut_through``; prints as a
        table.

    Raises
    ------
    ValueError
        For fewer than two clusters, for labels of a length other than that of X, and for a cluster
        without rows among the ``max_samples`` drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from kgroups import KernelKGroups
    >>> rng = np.random.default_rng(0)
    >>> lump = rng.normal(0, 1, (120, 2))
    >>> two = np.concatenate([lump, rng.normal(8, 1, (120, 2))])
    >>> for X in (lump, two):
    ...     labels = KernelKGroups(2, random_state=0).fit_predict(X)
    ...     found = cluster_significance(X, labels, random_state=0)
    ...     print(found.any_separated(), found.pairs[0].naive_pvalue)
    False 0.005
    True 0.005

    References
    ----------
    N. Meinshausen, L. Meier and P. Bühlmann, "p-Values for High-Dimensional Regression", J. Am.
    Stat. Assoc. 104 (488), 2009, for p-values of several splits.

    A. Ramdas and T. Manole, "Randomized and Exchangeable Improvements of Markov's, Chebyshev's and
    Chernoff's Inequalities", arXiv:2304.02611, 2023, for stopping when p is precise.

    L. L. Gao, J. Bien and D. Witten, "Selective Inference for Hierarchical Clustering", J. Am.
    Stat. Assoc. 119 (545), 2024, for why using rows twice misleads.
    """
    subject = Subject.of(X, **sampling)
    groups, codes = group_codes(labels, subject.n_given)
    codes = codes[subject.rows]
    _check_groups(groups, codes)
    k = len(groups)
    splits = check_integer(n_splits, "n_splits")
    spread = subject.spread_coordinates
    coordinates = where_tested(subject.coordinates if spread is None else spread)
    tested = Pairs(coordinates, codes, splits)
    decide(subject, [tested], splits, lambda some: not some.are_decided, "splits")
    pairs = list(combinations(range(k), 2))
    naive = subject.each(lambda pair: _naive(subject, codes, *pair), pairs, "naive tests")
    found = [
        PairSignificance(
            first=groups[i],
            second=groups[j],
            naive_pvalue=naive_pvalue,
            coefficient=coefficient,
            **tested.of(i, j)._asdict(),
        )
        for (i, j), (naive_pvalue, coefficient) in zip(pairs, naive, strict=True)
    ]
    whole = tested.evidence[WHOLE if k > 2 else (0, 1)].pvalue
    return ClusterSignificance(
        groups=groups,
        pairs=tuple(found),
        any_pvalue=1.0 if whole is None else whole,
        n_samples=subject.n,
        few_distances=spread is not None,
        rounded_columns=rounded_columns(subject.coordinates) if spread is None else (),
        cut_through=tuple(
            groups[j] for j in cut_through(subject.coordinates, codes) if spread is None
        ),
    )


def _check_groups(groups: tuple[Any, ...], codes: IntArray) -> None:
    """Raise ValueError for fewer than two clusters, or for a cluster without rows."""
    if len(groups) < 2:
        raise ValueError(
            f"labels must name two clusters or more; all rows have the label {groups[0]!r}."
        )
    absent = np.setdiff1d(np.arange(len(groups)), codes)
    if absent.size:
        raise ValueError(
            f"cluster {groups[absent[0]]!r} has no row among the {len(codes)} that were drawn: "
            "increase max_samples, or leave its rows out."
        )


def _naive(subject: Subject, codes: IntArray, i: int, j: int) -> tuple[float, float]:
    """The p-value and coefficient of an energy test on the rows that determined the clusters."""
    rows = np.flatnonzero((codes == i) | (codes == j))
    test = energy_test(
        subject.part(rows),
        labels=codes[rows],
        metric=subject.metric,
        n_permutations=_PERMUTATIONS,
        random_state=subject.seed,
        n_jobs=1,
    )
    return test.pvalue, test.coefficient
