"""A clean table from what a user hands in, and every message that says what is wrong with it."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import validate_data

from kgroups.input.column_types import NUMBER
from kgroups.input.frames import (
    categories_of,
    column_label,
    column_values,
    encoded_columns,
    feature_names,
    is_category,
    not_a_number,
    refuse_dates,
    text_cell,
)
from kgroups.input.lookalikes import (
    refuse_condensed,
    refuse_lookalikes,
    refuse_masked,
    warn_of_distances,
    warn_of_identifiers,
    warn_of_suspicion,
)
from kgroups.input.sparse_tables import (
    check_sparse_rows,
    filled,
    has_sparse_rows,
    is_sparse_frame,
    not_finite,
    refuse_sparse_frame,
)
from kgroups.input.typed_columns import column_keys, missing_counts, typed_table
from kgroups.input.wrong_kinds import refuse_other_shapes
from kgroups.semimetrics.canonical_rows import row_key, sparse_rows_of
from kgroups.semimetrics.finite import is_finite
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.semimetrics.units import widened
from kgroups.text import counted, did_you_mean
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
    refuse_lookalikes(X)
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
        rows = check_sparse_rows(estimator, X, semimetric, reset=reset)
        return rows if reset or has_sparse_rows(estimator) else filled(rows)
    if reset:
        refuse_condensed(X)
    refuse_other_shapes(X)
    names = feature_names(X)
    if semimetric.reads_types:
        refuse_repeated(X)
        table = typed_table(estimator, X, semimetric, names, reset=reset)
    elif (encoded := _encoded(estimator, X, semimetric, names, reset=reset)) is not None:
        table = encoded
    else:
        refuse_repeated(X)
        floats = [*FLOATS, np.float16] if semimetric.takes_half else FLOATS
        table = _numeric(estimator, X, names, floats, reset=reset)
    of_fit = _names_of_fit(estimator, names)
    incomplete = semimetric.incomplete_columns(table.shape[1], of_fit)
    check_finite(table, of_fit, incomplete=incomplete)
    if reset:
        if semimetric.takes_missing:
            _count_missing(estimator, table, names)
        warn_of_distances(table)
        warn_of_identifiers(table, names, _not_numbers(estimator))
        warn_of_suspicion(semimetric, table, names)
    elif has_sparse_rows(estimator):
        check_finite(table, of_fit)  # sparse rows have no gaps
        return sparse_rows_of(table)
    return table if semimetric.takes_half else widened(table)


def refuse_repeated(X: Any) -> None:
    """ValueError for columns of one name, of which a message or a weight could mean either."""
    counts = Counter(getattr(X, "columns", ()))
    repeated = next((name for name, times in counts.items() if times > 1), None)
    if repeated is not None:
        raise ValueError(
            f"X has {counts[repeated]} columns called {repeated!r}; give each a name of its own, "
            "as by X.columns = [...], or drop one."
        )


def check_objects(X: Any) -> Any:
    """A sequence of at least one object."""
    if not hasattr(X, "__len__") or not hasattr(X, "__getitem__"):
        raise TypeError(f"X must be a sequence of objects; got {type(X).__name__}.")
    if hasattr(X, "columns"):  # whose items are columns
        raise TypeError(
            "X is a frame, and the rows of the fit were a sequence of objects; write X.to_numpy() "
            "or what makes such objects of its rows."
        )
    objects = X.to_list() if hasattr(X, "to_list") else X
    if len(objects) == 0:
        raise ValueError("Found 0 samples in X; at least one is needed.")
    return objects


def _not_numbers(estimator: Any) -> Collection[int]:
    """Positions of the columns that hold codes, days or truth values."""
    kinds = getattr(estimator, "column_kinds_", None)
    if kinds is None:
        return getattr(estimator, "categories_", {})
    return {position for position, kind in enumerate(kinds.values()) if kind != NUMBER}


def _count_missing(estimator: Any, table: FloatArray, names: list[str] | None) -> None:
    """Set ``n_missing_``, with those that became a category of their own, as None."""
    counts = missing_counts(table, names)
    keys = column_keys(table.shape[1], names)
    for column, known in getattr(estimator, "categories_", {}).items():
        if known and known[-1] is None and (n := int((table[:, column] == len(known) - 1).sum())):
            counts[keys[column]] = n
    estimator.n_missing_ = counts


def check_finite(
    table: FloatArray,
    names: list[str] | None,
    name: str = "X",
    *,
    incomplete: Collection[int] = (),
    advice: str | None = None,
) -> None:
    """Every entry a number; the first that is not is named by row and column.

    The columns ``incomplete`` may hold NaN; ``advice`` is what to write for it in others.
    """
    if is_finite(table):
        return
    bad = ~np.isfinite(table)
    bad[:, list(incomplete)] &= ~np.isnan(table[:, list(incomplete)])
    if not bad.any():
        return
    row, column = np.argwhere(bad)[0]
    place = (table[row, column], row, column_label(int(column), names))
    raise ValueError(not_finite(*place, int(bad.sum()), name, advice=advice))


def _is_table(X: Any) -> bool:
    """Frames and numeric arrays are tables; lists of strings, sets or trees are not."""
    if hasattr(X, "columns"):
        return True
    try:
        array = np.asarray(X)
    except ValueError:
        return False  # rows of unequal length: objects
    return array.ndim == 2 and array.dtype.kind in "iufb"


def _only_text_column(X: Any) -> list[Any] | None:
    """The entries of a table with one column if they are text, which a metric compares as items."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2 or shape[1] != 1 or issparse(X):
        return None
    values: list[Any] = column_values(X, 0).tolist()
    return values if any(isinstance(value, str) for value in values) else None


