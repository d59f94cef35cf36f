"""Squared distances in feature space from new points to the centroids of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.gram.low_rank import CHUNK
from kgroups.gram.nystroem import NystroemMap
from kgroups.input.spaces import PointSpace, Space
from kgroups.runtime.threads import blocks
from kgroups.sketch.sketch import Centers
from kgroups.solvers import Partition
from kgroups.solvers.centroids import Centroids
from kgroups.typing import Float64Array


@dataclass(frozen=True)
class ToCentroids:
    """By the similarities to all training points: exact. O(n D) a point."""

    space: Space
    centroids: Centroids
    training: Any

    @classmethod
    def of(
        cls, space: Space, partition: Partition, weights: Float64Array, data: Any
    ) -> ToCentroids:
        """The centroids of a partition of the training points."""
        training = data if isinstance(space, PointSpace) else None
        return cls(space, Centroids.of(partition, weights), training)

    def squared_distances(self, data: Any) -> Float64Array:
        """Shape (m, k)."""
        chunks = self.space.similarities(data, self.training)
        return np.concatenate([self.centroids.squared_distances(chunk, 0.0) for chunk in chunks])


@dataclass(frozen=True)
class ToSketchedCentroids:
    """By the features of a sketch. O(m D + m²) a point for m landmarks, whatever n."""

    to_features: NystroemMap
    centers: Centers

    def squared_distances(self, data: Any) -> Float64Array:
        """Shape (m, k); with K(x, x) exact and the rest from the features."""
        parts = []
        for a, b in blocks(0, len(data), CHUNK):
            features, lacking = self.to_features(data[a:b])
            own = np.einsum("ij,ij->i", features, features, dtype=np.float64) + lacking
            squared = self.centers.squared_distances(features) + own[:, None]
            parts.append(self.to_features.unit * squared)
        return np.concatenate(parts)
