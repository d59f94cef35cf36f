"""Rows of Parquet files, decoded in order and a block at a time."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from os import PathLike
from threading import Condition
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kgroups.blocks.row_source import FileState, StoredRows, fingerprint_of, float_type
from kgroups.exceptions import DataError
from kgroups.input import rows
from kgroups.input.parquet_folder import files_of
from kgroups.text import counted, quoted, short
from kgroups.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from pyarrow import Array, Field, RecordBatch, Schema
    from pyarrow.parquet import ParquetFile

_Path: TypeAlias = str | PathLike[str]
# Names that pandas gives to columns of row numbers.
ROW_INDEX = re.compile(r"__index_level_\d+__")
# Rows that are decoded together: their copy from columns to rows stays in the processor's cache.
_ROWS_AT_ONCE = 1 << 13
# Without a buffer, pyarrow would read the columns of a whole row group before it decodes one row.
_BUFFER = 1 << 16
# Blocks that are kept: threads that read side by side are rarely further apart.
_MOST_KEPT, _LEAST_KEPT, _BYTES_KEPT = 6, 2, 1 << 28


@dataclass(frozen=True, eq=False)
class Part:
    """One file of a table: how messages call it, and at which of its rows row groups begin."""

    state: FileState
    label: str
    #: Of shape (row groups + 1,), from 0 to the number of rows.
    edges: IntArray

    @property
    def n_rows(self) -> int:
        """Number of rows in the file."""
        return int(self.edges[-1])


class ParquetRows(StoredRows):
    """Rows of Parquet files, see :func:`from_parquet`.

    The canonical blocks that were decoded last are kept: at most 6, and fewer if they take more
    than 256 MiB, but at least 2. A block that is not kept and is behind, or far ahead in a later
    row group, is decoded from the beginning of the row group on that holds its first row.
    """

    def __init__(self, parts: Sequence[Part], names: list[str], dtype: np.dtype[Any]) -> None:
        self._edges = np.array([0, *accumulate(part.n_rows for part in parts)])
        super().__init__((int(self._edges[-1]), len(names)), names, dtype)
        self.files = tuple(part.state for part in parts)
        self._parts, self._names = tuple(parts), tuple(names)
        self._size = rows.ROWS_PER_BLOCK
        kept = _BYTES_KEPT // (self._size * len(names) * dtype.itemsize)
        self._n_kept = min(_MOST_KEPT, max(_LEAST_KEPT, kept))
        self._kept: OrderedDict[int, FloatArray] = OrderedDict()
        #: The row that is decoded next, and the blocks from there on.
        self._next: tuple[int, Iterator[tuple[int, FloatArray | None]]] | None = None
        self._turns = _Turns()

    def __reduce__(self) -> tuple[type[ParquetRows], tuple[Any, ...]]:
        """Paths and footers, without open files and decoded rows."""
        return ParquetRows, (self._parts, [*self._names], self.dtype)

    def _read(self, start: int, stop: int) -> FloatArray:
        out = np.empty((stop - start, self.n_columns), self.dtype)
        for number in range(start // self._size, -(-stop // self._size)):
            first = number * self._size
            a, b = max(start, first), min(stop, first + self._size)
            out[a - start : b - start] = self._block(number)[a - first : b - first]
        return out

    def place(self, row: int) -> str:
        """Name of the file, row group, and number of the row in the file; all from 0."""
        part, group, row_of_file = self._located(row)
        return f"{self._parts[part].label}, row group {group}, row {row_of_file}"

    def fingerprint(self) -> str:
        """A digest of names, sizes, modification times and rows of files, and of the columns."""
        files = [
            (part.label, part.state.n_bytes, part.state.modified_ns, part.n_rows)
            for part in self._parts
        ]
        return fingerprint_of(files, self._names, self.dtype.name)

    def _located(self, row: int) -> tuple[int, int, int]:
        """The file that holds a row, the row group in this file, and the row in this file."""
        part = int(np.searchsorted(self._edges, row, side="right")) - 1
        row_of_file = row - int(self._edges[part])
        group = int(np.searchsorted(self._parts[part].edges, row_of_file, side="right")) - 1
        return part, group, row_of_file

    def _block(self, number: int) -> FloatArray:
        """A canonical block; nothing is written into it any more."""
        with self._turns.turn():
            if number not in self._kept:
                row, pieces = self._before(number * self._size)
                self._next = None  # after an error, batches and rows would be out of step
                while number not in self._kept:
                    row, block = next(pieces)
                    if block is not None:
                        while len(self._kept) >= self._n_kept:
                            self._kept.popitem(last=False)
                        self._kept[(row - 1) // self._size] = block
                self._next = row, pieces
            self._kept.move_to_end(number)
            return self._kept[number]

    def _before(self, row: int) -> tuple[int, Iterator[tuple[int, FloatArray | None]]]:
        """Where to go on, if no other row group is a shorter way to a row; else where it begins."""
        part, group, _ = self._located(row)
        begin = int(self._edges[part] + self._parts[part].edges[group])
        if self._next is not None and self._next[0] <= row:
            is_near = row - self._next[0] < self._n_kept * self._size
            if is_near or begin <= self._next[0]:
                return self._next
        return begin, self._blocks(part, group, begin)

    def _blocks(self, part: int, group: int, row: int) -> Iterator[tuple[int, FloatArray | None]]:
        """The end of each block from a row on, and the block, or None if a part of it is before."""
        begin, block = row, None
        for batch in self._batches(part, group):
            used = 0
            while used < batch.num_rows:
                stop = min((row // self._size + 1) * self._size, self.n_rows)
                if block is None:
                    begin, block = row, np.empty((stop - row, self.n_columns), self.dtype)
                count = min(batch.num_rows - used, stop - row)
                for j, name in enumerate(self._names):
                    values = _numbers(batch.column(name))[used : used + count]
                    block[row - begin : row - begin + count, j] = values
                row, used = row + count, used + count
                if row == stop:
                    yield row, None if begin % self._size else block
                    block = None

    def _batches(self, part: int, group: int) -> Iterator[RecordBatch]:
        """All rows from the beginning of a row group on, over the following files too."""
        for following in self._parts[part:]:
            if group < len(following.edges) - 1:
                with opened(following.state) as file:
                    for number in range(group, len(following.edges) - 1):
                        yield from _batches_of_group(file, following, self._names, number)
            group = 0


class _Turns:
    """A lock that is fair: one thread at a time, first come, first served.

    With a plain one, a thread that asks again at once often gets it before one that waits, and
    moves on by many blocks while the other one still waits for the first of them.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: deque[object] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A block that one thread runs, in the order in which they asked."""
        me = object()
        with self._changed:
            self._waiting.append(me)
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting[0] is me)
            yield
        finally:
            with self._changed:
                self._waiting.remove(me)
                self._changed.notify_all()


@contextmanager
def opened(state: FileState) -> Iterator[ParquetFile]:
    """A Parquet file whose footer has been read; DataError if it changed or is damaged."""
    state.check()
    with decoding(str(state.path)):
        from pyarrow import OSFile, parquet

        source = OSFile(str(state.path))
        file = parquet.ParquetFile(
            source, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True
        )
    with source, file:
        yield file


@contextmanager
def decoding(place: str) -> Iterator[None]:
    """A block that needs pyarrow, in which its errors mean that the file is damaged."""
    try:
        from pyarrow import ArrowException
    except ImportError as error:
        raise DataError('reading Parquet needs pyarrow; run: pip install "kgroups[cli]"') from error
    try:
        yield
    except (ArrowException, UnicodeDecodeError, OSError) as error:
        if getattr(error, "errno", None) is not None:  # an error of the system, not of the file
            raise
        raise DataError(f"{place} cannot be read as Parquet: {short(error, 200)}") from error


def _batches_of_group(
    file: ParquetFile, part: Part, names: Sequence[str], group: int
) -> Iterator[RecordBatch]:
    """The rows of one row group; DataError if it is damaged or has other rows than announced."""
    part.state.check()
    place = f"{part.state.path}, row group {group},"
    missing = int(part.edges[group + 1] - part.edges[group])
    with decoding(place):
        for batch in file.iter_batches(
            batch_size=_ROWS_AT_ONCE, row_groups=[group], columns=list(names), use_threads=False
        ):
            missing -= batch.num_rows
            yield batch
    if missing:
        raise DataError(f"{place} cannot be read as Parquet: {missing:,} of its rows are missing.")


def _numbers(column: Array) -> np.ndarray[Any, Any]:
    """The values of a column, NaN for nulls; floating-point numbers keep their type."""
    from pyarrow import float64, types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not types.is_floating(column.type):
        # Integers beyond 2^53 are rounded.
        column = column.cast(float64(), safe=False)
    if column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return np.from_dlpack(column)  # to_numpy imports pandas, which takes longer than many a file


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
    found = [footer_of(file, label) for file, label in files_of(path)]
    with_rows = [footer for footer in found if footer[0].n_rows > 0]
    if not with_rows:
        raise DataError(f"there are no rows in {found[0][0].state.path}, nor in files after it.")
    first, schema = with_rows[0]
    known = [name for name in schema.names if not ROW_INDEX.fullmatch(name)]
    names = known if columns is None else list(columns)
    missing = [name for name in names if name not in known]
    if isinstance(columns, str) or missing or not names or len({*names}) < len(names):
        error: type[Exception] = DataError if columns is None else ValueError
        what = f"has no column {quoted(missing[0])}" if missing else "is asked for no column"
        raise error(
            f"{first.state.path} {what}, or for one twice; columns is a list of some of "
            f"{quoted(known, 400)}."
        )
    kinds = _kinds(first, schema, names)
    for part, other in with_rows[1:]:
        more = [n for n in other.names if n not in names and not ROW_INDEX.fullmatch(n)]
        if more and columns is None:
            raise DataError(
                f"{part.state.path} has a column {quoted(more[0])}, which {first.state.path} does "
                "not have; choose columns that all files have by columns=[...]."
            )
        for name, kind in zip(names, _kinds(part, other, names), strict=True):
            if kind != kinds[names.index(name)]:
                raise DataError(
                    f"{part.state.path}, column {quoted(name)} holds {kind}, and another type in "
                    f"{first.state.path}; write all files with one type."
                )
    dtype = float_type(kind.to_pandas_dtype() for kind in kinds)
    return ParquetRows([part for part, _ in found], names, dtype)


def footer_of(path: _Path, label: str) -> tuple[Part, Schema]:
    """Rows and row groups of a file, and its columns; its rows are not read."""
    state = FileState.of(path)
    with opened(state) as file, decoding(str(state.path)):
        groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
        edges = np.cumsum([0, *(group.num_rows for group in groups)], dtype=np.int64)
        return Part(state, label, edges), file.schema_arrow


def _kinds(part: Part, schema: Schema, names: Sequence[str]) -> list[Any]:
    """The types of the values of columns; DataError for the first that are no numbers."""
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    kinds = []
    for name in names:
        if schema.names.count(name) != 1:
            raise DataError(
                f"{part.state.path} has {counted(schema.names.count(name), 'column')} of the name "
                f"{quoted(name)}; choose others by columns=[...]."
            )
        field = schema.field(name)
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        if _is_extension(field) or not any(test(kind) for test in tests):
            raise DataError(
                f"{part.state.path}, column {quoted(name)} holds {kind}, and numbers are needed; "
                'choose others by columns=[...], or read the table into memory for metric="mixed".'
            )
        kinds.append(kind)
    return kinds


def _is_extension(field: Field) -> bool:
    """Whether a type is outside of Arrow, such as the periods of pandas, known or not."""
    is_named = b"ARROW:extension:name" in (field.metadata or {})
    return is_named or hasattr(field.type, "extension_name")
