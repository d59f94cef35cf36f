"""Names of the rows of a matrix next to those of its columns, which must be the same points."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgroups.input.columns import frame_of
from kgroups.text import quoted
from kgroups.typing import FloatArray


def places_by_name(rows: Sequence[str], names: Sequence[str]) -> list[int] | None:
    """The position among some names of the name of each row; None if they are other names.

    >>> places_by_name(["a", "b", "c"], ["c", "a", "b"])
    [1, 2, 0]
    """
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names) or len(rows) != len(names) or set(rows) != set(places):
        return None
    return [places[name] for name in rows]


def order_of_columns(
    rows: Sequence[str], columns: Sequence[str], values: Callable[[], NDArray[Any]]
) -> list[int] | None:
    """The position of the column of each row of a square matrix; None for other names.

    Where rows or columns only count from 0 or 1, and the matrix is symmetric as it stands, the
    numbers of the others say where the points come from, not where their columns are. If it is
    symmetric by its names, too, it stands in order only with a constant diagonal, as of distances.
    """
    own = list(range(len(rows)))
    places = own if list(rows) == list(columns) else places_by_name(rows, columns)
    if places in (None, own) or not (_is_count(rows) or _is_count(columns)):
        return places
    matrix = values()
    if not _is_symmetric(matrix):
        return places
    varies = len(set(matrix.diagonal().tolist())) > 1
    return places if varies and _is_symmetric(matrix[:, places]) else own


def order_of_frame(frame: Any) -> list[int] | None:
    """See :func:`order_of_columns`, of a square frame of pandas."""

    def values() -> NDArray[Any]:
        """The entries as numbers, where they are."""
        try:
            return np.asarray(frame.to_numpy(np.float64, na_value=np.nan))
        except (TypeError, ValueError):  # text, which is refused later
            return np.asarray(frame)

    return order_of_columns(_texts(frame.index), _texts(frame.columns), values)


def in_order_of_rows(matrix: Any) -> Any:
    """A square frame of pandas whose columns are in the order of its rows, by their names.

    Anything else is returned as it is, also a frame with numbers for names on one side only.
    ValueError if the rows have other names than the columns.
    """
    if not hasattr(matrix, "iloc") or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        return matrix
    places = order_of_frame(matrix)
    if places is not None:
        return matrix if places == list(range(len(places))) else matrix.iloc[:, places]
    refuse_other_names(matrix, "X")
    return matrix


def refuse_other_names(frame: Any, name: str) -> None:
    """ValueError for a square frame of pandas whose rows have other names than its columns."""
    rows, columns = _texts(frame.index), _texts(frame.columns)
    hold_text = [any(isinstance(n, str) for n in names) for names in (frame.index, frame.columns)]
    if _is_count(rows) or _is_count(columns) or hold_text[0] != hold_text[1]:
        return
    of_rows, of_columns = Counter(rows), Counter(columns)
    found = f"{quoted(of_rows.most_common(1)[0][0])} stands for several of them"
    if of_rows != of_columns:
        row, column = next(iter(of_rows - of_columns)), next(iter(of_columns - of_rows))
        found = f"row {quoted(row)} and column {quoted(column)} do not match"
    raise ValueError(
        f"{name}: rows and columns of a matrix between points must have the same names, and "
        f"{found}. If they are the same points in the same order, pass {name}.to_numpy()."
    )


def in_order_of_fit(matrix: Any, names: Sequence[str]) -> Any:
    """A frame of new rows with its columns in the order of the fit, if it has the same names."""
    frame = frame_of(matrix)
    places = None if frame is None else places_by_name(names, _texts(frame.columns))
    return matrix if frame is None or places is None else frame[:, places].to_native()


def _texts(names: Any) -> list[str]:
    return [str(name) for name in names]


def _is_count(names: Sequence[str]) -> bool:
    """Whether names count from 0 or 1."""
    n = len(names)
    return list(names) in ([str(i) for i in range(n)], [str(i) for i in range(1, n + 1)])


def _is_symmetric(values: NDArray[Any] | FloatArray) -> bool:
    """Whether numbers are symmetric up to rounding, whatever their unit."""
    if values.dtype.kind not in "biuf":
        return False
    largest = float(np.abs(values.astype(np.float64)).max(where=np.isfinite(values), initial=0.0))
    shares = values / (largest or 1.0)
    return np.allclose(shares, shares.T, equal_nan=True)
