"""CSV and TSV, read in chunks of rows so that memory is that of the parsed table.

Numbers are kept as float64 and their text is dropped. Only at the end is it certain which columns
are text, so a file with text is read a second time, for those columns alone. Among them are those
with decimal commas and those of True and False. Standard input and pipes, which cannot be read
twice, are copied to a temporary file first.

pyarrow would read three to four times as fast. But it accepts what is refused here (text after a
closing quote, blank lines, bytes that are not UTF-8), its messages count rows instead of lines, and
it would be needed for every CSV file.
"""

import csv
import shutil
import tempfile
from codecs import BOM_UTF8, lookup
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from io import TextIOWrapper
from itertools import islice
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files.numerals import (
    decimal_commas,
    is_number,
    points_may_group,
    to_numbers,
    truths,
)
from kgroups.input.table_files.sniffing import (
    DELIMITERS,
    IN_WORDS,
    first_lines,
    is_utf16,
    sniffed,
)
from kgroups.input.table_files.table import Table, listed, positional_names
from kgroups.input.table_files.text_format import MISSING, TextFormat, TextFound
from kgroups.typing import Float64Array

_ROWS_AT_ONCE = 4_096
_BYTES_IN_MEMORY = 1 << 24
_LONGEST_LINE = 1 << 25
# Each column takes some hundred bytes besides its numbers.
_MOST_COLUMNS = 1_000_000
# Encodings in which the byte of a line feed may be part of another character.
_WIDE = ("utf-16", "utf-32")
# What a file is likely to be that is not what it was taken for.
_OTHER_ENCODING = {"utf-8": "latin-1"}


class Row(NamedTuple):
    """The fields of a row and the line on which it begins."""

    line: int
    fields: list[str]


def read_delimited(stream: IO[bytes], source: str, text: TextFormat | None = None) -> Table:
    """A table from text, written as ``text`` says; what that leaves open is found out.

    The delimiter is the one of comma, tab, semicolon and vertical bar that splits all of the first
    lines alike. The first line is a header unless each of its fields is a number or a missing
    value. A column has decimal commas if it cannot be read otherwise.
    """
    with rereadable(stream) as again:
        return _File.opened(again, source, text or TextFormat()).table()


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
    stream: IO[bytes], source: str, text: TextFormat, has_header: bool
) -> Iterator[list[str]]:
    """The fields of each row of a file as they stand there, without the header."""
    rows = _File.opened(stream, source, text).rows()
    if has_header:
        next(rows, None)
    for row in rows:
        yield row.fields


