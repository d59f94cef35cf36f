"""A given number of communities by modularity or the Potts model, from any partition.

Communities merge, the pair that loses least first, or nodes that lose least leave them, until there
are as many as asked for. Annealing then moves communities as wholes, or single nodes.

Sources: A. Clauset, M. E. J. Newman and C. Moore, Phys. Rev. E 70, 066111 (2004), for the merges;
R. Guimerà and L. A. N. Amaral, Nature 433 (2005), for annealing of modularity.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from kgroups.graphs.compiled.annealing import annealing_sweeps
from kgroups.graphs.free.potts import PottsGraph
from kgroups.input.adjacency import rows_of
from kgroups.typing import IntArray

# Sweeps of an annealing: visits to edges in all, at most and at least so many; below that it is
# left out. Uniform numbers that are drawn at a time.
_VISITS, _MOST, _LEAST, _AT_A_TIME = 3e6, 2_000, 50, 1 << 17
# Temperatures at first and in the end, in mean sums of a row.
_HOT, _WARM, _COLD = 0.5, 0.08, 0.01


def is_annealed(graph: PottsGraph) -> bool:
    """Whether nodes are few enough to be annealed one by one."""
    return _n_sweeps(graph) >= _LEAST


def at_number(graph: PottsGraph, labels: IntArray, k: int, rng: np.random.Generator) -> IntArray:
    """Labels of ``k`` communities, from communities 0.. of any other number.

    More than k are merged, then moved from one of the k to another as wholes. From less, single
    nodes are set apart, before all move.
    """
    n_groups = int(labels.max()) + 1
    if n_groups <= k:
        return annealed(graph, _divided(graph, labels, k), k, rng, hot=_WARM)
    groups = graph.contracted(labels, n_groups)
    return annealed(groups, _merged(groups, k), k, rng)[labels]


def annealed(
    graph: PottsGraph, labels: IntArray, k: int, rng: np.random.Generator, hot: float = _HOT
) -> IntArray:
    """Labels of ``k`` communities after moves at falling temperatures, if they have a larger sum.

    O(edges) a sweep.
    """
    S, n_sweeps = graph.matrix, _n_sweeps(graph)
    if n_sweeps < _LEAST or k == graph.n:
        return labels
    unit = float(S.data.sum()) / graph.n
    temperatures = np.geomspace(hot * unit, _COLD * unit, n_sweeps)
    moved, best, sums = labels.copy(), labels.copy(), np.zeros(2)
    size = np.bincount(labels, weights=graph.sizes, minlength=k).astype(np.float64)
    members = np.bincount(labels, minlength=k)
    for some in np.array_split(temperatures, -(-n_sweeps * graph.n // _AT_A_TIME)):
        uniform = rng.random((len(some), graph.n, 2))
        annealing_sweeps(
            S.indptr, S.indices, S.data, graph.sizes, graph.rate, some, uniform,
            moved, size, members, best, sums,
        )  # fmt: skip
    return max(labels, best, moved, key=graph.value)


def _n_sweeps(graph: PottsGraph) -> int:
    return min(int(_VISITS / (graph.matrix.nnz + graph.n)), _MOST)


def _divided(graph: PottsGraph, labels: IntArray, k: int) -> IntArray:
    """The labels with single nodes set apart, the one that loses least first, until there are k.

    The sum changes by 2 (A(x, C) − rate · size(x) size(C)) for the rest C of its community. That
    only grows when another node leaves, unless the two are linked. O(degree · log) a node.
    """
    S, rate, labels = graph.matrix, graph.rate, labels.copy()
    rows, n_groups = rows_of(S), int(labels.max()) + 1
    inside = (labels[rows] == labels[S.indices]) & (rows != S.indices)
    links = np.bincount(rows[inside], weights=S.data[inside], minlength=graph.n)
    size, members = np.bincount(labels, weights=graph.sizes), np.bincount(labels)

    def loss(node: int) -> tuple[float, int]:
        mine = graph.sizes[node]
        return float(links[node] - rate * mine * (size[labels[node]] - mine)), node

    heap = [loss(node) for node in range(graph.n)]
    heapify(heap)
    new = n_groups
    while new < k:
        before, node = heappop(heap)
        own = labels[node]
        if own >= n_groups or members[own] == 1:
            continue
        if loss(node)[0] > before:
            heappush(heap, loss(node))
            continue
        labels[node], new = new, new + 1
        size[own] -= graph.sizes[node]
        members[own] -= 1
        for entry in range(S.indptr[node], S.indptr[node + 1]):
            other = int(S.indices[entry])
            if labels[other] == own:
                links[other] -= S.data[entry]
                heappush(heap, loss(other))
    return labels


def _merged(groups: PottsGraph, k: int) -> IntArray:
    """Labels of the groups after merges of the two that lose least, until ``k`` are left.

    The sum changes by 2 (A(r, s) − rate · size(r) size(s)); of groups without a link, the two
    smallest lose least. O(neighbors · log) a merge.
    """
    S, size = groups.matrix, groups.sizes.tolist()
    ends = zip(S.indptr[:-1], S.indptr[1:], strict=True)
    links = [dict(zip(S.indices[a:b].tolist(), S.data[a:b].tolist(), strict=True)) for a, b in ends]
    into = list(range(groups.n))  # itself for a group that is left

    def loss(r: int, s: int) -> tuple[float, int, int]:
        return groups.rate * size[r] * size[s] - links[r].get(s, 0.0), r, s

    pairs = [loss(r, s) for r, near in enumerate(links) for s in near if r < s]
    by_size = [(own, r) for r, own in enumerate(size)]
    heapify(pairs)
    heapify(by_size)
    for new in range(groups.n, 2 * groups.n - k):
        _clear(by_size, into)
        smallest = heappop(by_size)
        _clear(by_size, into)
        _clear(pairs, into)
        _, r, s = min([loss(smallest[1], by_size[0][1]), *pairs[:1]])
        heappush(by_size, smallest)
        both = {q: links[r].get(q, 0.0) + links[s].get(q, 0.0) for q in links[r] | links[s]}
        links.append({q: weight for q, weight in both.items() if q not in (r, s)})
        links[r] = links[s] = {}
        into[r] = into[s] = new
        into.append(new)
        size.append(size[r] + size[s])
        heappush(by_size, (size[new], new))
        for q, weight in links[new].items():
            links[q].pop(r, None)
            links[q].pop(s, None)
            links[q][new] = weight
            heappush(pairs, loss(new, q))
    for r in range(len(into) - 1, -1, -1):
        into[r] = into[into[r]]
    return np.unique(into[: groups.n], return_inverse=True)[1].astype(np.int64)


def _clear(heap: list[Any], into: list[int]) -> None:
    """Remove pairs from the top of which a group has been merged."""
    while heap and any(into[r] != r for r in heap[0][1:]):
        heappop(heap)
