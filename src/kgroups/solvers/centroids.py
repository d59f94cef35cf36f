"""Centroids in feature space: distances to them, and the nearest one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from kgroups.gram.low_rank import CHUNK, WIDE, FactorGram
from kgroups.gram.nystroem import NystroemMap
from kgroups.gram.sparse_points import sums_of_new
from kgroups.gram.sparse_rows import SparseRowsGram, known_columns
from kgroups.gram.squared_rows import Embedding, RowsGram
from kgroups.input.rows import ROWS_PER_BLOCK, is_table, n_rows, take
from kgroups.input.spaces import Origin, PointSpace, Space
from kgroups.runtime.threads import blocks, default_threads
from kgroups.semimetrics.canonical_rows import is_sparse
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.solvers.cluster_sums import PAIRS_WORTH_GROUPS, sums_to_clusters
from kgroups.solvers.partition import Partition
from kgroups.typing import BoolArray, Float32Array, Float64Array, FloatArray, IntArray

# Share of both squared norms up to which a squared distance is made by differences.
_CANCELS = 1e-3


@dataclass(frozen=True)
class Centroids:
    r"""The weighted means of the clusters, known by their members.

    .. math:: \|φ(x) - μ_l\|^2
              = G(x, x) - \frac{2}{s_l} \sum_{y ∈ C_l} w_y G(x, y) + \frac{Q_l}{s_l^2}

    A cluster without weight has no mean, and every point is infinitely far from it.
    """

    labels: IntArray
    weights: Float64Array
    partition_weight: Float64Array
    partition_within: Float64Array

    @classmethod
    def of(cls, partition: Partition, weights: Float64Array) -> Centroids:
        """The centroids of a partition."""
        return cls(partition.labels.copy(), weights.copy(), partition.weight, partition.within)

    def squared_distances(self, similarities: FloatArray, self_similarity: float) -> Float64Array:
        """Squared distances from m points, (m, k), given G(x, y) for all training points y (m, n).

        ``self_similarity`` is G(x, x): zero when G = −ρ/2.
        """
        indicator = np.zeros((len(self.labels), len(self.partition_weight)))
        indicator[np.arange(len(self.labels)), self.labels] = self.weights
        return self.from_sums(similarities @ indicator, self_similarity)

    def from_sums(self, sums: Float64Array, self_similarity: float) -> Float64Array:
        """The same, given Σ_{y ∈ C_l} w_y G(x, y) for each cluster, (m, k)."""
        alive = self.partition_weight > 0
        s, Q = self.partition_weight[alive], self.partition_within[alive]
        out = np.full((len(sums), len(alive)), np.inf)
        out[:, alive] = self_similarity - 2 * sums[:, alive] / s + Q / s**2
        return out


@dataclass(frozen=True)
class FeatureCentroids:
    """The weighted means of features; a cluster without weight is infinitely far."""

    means: Float64Array  # (k, rank)
    squared_norms: Float64Array  # (k,)

    @classmethod
    def of(cls, gram: FactorGram, partition: Partition, weights: Float64Array) -> FeatureCentroids:
        """The centroids of a partition. O(n · rank)."""
        k = partition.n_clusters
        vectors = gram.running_sums(partition.labels, weights, k).vectors
        s = partition.weight[:, None]
        means = np.divide(vectors, s, out=np.zeros_like(vectors), where=s > 0)
        norms = np.einsum("ij,ij->i", means, means)
        return cls(means, np.where(partition.weight > 0, norms, np.inf))

    def squared_distances(self, features: Float32Array) -> Float64Array:
        """Squared distances (m, k), less the norm of each point, which all centroids share."""
        return np.asarray(self.squared_norms - 2.0 * (features @ self.means.T))

    def nearest(self, features: Float32Array) -> IntArray:
        """The nearest centroid of each point; products in float32."""
        products = features @ self.means.T.astype(np.float32)
        return np.asarray(np.argmin(self.squared_norms - 2.0 * products, axis=1), np.int64)


@dataclass(frozen=True)
class RowsToCentroids:
    """Exact distances from new rows, by similarities to all training points. O(n D) per row."""

    space: Space
    origin: Origin
    centroids: Centroids
    training: Any

    @classmethod
    def of(
        cls, space: Space, origin: Origin, partition: Partition, weights: Float64Array, data: Any
    ) -> RowsToCentroids:
        """The centroids of a partition of the training points, which only a table has to keep."""
        training = data if isinstance(space, PointSpace) else None
        return cls(space, origin, Centroids.of(partition, weights), training)

    def squared_distances(self, data: Any) -> Float64Array:
        """Squared distances from new rows to the k centroids, shape (m, k)."""
        if is_sparse(self.training):
            made = self.centroids.from_sums(self._sums(data), 0.0)
        elif self._has_many_pairs(data):
            pieces = blocks(0, len(data), ROWS_PER_BLOCK)
            made = np.concatenate([self._by_groups(data[a:b]) for a, b in pieces])
        else:
            chunks = self.space.similarities(data, self.training, self.origin)
            parts = [self.centroids.squared_distances(chunk, 0.0) for chunk in chunks]
            made = np.concatenate(parts)
        check_finite_distances(made[:, self.centroids.partition_weight > 0])
        return made

    def of_cluster(self, cluster: int) -> RowsToCentroids:
        """The same for one cluster, of which the members alone are looked at."""
        own, one = self.centroids, slice(cluster, cluster + 1)
        members = np.flatnonzero(own.labels == cluster)
        few = Centroids(
            np.zeros(len(members), np.int64),
            own.weights[members],
            own.partition_weight[one],
            own.partition_within[one],
        )
        return replace(self, centroids=few, training=take(self.training, members))

    def _has_many_pairs(self, data: Any) -> bool:
        """Whether rows of a table are compared with so many that no distance is kept."""
        semimetric = self.space.semimetric
        if semimetric is None or not (is_table(data) and is_table(self.training)):
            return False
        is_worth_it = len(data) * len(self.training) >= PAIRS_WORTH_GROUPS
        return is_worth_it and semimetric.terms(self.training[:1]) is not None

    def _by_groups(self, data: Any) -> Float64Array:
        semimetric, centroids = cast(Semimetric, self.space.semimetric), self.centroids
        terms = semimetric.terms(np.concatenate([data, self.training])) or []
        k, clusters = len(centroids.partition_weight), (centroids.labels, centroids.weights)
        with np.errstate(over="ignore", invalid="ignore"):  # checked by the caller
            sums = sums_to_clusters(terms, len(data), *clusters, k)
            return centroids.from_sums(-0.5 * sums, 0.0)

    def _sums(self, data: Any) -> Float64Array:
        """Sums of similarities between new sparse rows and each cluster."""
        terms = cast(Semimetric, self.space.semimetric).terms
        clusters = (self.centroids.labels, self.centroids.weights)
        k, threads = len(self.centroids.partition_weight), default_threads()
        return sums_of_new(terms(data) or [], terms(self.training) or [], *clusters, k, threads)


@dataclass(frozen=True)
class RowsToMeans(RowsToCentroids):
    """Squared Euclidean distances, where centroids are means of coordinates. O(kD) per row."""

    means: Float64Array  # (k, D), in features
    embedding: Embedding
    semimetric: Semimetric

    @classmethod
    def of_rows(
        cls,
        space: Space,
        semimetric: Semimetric,
        gram: RowsGram,
        partition: Partition,
        weights: Float64Array,
        data: Any,
    ) -> RowsToMeans:
        """The means of the clusters of a partition. O(nD)."""
        means = FeatureCentroids.of(gram, partition, weights).means
        centroids = Centroids.of(partition, weights)
        return cls(space, Origin(), centroids, data, means, gram.embedding, semimetric)

    def squared_distances(self, data: Any) -> Float64Array:
        """Squared distances from new rows to the k centroids, shape (m, k)."""
        alive = self.centroids.partition_weight > 0
        return distances_to_means(data, self.semimetric, self.embedding, self.means, alive)


@dataclass(frozen=True)
class RowsToBlockMeans:
    """Squared Euclidean distances to means, of a fit that keeps no rows. O(kD) per row."""

    semimetric: Semimetric
    embedding: Embedding
    means: Float64Array  # (k, D), in features
    weight: Float64Array  # (k,)

    def squared_distances(self, data: FloatArray) -> Float64Array:
        """Squared distances from new rows to the k centroids, shape (m, k)."""
        alive = self.weight > 0
        return distances_to_means(data, self.semimetric, self.embedding, self.means, alive)


def distances_to_means(
    data: FloatArray,
    semimetric: Semimetric,
    embedding: Embedding,
    means: Float64Array,
    alive: BoolArray,
) -> Float64Array:
    """Squared distances from rows to means in features, (m, k); infinite to those not alive."""
    made = np.full((len(data), len(alive)), np.inf)
    for a, b in blocks(0, len(data), CHUNK):
        features = embedding(semimetric.terms(data[a:b]) or [])
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            made[a:b, alive] = squared_gaps(features, means[alive])
            made[a:b, alive] *= embedding.unit * embedding.unit
    check_finite_distances(made[:, alive])
    return made


def squared_gaps(features: Float64Array, means: Float64Array) -> Float64Array:
    """Squared distances (m, k), of many columns by products unless these cancel. O(mkD)."""
    from scipy.spatial.distance import cdist

    if features.shape[1] < WIDE:
        return np.asarray(cdist(features, means, "sqeuclidean"))
    norms = np.einsum("ij,ij->i", features, features)[:, None]
    norms = norms + np.einsum("ij,ij->i", means, means)
    squared = norms - 2.0 * (features @ means.T)
    near = np.flatnonzero(~(squared > _CANCELS * norms).all(axis=1))
    squared[near] = cdist(features[near], means, "sqeuclidean")
    return np.asarray(squared)


@dataclass(frozen=True)
class RowsToSparseMeans(RowsToCentroids):
    """Squared distances from sparse rows to means of sparse rows. O(k) per entry."""

    columns: IntArray  # (D,) the columns that occur in the training rows
    shift: Float64Array  # (D,) what is subtracted from them
    means: Float64Array  # (D, k), of these columns; NaN without weight
    semimetric: Semimetric

    @classmethod
    def of_rows(
        cls,
        space: Space,
        semimetric: Semimetric,
        gram: SparseRowsGram,
        partition: Partition,
        weights: Float64Array,
        data: Any,
    ) -> RowsToSparseMeans:
        """The means of the clusters of a partition. O(nnz)."""
        means = gram.means(partition.labels, weights, partition.n_clusters)
        centroids = Centroids.of(partition, weights)
        return cls(space, Origin(), centroids, data, gram.columns, gram.shift, means, semimetric)

    def squared_distances(self, data: Any) -> Float64Array:
        """Squared distances from new rows to the k centroids, shape (m, k)."""
        (term,) = self.semimetric.terms(data) or []
        known, strange = known_columns(term.coordinates, self.columns)
        gram = SparseRowsGram.of_columns(known, self.columns, self.shift, term.scale)
        made = gram.squared_distances_to(self.means).T + term.scale * strange[:, None]
        check_finite_distances(made[:, self.centroids.partition_weight > 0])
        return np.ascontiguousarray(made)


@dataclass(frozen=True)
class RowsToSketchedCentroids:
    """Distances from new rows by a sketch. O(m D + m²) per row for m landmarks, whatever n."""

    to_features: NystroemMap
    centroids: FeatureCentroids

    def squared_distances(self, data: Any) -> Float64Array:
        """Squared distances (m, k), with K(x, x) exact and the rest from the features."""
        parts = []
        for a, b in blocks(0, n_rows(data), CHUNK):
            features, lacking = self.to_features(data[a:b])
            own = np.einsum("ij,ij->i", features, features, dtype=np.float64) + lacking
            squared = self.centroids.squared_distances(features) + own[:, None]
            parts.append(self.to_features.unit * squared)
        return np.concatenate(parts)
