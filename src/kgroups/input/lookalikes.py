"""Warnings about tables that look like something else, whose clusters would mean nothing."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.exceptions import LookalikeWarning
from kgroups.input.columns import CATEGORY, NUMBER, column_label
from kgroups.input.identifiers import FEW_ROWS, are_distinct, looks_like
from kgroups.semimetrics.semimetric import ROUNDING, Semimetric
from kgroups.typing import FloatArray

# Smaller squares are symmetric by chance.
_LEAST_SQUARE = 4
# Fewer rows are counted by chance.
_LEAST_ROWS = 5


def warn_of_distances(table: FloatArray) -> None:
    """LookalikeWarning for a square table that looks like a matrix of distances; O(n²)."""
    n = len(table)
    if table.shape != (n, n) or not _may_be_distances(table):
        return
    is_symmetric = np.allclose(table, table.T, rtol=0.0, atol=ROUNDING * float(table.max()))
    if is_symmetric or not np.triu(table, 1).any() or not np.tril(table, -1).any():
        _warn(
            f"X is a {n} x {n} table with zeros on its diagonal, symmetric or with an empty half, "
            "like a matrix of distances, and its rows are compared as points. If it holds "
            'distances, write metric="precomputed" and both halves; if it is the adjacency matrix '
            "of a network, use GraphKGroups (kgroups communities)."
        )


def warn_of_distances_for_kernel(gram: FloatArray) -> None:
    """LookalikeWarning for a symmetric matrix of similarities that looks like distances; O(n²)."""
    if _may_be_distances(gram):
        _warn(
            'metric="precomputed_kernel" takes similarities, and X has zeros on its diagonal and '
            "no negative entry, like a matrix of distances, so the points least alike would be put "
            'together. If it holds distances, write metric="precomputed"; if it is the adjacency '
            "matrix of a network, use GraphKGroups (kgroups communities)."
        )


def warn_of_sparse_network(rows: csr_array) -> None:
    """LookalikeWarning for a symmetric square of sparse entries; O(entries)."""
    n = rows.shape[0]
    if rows.shape != (n, n) or n < _LEAST_SQUARE or not rows.nnz:
        return
    if abs(rows - rows.T).max() == 0:
        _warn(
            f"X is a symmetric sparse {n} x {n} matrix, like that of a network or a kernel, and "
            "its rows are compared as points. If it is the adjacency matrix of a network, use "
            "GraphKGroups (kgroups communities); if it holds similarities, write "
            'metric="precomputed_kernel".'
        )


def warn_of_suspicion(semimetric: Semimetric, table: Any, names: list[str] | None) -> None:
    """LookalikeWarning for numbers that look like others than the semimetric compares."""
    if doubt := semimetric.suspicion(table, names):
        _warn(doubt)


def warn_of_identifiers(estimator: Any, table: FloatArray, names: list[str] | None) -> None:
    """LookalikeWarning for columns that count or name rows and measure nothing.

    Columns of numbers of a frame, and categories of text where columns are read by their types.
    """
    kinds = list(getattr(estimator, "column_kinds_", {}).values())
    categories = getattr(estimator, "categories_", {})
    for c in range(table.shape[1]):
        found = None
        if kinds and kinds[c] == CATEGORY:
            n = int(np.count_nonzero(~np.isnan(table[:, c])))
            are_names = n >= FEW_ROWS and are_distinct(len(categories[c]), n)
            found = "an identifier" if are_names and isinstance(categories[c][0], str) else None
        elif kinds[c] == NUMBER if kinds else c not in categories:
            is_told = names is not None and len(names) > 1 and len(table) >= _LEAST_ROWS
            found = looks_like(table[:, c], names[c]) if is_told and names else None
        if found is not None:
            _warn(
                f"{column_label(c, names)} of X looks like {found} of the rows, and it is compared "
                "like any other; drop it if it is one."
            )


def _may_be_distances(square: FloatArray) -> bool:
    """Whether a matrix has zeros on its diagonal and positive entries, up to rounding."""
    if len(square) < _LEAST_SQUARE:
        return False
    rounding = ROUNDING * float(square.max())
    if np.abs(np.diagonal(square)).max() > rounding or square.min() < -rounding:
        return False
    return bool(square.any())


def _warn(message: str) -> None:
    warnings.warn(message, LookalikeWarning, stacklevel=2)
