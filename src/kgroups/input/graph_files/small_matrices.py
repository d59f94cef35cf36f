"""Two or three rows of as many numbers in a file, which may be edges or a matrix."""

from collections.abc import Sequence

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_names import end_columns_by_name, weight_columns
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.numerals import to_numbers
from kgroups.input.table_files.text_format import Decimal
from kgroups.typing import Float64Array

#: Lists of edges have at most this many columns, unless these have names.
MOST_OF_EDGES = 3


def small_matrix(rows: Sequence[Row], source: str, decimal: Decimal | None) -> Float64Array | None:
    """The numbers of all rows, perhaps below a line of names, if they must be a matrix.

    They are one if they are symmetric with the same number on the whole diagonal, and as edges
    would have loops, a weight of 0 or ids that are no whole numbers. None if they are edges.

    Raises
    ------
    DataError
        If nothing tells edges from a matrix.
    """
    width = len(rows[0].fields)
    names = rows[0].fields if len(rows) == width + 1 else None
    if names is not None and not _may_name_columns(names):
        return None
    matrix = _numbers(rows if names is None else rows[1:], decimal)
    if matrix is None or width < 2 or not matrix.any():
        return None
    diagonal, is_symmetric = np.diagonal(matrix), np.array_equal(matrix, matrix.T)
    is_list, is_constant = may_list_edges(matrix), bool((diagonal == diagonal[0]).all())
    if is_symmetric and is_constant and not (is_list and diagonal[0]):
        return matrix
    if width < MOST_OF_EDGES or not (is_symmetric or not (is_list or diagonal.any())):
        return None
    columns = names or ["1", "2", "3"]
    raise DataError(
        f"{source} has three rows of three numbers, which may be edges or a matrix. For edges "
        f'write source="{columns[0]}", target="{columns[1]}" and weight="{columns[2]}"; for a '
        'matrix put names in front of the rows and above the columns, as in ",a,b,c", or save it '
        "as .npy."
    )


def may_list_edges(matrix: Float64Array) -> bool:
    """Whether rows may be edges between whole numbers, without loops and weights of 0.

    >>> may_list_edges(np.array([[1.0, 2.0], [2.0, 3.0]])), may_list_edges(np.ones((2, 2)))
    (True, False)
    """
    ends, others = matrix[:, :2], matrix[:, 2:]
    are_whole = bool((ends == np.floor(ends)).all())
    return are_whole and bool((ends[:, 0] != ends[:, 1]).all() and others.all())


def _may_name_columns(names: Sequence[str]) -> bool:
    """Whether names are neither numbers nor those of ends and weights; or 0, 1, 2 as of pandas."""
    if list(names) == ["0", "1", "2"]:
        return True
    are_words = all(to_numbers([name]) is None for name in names)
    return are_words and end_columns_by_name(names) is None and not weight_columns(names)


def _numbers(rows: Sequence[Row], decimal: Decimal | None) -> Float64Array | None:
    """As many finite numbers in each row as there are rows; None for anything else."""
    if any(len(row.fields) != len(rows) for row in rows):
        return None
    numbers = [to_numbers(row.fields, decimal) for row in rows]
    if any(row is None or not np.isfinite(row).all() for row in numbers):
        return None
    return np.array(numbers)
