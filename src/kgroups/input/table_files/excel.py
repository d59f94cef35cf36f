"""Sheets of Excel workbooks, if openpyxl is installed, read row by row as the lines of a CSV file.

openpyxl reads some 200,000 cells per second. Others are faster, but reserve memory for as many
cells as a sheet claims to have.
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.table_files.binary import DAMAGE, LONGEST_REASON
from kgroups.input.table_files.field_table import FieldTable, Row
from kgroups.input.table_files.first_rows import first_row
from kgroups.input.table_files.signatures import signature_of
from kgroups.input.table_files.table import Table, listed, some
from kgroups.input.table_files.text_format import TextFormat, TextFound
from kgroups.input.table_files.triangles import grown, is_triangle
from kgroups.input.table_files.workbook_parts import SheetMarks, check_parts, marks_of
from kgroups.text import counted, did_you_mean, quoted, short

_MOST_ROWS = 1 << 20
# A longer list of rows or ranges of cells would hide its note.
_LONGEST, _SHOWN = 50, 3
_NOT_AVAILABLE = "#N/A"
_ERRORS = ("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA")


def read_excel(
    stream: IO[bytes], source: str, text: TextFormat | None = None, sheet: str | None = None
) -> Table:
    """A sheet of a workbook, by default the first that is not hidden; empty cells are missing.

    Numbers in cells of text are read as in text files.
    """
    with _readable(source):
        _check_signature(stream, source)
        has_formulas = check_parts(stream, source)
        found = _Sheet(source, text or TextFormat(), stream, stream.tell(), sheet)
        table = found.table()
        if has_formulas:
            found.check_formulas()
        marks = marks_of(stream, found.part)
        hidden, gaps = found.hidden(marks, table), found.merged(marks, table)
    return replace(
        table, counted=_Sheet.counted, notes=(*table.notes, *hidden, *gaps), gaps=" ".join(gaps)
    )


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

    @property
    def part(self) -> str:
        """The part of the archive that holds the sheet."""
        return str(self._sheets[self._name]._worksheet_path)

    def hidden(self, marks: SheetMarks, table: Table) -> list[str]:
        """Notes on rows and columns that are read and not shown, as by a filter."""
        notes = []
        read = set() if table.lines is None else {*table.lines.tolist()}
        rows = [row for row in marks.hidden_rows if row in read]
        if rows:
            are = "is" if len(rows) == 1 else "are"
            option = self.skipping(rows)
            if len(option) > _LONGEST:
                option = "--skip-lines"
            notes.append(
                f"{counted(len(rows), 'row')} of {self.source} {are} hidden, as by a filter, and "
                f"read like the others; {option} leaves {'it' if len(rows) == 1 else 'them'} out"
            )
        is_hidden = np.zeros(len(table.names), dtype=np.bool_)
        for first, last in marks.hidden_columns:
            is_hidden[first - 1 : last] = True
        if is_hidden.any():
            are = "is" if is_hidden.sum() == 1 else "are"
            names = listed([table.title(int(column)) for column in np.flatnonzero(is_hidden)])
            notes.append(
                f"{counted(int(is_hidden.sum()), 'column')} of {self.source} ({names}) {are} "
                "hidden and read like the others; --drop leaves columns out"
            )
        return notes

    def merged(self, marks: SheetMarks, table: Table) -> list[str]:
        """A note on merged cells of the table, of which only the first has a value."""
        from openpyxl.utils import range_boundaries

        end = 0 if table.lines is None else int(table.lines[-1]) + 1
        cells = []
        for place in marks.merged:
            first_column, top, _, bottom = range_boundaries(place)
            rows = range(top, min(bottom + 1, end))
            if first_column <= len(table.names) and any(r not in self.skipped for r in rows):
                cells.append(place)
        if not cells:
            return []
        shown = some(cells[:_SHOWN], len(cells))
        return [
            f"cells {shown} of {self.source} are merged: only the first of them holds a value, and "
            "the others are empty; unmerge them and write the value into each"
        ]

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
        first, width, blank = 0, 0, 0
        for number, fields in enumerate(map(_stripped, self._fields()), start=1):
            if number in self.skipped:
                continue
            if not fields:
                blank = blank or number
                continue
            if blank:
                raise DataError(self._on_blank(blank))
            first, width = first or number, width or len(fields)
            if len(fields) > width:
                raise DataError(self._on_width(number, len(fields), first, width))
            yield Row(number, fields + [""] * (width - len(fields)))

    def _begin(self) -> int | None:
        """The row in which the table seems to begin."""
        return first_row(enumerate((len(_stripped(row)) for row in self._fields()), start=1))

    def _on_blank(self, blank: int) -> str:
        begin, found = self._begin(), f"{self.source}, row {blank} is blank; remove it"
        if begin is None or begin < blank:
            return (
                f"{found}, or pass {self.skipping([blank])}. A table has no gaps between its rows."
            )
        return (
            f"{found}, or pass {self.skipping(range(1, begin))}: the table seems to begin in row "
            f"{begin}."
        )

    def _on_width(self, row: int, found: int, first: int, width: int) -> str:
        half = grown(
            [fields for fields in islice(map(_stripped, self._fields()), _SHOWN + 1) if fields]
        )
        if half is not None:
            return is_triangle(self.source, half)
        begin = self._begin() or 0
        advice = f"write a name for every column in row {first}, or clear the cell"
        if begin > first:
            title = "row 1 is" if begin == 2 else f"rows 1 to {begin - 1} are"
            advice = f"if {title} a title, pass {self.skipping(range(1, begin))}; else {advice}"
        return (
            f"{self.source}, {_place(row, found)} holds a value, but row {first} ends in column "
            f"{_letters(width)}; {advice}."
        )

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
            if number in self.skipped:
                continue
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
