"""Rows of eigenvectors, one a node, and clusters of such rows."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from kgroups._typing import Float64Array, IntArray
from kgroups.graphs.spectrum import smallest_eigenpairs
from kgroups.gram import SparseGram


def association_rows(
    gram: SparseGram, weights: Float64Array, k: int, *, seed: int
) -> Float64Array:
    """Rows of the top k eigenvectors of D^-½ M D^-½, the relaxed normalised cut, (n, k).

    M are the weights of the edges, w_i w_j S_ij, and D the sums of their absolute values, so that
    negative ones repel [Kunegis et al., SDM 2010].
    """
    S = gram.matrix
    rows = np.repeat(np.arange(gram.n), np.diff(S.indptr))
    links = S.data * weights[rows] * weights[S.indices]
    strength = np.bincount(rows, weights=np.abs(links), minlength=gram.n)
    root = np.sqrt(np.divide(1.0, strength, out=np.zeros(gram.n), where=strength > 0))
    minus = csr_array((-links * root[rows] * root[S.indices], S.indices, S.indptr), shape=S.shape)
    return smallest_eigenpairs(minus, k, seed=seed).vectors


def unit_rows(rows: Float64Array) -> Float64Array:
    """Each row over its length; one of length zero stays.

    The length of a node's row says how well connected it is, its direction to which community it
    belongs: without lengths, k-means does not spend clusters on nodes that hardly belong anywhere.
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    # Entries of nodes outside a component are rounding, not a direction.
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12)


def cluster_rows(rows: Float64Array, k: int, *, seed: int, n_init: int) -> IntArray:
    """K-means, the best of ``n_init`` starts, every cluster with a row in it."""
    with threadpool_limits(limits=1):  # sums by several threads would round as these are scheduled
        labels = KMeans(k, n_init=n_init, random_state=seed).fit(rows).labels_
    return filled(np.asarray(labels, np.int64), k)


def filled(labels: IntArray, k: int) -> IntArray:
    """Labels in which no cluster is empty: equal rows may leave fewer than k."""
    count = np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(count == 0):
        largest = int(count.argmax())
        labels[np.flatnonzero(labels == largest)[-1]] = empty
        count[largest] -= 1
        count[empty] += 1
    return labels
