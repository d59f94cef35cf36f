"""Names of the rows of a matrix next to those of its columns, which must be the same points."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from kgroups.input.table_files.numerals import to_numbers
from kgroups.text import quoted

# What R's make.names leaves of the characters of a name.
_NOT_IN_R = re.compile(r"[^\w.]")
# A number with what programs write in front of it, as in V1 and X1.
_NUMBERED = re.compile(r"(?:\D*?)(\d+)")


def places_by_name(rows: Sequence[str], names: Sequence[str]) -> list[int] | None:
    """The position among some names of the name of each row; None if they are other names.

    >>> places_by_name(["a", "b", "1.0"], ["1", "a", "b"])
    [1, 2, 0]
    """
    for key in (str, _key):  # as they are written, or else by their values, which may round
        places = {key(name): place for place, name in enumerate(names)}
        keys = list(map(key, rows))
        if len(places) == len(names) and set(keys) == set(places):
            return [places[one] for one in keys]
    return None


def other_name(rows: Sequence[str], names: Sequence[str]) -> tuple[int, str, str] | None:
    """The first row whose column has another name, with both.

    None where one of both only numbers the points, or where R wrote the same names differently.
    """
    pairs = zip_longest(range(len(rows)), rows, names)
    if _is_numbered(rows) or _is_numbered(names):
        return None
    return next((pair for pair in pairs if _as_r(pair[1]) != _as_r(pair[2])), None)


def in_order_of_rows(matrix: Any) -> Any:
    """A square frame of pandas whose columns are in the order of its rows, by their names.

    Anything else is returned as it is, also a frame with numbers for names on one side only.

    Raises
    ------
    ValueError
        If the rows have other names than the columns.
    """
    if not _is_square_frame(matrix):
        return matrix
    places = order_of_columns(matrix)
    if places is not None:
        return matrix if places == list(range(len(places))) else matrix.iloc[:, places]
    found = other_name(_texts(matrix.index), _texts(matrix.columns))
    if found is None or _hold_text(matrix.index) != _hold_text(matrix.columns):
        return matrix
    raise ValueError(
        f"X: row {found[0]} is named {quoted(found[1])} and its column {quoted(found[2])}; rows "
        "and columns of a matrix between points must have the same names. If they are the same "
        "points in the same order, pass X.to_numpy()."
    )


def in_order_of_fit(matrix: Any, names: Sequence[str]) -> Any:
    """A frame of new rows with its columns in the order of the fit, if it has the same names."""
    places = places_by_name(names, _texts(matrix.columns))
    if places is None or places == list(range(len(places))):
        return matrix
    return matrix.iloc[:, places] if hasattr(matrix, "iloc") else matrix[:, places]


def order_of_columns(frame: Any) -> list[int] | None:
    """The position of the column of each row of a square frame of pandas; None for other names.

    Where rows or columns only count from 0 or 1, and the matrix is symmetric as it stands, the
    numbers of the others say where the points come from, not where their columns are.
    """
    rows, columns = _texts(frame.index), _texts(frame.columns)
    own = list(range(len(rows)))
    places = own if rows == columns else places_by_name(rows, columns)
    if places is None or not (_is_numbered(rows) or _is_numbered(columns)):
        return places
    values = frame.to_numpy()
    if values.dtype.kind not in "biuf":
        return places
    values = values.astype(np.float64)
    return own if np.allclose(values, values.T, equal_nan=True) else places


def _is_square_frame(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns") and X.shape[0] == X.shape[1]


def _hold_text(names: Any) -> bool:
    return any(isinstance(name, str) for name in names)


def _texts(names: Any) -> list[str]:
    return [str(name) for name in names]


def _key(name: str) -> str | float:
    """A name as it is compared: a number by its value."""
    number = to_numbers([name.strip()])
    return name.strip() if number is None or not name.strip() else float(number[0])


def _is_numbered(names: Sequence[str]) -> bool:
    """Whether names count from 0 or 1."""
    matches = [_NUMBERED.fullmatch(name) for name in names]
    numbers = [int(match[1]) for match in matches if match is not None]
    return numbers in (list(range(len(names))), list(range(1, len(names) + 1)))


def _as_r(name: str) -> str:
    return _NOT_IN_R.sub(".", name.strip()).removeprefix("X")
