"""A clean table from what a user hands in: scikit-learn's checks, and what they let through."""

from collections.abc import Collection
from os import PathLike
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import validate_data

from kgroups.input.coded_columns import MIXED, coded_table, names_of_fit, not_numbers
from kgroups.input.columns import (
    column_label,
    column_values,
    feature_names,
    frame_of,
)
from kgroups.input.lookalikes import (
    warn_of_distances,
    warn_of_identifiers,
    warn_of_sparse_network,
    warn_of_suspicion,
)
from kgroups.input.parameters import refuse_masked
from kgroups.input.sparse_matrices import sound
from kgroups.input.typed_columns import column_keys, missing_counts, typed_table
from kgroups.runtime.memory import require
from kgroups.semimetrics.canonical_rows import canonical, row_key, sparse_rows_of
from kgroups.semimetrics.finite import is_finite
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.semimetrics.units import widened
from kgroups.text import counted, quoted
from kgroups.typing import BoolArray, Float64Array, FloatArray

#: What numbers of users become, the first unless they are the second.
FLOATS = [np.float64, np.float32]


def check_points(estimator: Any, X: Any, semimetric: Semimetric, *, reset: bool) -> Any:
    """A clean table for the semimetric; or the sequence of objects when it compares objects.

    A table in float32 becomes float64 where squares of differences would over- or underflow. Sets
    ``n_features_in_`` and ``feature_names_in_`` for tables, and ``categories_`` when text is
    compared by equality. Columns that the semimetric does not use are not read; a frame's columns
    are found by their names then. Sparse rows stay sparse; new rows become what those of the fit
    are.
    """
    refuse_others(X)
    objects = None if issparse(X) else semimetric.read_objects(X)
    if objects is not None:
        if reset:
            warn_of_suspicion(semimetric, X, None)
        return objects
    was_table = _is_table(X) if reset else hasattr(estimator, "n_features_in_")
    if semimetric.takes_objects and not issparse(X):
        texts = _only_text_column(X)
        if texts is not None or not was_table:
            return check_objects(X if texts is None else texts)
    if issparse(X) or (semimetric.takes_sparse and is_sparse_frame(X)):
        return _sparse_rows(estimator, X, semimetric, reset=reset)
    names = feature_names(X)
    if semimetric.reads_types:
        table = typed_table(estimator, X, semimetric, names, reset=reset)
    elif (encoded := coded_table(estimator, X, semimetric, names, reset=reset)) is not None:
        table = encoded
    else:
        floats = [*FLOATS, np.float16] if semimetric.takes_half else FLOATS
        table = read_numbers(estimator, X, floats, reset=reset)
    of_fit = names_of_fit(estimator, names)
    check_finite(table, of_fit, incomplete=semimetric.incomplete_columns(table.shape[1], of_fit))
    if reset:
        if semimetric.takes_missing:
            _count_missing(estimator, table, names)
        warn_of_distances(table)
        warn_of_identifiers(estimator, table, names)
        warn_of_suspicion(semimetric, table, names)
    elif has_sparse_rows(estimator):
        check_finite(table, of_fit)  # sparse rows have no gaps
        return sparse_rows_of(table)
    return table if semimetric.takes_half else widened(table)


def refuse_others(X: Any, name: str = "X") -> None:
    """TypeError or ValueError for what would be read as something else without a word.

    The name of a file as its characters, a network as its nodes, masked entries as numbers, and
    dates as nanoseconds.
    """
    if isinstance(X, (str, bytes, PathLike)):
        raise TypeError(f"{name} is {quoted(X)}, and files are not read: read it, as by pandas.")
    if type(X).__module__.partition(".")[0] in ("networkx", "igraph"):
        raise TypeError(
            f"{name} is a network ({type(X).__name__}), not a table: its communities are found by "
            f"kgroups.GraphKGroups().fit({name})."
        )
    refuse_masked(X, name)
    frame_of(X, name)  # which may be lazy
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        raise ValueError(not_numbers("dates", f"{name} is of type {X.dtype}"))


def check_objects(X: Any) -> Any:
    """A sequence of at least one object."""
    is_sequence = hasattr(X, "__len__") and hasattr(X, "__getitem__")
    if not is_sequence or isinstance(X, dict) or frame_of(X) is not None:
        raise TypeError(f"X must be a sequence of objects; got {type(X).__name__}.")
    objects = X.to_list() if hasattr(X, "to_list") else X
    if len(objects) == 0:
        raise ValueError("Found 0 samples in X; at least one is needed.")
    return objects


def _is_table(X: Any) -> bool:
    """Frames and numeric arrays are tables; lists of strings, sets or trees are not."""
    if frame_of(X) is not None:
        return True
    try:
        array = np.asarray(X)
    except ValueError:
        return False  # rows of unequal length: objects
    return array.ndim == 2 and array.dtype.kind in "iufb"


