"""Names of the rows of a matrix in a file next to those of its columns."""

from collections.abc import Sequence

from kgroups.exceptions import DataError
from kgroups.input.matrix_names import other_name, places_by_name
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
    places = places_by_name(rows, names)
    if places is not None:
        found = [columns[place] for place in places]
        return found, () if found == columns else (_reordered(table),)
    other = other_name(rows, names)
    if not is_named and other is not None:
        raise DataError(_on_other_names(table, other, ids[0]))
    return columns, ()


def _reordered(table: Table) -> str:
    return (
        f"the columns of {table.source} have another order than its rows; they are matched by name"
    )


def _on_other_names(table: Table, other: tuple[int, str, str], of_rows: int) -> str:
    row, own, column = other
    return (
        f"{table.source}, {table.where(row)}: the row is named {quoted(own)} and its column "
        f"{quoted(column)}; rows and columns of a matrix between points must have the same names. "
        f"If they are the same points in the same order, pass --id-column "
        f"{quoted(table.names[of_rows])}."
    )
