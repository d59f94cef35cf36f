"""From what a user passes as a graph to a clean adjacency matrix."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from kgroups.exceptions import GraphNotice
from kgroups.input.networks import ENTRIES, as_csr, counted, narrow, repeats
from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray

# Two directions whose weights differ by less than this, relative to the heaviest edge of either
# node, were equal before rounding.
_SYMMETRY = 1e-10
_EITHER = "an edge is kept where there is one in either direction"
_ADDED = "the weights of both directions are added"
# int32 where they fit, else int64.
_Indices: TypeAlias = NDArray[np.integer[Any]]

_DIRECTED_HINT = (
    " To choose for yourself pass a symmetric matrix: A.maximum(A.T) for an edge in either "
    "direction, (A + A.T) / 2 for the mean weight."
)


class Adjacency(NamedTuple):
    """A clean adjacency matrix, and what was done to make it one."""

    matrix: csr_array
    notes: tuple[str, ...]
    #: Whether it was not symmetric; the last note says so.
    was_directed: bool = False

    def warnings(self) -> list[str]:
        """The notes, with what is of use to those who write Python."""
        if not self.was_directed:
            return list(self.notes)
        return [*self.notes[:-1], self.notes[-1] + _DIRECTED_HINT]


class _Survey(NamedTuple):
    """What one pass over the entries of a matrix tells."""

    not_finite: int
    negative: int
    all_ones: bool
    largest: float


def check_adjacency(A: Any, *, name: str = "A", allow_negative: bool = False) -> csr_array:
    """The symmetric adjacency matrix of a graph, from whatever holds one.

    A canonical symmetric CSR of float64 is used as it is; the caller's object is never changed.
    Entries that are stored more than once are added, and a directed graph is made undirected; a
    :class:`~kgroups.exceptions.GraphNotice` says so.

    Parameters
    ----------
    A : sparse array, (n, n) array, graph of networkx or igraph, or kgroups.graphs.Graph
        Weights of edges, 0 where there is none; a self-loop is counted once, in A_ii.
    name : str
        How messages speak of ``A``.
    allow_negative : bool
        Whether weights below zero are let through.

    Raises
    ------
    TypeError
        For what is no graph, or for entries that are not real numbers.
    ValueError
        For a matrix that is not square, has no rows, or holds NaN, infinity or, unless
        ``allow_negative``, negative entries; and for a damaged sparse matrix.

    Notes
    -----
    A matrix is directed when two entries (i, j) and (j, i) differ by more than rounding. If all its
    weights are 1 an edge is kept where there is one in either direction, else the weights of both
    directions are added. Three passes over the stored entries.

    Examples
    --------
    >>> check_adjacency([[0, 2], [2, 0]]).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    found = adjacency_of(A, name=name, allow_negative=allow_negative)
    for note in found.warnings():
        warnings.warn(note, GraphNotice, stacklevel=2)
    return found.matrix


def adjacency_of(A: Any, *, name: str, allow_negative: bool) -> Adjacency:
    """Like :func:`check_adjacency`, with notes in place of warnings."""
    notes: list[str] = []
    matrix = _canonical(narrow(as_csr(A, name, notes)), name, notes)
    survey = _surveyed(matrix)
    _check_finite(matrix, survey, name)
    if not allow_negative:
        _check_not_negative(matrix, survey, name)
    so_far = len(notes)
    undirected = _undirected(matrix, survey, name, notes)
    return Adjacency(undirected, tuple(notes), was_directed=len(notes) > so_far)


def degrees(A: csr_array) -> Float64Array:
    """The sum of each row."""
    return np.asarray(A @ np.ones(A.shape[0]), dtype=np.float64)


def with_loops_twice(A: csr_array) -> csr_array:
    """A + diag(A): a self-loop has two ends. A itself when there are no loops."""
    loops = A.diagonal()
    return csr_array(A + diags_array(loops)) if loops.any() else A


def components(A: csr_array) -> tuple[int, IntArray]:
    """How many connected components there are, and in which of them each node is."""
    count, labels = connected_components(A, directed=False)
    return int(count), np.asarray(labels, dtype=np.int64)


# --- entries ---------------------------------------------------------------------------------


def _canonical(matrix: csr_array, name: str, notes: list[str]) -> csr_array:
    """Columns in order, each once, none zero; the same object when it is so already."""
    in_order, zeros = _order(matrix.indptr, matrix.indices, matrix.data)
    if in_order and not zeros:
        return matrix
    own = matrix.copy()
    # What the caller's object says of its own order may be wrong.
    own.has_sorted_indices = own.has_canonical_format = in_order
    own.sum_duplicates()
    notes.extend(repeats(matrix.nnz - own.nnz, ENTRIES, name))
    own.eliminate_zeros()
    return own


