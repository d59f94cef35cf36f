"""A table from rows of text fields, read in chunks so that memory is that of the parsed table.

Numbers are kept as float64 and their text is dropped. Only at the end is it certain which columns
are text, so the rows are read a second time, for those columns alone. Among them are those with
decimal commas and those of True and False.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.table_files.first_rows import as_ranges
from kgroups.input.table_files.numerals import (
    decimal_commas,
    is_number,
    points_may_group,
    to_numbers,
    truths,
)
from kgroups.input.table_files.table import Table, listed, positional_names, some
from kgroups.input.table_files.text_format import MISSING, TextFormat, TextFound
from kgroups.runtime.memory import require
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

_ROWS_AT_ONCE = 4_096
# Of wide rows fewer: what is packed small may be wide enough for a few thousand to fill the memory.
_FIELDS_AT_ONCE = 1 << 24
# How many fields are read between two looks at the free memory.
_FIELDS_PER_CHECK = 1 << 20
# Columns that are numbered, and the years that may be names of columns.
_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
_YEARS = range(1800, 2101)
# More lines that are skipped are counted.
_LINES_SHOWN = 6


class Row(NamedTuple):
    """The fields of a row and the line on which it begins."""

    line: int
    fields: list[str]


@dataclass
class FieldTable(ABC):
    """Rows of text that can be read several times, and what was asked for about their text."""

    source: str
    asked: TextFormat
    #: What a row is called where it is counted.
    counted: ClassVar[str] = "line"

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """All rows from the start, each with the same number of fields."""

    @abstractmethod
    def found(self) -> TextFound:
        """How the rows were read, before their columns are known."""

    @abstractmethod
    def notes(self) -> list[str]:
        """What was found out and may be wrong."""

    def fields(self, has_header: bool) -> Iterator[list[str]]:
        """The fields of each row as they stand in the file, without the header."""
        for row in islice(self.rows(), int(has_header), None):
            yield row.fields

    def table(self) -> Table:
        """The whole file as columns."""
        first = next(self.rows(), None)
        if first is None:
            raise DataError(f"{self.source} is empty.")
        has_header = is_header(self.asked.present(first.fields))
        names = _names(first.fields) if has_header else positional_names(len(first.fields))
        as_text = {c for c, name in enumerate(names) if name in self.asked.as_text}
        lines, numeric = self._numeric(
            has_header, [c for c in range(len(names)) if c not in as_text]
        )
        if not len(lines):
            raise DataError(f"{self.source} has column names but no rows.")
        texts = self._text(has_header, [c for c in range(len(names)) if c not in numeric])
        booleans = {c: v for c, v in ((c, truths(t)) for c, t in texts.items()) if v is not None}
        commas = self._decimal_commas({c: v for c, v in texts.items() if c not in as_text})
        if commas:
            texts |= self._text(has_header, self._ambiguous(has_header, list(numeric)))
        arrays = {column: np.array(values, dtype=object) for column, values in texts.items()}
        columns = {**numeric, **arrays, **booleans, **commas}
        found = replace(self.found(), decimal_commas=tuple(names[c] for c in commas))
        return Table(
            source=self.source,
            names=names,
            columns=tuple(columns[c] for c in range(len(names))),
            has_header=has_header,
            lines=lines,
            unnamed=tuple(i for i, f in enumerate(first.fields) if has_header and not f.strip()),
            booleans=frozenset(booleans),
            text=found,
            notes=(
                *self._on_skipped(),
                *self.notes(),
                *self._on_points(found, has_header, names, list(numeric)),
                *on_commas(found),
                *_on_first(first, has_header),
            ),
        )

    @cached_property
    def skipped(self) -> frozenset[int]:
        """The lines that are not read."""
        return frozenset(self.asked.skip_lines)

    def _on_skipped(self) -> tuple[str, ...]:
        """The lines that were not read."""
        skipped = self.asked.skip_lines
        if not skipped:
            return ()
        are = "is" if len(skipped) == 1 else "are"
        return (f"{self.lines_named(skipped)} of {self.source} {are} skipped",)

    def lines_named(self, lines: Sequence[int]) -> str:
        """Some lines as messages name them: "line 2", "lines 1, 2, 5"."""
        many = "" if len(lines) == 1 else "s"
        return f"{self.counted}{many} {some([str(n) for n in lines[:_LINES_SHOWN]], len(lines))}"

    def skipping(self, lines: Iterable[int]) -> str:
        """``--skip-lines`` for some more lines than are skipped already."""
        return f"--skip-lines {as_ranges(sorted(self.skipped.union(lines)))}"

    def check_skipped(self, n_lines: int) -> None:
        """DataError for a line to be skipped that a file of so many lines does not have."""
        beyond = [line for line in self.asked.skip_lines if line > n_lines]
        if beyond:
            raise DataError(
                f"{self.source} has {counted(n_lines, self.counted)}; --skip-lines {beyond[0]} "
                "names none of them."
            )

    def _on_points(
        self, found: TextFound, has_header: bool, names: Sequence[str], columns: list[int]
    ) -> tuple[str, ...]:
        """Columns of a file with semicolons in which all points may separate thousands."""
        if found.delimiter != ";" or found.decimal is not None or found.decimal_commas:
            return ()
        doubtful = [names[c] for c in self._ambiguous(has_header, columns)]
        if not doubtful:
            return ()
        return (
            f"points in {listed(doubtful)} are read as decimal points, although three digits "
            "follow each; --decimal , reads them as separators of thousands",
        )

    def _decimal_commas(self, texts: dict[int, list[str | None]]) -> dict[int, Float64Array]:
        """The columns that only decimal commas explain, unless the decimal mark is known."""
        if self.asked.decimal is not None:
            return {}
        found = {column: decimal_commas(values) for column, values in texts.items()}
        return {
            c: self.present_numbers(numbers) for c, numbers in found.items() if numbers is not None
        }

    def present_numbers(self, numbers: Float64Array) -> Float64Array:
        """The numbers, NaN for those that stand for a missing value, however they are written."""
        stand = self._stand_for_missing
        return np.where(np.isin(numbers, stand), np.nan, numbers) if stand else numbers

    @cached_property
    def _stand_for_missing(self) -> list[float]:
        """Those of ``na_values`` that are numbers."""
        found = [to_numbers([value], self.asked.decimal) for value in self.asked.na_values]
        return [number[0] for number in found if number is not None]

    def _ambiguous(self, has_header: bool, columns: list[int]) -> list[int]:
        """Columns of numbers in which every point may stand between groups of three digits."""
        seen: dict[int, set[bool | None]] = {column: set() for column in columns}
        for chunk in self._chunks(has_header):
            for column, kinds in seen.items():
                kinds.add(points_may_group([row.fields[column] for row in chunk]))
        return [column for column, kinds in seen.items() if True in kinds and False not in kinds]

    def _numeric(
        self, has_header: bool, columns: list[int]
    ) -> tuple[IntArray, dict[int, NDArray[Any]]]:
        """The line of each row, and those of some columns that hold only numbers."""
        lines: list[int] = []
        parts: dict[int, list[Float64Array]] = {c: [np.empty(0)] for c in columns}
        for chunk in self._chunks(has_header):
            lines.extend(row.line for row in chunk)
            for column in list(parts):
                fields = [row.fields[column] for row in chunk]
                numbers = to_numbers(fields, self.asked.decimal)
                if numbers is None:
                    del parts[column]
                else:
                    parts[column].append(self.present_numbers(numbers))
        numeric = {column: np.concatenate(pieces) for column, pieces in parts.items()}
        return np.array(lines, np.int64), numeric

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
        first = next(rows)
        if not has_header:
            rows = chain([first], rows)
        at_once = max(1, min(_ROWS_AT_ONCE, _FIELDS_AT_ONCE // len(first.fields)))
        n_rows, unchecked = 0, 0
        while chunk := list(islice(rows, at_once)):
            if self.asked.na_values:
                chunk = [Row(row.line, self.asked.present(row.fields)) for row in chunk]
            yield chunk
            n_rows += len(chunk)
            unchecked += len(chunk) * len(chunk[0].fields)
            if unchecked > _FIELDS_PER_CHECK:
                self._check_memory(n_rows, len(chunk[0].fields))
                unchecked = 0

    def _check_memory(self, n_rows: int, width: int) -> None:
        """MemoryError unless what was read fits once more, as the columns are put together."""
        require(
            8 * n_rows * (width + 1),
            what=f"Reading {self.source}, which has more than {n_rows:,} rows,",
            instead="Keep fewer rows or columns.",
        )


def is_header(fields: Sequence[str]) -> bool:
    """Whether a line names columns: not all are numbers, or they count, after an empty field.

    >>> is_header(["a", "1"]), is_header(["2", "NA"]), is_header(["", "0", "1"])
    (True, False, True)
    """
    first, *others = [field.strip() for field in fields] or [""]
    # pandas and R write numbered columns so, next to names of rows.
    is_numbered = not first and (others in (["0"], ["1", "2"]) or _counts(others))
    return is_numbered or not all(map(is_number, fields))


def _names(fields: Sequence[str]) -> tuple[str, ...]:
    """The names in a header; those that are empty by their position, if nothing else is called so.

    >>> _names(["", "x"]), _names(["", "1"])
    (('1', 'x'), ('Unnamed: 0', '1'))
    """
    given = [field.strip() for field in fields]
    positions = positional_names(len(fields))
    return tuple(
        name or (f"Unnamed: {i}" if positions[i] in given else positions[i])
        for i, name in enumerate(given)
    )


def on_commas(found: TextFound) -> tuple[str, ...]:
    """A note on the columns with decimal commas, if there are any."""
    if not found.decimal_commas:
        return ()
    has = "column {} has" if len(found.decimal_commas) == 1 else "columns {} have"
    return (f"{has.format(listed(found.decimal_commas))} decimal commas",)


def _counts(fields: Sequence[str]) -> bool:
    """Whether fields number columns: from 0, three and more of them from anywhere, or by years.

    >>> _counts(["0", "1"]), _counts(["2010", "2015"]), _counts(["7", "8", "9"])
    (True, True, True)
    >>> _counts(["1", "2"]), _counts(["2020", "2015"])
    (False, False)
    """
    if len(fields) < 2 or not all(map(_WHOLE.fullmatch, fields)):
        return False
    numbers = [int(field) for field in fields]
    steps = {later - number for number, later in pairwise(numbers)}
    if steps == {1} and (numbers[0] == 0 or len(fields) > 2):
        return True
    return min(steps) > 0 and numbers[0] in _YEARS and numbers[-1] in _YEARS


def _on_first(row: Row, has_header: bool) -> tuple[str, ...]:
    """What is doubtful about the first line, which is a header or not."""
    first = row.fields
    if not has_header and _counts([field.strip() for field in first]):
        return (
            f"the first line, {', '.join(first[:3])}{', …' if len(first) > 3 else ''}, is "
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
