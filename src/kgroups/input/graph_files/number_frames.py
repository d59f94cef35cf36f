"""Frames that hold a table of numbers instead of edges, with what to write."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

from numpy.typing import NDArray

from kgroups.input.columns import column_values
from kgroups.input.graph_files.edge_names import end_columns
from kgroups.text import quoted

# Source, target and weight: with more numbers in each row, something must say what they are.
_MOST_NUMBERS = 3
# How the rows of a frame of pandas become a column, and the others edges.
_BY_INDEX = 'rename_axis("source").reset_index()'
_MELTED = '.melt("source", var_name="target", value_name="weight").query("weight != 0")'


def refuse_number_frame(frame: Any) -> None:
    """ValueError for a frame of numbers that neither names the ends of edges nor lists them.

    That is one whose rows have names, or with more than three columns of numbers.
    """
    names = [str(name) for name in frame.columns]
    has_numbers = [are_numbers(column_values(frame, c)) for c in range(len(names))]
    rows = row_names(frame) if all(has_numbers) else []
    n_numbers = sum(has_numbers)
    if _names_ends(names, has_numbers) or not (rows or n_numbers > _MOST_NUMBERS):
        return
    what, first = f"{n_numbers} columns of numbers, such as {quoted(names[-1])}", _BY_INDEX
    if rows:
        what = f"numbers between rows such as {quoted(rows[0])} and {what}"
    elif not has_numbers[0]:
        first = f'rename(columns={{"{names[0]}": "source"}})'
    raise ValueError(
        f"a frame of edges has columns source and target; got {what}. For a list of edges, rename "
        "the columns that hold the ends; for the edges between the rows and the columns, as of "
        f"plants and pollinators, write frame.{first}{_MELTED}; for the matrix between the same "
        "nodes, give the rows the names of the columns, and pass the frame as A."
    )


def are_numbers(values: NDArray[Any]) -> bool:
    """Whether a column holds numbers, perhaps as objects, and not the text of numbers."""
    if values.dtype.kind == "O":
        return all(isinstance(value, Real) for value in values.tolist())
    return values.dtype.kind in "biuf"


def _names_ends(names: Sequence[str], has_numbers: Sequence[bool]) -> bool:
    """Whether columns are called after the ends of edges, and not like u, v and w in u to z."""
    ends = end_columns(names)
    if ends is None:
        return False
    numbers = [name for name, is_one in zip(names, has_numbers, strict=True) if is_one]
    return len(names[ends[0]]) > 1 or len(numbers) <= _MOST_NUMBERS or max(map(len, numbers)) > 1


def row_names(frame: Any) -> list[str]:
    """The names of the rows of a pandas frame; none where rows are numbered."""
    index = getattr(frame, "index", None)
    if not hasattr(frame, "iloc") or index is None or getattr(index, "nlevels", 1) > 1:
        return []
    rows = list(index)
    return rows if rows and all(isinstance(row, str) for row in rows) else []
