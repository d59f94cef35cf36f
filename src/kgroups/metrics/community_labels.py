"""The communities of nodes, in any of the forms in which people and libraries write them."""

from collections.abc import Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kgroups.input.networks import type_name
from kgroups.typing import IntArray

#: One label per node, sets of nodes, or a mapping from nodes to communities.
Communities: TypeAlias = ArrayLike | Iterable[AbstractSet[Any]] | Mapping[Any, Hashable]


def community_codes(nodes: NDArray[Any], labels: Communities) -> tuple[IntArray, int]:
    """The community of each node as 0..k−1, and k."""
    array, n = np.asarray(_by_node(nodes, labels)), len(nodes)
    if array.shape != (n,):
        raise ValueError(
            f"labels must hold one community for each of the {n} nodes of A, or be a list of sets "
            f"of nodes or a dict; got shape {array.shape}."
        )
    names, codes = np.unique(array, return_inverse=True)
    return codes, len(names)


def _by_node(nodes: NDArray[Any], labels: Communities) -> object:
    """One label per node; sets of nodes and dicts are looked up."""
    if isinstance(labels, Mapping):
        return _looked_up(labels, nodes.tolist())
    if not isinstance(labels, (list, tuple, type({}.values()))):
        return labels
    parts = list(labels)
    if not any(isinstance(part, (set, frozenset)) for part in parts):
        return labels if isinstance(labels, (list, tuple)) else parts
    return _looked_up(_memberships(parts), nodes.tolist())


def _memberships(parts: Iterable[Any]) -> dict[Any, int]:
    """The position of the set that holds each node."""
    place: dict[Any, int] = {}
    for c, part in enumerate(parts):
        if not isinstance(part, (set, frozenset)):
            raise TypeError(
                f"labels must hold one label per node, or be a list of sets of nodes; community "
                f"{c} is a {type_name(part)}."
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
            f"labels: {other!r} is not a node of A; in sets and dicts use the names that A has for "
            f"its nodes, such as {nodes[0]!r}."
        )
    return [place[node] for node in nodes]
