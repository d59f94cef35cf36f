"""Rows near the center of their cluster and rows far from it, by distances in feature space."""

from __future__ import annotations

from typing import Any

import numpy as np

from kgroups.gram.low_rank import CHUNK
from kgroups.input.rows import n_rows, take
from kgroups.runtime.threads import blocks
from kgroups.solvers.centroids import RowsToCentroids
from kgroups.typing import BoolArray, Float64Array, IntArray

# Rows alike are looked for among so many times the rows that are asked for.
_LOOKED_AT = 50


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
        order = members[np.argsort(own[members], kind="stable")]
        found.append(order[:n] if data is None else _different(data, order, n))
    return found


def _different(data: Any, order: IntArray, n: int) -> IntArray:
    """The first n rows that differ from each other."""
    seen: dict[Any, int] = {}
    for row in order[: _LOOKED_AT * n].tolist():
        if len(seen) == n:
            break
        seen.setdefault(_key(take(data, np.array([row]))), row)
    return np.array(list(seen.values()), np.int64)


def _key(one: Any) -> Any:
    """What is equal for equal rows, dense, sparse, or objects."""
    if hasattr(one, "indices"):
        return one.indices.tobytes(), one.data.tobytes()
    return one.tobytes() if isinstance(one, np.ndarray) else repr(one[0])


def outlier_scores(own: Float64Array, labels: IntArray, n_clusters: int) -> Float64Array:
    r"""‖φ(x) − μ_j‖² over its median in cluster j, (n,): 1 is usual, large is far.

    Where the median is 0, because more than half of the rows are alike, others are infinitely far.
    """
    scores = np.empty(len(own))
    for cluster in range(n_clusters):
        members = np.flatnonzero(labels == cluster)
        if not len(members):
            continue
        squared = np.maximum(own[members], 0.0)
        usual = float(np.median(squared))
        with np.errstate(divide="ignore", invalid="ignore"):
            scores[members] = np.where(squared == usual, 1.0, squared / usual)
    return scores
