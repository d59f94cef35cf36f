"""Names of the rows of a matrix next to those of its columns, which must be the same points."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.input.table_files.numerals import to_numbers
from kgroups.text import quoted

# What R's make.names leaves of the characters of a name.
_NOT_IN_R = re.compile(r"[^\w.]")
# What R (V, X) and pandas write in front of the numbers of points without names.
_BEFORE_COUNTS = ("", "V", "X", "Unnamed: ")


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


def order_of_columns(
    rows: Sequence[str], columns: Sequence[str], values: Callable[[], NDArray[Any]]
) -> list[int] | None:
    """The position of the column of each row of a square matrix; None for other names.

    Where rows or columns only count from 0 or 1, and the matrix is symmetric as it stands, the
    numbers of the others say where the points come from, not where their columns are. If it is
    symmetric by its names, too, it stands in order only with a constant diagonal, as of distances.
    """
    own = list(range(len(rows)))
    places = own if rows == columns else places_by_name(rows, columns)
    if places in (None, own) or not any(_is_count(names, [""]) for names in (rows, columns)):
        return places
    matrix = values()
    if not _is_symmetric(matrix):
        return places
    varies = len(set(matrix.diagonal().tolist())) > 1
    return places if varies and _is_symmetric(matrix[:, places]) else own


def other_names(rows: Sequence[str], columns: Sequence[str]) -> str | None:
    """How the names of rows differ from those of as many columns.

    None where one of both only counts the points, or where R wrote the same names differently.

    >>> other_names(["a", "b c", "d"], ["b.c", "a", "e"])
    "no column has the name of row 'd', and no row that of column 'e'"
    """
    if any(_is_count(names, _BEFORE_COUNTS) for names in (rows, columns)):
        return None
    if [*map(_as_r, rows)] == [*map(_as_r, columns)]:
        return None
    for names in (rows, columns):
        name, times = Counter(names).most_common(1)[0]
        if times > 1:
            return f"{times} {'rows' if names is rows else 'columns'} are named {quoted(name)}"
    for key in (_as_r, str):  # R may write two names as one
        row, column = _first_not_in(rows, columns, key), _first_not_in(columns, rows, key)
        if row is not None and column is not None:
            break
    return (
        f"no column has the name of row {quoted(row)}, and no row that of column {quoted(column)}"
    )


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
    places = order_of_frame(matrix)
    if places is not None:
        return matrix if places == list(range(len(places))) else matrix.iloc[:, places]
    refuse_other_names(matrix, "X")
    return matrix


def refuse_other_names(frame: Any, name: str) -> None:
    """ValueError for a square frame of pandas whose rows have other names than its columns."""
    found = other_names(_texts(frame.index), _texts(frame.columns))
    if found is not None and _hold_text(frame.index) == _hold_text(frame.columns):
        raise ValueError(
            f"{name}: {found}; rows and columns of a matrix between points must have the same "
            f"names. If they are the same points in the same order, pass {name}.to_numpy()."
        )


def in_order_of_fit(matrix: Any, names: Sequence[str]) -> Any:
    """A frame of new rows with its columns in the order of the fit, if it has the same names."""
    places = places_by_name(names, _texts(matrix.columns))
    if places is None or places == list(range(len(places))):
        return matrix
    return matrix.iloc[:, places] if hasattr(matrix, "iloc") else matrix[:, places]


def order_of_frame(frame: Any) -> list[int] | None:
    """See :func:`order_of_columns`, of a square frame of pandas."""
    return order_of_columns(_texts(frame.index), _texts(frame.columns), lambda: _numbers_of(frame))


def _numbers_of(frame: Any) -> NDArray[Any]:
    """The entries, NaN where one of a nullable type is missing; as they are, if some are text."""
    from pandas.api.types import is_numeric_dtype

    if all(map(is_numeric_dtype, frame.dtypes)):
        return np.asarray(frame.to_numpy(np.float64, na_value=np.nan))
    return np.asarray(frame)


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


def _is_count(names: Sequence[str], before: Sequence[str]) -> bool:
    """Whether names count from 0 or 1, with one of some texts in front of every number."""
    return any(
        list(names) == [f"{text}{number}" for number in range(first, first + len(names))]
        for text in before
        for first in (0, 1)
    )


def _is_symmetric(values: NDArray[Any]) -> bool:
    """Whether numbers are symmetric up to rounding, whatever their unit."""
    if values.dtype.kind not in "biuf":
        return False
    largest = float(np.abs(values.astype(np.float64)).max(where=np.isfinite(values), initial=0.0))
    shares = values / (largest or 1.0)
    return np.allclose(shares, shares.T, equal_nan=True)


def _first_not_in(
    names: Sequence[str], others: Sequence[str], key: Callable[[str], str]
) -> str | None:
    known = set(map(key, others))
    return next((name for name in names if key(name) not in known), None)


def _as_r(name: str) -> str:
    return _NOT_IN_R.sub(".", name.strip()).removeprefix("X")
