"""The part of a graph that resists elimination."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import BoolArray, IndexArray

# A node with at most this many neighbors is eliminated with next to no fill.
_FEW = 2


@jit
def in_core(indptr: IndexArray, indices: IndexArray) -> BoolArray:
    """Which nodes are in the 3-core: those left when all with at most two neighbors are removed."""
    n = len(indptr) - 1
    degree = np.zeros(n, np.int64)
    waiting = np.empty(n, np.int64)
    gone = np.zeros(n, np.bool_)
    size = 0
    for node in range(n):
        for entry in range(indptr[node], indptr[node + 1]):
            degree[node] += indices[entry] != node
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
    return ~gone