@dataclass(frozen=True)
class _Columns:
    """Where each column of the fit stands in the input, None if it is not read."""

    places: list[int | None]
    categories: dict[int, list[Any]]
    #: Whether they were found by their names, so that the input may have others.
    by_name: bool = False

    @property
    def are_plain(self) -> bool:
        """Whether the table is read as it is."""
        in_order = self.places == list(range(len(self.places)))
        return in_order and not self.categories and not self.by_name


def _encoded(
    estimator: Any, X: Any, semimetric: Semimetric, names: list[str] | None, *, reset: bool
) -> FloatArray | None:
    """The table if it has categories or columns that are not read; None if it is plain numbers."""
    table = X if hasattr(X, "shape") else np.asarray(X, dtype=object)
    if len(table.shape) != 2:
        return None
    if reset:
        columns = _columns_at_fit(table, semimetric, names)
    else:
        columns = _columns_of_new(estimator, semimetric, names)
    if columns.are_plain:
        refuse_dates(X, names)
        return None
    if not columns.by_name:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    if reset and columns.categories:
        estimator.categories_ = columns.categories
    labels = _names_of_fit(estimator, names)
    return encoded_columns(table, columns.places, columns.categories, labels)


def _columns_at_fit(table: Any, semimetric: Semimetric, names: list[str] | None) -> _Columns:
    n_columns = table.shape[1]
    used = semimetric.used_columns(n_columns, names)
    read = set(range(n_columns) if used is None else used)
    columns = semimetric.categorical_columns(n_columns, names)
    with_gaps = semimetric.columns_with_gaps(n_columns, names)
    categories = categories_of(table, columns, with_gaps, names)
    return _Columns([c if c in read else None for c in range(n_columns)], categories)


def _columns_of_new(estimator: Any, semimetric: Semimetric, names: list[str] | None) -> _Columns:
    """Those of the fit, by name if the semimetric chooses columns and both tables have names."""
    n_columns = estimator.n_features_in_
    of_fit = _names_of_fit(estimator, names)
    used = semimetric.used_columns(n_columns, of_fit)
    read = set(range(n_columns) if used is None else used)
    categories = getattr(estimator, "categories_", {})
    if used is None or names is None or of_fit is None or names == of_fit:
        return _Columns([c if c in read else None for c in range(n_columns)], categories)
    for column in used:
        if of_fit[column] not in names:
            hint = did_you_mean(of_fit[column], names)
            raise ValueError(f"X has no column {of_fit[column]!r}, which the metric uses.{hint}")
        if names.count(of_fit[column]) > 1:
            raise ValueError(f"X has several columns called {of_fit[column]!r}; rename them.")
    places = [names.index(of_fit[c]) if c in read else None for c in range(n_columns)]
    return _Columns(places, categories, by_name=True)


def _names_of_fit(estimator: Any, names: list[str] | None) -> list[str] | None:
    """The names of the columns of the fit, for an input whose columns have names."""
    of_fit = getattr(estimator, "feature_names_in_", None)
    return names if names is None or of_fit is None else list(of_fit)


def _numeric(
    estimator: Any, X: Any, names: list[str] | None, floats: list[Any], *, reset: bool
) -> FloatArray:
    refuse_sparse_frame(X)
    try:
        table = validate_data(
            estimator, X, reset=reset, dtype=floats, order="C", ensure_all_finite=False
        )
    except (ValueError, TypeError) as error:
        if (cell := text_cell(X)) is None:
            raise
        what = not_a_number(*cell, names)
        if isinstance(error, TypeError) and not is_category(cell[2]):
            raise TypeError(f"{what} NumPy says: {error}.") from error  # what scikit-learn expects
        raise ValueError(what) from error
    return np.asarray(table)


def check_line(x: Any, name: str) -> Float64Array:
    """Numbers on a line, at least one, none missing."""
    refuse_masked(x, name)
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
    if semimetric is None:
        raise ValueError(
            f"n_clusters={k} is more than the number of distinct rows with weight, {distinct}; "
            f"ask for at most {distinct} clusters."
        )
    raise ValueError(
        f"n_clusters={k}, but by {semimetric!r} the rows with weight are only {distinct} different "
        f"points: all others are at distance 0 from one of these. Ask for at most "
        f"{counted(distinct, 'cluster')}, or choose a metric that tells the rows apart."
    )
