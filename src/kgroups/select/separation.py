"""Whether there is a valley between two neighboring clusters, tested on held-out rows.

Clusters that are cut out of one lump differ in distribution, so a test of equality between them
always rejects, even on held-out rows: the cut is real. What a lump lacks is a valley. Therefore
one half of the rows determines clusters and, for each pair of neighbors, a direction that
separates them and a convex region around both. The rows of the other half in that region are
projected onto the direction, and the dip test checks whether they have one mode. If the
distribution is log-concave, so is its restriction to a convex region and every projection of that
restriction: it has one mode, and the test keeps its level.

Two things are computed from all rows, and neither depends on what is tested: how finely a column
is rounded and, if the input is not a table, the coordinates of classical scaling.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple, Unpack

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr
from sklearn.covariance import ledoit_wolf

from kgroups.input.parameters import check_integer
from kgroups.runtime.scaling import power_of_two
from kgroups.select.criterion import Criterion, check_k_range, largest_that
from kgroups.select.halves import N_SPLITS, Split, splits
from kgroups.select.rounding import smoothed
from kgroups.select.subject import Sampling, Subject
from kgroups.stats.dip_test import dip_pvalue
from kgroups.typing import BoolArray, Data, Float64Array, IntArray

#: Level of the test for a valley.
LEVEL = 0.05


class PairTest(NamedTuple):
    """Two neighboring clusters of the training half, and their test on the other half."""

    first: int
    second: int
    pvalue: float
    n_points: int


def separation(
    X: Data,
    k_range: Iterable[int] | None = None,
    *,
    n_splits: int = N_SPLITS,
    **sampling: Unpack[Sampling],
) -> Criterion:
    r"""Number of clusters as the largest k whose neighbors all have a valley between them.

    The value of k is the largest p-value among the pairs of neighboring clusters, as the median
    over the splits; the answer is the largest k with a value of at most 0.05, or the smallest k
    tried if there is none. Clusters are found on one half of the rows and tested on the other: if
    the data have one log-concave distribution (a Gaussian, a box, exponential tails), a split
    separates a pair with probability at most 0.05. The answer itself is not a test, because it is
    based on a median and several k; to bound the error, use :func:`cluster_significance`. Rounded
    columns are spread over their rounding interval. For input other than a numeric table whose
    metric depends on differences of columns, the coordinates are an approximation by classical
    scaling. Time: one fit and one prediction on half of the rows for each split and k.

    Parameters
    ----------
    X, k_range, metric, n_splits, max_samples, random_state, n_jobs
        As in :func:`prediction_strength`.

    Returns
    -------
    Criterion
        ``values`` are p-values.

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
    return separation_of(subject, k, splits(subject, k, check_integer(n_splits, "n_splits")))


def separation_of(subject: Subject, k: IntArray, halves: Sequence[Split]) -> Criterion:
    """The separation criterion from splits, which other criteria may share."""
    coordinates = where_tested(subject.coordinates)

    def least_separated(split: Split) -> float:
        """The largest p-value of the pairs of a split; 1 if there is none, NaN for one cluster."""
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
    """Coordinates to project, which give the same tests as the table but are cheaper.

    Rounded columns are smoothed. The origin is the mean and the unit is near the largest number, so
    that no square overflows. If there are more columns than rows, only the space spanned by the
    rows is kept.
    """
    out = smoothed(table)
    out -= out.mean(axis=0)
    out /= power_of_two(np.abs(out).max())
    if out.shape[1] > len(out):
        return np.ascontiguousarray(qr(out.T, mode="r")[0][: len(out)].T, np.float64)
    return out


def pair_tests(split: Split, coordinates: Float64Array) -> list[PairTest]:
    """The tests of all pairs of neighbors among the clusters of the training half."""
    if not split.is_possible:
        return []
    train, test = coordinates[split.train], coordinates[split.test]
    labels = split.labels
    centers = np.array([train[labels == j].mean(axis=0) for j in range(split.k)])
    scatter = _scatter(train - centers[labels])
    found = []
    for i, j in neighbors(centers):
        inside = _region(train, labels, centers, i, j, test)
        # The direction of Fisher's discriminant between the two clusters.
        along = test[inside] @ np.asarray(cho_solve(scatter, centers[i] - centers[j]), np.float64)
        found.append(PairTest(i, j, dip_pvalue(along), len(along)))
    return found


def neighbors(centers: Float64Array) -> list[tuple[int, int]]:
    """Pairs with no third center in the ball between them (Gabriel graph, connected)."""
    apart = ((centers[:, None] - centers) ** 2).sum(axis=2)
    return [
        (i, j)
        for i, j in combinations(range(len(centers)), 2)
        if np.all(np.delete(apart[i] + apart[j], (i, j)) >= apart[i, j])
    ]


def _scatter(residual: Float64Array) -> tuple[Float64Array, bool]:
    """A factorization of the pooled covariance, with shrinkage so that it can be inverted.

    Source: O. Ledoit and M. Wolf, "A Well-Conditioned Estimator for Large-Dimensional
    Covariance Matrices", J. Multivariate Anal. 88, 2004.
    """
    covariance = np.atleast_2d(ledoit_wolf(residual, assume_centered=True)[0])
    floor = max(float(np.trace(covariance)) / len(covariance), float(np.finfo(float).tiny))
    factor: tuple[Float64Array, bool] = cho_factor(
        covariance + 1e-9 * floor * np.eye(len(covariance))
    )
    return factor


def _region(
    train: Float64Array,
    labels: IntArray,
    centers: Float64Array,
    i: int,
    j: int,
    test: Float64Array,
) -> BoolArray:
    """Which test rows lie in the convex region around two clusters, away from all others.

    The region is an intersection of half-spaces. That against another cluster is orthogonal to the
    line from its center to the middle of the two, and is placed with the fewest errors on the
    training rows.
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
    """The threshold with the fewest ``near`` values above it and ``far`` values below it."""
    values = np.concatenate([near, far])
    order = np.argsort(values, kind="stable")
    values, is_far = values[order], (order >= len(near))
    errors = np.concatenate([[0], np.cumsum(is_far)]) + len(near)
    errors[1:] -= np.cumsum(~is_far)
    place = int(np.argmin(errors))
    if place == len(values):
        return np.inf
    return float(values[place] if place == 0 else (values[place - 1] + values[place]) / 2)
