"""What the parts of a workbook say before openpyxl reads them: XML files in a ZIP archive."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from kgroups.exceptions import DataError
from kgroups.runtime.memory import human_bytes, require
from kgroups.text import quoted

# Workbooks compress to a tenth. What unpacks to more than this was made to fill the memory.
_MOST_UNPACKED_PER_BYTE = 100
_SMALL = 1 << 22
_SHEETS = "xl/worksheets/"
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")


def _any_of(*marks: str) -> re.Pattern[bytes]:
    """One of these marks in an encoding that expat knows."""
    encodings = ("ascii", "utf-16-le", "utf-16-be")
    return re.compile(b"|".join(re.escape(m.encode(e)) for m in marks for e in encodings))


# Entities may stand for text of any length.
_ENTITY, _DECLARATION = _any_of("<!ENTITY"), _any_of("<!DOCTYPE", "<!ENTITY")
# Pictures, of which SVG files may name their document type.
_PICTURES = "xl/media/"
_LONGEST_TAG = 1_000
_BYTES_AT_ONCE = 1 << 20
_MARK = re.compile(rb"<(?:\w+:)?(row|col|mergeCell)\s([^>]*)>")
_ATTRIBUTE = re.compile(rb"\b(\w+)=[\"']([^\"']*)[\"']")
_MOST_MARKS = 1 << 20


@dataclass
class SheetMarks:
    """What a person sees of a sheet that its values do not say."""

    #: Numbers of the rows, and first and last numbers of the columns, that are not shown.
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    #: Ranges of cells, such as "A1:B2".
    merged: list[str] = field(default_factory=list)


def check_parts(stream: IO[bytes], source: str) -> bool:
    """Whether a workbook has formulas; DataError for one that was made to fill the memory."""
    with zipfile.ZipFile(stream) as archive:
        parts = archive.infolist()  # all of them, because a sheet may have any name
        _check_sizes(parts, source)
        has_formulas = False
        for part in parts:
            refused = _ENTITY if part.filename.startswith(_PICTURES) else _DECLARATION
            for block in _blocks(archive, part.filename):
                if refused.search(block):
                    raise DataError(
                        f"{source}: its part {quoted(part.filename)} declares a document type or "
                        "entities, which spreadsheet programs never write and which may unpack to "
                        "any size; save it anew by a spreadsheet program, or as CSV."
                    )
                if not has_formulas and part.filename.startswith(_SHEETS):
                    has_formulas = _FORMULA.search(block) is not None
        return has_formulas


def marks_of(stream: IO[bytes], sheet: str) -> SheetMarks:
    """What is hidden, also by a filter, or merged in the sheet of that part."""
    marks = SheetMarks()
    with zipfile.ZipFile(stream) as archive:
        for block in _tags(archive, sheet):
            for kind, text in _MARK.findall(block):
                _add(marks, kind, dict(_ATTRIBUTE.findall(text)))
    return marks


def _add(marks: SheetMarks, kind: bytes, attributes: dict[bytes, bytes]) -> None:
    is_hidden = attributes.get(b"hidden") in (b"1", b"true")
    if kind == b"row" and is_hidden and len(marks.hidden_rows) < _MOST_MARKS:
        marks.hidden_rows.append(int(attributes.get(b"r", b"0")))
    elif kind == b"col" and is_hidden:
        marks.hidden_columns.append((int(attributes[b"min"]), int(attributes[b"max"])))
    elif kind == b"mergeCell" and len(marks.merged) < _MOST_MARKS:
        marks.merged.append(attributes[b"ref"].decode("ascii", "replace"))


def _check_sizes(parts: list[zipfile.ZipInfo], source: str) -> None:
    for part in parts:
        if part.file_size > max(_SMALL, _MOST_UNPACKED_PER_BYTE * part.compress_size):
            raise DataError(
                f"{source} unpacks to {human_bytes(part.file_size)} from "
                f"{human_bytes(part.compress_size)}, far more than a spreadsheet; save it as CSV."
            )
    total = sum(part.file_size for part in parts)
    require(
        4 * total,
        what=f"Reading {source}, which unpacks to {human_bytes(total)},",
        instead="Save the sheet as CSV or Parquet.",
    )


def _blocks(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """A part in blocks, each with the end of the one before."""
    rest = b""
    with archive.open(part) as stream:
        while block := stream.read(_BYTES_AT_ONCE):
            yield rest + block
            rest = block[-_LONGEST_TAG:]


def _tags(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """A part in blocks that end where a tag ends."""
    rest = b""
    with archive.open(part) as stream:
        while block := stream.read(_BYTES_AT_ONCE):
            whole, end, rest = (rest + block).rpartition(b">")
            yield whole + end
            rest = rest[-_LONGEST_TAG:]
