"""The order of nodes that depends on their names alone."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.typing import IntArray


def canonical_order(nodes: Sequence[Any] | NDArray[Any]) -> IntArray:
    """Positions of nodes in ascending order of their names, whatever order they come in.

    Numbers are in their natural order. If there is any other name, all are ordered as text, by
    their characters; names that read alike are ordered by their types. Objects without a text of
    their own keep the order in which they come, after an empty text. O(n log n).

    Parameters
    ----------
    nodes : sequence or array of shape (n,)
        Names of nodes, each once.

    Returns
    -------
    ndarray of shape (n,)
        A permutation: ``nodes[order]`` is sorted.

    Examples
    --------
    >>> canonical_order([10, 9, 2]).tolist(), canonical_order(["b", "a", 10, 9]).tolist()
    ([2, 1, 0], [2, 3, 1, 0])
    """
    if isinstance(nodes, np.ndarray) and nodes.dtype.kind in "iu":
        return np.argsort(nodes, kind="stable")
    names = nodes.tolist() if isinstance(nodes, np.ndarray) else list(nodes)
    kinds = set(map(type, names))
    are_numbers = all(issubclass(kind, Real) for kind in kinds) and not any(map(math.isnan, names))
    keys = names if are_numbers or kinds == {str} else [_as_text(name) for name in names]
    return np.array(sorted(range(len(names)), key=keys.__getitem__), np.int64)


def in_canonical_order(
    nodes: Sequence[Any], *ends: IntArray
) -> tuple[list[Any], tuple[IntArray, ...]]:
    """Nodes in their canonical order, and for positions among them those in that order."""
    order = canonical_order(nodes)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return [nodes[node] for node in order.tolist()], tuple(rank[end] for end in ends)


def _as_text(name: object) -> tuple[str, str]:
    """A name as text, and its type; an address in memory is not text."""
    kind = type(name)
    has_text = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    return str(name) if has_text else "", kind.__qualname__