@dataclass
class _File:
    """A file that can be read from its start several times, and how it is written."""

    stream: IO[bytes]
    source: str
    asked: TextFormat
    start: int

    @classmethod
    def opened(cls, stream: IO[bytes], source: str, asked: TextFormat) -> Self:
        """The file at its present position; another command may have read the lines before."""
        return cls(stream, source, asked, stream.tell())

    @cached_property
    def text(self) -> TextFormat:
        """What was asked for, with the delimiter found out where it was not."""
        if self.asked.delimiter is not None:
            return self.asked
        delimiter = sniffed(first_lines(self._lines()), self.asked.decimal)
        return replace(self.asked, delimiter=delimiter)

    @cached_property
    def encoding(self) -> str:
        """The encoding: UTF-8, unless another was asked for or the file begins as UTF-16."""
        if self.asked.encoding is not None:
            return self.asked.encoding
        self.stream.seek(self.start)
        return "utf-16" if is_utf16(self.stream.read(2)) else "utf-8"

    def table(self) -> Table:
        """The whole file as columns."""
        first = next(self.rows(), None)
        if first is None:
            raise DataError(f"{self.source} is empty.")
        has_header = not all(is_number(field) for field in self.asked.present(first.fields))
        names = positional_names(len(first.fields))
        if has_header:
            names = tuple(field.strip() or i for field, i in zip(first.fields, names, strict=True))
        lines, numeric = self._numeric(has_header, len(names))
        if not lines:
            raise DataError(f"{self.source} has column names but no rows.")
        texts = self._text(has_header, [c for c in range(len(names)) if c not in numeric])
        booleans = {c: v for c, v in ((c, truths(t)) for c, t in texts.items()) if v is not None}
        commas = self._decimal_commas(texts)
        if commas:
            texts |= self._text(has_header, self._ambiguous(has_header, list(numeric)))
        arrays = {column: np.array(values, dtype=object) for column, values in texts.items()}
        columns = {**numeric, **arrays, **booleans, **commas}
        found = self._found([names[c] for c in commas])
        return Table(
            source=self.source,
            names=names,
            columns=tuple(columns[c] for c in range(len(names))),
            has_header=has_header,
            lines=np.array(lines, np.int64),
            unnamed=tuple(i for i, f in enumerate(first.fields) if has_header and not f.strip()),
            booleans=frozenset(booleans),
            text=found,
            notes=tuple(filter(None, (self._on_format(found), _on_first(first, has_header)))),
        )

    def _found(self, commas: Sequence[str]) -> TextFound:
        """How the file was read."""
        return TextFound(
            delimiter=str(self.text.delimiter),
            encoding=self.encoding,
            decimal=self.asked.decimal,
            na_values=self.asked.na_values,
            decimal_commas=tuple(commas),
        )

    def _on_format(self, found: TextFound) -> str:
        """What was found out, if it is not comma-separated UTF-8 with decimal points."""
        parts = []
        if self.asked.encoding is None and found.encoding != "utf-8":
            parts.append(f"it is {found.encoding.upper()}")
        if self.asked.delimiter is None and found.delimiter not in ",\t":
            parts.append(f"its fields are separated by {IN_WORDS[found.delimiter]}")
        if commas := found.decimal_commas:
            has = "column {} has" if len(commas) == 1 else "columns {} have"
            parts.append(f"{has.format(listed(commas))} decimal commas")
        return f"{self.source}: {'; '.join(parts)}" if parts else ""

    def _decimal_commas(self, texts: dict[int, list[str | None]]) -> dict[int, Float64Array]:
        """The columns that only decimal commas explain, unless the decimal mark is known."""
        if self.text.decimal is not None:
            return {}
        found = {column: decimal_commas(values) for column, values in texts.items()}
        return {column: numbers for column, numbers in found.items() if numbers is not None}

    def _ambiguous(self, has_header: bool, columns: list[int]) -> list[int]:
        """Columns of numbers in which every point may stand between groups of three digits."""
        seen: dict[int, set[bool | None]] = {column: set() for column in columns}
        for chunk in self._chunks(has_header):
            for column, kinds in seen.items():
                kinds.add(points_may_group([row.fields[column] for row in chunk]))
        return [column for column, kinds in seen.items() if True in kinds and False not in kinds]

    def _numeric(
        self, has_header: bool, n_columns: int
    ) -> tuple[list[int], dict[int, NDArray[Any]]]:
        """The line of each row, and the columns that hold only numbers."""
        lines: list[int] = []
        parts: dict[int, list[Float64Array]] = {c: [np.empty(0)] for c in range(n_columns)}
        for chunk in self._chunks(has_header):
            lines.extend(row.line for row in chunk)
            for column in list(parts):
                fields = [row.fields[column] for row in chunk]
                numbers = to_numbers(fields, self.text.decimal)
                if numbers is None:
                    del parts[column]
                else:
                    parts[column].append(numbers)
        return lines, {column: np.concatenate(pieces) for column, pieces in parts.items()}

    def _text(self, has_header: bool, columns: list[int]) -> dict[int, list[str | None]]:
        """Some columns as text, None for missing values; without columns nothing is read again."""
        texts: dict[int, list[str | None]] = {c: [] for c in columns}
        for chunk in self._chunks(has_header) if columns else ():
            for column, values in texts.items():
                fields = (row.fields[column].strip() for row in chunk)
                values.extend(None if field in MISSING else field for field in fields)
        return texts

    def _chunks(self, has_header: bool) -> Iterator[list[Row]]:
        rows = self.rows()
        if has_header:
            next(rows)
        while chunk := list(islice(rows, _ROWS_AT_ONCE)):
            if self.asked.na_values:
                chunk = [Row(row.line, self.asked.present(row.fields)) for row in chunk]
            yield chunk

    def rows(self) -> Iterator[Row]:
        """All rows, checked for equal length; blank lines at the end are ignored."""
        blank: int | None = None
        first: Row | None = None
        for row in self._parsed():
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

    def _lines(self) -> Iterator[str]:
        """Lines of text from the start."""
        encoding = self.encoding
        self.stream.seek(self.start)
        wide = lookup(encoding).name.startswith(_WIDE)
        return (_wide_lines if wide else _decoded)(self.stream, self.source, encoding)

    def _parsed(self) -> Iterator[Row]:
        line, delimiter = 1, str(self.text.delimiter)
        try:
            reader = csv.reader(
                self._lines(),
                delimiter=delimiter,
                skipinitialspace=True,
                strict=True,
            )
            for fields in reader:
                yield Row(line, fields)
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"{self.source}, line {line}: {_explained(error)}") from error


