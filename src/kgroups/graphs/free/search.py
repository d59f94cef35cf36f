"""Communities of any number: local moves into new communities, levels, and what searches share.

Nodes move one at a time while the sum gains; parts of communities that hold together become the
nodes of a smaller graph, and so on, until no level changes anything. Several such searches then
vote: nodes that two of them keep together stay together, and the search goes on from there, never
to less than the better of the two.

Sources: V. D. Blondel et al., J. Stat. Mech. (2008) P10008; V. A. Traag, L. Waltman and N. J. van
Eck, Sci. Rep. 9, 5233 (2019), for the parts and the queue; M. Ovelgönne and A. Geyer-Schulz,
Contemp. Math. 588 (2013), for the groups on which searches agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from kgroups.graphs.compiled.local_moves import local_moves, well_connected_parts
from kgroups.graphs.compiled.multilevel import renumbered
from kgroups.graphs.free.potts import PottsGraph
from kgroups.typing import IntArray

#: Share of the value that a pass of a quick search must gain for another one.
QUICK = 1e-3


class Found(NamedTuple):
    """Labels 0..k−1 in the order of first members, and the values before and after each pass."""

    labels: IntArray
    history: tuple[float, ...]
    n_moves: int = 0
    converged: bool = True

    @property
    def value(self) -> float:
        """The value of the labels."""
        return self.history[-1]


def search(
    graph: PottsGraph,
    rng: np.random.Generator,
    start: IntArray | None = None,
    *,
    worthwhile: float = 0.0,
    max_iter: int = 300,
) -> Found:
    """A partition that no move of one node, or of one part of a community, improves.

    Passes over all levels, at most ``max_iter``, go on while one gains more than the share
    ``worthwhile`` of the value. O(edges) a level; no array but those of n or of the edges.
    """
    labels = np.arange(graph.n) if start is None else renumbered(start)[0]
    history, moves = [graph.value(labels)], 0
    while len(history) <= max_iter:
        found, moved = _by_levels(graph, labels, rng)
        value = graph.value(found)
        if moved == 0 or value <= history[-1]:
            return Found(labels, tuple(history), moves)
        labels, gain, moves = found, value - history[-1], moves + moved
        history.append(value)
        if gain <= worthwhile * abs(value):
            break
    return Found(labels, tuple(history), moves, converged=len(history) <= max_iter)


def agreed(
    graph: PottsGraph,
    found: Sequence[Found],
    rng: np.random.Generator,
    *,
    max_iter: int = 300,
    worthwhile: float = 0.0,
) -> Found:
    """The best that comes of what searches agree on, each joined to the best so far."""
    by_value = sorted(found, key=lambda one: -one.value)
    best = by_value[0]
    for other in by_value[1:]:
        joined = _joined(graph, best, other, rng, max_iter, worthwhile)
        best = max(best, joined, key=lambda one: one.value)
    return best


def settled(
    graph: PottsGraph, labels: IntArray, rng: np.random.Generator, *, max_iter: int = 300
) -> Found:
    """Labels improved by moves of single nodes alone, until none gains. O(edges) a pass."""
    S, labels = graph.matrix, renumbered(labels)[0]
    history, moves = [graph.value(labels)], 0
    while len(history) <= max_iter:
        after, order = labels.copy(), rng.permutation(graph.n)
        moved = local_moves(S.indptr, S.indices, S.data, graph.sizes, graph.rate, after, order)
        value = graph.value(after)
        if moved == 0 or value <= history[-1]:
            return Found(labels, tuple(history), moves)
        labels, moves = renumbered(after)[0], moves + moved
        history.append(value)
    return Found(labels, tuple(history), moves, converged=False)


def _by_levels(
    graph: PottsGraph, start: IntArray, rng: np.random.Generator
) -> tuple[IntArray, int]:
    """Local moves, then the same on the graph of the parts; labels 0..k−1, and the moves."""
    labels, moved, parts_of_levels = start.copy(), 0, []
    while True:
        S = graph.matrix
        of = (S.indptr, S.indices, S.data, graph.sizes, graph.rate, labels)
        moved += local_moves(*of, rng.permutation(graph.n))
        labels[:], k = renumbered(labels)
        if k == graph.n:
            break
        parts, n_parts = renumbered(well_connected_parts(*of, rng.permutation(graph.n)))
        if n_parts == graph.n:
            break
        parts_of_levels.append(parts)
        above = np.empty(n_parts, np.int64)
        above[parts] = labels
        graph, labels = graph.contracted(parts, n_parts), above
    for parts in reversed(parts_of_levels):
        labels = labels[parts]
    return renumbered(labels)[0], moved


def _joined(
    graph: PottsGraph,
    best: Found,
    other: Found,
    rng: np.random.Generator,
    max_iter: int,
    worthwhile: float,
) -> Found:
    """A search that begins with nodes together that are so in both."""
    both = np.unique(best.labels * graph.n + other.labels, return_inverse=True)[1]
    groups, count = renumbered(np.asarray(both, np.int64))
    small = graph.contracted(groups, count)
    of_best = np.empty(count, np.int64)
    of_best[groups] = best.labels
    begin = partial(search, max_iter=max_iter, worthwhile=worthwhile)
    begun = [begin(small, rng, start) for start in (None, of_best)]
    labels = max(begun, key=lambda one: one.value).labels[groups]
    return begin(graph, rng, labels)
