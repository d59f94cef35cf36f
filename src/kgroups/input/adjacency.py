"""Symmetric adjacency matrices, and the one rule by which parallel and opposite edges become one.

Weights of parallel and of opposite edges are added. What has every edge in both directions with
equal weights, a symmetric matrix or a list, holds each pair once.
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from kgroups.text import counted
from kgroups.typing import Float64Array, IndexArray, IntArray, SparseMatrix

# Weights of the two directions that differ by less than this, relative to the heaviest edge of
# either node, count as equal: the difference is rounding.
_SYMMETRY = 1e-10
# Sums of whole numbers are exact up to here.
_WHOLE = 2.0**53


def of_matrix(
    matrix: SparseMatrix, name: str, *, allow_negative: bool
) -> tuple[csr_array, list[str]]:
    """The symmetric matrix of one whose indices are sound, and notes on what was changed.

    A canonical symmetric CSR is used as it is. ValueError for weights that are not finite or,
    unless allowed, negative.
    """
    given: Any = matrix
    if given.format == "coo":
        row, column = given.coords
        own = summed(row, column, given.data, given.shape[0])
    else:
        given = given.tocsr()
        own = csr_array((given.data, given.indices, given.indptr), shape=given.shape)
        if not own.has_canonical_format:  # found out anew: the flags of the given one may be wrong
            own = own.copy()
            own.sum_duplicates()
    notes = []
    if again := given.nnz - own.nnz:
        entries = counted(again, "entry that repeats another", "entries that repeat others")
        notes = [f"{name} has {entries}; their weights were added."]
    if own.indices.dtype != np.int32 and max(own.nnz, *own.shape) < 2**31:
        parts = own.data, own.indices.astype(np.int32), own.indptr.astype(np.int32)
        own = csr_array(parts, shape=own.shape)
    own = _without_zeros(own)
    check_weights(own, name, allow_negative=allow_negative)
    same, differ = _as_symmetric(own)
    if same is not None:
        return same, notes
    has = counted(differ, "edge has", "edges have")
    notes.append(
        f"{name} is not symmetric: {has} another weight, or none, in the other direction. It is "
        "read as a directed graph; the weights of both directions are added."
    )
    both = both_directions(own)
    check_weights(both, f"{name} + {name}.T", allow_negative=True)
    return both, notes


def of_edges(
    source: IndexArray,
    target: IndexArray,
    weights: Float64Array | None,
    n: int,
    *,
    has_directions: bool = True,
) -> tuple[csr_array, list[str]]:
    """The symmetric matrix of a list of edges between n nodes, and notes on what became one.

    The result depends neither on the order of the edges nor on that of their ends. Where edges
    have no directions, opposite ones are parallel, and are added whatever they weigh.
    """
    index = np.int32 if n < 2**31 else np.int64
    source, target = source.astype(index, copy=False), target.astype(index, copy=False)
    weights = np.ones(len(source)) if weights is None else weights
    half = summed(np.minimum(source, target), np.maximum(source, target), weights, n)
    count, notes, found = len(weights) - half.nnz, [], None
    if has_directions and count:
        listed = summed(source, target, weights, n)
        both_ways, loops = listed.nnz - half.nnz, np.count_nonzero(listed.diagonal())
        count -= both_ways
        one_way = listed.nnz - loops - 2 * both_ways
        found = _as_symmetric(listed)[0] if both_ways and not one_way else None
        if found is not None:
            each = counted(both_ways, "edge is", "edges are")
            notes = [f"{each} listed in both directions with equal weights, and counted once."]
        elif both_ways:
            pairs = counted(both_ways, "pair of nodes is", "pairs of nodes are")
            notes = [
                f"{pairs} listed in both directions, {one_way:,} in one only; the weights of both "
                "are added."
            ]
    if count:
        edges = counted(count, "edge repeats another", "edges repeat others")
        notes.append(f"{edges}; their weights were added.")
    if zeros := len(half.data) - int(np.count_nonzero(half.data)):
        notes.append(f"{counted(zeros, 'edge')} of weight 0 dropped.")
    adjacency = both_directions(half) if found is None else _without_zeros(found)
    if not np.isfinite(adjacency.data).all():
        raise ValueError("weights, or sums of them, are NaN or too large for a float.")
    return adjacency, notes


def summed(source: IndexArray, target: IndexArray, weights: Float64Array, n: int) -> csr_array:
    """The matrix of the edges from source to target; weights of equal pairs are added.

    Another order of the edges gives the same bits: where sums may round, the weights of a pair are
    added in ascending order.

    Examples
    --------
    >>> ends, again = np.array([0, 0, 0]), np.array([1, 1, 1])
    >>> weights = np.array([0.1, 0.2, 0.3])
    >>> a = summed(ends, again, weights, 2)[0, 1]
    >>> bool(a == summed(ends, again, weights[::-1], 2)[0, 1])
    True
    """
    matrix = csr_array(coo_array((weights, (source, target)), shape=(n, n)))
    with np.errstate(over="ignore"):
        total = np.abs(weights).sum()
    if matrix.nnz == len(weights) or (total <= _WHOLE and (np.floor(weights) == weights).all()):
        return matrix
    key = source.astype(np.int64) * n + target
    order = np.argsort(key)
    again = key[order][1:] == key[order][:-1]
    few = np.r_[again, False] | np.r_[False, again]
    order[few] = order[few][np.lexsort((weights[order[few]], key[order[few]]))]
    in_order = weights[order], (source[order], target[order])
    return csr_array(coo_array(in_order, shape=(n, n)))


def check_weights(matrix: csr_array, name: str, *, allow_negative: bool) -> None:
    """ValueError for weights that are not finite or, unless allowed, negative."""
    wrong = np.isfinite(matrix.data)
    if not wrong.all():
        place = int(np.argmin(wrong))
        what = "NaN" if np.isnan(matrix.data[place]) else "infinity"
        raise ValueError(f"{name} contains {what} in {_where(matrix, place)}.")
    if not allow_negative and matrix.data.min(initial=0) < 0:
        place = int(np.argmax(matrix.data < 0))
        raise ValueError(
            f"{name} has negative weights: {_where(matrix, place)} is {matrix.data[place]:.6g}. "
            'objective="bethe_hessian" and "ratio_association" take negative weights.'
        )


def _where(matrix: csr_array, place: int) -> str:
    row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
    return f"row {row}, column {matrix.indices[place]}"


def _as_symmetric(matrix: csr_array) -> tuple[csr_array | None, int]:
    """The matrix if it is symmetric, but for rounding; otherwise None and how many pairs differ."""
    transposed = matrix.T.tocsr()
    parts = ("indptr", "indices", "data")
    if all(np.array_equal(getattr(matrix, part), getattr(transposed, part)) for part in parts):
        return matrix, 0
    gaps = (matrix - transposed).tocoo()
    largest = abs(matrix).maximum(abs(transposed)).max(axis=1).toarray().ravel()
    rounding = _SYMMETRY * np.minimum(largest[gaps.row], largest[gaps.col])
    differ = int(np.count_nonzero(np.abs(gaps.data) > rounding)) // 2
    return (None if differ else _without_zeros(matrix * 0.5 + transposed * 0.5)), differ


def both_directions(A: csr_array) -> csr_array:
    """A + A.T off the diagonal, and A on it."""
    loops = A.diagonal()
    transposed = A.T.tocsr()
    both = A + (transposed - diags_array(loops) if loops.any() else transposed)
    return _without_zeros(both.tocsr())


def _without_zeros(A: csr_array) -> csr_array:
    """A itself if no zero is stored, else a copy without them."""
    if A.data.all():
        return A
    own = A.copy()
    own.eliminate_zeros()
    return own


def degrees(A: csr_array) -> Float64Array:
    """The degree of each node: the sum of its row."""
    return np.asarray(A @ np.ones(A.shape[0]), dtype=np.float64)


def with_loops_twice(A: csr_array) -> csr_array:
    """A + diag(A), because a self-loop has two ends; A itself if there are no loops."""
    loops = A.diagonal()
    return csr_array(A + diags_array(loops)) if loops.any() else A


def without_loops(A: csr_array) -> csr_array:
    """The edges between different nodes."""
    others = csr_array(A - diags_array(A.diagonal()))
    others.eliminate_zeros()
    return others


def like(A: csr_array, data: NDArray[Any]) -> csr_array:
    """A matrix with the pattern of A and other entries; index arrays are shared."""
    return csr_array((data, A.indices, A.indptr), shape=A.shape)


def rows_of(A: csr_array) -> IntArray:
    """The row of each stored entry."""
    return np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))


def scaled(A: csr_array, factors: Float64Array) -> csr_array:
    """The matrix S A S, where S has the factors on its diagonal."""
    return like(A, A.data * factors[rows_of(A)] * factors[A.indices])


def components(A: csr_array) -> tuple[int, IntArray]:
    """The number of connected components, and the component of each node."""
    count, labels = connected_components(A, directed=False)
    return int(count), np.asarray(labels, dtype=np.int64)


def canonical_order(nodes: Sequence[Any] | NDArray[Any]) -> IntArray:
    """Positions of nodes in ascending order of their names, whatever order they come in.

    Numbers are in their natural order. If there is any other name, all are ordered as text, by
    their characters; names that read alike are ordered by their types. Objects without a text of
    their own keep the order in which they come, after an empty text. O(n log n).

    Examples
    --------
    >>> canonical_order([10, 9, 2]).tolist(), canonical_order(["b", "a", 10, 9]).tolist()
    ([2, 1, 0], [2, 3, 1, 0])
    """
    if isinstance(nodes, np.ndarray) and nodes.dtype.kind in "iu":
        return np.argsort(nodes, kind="stable")
    names = nodes.tolist() if isinstance(nodes, np.ndarray) else list(nodes)
    kinds = set(map(type, names))
    are_numbers = all(issubclass(kind, Real) for kind in kinds) and all(n == n for n in names)  # noqa: PLR0124
    keys = names if are_numbers or kinds == {str} else [_as_text(name) for name in names]
    return np.array(sorted(range(len(names)), key=keys.__getitem__), np.int64)


def _as_text(name: object) -> tuple[str, str]:
    """A name as text, and its type; an address in memory is not text."""
    kind = type(name)
    has_text = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    return str(name) if has_text else "", kind.__qualname__
