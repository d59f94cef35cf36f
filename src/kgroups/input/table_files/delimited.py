"""CSV, TSV and other text with delimiters, as rows of fields.

They are read twice, so standard input and pipes are copied to a temporary file first.

The numbers of long files are parsed by compiled code, :mod:`.plain_rows`, as fast as by pyarrow.
That accepts what is refused here (text after a closing quote, blank lines, bytes that are not
UTF-8), its messages count rows instead of lines, and it would be needed for every file.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8, lookup
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import TextIOWrapper
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files.field_table import FieldTable, Row, is_header
from kgroups.input.table_files.first_rows import as_ranges, first_row
from kgroups.input.table_files.header_layout import Layout, layout_of
from kgroups.input.table_files.rereadable import rereadable, with_line_feeds
from kgroups.input.table_files.sniffing import (
    DELIMITERS,
    IN_WORDS,
    first_lines,
    has_quoted_commas,
    is_utf16,
    sniffed,
    split_lines,
    without_blanks_at_the_end,
)
from kgroups.input.table_files.table import Table, listed
from kgroups.input.table_files.text_format import TextFormat, TextFound
from kgroups.input.table_files.triangles import is_triangle, triangle
from kgroups.text import counted
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.input.table_files.plain_rows import Numbers, PlainRows

_LONGEST_LINE = 1 << 25
# Each column takes some hundred bytes besides its numbers.
_MOST_COLUMNS = 1_000_000
# Footers and rules have no more lines than this.
_MOST_OTHERS = 10
_DIRECTIVE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
# Encodings in which the byte of a line feed may be part of another character.
_WIDE = ("utf-16", "utf-32")
# Encodings in which every byte below 128 is the character of ASCII.
_LIKE_ASCII = ("ascii", "utf-8", "iso8859-1", "iso8859-15", "cp1252")
# Shorter files are read before the code that is compiled for long ones is loaded.
_LONG = 1 << 22
# What a file is likely to be that is not what it was taken for.
_OTHER_ENCODING = {"utf-8": "latin-1"}


def read_delimited(stream: IO[bytes], source: str, text: TextFormat | None = None) -> Table:
    """A table from text, written as ``text`` says; what that leaves open is found out.

    The delimiter is the one of comma, tab, semicolon and vertical bar that splits all of the first
    lines alike. The first line is a header unless each of its fields is a number or a missing
    value. A column has decimal commas if it cannot be read otherwise.
    """
    with rereadable(stream, source) as again:
        file = _TextFile.opened(again, source, text or TextFormat())
        file.check_rectangular()
        return file.table()


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
    #: The rows and their numbers, if the file is long and all of its lines are plain.
    _plain: tuple[PlainRows, Numbers] | None = field(default=None, init=False)

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
        delimiter = self._directive or sniffed(self.first_lines(), self.asked.decimal)
        if delimiter == "," == self.asked.decimal and not has_quoted_commas(self.first_lines()):
            raise DataError(self._on_two_meanings())
        return replace(self.asked, delimiter=delimiter)

    def _on_two_meanings(self) -> str:
        """What to write for a file that commas seem to separate, if they are decimal marks."""
        header = split_lines(self.first_lines(), ",")[0]
        return (
            f"{self.source}: commas separate the fields of this file, as those of its header "
            f"({counted(len(header), 'name')}: {listed([name.strip() for name in header])}), so "
            "--decimal , cannot be right as well. Write --decimal . instead, or name what "
            "separates the fields, as in --delimiter ';'. With --delimiter , numbers that have a "
            "decimal comma must be in double quotes."
        )

    @cached_property
    def encoding(self) -> str:
        """The encoding: UTF-8, unless another was asked for or the file begins as UTF-16."""
        if self.asked.encoding is not None:
            return self.asked.encoding
        self.stream.seek(self.start)
        return "utf-16" if is_utf16(self.stream.read(2)) else "utf-8"

    def check_rectangular(self) -> None:
        """DataError for a triangle of a matrix."""
        half = triangle(self.first_lines(), self.asked.delimiter)
        if half is not None:
            raise DataError(is_triangle(self.source, half))

    def found(self) -> TextFound:
        """How the file was read, before its columns are known."""
        return TextFound(
            delimiter=self.text.delimiter,
            encoding=self.encoding,
            decimal=self.asked.decimal,
            na_values=self.asked.na_values,
            skip_lines=self.asked.skip_lines,
        )

    def notes(self) -> list[str]:
        """What was found out, if it is not comma-separated UTF-8."""
        delimiter, parts = str(self.text.delimiter), []
        if self.asked.encoding is None and self.encoding != "utf-8":
            parts.append(f"{self.source} is {self.encoding.upper()}")
        if self.asked.delimiter is None and delimiter not in ",\t":
            fields = IN_WORDS.get(delimiter, repr(delimiter))  # a first line may name any
            parts.append(f"fields of {self.source} are separated by {fields}")
        if self._layout in (Layout.DATA_END, Layout.HEADER_END):
            header, data = "the header", "the lines of data"
            ends, other = (data, header) if self._layout is Layout.DATA_END else (header, data)
            verb = "end" if ends == data else "ends"
            parts.append(
                f"{ends} of {self.source} {verb} with a delimiter, unlike {other}; the empty field "
                "is left out"
            )
        return parts

    def _numeric(
        self, has_header: bool, columns: list[int]
    ) -> tuple[IntArray, dict[int, NDArray[Any]]]:
        line, rows = self._plain_rows(has_header)
        if rows is None:
            return super()._numeric(has_header, columns)
        found = rows.numbers(columns, lambda n_rows: self._check_memory(n_rows, rows.width))
        if found is None:
            return super()._numeric(has_header, columns)
        self._plain = rows, found
        numeric = {c: self.present_numbers(numbers) for c, numbers in found.columns.items()}
        return np.arange(line, line + found.n_rows), numeric

    def _text(self, has_header: bool, columns: list[int]) -> dict[int, list[str | None]]:
        texts = self._plain[0].texts(columns) if self._plain is not None and columns else None
        return super()._text(has_header, columns) if texts is None else texts

    def _ambiguous(self, has_header: bool, columns: list[int]) -> list[int]:
        if self._plain is None or self.asked.na_values:
            return super()._ambiguous(has_header, columns)
        return list(filter(self._plain[1].may_be_grouped, columns))

    def _plain_rows(self, has_header: bool) -> tuple[int, PlainRows | None]:
        """The line of the first row of data, and a reader for plain rows if it may do."""
        first, *others = islice(self.rows(), 2)
        data = [*others, None][0] if has_header else first
        delimiter, decimal = str(self.text.delimiter), self.asked.decimal
        if (
            data is None
            or lookup(self.encoding).name not in _LIKE_ASCII
            or delimiter not in (*DELIMITERS, " ")
            or delimiter == decimal
            or self._layout is Layout.DATA_END
            or max(self.skipped, default=0) >= data.line
        ):
            return 0, None
        # Its compiled loops are numba's, whose import takes longer than a small fit.
        from kgroups.input.table_files.plain_rows import PlainRows

        rows = PlainRows(
            self.stream, self._position(data.line), len(first.fields), self.text,
            self.encoding, _MOST_COLUMNS - 1,
        )  # fmt: skip
        self.stream.seek(rows.begin)
        is_long = len(self.stream.read(_LONG)) == _LONG
        return data.line, rows if is_long else None

    def _position(self, line: int) -> int:
        """Where a line begins, without the byte order mark."""
        self.stream.seek(self.start)
        if line == 1:
            return self.start + 3 * (self.stream.read(3) == BOM_UTF8)
        for _ in range(line - 1):
            self.stream.readline()
        return self.stream.tell()

    def rows(self) -> Iterator[Row]:
        """All rows, checked for equal length; blank lines at the end are ignored."""
        layout = self._layout  # before the stream is in use
        rows = self._filled_rows()
        first = next(rows, None)
        if first is None:
            return
        first = Row(first.line, layout.header(first.fields))
        yield first
        width = len(first.fields)
        for row in rows:
            if len(row.fields) != width:
                if layout is not Layout.DATA_END or not _ends_empty(row.fields, width):
                    raise DataError(self._ragged(row, first))
                row.fields.pop()
            yield row

    @cached_property
    def _layout(self) -> Layout:
        """How the header differs from the rows below it."""
        first, *others = ([r.fields for r in islice(self._filled_rows(), 3)]) or [[]]
        if not is_header(self.text.present(first)):
            return Layout.ALIKE
        return layout_of(first, others)

    def _filled_rows(self) -> Iterator[Row]:
        """Rows that are not blank, without a line that names the delimiter."""
        blank: int | None = None
        directive = self._directive  # before the stream is in use
        for row in self._parsed():
            if row.line in self.skipped:
                continue
            if not row.fields:
                blank = blank or row.line
                continue
            if blank is not None:
                raise DataError(self._on_blank(blank))
            if row.line > 1 or directive is None:
                yield row

    def _on_blank(self, blank: int) -> str:
        begin, others = self._begin(), self._other_lines()
        if begin is not None and begin < blank and others is not None:
            advice = (
                f"pass --skip-lines {others}: the lines from there on are not rows of the table"
            )
        elif begin is None or begin < blank:
            advice = "write NA for a missing value"
        else:
            advice = f"pass {self.skipping(range(1, begin))}: the table seems to begin below it"
        return f"{self.source}, line {blank} is blank; remove it, or {advice}."

    def _begin(self) -> int | None:
        """The line on which the table seems to begin."""
        return first_row((row.line, len(row.fields)) for row in self._parsed())

    def _other_lines(self) -> str | None:
        """Lines of one field among others, with blank ones, as ``--skip-lines`` takes them."""
        rows = [(row.line, len(row.fields)) for row in self._parsed()]
        last = max((line for line, width in rows if width == 1), default=0)
        others = [line for line, width in rows if width < 2 and line <= last]
        if (
            not 0 < len(others) <= _MOST_OTHERS
            or len({width for _, width in rows if width > 1}) > 1
        ):
            return None
        return as_ranges(sorted({*others, *self.skipped}))

    def _ragged(self, row: Row, first: Row) -> str:
        found, expected = len(row.fields), len(first.fields)
        begin = self._begin() or 0
        others = self._other_lines() if found == 1 and begin <= first.line else None
        is_above = begin > first.line and found != expected + 1  # one more is rather in the data
        if is_above or expected == 1 or first.fields[0].startswith("#"):
            advice = (
                f"Perhaps line {first.line} is a title or a comment: remove it, or pass "
                f"{self.skipping(range(1, max(begin, first.line + 1)))}."
            )
        elif others is not None:
            advice = f"If it is not a row of the table, pass --skip-lines {others}."
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

    def first_lines(self) -> list[str]:
        """The lines that decide on the delimiter."""
        return first_lines(line for line in self._lines() if line)

    def _lines(self) -> Iterator[str]:
        """Lines of text from the start; those to be skipped are empty, without their end."""
        return self._without_skipped() if self.skipped else self._all_lines()

    def _without_skipped(self) -> Iterator[str]:
        number = 0
        for number, line in enumerate(self._all_lines(), start=1):
            yield "" if number in self.skipped else line
        self.check_skipped(number)

    def _all_lines(self) -> Iterator[str]:
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
                if self.skipped:
                    self._check_whole(line, reader.line_num)
                yield Row(line, fields)
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"{self.source}, line {line}: {_explained(error)}") from error

    def _check_whole(self, first: int, last: int) -> None:
        """DataError for a line to be skipped that is the inside of a quoted field."""
        inside = [line for line in range(first + 1, last + 1) if line in self.skipped]
        if inside:
            raise DataError(
                f"{self.source}, line {inside[0]} is in the middle of a quoted field of the row "
                f"that begins in line {first}; --skip-lines takes lines on which a row begins."
            )


def _ends_empty(fields: list[str], width: int) -> bool:
    """Whether a line has one field more than there are columns, and it is empty."""
    return len(fields) == width + 1 and not fields[-1].strip()


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
