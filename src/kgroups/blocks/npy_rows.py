"""Rows of an array in an NPY file, read where they stand; the file is not mapped into memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from os import PathLike
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from kgroups.blocks.by_block import canonical_blocks, check_interval, taken
from kgroups.blocks.file_state import FileState
from kgroups.blocks.fingerprints import fingerprint_of
from kgroups.blocks.float_types import float_type
from kgroups.exceptions import DataError
from kgroups.input.table_files.binary import Header, read_header, readable
from kgroups.text import counted
from kgroups.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class NpyRows:
    """Rows of an NPY file, see :func:`from_npy`. Each call of ``read`` opens the file anew."""

    state: FileState
    #: Shape and type of the array in the file, and where its first number stands.
    shape: tuple[int, int]
    stored: np.dtype[Any]
    offset: int
    is_fortran: bool

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.shape[0]

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.shape[1]

    @property
    def names(self) -> list[str] | None:
        """None: an NPY file has no names."""
        return None

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 for an array of float32, otherwise float64."""
        return float_type([self.stored])

    def read(self, start: int, stop: int) -> FloatArray:
        """Rows ``start`` to ``stop - 1``; reads only their bytes.

        Memory: the rows, and once more as stored if they have another type. An array in Fortran
        order takes one read per column.
        """
        check_interval(start, stop, self.n_rows)
        self.state.check()
        with self.state.path.open("rb", buffering=0) as stream:
            if self.is_fortran:
                return self._by_columns(stream, start, stop)
            numbers = self._numbers(stream, start * self.n_columns, stop * self.n_columns)
        rows = numbers.reshape(stop - start, self.n_columns)
        return rows.astype(self.dtype, copy=False)

    def take(self, index: slice | IntArray) -> FloatArray:
        """Rows by their numbers, in the order asked for."""
        return taken(self, index)

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """First row and rows of each canonical block."""
        return canonical_blocks(self)

    def place(self, row: int) -> str:
        """Name of the file and number of the row, from 0."""
        return f"{self.state.path.name}, row {row}"

    def check_unchanged(self) -> None:
        """DataError if the file is gone, or its size or its modification time changed."""
        self.state.check()

    def fingerprint(self) -> str:
        """A digest of name, size and modification time of the file, and of shape and type."""
        file = (self.state.path.name, self.state.n_bytes, self.state.modified_ns)
        return fingerprint_of(file, self.shape, self.stored.str)

    def __repr__(self) -> str:
        rows, columns = counted(self.n_rows, "row"), counted(self.n_columns, "column")
        return f"NpyRows({self.state.path.name!r}, {rows}, {columns}, {self.dtype})"

    def _by_columns(self, stream: IO[bytes], start: int, stop: int) -> FloatArray:
        out = np.empty((stop - start, self.n_columns), self.dtype)
        for j in range(self.n_columns):
            first = j * self.n_rows
            out[:, j] = self._numbers(stream, first + start, first + stop)
        return out

    def _numbers(self, stream: IO[bytes], start: int, stop: int) -> np.ndarray[Any, Any]:
        """Consecutive numbers of the file."""
        stream.seek(self.offset + start * self.stored.itemsize)
        numbers = np.fromfile(stream, self.stored, stop - start)
        if len(numbers) < stop - start:
            raise DataError(f"{self.state.path} was cut off while it was read.")
        return numbers


def from_npy(path: str | PathLike[str]) -> NpyRows:
    """Read the rows of an NPY file by blocks.

    Nothing is unpickled, and nothing is mapped: memory holds only the rows that were asked for.

    Parameters
    ----------
    path : str or Path
        A file that ``numpy.save`` wrote, with an array of numbers of shape (N, D). Numbers
        of other types than float32 become float64. Fortran order is read correctly, and more
        slowly.

    Returns
    -------
    RowSource
        It has no names.

    Raises
    ------
    kgroups.exceptions.DataError
        If the file is not an NPY file, is cut off, or holds something else than a table of
        numbers.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from kgroups import blocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "X.npy"
    ...     np.save(path, np.arange(12).reshape(4, 3))
    ...     rows = blocks.from_npy(path)
    ...     print(rows)
    ...     print(rows.read(1, 3))
    NpyRows('X.npy', 4 rows, 3 columns, float64)
    [[3. 4. 5.]
     [6. 7. 8.]]
    """
    state = FileState.of(path)
    source = str(state.path)
    with state.path.open("rb") as stream, readable(source, "numpy.save"):
        header = read_header(stream, state.n_bytes)
        is_fortran = _is_fortran(stream)
    shape = _checked_shape(header, source)
    return NpyRows(state, shape, header.dtype, state.n_bytes - header.n_bytes, is_fortran)


def _is_fortran(stream: IO[bytes]) -> bool:
    """Whether columns, not rows, stand together, by a header that is known to be sound."""
    stream.seek(0)
    is_first = npy.read_magic(stream) == (1, 0)
    read = npy.read_array_header_1_0 if is_first else npy.read_array_header_2_0
    return bool(read(stream)[1])


def _checked_shape(header: Header, source: str) -> tuple[int, int]:
    """The shape of a table of numbers whose bytes are all there."""
    shape = header.shape
    if header.dtype.kind not in "biuf":
        raise DataError(f"{source} holds {header.dtype}, and numbers are needed.")
    if len(shape) != 2:
        instead = "X.reshape(-1, 1)" if len(shape) < 2 else "X.reshape(len(X), -1)"
        raise DataError(
            f"{source} has shape {shape}, and a table has two dimensions; save {instead}."
        )
    if 0 in shape:
        raise DataError(f"{source} has shape {shape}; at least one row and column are needed.")
    n_bytes = prod(shape) * header.dtype.itemsize
    if n_bytes > header.n_bytes:
        raise DataError(
            f"{source} is cut off: its header announces {n_bytes:,} bytes of numbers, and there "
            f"are {max(0, header.n_bytes):,}."
        )
    return shape[0], shape[1]
