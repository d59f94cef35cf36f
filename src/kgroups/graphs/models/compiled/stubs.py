"""Half-edges ("stubs") of nodes, joined in pairs so that no edge is a loop or is there twice.

The stubs of node u are ``starts[u]`` to ``starts[u + 1]``, ``owner`` says whose each stub is and
``partner`` to which other stub it is joined. Neighbors are read from these arrays, so exchanging
the partners of two edges changes four numbers.
"""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import IntArray


@jit
def place_nodes(bounds: IntArray, slots: IntArray, rng: np.random.Generator) -> bool:
    """Give slot ``slots[i]`` to node i, drawn from the first ``bounds[i]``; False if all are taken.

    Bounds must not decrease. Each placement that keeps to the bounds is then equally likely,
    because the number of choices of a node does not depend on those before it.
    """
    for i in range(len(bounds)):
        if bounds[i] <= i:
            return False
        j = i + int(rng.random() * (bounds[i] - i))
        slots[i], slots[j] = slots[j], slots[i]
    return True


@jit
def is_graphical(degrees: IntArray) -> bool:
    """Whether decreasing degrees, of even sum, belong to a simple graph (Erdős and Gallai)."""
    largest = 0
    for k in range(1, len(degrees) + 1):
        if degrees[k - 1] < k:
            break
        largest += degrees[k - 1]
        room = k * (k - 1)
        for other in range(k, len(degrees)):
            room += min(degrees[other], k)
        if largest > room:
            return False
    return True


@jit
def join_largest(members: IntArray, starts: IntArray, partner: IntArray) -> None:
    """Join all stubs of some nodes as Havel and Hakimi do, where a simple graph has them.

    The node with the fewest free stubs is joined to those with the most. ``members`` come with
    decreasing degrees and stay in that order.
    """
    free = starts[members + 1] - starts[members]
    for last in range(len(members) - 1, -1, -1):
        need = free[last]
        if need == 0:
            continue
        tie = free[need - 1]
        begin = need - 1
        while begin > 0 and free[begin - 1] == tie:
            begin -= 1
        end = need
        while end < last and free[end] == tie:
            end += 1
        for place in range(need):
            other = place if place < begin else end - need + place
            free[last] -= 1
            free[other] -= 1
            _join(starts[members[last]] + free[last], starts[members[other]] + free[other], partner)


@jit
def shuffle_edges(
    first: int,
    stop: int,
    trials: int,
    owner: IntArray,
    starts: IntArray,
    partner: IntArray,
    groups: IntArray,
    rng: np.random.Generator,
) -> None:
    """Exchange ends of random pairs of edges among stubs first..stop−1 that stay simple."""
    for _ in range(trials):
        s = first + int(rng.random() * (stop - first))
        x = first + int(rng.random() * (stop - first))
        if _may_exchange(s, x, owner, starts, partner, groups):
            _exchange(s, x, partner)


@jit
def mend_edges(
    owner: IntArray,
    starts: IntArray,
    partner: IntArray,
    groups: IntArray,
    rng: np.random.Generator,
) -> int:
    """Exchange ends until no edge is a loop, double or inside a group; returns how many are left.

    The other edge is looked for from a random place on. Each exchange makes one bad edge good and
    none bad.
    """
    left = 0
    for s in range(len(owner)):
        if not _is_bad(s, owner, starts, partner, groups):
            continue
        begin, mended = int(rng.random() * len(owner)), False
        for step in range(len(owner)):
            x = (begin + step) % len(owner)
            if _may_exchange(s, x, owner, starts, partner, groups):
                _exchange(s, x, partner)
                mended = True
                break
        left += not mended
    return left


@jit
def _is_bad(s: int, owner: IntArray, starts: IntArray, partner: IntArray, groups: IntArray) -> bool:
    u, v = owner[s], owner[partner[s]]
    return groups[u] == groups[v] or _edges_between(u, v, owner, starts, partner) > 1


@jit
def _may_exchange(
    s: int, x: int, owner: IntArray, starts: IntArray, partner: IntArray, groups: IntArray
) -> bool:
    """Whether s—x and t—y, in place of s—t and x—y, are two new edges between groups."""
    t, y = partner[s], partner[x]
    if x in (s, t):
        return False
    u, v, a, b = owner[s], owner[t], owner[x], owner[y]
    if groups[u] == groups[a] or groups[v] == groups[b]:
        return False
    if (u == v and a == b) or (u == b and a == v):
        return False
    return (
        _edges_between(u, a, owner, starts, partner) == 0
        and _edges_between(v, b, owner, starts, partner) == 0
    )


@jit
def _edges_between(u: int, v: int, owner: IntArray, starts: IntArray, partner: IntArray) -> int:
    if starts[u + 1] - starts[u] > starts[v + 1] - starts[v]:
        u, v = v, u
    count = 0
    for s in range(starts[u], starts[u + 1]):
        count += owner[partner[s]] == v
    return count


@jit
def _exchange(s: int, x: int, partner: IntArray) -> None:
    t, y = partner[s], partner[x]
    _join(s, x, partner)
    _join(t, y, partner)


@jit
def _join(s: int, x: int, partner: IntArray) -> None:
    partner[s] = x
    partner[x] = s
