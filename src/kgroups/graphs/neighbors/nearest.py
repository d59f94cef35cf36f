"""The nearest rows of each row of a table."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups.runtime.memory import require
from kgroups.typing import Float64Array, IntArray

# Bytes of a neighbor: distance and number, and both again in a graph of either direction.
_BYTES = 64


class Nearest(NamedTuple):
    """Distances to the nearest rows in ascending order, and the numbers of these rows, (n, m)."""

    distances: Float64Array
    indices: IntArray

    def first(self, count: int) -> "Nearest":
        """Only the nearest so many."""
        return Nearest(self.distances[:, :count], self.indices[:, :count])

    def lengths(self) -> csr_array:
        """The distance of each pair of which one is among the nearest of the other, (n, n)."""
        n, m = self.distances.shape
        ends = (np.arange(n + 1) * m).astype(np.int64)
        # A distance that is zero would be no entry of a sparse maximum.
        entries = np.maximum(self.distances, np.finfo(np.float64).tiny).ravel()
        one_way = csr_array((entries, self.indices.ravel(), ends), shape=(n, n))
        both = csr_array(one_way.maximum(one_way.T))
        both.sort_indices()
        return both


def nearest_rows(X: Float64Array, count: int, n_jobs: int = 1) -> Nearest:
    """The ``count`` nearest other rows of each row by Euclidean distance, (n, count) each.

    The search of scikit-learn: a tree in few dimensions, O(n log n), all pairs in many. Rows at the
    same distance are taken in the order of their numbers.

    Raises
    ------
    MemoryError
        If they do not fit.
    """
    from sklearn.neighbors import NearestNeighbors  # here, because it takes as long as a small fit

    n = len(X)
    require(_BYTES * n * count, what=f"{count} neighbors of {n:,} rows", instead="Ask for fewer.")
    search = NearestNeighbors(n_neighbors=count, n_jobs=n_jobs).fit(X)
    distances, indices = search.kneighbors()
    order = np.lexsort((indices, distances), axis=1)
    return Nearest(np.take_along_axis(distances, order, 1), np.take_along_axis(indices, order, 1))
