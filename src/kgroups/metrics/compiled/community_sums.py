"""Sums over the edges of a graph, community by community."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IndexArray, IntArray


@jit
def add_ends(
    indptr: IndexArray,
    indices: IndexArray,
    data: Float64Array,
    codes: IntArray,
    k: int,
    counted: bool,
) -> tuple[Float64Array, Float64Array]:
    """Weight of the ends of edges inside each community, and of those of edges that leave it."""
    inside, cut = np.zeros(k), np.zeros(k)
    for i in range(len(indptr) - 1):
        own = codes[i]
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            weight = 1.0 if counted else data[e]
            if codes[j] != own:
                cut[own] += weight
            else:
                inside[own] += 2 * weight if i == j else weight
    return inside, cut
