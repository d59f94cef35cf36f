"""CSV and TSV, read in chunks of rows so that memory is that of the parsed table.

Numbers are kept as float64 and their text is dropped. Only at the end is it certain which columns
are text, so a file with text is read a second time, for those columns alone. Standard input and
pipes, which cannot be read twice, are copied to a temporary file first.

pyarrow would read three to four times as fast. But it accepts what is refused here (text after a
closing quote, blank lines, bytes that are not UTF-8), its messages count rows instead of lines, and
it would be needed for every CSV file.
"""

import csv
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files.table import Table, positional_names
from kgroups.typing import Float64Array

#: Fields that stand for a missing value.
MISSING = frozenset({"", "NA", "NaN", "nan", "null", "?"})

# If a line splits into equally many fields by several of them, the first is taken.
_DELIMITERS = (",", "\t", ";")
_ROWS_AT_ONCE = 4_096
_BYTES_IN_MEMORY = 1 << 24
_LONGEST_LINE = 1 << 25
# Each column takes some hundred bytes besides its numbers.
_MOST_COLUMNS = 1_000_000


class Row(NamedTuple):
    """The fields of a row and the line on which it begins."""

    line: int
    fields: list[str]


def read_delimited(stream: IO[bytes], source: str, delimiter: str | None = None) -> Table:
    """A table from UTF-8 text, with fields separated by ``delimiter``.

    Without ``delimiter`` it is the comma, tab or semicolon that gives the first line most fields.
    The first line is a header unless each of its fields is a number or a missing value.
    """
    with rereadable(stream) as again:
        return _File(again, source, delimiter).table()


@contextmanager
def rereadable(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """The stream itself if it can be read again; a pipe is copied, to a file if it is long."""
    if stream.seekable():
        yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=_BYTES_IN_MEMORY) as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy


def delimited_fields(
    path: Path, source: str, delimiter: str | None, has_header: bool
) -> Iterator[list[str]]:
    """The fields of each row of a file as they stand there, without the header."""
    with path.open("rb") as stream:
        rows = _File(stream, source, delimiter).rows()
        if has_header:
            next(rows, None)
        for row in rows:
            yield row.fields


@dataclass
class _File:
    """A file that can be read from its start several times."""

    stream: IO[bytes]
    source: str
    delimiter: str | None

    def __post_init__(self) -> None:
        # Another command may have read the first lines of standard input.
        self.start = self.stream.tell()

    def table(self) -> Table:
        """The whole file as columns."""
        first = next(self.rows(), None)
        if first is None:
            raise DataError(f"{self.source} is empty.")
        has_header = to_numbers(first.fields) is None
        names = positional_names(len(first.fields))
        if has_header:
            names = tuple(field.strip() or i for field, i in zip(first.fields, names, strict=True))
        lines, columns = self._numeric(has_header, len(names))
        if not lines:
            raise DataError(f"{self.source} has column names but no rows.")
        columns |= self._text(has_header, [c for c in range(len(names)) if c not in columns])
        return Table(
            source=self.source,
            names=names,
            columns=tuple(columns[c] for c in range(len(names))),
            has_header=has_header,
            lines=np.array(lines, np.int64),
            unnamed=tuple(i for i, f in enumerate(first.fields) if has_header and not f.strip()),
            notes=_notes(first.fields, has_header),
        )

    def _numeric(
        self, has_header: bool, n_columns: int
    ) -> tuple[list[int], dict[int, NDArray[Any]]]:
        """The line of each row, and the columns that hold only numbers."""
        lines: list[int] = []
        parts: dict[int, list[Float64Array]] = {c: [np.empty(0)] for c in range(n_columns)}
        for chunk in self._chunks(has_header):
            lines.extend(row.line for row in chunk)
            for column in list(parts):
                numbers = to_numbers([row.fields[column] for row in chunk])
                if numbers is None:
                    del parts[column]
                else:
                    parts[column].append(numbers)
        return lines, {column: np.concatenate(pieces) for column, pieces in parts.items()}

    def _text(self, has_header: bool, columns: list[int]) -> dict[int, NDArray[Any]]:
        """Some columns as text, None for missing values; without columns nothing is read again."""
        texts: dict[int, list[str | None]] = {c: [] for c in columns}
        for chunk in self._chunks(has_header) if columns else ():
            for column, values in texts.items():
                fields = (row.fields[column].strip() for row in chunk)
                values.extend(None if field in MISSING else field for field in fields)
        return {column: np.array(values, dtype=object) for column, values in texts.items()}

    def _chunks(self, has_header: bool) -> Iterator[list[Row]]:
        rows = self.rows()
        if has_header:
            next(rows)
        while chunk := list(islice(rows, _ROWS_AT_ONCE)):
            yield chunk

    def rows(self) -> Iterator[Row]:
        """All rows, checked for equal length; blank lines at the end are ignored."""
        self.stream.seek(self.start)
        blank: int | None = None
        first: Row | None = None
        for row in self._parsed(_decoded(self.stream, self.source)):
            if not row.fields:
                blank = blank or row.line
                continue
            first = first or row
            if blank is not None:
                raise DataError(
                    f"{self.source}, line {blank} is blank; remove it, or write NA for a missing "
                    "value."
                )
            if len(row.fields) != len(first.fields):
                raise DataError(
                    f"{self.source}, line {row.line}: found {len(row.fields)} fields, expected "
                    f"{len(first.fields)} as in line {first.line}. Text that contains the "
                    "delimiter must be in double quotes."
                )
            yield row

    def _parsed(self, lines: Iterator[str]) -> Iterator[Row]:
        head, line = next(lines, ""), 1
        try:
            reader = csv.reader(
                chain([head], lines),
                delimiter=self.delimiter or _sniffed(head),
                skipinitialspace=True,
                strict=True,
            )
            for fields in reader:
                yield Row(line, fields)
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"{self.source}, line {line}: {_explained(error)}") from error


