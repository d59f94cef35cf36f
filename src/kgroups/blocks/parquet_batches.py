"""Opening Parquet files and decoding them in order, a few thousand rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.blocks.file_state import FileState
from kgroups.exceptions import DataError
from kgroups.input.table_files.binary import LONGEST_REASON
from kgroups.text import short
from kgroups.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from pyarrow import Array, RecordBatch
    from pyarrow.parquet import ParquetFile

# Rows that are decoded together: their copy from columns to rows stays in the processor's cache.
_ROWS_AT_ONCE = 1 << 13
# Without a buffer, pyarrow would read the columns of a whole row group before it decodes one row.
_BUFFER = 1 << 16


@dataclass(frozen=True, eq=False)
class Part:
    """One file of a table: how messages call it, and at which of its rows row groups begin."""

    state: FileState
    label: str
    #: Of shape (row groups + 1,), from 0 to the number of rows.
    group_edges: IntArray

    @property
    def n_rows(self) -> int:
        """Number of rows in the file."""
        return int(self.group_edges[-1])

    @property
    def n_groups(self) -> int:
        """Number of row groups in the file."""
        return len(self.group_edges) - 1

    def group_of(self, row: int) -> int:
        """The row group that holds a row of the file."""
        return int(np.searchsorted(self.group_edges, row, side="right")) - 1


@contextmanager
def opened(state: FileState) -> Iterator[ParquetFile]:
    """A Parquet file whose footer has been read; DataError if it changed or is damaged."""
    state.check()
    with decoding(str(state.path)):
        import pyarrow as pa
        from pyarrow import parquet

        source = pa.OSFile(str(state.path))
    with source:
        with decoding(str(state.path)):
            file = parquet.ParquetFile(
                source,
                memory_map=False,
                pre_buffer=False,
                buffer_size=_BUFFER,
                page_checksum_verification=True,
            )
        with file:
            yield file


@contextmanager
def decoding(place: str) -> Iterator[None]:
    """A block that needs pyarrow, in which its errors mean that the file is damaged."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise DataError('reading Parquet needs pyarrow; run: pip install "kgroups[cli]"') from error
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if getattr(error, "errno", None) is not None:  # an error of the system, not of the file
            raise
        reason = short(error, LONGEST_REASON).rstrip(".")
        raise DataError(f"{place} cannot be read as Parquet: {reason}.") from error


def batches_from(
    parts: Sequence[Part], names: Sequence[str], part: int, group: int
) -> Iterator[RecordBatch]:
    """All rows from the beginning of a row group on, over the following files too."""
    for following in parts[part:]:
        if group < following.n_groups:
            with opened(following.state) as file:
                for number in range(group, following.n_groups):
                    yield from _batches_of_group(file, following, names, number)
        group = 0


def _batches_of_group(
    file: ParquetFile, part: Part, names: Sequence[str], group: int
) -> Iterator[RecordBatch]:
    """The rows of one row group; DataError if it is damaged or has other rows than announced."""
    part.state.check()
    place = f"{part.state.path}, row group {group},"
    announced = int(part.group_edges[group + 1] - part.group_edges[group])
    found = 0
    with decoding(place):
        for batch in file.iter_batches(
            batch_size=_ROWS_AT_ONCE, row_groups=[group], columns=list(names), use_threads=False
        ):
            found += batch.num_rows
            yield batch
    if found != announced:
        raise DataError(
            f"{place} cannot be read as Parquet: it has {found:,} rows, and {announced:,} were "
            "announced."
        )


def copy_columns(batch: RecordBatch, names: Sequence[str], out: FloatArray, start: int) -> None:
    """Write the rows of a batch from ``start`` on into ``out``, as many as it has."""
    stop = start + len(out)
    for j, name in enumerate(names):
        out[:, j] = _numbers(batch.column(name))[start:stop]


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
