"""Some columns of rows that are read block by block and have no names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.blocks import RowSource
from kgroups.blocks.row_source import fingerprint_of
from kgroups.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ChosenColumns:
    """Rows of another source with some of its columns, by their positions from 0.

    >>> from kgroups.blocks import from_array
    >>> rows = from_array(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    >>> some = ChosenColumns(rows, (2, 0))
    >>> some.names, some.read(1, 2).tolist()
    (['3', '1'], [[6.0, 4.0]])
    """

    rows: RowSource
    positions: tuple[int, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.n_rows

    @property
    def n_columns(self) -> int:
        """Number of columns that were chosen."""
        return len(self.positions)

    @property
    def names(self) -> list[str] | None:
        """The positions of the columns from 1."""
        return [str(position + 1) for position in self.positions]

    @property
    def dtype(self) -> np.dtype[Any]:
        """That of all columns."""
        return self.rows.dtype

    def read(self, start: int, stop: int) -> FloatArray:
        """Rows ``start`` to ``stop - 1``; all their columns are read."""
        return self._chosen(self.rows.read(start, stop))

    def take(self, index: slice | IntArray) -> FloatArray:
        """Rows by their numbers, in the order asked for."""
        return self._chosen(self.rows.take(index))

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """First row and rows of each canonical block."""
        return ((start, self._chosen(block)) for start, block in self.rows.blocks())

    def place(self, row: int) -> str:
        """Where a row is stored."""
        return self.rows.place(row)

    def check_unchanged(self) -> None:
        """DataError if the file is gone or has changed."""
        self.rows.check_unchanged()

    def fingerprint(self) -> str:
        """A digest of the file and of the positions."""
        return fingerprint_of(self.rows.fingerprint(), self.positions)

    def _chosen(self, block: FloatArray) -> FloatArray:
        return np.ascontiguousarray(block[:, self.positions])
