"""Rows of eigenvectors, one row per node, and clusters of such rows."""

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from kgroups.gram import SparseGram
from kgroups.graphs.spectrum import smallest_eigenpairs
from kgroups.input.adjacency import like, rows_of, scaled
from kgroups.typing import Float64Array, IntArray

# The regularization that is added to each degree, in mean degrees.
_TAU = 0.1


def association_rows(
    gram: SparseGram, weights: Float64Array, k: int, *, seed: int, tau: float = _TAU
) -> Float64Array:
    """Rows of the top k eigenvectors of D_τ^-½ M D_τ^-½, the relaxed normalized cut, (n, k).

    M holds the weights of the edges, w_i w_j S_ij, and D the sums of their absolute values, so that
    negative ones repel [1]. D_τ adds τ times the mean to each; without it, the top eigenvectors
    belong to small components and stray nodes [2].

    [1] J. Kunegis et al., "Spectral analysis of signed graphs for clustering, prediction and
    visualization", SDM 2010. [2] A. A. Amini, A. Chen, P. J. Bickel and E. Levina, "Pseudo-
    likelihood methods for community detection in large sparse networks", Ann. Statist. 41 (2013).
    """
    minus, _ = _minus_association(gram, weights, tau)
    return smallest_eigenpairs(minus, k, seed=seed).vectors


def walk_rows(A: csr_array, k: int, *, seed: int) -> Float64Array:
    """Rows of the top k eigenvectors of the random walk D^-1 A on a connected graph, (n, k).

    This is the relaxed normalized cut of J. Shi and J. Malik, IEEE Trans. PAMI 22 (2000): cuts that
    cost next to nothing come first.
    """
    minus, root = _minus_association(SparseGram(A), np.ones(A.shape[0]), 0.0)
    return smallest_eigenpairs(minus, k, seed=seed).vectors * root[:, None]


def _minus_association(
    gram: SparseGram, weights: Float64Array, tau: float
) -> tuple[csr_array, Float64Array]:
    """The matrix −D_τ^-½ M D_τ^-½ and the diagonal of D_τ^-½."""
    S = gram.matrix
    rows = rows_of(S)
    links = S.data * weights[rows] * weights[S.indices]
    strength = np.bincount(rows, weights=np.abs(links), minlength=gram.n)
    added = strength + tau * strength.mean()
    root = np.sqrt(np.divide(1.0, added, out=np.zeros(gram.n), where=added > 0))
    return scaled(like(S, -links), root), root


def unit_rows(rows: Float64Array) -> Float64Array:
    """The rows, each divided by its length; a row of length zero becomes zero.

    The length of a node's row tells how well the node is connected, its direction to which
    community it belongs. Without lengths, k-means spends no clusters on nodes that hardly belong
    anywhere.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    # Entries of nodes outside a component are rounding, not a direction.
    return np.asarray(rows / np.where(lengths > 1e-12, lengths, np.inf))


def cluster_rows(rows: Float64Array, k: int, *, seed: int, n_init: int) -> IntArray:
    """Labels by k-means, the best of ``n_init`` starts, with at least one row in every cluster.

    Examples
    --------
    >>> cluster_rows(np.array([[0.0], [0.1], [5.0]]), 2, seed=0, n_init=1).tolist()
    [0, 0, 1]
    """
    from sklearn.cluster import KMeans  # here, because it takes as long as a small fit

    # With several threads, rounding would depend on how they are scheduled.
    with threadpool_limits(limits=1, user_api="openmp"):
        labels = KMeans(k, n_init=n_init, random_state=seed).fit(rows).labels_
    return filled(np.asarray(labels, np.int64), k)


def filled(labels: IntArray, k: int, weights: Float64Array | None = None) -> IntArray:
    """Labels in which every cluster has a node of positive weight, if enough nodes have weight.

    Equal rows, beliefs, or nodes without weight may leave clusters empty. An empty cluster gets the
    last node with weight of the largest one.
    """
    alive = np.ones(len(labels), np.bool_) if weights is None else weights > 0
    count = np.bincount(labels[alive], minlength=k)
    for empty in np.flatnonzero(count == 0):
        largest = int(count.argmax())
        labels[np.flatnonzero((labels == largest) & alive)[-1]] = empty
        count[largest] -= 1
        count[empty] += 1
    return labels
