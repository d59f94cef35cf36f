"""What displays read from an estimator: its points, distances between some of them, samples."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from kgroups.fit.fitted import Fitted, FittedClustering
from kgroups.input.columns import frame_of
from kgroups.input.rows import n_rows, take
from kgroups.input.tables import check_points
from kgroups.plots._arguments import OF_ROWS, check_fitted
from kgroups.plots.style import MAX_NAMES
from kgroups.semimetrics import semimetric_from_kernel
from kgroups.semimetrics.semimetric import evenly_spaced
from kgroups.typing import Float64Array, IntArray


def read_points(estimator: FittedClustering, X: Any) -> Any:
    """The data of the fit as the estimator reads it: a table, objects, or a square matrix."""
    check_fitted(estimator, OF_ROWS, "metric_")
    n, metric = len(estimator.labels_), estimator.metric_
    if isinstance(metric, str):
        is_sparse: bool = issparse(X)
        points = csr_array(X) if is_sparse else np.asarray(X)
        fits = points.shape == (n, n)
    else:
        points = check_points(estimator, X, metric, reset=False)
        fits = n_rows(points) == n
    if not fits:
        raise ValueError(
            f"X describes {n_rows(points)} points and the estimator was fitted on {n}; "
            "pass the X of the fit."
        )
    return points


def distances(estimator: FittedClustering, points: Any, index: IntArray) -> Float64Array:
    """ρ between the chosen points, (m, m); for a Gram matrix the squared feature distance."""
    metric = estimator.metric_
    if isinstance(metric, str):
        part = square_part(points, index)
        return part if metric == "precomputed" else semimetric_from_kernel(part)
    return np.asarray(metric.pairwise(take(points, index)), np.float64)


def some_rows(X: Any, index: IntArray) -> Any:
    """Some rows of what a user handed in: a frame, a series, an array, or a list of objects."""
    if (frame := frame_of(X)) is not None:
        return frame[index].to_native()
    if hasattr(X, "iloc"):
        return X.iloc[index]
    return X[index] if hasattr(X, "shape") else [X[i] for i in index]


def names_of_few(
    X: Any, names: Sequence[object] | None, n: int, drawn: IntArray
) -> list[str] | None:
    """Names of the points that are drawn, if n is small enough for names next to them.

    Texts are their own names.
    """
    if names is not None and len(names) != n:
        raise ValueError(f"names has {len(names)} names for {n} points.")
    if n > MAX_NAMES:
        return None
    if names is None:
        if hasattr(X, "columns") or not all(isinstance(row, str) for row in X):
            return None
        names = list(X)
    return [str(names[i]) for i in drawn.tolist()]


def square_part(matrix: Any, index: IntArray) -> Float64Array:
    """Some rows of a square matrix, in the same columns, dense."""
    part: Any = matrix[np.ix_(index, index)]
    is_sparse: bool = issparse(part)
    return np.asarray(part.toarray() if is_sparse else part, np.float64)


def cluster_counts(estimator: Fitted) -> IntArray:
    """Number of points in each cluster, whatever their weights.

    Nodes of a network that are in no community, because they have no edge, are not counted.
    """
    labels, weights = estimator.labels_, getattr(estimator, "cluster_weights_", ())
    k = max(getattr(estimator, "n_clusters_", 0), len(weights)) or int(labels.max()) + 1
    return np.bincount(labels[labels < k], minlength=k)


def shuffled_sample(n: int, limit: int) -> IntArray:
    """Evenly spaced indices in a fixed random order, so that no cluster is drawn over another."""
    return np.random.default_rng(0).permutation(evenly_spaced(n, limit))


def sample_by_cluster(labels: IntArray, limit: int) -> IntArray:
    """About ``limit`` points, cluster by cluster, in proportion but at least one from each."""
    parts = []
    for cluster in np.unique(labels):
        own = np.flatnonzero(labels == cluster)
        share = max(1, len(own) * limit // len(labels)) if len(labels) > limit else len(own)
        parts.append(own[evenly_spaced(len(own), share)])
    return np.concatenate(parts)
