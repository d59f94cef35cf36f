"""The communities of nodes, in any of the forms in which people and libraries write them."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kgroups.input.networks import type_name
from kgroups.input.parameters import check_none_missing
from kgroups.typing import IntArray

#: One label per node, collections of nodes, or a mapping from nodes to communities.
Communities: TypeAlias = ArrayLike | Iterable[Iterable[Any]] | Mapping[Any, Hashable]

# What may hold the nodes of a community; text and other iterables are labels.
_COLLECTIONS = (AbstractSet, ValuesView, list, tuple, range, np.ndarray)


def community_codes(nodes: NDArray[Any], labels: Communities) -> tuple[IntArray, int]:
    """The community of each node as 0..k−1, and k."""
    given, n = _by_node(nodes, labels), len(nodes)
    array = np.asarray(given)
    if array.shape != (n,):
        raise ValueError(
            f"labels must hold one community for each of the {n} nodes of A, or be a list of sets "
            f"or lists of nodes, or a dict; got shape {array.shape}."
        )
    check_none_missing(given, "labels", "node")
    names, codes = np.unique(array, return_inverse=True)
    return codes, len(names)


def _by_node(nodes: NDArray[Any], labels: Any) -> object:
    """One label per node; collections of nodes and dicts are looked up."""
    if isinstance(labels, Mapping):
        return _looked_up(labels, nodes.tolist())
    membership = getattr(labels, "membership", None)  # of igraph, whose nodes are numbers
    if isinstance(membership, list):
        return membership
    if isinstance(labels, np.ndarray) and (labels.dtype != object or labels.ndim != 1):
        return labels
    if not isinstance(labels, (*_COLLECTIONS, Iterator)):
        return labels
    parts = list(labels)
    if not any(isinstance(part, _COLLECTIONS) for part in parts):
        return labels if isinstance(labels, (list, tuple, np.ndarray)) else parts
    return _looked_up(_memberships(parts), nodes.tolist())


def _memberships(parts: Iterable[Any]) -> dict[Any, int]:
    """The position of the collection that holds each node."""
    place: dict[Any, int] = {}
    for c, part in enumerate(parts):
        if not isinstance(part, _COLLECTIONS):
            raise TypeError(
                f"labels must hold one label per node, or be a list of sets or lists of nodes; "
                f"community {c} is a {type_name(part)}."
            )
        for node in part:
            if place.setdefault(node, c) != c:
                raise ValueError(
                    f"labels: node {node!r} is in communities {place[node]} and {c}; put it in one."
                )
    return place


def _looked_up(place: Mapping[Any, Any], nodes: list[Any]) -> list[Any]:
    missing = next((node for node in nodes if node not in place), None)
    if missing is not None:
        raise ValueError(f"labels: node {missing!r} of A has no community; give it one.")
    if len(place) > len(nodes):
        known = set(nodes)
        other = next(node for node in place if node not in known)
        raise ValueError(
            f"labels: {other!r} is not a node of A; in lists, sets and dicts use the names that A "
            f"has for its nodes, such as {nodes[0]!r}."
        )
    return [place[node] for node in nodes]
