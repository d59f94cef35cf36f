"""Nodes that move among a fixed number of communities, at first also where the sum loses."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IndexArray, IntArray


@jit
def annealing_sweeps(
    indptr: IndexArray,
    indices: IndexArray,
    data: Float64Array,
    sizes: Float64Array,
    rate: float,
    temperatures: Float64Array,
    uniform: Float64Array,
    labels: IntArray,
    size: Float64Array,
    members: IntArray,
    best: IntArray,
    sums: Float64Array,
) -> None:
    """One sweep over the nodes of Σ_C A(C, C) − rate · size(C)² at each temperature.

    Each node is offered the community of a random neighbor, or any other, with even chances. It
    moves with probability exp(gain/temperature), at most 1; no community loses its last node.
    ``uniform`` (sweeps, n, 2) decides. IN-OUT: ``labels``, with ``size`` and ``members`` of the
    communities, ``best``, the labels of the largest sum before a loss, and both ``sums``, of
    ``labels`` and of ``best``. O(edges) a sweep, and O(n) where the best is left.
    """
    for sweep in range(temperatures.shape[0]):
        for node in range(sizes.shape[0]):
            own, first, last = labels[node], indptr[node], indptr[node + 1]
            if members[own] == 1:
                continue
            choice = 2.0 * uniform[sweep, node, 0]
            if choice < 1.0 and first < last:
                other = labels[indices[first + int(choice * (last - first))]]
            else:
                other = int((choice % 1.0) * size.shape[0])
            if other == own:
                continue
            links = 0.0
            for entry in range(first, last):
                label = labels[indices[entry]]
                if label == other:
                    links += data[entry]
                elif label == own and indices[entry] != node:
                    links -= data[entry]
            mine = sizes[node]
            gain = 2.0 * (links - rate * mine * (size[other] - size[own] + mine))
            if gain < 0.0 and uniform[sweep, node, 1] >= np.exp(gain / temperatures[sweep]):
                continue
            if gain < 0.0 and sums[0] > sums[1]:
                sums[1] = sums[0]
                best[:] = labels
            sums[0] += gain
            labels[node] = other
            size[own] -= mine
            size[other] += mine
            members[own] -= 1
            members[other] += 1
