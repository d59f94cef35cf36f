"""What a source of rows can do, wherever its rows are stored, and what all of them share."""

from __future__ import annotations

import abc
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from stat import S_ISREG
from typing import Any, Protocol

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input import rows
from kgroups.runtime.threads import blocks
from kgroups.text import counted
from kgroups.typing import FloatArray, IntArray


class RowSource(Protocol):
    """A table of numbers that is read a block of rows at a time.

    Rows and columns are numbered from 0. Several threads may read at the same time. A source of
    rows in files can be pickled: it takes the paths along, not the rows.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows N, at least one."""

    @property
    def n_columns(self) -> int:
        """Number of columns D, at least one."""

    @property
    def names(self) -> list[str] | None:
        """Names of the columns; None if they have no names."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers that are read: float32 if no column needs more, else float64."""

    def read(self, start: int, stop: int) -> FloatArray:
        """Rows ``start`` to ``stop - 1``, shape (stop − start, D), C-contiguous.

        Raises
        ------
        IndexError
            If not 0 ≤ start ≤ stop ≤ N.
        kgroups.exceptions.DataError
            If a file changed, is gone or is damaged.
        """

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

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """First row and rows of each canonical block, in order; can be called repeatedly."""

    def place(self, row: int) -> str:
        """Where a row is stored, in words for messages; all numbers begin at 0."""

    def check_unchanged(self) -> None:
        """Raise DataError if a file is gone, or its size or modification time changed."""

    def fingerprint(self) -> str:
        """16 hexadecimal digits that are the same for the same data, and not for other data."""


class StoredRows(abc.ABC):
    """What the sources of this package share; in words they are their class, files and size."""

    def __init__(
        self, shape: tuple[int, int], names: list[str] | None, dtype: np.dtype[Any]
    ) -> None:
        self.n_rows, self.n_columns = shape
        self.names, self.dtype = names, dtype
        self.files: tuple[FileState, ...] = ()

    @abc.abstractmethod
    def _read(self, start: int, stop: int) -> FloatArray:
        """Rows that are there."""

    def read(self, start: int, stop: int) -> FloatArray:
        """Rows ``start`` to ``stop - 1``; of an array in memory without a copy, where possible."""
        if not 0 <= start <= stop <= self.n_rows:
            raise IndexError(f"rows {start} to {stop} are not among {self.n_rows:,} rows.")
        return self._read(start, stop)

    def take(self, index: slice | IntArray) -> FloatArray:
        """Rows by their numbers; each block is read once. Memory: the result and one block."""
        if isinstance(index, slice):
            start, stop, step = index.indices(self.n_rows)
            if step == 1:
                return self.read(start, max(start, stop))
            index = np.arange(start, stop, step)
        numbers = np.asarray(index)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
            raise IndexError(
                f"rows are taken by integers in one dimension; got {numbers.dtype} of shape "
                f"{numbers.shape}. For a mask write numpy.flatnonzero(mask)."
            )
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < self.n_rows):
            wrong = numbers.min() if numbers.min() < 0 else numbers.max()
            raise IndexError(f"row {wrong} was asked for, and the rows are 0 to {self.n_rows - 1}.")
        out = np.empty((len(numbers), self.n_columns), self.dtype)
        order = np.argsort(numbers)
        ascending = numbers[order].astype(np.int64)
        ends = np.flatnonzero(np.diff(ascending // rows.ROWS_PER_BLOCK)) + 1
        for a, b in pairwise([0, *ends.tolist(), len(order)] if len(order) else []):
            first = int(ascending[a])
            some = self.read(first, int(ascending[b - 1]) + 1)
            out[order[a:b]] = some[ascending[a:b] - first]
        return out

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """First row and rows of each canonical block."""
        for start, stop in blocks(0, self.n_rows, rows.ROWS_PER_BLOCK):
            yield start, self.read(start, stop)

    def check_unchanged(self) -> None:
        """DataError if a file is gone, or its size or its modification time changed."""
        for file in self.files:
            file.check()

    def __repr__(self) -> str:
        names = [repr(file.path.name) for file in self.files[:1]]
        more = [counted(len(self.files) - 1, "more file")] if len(self.files) > 1 else []
        size = [counted(self.n_rows, "row"), counted(self.n_columns, "column"), str(self.dtype)]
        return f"{type(self).__name__}({', '.join([*names, *more, *size])})"


def float_type(kinds: Iterable[Any]) -> np.dtype[Any]:
    """float32 for columns whose numbers NumPy holds together in float32, otherwise float64.

    scikit-learn converts a table in memory in this way: float16 alone becomes float64, and so do
    float32 in the byte order of another machine, and the types of pandas that allow gaps.
    """
    kinds = list(kinds)
    try:
        is_single = np.result_type(*kinds) == np.float32
    except TypeError:  # not types of NumPy
        return np.dtype(np.float64)
    is_single = is_single and all(np.dtype(kind).isnative for kind in kinds)
    return np.dtype(np.float32 if is_single else np.float64)


def fingerprint_of(*facts: object, content: bytes = b"") -> str:
    """A digest of what identifies some data: facts that ``repr`` writes in full, and bytes.

    >>> fingerprint_of("a", 1), fingerprint_of("a", 2)
    ('391d545b6971354e', '57fad4fc99fba575')
    """
    digest = hashlib.sha256(repr(facts).encode("utf-8", "surrogateescape"))
    digest.update(content)
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class FileState:
    """Path, size and time of the last change of a file, so that later changes are noticed."""

    path: Path
    n_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, path: str | PathLike[str]) -> FileState:
        """The present state of a file; DataError for a folder, a pipe or a device."""
        absolute = Path(path).absolute()
        found = absolute.stat()
        if not S_ISREG(found.st_mode):
            raise DataError(f"{absolute} is not a regular file.")
        return cls(absolute, found.st_size, found.st_mtime_ns)

    def check(self) -> None:
        """DataError if the file is gone, or its size or its modification time changed."""
        try:
            now = FileState.of(self.path)
        except FileNotFoundError as error:
            raise DataError(f"{self.path} is gone since its source of rows was made.") from error
        if now != self:
            raise DataError(
                f"{self.path} was changed since its source of rows was made: it had "
                f"{self.n_bytes:,} bytes, and has {now.n_bytes:,}. Make the source once more."
            )
