"""Compiled passes over the entries of a sparse matrix."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IndexArray


@jit
def column_order(indptr: IndexArray, indices: IndexArray, data: Float64Array) -> tuple[bool, bool]:
    """Whether the columns of every row increase, and whether any entry is zero."""
    in_order, zeros = True, False
    for row in range(len(indptr) - 1):
        last = -1
        for k in range(indptr[row], indptr[row + 1]):
            in_order &= indices[k] > last
            zeros |= data[k] == 0
            last = indices[k]
    return in_order, zeros


@jit
def survey_entries(data: Float64Array) -> tuple[int, int, bool]:
    """First entry that is not finite, first that is negative, and whether all are 1.

    Positions are −1 if there is no such entry; the pass stops at one that is not finite.
    """
    negative, all_ones = -1, True
    for k in range(len(data)):
        value = data[k]
        if not np.isfinite(value):
            return k, negative, all_ones
        if value < 0 and negative < 0:
            negative = k
        all_ones &= value == 1
    return -1, negative, all_ones


@jit
def is_symmetric(indptr: IndexArray, indices: IndexArray, data: Float64Array) -> bool:
    """Whether every entry above the diagonal has its equal below, and none below is left over.

    Rows are visited in order, so the entries of row j below the diagonal are met in the order in
    which they are stored: one place to look at a row is enough.
    """
    n = len(indptr) - 1
    place = indptr[:-1].copy()
    for i in range(n):
        if place[i] < indptr[i + 1] and indices[place[i]] < i:
            return False
        for k in range(place[i], indptr[i + 1]):
            j = indices[k]
            if j == i:
                continue
            met = place[j]
            if met == indptr[j + 1] or indices[met] != i or data[met] != data[k]:
                return False
            place[j] = met + 1
    return True
