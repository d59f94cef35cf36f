"""From what a user passes as a graph to a clean adjacency matrix."""

from __future__ import annotations

import numbers
import warnings
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, diags_array, issparse
from scipy.sparse.csgraph import connected_components

from kgroups._numba import jit
from kgroups._typing import Float64Array, IntArray
from kgroups.exceptions import GraphNotice

# Two directions whose weights differ by less than this, relative to the heaviest edge of either
# node, were equal before rounding.
_SYMMETRY = 1e-10
_EITHER = "an edge is kept where there is one in either direction"
_ADDED = "the weights of both directions are added"
_ENTRIES, _EDGES = ("entry", "entries"), ("edge", "edges")
# int32 where they fit, else int64.
_Indices: TypeAlias = NDArray[np.integer[Any]]

_ACCEPTED = (
    "a scipy sparse array, a square NumPy array, a networkx graph, an igraph.Graph or a "
    "kgroups.graphs.Graph"
)
#: What to write where a list of edges was passed for something else.
EDGES_HINT = " For a list of edges write kgroups.graphs.Graph.from_edges(...)."
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
    matrix = _canonical(_narrow(_as_csr(A, name, notes)), name, notes)
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


def counted(count: int, one: str, many: str) -> str:
    """A number with the words that go with it.

    >>> counted(1, "edge is", "edges are"), counted(2000, "edge is", "edges are")
    ('1 edge is', '2,000 edges are')
    """
    return f"{count:,} {one if count == 1 else many}"


def type_name(value: Any) -> str:
    """The type of a value with its module, as several libraries have a Graph.

    >>> type_name([]), type_name(Adjacency(csr_array((1, 1)), ()))
    ('list', 'kgroups._adjacency.Adjacency')
    """
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{module}{kind.__qualname__}"


# --- what may hold a graph -------------------------------------------------------------------


def _as_csr(A: Any, name: str, notes: list[str]) -> csr_array:
    """A square float64 CSR with sound indices, perhaps sharing memory with ``A``."""
    if is_networkx(A):
        return _from_networkx(A, name, notes)
    if is_igraph(A):
        return _from_igraph(A, name, notes)
    if issparse(A):
        return _from_sparse(A, name, notes)
    if isinstance(A, (np.ndarray, list, tuple)):
        return _from_dense(A, name)
    inner = getattr(A, "adjacency", None)
    if issparse(inner) or isinstance(inner, np.ndarray):
        return _as_csr(inner, f"{name}.adjacency", notes)
    raise TypeError(f"{name} must be {_ACCEPTED}; got {type_name(A)}.{_hint(A)}")


def is_networkx(graph: Any) -> bool:
    """Whether an object looks like a graph of networkx."""
    return callable(getattr(graph, "is_directed", None)) and hasattr(graph, "adj")


def is_igraph(graph: Any) -> bool:
    """Whether an object looks like a graph of igraph."""
    return all(
        callable(getattr(graph, method, None))
        for method in ("get_edgelist", "vcount", "is_directed")
    )


def _hint(A: Any) -> str:
    if isinstance(A, str) or hasattr(A, "__fspath__"):
        return " For a file pass kgroups.graphs.read_graph(path)."
    if hasattr(A, "columns"):
        return _frame_hint(tuple(getattr(A, "shape", ())))
    return EDGES_HINT if hasattr(A, "__iter__") and not isinstance(A, (dict, bytes)) else ""


def _frame_hint(shape: tuple[int, ...]) -> str:
    """A frame that is not square holds edges; a small one may hold either."""
    is_square = len(shape) == 2 and shape[0] == shape[1]
    matrix = " For a frame that holds the matrix pass its to_numpy()." if is_square else ""
    return matrix + (EDGES_HINT if not is_square or _is_narrow(shape) else "")


def _is_narrow(shape: tuple[int, ...]) -> bool:
    """Whether a table has the columns of a list of edges: two ends, perhaps a weight."""
    return len(shape) == 2 and shape[1] in (2, 3)


