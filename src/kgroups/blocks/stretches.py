"""Canonical blocks of a table in Parquet files, decoded in order; the last few are kept."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from kgroups.blocks.parquet_batches import Part
from kgroups.blocks.parquet_cursor import Cursor, Edges
from kgroups.blocks.turns import Turns
from kgroups.input import rows
from kgroups.typing import FloatArray

# Threads that read neighboring blocks are rarely further apart than this many blocks.
_MOST_KEPT = 6
_LEAST_KEPT = 2
_BYTES_KEPT = 1 << 28


class Stretches:
    """The canonical blocks of a table, of which the last that were decoded are kept.

    At most 6 are kept, and fewer if they take more than 256 MiB, but at least 2. A block that is
    not kept and is behind the cursor, or far ahead of it in a later row group, moves the cursor to
    the beginning of the row group that holds the block's first row. Threads that read neighboring
    blocks in ascending order therefore decode every row group once.
    """

    def __init__(self, parts: Sequence[Part], names: Sequence[str], dtype: np.dtype[Any]) -> None:
        self.edges = Edges(parts)
        self._parts = parts
        self._names = names
        self._dtype = dtype
        self._size = rows.ROWS_PER_BLOCK
        n_bytes = self._size * len(names) * dtype.itemsize
        self._n_kept = min(_MOST_KEPT, max(_LEAST_KEPT, _BYTES_KEPT // n_bytes))
        self._kept: OrderedDict[int, FloatArray] = OrderedDict()
        self._cursor: Cursor | None = None
        self._turns = Turns()

    def read(self, start: int, stop: int) -> FloatArray:
        """Rows ``start`` to ``stop - 1`` as an array of their own."""
        out = np.empty((stop - start, len(self._names)), self._dtype)
        for number in range(start // self._size, -(-stop // self._size)):
            first = number * self._size
            a, b = max(start, first), min(stop, first + self._size)
            out[a - start : b - start] = self._block(number)[a - first : b - first]
        return out

    def _block(self, number: int) -> FloatArray:
        """A canonical block; nothing is written into it any more."""
        with self._turns.turn():
            if number not in self._kept:
                self._decode(number)
            self._kept.move_to_end(number)
            return self._kept[number]

    def _decode(self, number: int) -> None:
        """Move the cursor over a block, which is then kept."""
        cursor = self._cursor_before(number * self._size)
        self._cursor = None  # after an error, batches and rows would be out of step
        while number not in self._kept:
            self._pass(cursor)
        self._cursor = cursor

    def _cursor_before(self, row: int) -> Cursor:
        """The cursor as it is, if no other row group is a shorter way to a row; else a new one."""
        part, group, _ = self.edges.located(row)
        begin = self.edges.first_row(part, group)
        cursor = self._cursor
        if cursor is not None and cursor.row <= row:
            is_near = row - cursor.row < self._n_kept * self._size
            if is_near or begin <= cursor.row:
                return cursor
        return Cursor(self._parts, self._names, part, group, begin)

    def _pass(self, cursor: Cursor) -> None:
        """Decode up to the end of a block; it is kept if the cursor was at its beginning."""
        number, left_out = divmod(cursor.row, self._size)
        stop = min((number + 1) * self._size, self.edges.n_rows)
        while len(self._kept) >= self._n_kept:
            self._kept.popitem(last=False)
        block = np.empty((stop - cursor.row, len(self._names)), self._dtype)
        cursor.fill(block)
        if not left_out:
            self._kept[number] = block
