"""Nodes that move to any community, or to a new one, where the sum without denominators gains."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import BoolArray, Float64Array, IndexArray, IntArray

# A gain counts when it exceeds this share of its largest terms; below that it is rounding.
_ROUNDING = 1e-12
# Visits to each node, on average, before levels take over; a wave of moves could cross a path of
# growing weights n times.
_VISITS = 30
# Stands for a label that no node has.
_NEW = -1


@jit
def local_moves(
    indptr: IndexArray,
    indices: IndexArray,
    data: Float64Array,
    sizes: Float64Array,
    rate: float,
    labels: IntArray,
    order: IntArray,
) -> int:
    """Move nodes of Σ_C A(C, C) − rate · size(C)² until no move of one node gains; IN-OUT: labels.

    Nodes are visited in ``order``, and again when a neighbor has moved to another community. Sizes
    that have changed since may still make a node gain: the caller visits all once more, until none
    moves. Any label in 0..n−1 may be used. Returns the number of moves. O(degree) a visit, at most
    30 visits per node on average.
    """
    n = sizes.shape[0]
    size, members, unused, n_unused = occupied(labels, sizes)
    links, is_near, near = np.zeros(n), np.zeros(n, np.bool_), np.empty(n, np.int64)
    queue, is_waiting = order.copy(), np.ones(n, np.bool_)
    head, waiting, moved, visits = 0, n, 0, 0
    while waiting > 0 and visits < _VISITS * n:
        visits += 1
        node = queue[head]
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        is_waiting[node] = False
        own = labels[node]
        n_near = linked(indptr, indices, data, labels, node, links, is_near, near)
        best = best_community(near[:n_near], links, size, rate, sizes[node], members[own] > 1)
        for position in range(n_near):
            links[near[position]] = 0.0
            is_near[near[position]] = False
        if best == own:
            continue
        if best == _NEW:
            n_unused -= 1
            best = unused[n_unused]
        size[own] -= sizes[node]
        members[own] -= 1
        if members[own] == 0:
            size[own] = 0.0
            unused[n_unused] = own
            n_unused += 1
        size[best] += sizes[node]
        members[best] += 1
        labels[node] = best
        moved += 1
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            if labels[other] != best and not is_waiting[other]:
                is_waiting[other] = True
                tail = head + waiting
                queue[tail if tail < n else tail - n] = other
                waiting += 1
    return moved


@jit
def occupied(labels: IntArray, sizes: Float64Array) -> tuple[Float64Array, IntArray, IntArray, int]:
    """Size and members of each community, the labels that none has, and how many these are."""
    n = sizes.shape[0]
    size, members, unused = np.zeros(n), np.zeros(n, np.int64), np.empty(n, np.int64)
    for node in range(n):
        size[labels[node]] += sizes[node]
        members[labels[node]] += 1
    n_unused = 0
    for label in range(n - 1, -1, -1):
        if members[label] == 0:
            unused[n_unused] = label
            n_unused += 1
    return size, members, unused, n_unused


@jit
def best_community(
    near: IntArray,
    links: Float64Array,
    size: Float64Array,
    rate: float,
    mine: float,
    may_leave: bool,
) -> int:
    """The community, of those near, where a node gains most; its own is the first of them.

    −1 is a new one. On ties it is its own, or the smallest label.
    """
    own = near[0]
    stay = links[own] - rate * mine * (size[own] - mine)
    least = _ROUNDING * (abs(links[own]) + abs(rate) * mine * size[own])
    best, gain = own, 0.0
    for label in near[1:]:
        cost = rate * mine * size[label]
        more = links[label] - cost - stay
        if more <= least + _ROUNDING * (abs(links[label]) + abs(cost)):
            continue
        if more > gain or (more == gain and label < best):
            best, gain = label, more
    return _NEW if may_leave and -stay > max(gain, least) else best


@jit
def linked(
    indptr: IndexArray,
    indices: IndexArray,
    data: Float64Array,
    labels: IntArray,
    node: int,
    links: Float64Array,
    is_near: BoolArray,
    near: IntArray,
) -> int:
    """The communities of a node and of its neighbors, into ``near``; returns their number.

    IN-OUT: ``links``, the weight of the edges to each, and ``is_near``; both are empty before.
    """
    near[0] = labels[node]
    is_near[labels[node]] = True
    count = 1
    for entry in range(indptr[node], indptr[node + 1]):
        other = indices[entry]
        if other == node:
            continue
        label = labels[other]
        if not is_near[label]:
            is_near[label] = True
            near[count] = label
            count += 1
        links[label] += data[entry]
    return count


@jit
def well_connected_parts(
    indptr: IndexArray,
    indices: IndexArray,
    data: Float64Array,
    sizes: Float64Array,
    rate: float,
    labels: IntArray,
    order: IntArray,
) -> IntArray:
    """Parts of communities that hold together by themselves: the refinement of Leiden.

    Within its community each node that is still alone joins the part where the sum gains most, if
    both are linked to the rest of the community by more than the sum asks for. O(edges).
    """
    n = sizes.shape[0]
    part, weight, members = np.arange(n), sizes.copy(), np.ones(n, np.int64)
    whole, outward = np.zeros(n), np.zeros(n)
    for node in range(n):
        whole[labels[node]] += sizes[node]
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            if other != node and labels[other] == labels[node]:
                outward[node] += data[entry]
    links, is_near, near = np.zeros(n), np.zeros(n, np.bool_), np.empty(n, np.int64)
    for node in order:
        total = whole[labels[node]]
        mine = sizes[node]
        if members[part[node]] > 1 or outward[node] < rate * mine * (total - mine):
            continue
        n_near = linked(indptr, indices, data, part, node, links, is_near, near)
        best, gain = node, 0.0
        for position in range(n_near):
            other = near[position]
            enter = links[other] - rate * mine * weight[other]
            if labels[other] != labels[node] or other == node or enter <= gain:
                continue
            if outward[other] >= rate * weight[other] * (total - weight[other]):
                best, gain = other, enter
        if best != node:
            outward[best] += outward[node] - 2.0 * links[best]
            weight[best] += mine
            members[best] += 1
            members[node] = 0
            part[node] = best
        for position in range(n_near):
            links[near[position]] = 0.0
            is_near[near[position]] = False
    return part


@jit
def weight_inside(
    indptr: IndexArray, indices: IndexArray, data: Float64Array, labels: IntArray
) -> float:
    """The sum of the entries between nodes of the same community."""
    total = 0.0
    for node in range(labels.shape[0]):
        own, sum_of_row = labels[node], 0.0
        for entry in range(indptr[node], indptr[node + 1]):
            if labels[indices[entry]] == own:
                sum_of_row += data[entry]
        total += sum_of_row
    return total
