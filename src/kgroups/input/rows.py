"""Rows of whatever a user handed in: how many there are, some of them, and all in order.

A fit asks for rows in these ways only, so that they may be in memory, in a file or on other
machines. Sums over all rows are made block by block, in one order that depends on nothing but the
number of rows; so the same rows give the same bits wherever they are.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy.sparse import issparse

from kgroups.runtime.threads import Executor, blocks
from kgroups.typing import IntArray

Result = TypeVar("Result")

#: Rows of a canonical block: the number of a row decides in which one it is.
ROWS_PER_BLOCK = 1 << 16


class Rows(Protocol):
    """Rows that may be somewhere else."""

    @property
    def n_rows(self) -> int:
        """How many there are."""

    @property
    def n_columns(self) -> int | None:
        """How many columns they have; None for objects."""

    @property
    def names(self) -> list[str] | None:
        """The names of the columns, where they have some."""

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Where each canonical block begins, and its rows, in order; as often as asked."""

    def take(self, index: slice | IntArray) -> Any:
        """Some rows, by their numbers."""


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """The rows of a table, of a matrix, or a sequence of objects."""

    data: Any
    names: list[str] | None = None

    @property
    def n_rows(self) -> int:
        """How many there are."""
        return n_rows(self.data)

    @property
    def n_columns(self) -> int | None:
        """How many columns a table has."""
        return self.data.shape[1] if has_columns(self.data) else None

    def read(self, start: int, stop: int) -> Any:
        """Consecutive rows, a view of an array."""
        return self.data[start:stop]

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Canonical blocks; views of an array."""
        for start, stop in blocks(0, self.n_rows, ROWS_PER_BLOCK):
            yield start, self.data[start:stop]

    def take(self, index: slice | IntArray) -> Any:
        """See :func:`take`."""
        return take(self.data, index)


def is_row_source(X: object) -> bool:
    """Whether something is read block by block, as a source of :mod:`kgroups.blocks` is."""
    return all(hasattr(X, name) for name in ("n_rows", "n_columns", "read", "blocks", "place"))


def can_be_drawn(X: object) -> bool:
    """Whether some rows of something can be read by their numbers, without the others."""
    return all(hasattr(X, name) for name in ("n_rows", "names", "take", "place"))


def over_rows(
    work: Callable[[int, Any], Result], rows: Rows, size: int, executor: Executor
) -> Iterable[Result]:
    """Results of ``work(start, some)`` over all rows, at most ``size`` at a time, in order."""
    pieces = (
        (begin + start, block[start:stop])
        for begin, block in rows.blocks()
        for start, stop in blocks(0, n_rows(block), size)
    )
    return executor.map(lambda piece: work(*piece), pieces)


def n_rows(data: Any) -> int:
    """How many rows there are; a sparse matrix has no len."""
    shape: tuple[int, ...] | None = getattr(data, "shape", None)
    return len(data) if shape is None else shape[0]


def take(data: Any, rows: slice | IntArray) -> Any:
    """Some rows of a table or matrix, or some of a list of objects."""
    if isinstance(data, np.ndarray) or isinstance(rows, slice) or issparse(data):
        return data[rows]
    return [data[i] for i in rows]


def has_columns(data: Any) -> bool:
    """Whether points are rows of numbers, dense or sparse."""
    return is_table(data) or bool(issparse(data))


def is_table(data: Any) -> bool:
    """Whether points are dense rows of numbers, not objects."""
    return isinstance(data, np.ndarray) and data.dtype.kind == "f"
