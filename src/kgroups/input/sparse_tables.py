"""Clean sparse rows from what a user hands in, and what is said of those that are not."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.validation import validate_data

from kgroups.exceptions import LookalikeWarning
from kgroups.input.frames import column_label, feature_names
from kgroups.runtime.memory import require
from kgroups.semimetrics.canonical_rows import canonical
from kgroups.semimetrics.finite import is_finite
from kgroups.semimetrics.semimetric import Semimetric, sparse_refused
from kgroups.typing import FloatArray, IntArray

# Smaller squares are symmetric by chance.
_LEAST_SQUARE = 4


def check_sparse_rows(estimator: Any, X: Any, semimetric: Semimetric, *, reset: bool) -> csr_array:
    """Rows as canonical CSR, every entry a finite number; what was given is not changed.

    Sets ``n_features_in_``. TypeError for a semimetric that does not take sparse rows. O(entries),
    whatever the number of columns.
    """
    if not semimetric.takes_sparse:
        raise TypeError(
            f"{sparse_refused('X')} For a sparse Gram matrix write "
            'metric="precomputed_kernel"; for a network GraphKGroups.'
        )
    _check_places(X)
    given = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
    )
    rows = canonical(given)
    check_finite_entries(rows, names=feature_names(X))
    if reset:
        estimator._rows_are_sparse = True
        _warn_of_network(rows)
    return rows


def _check_places(X: Any) -> None:
    """ValueError for entries outside of the matrix, which compiled loops would read or write."""
    kind = getattr(X, "format", None) if X.ndim == 2 else None
    if kind in ("csr", "csc", "bsr"):
        bounds = X.indptr
        is_sound = len(bounds) and bounds[0] == 0 and bounds[-1] <= len(X.indices)
        if not is_sound or np.any(np.diff(bounds) < 0):
            raise ValueError("X is a damaged sparse matrix: its indptr does not rise from 0.")
        width = X.shape[0] if kind == "csc" else X.shape[1]
        width = width // X.blocksize[1] if kind == "bsr" else width
        _check_range(X.indices, width, "row" if kind == "csc" else "column")
    elif kind == "coo":
        _check_range(X.row, X.shape[0], "row")
        _check_range(X.col, X.shape[1], "column")


def _check_range(places: IntArray, size: int, what: str) -> None:
    if len(places) == 0:
        return
    outside = int(places.min()) if places.min() < 0 else int(places.max())
    if not 0 <= outside < size:
        raise ValueError(
            f"X is a damaged sparse matrix: it has an entry in {what} {outside}, and its {what}s "
            f"are 0 to {size - 1}."
        )


def is_sparse_frame(X: Any) -> bool:
    """Whether all columns of a frame of pandas are sparse; it is read as sparse rows then."""
    if not hasattr(X, "iloc") or not hasattr(X, "columns") or len(X.columns) == 0:
        return False
    return all(str(dtype).startswith("Sparse[") for dtype in X.dtypes)


def refuse_sparse_frame(X: Any) -> None:
    """TypeError for a frame of sparse columns, which scikit-learn takes for a sparse matrix."""
    if is_sparse_frame(X):
        raise TypeError(sparse_refused("X", "sparse.to_dense()"))


def has_sparse_rows(estimator: Any) -> bool:
    """Whether the rows of the fit were sparse."""
    return bool(getattr(estimator, "_rows_are_sparse", False))


def check_finite_entries(rows: csr_array, name: str = "X", names: list[str] | None = None) -> None:
    """Every entry a number; the first that is not is named by row and column."""
    if is_finite(rows.data):
        return
    bad = np.flatnonzero(~np.isfinite(rows.data))
    row = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1
    column = column_label(int(rows.indices[bad[0]]), names)
    advice = (
        "An entry that sparse rows do not hold is 0, and none can be missing: drop the row, or "
        f"write {name}.data = numpy.nan_to_num({name}.data) if missing entries are 0."
    )
    raise ValueError(not_finite(rows.data[bad[0]], row, column, len(bad), name, advice=advice))


def not_finite(
    value: float, row: int, column: str, count: int, name: str, *, advice: str | None = None
) -> str:
    """What is said of ``count`` entries that are not numbers, with the place of the first.

    ``advice`` is what to write where NaN stands, if not what is said of tables.
    """
    what, instead = "infinity", "No distance to it is finite: correct the value or drop the row."
    if np.isnan(value):
        what, instead = "NaN", advice or (
            'Distances to a missing value are undefined: write metric="mixed", for which it is the '
            "distribution of its column, impute first, for instance with "
            "sklearn.impute.SimpleImputer, or drop the rows; for categories there is also "
            'Hamming(missing="category") (command line: --impute mean,category).'
        )  # fmt: skip
    more = f" and {count - 1} more" if count > 1 else ""
    return f"Input {name} contains {what} in row {row}, {column}{more}. {instead}"


def filled(rows: csr_array) -> FloatArray:
    """New rows as a table, for a fit whose rows were one; MemoryError before allocating it."""
    n, n_columns = rows.shape
    require(
        n * n_columns * rows.dtype.itemsize,
        what=f"A table of {n} x {n_columns} for sparse rows, because the fit had a table,",
        instead="Fit sparse rows, or give fewer at a time.",
    )
    return np.asarray(rows.toarray())


def _warn_of_network(rows: csr_array) -> None:
    """LookalikeWarning for a symmetric square of sparse entries; O(entries)."""
    n, n_columns = rows.shape
    if n != n_columns or n < _LEAST_SQUARE or not rows.nnz:
        return
    across = rows.T.tocsr()
    across.sort_indices()
    parts = ("indptr", "indices", "data")
    if not all(np.array_equal(getattr(across, p), getattr(rows, p)) for p in parts):
        return
    warnings.warn(
        f"X is a symmetric sparse {n} x {n} matrix, like that of a network or a kernel, and its "
        "rows are compared as points. If it is the adjacency matrix of a network, use GraphKGroups "
        '(kgroups communities); if it holds similarities, write metric="precomputed_kernel".',
        LookalikeWarning,
        stacklevel=2,
    )
