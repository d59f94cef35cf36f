"""Whether two neighboring clusters have a valley between them, on rows that did not make them.

Clusters that were cut out of one lump differ in distribution, so a test of equality between them
rejects always, also on rows held out: the cut is a fact. What a lump has not is a valley. So one
half of the rows finds clusters, and for each pair of neighbors a direction in which they lie
apart and a convex region around both; the rows of the other half in that region are projected on
the direction, and the dip test asks whether they have one mode. If the distribution is
log-concave, so is its restriction to a convex region and every projection of that: one mode, and
the test rejects no more often than it says.

Two things use all rows, and neither looks at what is tested: how finely a column is rounded, and
where the input is no table, the coordinates of classical scaling.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr
from sklearn.covariance import ledoit_wolf

from kgroups.input.parameters import check_integer
from kgroups.runtime.scaling import power_of_two
from kgroups.select.criterion import Criterion, check_k_range, largest_that
from kgroups.select.halves import N_SPLITS, Split, splits
from kgroups.select.rounding import smoothed
from kgroups.select.subject import MAX_SAMPLES, Subject
from kgroups.stats.dip_test import dip_pvalue
from kgroups.typing import BoolArray, Float64Array, IntArray

#: Level at which a valley counts.
LEVEL = 0.05


class PairTest(NamedTuple):
    """Two neighboring clusters of the training half, and what the other half says of them."""

    first: int
    second: int
    pvalue: float
    n_points: int


def separation(
    X: Any,
    k_range: Any = None,
    *,
    metric: Any = "energy",
    n_splits: int = N_SPLITS,
    max_samples: int = MAX_SAMPLES,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Criterion:
    r"""Number of clusters as the largest k whose neighbors all have a valley between them.

    The value of k is the largest p-value among the pairs of neighboring clusters, the median over
    the splits; the answer is the largest k where it is at most 0.05, and the smallest tried where
    none is. Clusters are found on one half of the rows and tested on the other: if the data have
    one log-concave distribution (a Gaussian, a box, exponential tails), a split finds a pair apart
    with probability 0.05 at most. The answer is not a test, for a median is taken and several k are
    tried; where an error is to be bounded, use :func:`cluster_significance`. Rounded columns are
    spread over their rounding interval. Of anything but a numeric table with a metric of its
    columns, the coordinates are those of classical scaling, an approximation. Time: a fit and a
    prediction on half of the rows for each split and k.

    Parameters
    ----------
    X, k_range, metric, max_samples, random_state, n_jobs
        As in :func:`gap_statistic`.
    n_splits : int, default=5
        Times that the rows are halved.

    Returns
    -------
    Criterion
        ``values`` are p-values.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 9)])
    >>> separation(X, range(1, 5), random_state=0).n_clusters
    2

    References
    ----------
    Hartigan & Hartigan, Annals of Statistics 13 (1985), for the dip; log-concavity of marginals
    is Prékopa's theorem.
    """
    subject = Subject.of(
        X, metric, max_samples=max_samples, random_state=random_state, n_jobs=n_jobs
    )
    k = check_k_range(k_range, subject.n)
    return separation_of(subject, k, splits(subject, k, check_integer(n_splits, "n_splits")))


def separation_of(subject: Subject, k: IntArray, halves: Sequence[Split]) -> Criterion:
    """The criterion from splits that may serve others too."""
    coordinates = where_tested(subject.coordinates)

    def least_separated(split: Split) -> float:
        """The largest p of its pairs; 1 where there are none."""
        if split.k == 1:
            return float(np.nan)
        tests = pair_tests(split, coordinates)
        return max((test.pvalue for test in tests), default=1.0)

    values = np.array(subject.each(least_separated, halves, "separation")).reshape(-1, len(k))
    median = np.median(values, axis=0)
    n_clusters, rule = largest_that(
        median <= LEVEL, k, f"the largest k with p ≤ {LEVEL} between all neighbors"
    )
    return Criterion(
        name="separation",
        n_clusters=n_clusters,
        k=k,
        values=median,
        rule=rule,
        threshold=LEVEL,
        n_samples=subject.n,
    )


def where_tested(table: Float64Array) -> Float64Array:
    """Where rows are projected: coordinates that no test can tell from the table, but cheaper.

    Rounding is smoothed; the origin is the mean and the unit is near the largest number, so that
    no square overflows; and of more columns than rows, only the space that the rows span is kept.
    """
    out = smoothed(table)
    out -= out.mean(axis=0)
    out /= power_of_two(np.abs(out).max())
    if out.shape[1] > len(out):
        return np.ascontiguousarray(qr(out.T, mode="r")[0][: len(out)].T, np.float64)
    return out


def pair_tests(split: Split, coordinates: Float64Array) -> list[PairTest]:
    """Every pair of neighbors among the clusters of the training half."""
    if not split.is_possible:
        return []
    train, test = coordinates[split.train], coordinates[split.test]
    labels = split.labels
    shape = _Shape.of(train, labels, split.k)
    found = []
    for i, j in neighbors(shape.centers):
        inside = _region(train, labels, shape.centers, i, j, test)
        along = test[inside] @ shape.direction(i, j)
        found.append(PairTest(i, j, dip_pvalue(along), len(along)))
    return found


def neighbors(centers: Float64Array) -> list[tuple[int, int]]:
    """Pairs with no third center in the ball between them (Gabriel graph), which connect all."""
    apart = ((centers[:, None] - centers) ** 2).sum(axis=2)
    return [
        (i, j)
        for i, j in combinations(range(len(centers)), 2)
        if np.all(np.delete(apart[i] + apart[j], (i, j)) >= apart[i, j])
    ]


class _Shape(NamedTuple):
    """Centers of clusters and what they have in common within."""

    centers: Float64Array
    scatter: Any

    @classmethod
    def of(cls, train: Float64Array, labels: IntArray, k: int) -> _Shape:
        """Means and the pooled covariance, shrunk so that it can be inverted [Ledoit & Wolf]."""
        centers = np.array([train[labels == j].mean(axis=0) for j in range(k)])
        residual = train - centers[labels]
        covariance = np.atleast_2d(ledoit_wolf(residual, assume_centered=True)[0])
        floor = max(float(np.trace(covariance)) / len(covariance), float(np.finfo(float).tiny))
        return cls(centers, cho_factor(covariance + 1e-9 * floor * np.eye(len(covariance))))

    def direction(self, i: int, j: int) -> Float64Array:
        """Fisher's discriminant between two clusters."""
        return np.asarray(cho_solve(self.scatter, self.centers[i] - self.centers[j]), np.float64)


def _region(
    train: Float64Array,
    labels: IntArray,
    centers: Float64Array,
    i: int,
    j: int,
    test: Float64Array,
) -> BoolArray:
    """Which test rows lie in the convex region of two clusters: on their side of every other.

    The half-space against another cluster faces the middle of the two, and is placed where it
    errs least on the training rows.
    """
    middle = (centers[i] + centers[j]) / 2
    own = (labels == i) | (labels == j)
    inside = np.ones(len(test), np.bool_)
    for other in range(len(centers)):
        if other in (i, j):
            continue
        away = centers[other] - middle
        border = _best_cut(train[own] @ away, train[labels == other] @ away)
        inside &= test @ away <= border
    return inside


def _best_cut(near: Float64Array, far: Float64Array) -> float:
    """The number that has fewest of ``near`` above it and of ``far`` below."""
    values = np.concatenate([near, far])
    order = np.argsort(values, kind="stable")
    values, is_far = values[order], (order >= len(near))
    errors = np.concatenate([[0], np.cumsum(is_far)]) + len(near)
    errors[1:] -= np.cumsum(~is_far)
    place = int(np.argmin(errors))
    if place == len(values):
        return np.inf
    return float(values[place] if place == 0 else (values[place - 1] + values[place]) / 2)
