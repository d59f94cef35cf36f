"""Rows of Parquet files, decoded in order and a block at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from kgroups.blocks.by_block import canonical_blocks, check_interval, taken
from kgroups.blocks.fingerprints import fingerprint_of
from kgroups.blocks.parquet_batches import Part
from kgroups.blocks.parquet_footers import (
    check_agreement,
    check_numeric,
    chosen_names,
    float_type_of,
    read_footer,
)
from kgroups.blocks.stretches import Stretches
from kgroups.exceptions import DataError
from kgroups.text import counted
from kgroups.typing import FloatArray, IntArray

_Path: TypeAlias = str | PathLike[str]


class ParquetRows:
    """Rows of Parquet files, see :func:`from_parquet`."""

    def __init__(self, parts: Sequence[Part], names: Sequence[str], dtype: np.dtype[Any]) -> None:
        self._parts = tuple(parts)
        self._names = tuple(names)
        self._dtype = dtype
        self._stretches = Stretches(self._parts, self._names, dtype)

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return self._stretches.edges.n_rows

    @property
    def n_columns(self) -> int:
        """Number of columns that are read."""
        return len(self._names)

    @property
    def names(self) -> list[str] | None:
        """Names of the columns that are read."""
        return list(self._names)

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 for columns that are a table of float32 in memory, otherwise float64."""
        return self._dtype

    def read(self, start: int, stop: int) -> FloatArray:
        """Rows ``start`` to ``stop - 1``.

        Quick in ascending order. A step back by more than 6 blocks decodes from the beginning of
        the row group on.
        """
        check_interval(start, stop, self.n_rows)
        return self._stretches.read(start, stop)

    def take(self, index: slice | IntArray) -> FloatArray:
        """Rows by their numbers, in the order asked for."""
        return taken(self, index)

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """First row and rows of each canonical block."""
        return canonical_blocks(self)

    def place(self, row: int) -> str:
        """Name of the file, row group, and number of the row in the file; all from 0."""
        check_interval(row, row + 1, self.n_rows)
        number, group, row_of_file = self._stretches.edges.located(row)
        return f"{self._parts[number].label}, row group {group}, row {row_of_file}"

    def check_unchanged(self) -> None:
        """DataError if a file is gone, or its size or its modification time changed."""
        for part in self._parts:
            part.state.check()

    def fingerprint(self) -> str:
        """A digest of names, sizes, modification times and rows of files, and of the columns."""
        files = [
            (part.label, part.state.n_bytes, part.state.modified_ns, part.n_rows)
            for part in self._parts
        ]
        return fingerprint_of(files, self._names, self._dtype.name)

    def __repr__(self) -> str:
        rows, columns = counted(self.n_rows, "row"), counted(self.n_columns, "column")
        return f"ParquetRows({_in_words(self._parts)}, {rows}, {columns}, {self._dtype})"

    def __reduce__(self) -> tuple[type[ParquetRows], tuple[Any, ...]]:
        """Paths and footers, without open files and decoded rows."""
        return ParquetRows, (self._parts, self._names, self._dtype)


def from_parquet(
    path: _Path | Sequence[_Path], columns: Sequence[str] | None = None
) -> ParquetRows:
    """Read the rows of Parquet files by blocks.

    Only the footers are read at first. Later at most 6 blocks of 65,536 rows are in memory, and of
    each column one page.

    Parameters
    ----------
    path : str or Path, or list of them
        A file; a folder, of which all files ``*.parquet`` are read in the order of their paths,
        without names that begin with ``_`` or ``.``; or a list of files. Names of folders such as
        ``year=2020`` are not read as columns.
    columns : list of str, optional
        The columns to read, in this order. By default all, except those in which pandas stores
        row numbers (``__index_level_0__``).

    Returns
    -------
    RowSource
        Integers, booleans and decimals become float64, nulls become NaN, and categories become
        their values, if these are numbers.

    Raises
    ------
    kgroups.exceptions.DataError
        If a file is damaged, a column holds something else than numbers, files have different
        columns, there are no rows, or pyarrow is not installed. Files without rows may have any
        columns.
    ValueError
        If ``columns`` names a column that does not exist, or none.
    FileNotFoundError
        If there is no such file or folder.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa
    >>> from pyarrow import parquet
    >>> from kgroups import blocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "t.parquet"
    ...     parquet.write_table(pa.table({"a": [1, 2, None], "b": [0.5, 1.5, 2.5]}), path)
    ...     rows = blocks.from_parquet(path, columns=["b", "a"])
    ...     print(rows)
    ...     print(rows.read(0, 3))
    ParquetRows('t.parquet', 3 rows, 2 columns, float64)
    [[0.5 1. ]
     [1.5 2. ]
     [2.5 nan]]
    """
    footers = [read_footer(file, label) for file, label in _labeled(path)]
    with_rows = [footer for footer in footers if footer.part.n_rows > 0]
    if not with_rows:
        files = _in_words([footer.part for footer in footers])
        raise DataError(f"there are no rows in {files}; at least one is needed.")
    first = with_rows[0]
    names = chosen_names(first, columns)
    check_numeric(first, names)
    for footer in with_rows[1:]:
        check_agreement(footer, first, names, all_columns=columns is None)
    parts = [footer.part for footer in footers]
    return ParquetRows(parts, names, float_type_of(first, names))


def _labeled(path: _Path | Sequence[_Path]) -> list[tuple[Path, str]]:
    """Files with the names by which messages call them."""
    if not isinstance(path, (str, PathLike)):
        files = [Path(file) for file in path]
        if not files:
            raise ValueError("the list of files is empty; at least one is needed.")
        same_name = len({file.name for file in files}) < len(files)
        return [(file, str(file) if same_name else file.name) for file in files]
    folder = Path(path)
    if not folder.is_dir():
        return [(folder, folder.name)]
    files = [file for file in sorted(folder.rglob("*.parquet")) if file.is_file()]
    inside = [file.relative_to(folder) for file in files]
    shown = [file for file in inside if not any(part[0] in "_." for part in file.parts)]
    if not shown:
        raise DataError(
            f"{folder} holds no Parquet file: no name ends in .parquet, or each of these begins "
            "with '_' or '.'."
        )
    return [(folder / file, file.as_posix()) for file in shown]


def _in_words(parts: Sequence[Part]) -> str:
    """The first file, and how many more there are."""
    more = len(parts) - 1
    return repr(parts[0].label) + (f" and {counted(more, 'more file')}" if more else "")