def _surveyed(matrix: csr_array) -> _Survey:
    return _Survey(*_survey(matrix.data))


def _check_finite(matrix: csr_array, survey: _Survey, name: str) -> None:
    if survey.not_finite < 0:
        return
    row, column, value = _entry(matrix, survey.not_finite)
    what = "NaN" if np.isnan(value) else "infinity"
    raise ValueError(
        f"{name} contains {what} in row {row}, column {column}; write 0 where there is no edge."
    )


def _check_not_negative(matrix: csr_array, survey: _Survey, name: str) -> None:
    if survey.negative < 0:
        return
    row, column, value = _entry(matrix, survey.negative)
    raise ValueError(
        f"{name} has negative weights: row {row}, column {column} is {value:.6g}. "
        'objective="bethe_hessian" and "ratio_association" take negative weights; for the others '
        "remove them or pass abs(A)."
    )


def _entry(matrix: csr_array, position: int) -> tuple[int, int, float]:
    """Row, column and value of a stored entry."""
    row = int(np.searchsorted(matrix.indptr, position, side="right")) - 1
    return row, int(matrix.indices[position]), float(matrix.data[position])


# --- direction -------------------------------------------------------------------------------


def _undirected(matrix: csr_array, survey: _Survey, name: str, notes: list[str]) -> csr_array:
    """The matrix itself when it is symmetric; else both directions as one."""
    if _is_symmetric(matrix.indptr, matrix.indices, matrix.data):
        return matrix
    transposed = matrix.T.tocsr()
    gaps = (matrix - transposed).tocoo()
    largest = abs(matrix).maximum(abs(transposed)).max(axis=1).toarray().ravel()
    rounding = _SYMMETRY * np.minimum(largest[gaps.row], largest[gaps.col])
    pairs = int(np.count_nonzero(np.abs(gaps.data) > rounding)) // 2
    if not pairs:
        return _cleaned(matrix * 0.5 + transposed * 0.5)
    if survey.all_ones:
        one_way = counted(pairs, "edge has no edge", "edges have no edge")
        notes.append(_directed(one_way, _EITHER, name))
        return _cleaned(matrix.maximum(transposed))
    unlike = counted(
        pairs, "pair of nodes has another weight", "pairs of nodes have another weight"
    )
    notes.append(_directed(unlike, _ADDED, name))
    both = both_directions(matrix)
    _check_finite(both, _surveyed(both), f"{name} + {name}.T")
    return both


def both_directions(A: csr_array) -> csr_array:
    """A + A.T off the diagonal, A on it."""
    transposed = A.T.tocsr()
    loops = A.diagonal()
    return _cleaned(A + (transposed - diags_array(loops) if loops.any() else transposed))


def _cleaned(matrix: Any) -> csr_array:
    """Sums of canonical matrices are canonical but for zeros."""
    clean = csr_array(matrix)
    clean.eliminate_zeros()
    return clean


def _directed(what: str, done: str, name: str) -> str:
    return (
        f"{name} is not symmetric: {what} in the other direction. It is read as a directed graph "
        f"and made undirected: {done}."
    )


# --- compiled passes -------------------------------------------------------------------------


@jit
def _order(indptr: _Indices, indices: _Indices, data: Float64Array) -> tuple[bool, bool]:
    """Whether the columns of every row increase, and whether some entry is zero."""
    in_order, zeros = True, False
    for row in range(len(indptr) - 1):
        last = -1
        for k in range(indptr[row], indptr[row + 1]):
            in_order &= indices[k] > last
            zeros |= data[k] == 0
            last = indices[k]
    return in_order, zeros


@jit
def _survey(data: Float64Array) -> tuple[int, int, bool, float]:
    """The first entry that is not finite, the first that is negative, all ones, the largest."""
    negative, all_ones, largest = -1, True, 0.0
    for k in range(len(data)):
        value = data[k]
        if not np.isfinite(value):
            return k, negative, all_ones, largest
        if value < 0 and negative < 0:
            negative = k
        all_ones &= value == 1
        largest = max(largest, abs(value))
    return -1, negative, all_ones, largest


@jit
def _is_symmetric(indptr: _Indices, indices: _Indices, data: Float64Array) -> bool:
    """Whether every entry above the diagonal meets its equal below, and none below is left.

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
