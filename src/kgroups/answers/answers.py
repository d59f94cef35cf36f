"""What a fit keeps for questions about its clusters, each answered when it is first asked."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from kgroups.answers.centers import key_of, own_squared_distances, usual_distances
from kgroups.answers.membership import (
    FitSample,
    lengths_between,
    sample_size,
    squared_lengths,
    temperature_of,
)
from kgroups.input.rows import has_columns, is_table, take
from kgroups.semimetrics import Semimetric, semimetric_from_kernel
from kgroups.semimetrics.semimetric import evenly_spaced
from kgroups.solvers.centroids import RowsToBlockMeans, RowsToCentroids, RowsToSketchedCentroids
from kgroups.typing import Float64Array, IntArray

Nearest = RowsToCentroids | RowsToSketchedCentroids | RowsToBlockMeans
# Rows of a given matrix whose distances to each other are kept.
_OF_MATRIX = 500


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Some rows of a fit that keeps no others, with their labels and weights."""

    rows: IntArray
    data: Any
    labels: IntArray
    weights: Float64Array


@dataclass(frozen=True, eq=False)
class KeptDistances:
    """What is kept of a given matrix: distances to centroids, and between some rows."""

    squared: Float64Array  # (n, k)
    weights: Float64Array  # (n,)
    rows: IntArray  # (m,)
    rho: Float64Array  # (m, m)


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of one fit; ``kept`` is None where the fit keeps its rows for ``predict``."""

    nearest: Nearest
    metric: Semimetric | str
    labels: IntArray
    n_clusters: int
    kept: KeptRows | KeptDistances | None = None

    @property
    def training(self) -> Any:
        """The rows of the fit, or None."""
        return getattr(self.nearest, "training", None)

    @property
    def knows_all_rows(self) -> bool:
        """Whether questions about single rows of the fit can be answered without them."""
        return not isinstance(self.kept, KeptRows)

    @cached_property
    def own(self) -> Float64Array:
        """Squared distance of each row of the fit to the centroid of its cluster, (n,)."""
        if isinstance(self.kept, KeptDistances):
            return self.kept.squared[np.arange(len(self.labels)), self.labels]
        assert isinstance(self.nearest, RowsToCentroids)  # noqa: S101, as knows_all_rows says
        return own_squared_distances(self.nearest, self.labels)

    @property
    def weights(self) -> Float64Array:
        """Weights of the rows of the fit, in a unit of their own."""
        if isinstance(self.kept, KeptDistances):
            return self.kept.weights
        assert isinstance(self.nearest, RowsToCentroids)  # noqa: S101
        return self.nearest.centroids.weights

    def squared(self) -> Float64Array:
        """Squared distances of all rows of the fit to all centroids, (n, k)."""
        if isinstance(self.kept, KeptDistances):
            return self.kept.squared
        return self.nearest.squared_distances(self.training)

    @cached_property
    def sample(self) -> FitSample:
        """Rows by which the temperature is found."""
        kept = self.kept
        if isinstance(kept, KeptDistances):
            rows, rho = kept.rows, kept.rho
            return FitSample(
                rows, self.labels[rows], kept.weights[rows], kept.squared[rows], rho,
                squared_lengths(rho, self.metric),
            )  # fmt: skip
        some = merged(self._some_rows() if kept is None else kept)
        assert isinstance(self.metric, Semimetric)  # noqa: S101, for rows, not matrices
        squared = self.nearest.squared_distances(some.data)
        rho = np.asarray(self.metric.pairwise(some.data), np.float64)
        lengths = lengths_between(some.data, self.metric, rho)
        return FitSample(some.rows, some.labels, some.weights, squared, rho, lengths)

    def _some_rows(self) -> KeptRows:
        return kept_rows(self.training, self.labels, self.weights, self.n_clusters)

    @cached_property
    def usual_distances(self) -> Float64Array:
        """The median squared distance to the centroid in each cluster, (k,).

        By all rows where these are known, else by the sample; NaN for a cluster that is not in it.
        """
        if self.knows_all_rows:
            return usual_distances(self.own, self.labels, self.n_clusters, self.weights)
        sample = self.sample
        own = sample.squared[np.arange(len(sample.rows)), sample.labels]
        return usual_distances(own, sample.labels, self.n_clusters, sample.weights)

    def warn_of_other_labels(self) -> None:
        """Say where rows of the fit are not in the cluster with the nearest centroid."""
        n_elsewhere = self.sample.n_elsewhere
        if n_elsewhere:
            warnings.warn(
                f"{n_elsewhere:,} of {len(self.sample.rows):,} rows of the fit are not in the "
                "cluster with the nearest centroid; probabilities are those of predict.",
                RuntimeWarning,
                stacklevel=3,
            )

    @cached_property
    def temperature(self) -> float:
        """See :func:`kgroups.answers.membership.temperature_of`."""
        return temperature_of(self.sample)


def merged(some: KeptRows) -> KeptRows:
    """Rows of a table in the order of their values, equal ones as one row with their weight.

    So a repeated row is the same as a row with a larger weight, also where rows are halved.
    """
    if not has_columns(some.data):
        return some
    groups: dict[tuple[int, Any], list[int]] = {}
    for place in _in_order(some).tolist():
        key = (int(some.labels[place]), key_of(some.data, place))
        groups.setdefault(key, []).append(place)
    first = np.array([places[0] for places in groups.values()])
    weights = np.array([some.weights[places].sum() for places in groups.values()])
    return KeptRows(some.rows[first], some.data[first], some.labels[first], weights)


def _in_order(some: KeptRows) -> IntArray:
    """Places of rows by their labels and values, whatever the order in which they were given."""
    if is_table(some.data):
        return np.lexsort((*some.data.T[::-1], some.labels))
    keys = [(label, key_of(some.data, place)) for place, label in enumerate(some.labels.tolist())]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def rows_with_weight(weights: Float64Array, n_clusters: int) -> IntArray:
    """Rows for a sample: evenly spaced among those that have weight."""
    present = np.flatnonzero(weights > 0)
    return present[evenly_spaced(len(present), sample_size(len(present), n_clusters))]


def kept_rows(data: Any, labels: IntArray, weights: Float64Array, n_clusters: int) -> KeptRows:
    """A sample of the rows of a fit that keeps no others."""
    rows = rows_with_weight(weights, n_clusters)
    return KeptRows(rows, take(data, rows), labels[rows], weights[rows])


def kept_distances(
    matrix: Any, nearest: RowsToCentroids, weights: Float64Array, *, is_kernel: bool
) -> KeptDistances:
    """What a fit on a given matrix keeps of it. O(n²) time, or O(k) per entry; O(nk) memory."""
    squared = _squared(matrix, nearest, weights)
    present = np.flatnonzero(weights > 0)
    rows = present[evenly_spaced(len(present), min(len(present), _OF_MATRIX))]
    is_sparse: bool = issparse(matrix)
    part = matrix[rows][:, rows]
    rho = np.asarray(part.toarray() if is_sparse else part, np.float64)
    if is_kernel:
        squared = squared + np.asarray(matrix.diagonal(), np.float64)[:, None]
        rho = semimetric_from_kernel(rho)
    return KeptDistances(squared, weights, rows, rho)


def _squared(matrix: Any, nearest: RowsToCentroids, weights: Float64Array) -> Float64Array:
    """Squared distances to the centroids, of a kernel up to K(x, x)."""
    is_sparse: bool = issparse(matrix)
    if not is_sparse:
        return nearest.squared_distances(matrix)
    centroids = nearest.centroids
    places = (centroids.labels, np.arange(len(weights)))
    k = len(centroids.partition_weight)
    held = csr_array((centroids.weights, places), shape=(k, len(weights)))
    return centroids.from_sums(np.asarray((held @ matrix).toarray(), np.float64).T, 0.0)
