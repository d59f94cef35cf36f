"""Lines of units or descriptions between the column names and the numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.input.table_files import Table
from kgroups.input.table_files.first_rows import as_ranges
from kgroups.input.table_files.numerals import decimal_commas, is_number, to_numbers
from kgroups.input.table_files.table import some
from kgroups.input.table_files.text_format import Decimal
from kgroups.text import quoted, short

# More lines above the numbers are not units and descriptions of columns.
_MOST_LINES = 3
# Share of the entries of a column that must be numbers.
_MOST = 0.5
# Units that are shown, and their length, in a message.
_SHOWN, _LONGEST = 4, 30


@dataclass(frozen=True)
class Units:
    """The first rows of a table, which hold text where the rows below hold numbers."""

    table: Table
    n_rows: int
    #: The texts that stand above numbers.
    texts: tuple[str, ...]

    @property
    def option(self) -> str:
        """The value of ``--skip-lines`` that leaves these rows out."""
        return as_ranges(self.skipped)

    @property
    def found(self) -> str:
        """What the rows hold."""
        shown = [quoted(short(" ".join(text.split()), _LONGEST)) for text in self.texts[:_SHOWN]]
        where = self.table.where(0)
        verb, others = "holds", f"{self.table.counted}s"
        if self.n_rows > 1:
            where, verb = f"{others} {where.split()[-1]} to {self._last()}", "hold"
        return (
            f"{self.table.source}, {where} {verb} {some(shown, len(self.texts))} where the other "
            f"{others} hold numbers."
        )

    @property
    def advice(self) -> str:
        """What to write instead."""
        it = "it holds" if self.n_rows == 1 else "they hold"
        skip = f"If {it} units or descriptions of columns, pass --skip-lines {self.option}"
        if len(self.texts) == self.n_rows == 1:
            return f"{skip}; if it stands for a missing value, use --na-values."
        return f"{skip}."

    def below(self) -> Table:
        """The table without these rows."""
        return only(self.table, slice(self.n_rows, None))

    @property
    def skipped(self) -> list[int]:
        """Lines that are skipped already, and these; a row may have several."""
        lines = [] if self.table.lines is None else self.table.lines.tolist()
        return also_skipped(self.table, range(lines[0], lines[self.n_rows]))

    def _last(self) -> int:
        return self.skipped[-1]


def units_of(table: Table, columns: Sequence[int]) -> Units | None:
    """The rows above the numbers of some columns, if they hold only text there.

    A word that occurs again further down stands for a missing value.
    """
    if table.text is None or any(_begins_with_number(table.columns[c]) for c in columns):
        return None
    numbers = [column for column in columns if is_mostly_numbers(table.columns[column])]
    heads = [head_of(table.columns[column]) for column in numbers]
    n_rows = 0
    for row in range(min(_MOST_LINES, table.n_rows - 1)):
        texts = [head[row] for head in heads]
        is_empty = row > 0 and all(text is None for text in texts)  # as pandas names its index
        if any(isinstance(t, float) for t in texts):
            break
        if not is_empty and not any(isinstance(t, str) for t in texts):
            break
        n_rows = row + 1
    above = {
        (column, text)
        for column, head in zip(numbers, heads, strict=True)
        for text in head[:n_rows]
        if isinstance(text, str)
    }
    if not above or any(text in table.columns[column][n_rows:] for column, text in above):
        return None
    in_order = (head[row] for row in range(n_rows) for head in heads)
    distinct = dict.fromkeys(text for text in in_order if isinstance(text, str))
    return Units(table, n_rows, tuple(distinct))


def _begins_with_number(values: NDArray[Any]) -> bool:
    """Whether a column of numbers has one in the first row."""
    return values.dtype != object and not np.isnan(values[:1]).any()


def is_mostly_numbers(values: NDArray[Any]) -> bool:
    """Whether a column is one of numbers, but for a few entries."""
    if values.dtype != object:
        return True
    present = [value for value in values.tolist() if value is not None]
    return sum(map(is_number, present)) > _MOST * len(present)


def head_of(values: NDArray[Any]) -> list[str | float | None]:
    """The first entries: text, numbers as floats, None for missing values."""
    head = values[:_MOST_LINES].tolist()
    if values.dtype != object:
        return [None if np.isnan(value) else value for value in head]
    return [0.0 if value is not None and is_number(value) else value for value in head]


def only(table: Table, rows: slice) -> Table:
    """Some rows of a table, with columns of numbers where all text was in the others."""
    decimal = None if table.text is None else table.text.decimal
    return replace(
        table,
        columns=tuple(_reread(column[rows], decimal) for column in table.columns),
        lines=None if table.lines is None else table.lines[rows],
        reread=None,
    )


def also_skipped(table: Table, lines: Iterable[int]) -> list[int]:
    """Some lines, and those that were skipped already."""
    already = () if table.text is None else table.text.skip_lines
    return sorted({*already, *lines})


def _reread(values: NDArray[Any], decimal: Decimal | None) -> NDArray[Any]:
    """A column of text as numbers, if it is one of numbers now."""
    if values.dtype != object:
        return values
    numbers = to_numbers(["" if value is None else value for value in values], decimal)
    if numbers is None and decimal is None:
        numbers = decimal_commas(values.tolist())
    return values if numbers is None else numbers
