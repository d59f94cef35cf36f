"""Labels by belief propagation: what a node's neighbors, and theirs, say about its community.

Eigenvectors see a community as a direction. Beliefs also account for the randomness of a node's few
edges, and weight each by how certain the node at its other end is. On block models this recovers
more of the true communities than any spectral start, down to the limit of detectability.

Source: A. Decelle, F. Krzakala, C. Moore and L. Zdeborová, Phys. Rev. E 84, 066106 (2011), eqs. 25
to 28, for the planted partition with rates that are estimated from the starting labels.
"""

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.compiled.belief import propagate
from kgroups.input.adjacency import like, rows_of, without_loops
from kgroups.runtime.memory import require
from kgroups.typing import Float64Array, IndexArray, IntArray

# Initial belief in the starting label; rounds at most; mean change at which beliefs have settled.
_TRUST, _ROUNDS, _TOL = 0.8, 30, 1e-3
#: If the variance of the degrees exceeds this many times that of a Poisson law, nodes differ in
# activity.
UNEVEN = 2.0
# The rate between communities is at least this share of the rate inside, so that no single edge
# is a proof.
_LEAST_ACROSS = 1e-3


def believed_labels(A: csr_array, labels: IntArray, k: int) -> IntArray:
    """The most likely community of each node, starting from labels. O(edges · k) time and memory.

    Weights of edges are not used. If degrees vary far more than by chance, each node has an
    activity proportional to its degree, as in the degree-corrected block model.
    """
    if A.data.min(initial=0.0) < 0:
        raise ValueError(
            'init="belief" takes every edge as a sign of belonging together, but A has negative '
            'weights. Use init="spectral".'
        )
    if A.diagonal().any():
        A = without_loops(A)  # a loop says nothing about its node
    require(
        A.nnz * (8 * k + 48),
        what=f"Messages about {k} communities on {A.nnz // 2:,} edges",
        instead='Use init="multilevel".',
    )
    n, degree = A.shape[0], np.diff(A.indptr).astype(np.float64)
    uneven = degree.var() > UNEVEN * degree.mean()
    activity = degree / degree.mean() if uneven else np.ones(n)
    rows = rows_of(A)
    inside, across = rates(rows, A.indices, labels, activity, k)
    if inside <= across:
        return labels
    beliefs = np.full((n, k), (1.0 - _TRUST) / k)
    beliefs[np.arange(n), labels] += _TRUST
    messages = beliefs[rows]
    back = reversed_entries(A)
    propagate(A.indptr, back, activity, inside, across, messages, beliefs, _ROUNDS, _TOL)
    return np.asarray(beliefs.argmax(axis=1), np.int64)


def rates(
    rows: IntArray, columns: IndexArray, labels: IntArray, activity: Float64Array, k: int
) -> tuple[float, float]:
    """Edges per pair of nodes of unit activity, within communities and between them."""
    within = int((labels[rows] == labels[columns]).sum())
    shares = np.bincount(labels, weights=activity, minlength=k)
    pairs_within = float((shares**2).sum())
    pairs_across = float(activity.sum() ** 2) - pairs_within
    inside = within / pairs_within
    across = (len(rows) - within) / pairs_across if pairs_across > 0 else 0.0
    return inside, max(across, _LEAST_ACROSS * inside)


def reversed_entries(A: csr_array) -> IntArray:
    """The position of entry (j, i) for each entry (i, j) of a symmetric matrix."""
    return np.asarray(like(A, np.arange(A.nnz)).T.tocsr().data)
