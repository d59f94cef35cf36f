"""A place in a table of Parquet files, from which rows are decoded in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from kgroups.blocks.parquet_batches import Part, batches_from, copy_columns
from kgroups.typing import FloatArray

if TYPE_CHECKING:
    from pyarrow import RecordBatch


class Edges:
    """Where the files of a table and their row groups begin, by numbers of rows."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._edges = np.array([0, *accumulate(part.n_rows for part in parts)])

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return int(self._edges[-1])

    def located(self, row: int) -> tuple[int, int, int]:
        """The file that holds a row, the row group in this file, and the row in this file."""
        part = int(np.searchsorted(self._edges, row, side="right")) - 1
        row_of_file = row - int(self._edges[part])
        return part, self._parts[part].group_of(row_of_file), row_of_file

    def first_row(self, part: int, group: int) -> int:
        """The row with which a row group of a file begins."""
        return int(self._edges[part] + self._parts[part].group_edges[group])


class Cursor:
    """Decodes rows in order, from the beginning of a row group of a file on."""

    def __init__(
        self, parts: Sequence[Part], names: Sequence[str], part: int, group: int, row: int
    ) -> None:
        self._names = names
        self._batches = batches_from(parts, names, part, group)
        self._batch: RecordBatch | None = None
        self._used = 0
        #: The number of the row that is decoded next.
        self.row = row

    def fill(self, out: FloatArray) -> None:
        """Write the next rows into an array, and move on."""
        filled = 0
        while filled < len(out):
            if self._batch is None or self._used == self._batch.num_rows:
                self._batch, self._used = next(self._batches), 0
            count = min(len(out) - filled, self._batch.num_rows - self._used)
            copy_columns(self._batch, self._names, out[filled : filled + count], self._used)
            filled += count
            self._used += count
        self.row += len(out)
