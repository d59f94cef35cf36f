"""How much of a graph resists elimination."""

from typing import Any

import numpy as np

from kgroups._numba import jit

# A node of so few neighbours is eliminated with next to no fill.
_FEW = 2


@jit
def core_size(indptr: Any, indices: Any) -> int:
    """Nodes of the 3-core: what is left when nodes of at most two neighbours go, again and again.

    A factorisation of the graph's matrix is at worst dense on those. O(nnz).
    """
    n = len(indptr) - 1
    degree = np.empty(n, np.int64)
    waiting = np.empty(n, np.int64)
    gone = np.zeros(n, np.bool_)
    size = 0
    for node in range(n):
        degree[node] = indptr[node + 1] - indptr[node]
        if degree[node] <= _FEW:
            waiting[size] = node
            gone[node] = True
            size += 1
    first = 0
    while first < size:
        node = waiting[first]
        first += 1
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            degree[other] -= 1
            if not gone[other] and degree[other] <= _FEW:
                gone[other] = True
                waiting[size] = other
                size += 1
    return n - size
