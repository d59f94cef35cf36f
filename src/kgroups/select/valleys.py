"""Whether there is a valley between two neighboring clusters, tested on held-out rows.

Clusters that are cut out of one lump differ in distribution, so a test of equality between them
always rejects, even on held-out rows: the cut is real. What a lump lacks is a valley. Therefore
some rows determine clusters and, for each pair of neighbors, a direction that separates them and a
convex region around both. The other rows in that region are projected onto the direction, and the
dip test checks whether they have one mode; where one of the two is small, a test from a cut between
them does. If the distribution is log-concave, so is its restriction to a convex region and every
projection of that restriction: it has one mode, and both tests keep their level.

Two things are computed from all rows, and neither depends on what is tested: how finely a column
is rounded and, if the input is not a table, the coordinates of classical scaling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.special import smirnov

from kgroups.runtime.scaling import power_of_two
from kgroups.select.compiled.regions import mark_region
from kgroups.select.rounding import smoothed
from kgroups.stats.dip_test import dip, dip_pvalue
from kgroups.typing import Float64Array, IntArray

Pair = tuple[int, int]

# The dip of two modes is at most half the share of the smaller one, so that it seldom says anything
# of one with less than a fifth. Such a mode is tested from a cut between both clusters, at a
# quarter of the way from the larger one: what is nearer is still its tail.
_SMALL, _NEAR = 0.2, 0.25


class PairTest(NamedTuple):
    """Two neighboring clusters of the training rows, and their test on the other rows."""

    first: int
    second: int
    pvalue: float
    n_points: int


def where_tested(table: Float64Array) -> Float64Array:
    """Coordinates to project, which give the same tests as the table but are cheaper.

    Rounded columns are smoothed. The origin is the mean and the unit is near the largest number, so
    that nothing overflows. If there are more columns than rows, only the space spanned by the rows
    is kept.
    """
    out = smoothed(table / power_of_two(np.abs(table).max()))
    out -= out.mean(axis=0)
    out /= power_of_two(np.abs(out).max())
    if out.shape[1] > len(out):
        return np.ascontiguousarray(qr(out.T, mode="r")[0][: len(out)].T, np.float64)
    return out


@dataclass(frozen=True, eq=False)
class Borders:
    """The clusters of some rows, between which other rows are tested for valleys."""

    train: Float64Array
    labels: IntArray
    count: IntArray
    centers: Float64Array
    #: Σ⁻¹ times each center, (D, k), for the pooled covariance Σ: the direction of Fisher's
    #: discriminant between two clusters is a difference of two columns.
    axes: Float64Array

    @classmethod
    def of(cls, train: Float64Array, labels: IntArray) -> Borders:
        """The borders of a partition in which every label has a row."""
        k = int(labels.max()) + 1
        centers = np.array([train[labels == j].mean(axis=0) for j in range(k)])
        axes = np.asarray(cho_solve(_scatter(train - centers[labels]), centers.T), np.float64)
        return cls(train, labels, np.bincount(labels, minlength=k), centers, axes)

    def tests(self, pairs: list[Pair], test: Float64Array) -> list[PairTest]:
        """The tests of some pairs on other rows."""
        # Every half-space is one of differences of these.
        products, tested = self.train @ self.centers.T, test @ self.centers.T
        inside, found = np.empty(len(test), np.bool_), []
        for i, j in pairs:
            mark_region(products, self.labels, tested, i, j, inside)
            along = test[inside] @ (self.axes[:, i] - self.axes[:, j])
            found.append(PairTest(i, j, self._pvalue(i, j, along), len(along)))
        return found

    def whole_pvalue(self, test: Float64Array) -> float:
        """The p-value of a valley between two unions of clusters, by other rows.

        Where there are more clusters than groups, a valley lies between unions of clusters, and no
        pair of them need show it. Each edge of the minimum spanning tree of the centers leaves two
        unions; the training rows choose those between which their own valley is deepest. All other
        rows are projected, so that what the tests of pairs need of a log-concave distribution is
        enough here.
        """
        apart = np.sqrt(((self.centers[:, None] - self.centers) ** 2).sum(axis=2))
        tree = csr_array(minimum_spanning_tree(apart))
        deepest, direction = -1.0, np.zeros(len(self.axes))
        for edge in range(tree.nnz):
            rest = tree.copy()
            rest.data[edge] = 0.0
            rest.eliminate_zeros()
            side = connected_components(rest, directed=False)[1] == 0
            own, other = np.where(side, self.count, 0), np.where(side, 0, self.count)
            # Σ⁻¹ times the difference of the means of both sides.
            along = self.axes @ (own / own.sum() - other / other.sum())
            depth = dip(self.train @ along)
            if depth > deepest:
                deepest, direction = depth, along
        return dip_pvalue(test @ direction)

    def least_evident(self) -> list[Pair]:
        """The neighbors that stand least apart, and those of the smallest cluster if it is small.

        Among clusters of a size, what stands least apart is the least evident. One that is much
        smaller than its neighbor may stand far apart and yet consist of a few outliers.
        """
        pairs, apart = neighbors(self.centers), self.apart()
        pairs.sort(key=lambda pair: (apart[pair], pair))
        smallest = int(np.argmin(self.count))
        own = next(pair for pair in pairs if smallest in pair)
        return [pairs[0], own] if self._is_small(*own) and own != pairs[0] else pairs[:1]

    def apart(self) -> Float64Array:
        """Distances of the centers along each pair's direction, in standard deviations there."""
        axes, count = self.axes.T, self.count
        between = np.array([
            ((center - self.centers) * (axis - axes)).sum(axis=1)
            for center, axis in zip(self.centers, axes, strict=True)
        ])  # fmt: skip
        # Sums of squares in a cluster along the difference of its own axis and each other one.
        along = (self.train - self.centers[self.labels]) @ self.axes
        own = along[np.arange(len(along)), self.labels][:, None] - along
        squares = np.array([(own[self.labels == j] ** 2).sum(axis=0) for j in range(len(count))])
        freedom = np.maximum(np.add.outer(count, count) - 2, 1)
        spread = np.sqrt((squares + squares.T) / freedom)
        apart = np.full(between.shape, np.inf)
        np.divide(between, spread, out=apart, where=spread > 0)
        return apart

    def _is_small(self, i: int, j: int) -> bool:
        """Whether one of the two has less than a fifth of the rows of both."""
        low, high = sorted((int(self.count[i]), int(self.count[j])))
        return low < _SMALL * (low + high)

    def _pvalue(self, i: int, j: int, along: Float64Array) -> float:
        """The p-value of a valley between two clusters from projections of other rows."""
        if not self._is_small(i, j):
            return dip_pvalue(along)
        few, many = sorted((i, j), key=lambda cluster: int(self.count[cluster]))
        axis = self.axes[:, few] - self.axes[:, many]
        edge = float((self.train[self.labels == many] @ axis).max())
        start = float((self.train[self.labels == few] @ axis).min())
        return valley_pvalue(along if few == i else -along, edge + _NEAR * (start - edge))


