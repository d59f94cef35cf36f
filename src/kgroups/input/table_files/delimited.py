"""CSV, TSV and other text with delimiters, as rows of fields.

They are read twice, so standard input and pipes are copied to a temporary file first.

pyarrow would read three to four times as fast. But it accepts what is refused here (text after a
closing quote, blank lines, bytes that are not UTF-8), its messages count rows instead of lines, and
it would be needed for every CSV file.
"""

import csv
import re
from codecs import BOM_UTF8, lookup
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import TextIOWrapper
from itertools import chain, islice
from typing import IO, Self

from kgroups.exceptions import DataError
from kgroups.input.table_files.field_table import FieldTable, Row
from kgroups.input.table_files.numerals import is_number
from kgroups.input.table_files.rereadable import rereadable, with_line_feeds
from kgroups.input.table_files.sniffing import (
    DELIMITERS,
    IN_WORDS,
    first_lines,
    is_utf16,
    sniffed,
    without_blanks_at_the_end,
)
from kgroups.input.table_files.table import Table
from kgroups.input.table_files.text_format import TextFormat, TextFound
from kgroups.text import counted

_LONGEST_LINE = 1 << 25
# Each column takes some hundred bytes besides its numbers.
_MOST_COLUMNS = 1_000_000
_DIRECTIVE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
# Encodings in which the byte of a line feed may be part of another character.
_WIDE = ("utf-16", "utf-32")
# What a file is likely to be that is not what it was taken for.
_OTHER_ENCODING = {"utf-8": "latin-1"}


def read_delimited(stream: IO[bytes], source: str, text: TextFormat | None = None) -> Table:
    """A table from text, written as ``text`` says; what that leaves open is found out.

    The delimiter is the one of comma, tab, semicolon and vertical bar that splits all of the first
    lines alike. The first line is a header unless each of its fields is a number or a missing
    value. A column has decimal commas if it cannot be read otherwise.
    """
    with rereadable(stream, source) as again:
        return _TextFile.opened(again, source, text or TextFormat()).table()


def delimited_fields(
    stream: IO[bytes], source: str, text: TextFormat, has_header: bool
) -> Iterator[list[str]]:
    """The fields of each row of a file as they stand there, without the header."""
    return _TextFile.opened(stream, source, text).fields(has_header)


@dataclass
class _TextFile(FieldTable):
    """A text file that can be read from its start several times, and how it is written."""

    stream: IO[bytes]
    start: int

    @classmethod
    def opened(cls, stream: IO[bytes], source: str, asked: TextFormat) -> Self:
        """The file at its present position; another command may have read the lines before."""
        stream = with_line_feeds(stream)
        return cls(source, asked, stream, stream.tell())

    @cached_property
    def text(self) -> TextFormat:
        """What was asked for, with the delimiter found out where it was not."""
        if self.asked.delimiter is not None:
            return self.asked
        delimiter = self._directive or sniffed(first_lines(self._lines()), self.asked.decimal)
        return replace(self.asked, delimiter=delimiter)

    @cached_property
    def encoding(self) -> str:
        """The encoding: UTF-8, unless another was asked for or the file begins as UTF-16."""
        if self.asked.encoding is not None:
            return self.asked.encoding
        self.stream.seek(self.start)
        return "utf-16" if is_utf16(self.stream.read(2)) else "utf-8"

    def found(self) -> TextFound:
        """How the file was read, before its columns are known."""
        return TextFound(
            delimiter=self.text.delimiter,
            encoding=self.encoding,
            decimal=self.asked.decimal,
            na_values=self.asked.na_values,
        )

    def notes(self) -> list[str]:
        """What was found out, if it is not comma-separated UTF-8."""
        delimiter, parts = str(self.text.delimiter), []
        if self.asked.encoding is None and self.encoding != "utf-8":
            parts.append(f"{self.source} is {self.encoding.upper()}")
        if self.asked.delimiter is None and delimiter not in ",\t":
            parts.append(f"fields of {self.source} are separated by {IN_WORDS[delimiter]}")
        return parts

    def rows(self) -> Iterator[Row]:
        """All rows, checked for equal length; blank lines at the end are ignored."""
        rows = self._filled_rows()
        first = next(rows, None)
        if first is None:
            return
        few = list(islice(rows, 2))
        if _lacks_a_name(first.fields, [row.fields for row in few]):
            first = Row(first.line, ["", *first.fields])
        yield first
        for row in chain(few, rows):
            if len(row.fields) != len(first.fields):
                raise DataError(self._ragged(row, first))
            yield row

    def _filled_rows(self) -> Iterator[Row]:
        """Rows that are not blank, without a line that names the delimiter."""
        blank: int | None = None
        for row in self._parsed():
            if not row.fields:
                blank = blank or row.line
                continue
            if blank is not None:
                raise DataError(
                    f"{self.source}, line {blank} is blank; remove it, or write NA for a missing "
                    "value."
                )
            if row.line > 1 or self._directive is None:
                yield row

    def _ragged(self, row: Row, first: Row) -> str:
        found, expected = len(row.fields), len(first.fields)
        if expected == 1 or first.fields[0].startswith("#"):
            advice = f"Perhaps line {first.line} is a title or a comment: remove it."
        else:
            advice = "Text that contains the delimiter must be in double quotes."
        return (
            f"{self.source}, line {row.line}: found {counted(found, 'field')}, expected "
            f"{expected} as in line {first.line}. {advice}"
        )

    @cached_property
    def _directive(self) -> str | None:
        """The delimiter, if the first line only names it, as Excel reads and writes it."""
        named = _DIRECTIVE.fullmatch(next(self._lines(), "").strip())
        return None if named is None else named[1]

    def _lines(self) -> Iterator[str]:
        """Lines of text from the start."""
        encoding = self.encoding
        self.stream.seek(self.start)
        wide = lookup(encoding).name.startswith(_WIDE)
        return (_wide_lines if wide else _decoded)(self.stream, self.source, encoding)

    def _parsed(self) -> Iterator[Row]:
        line, delimiter = 1, str(self.text.delimiter)
        try:
            lines = self._lines()
            reader = csv.reader(
                map(without_blanks_at_the_end, lines) if delimiter == " " else lines,
                delimiter=delimiter,
                skipinitialspace=True,
                strict=True,
            )
            for fields in reader:
                yield Row(line, fields)
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"{self.source}, line {line}: {_explained(error)}") from error


def _lacks_a_name(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether names or numbers of rows stand in front without a name, as R writes tables.

    >>> _lacks_a_name(["x", "y"], [["a", "1", "2"], ["b", "3", "4"]])
    True
    """
    width = len(header)
    if width < 2 or not rows or any(len(row) != width + 1 for row in rows):
        return False
    in_front = [row[0] for row in rows]
    counts = in_front == ["1", "2"]
    # An empty field at the end is that after a last delimiter.
    ends = all(row[-1].strip() for row in rows)
    return (
        ends and (counts or not any(map(is_number, in_front))) and not any(map(is_number, header))
    )


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
