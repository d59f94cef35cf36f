"""Sheets of Excel workbooks, if openpyxl is installed, read row by row as the lines of a CSV file.

openpyxl reads some 200,000 cells per second. Others are faster, but reserve memory for as many
cells as a sheet claims to have.
"""

from __future__ import annotations

import datetime as dt
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, ClassVar

from kgroups.exceptions import DataError
from kgroups.input.table_files.binary import DAMAGE, LONGEST_REASON
from kgroups.input.table_files.field_table import FieldTable, Row
from kgroups.input.table_files.signatures import signature_of
from kgroups.input.table_files.table import Table, listed
from kgroups.input.table_files.text_format import TextFormat, TextFound
from kgroups.runtime.memory import human_bytes, require
from kgroups.text import did_you_mean, quoted, short

_MOST_ROWS = 1 << 20
# Workbooks compress to a tenth. What unpacks to more than this was made to fill the memory.
_MOST_UNPACKED_PER_BYTE = 100
_SMALL = 1 << 22
_NOT_AVAILABLE = "#N/A"
_ERRORS = ("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_LONGEST_TAG = 100
_BYTES_AT_ONCE = 1 << 20


def read_excel(
    stream: IO[bytes], source: str, text: TextFormat | None = None, sheet: str | None = None
) -> Table:
    """A sheet of a workbook, by default the first that is not hidden; empty cells are missing.

    Numbers in cells of text are read as in text files.
    """
    with _readable(source):
        _check_signature(stream, source)
        has_formulas = _checked(stream, source)
        found = _Sheet(source, text or TextFormat(), stream, stream.tell(), sheet)
        table = found.table()
        if has_formulas:
            found.check_formulas()
    return replace(table, counted=_Sheet.counted)


def excel_fields(
    path: Path, source: str, text: TextFormat, sheet: str | None, has_header: bool
) -> Iterator[list[str]]:
    """The fields of each row of a sheet as text, without the header."""
    with path.open("rb") as stream, _readable(source):
        yield from _Sheet(source, text, stream, stream.tell(), sheet).fields(has_header)


@dataclass
class _Sheet(FieldTable):
    """A sheet, of which each row stands for a line of fields."""

    stream: IO[bytes]
    start: int
    sheet: str | None
    counted: ClassVar[str] = "row"

    def __post_init__(self) -> None:
        self._sheets = _visible_sheets(self._workbook(data_only=True))
        if not self._sheets:
            raise DataError(f"{self.source} has no sheet with cells.")
        self._name = self._chosen()

    def _workbook(self, *, data_only: bool) -> Any:
        import openpyxl

        self.stream.seek(self.start)
        return openpyxl.load_workbook(
            self.stream, read_only=True, data_only=data_only, keep_links=False
        )

    def _chosen(self) -> str:
        names = list(self._sheets)
        if self.sheet is None or self.sheet in names:
            return self.sheet or names[0]
        raise DataError(
            f"{self.source} has no sheet {quoted(self.sheet)}.{did_you_mean(self.sheet, names)} "
            f"Its sheets are: {listed(names)}."
        )

    def found(self) -> TextFound:
        """How cells of text were read."""
        return TextFound(
            delimiter=None,
            encoding=None,
            decimal=self.asked.decimal,
            na_values=self.asked.na_values,
            skip_lines=self.asked.skip_lines,
        )

    def notes(self) -> list[str]:
        """Which sheet was read, if there are others and none was named."""
        if self.sheet is not None or len(self._sheets) == 1:
            return []
        names = listed(list(self._sheets))
        return [f"sheet {quoted(self._name)} is read; --sheet chooses another of {names}"]

    def rows(self) -> Iterator[Row]:
        """All rows, as long as the first one; blank rows and columns at the end are ignored."""
        width, blank = 0, 0
        for number, fields in enumerate(map(_stripped, self._fields()), start=1):
            if number in self.skipped:
                continue
            if not fields:
                blank = blank or number
                continue
            if blank:
                raise DataError(
                    f"{self.source}, row {blank} is blank; remove it. The table begins in row 1, "
                    "and there are no gaps between its rows."
                )
            width = width or len(fields)
            if len(fields) > width:
                raise DataError(
                    f"{self.source}, {_place(number, len(fields))} holds a value, but row 1 ends "
                    f"in column {_letters(width)}; write a name for every column in row 1, or "
                    "clear the cell."
                )
            yield Row(number, fields + [""] * (width - len(fields)))

    def _fields(self) -> Iterator[list[str]]:
        number = 0
        for number, values in enumerate(_values(self._sheets[self._name]), start=1):
            if number in self.skipped:
                yield []
                continue
            if number > _MOST_ROWS:
                raise DataError(f"{self.source} has more than {_MOST_ROWS:,} rows.")
            fields = [_text(value) for value in values]
            for error in _ERRORS:
                if error in fields:
                    raise DataError(
                        f"{self.source}, {_place(number, 1 + fields.index(error))} holds the error "
                        f"{error}; mend the formula, or clear the cell if the value is missing."
                    )
            yield fields
        self.check_skipped(number)

    def check_formulas(self) -> None:
        """DataError for a formula that was saved without its value."""
        formulas = _values(_visible_sheets(self._workbook(data_only=False))[self._name])
        pairs = zip(formulas, _values(self._sheets[self._name]), strict=True)
        for number, (written, computed) in enumerate(pairs, start=1):
            for column, (formula, value) in enumerate(zip(written, computed, strict=True), start=1):
                if formula is not None and value is None:
                    raise DataError(
                        f"{self.source}, {_place(number, column)} holds a formula that was saved "
                        "without its value; open the file in a spreadsheet program and save it."
                    )


# --- workbooks -------------------------------------------------------------------------------


@contextmanager
def _readable(source: str) -> Iterator[None]:
    """A block that needs openpyxl, in which its errors mean that the file is damaged."""
    try:
        import openpyxl
    except ImportError as error:
        raise DataError(
            f'{source}: reading .xlsx needs openpyxl; run: pip install "kgroups[excel]", or save '
            "the sheet as CSV."
        ) from error
    try:
        with warnings.catch_warnings():  # on styles and rules, which do not matter here
            warnings.filterwarnings("ignore", module=openpyxl.__name__)
            yield
    except (*DAMAGE, OSError) as error:
        if getattr(error, "errno", None) is not None:  # an error of the system, not of the file
            raise
        said = error.args[0] if isinstance(error, KeyError) and error.args else error
        reason = short(said, LONGEST_REASON).rstrip(".")
        raise DataError(f"{source} is not a valid Excel workbook: {reason}.") from error


def _check_signature(stream: IO[bytes], source: str) -> None:
    signature = signature_of(stream)
    if signature is not None and signature.suffix == ".xls":
        raise DataError(
            f"{source} is an old .xls file or locked by a password; save it as .xlsx without one, "
            "or as CSV."
        )


def _checked(stream: IO[bytes], source: str) -> bool:
    """Whether a workbook has formulas, after a look at the sizes of its parts."""
    with zipfile.ZipFile(stream) as archive:
        parts = archive.infolist()  # all of them, because a sheet may have any name
        for part in parts:
            if part.file_size > max(_SMALL, _MOST_UNPACKED_PER_BYTE * part.compress_size):
                raise DataError(
                    f"{source} unpacks to {human_bytes(part.file_size)} from "
                    f"{human_bytes(part.compress_size)}, far more than a spreadsheet; save it as "
                    "CSV."
                )
        total = sum(part.file_size for part in parts)
        require(
            4 * total,
            what=f"Reading {source}, which unpacks to {human_bytes(total)},",
            instead="Save the sheet as CSV or Parquet.",
        )
        sheets = [part for part in parts if part.filename.startswith("xl/worksheets/")]
        return any(_has_formula(archive, part) for part in sheets)


def _has_formula(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bool:
    rest = b""
    with archive.open(part) as stream:
        while block := stream.read(_BYTES_AT_ONCE):
            if _FORMULA.search(rest + block):
                return True
            rest = block[-_LONGEST_TAG:]
    return False


def _visible_sheets(book: Any) -> dict[str, Any]:
    """The sheets by name: those that a person sees, then hidden ones."""
    shown = sorted(book.worksheets, key=lambda sheet: sheet.sheet_state != "visible")
    return {sheet.title: sheet for sheet in shown}


def _values(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """The values of all cells row by row, whatever size the sheet says that it has."""
    sheet.reset_dimensions()
    rows: Iterator[tuple[Any, ...]] = sheet.iter_rows(values_only=True)
    return rows


# --- cells -----------------------------------------------------------------------------------


def _text(value: object) -> str:
    """The value of a cell, as a CSV file has it."""
    if value is None or value == _NOT_AVAILABLE:
        return ""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return str(value.date())
    return str(value)


def _stripped(fields: list[str]) -> list[str]:
    """The fields without blank ones at the end."""
    n = len(fields)
    while n and not fields[n - 1].strip():
        n -= 1
    return fields[:n]


def _place(row: int, column: int) -> str:
    return f"row {row}, column {_letters(column)}"


def _letters(column: int) -> str:
    """The name of a column, counted from 1.

    >>> _letters(1), _letters(28)
    ('A', 'AB')
    """
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(column))
