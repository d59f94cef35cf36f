"""Sums over the first members of clusters, kept from round to round.

Where points move, the members of which pairs were summed stay what they are, and so do all sums
over the first of them. A point that is looked at again goes on from the level that it had reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from kgroups.certificate.ladder import Open, Pairs
from kgroups.typing import Float64Array, IntArray


@dataclass(frozen=True, eq=False)
class KeptSums:
    """Sums of points with clusters. O(pairs) memory, 32 bytes each."""

    n_clusters: int
    #: Number of the point, times that of clusters, and the cluster; in rising order.
    keys: IntArray
    sums: Float64Array
    head: Float64Array
    reached: IntArray

    @classmethod
    def none(cls, k: int) -> Self:
        """No sums."""
        no, numbers = np.empty(0, np.int64), np.empty(0)
        return cls(k, no, numbers, numbers, no)

    def with_record(self, record: Open) -> KeptSums:
        """The sums of a record, too, and in place of older ones. O(pairs log pairs)."""
        both = record.own, record.others
        keys = [self._keys(record, pairs) for pairs in both]
        found, first = np.unique(np.concatenate([*keys, self.keys]), return_index=True)
        others = (
            np.concatenate([*(getattr(pairs, name) for pairs in both), getattr(self, name)])[first]
            for name in ("sums", "head", "reached")
        )
        return KeptSums(self.n_clusters, found, *others)

    def given_to(self, seen: Open) -> Open:
        """Open points whose pairs have the sums that were kept of them."""
        if not len(self.keys):
            return seen
        own, others = (self._given(seen, pairs) for pairs in (seen.own, seen.others))
        return Open(seen.index, own, others)

    def _given(self, seen: Open, pairs: Pairs) -> Pairs:
        keys = self._keys(seen, pairs)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = np.flatnonzero(self.keys[place] == keys)
        found, place = pairs.copied(), place[known]
        for name in ("sums", "head", "reached"):
            getattr(found, name)[known] = getattr(self, name)[place]
        return found

    def _keys(self, seen: Open, pairs: Pairs) -> IntArray:
        return np.asarray(seen.index[pairs.row] * self.n_clusters + pairs.cluster)
