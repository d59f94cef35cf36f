"""Sums over communities from which every score of a partition of a graph is made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups.metrics.compiled.community_sums import add_ends
from kgroups.typing import Float64Array, IntArray


class CommunitySums(NamedTuple):
    """Number of nodes and weight of edge ends in each community; an edge or a loop has two ends.

    All scores are made of these. The weight inside and the cut are summed separately, not one from
    the other and the volume, so that an empty cut is exactly 0.
    """

    size: IntArray  # (k,) nodes
    inside: Float64Array  # (k,) weight of ends whose other end is in the same community
    cut: Float64Array  # (k,) weight of ends whose other end is in another
    n_loops: int  # edges from a node to itself

    @classmethod
    def of(cls, A: csr_array, labels: IntArray, k: int, *, counted: bool = False) -> CommunitySums:
        """The sums by one pass over a clean matrix; ``counted`` gives every edge weight 1."""
        ends = add_ends(A.indptr, A.indices, A.data, labels, k, counted)
        n_loops = int(np.count_nonzero(A.diagonal()))
        return cls(np.bincount(labels, minlength=k), *ends, n_loops)

    @property
    def volume(self) -> Float64Array:
        """Sum of the degrees in each community."""
        return np.asarray(self.inside + self.cut)

    def modularity(self, resolution: float = 1.0) -> float:
        """The score :func:`kgroups.metrics.modularity`."""
        volume = self.volume
        total = volume.sum()
        return float((self.inside / total - resolution * (volume / total) ** 2).sum())

    def coverage(self) -> float:
        """The score :func:`kgroups.metrics.coverage`, if edges were counted."""
        return float(self.inside.sum() / self.volume.sum())

    def performance(self) -> float:
        """The score :func:`kgroups.metrics.performance`, if edges were counted."""
        n = int(self.size.sum())
        apart = n**2 - int((self.size**2).sum())
        inside = self.inside.sum() - 2 * self.n_loops  # a self-loop is not a pair of nodes
        agreeing = float(inside + apart - self.cut.sum())
        return agreeing / (n * (n - 1)) if n > 1 else 1.0

    def normalized_cut(self) -> float:
        """The score :func:`kgroups.metrics.normalized_cut`."""
        return float(_share(self.cut, self.volume).sum())

    def conductance(self) -> Float64Array:
        """The score :func:`kgroups.metrics.conductance`."""
        volume = self.volume
        # Added up from both ends: a difference from the total would lose the digits of small ones.
        before, behind = np.cumsum(volume), np.cumsum(volume[::-1])[::-1]
        others = np.append(0.0, before[:-1]) + np.append(behind[1:], 0.0)
        # The other side has no less than the cut, whatever is lost by rounding.
        return _share(self.cut, np.minimum(volume, np.maximum(others, self.cut)))


def _share(part: Float64Array, whole: Float64Array) -> Float64Array:
    """The quotient part / whole, and 0 where the part is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=part > 0)
