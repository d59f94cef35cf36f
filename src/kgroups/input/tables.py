"""A clean table from what a user hands in, and every message that says what is wrong with it."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from kgroups.input.frames import (
    column_label,
    encode_categories,
    feature_names,
    is_category,
    not_a_number,
    refuse_dates,
    text_cell,
)
from kgroups.semimetrics.finite import is_finite
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import BoolArray, Float64Array, FloatArray

#: What numbers of users become, the first unless they are the second.
FLOATS = [np.float64, np.float32]


def check_points(estimator: Any, X: Any, semimetric: Semimetric, *, reset: bool) -> Any:
    """A clean table for the semimetric; or the sequence of objects when it compares objects.

    Sets ``n_features_in_`` and ``feature_names_in_`` for tables, and ``categories_`` when text is
    compared by equality.
    """
    was_table = _is_table(X) if reset else hasattr(estimator, "n_features_in_")
    if semimetric.takes_objects and not was_table:
        return check_objects(X)
    if issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required. Use X.toarray(); for a "
            'sparse Gram matrix metric="precomputed_kernel"; for a network GraphKGroups.'
        )
    names = feature_names(X)
    encoded = _encoded(estimator, X, semimetric, names, reset=reset)
    table = _numeric(estimator, X, names, reset=reset) if encoded is None else encoded
    check_finite(table, names)
    return table


def check_objects(X: Any) -> Any:
    """A sequence of at least one object."""
    if not hasattr(X, "__len__") or not hasattr(X, "__getitem__"):
        raise TypeError(f"X must be a sequence of objects; got {type(X).__name__}.")
    objects = X.to_list() if hasattr(X, "to_list") else X
    if len(objects) == 0:
        raise ValueError("Found 0 samples in X; at least one is needed.")
    return objects


def check_finite(table: FloatArray, names: list[str] | None, name: str = "X") -> None:
    """Every entry a number; the first that is not is named by row and column."""
    if is_finite(table):
        return
    bad = ~np.isfinite(table)
    row, column = np.argwhere(bad)[0]
    what, advice = "infinity", "No distance to it is finite: correct the value or drop the row."
    if np.isnan(table[row, column]):
        what, advice = "NaN", (
            "Distances to a missing value are undefined: impute first, for instance with "
            "sklearn.impute.SimpleImputer, or drop the rows (command line: --impute mean)."
        )  # fmt: skip
    count = int(bad.sum())
    more = f" and {count - 1} more" if count > 1 else ""
    raise ValueError(
        f"Input {name} contains {what} in row {row}, {column_label(int(column), names)}{more}. "
        f"{advice}"
    )


def _is_table(X: Any) -> bool:
    """Frames and numeric arrays are tables; lists of strings, sets or trees are not."""
    if hasattr(X, "columns"):
        return True
    try:
        array = np.asarray(X)
    except ValueError:
        return False  # rows of unequal length: objects
    return array.ndim == 2 and array.dtype.kind in "iufb"


def _encoded(
    estimator: Any, X: Any, semimetric: Semimetric, names: list[str] | None, *, reset: bool
) -> Float64Array | None:
    """The table with categories as codes; None when it holds none."""
    known: dict[int, list[Any]] | None = getattr(estimator, "categories_", None)
    if known is None and not reset:
        refuse_dates(X, names)
        return None
    table = X if hasattr(X, "shape") else np.asarray(X, dtype=object)
    if len(table.shape) != 2:
        return None
    columns = semimetric.categorical_columns(table.shape[1], names) if reset else []
    if known is not None:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    encoded = encode_categories(table, columns, known)
    if encoded is None:
        return None
    if reset:
        validate_data(estimator, X, reset=True, skip_check_array=True)
        estimator.categories_ = encoded[1]
    return encoded[0]


def _numeric(estimator: Any, X: Any, names: list[str] | None, *, reset: bool) -> FloatArray:
    try:
        table = validate_data(
            estimator, X, reset=reset, dtype=FLOATS, order="C", ensure_all_finite=False
        )
    except (ValueError, TypeError) as error:
        cell = text_cell(X)
        if cell is None or not is_category(cell[2]):
            _refuse_text(X)
            raise
        raise ValueError(not_a_number(*cell, names)) from error
    return np.asarray(table)


def _refuse_text(X: Any) -> None:
    """ValueError for a sequence of text, which is not a table and needs a metric of its own."""
    first = next(iter(X), None) if np.ndim(X) == 1 else None
    if isinstance(first, str):
        raise ValueError(
            f"X is a sequence of text, which begins with {first[:40]!r}, and the metric is for "
            "tables of numbers. Give metric=f, a function f(a, b) of two items, or "
            'metric="precomputed" and the matrix of their distances.'
        )


def check_line(x: Any, name: str) -> Float64Array:
    """Numbers on a line, at least one, none missing."""
    values = np.asarray(x)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or values.dtype.kind not in "iufb":
        raise ValueError(
            f"{name} must be numbers on a line, shape (n,); got {values.dtype} of shape "
            f"{values.shape}."
        )
    if len(values) == 0:
        raise ValueError(f"{name} has no numbers; at least one is needed.")
    values = values.astype(np.float64)
    check_finite(values[:, None], [name], name)
    return values


def count_distinct_rows(table: FloatArray, among: BoolArray, limit: int) -> int:
    """Number of different rows, counted up to ``limit``, before any distance is computed."""
    seen: set[bytes] = set()
    for row in np.flatnonzero(among):
        seen.add((table[row] + 0.0).tobytes())  # + 0.0, because -0.0 is 0.0
        if len(seen) == limit:
            break
    return len(seen)


def check_distinct(distinct: int, k: int) -> None:
    """At least as many different points as clusters."""
    if distinct < k:
        raise ValueError(
            f"n_clusters={k} is more than the number of distinct rows with weight, {distinct}; "
            f"ask for at most {distinct} clusters."
        )
