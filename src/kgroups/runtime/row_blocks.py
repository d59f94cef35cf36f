"""Work over blocks of rows, wherever the rows are, and what is kept of each block where it is.

::

    Blocks.map(stage, work, constant, shared, args)
        work(block, constant, shared, arg) -> result        for each block, results in order
             |
             +-- block.rows(), block.weights()              read where the work is done
             +-- block.kept                                 what earlier work has left there

What is kept saves time and decides nothing: work that finds it gone raises :class:`Missing`, and is
done again with what the caller knows. So a worker may be lost at any time, and blocks may be worked
on in any order, by threads here or by other machines.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from kgroups.runtime.threads import Executor, Threads, blocks
from kgroups.typing import Float64Array, FloatArray, IntArray

#: What is done with one block: ``work(block, constant, shared, arg)``.
Work = Callable[["RowBlock", Any, Any, Any], Any]
#: Numbers of blocks, and what the work is given for each.
Args = Sequence[tuple[int, Any]]


_WITHOUT_ROWS: set[Work] = set()


def without_rows(work: Work) -> Work:
    """Mark work that asks for no rows, unless what earlier work has left of them is lost."""
    _WITHOUT_ROWS.add(work)
    return work


def asks_for_rows(work: Work) -> bool:
    """Whether rows are to come with work where they are not at hand."""
    return work not in _WITHOUT_ROWS


class Missing(Exception):
    """What work needs of a block is not where the work is done."""


class Budget:
    """Bytes that may be kept of blocks besides what every block needs."""

    def __init__(self, n_bytes: float) -> None:
        self.limit, self.used = n_bytes, 0
        self._lock = threading.Lock()

    @property
    def left(self) -> float:
        """Bytes that can still be taken."""
        return self.limit - self.used

    def take(self, n_bytes: int) -> bool:
        """Whether so many are left, which are then taken."""
        with self._lock:
            if n_bytes > self.left:
                return False
            self.used += n_bytes
            return True


@dataclass(eq=False)
class RowBlock:
    """Consecutive rows as work sees them."""

    number: int
    start: int
    stop: int
    #: Whatever earlier work has left here, by name.
    kept: dict[str, Any]
    budget: Budget
    #: How the rows, and their weights, are read; None where they are not at hand.
    read: Callable[[], FloatArray] | None = None
    read_weights: Callable[[], Float64Array] | None = None
    #: Threads that this piece of work may use.
    n_threads: int = 1
    _rows: FloatArray | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.stop - self.start

    def rows(self) -> FloatArray:
        """The rows, (n, D)."""
        if self._rows is None:
            if self.read is None:
                raise Missing("rows")
            self._rows = self.read()
        return self._rows

    def weights(self) -> Float64Array:
        """The weight of each row, (n,); ones if none were given."""
        return np.ones(self.n) if self.read_weights is None else self.read_weights()

    def keep(self, name: str, value: FloatArray) -> None:
        """Keep an array here for later work, if the budget allows it."""
        if name not in self.kept and self.budget.take(value.nbytes):
            self.kept[name] = value


class Blocks(Protocol):
    """Blocks of rows, and who works on them."""

    @property
    def n_rows(self) -> int:
        """How many rows there are in all."""
        ...

    @property
    def spans(self) -> Sequence[tuple[int, int]]:
        """Where each block begins and ends."""
        ...

    @property
    def n_workers(self) -> int:
        """How many blocks are worked on at the same time."""
        ...

    @property
    def has_weights(self) -> bool:
        """Whether rows have weights of their own."""
        ...

    def map(
        self,
        stage: str,
        work: Work,
        constant: Any,
        shared: Any,
        args: Args,
        *,
        light: bool = False,
    ) -> Iterator[Any]:
        """Results of ``work`` for some blocks, in the order of ``args``.

        Where something is missing, and what the work was given has a method ``whole``, the work is
        done again with what that returns.

        Parameters
        ----------
        stage : str
            What is done, for people.
        work : function of a module
        constant : object
            What stays the same over many calls.
        shared : object
            What is the same for all blocks of this call.
        args : sequence of (int, object)
            Numbers of blocks, and what the work is given for each.
        light : bool
            Whether the work takes less time than it takes to share it out.
        """
        ...

    def settle(self, dtype: np.dtype[Any], weight_unit: float) -> None:
        """From now on rows are read in this type, and weights in this unit."""
        ...

    def reserve(self, n_bytes: int) -> None:
        """So many bytes may be kept of all blocks besides what each of them needs."""
        ...


class Rows(Protocol):
    """What can be read some rows at a time."""

    @property
    def n_rows(self) -> int:
        """How many there are."""
        ...

    def read(self, start: int, stop: int) -> FloatArray:
        """The rows [start, stop)."""
        ...


def all_blocks(where: Blocks, arg: Any = None) -> Args:
    """Arguments for every block: the same one for each."""
    return [(number, arg) for number in range(len(where.spans))]


def with_whole(work: Work, block: RowBlock, constant: Any, shared: Any, arg: Any) -> Any:
    """Do the work, once more with the whole argument if something is missing."""
    try:
        return work(block, constant, shared, arg)
    except Missing:
        if not hasattr(arg, "whole"):
            raise
    return work(block, constant, shared, arg.whole())


class LocalBlocks:
    """Blocks of rows that are in memory or in files of this machine; threads work on them."""

    def __init__(
        self,
        rows: Rows | None,
        n_rows: int,
        size: int,
        executor: Executor,
        *,
        weights: Float64Array | None = None,
        dtype: Any = None,
        budget: float = np.inf,
    ) -> None:
        self._rows, self._weights, self._dtype = rows, weights, dtype
        self.n_rows, self.spans = n_rows, blocks(0, n_rows, size)
        self.executor = executor
        self.budget, self._weight_unit = Budget(budget), 1.0
        self._kept: list[dict[str, Any]] = [{} for _ in self.spans]

    @property
    def n_workers(self) -> int:
        """Threads."""
        return self.executor.n_workers

    @property
    def has_weights(self) -> bool:
        """Whether weights were given."""
        return self._weights is not None

    def map(
        self,
        stage: str,
        work: Work,
        constant: Any,
        shared: Any,
        args: Args,
        *,
        light: bool = False,
    ) -> Iterator[Any]:
        """See :class:`Blocks`."""
        # Of few blocks each may use several threads.
        each = 1 if light else max(1, self.n_workers // max(1, len(args)))

        def done(item: tuple[int, Any]) -> Any:
            number, arg = item
            return with_whole(work, self._block(number, each), constant, shared, arg)

        executor = Threads(1) if light or len(args) <= 1 else self.executor
        yield from executor.map(done, args)

    def settle(self, dtype: np.dtype[Any], weight_unit: float) -> None:
        """See :class:`Blocks`."""
        self._dtype, self._weight_unit = dtype, weight_unit

    def reserve(self, n_bytes: int) -> None:
        """See :class:`Blocks`."""
        self.budget = Budget(n_bytes)

    def _block(self, number: int, n_threads: int) -> RowBlock:
        start, stop = self.spans[number]
        return RowBlock(
            number=number,
            start=start,
            stop=stop,
            kept=self._kept[number],
            budget=self.budget,
            read=_reader(self._rows, start, stop, self._dtype),
            read_weights=_weigher(self._weights, start, stop, self._weight_unit),
            n_threads=n_threads,
        )


def _reader(
    rows: Rows | None, start: int, stop: int, dtype: Any
) -> Callable[[], FloatArray] | None:
    return None if rows is None else lambda: np.ascontiguousarray(rows.read(start, stop), dtype)


def _weigher(
    weights: Float64Array | None, start: int, stop: int, unit: float
) -> Callable[[], Float64Array] | None:
    return None if weights is None else lambda: weights[start:stop] / unit


def in_block(where: Blocks, index: IntArray) -> Iterable[tuple[int, IntArray]]:
    """Numbers of blocks, and which of some rising row numbers lie in each, from its first row."""
    starts = np.array([start for start, _ in where.spans])
    number = np.searchsorted(starts, index, side="right") - 1
    for block in np.unique(number).tolist():
        yield block, index[number == block] - starts[block]
