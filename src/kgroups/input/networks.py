"""What may hold a graph: sparse and full matrices, graphs of networkx and igraph, and our own."""

import numbers
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from kgroups.input.parallel_edges import summed
from kgroups.input.sparse_matrices import sound
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray, SparseMatrix


class NetworkXGraph(Protocol):
    """What is used of a graph of networkx."""

    @property
    def adj(self) -> Any:
        """The neighbors of each node."""

    @property
    def edges(self) -> Any:
        """A view of the edges; called with ``data="weight"``, it yields them with their weights."""

    def is_directed(self) -> bool:
        """Whether edges have a direction."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...


class IGraph(Protocol):
    """What is used of an ``igraph.Graph``."""

    def get_edgelist(self) -> Sequence[tuple[int, int]]:
        """The two ends of each edge."""

    def vcount(self) -> int:
        """Number of nodes."""

    def is_directed(self) -> bool:
        """Whether edges have a direction."""


class HoldsAdjacency(Protocol):
    """An object with an adjacency matrix, such as a :class:`kgroups.graphs.Graph`."""

    @property
    def adjacency(self) -> Any:
        """A sparse or full matrix."""


class HoldsNeighbors(Protocol):
    """An object like those of anndata, with matrices between named observations."""

    @property
    def obsp(self) -> Any:
        """Sparse matrices by name."""

    @property
    def obs_names(self) -> Any:
        """The names of the observations."""


class HoldsColumns(Protocol):
    """A frame of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""


GraphLike: TypeAlias = (
    ArrayLike
    | SparseMatrix
    | NetworkXGraph
    | IGraph
    | HoldsAdjacency
    | HoldsNeighbors
    | HoldsColumns
    | Iterable[Sequence[Any]]
    | Mapping[Any, Any]
    | PathLike[str]
)

_ACCEPTED = (
    "a scipy sparse array, a square NumPy array, a graph of networkx or igraph, a "
    "kgroups.graphs.Graph, an object with obsp['connectivities'], pairs of nodes, a dict of their "
    "neighbors, a frame of edges or the path of a file"
)
# Stands for the weight of an edge of networkx that has none.
_UNWEIGHTED = object()
#: What to write where a list of edges was passed for something else.
EDGES_HINT = " For a list of edges write kgroups.graphs.Graph.from_edges(...)."


def as_csr(A: object, name: str, notes: list[str]) -> csr_array:
    """A square float64 CSR with sound indices, perhaps sharing memory with ``A``."""
    if is_networkx(A):
        return _from_networkx(A, name, notes)
    if is_igraph(A):
        return _from_igraph(A, name, notes)
    if _is_sparse(A):
        return _from_sparse(A, name, notes)
    if isinstance(A, (np.ndarray, list, tuple)):
        return _from_dense(A, name)
    inner = getattr(A, "adjacency", None)
    if _is_sparse(inner) or isinstance(inner, np.ndarray):
        return as_csr(inner, f"{name}.adjacency", notes)
    raise TypeError(f"{name} must be {_ACCEPTED}; got {type_name(A)}.{_hint(A)}")


def is_networkx(graph: object) -> TypeGuard[NetworkXGraph]:
    """Whether an object looks like a graph of networkx."""
    return callable(getattr(graph, "is_directed", None)) and hasattr(graph, "adj")


def is_igraph(graph: object) -> TypeGuard[IGraph]:
    """Whether an object looks like a graph of igraph."""
    return all(
        callable(getattr(graph, method, None))
        for method in ("get_edgelist", "vcount", "is_directed")
    )


def igraph_names(graph: IGraph) -> list[Hashable] | None:
    """The attribute "name" of the vertices; None unless it tells all of them apart.

    In a graph made from one of networkx it is called "_nx_name".
    """
    vertices = getattr(graph, "vs", None)
    known = [] if vertices is None else vertices.attributes()
    attribute = next((name for name in ("name", "_nx_name") if name in known), None)
    if vertices is None or attribute is None:
        return None
    names = list(vertices[attribute])
    return names if len(set(names)) == len(names) and None not in names else None


def holds_neighbors(A: object) -> TypeGuard[HoldsNeighbors]:
    """Whether an object looks like those of anndata."""
    return hasattr(A, "obsp") and hasattr(A, "obs_names")


def neighbor_matrix(A: HoldsNeighbors, name: str) -> Any:
    """The matrix of neighbors that scanpy writes."""
    if "connectivities" in A.obsp:
        return A.obsp["connectivities"]
    has = ", ".join(map(repr, A.obsp)) or "nothing"
    raise ValueError(
        f"{name}.obsp has no 'connectivities', only {has}; make it by scanpy.pp.neighbors({name}), "
        f"or pass a matrix of similarities as A, such as {name}.obsp[...]."
    )


def _is_sparse(A: object) -> TypeGuard[SparseMatrix]:
    return bool(issparse(A))


def _hint(A: object) -> str:
    return EDGES_HINT if hasattr(A, "__iter__") and not isinstance(A, (dict, bytes)) else ""


def _is_narrow(shape: tuple[int, ...]) -> bool:
    """Whether a table has the columns of a list of edges: two ends and perhaps a weight."""
    return len(shape) == 2 and shape[1] in (2, 3)


