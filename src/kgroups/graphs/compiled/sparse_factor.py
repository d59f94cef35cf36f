"""The part of a graph that resists elimination."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import BoolArray, IndexArray, IntArray

# A node with at most this many neighbors is eliminated with next to no fill.
_FEW = 2


@jit
def core_size(indptr: IndexArray, indices: IndexArray) -> int:
    """Number of nodes in the largest component of the 3-core.

    The 3-core is left when nodes with at most two neighbors are removed until there are none. At
    worst, a factorization of the graph's matrix is dense on such a component. O(nnz).
    """
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
    return largest_piece(indptr, indices, gone, waiting)


@jit
def largest_piece(
    indptr: IndexArray, indices: IndexArray, gone: BoolArray, waiting: IntArray
) -> int:
    """Number of nodes in the largest component of what is not gone. IN-OUT: all are gone after."""
    largest = 0
    for start in range(len(indptr) - 1):
        if gone[start]:
            continue
        gone[start] = True
        waiting[0] = start
        first, size = 0, 1
        while first < size:
            node = waiting[first]
            first += 1
            for entry in range(indptr[node], indptr[node + 1]):
                other = indices[entry]
                if not gone[other]:
                    gone[other] = True
                    waiting[size] = other
                    size += 1
        largest = max(largest, size)
    return largest
