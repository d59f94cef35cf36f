"""The rows of ``kgroups cluster`` that are read block by block, and what they are called."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgroups.blocks import RowSource, from_npy, from_parquet
from kgroups.blocks.parquet_rows import ROW_INDEX, decoding, footer_of, opened
from kgroups.blocks.row_source import FileState
from kgroups.cli.column_choice import ChosenColumns
from kgroups.cli.console import UsageError
from kgroups.cli.option_values import as_list
from kgroups.cli.streams import NPY, kind_of, parquet_files
from kgroups.cli.wording import worded
from kgroups.exceptions import DataError
from kgroups.input.table_files.table import listed, positional_names
from kgroups.text import did_you_mean, quoted

if TYPE_CHECKING:
    from pyarrow import Array

# Rows whose names are read together.
_NAMES_AT_ONCE = 1 << 18
# What is written for users of Python, and what stands for it.
_PHRASES = {
    r"Distances to a missing value are undefined: .*": (
        "Distances to a missing value are undefined: drop such rows, or fill them in, before. "
        "--impute and --metric mixed need the table in memory."
    ),
    r", or read the table into memory for metric=\"mixed\"": "",
    r"; read the table into memory for metric=\"mixed\"": (
        "; --metric mixed compares other columns, in memory"
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamSource:
    """Rows in blocks, with the names of their columns by their use."""

    rows: RowSource
    #: DATA as it was typed.
    source: str
    #: The features, as reports name them.
    features: list[str]
    dropped: list[str]
    #: The column of the names of rows, if there is one.
    id: str | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """The names of the columns by their use, as JSON has them."""
        return {"numeric": self.features, "id": self.id, "dropped": self.dropped}

    @property
    def data(self) -> dict[str, Any]:
        """What was read, as JSON has it."""
        return {
            "source": self.source,
            "n_rows": self.rows.n_rows,
            "n_columns": self.rows.n_columns,
            "fingerprint": self.rows.fingerprint(),
        }

    def ids(self) -> Iterator[list[str]]:
        """The names of the rows as text, some at a time; DataError if a file has changed."""
        for path in parquet_files(Path(self.source)):
            yield from _names_in(path, str(self.id))


def open_source(options: Namespace) -> StreamSource:
    """The rows that DATA and the options about columns choose; nothing but sizes is read."""
    if kind_of(options.data) == NPY:
        return _of_npy(options)
    return _of_parquet(options)


def _of_npy(options: Namespace) -> StreamSource:
    if options.id_column is not None:
        raise UsageError("--id-column needs names of columns, and a .npy file has none; omit it")
    rows: RowSource = from_npy(options.data)
    names = positional_names(rows.n_columns)
    for name in (*options.drop, *(options.columns or ())):
        if name not in names:
            raise DataError(
                f"{options.data} has no column {quoted(name)}: it has no header, so its columns "
                f"are named 1 to {len(names)}."
            )
    chosen = _features(names, options)
    if len(chosen) < len(names) or options.columns is not None:
        rows = ChosenColumns(rows, tuple(names.index(name) for name in chosen))
    dropped = [f"column {name}" for name in names if name not in chosen]
    features = [f"column {name}" for name in chosen]
    return StreamSource(rows=rows, source=options.data, features=features, dropped=dropped)


def _of_parquet(options: Namespace) -> StreamSource:
    columns = options.columns
    names: Sequence[str] = ()
    if columns is not None or options.drop or options.id_column is not None:
        names = _names(options.data)
        wanted = (*options.drop, *([] if options.id_column is None else [options.id_column]))
        for name in wanted:
            if name not in names:
                raise DataError(
                    f"{options.data} has no column {quoted(name)}.{did_you_mean(name, names)} Its "
                    f"columns are: {listed(names)}."
                )
        columns = _features(names if columns is None else columns, options)
    with in_words_of_stream(options):
        rows = from_parquet(options.data, columns)
    features = list(rows.names or ())
    return StreamSource(
        rows=rows,
        source=options.data,
        features=features,
        dropped=[n for n in names if n not in features and n != options.id_column],
        id=options.id_column,
    )


def _names(data: str) -> list[str]:
    """The names of the columns of a file, or of the first file of a folder that has rows."""
    footers = (footer_of(path, path.name) for path in parquet_files(Path(data)))
    first = next(footers)
    _, schema = next((f for f in (first, *footers) if f[0].n_rows > 0), first)
    return [name for name in schema.names if not ROW_INDEX.fullmatch(name)]


def _features(names: Sequence[str], options: Namespace) -> list[str]:
    """The columns that are left as features."""
    asked = names if options.columns is None else options.columns
    chosen = [name for name in asked if name not in (*options.drop, options.id_column)]
    if not chosen:
        raise DataError(f"{options.data} has no column left for features.")
    return chosen


@contextmanager
def in_words_of_stream(options: Namespace) -> Iterator[None]:
    """A block in which errors in the rows speak of options."""
    try:
        yield
    except DataError as error:
        raise DataError(_worded(str(error))) from error
    except ValueError as error:
        raise DataError(worded(_worded(str(error)), options.parser)) from error


def _worded(text: str) -> str:
    for phrase, words in _PHRASES.items():
        text = re.sub(phrase, words, text)
    return re.sub(r"columns=\[([^]]*)\]", _columns_option, text)


def _columns_option(found: re.Match[str]) -> str:
    """A list of names in Python as the option takes it."""
    names = [name.strip("'\"") for name in found[1].split(", ")]
    return f"--columns {as_list(names)}"


def _names_in(path: Path, column: str) -> Iterator[list[str]]:
    """The names of the rows of one file."""
    with opened(FileState.of(path)) as file, decoding(str(path)):
        if not file.metadata.num_rows:
            return
        if column not in file.schema_arrow.names:
            raise DataError(f"{path} has no column {quoted(column)}, which others have.")
        for batch in file.iter_batches(
            batch_size=_NAMES_AT_ONCE, columns=[column], use_threads=False
        ):
            yield as_texts(batch.column(0))


def as_texts(column: Array) -> list[str]:
    """The values of a column as text, as a table in memory has them; empty where missing."""
    from pyarrow import string, types

    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_boolean(column.type):
        return ["" if value is None else str(value) for value in column.to_pylist()]
    if types.is_floating(column.type):
        values = column.to_pylist()
        return ["" if v is None or isnan(v) else repr(v).removesuffix(".0") for v in values]
    return ["" if text is None else text for text in column.cast(string()).to_pylist()]
