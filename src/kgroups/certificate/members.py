"""The members of each cluster in a random order, so that any first part of them stands for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from kgroups.typing import Float64Array, IntArray

#: Members in a piece, the smallest part of a cluster of which sums are kept: whole panels.
PIECE = 64
# Points with more than this share of the weight of their cluster come first, because no mean of
# others can stand for them.
_HEAVY = 1 / 256


@dataclass(frozen=True, eq=False)
class Members:
    """Points of positive weight by cluster, in an order that depends on a seed alone."""

    #: All points with weight, cluster by cluster, and where each cluster begins.
    order: IntArray
    offsets: IntArray
    labels: IntArray
    weights: Float64Array

    @classmethod
    def of(cls, labels: IntArray, weights: Float64Array, k: int, seed: int) -> Members:
        """Shuffled members, heavy ones first. O(n log n) time, 33 bytes per point meanwhile."""
        rng = np.random.default_rng([seed, 3])
        order = np.flatnonzero(weights > 0)
        place = rng.random(len(order))
        by_label = np.argsort(labels[order], kind="stable")
        order, place = order[by_label], place[by_label]
        del by_label
        total = np.bincount(labels, weights=weights, minlength=k)
        offsets = np.searchsorted(labels[order], np.arange(k + 1))
        for cluster, (start, stop) in enumerate(pairwise(offsets.tolist())):
            members = order[start:stop]
            w = weights[members]
            first = np.where(w <= _HEAVY * total[cluster], place[start:stop], -w)
            order[start:stop] = members[np.argsort(first, kind="stable")]
        return cls(order, offsets, labels, weights)

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.offsets) - 1

    @cached_property
    def count(self) -> IntArray:
        """Members of each cluster."""
        return np.diff(self.offsets)

    @cached_property
    def weight(self) -> Float64Array:
        """s_j, added up in the order of the members."""
        w = self.weights[self.order]
        sums = [w[a:b].sum() for a, b in zip(self.offsets, self.offsets[1:], strict=False)]
        return np.asarray(sums, np.float64)

    def of_cluster(self, cluster: int, start: int = 0, stop: int | None = None) -> IntArray:
        """The members [start, stop) of a cluster."""
        first = self.offsets[cluster]
        last = self.offsets[cluster + 1] if stop is None else first + stop
        return self.order[first + start : last]


@dataclass(frozen=True)
class Moments:
    """Σ w and Σ w ρ(x, Z) of the pieces of a cluster, in the order of its members."""

    weight: Float64Array  # (pieces,)
    landmarks: Float64Array  # (pieces, m)

    def parts(self, ends: Sequence[int]) -> Moments:
        """The sums over consecutive parts of the members, which end in whole pieces."""
        starts = [0, *(-(-end // PIECE) for end in ends[:-1])]
        return Moments(
            np.add.reduceat(self.weight, starts), np.add.reduceat(self.landmarks, starts, axis=0)
        )
