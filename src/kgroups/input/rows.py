"""Rows of whatever a user handed in: how many there are, and some of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from kgroups.typing import IntArray


def n_rows(data: Any) -> int:
    """How many points there are; a sparse matrix has no len."""
    shape: tuple[int, ...] | None = getattr(data, "shape", None)
    return len(data) if shape is None else shape[0]


def take(data: Any, rows: slice | IntArray) -> Any:
    """Some rows of a table or matrix, or some of a list of objects."""
    if isinstance(data, np.ndarray) or isinstance(rows, slice) or issparse(data):
        return data[rows]
    return [data[i] for i in rows]
