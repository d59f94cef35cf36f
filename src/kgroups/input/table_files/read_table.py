"""One function for every file format: :func:`read_table`."""

import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

from kgroups.exceptions import DataError
from kgroups.input.digest import sha256_of, sha256_of_rest
from kgroups.input.table_files.arrow_files import read_arrow, read_parquet
from kgroups.input.table_files.binary import is_sparse, read_npy, read_npz
from kgroups.input.table_files.compressed import Suffixes, opened, suffixes, unpacked
from kgroups.input.table_files.delimited import delimited_fields, read_delimited
from kgroups.input.table_files.excel import excel_fields, read_excel
from kgroups.input.table_files.line_texts import lines_of_text
from kgroups.input.table_files.other_rows import Arrays, SparseRows
from kgroups.input.table_files.rereadable import rereadable
from kgroups.input.table_files.signatures import signature_of
from kgroups.input.table_files.table import Table
from kgroups.input.table_files.text_format import TextFormat
from kgroups.names import (
    COMPRESSIONS,
    JSON_SUFFIXES,
    PACKED_SUFFIXES,
    TABLE_SUFFIXES,
    TEXT_SUFFIXES,
    registered,
)
from kgroups.text import quoted

__all__ = ["Arrays", "DataError", "Rows", "SparseRows", "Table", "read_rows", "read_table"]


class _How(NamedTuple):
    """What is known of a file besides its name."""

    text: TextFormat | None
    sheet: str | None
    #: Whether each line of plain text is one text, not the fields of a row.
    whole_lines: bool = False


#: What a file may hold whose rows are clustered.
Rows: TypeAlias = Table | SparseRows | Arrays
_Reader: TypeAlias = Callable[[IO[bytes], str, _How], Rows]

_EXCEL = ".xlsx"
#: Text whose lines may be one text each.
_LINES = ".txt"
# A longer one says no more about what it is.
_FIRST_LINE = 1 << 16
# How JSON begins that is not in a file with a name.
_JSON = {b"{": ".jsonl", b"[": ".json"}
# What to do with files that are not read.
_ADVICE = {
    **dict.fromkeys((".xls", ".xlsm", ".xlsb", ".ods", ".numbers"), "save it as .xlsx or .csv"),
    **dict.fromkeys((".sav", ".dta", ".sas7bdat", ".por"), "save it as .csv or .parquet"),
    **dict.fromkeys((".rds", ".rda", ".rdata"), "save it by write.csv as .csv"),
    **dict.fromkeys((".xml", ".html"), "save it as .csv"),
    **dict.fromkeys((".pkl", ".pickle", ".h5", ".hdf5", ".mat", ".orc", ".db", ".sqlite"),
                    "save it as .csv, .npy or .parquet"),
    **dict.fromkeys((".zip", ".7z", ".rar", ".tar", ".tgz"), "unpack it and name a file in it"),
    **dict.fromkeys((".xz", ".lz4", ".z", ".lzma"), "unpack it, or compress it as .gz"),
}  # fmt: skip


def read_table(
    data: str | Path,
    *,
    least_rows: int = 2,
    digest: bool = False,
    text: TextFormat | None = None,
    sheet: str | None = None,
) -> Table:
    """The table in a file, which :func:`read_rows` reads; DataError if it holds other rows."""
    found = read_rows(data, least_rows=least_rows, digest=digest, text=text, sheet=sheet)
    if isinstance(found, SparseRows):
        raise DataError(f"{found.source} holds a sparse array, and a table is needed.")
    if isinstance(found, Arrays):
        raise DataError(f"{found.source} holds arrays, and a table is needed.")
    return found


def read_rows(
    data: str | Path,
    *,
    least_rows: int = 2,
    digest: bool = False,
    text: TextFormat | None = None,
    sheet: str | None = None,
    whole_lines: bool = False,
) -> Rows:
    """Read a file by its extension, or standard input for ``-``.

    Parameters
    ----------
    data : str or Path
        A file ending in .csv, .tsv, .npy, .npz, .parquet, .feather, .arrow, .xlsx, .jsonl, .ndjson
        or .json; or text, of these .csv, .tsv, .jsonl and .ndjson, followed by .gz, .bz2 or .zst;
        or ``-`` for CSV or TSV, or any other of these formats, which is known by how it begins.
    least_rows : int, default=2
        Fewest rows that the table may have: 1 for a sample, 2 for a table to be clustered.
    digest : bool, default=False
        Whether the table tells the SHA-256 of the bytes that it was read from, as they are on the
        disk.
    text : TextFormat, optional
        How the file is written, if it is text.
    sheet : str, optional
        The sheet of an Excel workbook; by default the first one.
    whole_lines : bool, default=False
        Whether a .txt file and plain text from standard input hold one text on each line.

    Returns
    -------
    Table, SparseRows or Arrays
        Sparse rows from a .npz file that :func:`scipy.sparse.save_npz` wrote, arrays from JSON.

    Raises
    ------
    DataError
        If the file does not hold at least that many rows.
    MemoryError
        Before reading, or while reading what does not state its size, if the table would not fit in
        memory.
    """
    how = _How(text, sheet, whole_lines)
    source = "standard input" if str(data) == "-" else str(data)
    try:
        if str(data) == "-":
            table = _read_standard_input(source, how, digest=digest)
        else:
            table = _read_file(Path(data), source, how, digest=digest)
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror or error}.") from error
    if not table.n_columns:
        raise DataError(f"{table.source} has no columns; it must have at least 1.")
    if table.n_rows < least_rows:
        found = "1 row" if table.n_rows == 1 else "no rows"
        raise DataError(f"{table.source} has {found}; it must have at least {least_rows}.")
    return table


