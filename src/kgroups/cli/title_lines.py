"""Lines of titles above the column names that have as many fields as the table."""

from collections.abc import Sequence
from dataclasses import dataclass

from kgroups.cli.unit_lines import head_of, is_mostly_numbers
from kgroups.input.table_files import Table
from kgroups.input.table_files.first_rows import as_ranges
from kgroups.input.table_files.table import listed


@dataclass(frozen=True)
class TitleLines:
    """A line of names below titles, the first of which was read as the names."""

    table: Table
    #: The row of the names.
    row: int
    names: tuple[str, ...]

    @property
    def _line(self) -> int:
        return 0 if self.table.lines is None else int(self.table.lines[self.row])

    @property
    def skipped(self) -> list[int]:
        """The lines above the names."""
        return list(range(1, self._line))

    @property
    def found(self) -> str:
        """Where the names are."""
        return (
            f"{self.table.source}, {self.table.where(self.row)} holds {listed(self.names)}, which "
            f"seem to be the column names, below a title."
        )

    @property
    def advice(self) -> str:
        """What to write instead."""
        return f"Then pass --skip-lines {as_ranges(self.skipped)}."


def title_lines(table: Table, columns: Sequence[int]) -> TitleLines | None:
    """The names in one of the first rows, if the line that was read as the names is a title.

    A title has empty fields or a colon, or lines with text next to numbers follow it.
    """
    numbers = [c for c in columns if is_mostly_numbers(table.columns[c])]
    heads = [head_of(table.columns[column]) for column in numbers]
    if table.text is None or not table.has_header or not heads:
        return None
    rows = [list(row) for row in zip(*heads, strict=True)]
    row = next((r for r in reversed(range(len(rows))) if _are_names(rows[r])), None)
    if row is None or row + 1 >= table.n_rows:
        return None
    is_title = any(map(_is_mixed, rows[:row])) or _holds_a_title(table)
    if not is_title or any(_is_data(above) for above in rows[:row]):
        return None
    return TitleLines(table, row, tuple(map(str, rows[row])))


def _are_names(row: Sequence[str | float | None]) -> bool:
    return all(isinstance(value, str) for value in row) and len({*row}) == len(row)


def _is_data(row: Sequence[str | float | None]) -> bool:
    return all(isinstance(value, float) for value in row)


def _is_mixed(row: Sequence[str | float | None]) -> bool:
    return len({type(value) for value in row if value is not None}) > 1


def _holds_a_title(table: Table) -> bool:
    """Whether most of the names are empty, or the first one has a colon inside."""
    return 2 * len(table.unnamed) > len(table.names) or ": " in table.names[0]
