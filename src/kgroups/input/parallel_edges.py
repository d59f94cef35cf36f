"""Sums of the weights of parallel edges that do not depend on the order of the edges."""

import numpy as np
from scipy.sparse import coo_array, csr_array

from kgroups.typing import Float64Array, IndexArray

# Sums of whole numbers are exact up to here.
_WHOLE = 2.0**53


def summed(source: IndexArray, target: IndexArray, weights: Float64Array, n: int) -> csr_array:
    """The matrix of the edges from source to target; weights of equal pairs are added.

    Another order of the edges gives the same bits: where sums may round, the weights of a pair are
    added in ascending order, after sorting the m' edges that may be meant: O(m + n + m' log m').

    Examples
    --------
    >>> ends, again = np.array([0, 0, 0]), np.array([1, 1, 1])
    >>> weights = np.array([0.1, 0.2, 0.3])
    >>> a = summed(ends, again, weights, 2)[0, 1]
    >>> bool(a == summed(ends, again, weights[::-1], 2)[0, 1])
    True
    """
    matrix = csr_array(coo_array((weights, (source, target)), shape=(n, n)))
    if matrix.nnz == len(weights) or _are_exact(weights):
        return matrix
    ones = np.ones(len(weights), np.int32)
    counts = csr_array(coo_array((ones, (source, target)), shape=(n, n)))
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
    # Of the edges between nodes that have parallel ones, entries and sums are in the same order.
    several = counts.data > 1
    from_some, to_some = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    from_some[rows[several]] = to_some[matrix.indices[several]] = True
    few = np.flatnonzero(from_some[source] & to_some[target])
    matrix.data[from_some[rows] & to_some[matrix.indices]] = _sums(
        source[few], target[few], weights[few]
    )
    return matrix


def _sums(source: IndexArray, target: IndexArray, weights: Float64Array) -> Float64Array:
    """The sum of the weights of each pair, in the order of pairs."""
    order = np.lexsort((weights, target, source))
    source, target = source[order], target[order]
    first = np.flatnonzero(np.r_[True, (np.diff(source) != 0) | (np.diff(target) != 0)])
    with np.errstate(over="ignore"):
        return np.add.reduceat(weights[order], first)


def _are_exact(weights: Float64Array) -> bool:
    """Whether sums of some of the weights have no rounding, in any order."""
    with np.errstate(over="ignore"):
        total = np.abs(weights).sum()
    return bool(total <= _WHOLE and np.array_equal(np.floor(weights), weights))
