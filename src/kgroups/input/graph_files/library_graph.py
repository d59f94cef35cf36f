"""A graph that another library has read: what is wrong with it becomes a DataError."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.adjacency import adjacency_of
from kgroups.input.graph_files.graph import Graph
from kgroups.input.networks import GraphLike

# What libraries raise, besides errors of their own, for files that are damaged.
_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    NotImplementedError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
)


def checked_graph(found: GraphLike, source: str, nodes: NDArray[Any] | None = None) -> Graph:
    """A graph from what a library has read."""
    try:
        adjacency, notes, _ = adjacency_of(found, name=source, allow_negative=True)
    except (ValueError, TypeError) as error:
        raise DataError(str(error)) from error
    return Graph(
        adjacency, np.arange(adjacency.shape[0]) if nodes is None else nodes, notes, source
    )


@contextmanager
def readable(what: str, source: str, *others: type[Exception]) -> Iterator[None]:
    """A block in which errors of a library mean that the file is damaged."""
    damage: tuple[type[Exception], ...] = (*_UNREADABLE, *others)
    try:
        yield
    except damage as error:
        raise DataError(
            f"{source} is not a valid {what} file: {error or type(error).__name__}."
        ) from error