def to_numbers(fields: Sequence[str]) -> Float64Array | None:
    """The fields as numbers, NaN for missing ones; None if one of them is neither."""
    if any("_" in field for field in fields):  # float() would read the identifier 12_34 as 1234
        return None
    try:
        return np.array([_number(field) for field in fields])
    except ValueError:
        return None


def _number(field: str) -> float:
    try:
        return float(field)
    except ValueError:
        if field.strip() in MISSING:
            return float("nan")
        raise


def _decoded(stream: IO[bytes], source: str) -> Iterator[str]:
    """Lines as text, without the byte order mark; a line of spaces counts as blank."""
    offset = 0
    for number, raw in enumerate(iter(lambda: stream.readline(_LONGEST_LINE), b""), start=1):
        if len(raw) == _LONGEST_LINE:
            raise DataError(f"{source}, line {number} is longer than 32 MiB; this is not a table.")
        _check_width(raw, f"{source}, line {number}")
        try:
            line = raw.decode("utf-8").removeprefix("\ufeff" if number == 1 else "")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{source}, line {number}: byte {offset + error.start} of the file "
                f"(0x{raw[error.start]:02x}) is not UTF-8 text; save the file as UTF-8."
            ) from error
        yield line if line.strip(" \r\n") else "\n"
        offset += len(raw)


def _check_width(line: bytes, where: str) -> None:
    """DataError for more columns than can be kept apart, before the line is split."""
    if len(line) < _MOST_COLUMNS:
        return
    n_fields = 1 + max(line.count(delimiter.encode()) for delimiter in _DELIMITERS)
    if n_fields > _MOST_COLUMNS:
        raise DataError(
            f"{where} has {n_fields:,} fields; text may have {_MOST_COLUMNS:,} columns at most. "
            "Save so wide a table as .npy."
        )


def _sniffed(line: str) -> str:
    """The delimiter that splits a line into most fields."""

    def n_fields(delimiter: str) -> int:
        """Number of fields of the line with this delimiter."""
        try:
            return len(next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), []))
        except csv.Error:  # the whole line is one field, longer than csv allows
            return 1

    return max(_DELIMITERS, key=n_fields)


def _notes(first: Sequence[str], has_header: bool) -> tuple[str, ...]:
    numbering = [str(i) for i in range(len(first))]
    if not has_header and len(first) > 1 and [field.strip() for field in first] == numbering:
        return (
            f"the first line, {', '.join(numbering[:3])}{', …' if len(first) > 3 else ''}, is "
            "read as a row of data; if it numbers the columns, remove it or write names instead",
        )
    numeric = sum(
        field.strip() not in MISSING and to_numbers([field]) is not None for field in first
    )
    if not has_header or not numeric:
        return ()
    return (
        f"the first line is read as column names, although {numeric} of its {len(first)} fields "
        "are numbers; if it is data, add a line of names above it",
    )


def _explained(error: csv.Error) -> str:
    if "field larger" in str(error):
        return (
            f"a field is longer than {csv.field_size_limit():,} characters; "
            "perhaps a closing quote is missing."
        )
    if "unexpected end" in str(error):
        return "the file ends inside a quoted field that starts in this row; close the quote."
    if "new-line" in str(error):
        return "there is a carriage return inside a line; save the file with LF or CRLF endings."
    return f"{error}."