def _only_text_column(X: Any) -> list[Any] | None:
    """The entries of a table with one column if they are text, which a metric compares as items."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2 or shape[1] != 1:
        return None
    values: list[Any] = column_values(X, 0).tolist()
    return values if any(isinstance(value, str) for value in values) else None


# --- sparse rows ---------------------------------------------------------------------------------


def is_sparse_frame(X: Any) -> bool:
    """Whether all columns of a frame of pandas are sparse; it is read as sparse rows then."""
    return hasattr(X, "iloc") and hasattr(X, "sparse")


def has_sparse_rows(estimator: Any) -> bool:
    """Whether the rows of the fit were sparse."""
    return bool(getattr(estimator, "_rows_are_sparse", False))


def _sparse_rows(estimator: Any, X: Any, semimetric: Semimetric, *, reset: bool) -> Any:
    """Rows as canonical CSR; those of new points as the rows of the fit were."""
    given = validate_data(
        estimator,
        sound(X, "X", None) if issparse(X) else X,
        reset=reset,
        accept_sparse="csr" if semimetric.takes_sparse else False,
        dtype=FLOATS,
        ensure_all_finite=False,
    )
    rows = canonical(given)
    check_finite(rows, feature_names(X))
    if reset:
        estimator._rows_are_sparse = True
        warn_of_sparse_network(rows)
    return rows if reset or has_sparse_rows(estimator) else filled(rows)


def filled(rows: csr_array) -> FloatArray:
    """New rows as a table, for a fit whose rows were one; MemoryError before allocating it."""
    n, n_columns = rows.shape
    require(
        n * n_columns * rows.dtype.itemsize,
        what=f"A table of {n} x {n_columns} for sparse rows, because the fit had a table,",
        instead="Fit sparse rows, or give fewer at a time.",
    )
    return np.asarray(rows.toarray())


# --- numbers -------------------------------------------------------------------------------------


def read_numbers(
    estimator: Any, X: Any, floats: list[Any], instead: str = MIXED, *, reset: bool
) -> FloatArray:
    """The table as scikit-learn reads it; ValueError for text, with its row and column."""
    try:
        return np.asarray(
            validate_data(
                estimator, X, reset=reset, dtype=floats, order="C", ensure_all_finite=False
            )
        )
    except (ValueError, TypeError) as error:
        if not issparse(X) and (where := _place_of_text(X)) is not None:
            raise ValueError(not_numbers("text", where, instead)) from error
        raise


def _place_of_text(X: Any) -> str | None:
    """The first text in a table that is no number, by columns, with its row and column."""
    frame, names = frame_of(X), feature_names(X)
    table = np.asarray(X, dtype=object) if frame is None else frame
    for column in range(table.shape[1] if len(table.shape) == 2 else 0):
        values = column_values(table, column)
        for row, value in enumerate(values.tolist() if values.dtype.kind in "OUST" else ()):
            try:
                float(value if isinstance(value, str) else 0)
            except ValueError:
                return f"{quoted(value)} in row {row}, {column_label(column, names)}"
    return None


# --- what is wrong with entries ------------------------------------------------------------------


def check_finite(
    table: FloatArray | csr_array,
    names: list[str] | None,
    name: str = "X",
    *,
    incomplete: Collection[int] = (),
) -> None:
    """Every entry a number; the first that is not is named by row and column.

    The columns ``incomplete`` may hold NaN.
    """
    entries = table.data if isinstance(table, csr_array) else table
    if is_finite(entries):
        return
    bad = ~np.isfinite(entries)
    if isinstance(table, csr_array):
        places: Any = np.column_stack(table.tocoo().coords)[bad]
    else:
        bad[:, list(incomplete)] &= ~np.isnan(table[:, list(incomplete)])
        places = np.argwhere(bad)
    if len(places):
        row, column = places[0].tolist()
        label = column_label(column, names)
        raise ValueError(not_finite(entries[bad][0], row, label, len(places), name))


def not_finite(value: float, row: int, column: str, count: int, name: str) -> str:
    """The message on ``count`` entries that are not numbers, with the place of the first."""
    more = f" and {count - 1} more" if count > 1 else ""
    if not np.isnan(value):
        return f"Input {name} contains infinity in row {row}, {column}{more}."
    return (
        f"Input {name} contains NaN in row {row}, {column}{more}. Impute, drop the row, or write "
        'metric="mixed", for which a gap is the distribution of its column.'
    )


def _count_missing(estimator: Any, table: FloatArray, names: list[str] | None) -> None:
    """Set ``n_missing_``, with those that became a category of their own, as None."""
    counts = missing_counts(table, names)
    keys = column_keys(table.shape[1], names)
    for column, known in getattr(estimator, "categories_", {}).items():
        if known and known[-1] is None and (n := int((table[:, column] == len(known) - 1).sum())):
            counts[keys[column]] = n
    estimator.n_missing_ = counts


# --- lines, and rows that differ -----------------------------------------------------------------


def check_line(x: Any, name: str) -> Float64Array:
    """Numbers on a line, at least one, none missing."""
    refuse_masked(x, name)
    values = np.asarray(x)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or values.dtype.kind not in "iufb" or not len(values):
        raise ValueError(
            f"{name} must be numbers on a line, shape (n,); got {values.dtype} of shape "
            f"{values.shape}."
        )
    values = values.astype(np.float64)
    check_finite(values[:, None], [name], name)
    return values


def count_distinct_rows(table: FloatArray | csr_array, among: BoolArray, limit: int) -> int:
    """Number of different rows, counted up to ``limit``, before any distance is computed."""
    seen: set[bytes] = set()
    for row in np.flatnonzero(among):
        if isinstance(table, csr_array):
            seen.add(row_key(table, row))
        else:
            seen.add((table[row] + 0.0).tobytes())  # + 0.0, because -0.0 is 0.0
        if len(seen) == limit:
            break
    return len(seen)


def check_distinct(distinct: int, k: int, semimetric: Semimetric | None = None) -> None:
    """At least as many different points as clusters.

    With a semimetric they were counted by distances, otherwise by the entries of rows.
    """
    if distinct >= k:
        return
    by = "" if semimetric is None else f" by {semimetric!r}"
    raise ValueError(
        f"n_clusters={k} is more than the number of distinct rows with weight{by}, {distinct}; "
        f"ask for at most {counted(distinct, 'cluster')}."
    )