def _from_networkx(graph: Any, name: str, notes: list[str]) -> csr_array:
    """Nodes in the order of the graph; an edge without ``weight`` weighs 1."""
    _check_some_nodes(len(graph), name)
    index = {node: i for i, node in enumerate(graph)}
    edges = list(graph.edges(data="weight", default=1.0))
    weights = _edge_weights(edges, name)
    ends = np.array([(index[u], index[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    return _from_ends(ends, weights, len(graph), graph.is_directed(), name, notes)


def _from_igraph(graph: Any, name: str, notes: list[str]) -> csr_array:
    """Nodes as igraph numbers them; an edge weighs 1 unless edges have a ``weight``."""
    n, pairs = int(graph.vcount()), graph.get_edgelist()
    _check_some_nodes(n, name)
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    weights = np.ones(len(ends))
    sequence = getattr(graph, "es", None)
    if sequence is not None and "weight" in sequence.attributes():
        named = zip(pairs, sequence["weight"], strict=True)
        weights = _edge_weights([(u, v, weight) for (u, v), weight in named], name)
    return _from_ends(ends, weights, n, bool(graph.is_directed()), name, notes)


def _check_some_nodes(n: int, name: str) -> None:
    if n == 0:
        raise ValueError(f"{name}: the graph has no nodes.")


def _edge_weights(edges: list[tuple[Any, Any, Any]], name: str) -> Float64Array:
    for u, v, weight in edges:
        if not isinstance(weight, numbers.Real):
            raise TypeError(
                f"{name}: the edge ({u!r}, {v!r}) has the weight {weight!r}; weights must be "
                "numbers."
            )
    try:
        return np.array([weight for *_, weight in edges], np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} has a weight that is too large for a float.") from error


def _from_ends(
    ends: IntArray, weights: Float64Array, n: int, directed: bool, name: str, notes: list[str]
) -> csr_array:
    """Edges as libraries of graphs list them, parallel ones added."""
    pairs = ends if directed else np.sort(ends, axis=1)
    different = len(np.unique(pairs[:, 0] * n + pairs[:, 1]))
    notes.extend(_repeats(len(ends) - different, _EDGES, name))
    if not directed:
        across = ends[:, 0] != ends[:, 1]
        ends = np.concatenate([ends, ends[across, ::-1]])
        weights = np.concatenate([weights, weights[across]])
    return coo_array((weights, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()


def _from_dense(A: Any, name: str) -> csr_array:
    if isinstance(A, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; write A.filled(0) where there is no edge.")
    try:
        dense = np.asarray(A)
    except ValueError as error:
        raise ValueError(
            f"{name} must be a square matrix; its rows differ in length.{_ragged_hint(A)}"
        ) from error
    hint = EDGES_HINT if _is_narrow(dense.shape) else ""
    _check_shape(dense.shape, name, hint)
    _check_dtype(dense.dtype, name, hint)
    return csr_array(dense.astype(np.float64, copy=False))


def _ragged_hint(rows: Any) -> str:
    """Edges of which some have a weight, or whose ends are tuples."""
    are_edges = all(isinstance(row, (list, tuple)) and len(row) in (2, 3) for row in rows)
    return EDGES_HINT if are_edges else ""


def _from_sparse(A: Any, name: str, notes: list[str]) -> csr_array:
    """Weights become float64 before anything is added, for small integers would run over."""
    _check_shape(A.shape, name)
    _check_dtype(A.dtype, name)
    try:
        return _sound(A, name, notes)
    except (ValueError, IndexError) as error:
        raise ValueError(f"{name} is a damaged sparse matrix: {error}.") from error


def _sound(A: Any, name: str, notes: list[str]) -> csr_array:
    """A new object, for SciPy's checks write to the object they check."""
    if A.format == "coo":
        rows, columns = A.coords if hasattr(A, "coords") else (A.row, A.col)
        own = coo_array((A.data.astype(np.float64), (rows, columns)), shape=A.shape)
        matrix = own.tocsr()
        notes.extend(_repeats(own.nnz - matrix.nnz, _ENTRIES, name))
        return matrix
    if A.format in ("csr", "csc", "bsr"):
        if A.indices.dtype.kind not in "iu" or A.indptr.dtype.kind not in "iu":
            raise ValueError("its indices are not integers")
        A = type(A)((A.data, A.indices, A.indptr), shape=A.shape)
        A.check_format(full_check=True)
    if A.dtype != np.float64:
        A = A.astype(np.float64)
    return csr_array(A.tocsr())


def _narrow(matrix: csr_array) -> csr_array:
    """Indices of 32 bits where they fit: half the memory, and one type for compiled code."""
    if matrix.indices.dtype == np.int32 or max(matrix.nnz, *matrix.shape) >= 2**31:
        return matrix
    parts = matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return csr_array(parts, shape=matrix.shape)


def _check_shape(shape: tuple[int, ...], name: str, hint: str = "") -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"{name} must be square: one row and column a node; got shape {shape}.{hint}"
        )
    _check_some_nodes(shape[0], name)


def _check_dtype(dtype: np.dtype[Any], name: str, hint: str = "") -> None:
    if dtype.kind == "c":
        raise TypeError(f"{name} holds complex numbers; weights must be real. Write A.real.")
    if dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must hold numbers; got {dtype}.{hint or ' Write A.astype(float).'}"
        )


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
    notes.extend(_repeats(matrix.nnz - own.nnz, _ENTRIES, name))
    own.eliminate_zeros()
    return own


def _repeats(count: int, what: tuple[str, str], name: str) -> list[str]:
    """A note, when some entries or edges are there more than once."""
    if not count:
        return []
    one, many = what
    repeat = counted(count, f"{one} that repeats another", f"{many} that repeat others")
    return [f"{name} has {repeat}; their weights were added."]


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
