"""How likely a graph is given its communities: the criterion between starts where Q misleads."""

import numpy as np
from scipy.sparse import csr_array

from kgroups.metrics.community_sums import CommunitySums
from kgroups.typing import IntArray


def planted_likelihood(A: csr_array, labels: IntArray, k: int) -> float:
    r"""Maximum log-likelihood of a planted partition with these labels, up to a common constant.

    .. math:: m_{in} \log \frac{m_{in}}{n_{in}} + m_{out} \log \frac{m_{out}}{n_{out}}

    with m the weight of edges and n the number of pairs of nodes, inside communities and between
    them: edges are Poisson draws at one rate inside and another between, both estimated. If the
    rate between is the larger one, these are not communities, and the value is that of a single
    community. O(edges).

    Source: B. Karrer and M. E. J. Newman, Phys. Rev. E 83, 016107 (2011), eq. 9, with two rates
    instead of k².
    """
    sums = CommunitySums.of(A, labels, k)
    size = sums.size.astype(np.float64)
    edges = np.array([sums.inside.sum(), sums.cut.sum()]) / 2.0
    pairs_inside = float((size * (size - 1.0)).sum()) / 2.0
    pairs = np.array([pairs_inside, len(labels) * (len(labels) - 1.0) / 2.0 - pairs_inside])
    rates = np.divide(edges, pairs, out=np.zeros(2), where=pairs > 0)
    if not pairs.any():
        return 0.0  # a single node
    if rates[0] <= rates[1]:
        edges, rates = edges.sum(keepdims=True), edges.sum(keepdims=True) / pairs.sum()
    some = rates > 0
    return float(edges[some] @ np.log(rates[some]))
