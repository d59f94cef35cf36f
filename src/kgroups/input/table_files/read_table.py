"""One function for every file format: :func:`read_table`."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from kgroups.exceptions import DataError
from kgroups.input.digest import sha256_of, sha256_of_rest
from kgroups.input.table_files.binary import read_npy, read_npz
from kgroups.input.table_files.delimited import delimited_fields, read_delimited, rereadable
from kgroups.input.table_files.parquet import read_parquet
from kgroups.input.table_files.table import Table
from kgroups.input.table_files.text_format import TextFormat
from kgroups.names import TABLE_SUFFIXES, registered
from kgroups.text import quoted

_Reader: TypeAlias = Callable[[Path, str, TextFormat | None], Table]

__all__ = ["DataError", "Table", "read_table"]


def read_table(
    data: str | Path,
    *,
    least_rows: int = 2,
    digest: bool = False,
    text: TextFormat | None = None,
) -> Table:
    """Read a file by its extension, or CSV or TSV from standard input for ``-``.

    Parameters
    ----------
    data : str or Path
        A file ending in .csv, .tsv, .npy, .npz or .parquet, or ``-``.
    least_rows : int, default=2
        Fewest rows that the table may have: 1 for a sample, 2 for a table to be clustered.
    digest : bool, default=False
        Whether the table tells the SHA-256 of the bytes that it was read from.
    text : TextFormat, optional
        How the file is written, if it is text.

    Raises
    ------
    DataError
        If the file is not a table with at least that many rows.
    MemoryError
        Before reading, if the table would not fit in memory.
    """
    table = _read(str(data), digest=digest, text=text)
    if not table.columns:
        raise DataError(f"{table.source} has no columns; it must have at least 1.")
    if table.n_rows < least_rows:
        found = "1 row" if table.n_rows == 1 else "no rows"
        raise DataError(f"{table.source} has {found}; it must have at least {least_rows}.")
    return table


def _read(data: str, *, digest: bool, text: TextFormat | None) -> Table:
    source, reader = (data, _read_file) if data != "-" else ("standard input", _read_standard_input)
    try:
        return reader(source, digest=digest, text=text)
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror or error}.") from error


def _read_file(source: str, *, digest: bool, text: TextFormat | None) -> Table:
    path = Path(source)
    table = _reader(path, source)(path, source, text)
    return replace(table, sha256=sha256_of(path)) if digest else table


def _read_standard_input(source: str, *, digest: bool, text: TextFormat | None) -> Table:
    if sys.stdin is None:  # as Python begins where the shell was told <&-
        raise DataError(f"{source} is closed; name a file instead of -.")
    if not digest:
        return read_delimited(sys.stdin.buffer, source, text)
    with rereadable(sys.stdin.buffer) as stream:
        begin = stream.tell()
        sha256 = sha256_of_rest(stream)
        stream.seek(begin)
        return replace(read_delimited(stream, source, text), sha256=sha256)


def _reader(path: Path, source: str) -> _Reader:
    if path.is_dir():
        raise DataError(f"{source} is a folder; name a file in it.")
    if not path.exists():
        raise DataError(f"{source} does not exist.")
    if not path.is_file():  # a named pipe without a writer would be waited for without end
        raise DataError(
            f"{source} is not a regular file; write - and redirect it, as in < {source}."
        )
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        found = f"the extension {quoted(path.suffix)}" if path.suffix else "no extension"
        raise DataError(
            f"{source} has {found}; supported are {', '.join(_READERS)}, and - for CSV or TSV on "
            "standard input."
        )
    return reader


def _read_text(
    path: Path, source: str, text: TextFormat | None, delimiter: str | None = None
) -> Table:
    text = text or TextFormat()
    text = replace(text, delimiter=text.delimiter or delimiter)
    with path.open("rb") as stream:
        table = read_delimited(stream, source, text)
    return replace(table, reread=partial(_fields, path, source, text, table.has_header))


def _fields(path: Path, source: str, text: TextFormat, has_header: bool) -> Iterator[list[str]]:
    with path.open("rb") as stream:
        yield from delimited_fields(stream, source, text, has_header)


def _not_text(read: Callable[[Path, str], Table]) -> _Reader:
    """A reader of files for which options of text files mean nothing."""

    def checked(path: Path, source: str, text: TextFormat | None) -> Table:
        """The table; DataError if the format of text was given."""
        if text is not None:
            raise DataError(
                f"{source} is not a text file; omit --delimiter, --decimal, --na-values and "
                "--encoding."
            )
        return read(path, source)

    return checked


_READERS: dict[str, _Reader] = registered(
    TABLE_SUFFIXES,
    {
        ".csv": _read_text,
        ".tsv": partial(_read_text, delimiter="\t"),
        ".npy": _not_text(read_npy),
        ".npz": _not_text(read_npz),
        ".parquet": _not_text(read_parquet),
    },
)
