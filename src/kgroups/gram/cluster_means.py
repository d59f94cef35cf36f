"""Means of the rows of clusters that keep their digits wherever the clusters are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from kgroups.gram.low_rank import CHUNK
from kgroups.native import kernels
from kgroups.runtime.threads import blocks
from kgroups.typing import Float64Array, FloatArray, IntArray

# Numbers in the means of sparse rows that are held as an array.
_CENTERS_HELD = 1 << 27


def means_of(
    rows: FloatArray | csr_array, labels: IntArray, weights: Float64Array, k: int
) -> Float64Array | csr_array:
    """Weighted means (k, D) of clusters; NaN for one without weight.

    Those of sparse rows are an array, too, but sparse rows where that would take gigabytes.
    """
    if not isinstance(rows, csr_array):
        return ClusterMeans.of(rows, labels, weights, k).means()
    totals = np.bincount(labels, weights=weights, minlength=k)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = weights / totals[labels]
    n = len(labels)
    means = csr_array(csr_array((share, (labels, np.arange(n))), shape=(k, n)) @ rows)
    if k * rows.shape[1] > _CENTERS_HELD:
        return means
    filled = np.asarray(means.toarray(), np.float64)
    filled[totals == 0] = np.nan
    return filled


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
            apart = np.subtract(rows[a:b], firsts[labels[a:b]], order="C")
            kernels.add_by_cluster(apart, labels[a:b], weights[a:b], sums)
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
