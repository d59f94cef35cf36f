"""Whether clusters are real: valleys between them that other rows confirm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from kgroups.input.parameters import check_integer, check_share
from kgroups.select.halves import N_SPLITS, Split, splits
from kgroups.select.separation import LEVEL, pair_tests, where_tested
from kgroups.select.subject import MAX_SAMPLES, Subject
from kgroups.stats import energy_test
from kgroups.stats.samples import group_codes
from kgroups.text import aligned, short
from kgroups.typing import Float64Array, IntArray

# Permutations of the test that uses the rows twice.
_PERMUTATIONS = 199


@dataclass(frozen=True, kw_only=True)
class PairSignificance:
    """Two clusters and the evidence for a valley between them.

    ``pvalue`` is adjusted for the number of pairs (Holm, in each split); it is None where the two
    are neighbors in less than half of the splits: other clusters lie between. ``naive_pvalue`` is
    that of an energy test on the rows that made the clusters, and is small whether they are real or
    not.
    """

    first: Any
    second: Any
    pvalue: float | None
    naive_pvalue: float
    #: Energy coefficient of the two clusters, between 0 and 1; how far apart, not how surely.
    coefficient: float
    #: Splits in which they were neighbors, and rows that the median split tested on.
    n_splits: int
    n_points: int


@dataclass(frozen=True, kw_only=True)
class ClusterSignificance:
    """The pairs of clusters, and the level at which they are judged."""

    groups: tuple[Any, ...]
    pairs: tuple[PairSignificance, ...]
    #: Rows that were looked at.
    n_samples: int

    def pair(self, first: Any, second: Any) -> PairSignificance:
        """The evidence for two clusters, in either order."""
        for found in self.pairs:
            if {found.first, found.second} == {first, second}:
                return found
        raise KeyError(f"there is no pair of clusters {first!r} and {second!r}.")

    def rejects(self, level: float = LEVEL) -> bool:
        """Whether any pair is apart at this level: whether there is any structure."""
        check_share(level, "level")
        return any(pair.pvalue is not None and pair.pvalue <= level for pair in self.pairs)

    def separated(self, level: float = LEVEL) -> dict[Any, bool]:
        """For each cluster, whether it is apart from all its neighbors."""
        check_share(level, "level")
        found = {}
        for group in self.groups:
            own = [p.pvalue for p in self.pairs if group in (p.first, p.second)]
            tested = [pvalue for pvalue in own if pvalue is not None]
            found[group] = bool(tested) and max(tested) <= level
        return found

    def __str__(self) -> str:
        rows = [["cluster", "and", "p apart", "naive p", "coefficient"]]
        for pair in self.pairs:
            told = "-" if pair.pvalue is None else f"{pair.pvalue:.4f}"
            numbers = [told, f"{pair.naive_pvalue:.4f}", f"{pair.coefficient:.3f}"]
            rows.append([short(pair.first), short(pair.second), *numbers])
        lines = aligned(rows, left=[0, 1])
        if any(pair.pvalue is None for pair in self.pairs):
            lines.append("- no neighbors: other clusters lie between")
        return "\n".join(lines)


def cluster_significance(
    X: Any,
    labels: Any,
    *,
    metric: Any = "energy",
    n_splits: int = N_SPLITS,
    max_samples: int = MAX_SAMPLES,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ClusterSignificance:
    r"""Test for each pair of neighboring clusters whether there is a valley between them.

    The rows are halved; one half is clustered anew, with as many clusters, which get the names of
    the labels that they share most rows with; the other half says whether there is a valley, as in
    :func:`separation`. In each split the p-values are adjusted for the number of its pairs by
    Holm's method; that of a pair is then twice the median over the splits, at most 1, where a split
    in which the two are no neighbors counts as 1. So under no structure, that is one log-concave
    distribution, any pair is found apart with probability 0.05 at most at level 0.05.

    An energy test between clusters, as :func:`kgroups.stats.energy_test` makes it, answers another
    question: clusters that were cut out of one lump do differ in distribution, and it rejects
    always. Its p-value is given as ``naive_pvalue``, beside the energy coefficient.

    Time: ``n_splits`` fits on half of the rows and 199 permutations a pair.

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As :meth:`kgroups.KernelKGroups.fit` takes it.
    labels : array (n,)
        Cluster of each row, of any kind; two clusters or more.
    metric : as in :class:`kgroups.KernelKGroups`, default="energy"
        What the labels were made with.
    n_splits : int, default=5
        Times that the rows are halved.
    max_samples : int, default=2000
        Of more rows so many are drawn.
    random_state : int, RandomState or None
        The same seed gives the same answer for any ``n_jobs``.
    n_jobs : int or None
        Threads; None uses all cores.

    Returns
    -------
    ClusterSignificance
        ``pairs``, ``rejects()``, ``separated()``.

    Raises
    ------
    ValueError
        For one cluster, for labels of another length than X, and for a cluster of which no row is
        among ``max_samples``.

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
    ...     print(found.rejects(), found.pairs[0].naive_pvalue)
    False 0.005
    True 0.005

    References
    ----------
    Meinshausen, Meier & Bühlmann, J. Am. Stat. Assoc. 104 (2009), for p-values of several splits;
    Gao, Bien & Witten, J. Am. Stat. Assoc. 119 (2024), for why a second use of rows misleads.
    """
    subject = Subject.of(
        X, metric, max_samples=max_samples, random_state=random_state, n_jobs=n_jobs
    )
    groups, codes = group_codes(labels, subject.n_given)
    codes = codes[subject.rows]
    _check_groups(groups, codes)
    k = len(groups)
    halves = splits(subject, [k], check_integer(n_splits, "n_splits"))
    coordinates = where_tested(subject.coordinates)
    tested = subject.each(lambda split: _named_tests(split, coordinates, codes), halves, "halves")
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    naive = subject.each(lambda pair: _naive(subject, codes, *pair), pairs, "naive tests")
    found = []
    for (i, j), (naive_pvalue, coefficient) in zip(pairs, naive, strict=True):
        tests = [test[i, j] for test in tested if (i, j) in test]
        found.append(
            PairSignificance(
                first=groups[i],
                second=groups[j],
                pvalue=_together([pvalue for pvalue, _ in tests], n_splits),
                naive_pvalue=naive_pvalue,
                coefficient=coefficient,
                n_splits=len(tests),
                n_points=int(np.median([n for _, n in tests])) if tests else 0,
            )
        )
    return ClusterSignificance(groups=groups, pairs=tuple(found), n_samples=subject.n)


def _check_groups(groups: tuple[Any, ...], codes: IntArray) -> None:
    """Two clusters or more, and rows of each."""
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


def _named_tests(
    split: Split, coordinates: Float64Array, codes: IntArray
) -> dict[tuple[int, int], tuple[float, int]]:
    """Adjusted p-value and number of rows for each pair of neighbors, by the names of labels."""
    if not split.is_possible:
        return {}
    shared = np.zeros((split.k, split.k))
    np.add.at(shared, (split.labels, codes[split.train]), 1.0)
    _, name = linear_sum_assignment(shared, maximize=True)
    tests, found = pair_tests(split, coordinates), {}
    for test, pvalue in zip(tests, _holm([test.pvalue for test in tests]), strict=True):
        i, j = sorted((int(name[test.first]), int(name[test.second])))
        found[i, j] = (pvalue, test.n_points)
    return found


def _naive(subject: Subject, codes: IntArray, i: int, j: int) -> tuple[float, float]:
    """An energy test between two clusters on the rows that made them."""
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


def _together(pvalues: list[float], n_splits: int) -> float | None:
    """Twice the median, where at least half of the splits could tell; the others count as 1.

    Left out they would make a median of few values, chosen by the data, too small.
    """
    if not pvalues or 2 * len(pvalues) < n_splits:
        return None
    if n_splits == 1:
        return pvalues[0]
    return min(1.0, 2.0 * float(np.median(pvalues + [1.0] * (n_splits - len(pvalues)))))


def _holm(pvalues: Sequence[float]) -> list[float]:
    """P-values adjusted for their number.

    Those of one split: which pairs are tested follows from the half that makes the clusters.
    """
    adjusted, least = [1.0] * len(pvalues), 0.0
    for rank, number in enumerate(np.argsort(pvalues, kind="stable")):
        least = min(1.0, max(least, (len(pvalues) - rank) * pvalues[number]))
        adjusted[number] = least
    return adjusted
