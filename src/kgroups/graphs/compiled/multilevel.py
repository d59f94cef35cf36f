"""Groups of neighbors, each of which becomes one node of a coarser graph."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IndexArray, IntArray


@jit
def heaviest_neighbor(
    indptr: IndexArray,
    indices: IndexArray,
    data: Float64Array,
    weights: Float64Array,
    node: int,
    most: float,
    group: IntArray,
    load: Float64Array,
    link: Float64Array,
) -> int:
    """The group with room for a node that has the largest total weight of edges to it.

    ``link`` is zero everywhere before and after. On ties a node stays, or joins the first.
    """
    own = group[node]
    for entry in range(indptr[node], indptr[node + 1]):
        other = indices[entry]
        if other != node:
            link[group[other]] += weights[other] * data[entry]
    best, largest = int(own), link[own]
    for entry in range(indptr[node], indptr[node + 1]):
        other = group[indices[entry]]
        if link[other] > largest and load[other] + weights[node] <= most:
            best, largest = other, link[other]
    for entry in range(indptr[node], indptr[node + 1]):
        link[group[indices[entry]]] = 0.0
    return best


@jit
def grow_groups(
    indptr: IndexArray,
    indices: IndexArray,
    data: Float64Array,
    weights: Float64Array,
    order: IntArray,
    most: float,
    rounds: int,
) -> tuple[IntArray, int]:
    """Groups (n,) and their number: round by round, nodes join the heaviest neighbor with room.

    With room for two nodes this is heavy-edge matching. Nodes that stay alone are joined in pairs
    if they have the same heaviest neighbor or none, so that stars and isolated nodes shrink too.
    """
    n = weights.shape[0]
    group, load, link = np.arange(n), weights.copy(), np.zeros(n)
    size = np.ones(n, np.int64)
    for _ in range(rounds):
        for node in order:
            best = heaviest_neighbor(indptr, indices, data, weights, node, most, group, load, link)
            own = group[node]
            if best != own:
                load[own] -= weights[node]
                load[best] += weights[node]
                size[own] -= 1
                size[best] += 1
                group[node] = best
    waiting = np.full(n + 1, -1, np.int64)
    for node in order:
        own = group[node]
        if size[own] > 1:
            continue
        near = heaviest_neighbor(indptr, indices, data, weights, node, np.inf, group, load, link)
        place = n if near == own else near
        other = waiting[place]
        if other >= 0 and other != own and load[other] + weights[node] <= most:
            load[other] += weights[node]
            size[own] -= 1
            size[other] += 1
            group[node] = other
        else:
            waiting[place] = own
    return renumbered(group)


@jit
def renumbered(group: IntArray) -> tuple[IntArray, int]:
    """The groups that have members, numbered 0..count−1 in the order of their first nodes."""
    number = np.full(group.shape[0], -1, np.int64)
    out = np.empty(group.shape[0], np.int64)
    count = 0
    for node in range(group.shape[0]):
        if number[group[node]] < 0:
            number[group[node]] = count
            count += 1
        out[node] = number[group[node]]
    return out, count
