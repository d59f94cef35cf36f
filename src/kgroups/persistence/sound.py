"""What compiled loops may take for granted of a model: they do not check their indices.

An altered file is refused by its digests. These checks are for one whose digests were altered, too:
it may give a wrong label, and must not read or write memory that is not its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kgroups.input.rows import n_rows

if TYPE_CHECKING:
    from kgroups.answers.answers import KeptDistances, KeptRows
    from kgroups.graphs.free.hierarchy import CommunityGraph, Hierarchy
    from kgroups.solvers.agglomerative import Tree
    from kgroups.solvers.centroids import Centroids, RowsToCentroids, RowsToSparseMeans
    from kgroups.solvers.one_dimensional import Intervals

# Attributes that are labels, and those that count columns, clusters and rows.
_LABELS = {"labels_", "_node_labels_"}
_COUNTS = {
    "n_features_in_", "n_clusters_", "n_leaves_", "n_neighbors_", "_n_features_out",
}  # fmt: skip


def check_indices(values: Any, below: int, shape: tuple[int, ...], what: str) -> None:
    """ValueError unless these are integers in 0..below−1, in an array of that shape."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu":
        raise ValueError(f"{what} are not integers")
    if values.shape != shape:
        raise ValueError(f"{what} have shape {values.shape}, not {shape}")
    if values.size and not (values.min() >= 0 and values.max() < below):
        raise ValueError(f"{what} are not in 0..{below - 1}")


def check_numbers(values: Any, shape: tuple[int, ...], what: str) -> None:
    """ValueError unless these are floating-point numbers in an array of that shape."""
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f" or values.shape != shape:
        raise ValueError(f"{what} are not an array of numbers of shape {shape}")


def check_attributes(found: dict[str, Any], longest: int) -> None:
    """ValueError for labels and counts of a model that would make other arrays as long as they say.

    ``longest`` is the longest side of any array in the file: nothing is counted that is not there.
    """
    for name in _LABELS & found.keys():
        check_labels(found[name], name)
    for name in _COUNTS & found.keys():
        if not isinstance(found[name], (int, np.integer)) or not 0 <= found[name] <= longest:
            raise ValueError(f"{name} counts more than the file holds")


def check_labels(values: Any, what: str) -> None:
    """ValueError unless these are labels of at most as many clusters as there are rows."""
    n = len(values) if isinstance(values, np.ndarray) else 0
    check_indices(values, n, (n,), what)


def sound_centroids(made: Centroids) -> None:
    """Labels of all rows are those of clusters."""
    n, k = len(made.labels), len(made.partition_weight)
    check_indices(made.labels, k, (n,), "labels of centroids")
    check_numbers(made.weights, (n,), "weights")
    check_numbers(made.partition_weight, (k,), "weights of clusters")
    check_numbers(made.partition_within, (k,), "sums within clusters")


def sound_rows(made: RowsToCentroids) -> None:
    """There is one label for each row of the fit."""
    if made.training is not None and n_rows(made.training) != len(made.centroids.labels):
        raise ValueError("the rows of the fit and their labels differ in number")


def sound_sample(made: KeptRows) -> None:
    """There is one label and one weight for each row of a sample."""
    m = len(made.rows)
    check_indices(made.labels, 1 << 31, (m,), "labels of the sample")
    check_numbers(made.weights, (m,), "weights of the sample")
    if n_rows(made.data) != m:
        raise ValueError("the rows of the sample and their numbers differ in number")


def sound_distances(made: KeptDistances) -> None:
    """Distances are between the rows of the sample, which are rows of the fit."""
    n, m = len(made.squared), len(made.rows)
    check_indices(made.rows, n, (m,), "rows of the sample")
    check_numbers(made.weights, (n,), "weights")
    check_numbers(made.rho, (m, m), "distances of the sample")


def sound_sparse_means(made: RowsToSparseMeans) -> None:
    """Columns are rising, and there is a mean for each of them."""
    sound_rows(made)
    d, k = len(made.columns), len(made.centroids.partition_weight)
    check_indices(made.columns, int(made.training.shape[1]), (d,), "columns")
    if (np.diff(made.columns) <= 0).any():
        raise ValueError("columns are not in their order")
    check_numbers(made.shift, (d,), "shifts of columns")
    check_numbers(made.means, (d, k), "means of columns")


def sound_intervals(made: Intervals) -> None:
    """Every cluster is a stretch of the sorted values."""
    n = len(made.values)
    check_numbers(made.values, (n,), "values")
    check_numbers(made.weights, (n,), "weights")
    check_indices(made.bounds, n + 1, (len(made.bounds),), "bounds of intervals")
    is_whole = made.bounds[0] == 0 and made.bounds[-1] == n
    if not is_whole or (np.diff(made.bounds) <= 0).any():
        raise ValueError("bounds of intervals do not divide the values")


def sound_tree(made: Tree) -> None:
    """A merge joins nodes that were there before."""
    n = len(made.weights)
    check_indices(made.children, 2 * n - 2, (n - 1, 2), "merges")
    later: NDArray[Any] = made.children >= np.arange(n, 2 * n - 1)[:, None]
    if later.any():
        raise ValueError("a merge joins a node that is not there yet")
    check_numbers(made.heights, (n - 1,), "heights")


def sound_hierarchy(made: Hierarchy) -> None:
    """Each step joins two of the communities, until one is left."""
    k = len(made.resolutions) + 1
    if made.n_clusters != k:
        raise ValueError(f"{made.n_clusters} communities become one in {k - 1} steps")
    check_indices(made.merges, k, (k - 1, 2), "merges of communities")


def sound_communities(made: CommunityGraph) -> None:
    """The links are those between communities whose sizes are known."""
    k = len(made.sizes)
    if made.links.shape != (k, k):
        raise ValueError("links are not those between the communities")
    check_numbers(made.sizes, (k,), "sizes of communities")
    check_numbers(made.volumes, (k,), "volumes of communities")