# --- files -----------------------------------------------------------------------------------


def _read_file(path: Path, source: str, how: _How, *, digest: bool) -> Rows:
    kind = _checked_kind(path, source)
    with path.open("rb") as stream:
        if kind in (*TEXT_SUFFIXES, *JSON_SUFFIXES) and not suffixes(path).compression:
            _check_is_text(stream, path, source)
    with opened(path, source) as stream:
        table = _READERS[kind](stream, source, how)
    if kind in TEXT_SUFFIXES and isinstance(table, Table) and table.text is not None:
        again = partial(_fields, path, source, _with_delimiter(how, kind), table.has_header)
        table = replace(table, reread=again)
    elif kind == _EXCEL and isinstance(table, Table):
        text = how.text or TextFormat()
        again = partial(excel_fields, path, source, text, how.sheet, table.has_header)
        table = replace(table, reread=again)
    return replace(table, sha256=sha256_of(path)) if digest else table


def _fields(path: Path, source: str, text: TextFormat, has_header: bool) -> Iterator[list[str]]:
    """The fields of each row of a text file once more."""
    with opened(path, source) as stream:
        yield from delimited_fields(stream, source, text, has_header)


def _checked_kind(path: Path, source: str) -> str:
    """The extension that says how a file is read."""
    if path.is_dir():
        raise DataError(f"{source} is a folder; name a file in it.")
    if not path.exists():
        raise DataError(f"{source} does not exist.")
    if not path.is_file():  # a named pipe without a writer would be waited for without end
        raise DataError(
            f"{source} is not a regular file; write - and redirect it, as in < {source}."
        )
    found = suffixes(path)
    if found.compression:
        _check_compressed(path, found, source)
    elif found.format not in _READERS:
        said = f"the extension {quoted(path.suffix)}" if path.suffix else "no extension"
        advice = f"{_ADVICE[found.format]}. Supported" if found.format in _ADVICE else "supported"
        raise DataError(
            f"{source} has {said}; {advice} are {', '.join(_READERS)}, also "
            f"{', '.join(COMPRESSIONS)} after {' and '.join(PACKED_SUFFIXES)}, and - for standard "
            "input."
        )
    return found.format


def _check_compressed(path: Path, found: Suffixes, source: str) -> None:
    """DataError for what is compressed and is not text."""
    if found.format in PACKED_SUFFIXES:
        return
    both = [f"{suffix}{found.compression}" for suffix in PACKED_SUFFIXES]
    if not found.format or found.format not in (*_READERS, *_ADVICE):
        raise DataError(
            f"{source} does not say what is compressed; if it is text, name it {' or '.join(both)}."
        )
    raise DataError(
        f"{source} is compressed {found.format}, and only text is read compressed "
        f"({' or '.join(both)}); unpack it."
    )


def _check_is_text(stream: IO[bytes], path: Path, source: str) -> None:
    """DataError for a file of another format that has the name of a text file."""
    found = signature_of(stream)
    if found is None:
        return
    if found.suffix in COMPRESSIONS:
        advice = f"name it {path.name}{found.suffix}"
    elif found.suffix == ".npz" and _is_workbook(stream):
        raise DataError(f"{source} is not text, but a workbook; give it the extension {_EXCEL}.")
    else:
        advice = _ADVICE.get(found.suffix) or f"give it the extension {found.suffix}"
    raise DataError(f"{source} is not text, but {found.name}; {advice}.")


# --- standard input --------------------------------------------------------------------------


@contextmanager
def standard_input(source: str) -> Iterator[IO[bytes]]:
    """What is left of standard input, as a stream that can be read again."""
    if sys.stdin is None:  # as Python begins where the shell was told <&-
        raise DataError(f"{source} is closed; name a file instead of -.")
    with rereadable(sys.stdin.buffer, source) as stream:
        yield stream


def _read_standard_input(source: str, how: _How, *, digest: bool) -> Rows:
    with standard_input(source) as stream:
        begin = stream.tell()
        sha256 = sha256_of_rest(stream) if digest else None
        stream.seek(begin)
        kind, compression = _kind_of(stream, source)
        content = unpacked(stream, compression, source)
        if kind == ".csv":
            kind = _kind_of_text(content, how)
        return replace(_READERS[kind](content, source, how), sha256=sha256)


