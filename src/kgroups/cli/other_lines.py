"""Lines of a table that are not points: titles, units and totals."""

from collections.abc import Sequence

from kgroups.cli.title_lines import TitleLines, title_lines
from kgroups.cli.total_lines import TotalLine, total_line
from kgroups.cli.unit_lines import Units, units_of
from kgroups.input.table_files import Table


def other_lines(table: Table, columns: Sequence[int]) -> TitleLines | Units | TotalLine | None:
    """The first lines that are not points, by some columns."""
    return title_lines(table, columns) or units_of(table, columns) or total_line(table, columns)
