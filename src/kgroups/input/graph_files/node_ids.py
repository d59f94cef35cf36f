"""Ids of nodes: what may be one, and the numbers 0..n−1 that stand for them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kgroups.input.parameters import check_integer
from kgroups.typing import IntArray


def node_ids(ids: list[Any]) -> NDArray[Any]:
    """An array of integers if all ids are, else of objects, with tuples kept whole."""
    if all(type(i) is int and abs(i) < 2**63 for i in ids):
        return np.array(ids, np.int64)
    return np.fromiter(ids, object, len(ids))


def checked_ids(nodes: ArrayLike, name: str) -> NDArray[Any]:
    """An array of integers if all ids are, else of objects."""
    array = _as_array(nodes)
    if array.ndim != 1:
        raise ValueError(f"{name} must hold one node per edge; got shape {array.shape}.")
    if array.dtype.kind in "iu" or not len(array):
        return array.astype(np.int64, copy=False)
    if array.dtype.kind == "f":
        return _whole(array, name)
    if array.dtype.kind in "bc":
        raise TypeError(f"{name} must hold ids, integers or text; got {array.dtype}.")
    ids = array.tolist() if array.dtype.kind in "OUST" else list(array)
    if any(issubclass(kind, np.integer) for kind in set(map(type, ids))):
        ids = [i.item() if isinstance(i, np.integer) else i for i in ids]
    return node_ids(ids)


def _as_array(nodes: Any) -> NDArray[Any]:
    """Items as they are: NumPy would make text of integers next to text, and columns of tuples."""
    if isinstance(nodes, str) or not hasattr(nodes, "__iter__"):
        return np.asarray(nodes)
    if isinstance(nodes, np.ndarray) or hasattr(nodes, "__array__"):
        return np.asarray(nodes)
    items = list(nodes)
    kinds = set(map(type, items))
    if all(issubclass(kind, (int, float, np.number, list, np.ndarray)) for kind in kinds):
        return np.asarray(items)
    return np.fromiter(items, object, len(items))


def _whole(numbers: NDArray[Any], name: str) -> IntArray:
    """Floats as the integers that they are, as in an array that also holds weights."""
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < 2**53)
    if not whole.all():
        edge = int(np.argmin(whole))
        if np.isnan(numbers[edge]):
            raise TypeError(_missing(edge, name, numbers[edge]))
        raise TypeError(
            f"{name} must hold ids, integers or text; edge {edge} has {numbers[edge]}. To use "
            "numbers as names, write .astype(str)."
        )
    return numbers.astype(np.int64)


def numbered(
    source: NDArray[Any], target: NDArray[Any]
) -> tuple[tuple[IntArray, IntArray], NDArray[Any] | None]:
    """The ends as nodes 0..n−1, and their ids; None if the ids are such numbers already."""
    if len(source) != len(target):
        raise ValueError(
            f"source and target must have the same length, one entry per edge; got {len(source)} "
            f"and {len(target)}."
        )
    if object not in (source.dtype, target.dtype):
        return (source, target), None
    codes: dict[Any, int] = {}
    ends = [source.tolist(), target.tolist()]
    try:
        ranks = [codes.setdefault(i, len(codes)) for i in _in_turn(ends)]
    except TypeError as error:
        raise TypeError(
            f"ids must be integers, text or something else that can be hashed: {error}."
        ) from error
    _check_none_missing(codes, ranks)
    both = np.array(ranks, np.int64).reshape(-1, 2)
    return (both[:, 0], both[:, 1]), node_ids(list(codes))


def _in_turn(ends: list[list[Any]]) -> Iterable[Any]:
    return chain.from_iterable(zip(*ends, strict=True))


def _check_none_missing(codes: dict[Any, int], ranks: list[int]) -> None:
    for node, code in codes.items():
        # NaN and NaT are not equal to themselves; the NA of pandas does not say.
        if node is None or type(node).__name__ == "NAType" or bool(node != node):  # noqa: PLR0124
            edge, end = divmod(ranks.index(code), 2)
            raise TypeError(_missing(edge, ("source", "target")[end], node))


def _missing(edge: int, name: str, node: object) -> str:
    return f"edge {edge} has no {name}: {node!s}; remove the edge, or give the node an id."


def node_count(ends: tuple[IntArray, IntArray], n_nodes: int | None) -> int:
    """The number of nodes of a graph whose edges name nodes 0..n−1."""
    least = min((int(nodes.min()) for nodes in ends if len(nodes)), default=0)
    if least < 0:
        raise ValueError(f"nodes are numbered from 0; got {least}.")
    largest = max((int(nodes.max()) for nodes in ends if len(nodes)), default=-1)
    if n_nodes is None:
        if largest < 0:
            raise ValueError("there are no edges; give the number of nodes as n_nodes.")
        return largest + 1
    n = check_integer(n_nodes, "n_nodes")
    if largest >= n:
        raise ValueError(f"n_nodes={n}, but the edges name node {largest}; nodes are 0..{n - 1}.")
    return n
