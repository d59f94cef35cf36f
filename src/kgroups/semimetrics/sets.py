"""Sets of hashable items as rows of a sparse table of zeros and ones."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from kgroups.semimetrics.items import is_missing, items_of
from kgroups.text import quoted


def sets_of(X: Any) -> list[AbstractSet[Any]] | None:
    """The sets of a list, a column or an array; None if the first item is not a set.

    An error names the first item that is something else.
    """
    if issparse(X):
        return None
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) > 1 and (len(shape) > 2 or shape[1] != 1):
        return None
    if not hasattr(X, "__len__") or len(X) == 0:
        return None
    items = items_of(X, "set")
    if not any(isinstance(item, AbstractSet) for item in items):
        return None
    for i, item in enumerate(items):
        if not isinstance(item, AbstractSet):
            found = "a missing value" if is_missing(item) else f"a {type(item).__name__}"
            raise TypeError(
                f"X holds {found}, {quoted(item)}, where a set is compared: item {i}. Write "
                "set(item), and set() for one without members."
            )
    return items


def incidence(
    items: Sequence[AbstractSet[Any]], others: Sequence[AbstractSet[Any]]
) -> tuple[csr_array, csr_array]:
    """Two sparse tables with one row per set and one column per member of any. O(total size)."""
    columns: dict[Any, int] = {}
    left = _members(items, columns)
    right = left if others is items else _members(others, columns)
    tables = tuple(
        csr_array((np.ones(len(found)), found, begins), shape=(len(begins) - 1, len(columns)))
        for found, begins in (left, right)
    )
    return tables[0], tables[1]


def _members(
    items: Sequence[AbstractSet[Any]], columns: dict[Any, int]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    found = [columns.setdefault(member, len(columns)) for item in items for member in item]
    begins = np.concatenate([[0], np.cumsum([len(item) for item in items])])
    return np.array(found, np.int64), begins.astype(np.int64)
