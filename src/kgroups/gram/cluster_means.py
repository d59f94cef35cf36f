"""Means of the rows of clusters that keep their digits wherever the clusters are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.gram.compiled.factor import add_by_cluster
from kgroups.gram.low_rank import CHUNK
from kgroups.runtime.threads import blocks
from kgroups.typing import Float64Array, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ClusterMeans:
    """The first member of each cluster, and the mean of all differences to it.

    Rows that are far from 0, or from those of other clusters, and near each other keep their
    digits.
    """

    firsts: Float64Array  # (k, D)
    beyond: Float64Array  # (k, D), 0 without weight
    totals: Float64Array  # (k,)

    @classmethod
    def of(cls, rows: FloatArray, labels: IntArray, weights: Float64Array, k: int) -> ClusterMeans:
        """Weighted means. O(nD)."""
        members = np.zeros(k, np.int64)
        alive = np.flatnonzero(weights > 0)[::-1]
        members[labels[alive]] = alive  # the first one is written last
        firsts = rows[members].astype(np.float64)
        sums = np.zeros(firsts.shape)
        for a, b in blocks(0, len(rows), CHUNK):
            add_by_cluster(rows[a:b] - firsts[labels[a:b]], labels[a:b], weights[a:b], sums)
        totals = np.asarray(np.bincount(labels, weights=weights, minlength=k), np.float64)
        s = totals[:, None]
        return cls(firsts, np.divide(sums, s, out=np.zeros_like(sums), where=s > 0), totals)

    def means(self) -> Float64Array:
        """(k, D); NaN for a cluster without weight."""
        return np.where(self.totals[:, None] > 0, self.firsts + self.beyond, np.nan)

    def dispersions(
        self, rows: FloatArray, labels: IntArray, weights: Float64Array
    ) -> Float64Array:
        """Σ w ‖x − mean‖² of each cluster. O(nD)."""
        squared = np.empty(len(rows))
        for a, b in blocks(0, len(rows), CHUNK):
            some = labels[a:b]
            apart = (rows[a:b] - self.firsts[some]) - self.beyond[some]
            squared[a:b] = np.einsum("ij,ij->i", apart, apart)
        sums = np.bincount(labels, weights=weights * squared, minlength=len(self.totals))
        return np.asarray(sums, np.float64)
