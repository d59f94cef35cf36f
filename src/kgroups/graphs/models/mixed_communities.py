"""Communities of given sizes whose nodes have a given share of their edges inside.

The steps of the benchmark of Lancichinetti, Fortunato and Radicchi after its power laws.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kgroups.graphs.models.compiled.stubs import (
    is_graphical,
    join_largest,
    mend_edges,
    place_nodes,
    shuffle_edges,
)
from kgroups.typing import BoolArray, Float64Array, IntArray

#: Rounds in which nodes change places until each community can be a simple graph.
EXCHANGES_OF_NODES = 100
#: Random exchanges for each edge inside a community, which begin with an orderly graph.
EXCHANGES = 10
#: Times that edges between communities are shuffled and mended again.
MENDINGS = 10


class UnfitError(Exception):
    """Degrees and sizes were drawn that no such network has."""


@dataclass(frozen=True)
class Stubs:
    """Ends of edges that each node has inside and outside its community."""

    labels: IntArray  # communities in the order of their first nodes
    inner: IntArray
    outer: IntArray


def placed(degrees: IntArray, sizes: IntArray, mixing: float, rng: np.random.Generator) -> Stubs:
    """Nodes in communities that are larger than the nodes' degrees inside; O(n log n).

    A node of degree d has (1 − mixing)d stubs inside, rounded up or down at random. Stubs inside
    each community are those of a simple graph, and the number of those outside is even.
    """
    inner = np.floor(_wanted(degrees, mixing) + rng.random(len(degrees))).astype(np.int64)
    labels = _assigned(inner, sizes, rng)
    degrees, inner, labels = _simple(degrees, inner, mixing, labels, rng)
    outer = degrees - inner
    if outer.sum() % 2:
        many = inner < _wanted(degrees, mixing)
        outer[rng.choice(np.flatnonzero(many if many.any() else outer))] -= 1
    share = np.bincount(labels, weights=outer).max() / max(outer.sum(), 1)
    if share > 0.5:
        raise UnfitError(
            f"one community had {share:.0%} of the ends of edges between communities, more than "
            "all others together. Give a smaller max_community"
        )
    names = np.unique(labels, return_index=True)[1].argsort().argsort()
    return Stubs(names[labels], inner, outer)


def _wanted(degrees: IntArray, mixing: float) -> Float64Array:
    """Mean numbers of edges inside, free of the rounding of (1 − mixing)."""
    return np.round((1 - mixing) * degrees, 9)


def _assigned(inner: IntArray, sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """A community per node, drawn uniformly from all assignments with inner < size."""
    sizes = np.sort(sizes)[::-1]
    slots = np.repeat(np.arange(len(sizes)), sizes)
    nodes = rng.permutation(len(inner))
    nodes = nodes[np.argsort(-inner[nodes], kind="stable")]
    larger = np.searchsorted(-sizes, -inner[nodes], side="left")  # communities with size > inner
    if not place_nodes(np.concatenate([[0], np.cumsum(sizes)])[larger], slots, rng):
        raise UnfitError(
            "the nodes with the most edges inside find no community that is large enough. Give a "
            "larger max_community or min_community, a smaller max_degree, or a larger mixing"
        )
    labels = np.empty(len(inner), np.int64)
    labels[nodes] = slots
    return labels


def _simple(
    degrees: IntArray,
    inner: IntArray,
    mixing: float,
    labels: IntArray,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray, IntArray]:
    """Exchange nodes until the degrees inside every community belong to a simple graph.

    The node with the most edges inside goes to a random other community that has room for them, and
    a node with fewer takes its place.
    """
    sizes = np.bincount(labels)
    for _ in range(EXCHANGES_OF_NODES):
        degrees, inner = _evened(degrees, inner, mixing, labels, rng)
        members = np.split(np.lexsort((-inner, labels)), np.cumsum(sizes)[:-1])
        unfit = [nodes[0] for nodes in members if not is_graphical(inner[nodes])]
        if not unfit:
            return degrees, inner, labels
        labels = labels.copy()
        for node in unfit:
            fewer = (inner < inner[node]) & (inner[node] < sizes[labels])
            others = np.flatnonzero(fewer & (labels != labels[node]))
            if len(others):
                other = rng.choice(others)
                labels[[node, other]] = labels[[other, node]]
    raise UnfitError(
        "the degrees inside one community belonged to no simple graph. Give a larger "
        "min_community or max_community, or a larger mixing"
    )


def _evened(
    degrees: IntArray,
    inner: IntArray,
    mixing: float,
    labels: IntArray,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """Even sums inside: one node is rounded the other way, or else loses one edge."""
    degrees, inner = degrees.copy(), inner.copy()
    wanted, sizes = _wanted(degrees, mixing), np.bincount(labels)
    down = inner > wanted
    turned = _one_in_each_odd(
        labels, inner, down | (inner < wanted) & (inner + 1 < sizes[labels]), rng
    )
    inner[turned] += np.where(down[turned], -1, 1)
    shortened = _one_in_each_odd(labels, inner, inner > 0, rng)
    inner[shortened] -= 1
    degrees[shortened] -= 1
    return degrees, inner


def _one_in_each_odd(
    labels: IntArray, inner: IntArray, allowed: BoolArray, rng: np.random.Generator
) -> IntArray:
    """One allowed node, drawn at random, of each community whose stubs inside are odd in number."""
    odd = np.bincount(labels, weights=inner) % 2 == 1
    nodes = rng.permutation(len(labels))
    nodes = nodes[(allowed & odd[labels])[nodes]]
    return np.asarray(nodes[np.unique(labels[nodes], return_index=True)[1]])


def joined(stubs: Stubs, rng: np.random.Generator) -> NDArray[np.int32]:
    """Each edge once, (m, 2): a simple graph with these stubs; about O(m · degree)."""
    order = np.lexsort((-stubs.inner, stubs.labels))
    return np.concatenate(
        [
            order[_inside(stubs.labels[order], stubs.inner[order], rng)],
            order[_between(stubs.labels[order], stubs.outer[order], rng)],
        ]
    ).astype(np.int32)


def _inside(labels: IntArray, inner: IntArray, rng: np.random.Generator) -> IntArray:
    """An orderly graph in each community, made random by exchanges; nodes come by community."""
    owner, starts, partner = _loose(inner)
    nobody = np.arange(len(labels))
    ends = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    for first, stop in pairwise(ends):
        join_largest(nobody[first:stop], starts, partner)
        stubs = starts[first], starts[stop]
        trials = EXCHANGES * (stubs[1] - stubs[0]) // 2
        shuffle_edges(*stubs, trials, owner, starts, partner, nobody, rng)
    return _edges(owner, partner)


def _between(labels: IntArray, outer: IntArray, rng: np.random.Generator) -> IntArray:
    """Stubs joined at random; edges that are double or inside a community are exchanged away."""
    owner, starts, partner = _loose(outer)
    pairs = rng.permutation(len(owner)).reshape(-1, 2)
    partner[pairs] = pairs[:, ::-1]
    for _ in range(MENDINGS):
        if mend_edges(owner, starts, partner, labels, rng) == 0:
            return _edges(owner, partner)
        shuffle_edges(0, len(owner), len(owner), owner, starts, partner, labels, rng)
    raise UnfitError(
        "edges between communities could not all be kept simple. Give a smaller max_community or "
        "a smaller average_degree"
    )


def _loose(counts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Owners, starts and free places of partners of so many stubs per node."""
    owner = np.repeat(np.arange(len(counts)), counts)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return owner, starts, np.full(len(owner), -1)


def _edges(owner: IntArray, partner: IntArray) -> IntArray:
    once = np.flatnonzero(np.arange(len(owner)) < partner)
    return np.column_stack([owner[once], owner[partner[once]]])
