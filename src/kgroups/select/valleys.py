"""Whether there is a valley between two neighboring clusters, tested on held-out rows.

Clusters that are cut out of one lump differ in distribution, so a test of equality between them
always rejects, even on held-out rows: the cut is real. What a lump lacks is a valley. Therefore
some rows determine clusters and, for each pair of neighbors, a direction that separates them and a
convex region around both. The other rows in that region are projected onto the direction, and the
dip test checks whether they have one mode. If the distribution is log-concave, so is its
restriction to a convex region and every projection of that restriction: it has one mode, and the
test keeps its level.

Two things are computed from all rows, and neither depends on what is tested: how finely a column
is rounded and, if the input is not a table, the coordinates of classical scaling.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from kgroups.runtime.scaling import power_of_two
from kgroups.select.compiled.regions import mark_region
from kgroups.select.rounding import smoothed
from kgroups.stats.dip_test import dip, dip_pvalue
from kgroups.typing import Float64Array, IntArray


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


def pair_tests(train: Float64Array, labels: IntArray, test: Float64Array) -> list[PairTest]:
    """The tests of all pairs of neighbors among the clusters of the training rows."""
    k = int(labels.max()) + 1
    centers = np.array([train[labels == j].mean(axis=0) for j in range(k)])
    scatter = _scatter(train - centers[labels])
    # Every half-space is one of differences of these.
    products, tested = train @ centers.T, test @ centers.T
    inside = np.empty(len(test), np.bool_)
    found = []
    for i, j in neighbors(centers):
        mark_region(products, labels, tested, i, j, inside)
        # The direction of Fisher's discriminant between the two clusters.
        along = test[inside] @ np.asarray(cho_solve(scatter, centers[i] - centers[j]), np.float64)
        found.append(PairTest(i, j, dip_pvalue(along), len(along)))
    return found


def whole_test(train: Float64Array, labels: IntArray, test: Float64Array) -> float:
    """The p-value of a valley between two unions of clusters of the training rows.

    Where there are more clusters than groups, a valley lies between unions of clusters, and no pair
    of them need show it. Each edge of the minimum spanning tree of the centers leaves two unions;
    the training rows choose those between which their own valley is deepest. All test rows are
    projected, so that what the tests of pairs need of a log-concave distribution is enough here.
    """
    k = int(labels.max()) + 1
    centers = np.array([train[labels == j].mean(axis=0) for j in range(k)])
    scatter = _scatter(train - centers[labels])
    apart = np.sqrt(((centers[:, None] - centers) ** 2).sum(axis=2))
    tree = csr_array(minimum_spanning_tree(apart))
    deepest, direction = -1.0, np.zeros(train.shape[1])
    for edge in range(tree.nnz):
        rest = tree.copy()
        rest.data[edge] = 0.0
        rest.eliminate_zeros()
        side = connected_components(rest, directed=False)[1][labels] == 0
        across = train[side].mean(axis=0) - train[~side].mean(axis=0)
        along = np.asarray(cho_solve(scatter, across), np.float64)
        depth = dip(train @ along)
        if depth > deepest:
            deepest, direction = depth, along
    return dip_pvalue(test @ direction)


def neighbors(centers: Float64Array) -> list[tuple[int, int]]:
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