def _decoded(stream: IO[bytes], source: str, encoding: str) -> Iterator[str]:
    """Lines as text, without the byte order mark; a line of spaces counts as blank."""
    offset = 0
    for number, raw in enumerate(iter(lambda: stream.readline(_LONGEST_LINE), b""), start=1):
        where = f"{source}, line {number}"
        _check_length(raw, where)
        _check_width(raw, where)
        if number == 1 and raw.startswith(BOM_UTF8):
            _check_marked(encoding, source)
        try:
            line = raw.decode(encoding)
        except UnicodeDecodeError as error:
            raise DataError(
                f"{where}: byte {offset + error.start} of the file (0x{raw[error.start]:02x}) is "
                f"not {_encoding_name(encoding)} text; save the file as UTF-8, or name its "
                f"encoding, as in --encoding {_OTHER_ENCODING.get(encoding, 'utf-8')}."
            ) from error
        line = line.removeprefix("\ufeff" if number == 1 else "")
        yield line if line.strip(" \r\n") else "\n"
        offset += len(raw)


def _wide_lines(stream: IO[bytes], source: str, encoding: str) -> Iterator[str]:
    """Lines of text in which characters have two bytes or more."""
    wrapper = TextIOWrapper(stream, encoding, newline="\n")
    try:
        for number, line in enumerate(iter(lambda: wrapper.readline(_LONGEST_LINE), ""), start=1):
            where = f"{source}, line {number}"
            _check_length(line, where)
            _check_width(line.encode("utf-8", "replace"), where)
            yield line.removeprefix("\ufeff") if line.strip(" \r\n\ufeff") else "\n"
    except UnicodeError as error:
        raise DataError(
            f"{source} is not {_encoding_name(encoding)} text: {error}; save the file as UTF-8."
        ) from error
    finally:
        wrapper.detach()


def _check_marked(encoding: str, source: str) -> None:
    """DataError for another encoding of a file that begins with the mark of UTF-8."""
    if lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        raise DataError(
            f"{source} begins with the mark of UTF-8; omit --encoding {encoding}, or write utf-8."
        )


def _encoding_name(encoding: str) -> str:
    return "UTF-8" if encoding == "utf-8" else encoding


def _check_length(line: bytes | str, where: str) -> None:
    if len(line) == _LONGEST_LINE:
        raise DataError(f"{where} is longer than 32 MiB; this is not a table.")


def _check_width(line: bytes, where: str) -> None:
    """DataError for more columns than can be kept apart, before the line is split."""
    if len(line) < _MOST_COLUMNS:
        return
    n_fields = 1 + max(line.count(delimiter.encode()) for delimiter in DELIMITERS)
    if n_fields > _MOST_COLUMNS:
        raise DataError(
            f"{where} has {n_fields:,} fields; text may have {_MOST_COLUMNS:,} columns at most. "
            "Save so wide a table as .npy."
        )


def _on_first(row: Row, has_header: bool) -> str:
    """What is doubtful about the first line, which is a header or not."""
    first = row.fields
    numbering = [str(i) for i in range(len(first))]
    if not has_header and len(first) > 1 and [field.strip() for field in first] == numbering:
        return (
            f"the first line, {', '.join(numbering[:3])}{', …' if len(first) > 3 else ''}, is "
            "read as a row of data; if it numbers the columns, remove it or write names instead"
        )
    numeric = sum(
        field.strip() not in MISSING and to_numbers([field]) is not None for field in first
    )
    if not has_header or not numeric:
        return ""
    return (
        f"the first line is read as column names, although {numeric} of its {len(first)} fields "
        "are numbers; if it is data, add a line of names above it"
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
