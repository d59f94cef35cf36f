"""Communities of any number: local moves into new communities, levels, and what searches share.

Nodes move one at a time while the sum gains; parts of communities that hold together become the
nodes of a smaller graph, and so on, until no level changes anything. Several such searches then
vote: nodes that two of them keep together stay together, and the search goes on from there, never
to less than the better of the two.

Sources: V. D. Blondel et al., J. Stat. Mech. (2008) P10008; V. A. Traag, L. Waltman and N. J. van
Eck, Sci. Rep. 9, 5233 (2019), for the parts and the queue; M. Ovelgönne and A. Geyer-Schulz, Contemp.
Math. 588 (2013), for the groups on which searches agree.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kgroups.graphs.compiled.local_moves import local_moves, well_connected_parts
from kgroups.graphs.compiled.multilevel import renumbered
from kgroups.graphs.free.potts import PottsGraph
from kgroups.typing import IntArray

# A search goes on while it gains this share of the value.
_WORTHWHILE = 1e-12


class Found(NamedTuple):
    """Labels 0..k−1 in the order of first members, and their value."""

    labels: IntArray
    value: float


def search(graph: PottsGraph, rng: np.random.Generator, start: IntArray | None = None) -> Found:
    """A partition that no move of one node, or of one part of a community, improves."""
    labels = np.arange(graph.n) if start is None else start
    best = Found(labels, graph.value(labels))
    while True:
        labels = _by_levels(graph, best.labels, rng)
        found = Found(labels, graph.value(labels))
        if found.value <= best.value + _WORTHWHILE * abs(best.value):
            return best if start is None or best.value >= found.value else found
        best = found


def agreed(graph: PottsGraph, found: Sequence[Found], rng: np.random.Generator) -> Found:
    """The best that comes of what searches agree on, each joined to the best so far."""
    by_value = sorted(found, key=lambda one: -one.value)
    best = by_value[0]
    for other in by_value[1:]:
        joined = _joined(graph, best, other, rng)
        best = max(best, joined, key=lambda one: one.value)
    return best


def _by_levels(graph: PottsGraph, start: IntArray, rng: np.random.Generator) -> IntArray:
    """Local moves, then the same on the graph of the parts; labels 0..k−1."""
    S, labels = graph.matrix, start.copy()
    of = (S.indptr, S.indices, S.data, graph.sizes, graph.rate, labels)
    local_moves(*of, rng.permutation(graph.n))
    labels[:], k = renumbered(labels)
    if k == graph.n:
        return labels
    parts, n_parts = renumbered(well_connected_parts(*of, rng.permutation(graph.n)))
    if n_parts == graph.n:
        return labels
    above = np.empty(n_parts, np.int64)
    above[parts] = labels
    return renumbered(_by_levels(graph.contracted(parts, n_parts), above, rng)[parts])[0]


def _joined(graph: PottsGraph, best: Found, other: Found, rng: np.random.Generator) -> Found:
    """A search that begins with nodes together that are so in both."""
    both = np.unique(best.labels * graph.n + other.labels, return_inverse=True)[1]
    groups, count = renumbered(np.asarray(both, np.int64))
    small = graph.contracted(groups, count)
    of_best = np.empty(count, np.int64)
    of_best[groups] = best.labels
    begun = [search(small, rng), search(small, rng, of_best)]
    labels = max(begun, key=lambda one: one.value).labels[groups]
    return search(graph, rng, labels)
