"""Names of the rows of a matrix in a file next to those of its columns."""

from collections.abc import Sequence

from kgroups.exceptions import DataError
from kgroups.input.matrix_names import order_of_columns
from kgroups.input.table_files import Table
from kgroups.text import quoted


def in_order_of_rows(
    table: Table, columns: list[int], ids: Sequence[int], *, is_named: bool
) -> tuple[list[int], tuple[str, ...]]:
    """The columns of a matrix in the order of its rows, by their names, and a note if that differs.

    DataError if the names of rows are other names, unless one of both is a mere number or
    ``is_named`` says that a person named the column of row names.
    """
    if len(ids) != 1 or not table.has_header or len(columns) != table.n_rows:
        return columns, ()
    rows, names = table.texts(ids[0]), [table.names[column] for column in columns]
    places = order_of_columns(rows, names, lambda: table.numbers(columns))
    if places is not None:
        found = [columns[place] for place in places]
        return found, () if found == columns else (_reordered(table),)
    row = next((name for name in rows if name not in names), None)
    counts = [[str(i) for i in range(first, first + len(names))] for first in (0, 1)]
    if not is_named and row is not None and rows not in counts and names not in counts:
        raise DataError(
            f"{table.source}: no column has the name of row {quoted(row)}; rows and columns of "
            "a matrix between points must have the same names. If they are the same points in the "
            f"same order, pass --id-column {quoted(table.names[ids[0]])}."
        )
    return columns, ()


def _reordered(table: Table) -> str:
    return (
        f"the columns of {table.source} have another order than its rows; they are matched by name"
    )
