"""The evidence of a graph for its communities: how many bits they save in describing it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from kgroups.input.adjacency import like, rows_of
from kgroups.input.networks import GraphLike, check_network
from kgroups.metrics.community_labels import Communities, community_codes
from kgroups.metrics.community_sums import CommunitySums
from kgroups.typing import Float64Array, IntArray

_LOG_2 = float(np.log(2.0))
#: Rows of the terms with the ends of edges inside communities and between them.
INSIDE, CUT = 2, 3


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
        Symmetric, nonnegative weights of edges, 0 between nodes without an edge.
    labels : array-like (n,), communities as sets or lists of nodes, or dict
        As for :func:`kgroups.metrics.modularity`. Partitions of any number and any origin can be
        compared.

    Returns
    -------
    float
        0 for a single community.

    Raises
    ------
    ValueError
        If A has no edges or a negative weight, or labels are too many, too few or missing.

    Examples
    --------
    >>> import numpy as np
    >>> cliques = np.kron(np.eye(3), np.ones((6, 6)) - np.eye(6))
    >>> cliques[5, 6] = cliques[6, 5] = cliques[11, 12] = cliques[12, 11] = 1
    >>> round(evidence(cliques, np.arange(18) // 6), 2)
    26.89
    >>> round(evidence(cliques, np.arange(18) % 3), 2)
    -29.23

    References
    ----------
    L. Zhang and T. P. Peixoto, "Statistical inference of assortative community structures", Phys.
    Rev. Research 2, 043271 (2020): P₁ and P₂, the uniform and the nonuniform planted partition
    [ZP]. P₃ is the configuration model with a share of edges that stay inside. That the most likely
    communities are those of the largest modularity at one resolution: M. E. J. Newman, Phys. Rev. E
    94, 052315 (2016).
    """
    network = check_network(A)
    matrix = network.adjacency
    codes, k = community_codes(network.nodes, labels)
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
    return float(bits_of_totals(terms(sums).sum(axis=1), sums))


def bits_of_totals(totals: Float64Array, sums: CommunitySums) -> Float64Array:
    """The evidence of partitions from the totals of their terms, one or several columns.

    ``sums`` are those of any partition of the same graph.
    """
    one = CommunitySums(
        sums.size.sum(keepdims=True),
        (sums.inside + sums.cut).sum(keepdims=True),
        np.zeros(1),
        sums.n_loops,
    )
    return np.asarray((_log_probability(totals) - _log_probability(terms(one)[:, 0])) / _LOG_2)


def resolution_of(A: csr_array, labels: IntArray) -> float:
    r"""The resolution at which modularity is the likelihood of these communities, O(edges).

    .. math:: \gamma = \frac{\omega_{in} - \omega_{out}}{\ln \omega_{in} - \ln \omega_{out}},
              \qquad \omega_{in} = \frac{2m \cdot 2m_{in}}{\sum_r \kappa_r^2}, \quad
              \omega_{out} = \frac{2m \cdot 2m_{out}}{(2m)^2 - \sum_r \kappa_r^2}

    κ_r is the sum of the degrees in community r, m_in the weight of the edges inside communities.
    It is 1 where inside and outside do not differ, infinite where no edge is outside, and 0 where
    none is inside.

    Source: M. E. J. Newman, Phys. Rev. E 94, 052315 (2016).
    """
    sums = CommunitySums.of(in_edges(A), labels, int(labels.max()) + 1)
    total, inside, outside = sums.volume.sum(), sums.inside.sum(), sums.cut.sum()
    together = float((sums.volume**2).sum())
    if inside == 0.0 or outside == 0.0:
        return 0.0 if inside == 0.0 else np.inf
    w_in, w_out = total * inside / together, total * outside / (total**2 - together)
    ratio = float(w_in / w_out)
    return 1.0 if ratio == 1.0 else float(w_out * (ratio - 1.0) / np.log(ratio))


def in_edges(A: csr_array) -> csr_array:
    """The graph with weights that sum to the number of equal edges that would vary as much."""
    share = np.where(rows_of(A) == A.indices, 1.0, 0.5)  # an edge is stored twice, a loop once
    # In units of the largest weight, so that no square is beyond numbers.
    w = A.data / A.data.max()
    return like(A, w * float(share @ w / (share @ w**2)))


