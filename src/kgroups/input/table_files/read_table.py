"""One function for every file format: :func:`read_table`."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from kgroups.exceptions import DataError
from kgroups.input.digest import sha256_of, sha256_of_rest
from kgroups.input.table_files.binary import read_npy, read_npz
from kgroups.input.table_files.delimited import delimited_fields, read_delimited, rereadable
from kgroups.input.table_files.parquet import read_parquet
from kgroups.input.table_files.table import Table
from kgroups.names import TABLE_SUFFIXES, registered
from kgroups.text import quoted

__all__ = ["DataError", "Table", "read_table"]


def read_table(data: str | Path, *, least_rows: int = 2, digest: bool = False) -> Table:
    """Read a file by its extension, or CSV or TSV from standard input for ``-``.

    Parameters
    ----------
    data : str or Path
        A file ending in .csv, .tsv, .npy, .npz or .parquet, or ``-``.
    least_rows : int, default=2
        Fewest rows that the table may have: 1 for a sample, 2 for a table to be clustered.
    digest : bool, default=False
        Whether the table tells the SHA-256 of the bytes that it was read from.

    Raises
    ------
    DataError
        If the file is not a table with at least that many rows.
    MemoryError
        Before reading, if the table would not fit in memory.
    """
    table = _read(str(data), digest=digest)
    if not table.columns:
        raise DataError(f"{table.source} has no columns; it must have at least 1.")
    if table.n_rows < least_rows:
        found = "1 row" if table.n_rows == 1 else "no rows"
        raise DataError(f"{table.source} has {found}; it must have at least {least_rows}.")
    return table


def _read(data: str, *, digest: bool) -> Table:
    source, reader = (data, _read_file) if data != "-" else ("standard input", _read_standard_input)
    try:
        return reader(source, digest=digest)
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror or error}.") from error


def _read_file(source: str, *, digest: bool) -> Table:
    path = Path(source)
    table = _reader(path, source)(path, source)
    return replace(table, sha256=sha256_of(path)) if digest else table


def _read_standard_input(source: str, *, digest: bool) -> Table:
    if sys.stdin is None:  # as Python begins where the shell was told <&-
        raise DataError(f"{source} is closed; name a file instead of -.")
    if not digest:
        return read_delimited(sys.stdin.buffer, source)
    with rereadable(sys.stdin.buffer) as stream:
        begin = stream.tell()
        sha256 = sha256_of_rest(stream)
        stream.seek(begin)
        return replace(read_delimited(stream, source), sha256=sha256)


def _reader(path: Path, source: str) -> Callable[[Path, str], Table]:
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


def _read_text(path: Path, source: str, delimiter: str | None = None) -> Table:
    with path.open("rb") as stream:
        table = read_delimited(stream, source, delimiter)
    reread = partial(delimited_fields, path, source, delimiter, table.has_header)
    return replace(table, reread=reread)


_READERS: dict[str, Callable[[Path, str], Table]] = registered(
    TABLE_SUFFIXES,
    {
        ".csv": _read_text,
        ".tsv": partial(_read_text, delimiter="\t"),
        ".npy": read_npy,
        ".npz": read_npz,
        ".parquet": read_parquet,
    },
)
