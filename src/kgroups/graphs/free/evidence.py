"""The evidence of a graph for its communities: how many bits they save in describing it."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from kgroups.input.adjacency import like, rows_of
from kgroups.input.check_adjacency import check_network
from kgroups.input.networks import GraphLike
from kgroups.metrics.community_labels import Communities, community_codes
from kgroups.metrics.community_sums import CommunitySums
from kgroups.typing import Float64Array, IntArray

_LOG_2 = float(np.log(2.0))


def evidence(A: GraphLike, labels: Communities) -> float:
    r"""Bits by which communities shorten the description of a graph, next to a single community.

    .. math:: \log_2 \frac{P(A, b)}{P(A, 1)}, \qquad P = \tfrac{1}{3} (P_1 + P_2 + P_3)

    P(A, b) is the probability of the graph A and its communities b in a planted partition with
    given degrees, all parameters integrated out. Of its three forms, in P₁ all communities share
    one rate of inner edges, in P₂ each has its own, and in P₃ all nodes share one share of edges
    that stay inside. 10 bits more make a partition 1,000 times as probable; below 0, a graph
    without communities is the better description. A graph that was drawn without communities, its
    degrees from all that are possible, gives x bits or more to any partition with a probability of
    at most 2⁻ˣ, however long one searches. O(edges + n log n) time, O(n) memory.

    Read it for communities that have more edges inside than chance gives. The sides of a bipartite
    graph, or nodes of few and of many edges, also shorten the description.

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
    Rev. Research 2, 043271 (2020): P₁ and P₂, the uniform and the nonuniform planted partition
    [ZP]. P₃ is the configuration model with a share of edges that stay inside. That the most likely
    communities are those of the largest modularity at one resolution: M. E. J. Newman, Phys. Rev. E
    94, 052315 (2016).
    """
    matrix, nodes, _ = check_network(A)
    codes, k = community_codes(nodes, labels)
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
    """log P(A, b), without the factors that are the same for all partitions of a graph."""
    sizes = sums.size.astype(np.float64)
    forms = np.array([_shared_rate(sums), _own_rates(sums), _shared_share(sums)])
    return float(np.logaddexp.reduce(forms) - np.log(3.0) + _log_prior(sizes))


def _shared_rate(sums: CommunitySums) -> float:
    """m_in edges inside communities, in any of them alike [ZP, the uniform planted partition]."""
    m_in, B = float(sums.inside.sum()) / 2.0, len(sums.size)
    return float(_planted(sums) + gammaln(m_in + 1.0) - m_in * np.log(B / 2.0))


def _own_rates(sums: CommunitySums) -> float:
    """m_r edges inside community r, any numbers that sum to m_in [ZP, the nonuniform one]."""
    m_r = sums.inside / 2.0
    shared_out = _log_multisets(float(len(m_r)), float(m_r.sum()))
    return float(_planted(sums) + (gammaln(m_r + 1.0) + m_r * _LOG_2).sum() - shared_out)


def _planted(sums: CommunitySums) -> float:
    """What both planted partitions share: m_out edges between pairs, and the degrees."""
    ends, m_out, B = sums.volume, float(sums.cut.sum()) / 2.0, len(sums.size)
    placed = gammaln(m_out + 1.0) - gammaln(ends + 1.0).sum()
    if B > 1:
        placed -= m_out * np.log(B * (B - 1) / 2.0) + np.log(ends.sum() / 2.0 + 1.0)
    return float(placed - _log_multisets(sums.size.astype(np.float64), ends).sum())


def _shared_share(sums: CommunitySums) -> float:
    """The same share of all ends of edges stays inside, whatever the community.

    2 m_out of the 2m ends are drawn at random; they are joined at random between communities, and
    the others inside each. The number of ways to join the ends o_r of each community with others
    is at most ∏ o_r! p_r^(−o_r) · (1 − Σp²)^m_out / (2^m_out m_out!), p = o / 2m_out: a bound by a
    generating function, exact for two communities.
    """
    inner, outer = sums.inside, sums.cut[sums.cut > 0]
    two_m, two_out, n = float(sums.volume.sum()), float(outer.sum()), float(sums.size.sum())
    ways = _log_pairings(inner).sum() + float(_log_multisets(n, two_m))
    if len(sums.size) > 1:
        ways += np.log(two_m / 2.0 + 1.0)
        ways += gammaln(two_m + 1.0) - gammaln(two_out + 1.0) - gammaln(two_m - two_out + 1.0)
    if len(outer):
        p, m_out = outer / two_out, two_out / 2.0
        ways += (gammaln(outer + 1.0) - outer * np.log(p)).sum()
        ways += m_out * np.log((1.0 - (p**2).sum()) / 2.0) - gammaln(m_out + 1.0)
    return -float(ways)


def _log_prior(sizes: Float64Array) -> float:
    """The partition: its number of communities, their sizes, who is in which [ZP, eq. 13]."""
    B, n = len(sizes), float(sizes.sum())
    compositions = gammaln(n) - gammaln(B) - gammaln(n - B + 1.0)
    return float(gammaln(sizes + 1.0).sum() - gammaln(n + 1.0) - compositions - np.log(n))


def _log_pairings(ends: Float64Array) -> Float64Array:
    """The logarithm of the number of ways to join ends in pairs."""
    return np.asarray(gammaln(ends + 1.0) - ends / 2.0 * _LOG_2 - gammaln(ends / 2.0 + 1.0))


def _log_multisets(kinds: Float64Array | float, items: Float64Array | float) -> Float64Array:
    """The logarithm of the number of ways to share items out among kinds."""
    return np.asarray(gammaln(kinds + items) - gammaln(kinds) - gammaln(items + 1.0))
