"""Clean adjacency matrices from what a user passes as a graph."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from kgroups.input.compiled.adjacency import column_order, is_symmetric, survey_entries
from kgroups.input.networks import as_csr, narrow, repeats
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray, SparseMatrix

# Weights of the two directions that differ by less than this, relative to the heaviest edge of
# either node, count as equal: the difference is rounding.
_SYMMETRY = 1e-10
#: What becomes of the two directions of an edge.
EITHER = "an edge is kept where there is one in either direction"
ADDED = "the weights of both directions are added"
_DIRECTED_HINT = (
    " To choose for yourself, pass a symmetric matrix: A.maximum(A.T) for an edge in either "
    "direction, (A + A.T) / 2 for the mean weight."
)


class Adjacency(NamedTuple):
    """A clean adjacency matrix, and what was done to make it one."""

    matrix: csr_array
    notes: tuple[str, ...]
    #: Whether the given matrix was not symmetric; the last note says so.
    was_directed: bool = False

    def warnings(self) -> list[str]:
        """The notes, with a hint that is of use only in Python."""
        if not self.was_directed:
            return list(self.notes)
        return [*self.notes[:-1], self.notes[-1] + _DIRECTED_HINT]


def adjacency_of(A: object, *, name: str, allow_negative: bool) -> Adjacency:
    """The symmetric adjacency matrix of a matrix or a graph of another library, with notes.

    See :func:`kgroups.input.check_adjacency.check_adjacency`.
    """
    notes: list[str] = []
    matrix = _canonical(narrow(as_csr(A, name, notes)), name, notes)
    all_ones = _check_entries(matrix, name, allow_negative=allow_negative)
    so_far = len(notes)
    undirected = _undirected(matrix, name, notes, all_ones=all_ones)
    return Adjacency(undirected, tuple(notes), was_directed=len(notes) > so_far)


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


def _canonical(matrix: csr_array, name: str, notes: list[str]) -> csr_array:
    """Rows with sorted columns, each once, and no zeros; the same object if it has them already."""
    in_order, zeros = column_order(matrix.indptr, matrix.indices, matrix.data)
    if in_order and not zeros:
        return matrix
    own = matrix.copy()
    # The flags of the caller's object may be wrong.
    own.has_sorted_indices = own.has_canonical_format = in_order
    own.sum_duplicates()
    notes.extend(repeats(matrix.nnz - own.nnz, "entry", "entries", name))
    own.eliminate_zeros()
    return own


def _check_entries(matrix: csr_array, name: str, *, allow_negative: bool) -> bool:
    """Refuse weights that are not finite or, unless allowed, negative; whether all are 1."""
    not_finite, negative, all_ones = survey_entries(matrix.data)
    if not_finite >= 0:
        row, column, value = _entry(matrix, not_finite)
        what = "NaN" if np.isnan(value) else "infinity"
        raise ValueError(
            f"{name} contains {what} in row {row}, column {column}; write 0 where there is no edge."
        )
    if negative >= 0 and not allow_negative:
        row, column, value = _entry(matrix, negative)
        raise ValueError(
            f"{name} has negative weights: row {row}, column {column} is {value:.6g}. "
            'objective="bethe_hessian" and "ratio_association" take negative weights; for the '
            "others remove them, or pass abs(A)."
        )
    return all_ones


def _entry(matrix: csr_array, position: int) -> tuple[int, int, float]:
    """The row, column and value of a stored entry."""
    row = int(np.searchsorted(matrix.indptr, position, side="right")) - 1
    return row, int(matrix.indices[position]), float(matrix.data[position])


def _undirected(matrix: csr_array, name: str, notes: list[str], *, all_ones: bool) -> csr_array:
    """The matrix itself if it is symmetric; otherwise both directions made one."""
    if is_symmetric(matrix.indptr, matrix.indices, matrix.data):
        return matrix
    transposed = matrix.T.tocsr()
    gaps = (matrix - transposed).tocoo()
    largest = abs(matrix).maximum(abs(transposed)).max(axis=1).toarray().ravel()
    rounding = _SYMMETRY * np.minimum(largest[gaps.row], largest[gaps.col])
    pairs = int(np.count_nonzero(np.abs(gaps.data) > rounding)) // 2
    if not pairs:
        return _cleaned(matrix * 0.5 + transposed * 0.5)
    if all_ones:
        what = counted(pairs, "edge has no counterpart", "edges have no counterpart")
        what = f"{what} in the other direction"
    else:
        what = counted(pairs, "pair of nodes has", "pairs of nodes have")
        what = f"{what} different weights in the two directions"
    notes.append(
        f"{name} is not symmetric: {what}. It is read as a directed graph and made undirected: "
        f"{EITHER if all_ones else ADDED}."
    )
    if all_ones:
        return _cleaned(matrix.maximum(transposed))
    both = both_directions(matrix)
    _check_entries(both, f"{name} + {name}.T", allow_negative=True)
    return both


def both_directions(A: csr_array) -> csr_array:
    """A + A.T off the diagonal, and A on it."""
    transposed = A.T.tocsr()
    loops = A.diagonal()
    return _cleaned(A + (transposed - diags_array(loops) if loops.any() else transposed))


def _cleaned(matrix: SparseMatrix) -> csr_array:
    """A CSR without zeros; sums of canonical matrices are canonical except for these."""
    clean: csr_array = matrix.tocsr()
    clean.eliminate_zeros()
    return clean