def _kind_of(stream: IO[bytes], source: str) -> Suffixes:
    """The extensions that the content of a stream would have; CSV stands for any text."""
    found = signature_of(stream)
    if found is None:
        return Suffixes(".csv", "")
    if found.suffix in COMPRESSIONS:
        return Suffixes(".csv", found.suffix)
    if found.suffix == ".npz" and _is_workbook(stream):
        return Suffixes(_EXCEL, "")
    if found.suffix not in _READERS:
        advice = _ADVICE.get(found.suffix, "only tables are read")
        raise DataError(f"{source} holds {found.name}; {advice}.")
    return Suffixes(found.suffix, "")


def _kind_of_text(stream: IO[bytes], how: _How) -> str:
    """The extension that text would have: JSON, whole lines, or fields between delimiters."""
    begin = stream.tell()
    first = stream.readline(_FIRST_LINE)
    stream.seek(begin)
    if how.whole_lines:
        return ".jsonl" if _is_json_text(first) else _LINES
    return _JSON.get(first[:1], ".csv")


def _is_json_text(line: bytes) -> bool:
    """Whether a line is a text as JSON writes it, not one that begins with a quotation."""
    try:
        return line[:1] in b'{["' and isinstance(json.loads(line), (str, dict))
    except ValueError:
        return False


def _is_workbook(stream: IO[bytes]) -> bool:
    begin = stream.tell()
    try:
        with zipfile.ZipFile(stream) as archive:
            return any(name.startswith("xl/") for name in archive.namelist())
    except zipfile.BadZipFile:
        return False
    finally:
        stream.seek(begin)


# --- formats ---------------------------------------------------------------------------------


def _text_reader(suffix: str) -> _Reader:
    """A reader of text whose extension may give the delimiter."""

    def read(stream: IO[bytes], source: str, how: _How) -> Table:
        """The table; DataError for options of other formats."""
        _check_no_sheet(source, how)
        if how.whole_lines and suffix == _LINES:
            _check_plain(source, how)
            return lines_of_text(stream, source)
        return read_delimited(stream, source, _with_delimiter(how, suffix))

    return read


def _with_delimiter(how: _How, suffix: str) -> TextFormat:
    text = how.text or TextFormat()
    return replace(text, delimiter=text.delimiter or _DELIMITERS.get(suffix))


def _sheet(stream: IO[bytes], source: str, how: _How) -> Table:
    if how.text is not None and (how.text.delimiter or how.text.encoding):
        raise DataError(f"{source} is not a text file; omit --delimiter and --encoding.")
    return read_excel(stream, source, how.text, how.sheet)


def _plain(read: Callable[[IO[bytes], str], Rows]) -> _Reader:
    """A reader of a format that needs no options."""

    def checked(stream: IO[bytes], source: str, how: _How) -> Rows:
        """The rows; DataError for options of other formats."""
        _check_no_sheet(source, how)
        _check_plain(source, how)
        return read(stream, source)

    return checked


def _check_plain(source: str, how: _How) -> None:
    if how.text is not None and replace(how.text, as_text=()) != TextFormat():
        raise DataError(
            f"{source} is not text with delimiters; omit --delimiter, --decimal, --na-values, "
            "--encoding and --skip-lines."
        )


def _npz(stream: IO[bytes], source: str) -> Table | SparseRows:
    """A dense array, or a sparse one; the code for these is loaded where it is needed."""
    if not is_sparse(stream):
        return read_npz(stream, source)
    from kgroups.input.table_files.sparse_npz import read_sparse_npz

    return read_sparse_npz(stream, source)


def _json(stream: IO[bytes], source: str) -> Table | Arrays:
    from kgroups.input.table_files.json_files import read_json

    return read_json(stream, source)


def _json_lines(stream: IO[bytes], source: str) -> Table | Arrays:
    from kgroups.input.table_files.json_files import read_json_lines

    return read_json_lines(stream, source)


def _check_no_sheet(source: str, how: _How) -> None:
    if how.sheet is not None:
        raise DataError(f"{source} has no sheets, as {_EXCEL} files have; omit --sheet.")


_DELIMITERS = {".tsv": "\t"}

_READERS: dict[str, _Reader] = registered(
    TABLE_SUFFIXES,
    {
        ".csv": _text_reader(".csv"),
        ".tsv": _text_reader(".tsv"),
        ".txt": _text_reader(".txt"),
        ".npy": _plain(read_npy),
        ".npz": _plain(_npz),
        ".parquet": _plain(read_parquet),
        ".feather": _plain(read_arrow),
        ".arrow": _plain(read_arrow),
        _EXCEL: _sheet,
        ".jsonl": _plain(_json_lines),
        ".ndjson": _plain(_json_lines),
        ".json": _plain(_json),
    },
)
