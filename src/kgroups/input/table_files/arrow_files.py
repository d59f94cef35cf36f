"""Parquet, Feather and Arrow files, if pyarrow is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import SEEK_END
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files.binary import LONGEST_REASON
from kgroups.input.table_files.table import Table
from kgroups.runtime.memory import require
from kgroups.text import quoted, short

if TYPE_CHECKING:
    from pyarrow import ChunkedArray, Field, RecordBatch
    from pyarrow import Table as ArrowTable

# Names that pandas gives to columns of row numbers.
_ROW_INDEX = re.compile(r"__index_level_\d+__")
_LESS = "Write fewer rows or columns."
_FILE_SIGNATURE = b"ARROW1"
_TEXTS = ("string", "large_string", "string_view")


def read_parquet(stream: IO[bytes], source: str) -> Table:
    """Numbers and text of a Parquet file; nulls are missing values."""
    with _readable("Parquet", source):
        from pyarrow import parquet

        with parquet.ParquetFile(stream) as file:
            _check_size(file.metadata.num_rows, file.metadata.num_columns, source)
            names = [n for n in file.schema_arrow.names if not _ROW_INDEX.fullmatch(n)]
            return _table(file.read(columns=names), source)


def read_arrow(stream: IO[bytes], source: str) -> Table:
    """Numbers and text of a Feather file (version 2), or of any Arrow file or stream."""
    with _readable("Arrow", source):
        import pyarrow as pa

        begin = stream.tell()
        size = stream.seek(0, SEEK_END) - begin
        stream.seek(begin)
        require(size, what=f"Reading {source}", instead=_LESS)
        batches, schema = _batches(stream)
        read: list[RecordBatch] = []
        n_rows = 0
        for batch in batches:
            n_rows += batch.num_rows
            _check_size(n_rows, len(schema), source)
            read.append(batch)
        data = pa.Table.from_batches(read, schema)
        names = [name for name in data.column_names if not _ROW_INDEX.fullmatch(name)]
        return _table(data.select(names), source)


def _batches(stream: IO[bytes]) -> tuple[Iterator[RecordBatch], Any]:
    """The parts of a file or of a stream, one by one, and the types of the columns."""
    from pyarrow import ipc

    begin = stream.tell()
    is_file = stream.read(len(_FILE_SIGNATURE)) == _FILE_SIGNATURE
    stream.seek(begin)
    if not is_file:
        reader = ipc.open_stream(stream)
        return iter(reader), reader.schema
    file = ipc.open_file(stream)
    return (file.get_batch(i) for i in range(file.num_record_batches)), file.schema


@contextmanager
def _readable(what: str, source: str) -> Iterator[None]:
    """A block that needs pyarrow, in which its errors mean that the file is damaged."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise DataError(
            f'{source}: reading {what} needs pyarrow; run: pip install "kgroups[cli]"'
        ) from error
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if getattr(error, "errno", None) is not None:  # an error of the system, not of the file
            raise
        reason = short(error, LONGEST_REASON).rstrip(".")
        raise DataError(f"{source} cannot be read as {what}: {reason}.") from error


def _check_size(rows: int, width: int, source: str) -> None:
    """MemoryError for a table that does not fit: once as pyarrow holds it, once as float64."""
    require(
        2 * rows * width * 8,
        what=f"Reading {source}, a table of {rows} x {width},",
        instead=_LESS,
    )


def _table(data: ArrowTable, source: str) -> Table:
    from pyarrow import types

    names = tuple(data.column_names)
    columns = tuple(
        _periods(data.column(i)) if _is_period(field) else _values(data.column(i), name, source)
        for i, (name, field) in enumerate(zip(names, data.schema, strict=True))
    )
    booleans = (i for i, kind in enumerate(data.schema.types) if types.is_boolean(_plain(kind)))
    return Table(
        source=source,
        names=names,
        columns=columns,
        has_header=True,
        booleans=frozenset(booleans),
    )


def _is_period(field: Field) -> bool:
    """Whether pandas stored months, quarters or the like, as their numbers since 1970."""
    registered = getattr(field.type, "extension_name", "")
    unregistered = (field.metadata or {}).get(b"ARROW:extension:name", b"").decode()
    return "pandas.period" in (registered, unregistered)


def _periods(column: ChunkedArray) -> NDArray[Any]:
    """Periods as text, like dates: their numbers are not measurements."""
    from pyarrow import int64

    numbers = column.cast(int64()).to_pylist()
    return np.array([None if n is None else f"period {n}" for n in numbers], dtype=object)


def _plain(kind: Any) -> Any:
    """The type of the values, also of categories."""
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


def _values(column: ChunkedArray, name: str, source: str) -> NDArray[Any]:
    from pyarrow import float64, string, types

    if types.is_null(column.type):
        return np.full(len(column), np.nan)
    kind = _plain(column.type)
    if str(kind) in _TEXTS:
        return np.array(column.to_pylist(), dtype=object)
    # Dates become text, as in a CSV file: an error if they are features, and fine otherwise.
    if types.is_temporal(kind):
        return np.array(column.cast(string()).to_pylist(), dtype=object)
    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    if any(test(kind) for test in numeric):
        # Integers beyond 2^53 are rounded, as they would be in a CSV file.
        return np.asarray(column.cast(float64(), safe=False).to_numpy(), dtype=np.float64)
    raise DataError(
        f"{source}, column {quoted(name)} holds {column.type}, which is neither number nor text; "
        "convert it, or write the file without it."
    )