def _from_networkx(graph: NetworkXGraph, name: str, notes: list[str]) -> csr_array:
    """Nodes in the order of the graph; an edge without ``weight`` weighs 1."""
    _check_some_nodes(len(graph), name)
    index = {node: i for i, node in enumerate(graph)}
    given = list(graph.edges(data="weight", default=_UNWEIGHTED))
    edges = [(u, v, 1.0 if weight is _UNWEIGHTED else weight) for u, v, weight in given]
    n_without = sum(weight is _UNWEIGHTED for *_, weight in given)
    if 0 < n_without < len(edges):
        have, weigh = ("has", "weighs") if n_without == 1 else ("have", "weigh")
        notes.append(
            f"{name}: {n_without:,} of {len(edges):,} edges {have} no weight, and {weigh} 1."
        )
    weights = _edge_weights(edges, name)
    ends = np.array([(index[u], index[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    return _from_ends(ends, weights, len(graph), graph.is_directed(), name, notes)


def _from_igraph(graph: IGraph, name: str, notes: list[str]) -> csr_array:
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


def _of_text(weight: object) -> str:
    """How a number is written that was given as text."""
    if not isinstance(weight, str):
        return ""
    return f", without quotes{' and with a decimal point' if ',' in weight else ''}"


def _edge_weights(edges: list[tuple[Hashable, Hashable, Any]], name: str) -> Float64Array:
    for u, v, weight in edges:
        if not isinstance(weight, numbers.Real):
            raise TypeError(
                f"{name}: the edge ({u!r}, {v!r}) has the weight {weight!r}; weights must be "
                f"numbers{_of_text(weight)}."
            )
    try:
        return np.array([weight for *_, weight in edges], np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} has a weight that is too large for a float.") from error


def _from_ends(
    ends: IntArray, weights: Float64Array, n: int, directed: bool, name: str, notes: list[str]
) -> csr_array:
    """A matrix from edges as graph libraries list them; parallel edges are added."""
    pairs = ends if directed else np.sort(ends, axis=1)
    different = len(np.unique(pairs[:, 0] * n + pairs[:, 1]))
    notes.extend(repeats(len(ends) - different, "edge", "edges", name))
    if not directed:
        across = ends[:, 0] != ends[:, 1]
        ends = np.concatenate([ends, ends[across, ::-1]])
        weights = np.concatenate([weights, weights[across]])
    return summed(ends[:, 0], ends[:, 1], weights, n)


def _from_dense(A: Any, name: str) -> csr_array:
    if isinstance(A, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; write A.filled(0) where there is no edge.")
    try:
        dense = np.asarray(A)
    except ValueError as error:
        # Rows that look like edges: only some have a weight, or ends are tuples.
        edges = all(isinstance(row, (list, tuple)) and len(row) in (2, 3) for row in A)
        raise ValueError(
            f"{name} must be a square matrix; its rows differ in length."
            f"{EDGES_HINT if edges else ''}"
        ) from error
    hint = EDGES_HINT if _is_narrow(dense.shape) else ""
    _check_shape(dense.shape, name, hint)
    _check_dtype(dense.dtype, name, hint)
    return csr_array(dense.astype(np.float64, copy=False))


def _from_sparse(A: SparseMatrix, name: str, notes: list[str]) -> csr_array:
    _check_shape(A.shape, name)
    _check_dtype(A.dtype, name)
    own: Any = sound(A, name)
    if own.format != "coo":
        return csr_array(own.tocsr())
    source, target = own.coords
    matrix = summed(source, target, own.data, own.shape[0])
    notes.extend(repeats(own.nnz - matrix.nnz, "entry", "entries", name))
    return matrix


def narrow(matrix: csr_array) -> csr_array:
    """Indices of 32 bits where they fit: half the memory, and one type for compiled code."""
    if matrix.indices.dtype == np.int32 or max(matrix.nnz, *matrix.shape) >= 2**31:
        return matrix
    parts = matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return csr_array(parts, shape=matrix.shape)


def _check_shape(shape: tuple[int, ...], name: str, hint: str = "") -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"{name} must be square: one row and one column per node; got shape {shape}.{hint}"
        )
    _check_some_nodes(shape[0], name)


def _check_dtype(dtype: np.dtype[Any], name: str, hint: str = "") -> None:
    if dtype.kind == "c":
        raise TypeError(f"{name} holds complex numbers; weights must be real. Write A.real.")
    if dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must hold numbers; got {dtype}.{hint or ' Write A.astype(float).'}"
        )


def repeats(count: int, one: str, many: str, name: str) -> list[str]:
    """A note that some entries or edges appear more than once; nothing if none do."""
    if not count:
        return []
    repeat = counted(count, f"{one} that repeats another", f"{many} that repeat others")
    return [f"{name} has {repeat}; their weights were added."]


def drop_zeros(A: csr_array) -> list[str]:
    """Drop stored zeros, which are not edges, and return a note if there were any."""
    before = A.nnz
    A.eliminate_zeros()
    if A.nnz == before:
        return []
    edges = counted(before - A.nnz, "edge of weight 0 was", "edges of weight 0 were")
    return [f"{edges} dropped."]


def type_name(value: object) -> str:
    """The type of a value with its module, since several libraries have a Graph.

    >>> import fractions
    >>> type_name([]), type_name(fractions.Fraction(1, 2))
    ('list', 'fractions.Fraction')
    """
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{module}{kind.__qualname__}"
