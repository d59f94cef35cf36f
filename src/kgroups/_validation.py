"""From what a user passes to clean arrays, and every message that says what is wrong with it."""

from __future__ import annotations

import numbers
from difflib import get_close_matches
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, validate_data

from kgroups._frames import (
    column_label,
    date_cell,
    encode_categories,
    feature_names,
    is_category,
    not_a_number,
    text_cell,
)
from kgroups._memory import parsed_bytes
from kgroups._typing import BoolArray, Float64Array, FloatArray, IntArray
from kgroups.semimetrics import PairFunction, Semimetric, by_name

#: What numbers of users become, the first unless they are the second.
FLOATS = [np.float64, np.float32]


# --- parameters -----------------------------------------------------------------------------


def check_integer(value: Any, name: str, *, least: int = 1) -> int:
    """An integer of at least ``least``."""
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
    if not is_integer or int(value) < least:
        raise ValueError(f"{name} must be an integer >= {least}; got {value!r}.")
    return int(value)


def check_n_jobs(n_jobs: Any) -> int | None:
    """None, or an integer other than zero."""
    if n_jobs is None:
        return None
    return check_integer(n_jobs, "n_jobs", least=-(2**31))


def check_tol(value: Any, name: str = "tol") -> float:
    """A finite number that is not negative."""
    if not isinstance(value, numbers.Real) or not 0 <= float(value) < np.inf:
        raise ValueError(f"{name} must be a number >= 0; got {value!r}.")
    return float(value)


def check_share(value: Any, name: str) -> float:
    """A number between 0 and 1."""
    if not isinstance(value, numbers.Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name} must be a number between 0 and 1; got {value!r}.")
    return float(value)


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """One of a few strings."""
    if not isinstance(value, str) or value not in choices:
        near = get_close_matches(str(value), choices, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}.{hint}")
    return value


def check_metric(metric: Any) -> Semimetric:
    """A semimetric from its name, from an object, or from a function of two points."""
    if isinstance(metric, str):
        return by_name(metric)
    if isinstance(metric, Semimetric):
        metric.check()
        return metric.copy()  # what the user does to it later is not to reach the fit
    if callable(metric) and not isinstance(metric, type):
        return PairFunction(metric)
    raise ValueError(
        f"metric must be a name, a semimetric such as kgroups.semimetrics.Energy(0.5), or a "
        f"function of two points; got {metric!r}."
    )


def check_n_clusters(n_clusters: Any, n_samples: int) -> int:
    """Between one cluster and one a point."""
    k = check_integer(n_clusters, "n_clusters")
    if k > n_samples:
        raise ValueError(
            f"n_clusters={k} is more than n_samples={n_samples}; "
            f"ask for at most {n_samples} clusters."
        )
    return k


# --- tables and objects ----------------------------------------------------------------------


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
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(table.sum()):  # no second table is made in the usual case
            return
    bad = ~np.isfinite(table)
    if not bad.any():
        return
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
        return None
    table = X if hasattr(X, "shape") else np.asarray(X, dtype=object)
    if len(table.shape) != 2:
        return None
    columns = semimetric.categorical_columns(table.shape[1], names) if reset else []
    if not reset:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    encoded = encode_categories(table, columns, known)
    if encoded is None:
        return None
    if reset:
        validate_data(estimator, X, reset=True, skip_check_array=True)
        estimator.categories_ = encoded.categories
    return encoded.table


def _numeric(estimator: Any, X: Any, names: list[str] | None, *, reset: bool) -> FloatArray:
    cell = date_cell(X)
    if cell is not None:  # NumPy would take nanoseconds for numbers
        raise ValueError(not_a_number(*cell, names))
    try:
        table = validate_data(
            estimator, X, reset=reset, dtype=FLOATS, order="C", ensure_all_finite=False
        )
    except (ValueError, TypeError) as error:
        cell = text_cell(X)
        if cell is None or not is_category(cell[2]):
            _check_no_objects(X)
            raise
        raise ValueError(not_a_number(*cell, names)) from error
    return np.asarray(table)


def _check_no_objects(X: Any) -> None:
    """ValueError for a sequence of text, which is no table and needs a metric of its own."""
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


# --- weights and labels ----------------------------------------------------------------------


def check_weights(sample_weight: Any, n_samples: int, name: str = "sample_weight") -> Float64Array:
    """One weight a point, none negative, not all zero; ones for None."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = check_array(
        sample_weight,
        dtype=np.float64,
        ensure_2d=False,
        ensure_all_finite=False,
        input_name=name,
    )
    if weights.ndim != 1 or len(weights) != n_samples:
        raise ValueError(
            f"{name}.shape == {weights.shape}, expected ({n_samples},): one weight a row."
        )
    if not np.all(np.isfinite(weights)):
        row = int(np.argmin(np.isfinite(weights)))
        raise ValueError(f"{name} contains NaN or infinity: row {row} is {weights[row]}.")
    if np.any(weights < 0):
        row = int(np.argmin(weights))
        raise ValueError(f"{name} must not be negative; row {row} is {weights[row]:.6g}.")
    if not np.any(weights > 0):
        raise ValueError(f"{name} is zero for every row; at least one must be positive.")
    return np.asarray(weights)


def check_labels(labels: Any, n_samples: int, k: int, name: str) -> IntArray:
    """Starting labels: one integer in 0..k−1 a point."""
    array = np.asarray(labels)
    if array.shape != (n_samples,):
        raise ValueError(
            f"{name} must hold one label for each of the {n_samples} rows; got shape {array.shape}."
        )
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers in 0..{k - 1}; got {array.dtype}.")
    if array.size and (array.min() < 0 or array.max() >= k):
        raise ValueError(
            f"{name} must hold integers in 0..{k - 1} for n_clusters={k}; "
            f"got values from {array.min()} to {array.max()}."
        )
    return array.astype(np.int64)


def check_memory_limit(value: Any) -> None:
    """A number of bytes, a size with its unit, or None for what is free."""
    if value is None:
        return
    if isinstance(value, str):
        try:
            parsed_bytes(value)
        except ValueError as error:
            raise ValueError(f"memory_limit: {error}") from None
        return
    check_integer(value, "memory_limit")


def count_distinct_rows(table: FloatArray, among: BoolArray, limit: int) -> int:
    """Different rows, counted up to ``limit``: at once for most tables, and before any distance."""
    seen: set[bytes] = set()
    for row in np.flatnonzero(among):
        seen.add((table[row] + 0.0).tobytes())  # + 0.0, because -0.0 is 0.0
        if len(seen) == limit:
            break
    return len(seen)


def check_distinct(distinct: int, k: int) -> None:
    """As many different points as clusters."""
    if distinct < k:
        raise ValueError(
            f"n_clusters={k} is more than the number of distinct rows with weight, {distinct}; "
            f"ask for at most {distinct} clusters."
        )
