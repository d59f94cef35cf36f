"""The nearest rows of each row of a table."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import KDTree
from threadpoolctl import ThreadpoolController

from kgroups.runtime.memory import require
from kgroups.runtime.threads import run
from kgroups.typing import BoolArray, Float64Array, IntArray

# Bytes of a neighbor: distance and number, and both again in a graph of either direction.
_BYTES = 64
# Columns up to which a tree finds neighbors in less time than products of all rows, for 100,000
# rows of one Gaussian cloud, and rows in its leaves.
_TREE, _LEAF = 10, 40
# Products tell distances apart whose squares are a larger share than this of those of the rows.
_TOLD = 1e-10
# Rows whose neighbors are searched at a time.
_ROWS = 4_096
# Coordinates of neighbors that are held at a time.
_COORDINATES = 1 << 20
#: The least distance between rows that differ, in tables of size 1; its square is above zero.
SHORTEST = 1e-100
#: The largest coordinate of a new row next to such a table; its square is finite.
FARTHEST = 1e100


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
        # All above zero, which would be no entry of a sparse maximum.
        one_way = csr_array((self.distances.ravel(), self.indices.ravel(), ends), shape=(n, n))
        both = csr_array(one_way.maximum(one_way.T))
        both.sort_indices()
        return both


def nearest_rows(X: Float64Array, count: int, n_jobs: int = 1) -> Nearest:
    """The ``count`` nearest other rows of each row by Euclidean distance, (n, count) each.

    By a tree in few dimensions, O(n log n), by all pairs in more than 10. Rows at the same distance
    are in the order of their numbers; which of those at the last distance are among them is left to
    the search. No distance is below :data:`SHORTEST`.

    Raises
    ------
    MemoryError
        If they do not fit.
    """
    n = len(X)
    require(_BYTES * n * count, what=f"{count} neighbors of {n:,} rows", instead="Ask for fewer.")
    found = nearest_of(X, X, count + 1, n_jobs)
    # Rows that differ by less than rounding may come before the row itself.
    own = found.indices == np.arange(n)[:, None]
    own[~own.any(axis=1), -1] = True
    distances = np.maximum(found.distances[~own].reshape(n, count), SHORTEST)
    return Nearest(distances, found.indices[~own].reshape(n, count))


def nearest_of(X: Float64Array, new: Float64Array, count: int, n_jobs: int = 1) -> Nearest:
    """The ``count`` nearest rows of a table for each of some new rows.

    Distances are computed from differences: by products |x|² + |y|² − 2xy, which are quicker to
    search by, those that are small next to the rows would be nothing but rounding.
    """
    if count > len(X):
        raise ValueError(f"count={count} is more than the {len(X)} rows of the table.")
    if X.shape[1] <= _TREE:
        return _by_tree(X, new, count, n_jobs)
    found = _by_differences(X, new, _by_products(X, new, count, n_jobs))
    doubtful = _is_doubtful(new, found)
    if doubtful.any():
        for values, again in zip(found, _by_tree(X, new[doubtful], count, n_jobs), strict=True):
            values[doubtful] = again
    return found


def _by_tree(X: Float64Array, new: Float64Array, count: int, n_jobs: int) -> Nearest:
    ranks = np.arange(1, count + 1)
    return _in_order(*KDTree(X, leafsize=_LEAF).query(new, ranks, workers=n_jobs))


def _by_products(X: Float64Array, new: Float64Array, count: int, n_jobs: int) -> IntArray:
    from sklearn.neighbors import NearestNeighbors  # here, because it takes as long as a small fit

    search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(X)
    libraries = ThreadpoolController()

    def of_rows(first: int) -> IntArray:
        """The neighbors of some rows."""
        # On one thread, because rows at the same distance come in the order of the threads.
        with libraries.limit(limits=1, user_api="openmp"):
            found: IntArray = search.kneighbors(new[first : first + _ROWS], return_distance=False)
        return found

    return np.concatenate(list(run(of_rows, range(0, len(new), _ROWS), n_jobs)))


def _in_order(distances: Float64Array, indices: IntArray) -> Nearest:
    order = np.lexsort((indices, distances), axis=1)
    return Nearest(np.take_along_axis(distances, order, 1), np.take_along_axis(indices, order, 1))


def _by_differences(X: Float64Array, new: Float64Array, indices: IntArray) -> Nearest:
    distances = np.empty(indices.shape)
    step = max(_COORDINATES // (indices.shape[1] * X.shape[1]), 1)
    for first in range(0, len(new), step):
        rows = slice(first, first + step)
        differences = X[indices[rows]] - new[rows, None]
        distances[rows] = np.sqrt(np.einsum("ijk,ijk->ij", differences, differences))
    return _in_order(distances, indices)


def _is_doubtful(new: Float64Array, found: Nearest) -> BoolArray:
    """Rows with neighbors that products may have missed, because they cannot tell them apart."""
    squares = np.einsum("ij,ij->i", new, new)
    return np.asarray(found.distances[:, -1] ** 2 <= _TOLD * squares)
