"""What a source of rows can do, wherever its rows are stored."""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from kgroups.typing import FloatArray, IntArray


class RowSource(Protocol):
    """A table of numbers that is read a block of rows at a time.

    Rows and columns are numbered from 0. Several threads may read at the same time. A source of
    rows in files can be pickled: it takes the paths along, not the rows.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows N, at least one."""
        ...

    @property
    def n_columns(self) -> int:
        """Number of columns D, at least one."""
        ...

    @property
    def names(self) -> list[str] | None:
        """Names of the columns; None if they have no names."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers that are read: float32 if no column needs more, else float64."""
        ...

    def read(self, start: int, stop: int) -> FloatArray:
        """Rows ``start`` to ``stop - 1``, shape (stop − start, D), C-contiguous.

        Raises
        ------
        IndexError
            If not 0 ≤ start ≤ stop ≤ N.
        kgroups.exceptions.DataError
            If a file changed, is gone or is damaged.
        """
        ...

    def take(self, index: slice | IntArray) -> FloatArray:
        """Rows by their numbers, in the order asked for, shape (len(index), D).

        A number may occur several times. The rows are read in one pass in ascending order.

        Raises
        ------
        IndexError
            If a number is not an integer from 0 to N − 1.
        kgroups.exceptions.DataError
            If a file changed, is gone or is damaged.
        """
        ...

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """First row and rows of each canonical block, in order; can be called repeatedly."""
        ...

    def place(self, row: int) -> str:
        """Where a row is stored, in words for messages; all numbers begin at 0."""
        ...

    def check_unchanged(self) -> None:
        """Raise DataError if a file is gone, or its size or modification time changed."""
        ...

    def fingerprint(self) -> str:
        """16 hexadecimal digits that are the same for the same data, and not for other data."""
        ...