def terms(sums: CommunitySums) -> Float64Array:
    """What each community adds to the sums of which the evidence is made, an array (10, k)."""
    size, inside, cut = sums.size.astype(np.float64), sums.inside, sums.cut
    used = size > 0
    ends = inside + cut
    entropy = gammaln(cut + 1.0) - cut * np.log(np.where(cut > 0, cut, 1.0))
    return np.array(
        [
            used,
            size,
            inside,
            cut,
            gammaln(ends + 1.0) + _log_multisets(np.where(used, size, 1.0), ends * used),
            gammaln(inside / 2.0 + 1.0) + inside / 2.0 * _LOG_2,
            _log_pairings(inside),
            entropy,
            cut**2,
            gammaln(size + 1.0),
        ]
    )


class _Totals(NamedTuple):
    """Terms summed over communities."""

    B: Float64Array
    n: Float64Array
    inside: Float64Array
    cut: Float64Array
    degrees: Float64Array
    own_rates: Float64Array
    pairings: Float64Array
    entropy: Float64Array
    cut_squared: Float64Array
    sizes: Float64Array


def _log_probability(totals: Float64Array) -> Float64Array:
    """log P(A, b), without the factors that are the same for all partitions of a graph."""
    of = _Totals(*totals)
    forms = np.array([_shared_rate(of), _own_rates(of), _shared_share(of)])
    return np.asarray(np.logaddexp.reduce(forms) - np.log(3.0) + _log_prior(of))


def _shared_rate(of: _Totals) -> Float64Array:
    """m_in edges inside communities, in any of them alike [ZP, the uniform planted partition]."""
    m_in = of.inside / 2.0
    return np.asarray(_planted(of) + gammaln(m_in + 1.0) - m_in * np.log(of.B / 2.0))


def _own_rates(of: _Totals) -> Float64Array:
    """m_r edges inside community r, any numbers that sum to m_in [ZP, the nonuniform one]."""
    return _planted(of) + of.own_rates - _log_multisets(of.B, of.inside / 2.0)


def _planted(of: _Totals) -> Float64Array:
    """What both planted partitions share: m_out edges between pairs, and the degrees."""
    m_out, pairs = of.cut / 2.0, np.maximum(of.B * (of.B - 1.0) / 2.0, 1.0)
    placed = gammaln(m_out + 1.0) - m_out * np.log(pairs) - _any_share(of)
    return np.asarray(placed - of.degrees)


def _any_share(of: _Totals) -> Float64Array:
    """log(m + 1): any number of the m edges may be inside, if there are two communities or more."""
    return np.where(of.B > 1, np.log((of.inside + of.cut) / 2.0 + 1.0), 0.0)


def _shared_share(of: _Totals) -> Float64Array:
    """The same share of all ends of edges stays inside, whatever the community.

    2 m_out of the 2m ends are drawn at random; they are joined at random between communities, and
    the others inside each. The number of ways to join the ends o_r of each community with others
    is at most ∏ o_r! p_r^(−o_r) · (1 − Σp²)^m_out / (2^m_out m_out!), p = o / 2m_out: a bound by a
    generating function, exact for two communities.
    """
    two_m, two_out, m_out = of.inside + of.cut, of.cut, of.cut / 2.0
    drawn = gammaln(two_m + 1.0) - gammaln(two_out + 1.0) - gammaln(of.inside + 1.0)
    ways = of.pairings + _log_multisets(of.n, two_m) + drawn + _any_share(of)
    some = np.where(two_out > 0, two_out, 1.0)
    # p <= 1/2, because an edge has an end in each of two communities.
    apart = np.maximum(1.0 - of.cut_squared / some**2, 0.5)
    ways = ways + of.entropy + two_out * np.log(some)
    return np.asarray(-ways - m_out * np.log(apart / 2.0) + gammaln(m_out + 1.0))


def _log_prior(of: _Totals) -> Float64Array:
    """The partition: its number of communities, their sizes, who is in which [ZP, eq. 13]."""
    compositions = gammaln(of.n) - gammaln(of.B) - gammaln(of.n - of.B + 1.0)
    return np.asarray(of.sizes - gammaln(of.n + 1.0) - compositions - np.log(of.n))


def _log_pairings(ends: Float64Array) -> Float64Array:
    """The logarithm of the number of ways to join ends in pairs."""
    return np.asarray(gammaln(ends + 1.0) - ends / 2.0 * _LOG_2 - gammaln(ends / 2.0 + 1.0))


def _log_multisets(kinds: Float64Array | float, items: Float64Array | float) -> Float64Array:
    """The logarithm of the number of ways to share items out among kinds."""
    return np.asarray(gammaln(kinds + items) - gammaln(kinds) - gammaln(items + 1.0))
