"""Rows near the center of their cluster and rows far from it, by distances in feature space."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from kgroups.gram.low_rank import CHUNK
from kgroups.input.rows import n_rows, take
from kgroups.runtime.threads import blocks
from kgroups.solvers.centroids import RowsToCentroids
from kgroups.typing import BoolArray, Float64Array, IntArray

# Digits of a squared distance that rounding leaves, relative to the largest.
_DIGITS = 12


def own_squared_distances(nearest: RowsToCentroids, labels: IntArray) -> Float64Array:
    r"""‖φ(x) − μ_j‖² of each row of a fit to the centroid of its own cluster j, (n,).

    O(n²D/k) time where distances are to members, and O(nkD) where centroids are means.
    """
    data, k = nearest.training, len(nearest.centroids.partition_weight)
    if type(nearest) is not RowsToCentroids:
        parts = [
            nearest.squared_distances(take(data, slice(a, b)))[np.arange(b - a), labels[a:b]]
            for a, b in blocks(0, n_rows(data), CHUNK)
        ]
        return np.concatenate(parts)
    own = np.empty(len(labels))
    for cluster in range(k):
        rows = np.flatnonzero(labels == cluster)
        if len(rows):
            found = nearest.of_cluster(cluster).squared_distances(take(data, rows))
            own[rows] = found[:, 0]
    return own


def nearest_rows(
    own: Float64Array, labels: IntArray, n_clusters: int, n: int, counts: BoolArray, data: Any
) -> list[IntArray]:
    """For each cluster the n rows nearest to its centroid, the nearest first.

    Rows without weight, where ``counts`` is False, stand for nothing. Of rows that are equal in
    ``data`` the first is taken, unless ``data`` is None.
    """
    found = []
    for cluster in range(n_clusters):
        members = np.flatnonzero((labels == cluster) & counts)
        order = members[np.argsort(_rounded(own[members]), kind="stable")]
        found.append(order[:n] if data is None else _different(data, order, n))
    return found


def _rounded(squared: Float64Array) -> Float64Array:
    """Squared distances without their last digits, so that of equal ones the first row comes first.

    The last digits depend on the processor.
    """
    largest = float(np.abs(squared).max(initial=0.0))
    return np.round(squared / largest, _DIGITS) if largest > 0 else squared


def _different(data: Any, order: IntArray, n: int) -> IntArray:
    """The first n rows that differ from each other."""
    seen: dict[Any, int] = {}
    for row in order.tolist():
        if len(seen) == n:
            break
        seen.setdefault(key_of(data, row), row)
    return np.array(list(seen.values()), np.int64)


def key_of(data: Any, row: int) -> Any:
    """What is equal for equal rows, dense, sparse, or objects."""
    one: Any = take(data, np.array([row]))
    if isinstance(one, np.ndarray):
        return _bytes_of(one)
    is_sparse: bool = issparse(one)
    if is_sparse:
        return one.indices.tobytes(), _bytes_of(one.data)
    if isinstance(one[0], np.ndarray):
        return one[0].shape, _bytes_of(one[0])
    return one[0] if isinstance(one[0], Hashable) else repr(one[0])


def _bytes_of(values: NDArray[Any]) -> bytes:
    """The bytes of numbers, the same for both zeros."""
    return (values + 0.0).tobytes() if values.dtype.kind == "f" else values.tobytes()


def outlier_scores(
    own: Float64Array, labels: IntArray, n_clusters: int, weights: Float64Array
) -> Float64Array:
    r"""‖φ(x) − μ_j‖² over its median in cluster j, (n,): 1 is usual, large is far.

    The median is that of the weight. Where it is 0, because more than half of the rows are alike,
    others are infinitely far.
    """
    return relative(own, labels, usual_distances(own, labels, n_clusters, weights))


def usual_distances(
    own: Float64Array, labels: IntArray, n_clusters: int, weights: Float64Array
) -> Float64Array:
    """The median squared distance to the centroid in each cluster, (k,); NaN without weight."""
    found = np.full(n_clusters, np.nan)
    for cluster in np.unique(labels[weights > 0]).tolist():
        members = np.flatnonzero((labels == cluster) & (weights > 0))
        found[cluster] = weighted_median(np.maximum(own[members], 0.0), weights[members])
    return found


def relative(own: Float64Array, labels: IntArray, usual: Float64Array) -> Float64Array:
    """Squared distances over those that are usual in the clusters of the rows."""
    squared, compared = np.maximum(own, 0.0), usual[labels]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squared == compared, 1.0, squared / compared)


def weighted_median(values: Float64Array, weights: Float64Array) -> float:
    """The value that half of the weight is below, or the mean of two between which it is.

    >>> weighted_median(np.array([5.0, 1.0, 3.0]), np.array([1.0, 1.0, 2.0]))
    3.0
    >>> weighted_median(np.array([5.0, 1.0]), np.array([1.0, 1.0]))
    3.0
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    place = int(np.searchsorted(below, below[-1] / 2))
    here = values[order[place]]
    if below[place] == below[-1] / 2:
        return float(here + values[order[place + 1]]) / 2
    return float(here)
