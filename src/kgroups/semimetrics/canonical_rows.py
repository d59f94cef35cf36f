"""Sparse rows in the one form that everything reads: CSR, sorted, each entry once, no zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

#: What sparse rows hold, the first unless they hold the second.
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def is_sparse(X: object) -> bool:
    """Whether something is sparse in a format of SciPy."""
    return bool(issparse(X))


def canonical(X: Any, name: str = "X") -> csr_array:
    """Rows of any format of SciPy as a CSR array of float64, or float32 where they are that.

    Columns rise within each row, entries given twice are added up, as SciPy defines, and zeros
    that are stored take no place. What was given is not changed; arrays that are in this form
    are shared, not copied. O(entries).
    """
    if X.ndim != 2:
        raise ValueError(
            f"{name} must be a table of shape (n, D); got sparse data of shape {X.shape}. "
            f"For one row write {name}.reshape(1, -1)."
        )
    rows = csr_array(X)
    if rows.dtype not in _FLOATS:
        rows = rows.astype(_as_float(rows.dtype, name))
    if not rows.has_canonical_format:
        rows = _own(rows, X)
        rows.sum_duplicates()  # which sorts, too
    if rows.nnz and not rows.data.all():
        rows = _own(rows, X)
        rows.eliminate_zeros()
    return _narrow(rows)


def sparse_rows_of(X: Any, name: str = "X") -> csr_array:
    """Rows as they are if sparse, and a dense table as sparse rows; both canonical."""
    if is_sparse(X):
        return canonical(X, name)
    table = np.asarray(X)
    if table.ndim != 2:
        raise ValueError(f"{name} must be a table of shape (n, D); got shape {table.shape}.")
    if table.dtype == np.float16:  # which SciPy has no sparse rows of
        table = table.astype(np.float32)
    return canonical(csr_array(table), name)


def two_sparse_tables(X: Any, Y: Any) -> tuple[csr_array, csr_array]:
    """Two tables as sparse rows with equal numbers of columns; the same one twice without Y."""
    rows = sparse_rows_of(X)
    if Y is None:
        return rows, rows
    others = sparse_rows_of(Y, "Y")
    if others.shape[1] != rows.shape[1]:
        raise ValueError(
            f"X has {rows.shape[1]} columns and Y has {others.shape[1]}; "
            "both must describe the same coordinates."
        )
    return rows, others


def row_key(rows: csr_array, row: int | np.integer) -> bytes:
    """What tells a canonical row from every other."""
    entries = slice(rows.indptr[row], rows.indptr[row + 1])
    return bytes(rows.indices[entries].tobytes() + rows.data[entries].tobytes())


def _narrow(rows: csr_array) -> csr_array:
    """The rows with places of four bytes, where these are enough."""
    most = np.iinfo(np.int32).max
    if rows.indices.dtype == np.int32 or max(rows.nnz, *rows.shape) > most:
        return rows
    indices, starts = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return csr_array((rows.data, indices, starts), shape=rows.shape)


def _own(rows: csr_array, given: Any) -> csr_array:
    """Rows that may be changed, because they share no array with what was given."""
    if getattr(given, "format", "") != "csr":
        return rows
    shared = any(
        np.may_share_memory(mine, theirs)
        for mine, theirs in ((rows.data, given.data), (rows.indices, given.indices))
    )
    return rows.copy() if shared else rows


def _as_float(dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    """The type that numbers of another type become."""
    if dtype.kind == "c":
        raise ValueError(
            f"Complex data not supported: {name} holds {dtype}. Distances are between real "
            f"numbers; write {name}.real or abs({name})."
        )
    if dtype.kind not in "iufb":
        raise ValueError(f"{name} must hold numbers; its entries have type {dtype}.")
    return _FLOATS[0]
