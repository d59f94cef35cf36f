"""What pictures of networks read: the matrix, the community of each node, and samples."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.fit.fitted import Fitted
from kgroups.input.networks import GraphLike, network_of
from kgroups.plots._arguments import OF_NODES, check_fitted
from kgroups.plots._data import cluster_counts
from kgroups.typing import IntArray


class Communities(NamedTuple):
    """A clean adjacency matrix and the community of each node, 0..k−1.

    Nodes without edges that are in no community have the label k.
    """

    matrix: csr_array
    labels: IntArray
    sizes: IntArray
    names: list[str] | None = None
    n_alone: int = 0


def communities_of(estimator: Fitted, A: GraphLike) -> Communities:
    """The communities that an estimator found in ``A``."""
    check_fitted(estimator, OF_NODES)
    matrix = clean(A)
    n = len(estimator.labels_)
    if matrix.shape[0] != n:
        raise ValueError(
            f"A has {matrix.shape[0]} nodes and the estimator was fitted on {n}; "
            "pass the A of the fit."
        )
    sizes = cluster_counts(estimator)
    alone = estimator.labels_ >= len(sizes)
    labels = np.where(alone, len(sizes), estimator.labels_)
    return Communities(matrix, labels, sizes, n_alone=int(np.count_nonzero(alone)))


def communities_from(A: GraphLike, labels: ArrayLike) -> Communities:
    """The communities that are named by the user, in sorted order."""
    matrix, array = clean(A), np.asarray(labels)
    if array.shape != (matrix.shape[0],):
        raise ValueError(
            f"labels must hold one community for each of the {matrix.shape[0]} nodes of A; got "
            f"shape {array.shape}."
        )
    names, codes = np.unique(array, return_inverse=True)
    return Communities(matrix, codes, np.bincount(codes), [str(name) for name in names])


def clean(A: GraphLike) -> csr_array:
    """The clean adjacency matrix, without the notes that the fit has already shown."""
    return network_of(A, name="A", allow_negative=True).adjacency


def degrees_of(A: csr_array) -> IntArray:
    """Number of edges at each node, whatever they weigh; a loop counts once."""
    return np.diff(A.indptr).astype(np.int64)


def by_community_and_degree(labels: IntArray, degrees: IntArray) -> tuple[IntArray, IntArray]:
    """Nodes in the order of their communities, within each by decreasing degree; and rank there."""
    order = np.lexsort((-degrees, labels))
    size = np.bincount(labels)
    return order, np.arange(len(labels)) - (np.cumsum(size) - size)[labels[order]]


def busiest_nodes(labels: IntArray, degrees: IntArray, limit: int) -> IntArray:
    """At most ``limit`` nodes, ascending: the same share of each community, those with most edges.

    As long as there is room, each community gets one before any gets two.
    """
    if len(labels) <= limit:
        return np.arange(len(labels))
    order, rank = by_community_and_degree(labels, degrees)
    own = np.bincount(labels)[labels[order]]
    return np.sort(order[np.lexsort((-own, rank / own))[:limit]])