def valley_pvalue(values: Float64Array, cut: float) -> float:
    """The p-value of one mode against a valley at a place that does not depend on the values.

    With one mode, the density falls away from the cut on the side without it, so that the larger of
    the p-values of both sides is one.
    """
    left, right = cut - values[values < cut], values[values > cut] - cut
    return max(_falling_pvalue(left), _falling_pvalue(right))


def _falling_pvalue(distances: Float64Array) -> float:
    """The p-value of a density that does not rise from 0 on: distances are then seldom large.

    In units of the largest, the others are at most as large as uniform ones. Their excess is
    measured by the one-sided statistic of Kolmogorov and Smirnov. 1 for fewer than two
    different distances.
    """
    ordered = np.unique(distances)  # equal ones would be taken for evidence
    if len(ordered) < 2:
        return 1.0
    uniform, n = ordered[:-1] / ordered[-1], len(ordered) - 1
    return float(smirnov(n, max(0.0, float((uniform - np.arange(n) / n).max()))))


def neighbors(centers: Float64Array) -> list[Pair]:
    """Pairs with no third center in the ball between them (Gabriel graph, connected)."""
    apart = ((centers[:, None] - centers) ** 2).sum(axis=2)
    detour, ends = apart[:, None] + apart, np.arange(len(centers))
    detour[ends, :, ends] = detour[:, ends, ends] = np.inf
    first, second = np.nonzero(np.triu(detour.min(axis=2) >= apart, 1))
    return list(zip(first.tolist(), second.tolist(), strict=True))


def _scatter(residual: Float64Array) -> tuple[Float64Array, bool]:
    """A factorization of the pooled covariance, with shrinkage so that it can be inverted."""
    covariance = shrunk_covariance(residual)
    floor = max(float(np.trace(covariance)) / len(covariance), float(np.finfo(float).tiny))
    factor: tuple[Float64Array, bool] = cho_factor(
        covariance + 1e-9 * floor * np.eye(len(covariance))
    )
    return factor


def shrunk_covariance(centered: Float64Array) -> Float64Array:
    r"""The covariance S of n centered rows, moved towards a multiple of the identity. O(nD²).

    .. math:: (1 - ρ) S + ρ m I, \qquad m = \frac{\mathrm{tr}\, S}{D}, \qquad
              ρ = \min\left(1, \frac{\sum_i \|x_i x_i^T - S\|^2 / n^2}{\|S - m I\|^2}\right)

    Source: O. Ledoit and M. Wolf, "A Well-Conditioned Estimator for Large-Dimensional
    Covariance Matrices", J. Multivariate Anal. 88, 2004, lemmas 3.2 to 3.4.
    """
    n, d = centered.shape
    covariance = centered.T @ centered / n
    mean = float(np.trace(covariance)) / d
    square = float((covariance**2).sum())
    apart = square - d * mean**2
    norms = np.einsum("ij,ij->i", centered, centered)
    error = (float(norms @ norms) / n - square) / n
    share = min(1.0, error / apart) if apart > 0 else 1.0
    return np.asarray((1 - share) * covariance + share * mean * np.eye(d))
