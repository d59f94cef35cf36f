"""Parquet files, if pyarrow is installed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files.binary import LONGEST_REASON
from kgroups.input.table_files.table import Table
from kgroups.runtime.memory import require
from kgroups.text import quoted, short

if TYPE_CHECKING:
    from pyarrow import ChunkedArray

# Names that pandas gives to columns of row numbers.
_ROW_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(path: Path, source: str) -> Table:
    """Numbers and text of a Parquet file; nulls are missing values."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise DataError(
            f'{source}: reading Parquet needs pyarrow; run: pip install "kgroups[cli]"'
        ) from error
    try:
        with parquet.ParquetFile(path) as file:
            rows, width = file.metadata.num_rows, file.metadata.num_columns
            require(
                2 * rows * width * 8,
                what=f"Reading {source}, a table of {rows} x {width},",
                instead="Write fewer rows or columns.",
            )
            names = [n for n in file.schema_arrow.names if not _ROW_INDEX.fullmatch(n)]
            data = file.read(columns=names)
        booleans = (i for i, kind in enumerate(data.schema.types) if pa.types.is_boolean(kind))
        columns = tuple(_values(data.column(i), name, source) for i, name in enumerate(names))
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise DataError(
            f"{source} cannot be read as Parquet: {short(error, LONGEST_REASON)}."
        ) from error
    return Table(
        source=source,
        names=tuple(names),
        columns=columns,
        has_header=True,
        booleans=frozenset(booleans),
    )


def _values(column: ChunkedArray, name: str, source: str) -> NDArray[Any]:
    from pyarrow import float64, string, types

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    # Dates become text, as in a CSV file: an error if they are features, and fine otherwise.
    if types.is_string(kind) or types.is_large_string(kind) or types.is_temporal(kind):
        return np.array(column.cast(string()).to_pylist(), dtype=object)
    numeric = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    if any(test(kind) for test in numeric):
        # Integers beyond 2^53 are rounded, as they would be in a CSV file.
        return np.asarray(column.cast(float64(), safe=False).to_numpy(), dtype=np.float64)
    raise DataError(
        f"{source}, column {quoted(name)} holds {column.type}, which is neither number nor text; "
        "convert it, or write the file without it."
    )
