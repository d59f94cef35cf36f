"""Centroids in feature space, known by their members: distances to them, and the nearest one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.solvers.partition import Partition
from kgroups.typing import Float64Array, FloatArray, IntArray


@dataclass(frozen=True)
class Centroids:
    r"""The weighted means of the clusters, from which any point's distance follows.

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
        """From m points to the k centroids, (m, k), given G(x, y) for all training points y (m, n).

        ``self_similarity`` is G(x, x): zero when G = −ρ/2.
        """
        indicator = np.zeros((len(self.labels), len(self.partition_weight)))
        indicator[np.arange(len(self.labels)), self.labels] = self.weights
        alive = self.partition_weight > 0
        s, Q = self.partition_weight[alive], self.partition_within[alive]
        out = np.full((len(similarities), len(alive)), np.inf)
        out[:, alive] = self_similarity - 2 * (similarities @ indicator[:, alive]) / s + Q / s**2
        return out
