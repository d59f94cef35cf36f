"""An order of the clusters in which neighbors are near each other.

Displays that draw clusters side by side share it, so that one page tells one story; the clusters
keep their numbers.
"""

from collections.abc import Sequence

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from kgroups.fit.fitted import FittedClustering
from kgroups.plots._data import cluster_counts, distances, read_points, sample_by_cluster
from kgroups.typing import Float64Array, IntArray

# Points whose mean stands for a centroid, and clusters up to which leaves are ordered optimally:
# that takes time in O(k³), a tenth of a second for 500.
_MAX_POINTS, _MAX_OPTIMAL = 500, 500


def order_of(estimator: FittedClustering, X: object, order: Sequence[int] | None) -> IntArray:
    """The order that was given, checked, or else that of nearness in a sample of the points."""
    k = len(cluster_counts(estimator))
    if order is not None:
        return _checked(order, k)
    index = sample_by_cluster(estimator.labels_, _MAX_POINTS)
    rho = distances(estimator, read_points(estimator, X), index)
    return by_nearness(rho, estimator.labels_[index], k)


def by_nearness(rho: Float64Array, labels: IntArray, n_clusters: int) -> IntArray:
    """Leaves of the average linkage of the centroids, so turned that neighbors are near.

    Of the two directions the one that begins with the smaller number. Clusters without points come
    last.
    """
    present, codes = np.unique(labels, return_inverse=True)
    absent = np.setdiff1d(np.arange(n_clusters), present)
    if len(present) <= 2:
        return np.concatenate([present, absent])
    apart = np.sqrt(_between_centroids(rho, codes))
    tree = linkage(squareform(apart), "average", optimal_ordering=len(present) <= _MAX_OPTIMAL)
    leaves = present[leaves_list(tree)]
    return np.concatenate([leaves if leaves[0] < leaves[-1] else leaves[::-1], absent])


def in_order(labels: IntArray) -> IntArray:
    """The clusters in the order in which they appear."""
    return labels[np.sort(np.unique(labels, return_index=True)[1])]


def _between_centroids(rho: Float64Array, codes: IntArray) -> Float64Array:
    """Squared distances between centroids, g(A, B) − g(A, A)/2 − g(B, B)/2, not below 0."""
    member = np.zeros((codes.max() + 1, len(codes)))
    member[codes, np.arange(len(codes))] = 1.0 / np.bincount(codes)[codes]
    g = member @ rho @ member.T
    squared = np.maximum(g - (np.diag(g)[:, None] + np.diag(g)) / 2, 0.0)
    np.fill_diagonal(squared, 0.0)
    return np.asarray((squared + squared.T) / 2)


def _checked(order: Sequence[int], k: int) -> IntArray:
    """An order that was given; ValueError unless it names each cluster once."""
    if sorted(order) != list(range(k)):
        raise ValueError(
            f"order must name each of the clusters 0 to {k - 1} once; got {list(order)}."
        )
    return np.asarray(order, np.int64)
