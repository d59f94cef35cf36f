"""The evidence of a graph for its communities: how many bits they save in describing it."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from kgroups.input.adjacency import check_adjacency, like, rows_of
from kgroups.input.networks import GraphLike
from kgroups.metrics.community_labels import Communities, community_codes
from kgroups.metrics.community_sums import CommunitySums
from kgroups.typing import Float64Array, IntArray

_LOG_2 = float(np.log(2.0))


def evidence(A: GraphLike, labels: Communities) -> float:
    r"""Bits by which communities shorten the description of a graph, next to a single community.

    .. math:: \log_2 \frac{P(A, b)}{P(A, 1)}, \qquad
        P(A, b) = \tfrac{1}{2} P_{\text{shared}}(A, b) + \tfrac{1}{2} P_{\text{own}}(A, b)

    P is the probability of the graph and its communities b under the degree-corrected planted
    partition, with all parameters integrated out. In one of its two forms all communities share one
    rate of inner edges, in the other each has its own. 10 bits for one partition more than for
    another mean that it is 1,000 times as probable; below 0, a graph without communities is the
    better description. O(edges + n log n) time, O(n) memory.

    Nodes without edges are left out. Weights of edges are scaled such that they sum to (Σw)²/Σw²,
    the number of equal edges that would vary as much, so that their unit does not matter.

    Parameters
    ----------
    A : sparse array or array (n, n), graph of networkx
        Symmetric, nonnegative weights of edges; zero means that there is no edge.
    labels : array-like (n,), communities as sets of nodes, or dict
        As for :func:`kgroups.metrics.modularity`. Partitions of any number and any origin can be
        compared.

    Returns
    -------
    float
        0 for a single community.

    Raises
    ------
    ValueError
        If A has no edges or a negative weight, or labels are too many or too few.

    Examples
    --------
    >>> import numpy as np
    >>> cliques = np.kron(np.eye(3), np.ones((6, 6)) - np.eye(6))
    >>> cliques[5, 6] = cliques[6, 5] = cliques[11, 12] = cliques[12, 11] = 1
    >>> round(evidence(cliques, np.arange(18) // 6), 2)
    0.0
    >>> round(evidence(cliques, np.arange(18) % 3), 2)
    0.0

    References
    ----------
    L. Zhang and T. P. Peixoto, "Statistical inference of assortative community structures", Phys.
    Rev. Research 2, 043271 (2020): the uniform and the nonuniform planted partition, with uniform
    degrees. That the most likely communities are those of the largest modularity at one resolution:
    M. E. J. Newman, Phys. Rev. E 94, 052315 (2016).
    """
    matrix = check_adjacency(A)
    codes, k = community_codes(A, labels, matrix.shape[0])
    if matrix.nnz == 0:
        raise ValueError("evidence is that of edges, and A has none; give it at least one.")
    return bits_of(matrix, codes, k)


def bits_of(A: csr_array, labels: IntArray, k: int) -> float:
    """The evidence for labels 0..k−1 of a clean matrix with edges."""
    counted = in_edges(A)
    linked = np.diff(A.indptr) > 0
    sums = CommunitySums.of(counted, labels, k)
    sums = sums._replace(size=np.bincount(labels[linked], minlength=k))
    return bits(sums)


def bits(sums: CommunitySums) -> float:
    """The evidence from sums over communities, some of which may have no node with an edge."""
    used = sums.size > 0
    one = CommunitySums(
        sums.size.sum(keepdims=True),
        (sums.inside + sums.cut).sum(keepdims=True),
        np.zeros(1),
        sums.n_loops,
    )
    several = CommunitySums(sums.size[used], sums.inside[used], sums.cut[used], sums.n_loops)
    return float((_log_probability(several) - _log_probability(one)) / _LOG_2)


def in_edges(A: csr_array) -> csr_array:
    """The graph with weights that sum to the number of equal edges that would vary as much."""
    share = np.where(rows_of(A) == A.indices, 1.0, 0.5)  # an edge is stored twice, a loop once
    # In units of the largest weight, so that no square is beyond numbers.
    w = A.data / A.data.max()
    return like(A, w * float(share @ w / (share @ w**2)))


def _log_probability(sums: CommunitySums) -> float:
    """log P(A, b), without the factors that are the same for all partitions.

    m edges, of which m_in inside, m_out between the B communities, m_r inside community r, which
    has n_r nodes with k_r ends of edges [Zhang & Peixoto, eqs. 8 to 19]: the placement of edges
    given their numbers, the degrees given k_r, and the partition.
    """
    n_r, k_r, m_r = sums.size.astype(np.float64), sums.volume, sums.inside / 2.0
    B, n, m_in, m_out = len(n_r), float(n_r.sum()), float(m_r.sum()), float(sums.cut.sum()) / 2.0
    placed = gammaln(m_out + 1.0) - gammaln(k_r + 1.0).sum()
    if B > 1:
        placed -= m_out * np.log(B * (B - 1) / 2.0) + np.log(m_in + m_out + 1.0)
    shared = gammaln(m_in + 1.0) - m_in * np.log(B / 2.0)
    own = (gammaln(m_r + 1.0) + m_r * _LOG_2).sum() - _log_multisets(float(B), m_in)
    degrees = -_log_multisets(n_r, k_r).sum()
    partition = (
        gammaln(n_r + 1.0).sum()
        - gammaln(n + 1.0)
        - (gammaln(n) - gammaln(B) - gammaln(n - B + 1.0))
        - np.log(n)
    )
    return float(placed + np.logaddexp(shared, own) - _LOG_2 + degrees + partition)


def _log_multisets(kinds: Float64Array | float, items: Float64Array | float) -> Float64Array:
    """The logarithm of the number of ways to share items out among kinds."""
    return np.asarray(gammaln(kinds + items) - gammaln(kinds) - gammaln(items + 1.0))
