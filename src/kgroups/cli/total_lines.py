"""A last line of totals, means or notes, which is not a point."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgroups.cli.unit_lines import also_skipped, only
from kgroups.input.table_files import Table
from kgroups.input.table_files.first_rows import as_ranges
from kgroups.text import quoted

_WORDS = re.compile(
    r"(grand |sub|sub-)?(total|totals|sum|mean|means|average|avg|median|count|std|summe|gesamt|"
    r"gesamtsumme|insgesamt|mittel|mittelwert|durchschnitt|somme|moyenne|totale|totaal|totaux|"
    r"suma|promedio|soma|media|média)\s*[:.]?"
    r"|(source|sources|note|notes|quelle|anmerkung|stand)\s*:.*|\(\d+ rows?.*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TotalLine:
    """The last row of a table, in which a word says that it is not a point."""

    table: Table
    column: int
    text: str

    @property
    def skipped(self) -> list[int]:
        """The lines that are skipped already, and this one."""
        last = [] if self.table.lines is None else self.table.lines[-1:].tolist()
        return also_skipped(self.table, last)

    @property
    def found(self) -> str:
        """What the row holds."""
        where = self.table.where(self.table.n_rows - 1)
        return f"{self.table.source}, {where}, the last one, holds {quoted(self.text)}."

    @property
    def advice(self) -> str:
        """What to write instead."""
        return (
            f"If it is a sum or a note, not a point, pass --skip-lines {as_ranges(self.skipped)}."
        )

    def above(self) -> Table:
        """The table without this row."""
        return only(self.table, slice(-1))


def total_line(table: Table, columns: Sequence[int]) -> TotalLine | None:
    """The last row, if one of some columns holds a word such as "Total" there and nowhere else."""
    if table.lines is None or table.text is None or table.n_rows < 2:
        return None
    for column in columns:
        values = table.columns[column]
        text = values[-1]
        if isinstance(text, str) and _WORDS.fullmatch(text) and text not in values[:-1]:
            return TotalLine(table, column, text)
    return None
