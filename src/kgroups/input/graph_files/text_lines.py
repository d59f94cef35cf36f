"""Lines of text and their fields, for edge lists and files of node labels."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from kgroups.exceptions import DataError
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.sniffing import is_utf16
from kgroups.input.table_files.text_format import TextFormat

#: A longer line cannot belong to a list of edges or nodes.
LONGEST_LINE = 1 << 20
# If several delimiters split a line equally well, a comma wins; blanks come last.
_DELIMITERS = (",", "\t", ";")
# Two ids and a weight.
_MOST_OF_EDGES = 3
_QUOTED = re.compile('"[^"]*"')
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_MARKED_NUMBER = re.compile(r"[+-]?[\d.']*,\d*([eE][+-]?\d+)?")
# "007" and "+7" are text: as numbers they could not be told from "7".
_INTEGER = re.compile("0|-?[1-9][0-9]{0,18}")


class NotUTF8Error(DataError):
    """A file that may be text in another encoding."""


def check_is_file(path: Path, source: str) -> None:
    """DataError unless there is a file whose end is certain to come."""
    if path.is_dir():
        raise DataError(f"{source} is a folder; name a file in it.")
    if not path.exists():
        raise DataError(f"{source} does not exist.")
    if not path.is_file():
        raise DataError(f"{source} is not a regular file; write its content to one first.")


def rows(stream: IO[bytes], source: str, delimiter: str | None, *, comments: str) -> Iterator[Row]:
    """The fields of each line, except blank lines and those that begin with one of ``comments``.

    A delimiter of None stands for any number of blanks.
    """
    for number, line in lines(stream, source):
        if is_substance(line, comments):
            yield Row(number, fields(line.rstrip("\r\n"), delimiter, f"{source}, line {number}"))


def is_substance(line: str, comments: str) -> bool:
    """Whether a line is neither blank nor begins with one of ``comments``."""
    text = line.strip()
    return bool(text) and text[0] not in comments


def lines(stream: IO[bytes], source: str) -> Iterator[tuple[int, str]]:
    """Lines as text, numbered from 1, without the byte order mark."""
    for number, raw in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), start=1):
        if len(raw) > LONGEST_LINE:
            raise DataError(f"{source}, line {number} is longer than 1 MiB; this is not a list.")
        if number == 1 and is_utf16(raw):
            raise DataError(f"{source} is UTF-16 text; save it as UTF-8.")
        if b"\0" in raw:
            raise DataError(
                f"{source}, line {number} contains a NUL byte; this is not a text file."
            )
        try:
            yield number, raw.decode("utf-8").removeprefix("\ufeff" if number == 1 else "")
        except UnicodeDecodeError as error:
            raise NotUTF8Error(
                f"{source}, line {number}: byte {error.start + 1} of the line "
                f"(0x{raw[error.start]:02x}) is not UTF-8 text; save the file as UTF-8."
            ) from error


def fields(line: str, delimiter: str | None, where: str) -> list[str]:
    """The parts of a line between delimiters, without surrounding blanks."""
    if '"' not in line:
        return [field.strip() for field in line.split(delimiter)]
    if delimiter is None:
        line, delimiter = line.replace("\t", " ").strip(), " "
    try:
        reader = csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)
        return [field.strip() for field in next(reader)]
    except csv.Error as error:
        raise DataError(
            f"{where}: {error}. Quote whole fields, write a quote in one twice, and keep each on "
            "one line."
        ) from error


def sniffed(line: str, suffix: str, text: TextFormat | None = None) -> str | None:
    r"""The delimiter, unless ``text`` has it the one of most fields; None for blanks.

    >>> sniffed("a,b,2\n", ""), sniffed("a;b;0,5\n", ""), sniffed("a b 0,5\n", "")
    (',', ';', None)
    """
    text = text or TextFormat()
    if text.delimiter is not None:
        return None if text.delimiter == " " else text.delimiter
    if suffix == ".tsv" and "\t" in line:
        return "\t"
    bare = _QUOTED.sub("", line.strip("\r\n "))
    marks = [mark for mark in _DELIMITERS if mark != text.decimal]
    if text.decimal is None and _is_row_of_decimal_commas(bare.split(";")):
        marks.remove(",")
    delimiter = max(marks, key=bare.count)
    if delimiter not in bare and text.decimal == "," and not _may_be_numbers(bare.split()):
        delimiter = ","  # as in a,b,"1,5"
    if delimiter not in bare or (delimiter == "," and _has_decimal_commas(bare.split())):
        return None
    return delimiter


def _may_be_numbers(parts: list[str]) -> bool:
    """Whether commas are in numbers between blanks only."""
    return len(parts) > 1 and all(map(_MARKED_NUMBER.fullmatch, (p for p in parts if "," in p)))


def _has_decimal_commas(parts: list[str]) -> bool:
    """Whether commas are in numbers between blanks only, and in the last of them."""
    marked = [part for part in parts if "," in part]
    return len(parts) > 2 and parts[-1] in marked and all(map(_DECIMAL_COMMA.fullmatch, marked))


def _is_row_of_decimal_commas(parts: list[str]) -> bool:
    """Whether semicolons split more numbers than an edge has, and commas are in these only."""
    marked = [part for part in parts if "," in part]
    return len(parts) > _MOST_OF_EDGES and all(
        map(_DECIMAL_COMMA.fullmatch, map(str.strip, marked))
    )


def is_integer(field: str) -> bool:
    """Whether a field is a 64-bit integer in the form in which programs write it."""
    return _INTEGER.fullmatch(field) is not None and abs(int(field)) < 2**63
