"""The number of clusters whose neighbors have valleys between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Unpack

import numpy as np

from kgroups.input.parameters import check_integer
from kgroups.select.criterion import Criterion, check_k_range, largest_that
from kgroups.select.held_out import (
    LEVEL,
    MAX_SPLITS,
    Split,
    decide,
    found_again,
    is_decided,
    together,
)
from kgroups.select.rounding import rounded_columns
from kgroups.select.subject import Sampling, Subject
from kgroups.select.valleys import Borders, where_tested
from kgroups.typing import Data, Float64Array, IntArray


def separation(
    X: Data,
    k_range: Iterable[int] | None = None,
    *,
    n_splits: int = MAX_SPLITS,
    **sampling: Unpack[Sampling],
) -> Criterion:
    r"""Number of clusters as the largest k that all stand apart, with valleys between neighbors.

    Whether k clusters stand apart is decided by the least evident of them. In each split of the
    rows a third is clustered again into k clusters; of these the two that stand least apart, in
    standard deviations along the direction between them, are tested for a valley on the other rows,
    see :func:`cluster_significance`, and so is the smallest cluster if it has less than a fifth of
    the rows that it and its nearest neighbor have. The larger p-value counts, and 1 if one of the k
    clusters is not found again. The value of k is twice the median over the splits, at most 1. The
    answer is the largest k with a value of at most 0.05, or the smallest k tried if there is none.
    Of a smaller k than the answer the value may be less precise, because no more splits are made
    for it than the answer takes. The value of one k is a p-value, and for data from one log-concave
    distribution (a Gaussian, a box, exponential tails) it is at most 0.05 with a probability of at
    most 0.05; the answer is based on several k and is not a test. Columns of rounded numbers are
    spread over their rounding interval, see ``rounded_columns``. For input other than a numeric
    table whose metric depends on differences of columns, the coordinates are an approximation by
    classical scaling. Time: partitions of all rows, and of a third of them in each of 10 to
    ``n_splits`` splits that all k share, see :func:`choose_n_clusters`; a k takes 10 or 20 of them
    unless the p-value is close to a decision.

    Parameters
    ----------
    X, k_range, metric, max_samples, random_state, n_jobs
        As in :func:`prediction_strength`.
    n_splits : int, default=120
        As in :func:`cluster_significance`.

    Returns
    -------
    Criterion
        ``values`` are p-values; NaN for one cluster. ``n_splits`` are the splits made for each k.

    Raises
    ------
    ValueError
        As for :func:`prediction_strength`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 9)])
    >>> separation(X, range(1, 5), random_state=0).n_clusters
    2

    References
    ----------
    J. A. Hartigan and P. M. Hartigan, "The Dip Test of Unimodality", Ann. Statist. 13 (1), 1985.

    A. Prékopa, "On Logarithmic Concave Measures and Functions", Acta Sci. Math. 34, 1973, for the
    log-concavity of marginals.
    """
    subject = Subject.of(X, **sampling)
    k = check_k_range(k_range, subject.n)
    return separation_of(subject, k, check_integer(n_splits, "n_splits"))


def separation_of(subject: Subject, k: IntArray, n_splits: int = MAX_SPLITS) -> Criterion:
    """The separation criterion of data that have been read."""
    coordinates = where_tested(subject.coordinates)
    several = k[(k > 1) & (k <= subject.count_distinct(int(k[-1])))].tolist()
    tested = {
        number: Together(coordinates, subject.partitions.labels(number), n_splits)
        for number in several
    }
    decide(subject, list(tested.values()), n_splits, _matters(tested), "separation")
    values, n_made = np.where(k == 1, np.nan, 1.0), np.zeros(len(k), np.int64)
    for place, number in enumerate(k.tolist()):
        if number in tested:
            values[place] = tested[number].pvalue
            n_made[place] = len(tested[number].pvalues)
    n_clusters, rule = largest_that(
        values <= LEVEL, k, f"the largest k with p ≤ {LEVEL} between its least evident clusters"
    )
    return Criterion(
        name="separation",
        n_clusters=n_clusters,
        k=k,
        values=values,
        rule=rule,
        threshold=LEVEL,
        n_samples=subject.n,
        rounded_columns=rounded_columns(subject.coordinates),
        n_splits=n_made,
    )


class Together:
    """All k clusters, and in each split the p-value of those that are least evident.

    1 where one of the k is not found again.
    """

    def __init__(self, coordinates: Float64Array, codes: IntArray, n_splits: int) -> None:
        self.k = int(codes.max()) + 1
        self.pvalues = np.empty(0)
        self._coordinates = coordinates
        self._codes = codes
        self._n_splits = n_splits

    @property
    def pvalue(self) -> float:
        """The p-value by all splits so far, 1 if there is none."""
        return together(self.pvalues) if len(self.pvalues) else 1.0

    @property
    def is_decided(self) -> bool:
        """Whether no more splits are needed."""
        return len(self.pvalues) > 0 and is_decided(self.pvalues, self._n_splits)

    def test(self, split: Split) -> float:
        """The p-value of one split."""
        again = found_again(split, self._codes)
        if again is None or len(again[-1]) < self.k:
            return 1.0
        borders = Borders.of(self._coordinates[split.train], again[0])
        tests = borders.tests(borders.least_evident(), self._coordinates[split.test])
        return max(test.pvalue for test in tests)

    def add(self, made: Iterable[float]) -> None:
        """Take the p-values of some more splits into account."""
        self.pvalues = np.append(self.pvalues, list(made))


def _matters(tested: dict[int, Together]) -> Callable[[Together], bool]:
    """Whether the answer may depend on a p-value: where a larger k has passed, none smaller."""

    def matters(one: Together) -> bool:
        passed = (k for k, some in tested.items() if some.is_decided and some.pvalue <= LEVEL)
        return not one.is_decided and one.k > max(passed, default=0)

    return matters
