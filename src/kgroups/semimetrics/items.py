"""Items, one per row, from the containers in which people have them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kgroups.text import quoted
from kgroups.typing import Data, Float64Array


def items_of(X: Data, what: str) -> list[Any]:
    """The items of a list, a column of pandas, polars or Arrow, or a one-dimensional array.

    ``what`` names one item in messages, such as "string".
    """
    if isinstance(X, (str, bytes)):
        raise TypeError(f"X is one {what} or text, {quoted(X)}, where a list with one per row is.")
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) > 1 and (len(shape) > 2 or shape[1] != 1):
        raise ValueError(
            f"X has shape {tuple(shape)}, and one {what} per row is compared: give a list or one "
            'column of the table, such as X["name"].'
        )
    items = _listed(X)
    if len(items) == 0:
        raise ValueError("Found 0 samples in X; at least one is needed.")
    return items


def _listed(X: Any) -> list[Any]:
    if hasattr(X, "columns"):
        column = X.columns[0]
        return _listed(X.iloc[:, 0] if hasattr(X, "iloc") else X[column])
    if isinstance(X, np.ndarray):
        return list(X.ravel().tolist() if X.dtype.kind in "USO" else X.ravel())
    for method in ("to_list", "to_pylist"):
        if hasattr(X, method):
            return list(getattr(X, method)())
    if not hasattr(X, "__len__") or not hasattr(X, "__getitem__"):
        raise TypeError(f"X must be a sequence of objects; got {type(X).__name__}.")
    return [X[i] for i in range(len(X))]


def is_missing(item: object) -> bool:
    """Whether an item is None, NaN or another mark of a missing value."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(item, (float, np.floating)) and bool(np.isnan(item))


def strings_of(X: Data) -> list[str]:
    """Strings, of which some may be empty; an error names the first item that is something else."""
    items = items_of(X, "string")
    for i, item in enumerate(items):
        if not isinstance(item, str):
            raise TypeError(f"X holds {_not_a_string(item)} where a string is compared: item {i}.")
    return items


def _not_a_string(item: object) -> str:
    if is_missing(item):
        return (
            f'a missing value ({item!r}; drop the row, or write "" if it stands for an empty '
            "string)"
        )
    if isinstance(item, (bytes, bytearray)):
        return f"bytes ({quoted(item)}; decode them: [item.decode() for item in X])"
    return (
        f"a value of type {type(item).__name__} ({quoted(item)}; write [str(item) for item in X] "
        "if it is to be compared as text)"
    )


def arrays_of(X: Data, what: str) -> list[Float64Array]:
    """One array of finite or missing numbers per item: rows of an array, or a list of arrays.

    ``what`` names one item, such as "series". Items have one dimension or two.
    """
    if hasattr(X, "columns") and getattr(X, "shape", (0, 0))[1] != 1:
        X = np.asarray(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "iufb":
        if X.ndim not in (2, 3):
            raise ValueError(
                f"X has shape {X.shape}, and each item is a {what}: give an array of shape "
                "(n, length) or of three dimensions, or a list of arrays."
            )
        if len(X) == 0:
            raise ValueError("Found 0 samples in X; at least one is needed.")
        return list(X.astype(np.float64))
    X = list(X) if isinstance(X, np.ndarray) else X
    return [_numbers(item, i, what) for i, item in enumerate(items_of(X, what))]


def _numbers(item: object, i: int, what: str) -> Float64Array:
    if is_missing(item):
        raise ValueError(f"the {what} {i} is missing ({item!r}); drop the row.")
    try:
        array = np.asarray(item)
    except ValueError as error:
        raise ValueError(f"the {what} {i} is not an array of numbers: {error}") from error
    if array.dtype.kind not in "iufb" and array.size:
        array = _from_objects(array, i, what)
    if array.ndim not in (1, 2):
        raise ValueError(
            f"the {what} {i} has {array.ndim} dimensions; it must have one or two, got "
            f"{quoted(item)}."
        )
    return array.astype(np.float64)


def _from_objects(array: np.ndarray[Any, Any], i: int, what: str) -> Float64Array:
    """Numbers of a column that pandas or a list holds as objects; None is missing."""
    if array.dtype.kind == "O":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            pass
    raise ValueError(
        f"the {what} {i} must be numbers; got {array.dtype}, which begins with "
        f"{quoted(array.ravel().tolist()[0])}."
    )


def check_no_gaps(arrays: Sequence[Float64Array], what: str, advice: str) -> None:
    """ValueError for items without numbers, and for those with NaN or infinity, with the place."""
    for i, array in enumerate(arrays):
        if array.size == 0:
            raise ValueError(
                f"the {what} {i} has length 0, so there is nothing to compare; drop it."
            )
        if not np.isfinite(array).all():
            place = int(np.argwhere(~np.isfinite(array))[0][0])
            found = "NaN" if np.isnan(array[place]).any() else "infinity"
            raise ValueError(f"the {what} {i} holds {found} at position {place}. {advice}")
