"""A network in memory: its adjacency matrix, the ids of its nodes, and where it came from."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse

from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import adjacency_of, both_directions
from kgroups.input.frames import column_values
from kgroups.input.graph_files.text_lines import end_columns, ignored_columns, weight_column
from kgroups.input.networks import EDGES_HINT, is_igraph, is_networkx, type_name
from kgroups.input.parameters import check_integer
from kgroups.input.table_files.table import listed
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph of n nodes.

    Parameters
    ----------
    adjacency : csr_array of shape (n, n)
        Symmetric weights, canonical, a self-loop once in A_ii.
    nodes : ndarray of shape (n,)
        The id of each row: integers, or an object array of what the source calls its nodes.
    notes : tuple of str
        What was done to the source to read it as an undirected graph.
    source : str
        How messages speak of the graph.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 2])
    >>> graph.n_nodes, graph.n_edges, graph.is_weighted
    (3, 3, False)
    """

    adjacency: csr_array
    nodes: NDArray[Any]
    notes: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if self.nodes.shape != (self.n_nodes,):
            raise ValueError(
                f"nodes must hold one id for each of the {self.n_nodes} rows of adjacency; got "
                f"shape {self.nodes.shape}."
            )

    def __repr__(self) -> str:
        source = f" from {self.source}" if self.source else ""
        return f"<Graph of {self.n_nodes:,} nodes and {self.n_edges:,} edges{source}>"

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self.adjacency.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of edges, self-loops among them."""
        return (self.adjacency.nnz + int(np.count_nonzero(self.adjacency.diagonal()))) // 2

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the adjacency matrix, (n, n)."""
        return (self.n_nodes, self.n_nodes)

    @property
    def is_weighted(self) -> bool:
        """Whether some edge has a weight other than 1."""
        return bool(np.any(self.adjacency.data != 1))

    @classmethod
    def from_edges(
        cls, source: Any, target: Any = None, weight: Any = None, *, n_nodes: int | None = None
    ) -> Self:
        """A graph from the two ends of each edge.

        An edge that is given more than once, in whichever direction, has the sum of its weights.
        Sorting m edges costs O(m + n) and a peak of some 60 bytes an edge; ids other than integers
        are numbered first, some hundred thousand edges a second.

        Parameters
        ----------
        source : array-like of shape (m,), or all edges
            Where each edge begins. Integers are nodes 0..n−1; if any id is something else, text or
            any hashable, ``nodes`` are the ids in the order in which they appear. Without
            ``target`` it is a list of pairs (source, target) or triples (source, target, weight),
            an array of two or three columns, or a frame: of pandas or polars, with columns called
            source, target and weight as :func:`~kgroups.graphs.read_graph` knows them, or with two
            or three columns of any names.
        target : array-like of shape (m,), optional
            Where each edge ends.
        weight : array-like of shape (m,), optional
            1 for each edge unless given; may be negative.
        n_nodes : int, optional
            For integers: one more than the largest node unless given.

        Raises
        ------
        TypeError
            When ids are missing or cannot be hashed, or weights are not numbers.
        ValueError
            When lengths differ, a node is outside 0..n−1 or a weight is not finite.

        Warns
        -----
        GraphNotice
            When edges are given more than once or weigh nothing, or columns are not used.

        Examples
        --------
        >>> Graph.from_edges([0, 1], [1, 2], [0.5, 2.0]).adjacency.toarray()
        array([[0. , 0.5, 0. ],
               [0.5, 0. , 2. ],
               [0. , 2. , 0. ]])
        >>> Graph.from_edges([("ann", "bob"), ("bob", "cid")]).nodes.tolist()
        ['ann', 'bob', 'cid']
        """
        columns = _Columns(source, target, weight)
        if target is None:
            columns = _split(source, weight)
        ends, nodes = _numbered(_ids(columns.source, "source"), _ids(columns.target, "target"))
        if nodes is None:
            nodes = np.arange(_node_count(ends, n_nodes))
        elif n_nodes is not None:
            raise ValueError(
                f"n_nodes is for nodes 0..n-1; the ids here are not all integers, {nodes[0]!r} for "
                "one. Leave it out."
            )
        weights = _weights(columns.weight, len(ends[0]))
        half = _upper(ends, weights, len(nodes))
        repeats = _repeated(len(weights) - half.nnz)
        notes = (*columns.notes, *repeats, *without_zeros(half))
        for note in notes:
            warnings.warn(note, GraphNotice, stacklevel=2)
        return cls(both_directions(half), nodes, notes)

    @classmethod
    def from_networkx(cls, G: Any) -> Self:
        """A graph from one of networkx; an edge without ``weight`` weighs 1.

        Nodes keep their order. A directed graph is made undirected, and parallel edges become one,
        as :func:`~kgroups.graphs.read_graph` does. O(n + m), in Python.

        Raises
        ------
        TypeError
            For what is no graph of networkx, or weights that are not numbers.
        ValueError
            For a graph without nodes, or weights that are not finite.

        Warns
        -----
        GraphNotice
            When the graph was directed, or had parallel edges.

        Examples
        --------
        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(["a", "b", "c"])).nodes.tolist()
        ['a', 'b', 'c']
        """
        if not is_networkx(G):
            raise TypeError(f"G must be a graph of networkx; got {type_name(G)}.{EDGES_HINT}")
        found = adjacency_of(G, name="G", allow_negative=True)
        for note in found.warnings():
            warnings.warn(note, GraphNotice, stacklevel=2)
        return cls(found.matrix, node_ids(list(G)), found.notes)


def node_ids(ids: list[Any]) -> NDArray[Any]:
    """An array of integers when all ids are, else of objects, tuples left whole."""
    if all(type(i) is int and abs(i) < 2**63 for i in ids):
        return np.array(ids, np.int64)
    return np.fromiter(ids, object, len(ids))


def without_zeros(A: csr_array) -> list[str]:
    """Drop stored zeros, which are no edges; a note when there are some."""
    before = A.nnz
    A.eliminate_zeros()
    if A.nnz == before:
        return []
    edges = counted(
        before - A.nnz,
        "edge of weight 0 is no edge and was",
        "edges of weight 0 are no edges and were",
    )
    return [f"{edges} dropped."]


# --- edges -----------------------------------------------------------------------------------


class _Columns(NamedTuple):
    """Edges as columns, of whatever kind."""

    source: Any
    target: Any
    weight: Any
    notes: tuple[str, ...] = ()


def _split(edges: Any, weight: Any) -> _Columns:
    """Edges in one object as columns."""
    _check_may_be_edges(edges)
    if hasattr(edges, "columns"):
        columns = _of_frame(edges)
    elif isinstance(edges, np.ndarray):
        columns = _of_array(edges)
    else:
        columns = _of_rows(list(edges))
    if weight is None:
        return columns
    if columns.weight is not None:
        raise ValueError("the edges have weights of their own; leave out weight, or theirs.")
    return columns._replace(weight=weight)


def _check_may_be_edges(edges: Any) -> None:
    """What else is passed without a target."""
    found = f"source must hold edges; got {type_name(edges)}."
    if isinstance(edges, str) or hasattr(edges, "__fspath__"):
        raise TypeError(f"{found} For a file write kgroups.graphs.read_graph(path).")
    if is_networkx(edges) or is_igraph(edges) or issparse(edges) or isinstance(edges, Graph):
        raise TypeError(f"{found} It is a graph already: pass it as it is where A is asked for.")
    if isinstance(edges, (dict, bytes)) or not hasattr(edges, "__iter__"):
        raise TypeError(f"{found} Write pairs such as [(0, 1), (1, 2)].")


def _of_frame(frame: Any) -> _Columns:
    """By the names of columns that :func:`~kgroups.graphs.read_graph` knows, else the first."""
    names = [str(name) for name in frame.columns]
    ends, weight = end_columns(names), weight_column(names)
    if ends is None:
        if len(names) not in (2, 3) and not (weight and len(names) > 3):
            raise ValueError(
                f"a frame of edges has columns source and target, perhaps weight; got "
                f"{listed(names) or 'none'}. Rename the columns that hold the edges."
            )
        free = [c for c in range(len(names)) if c not in weight]
        ends, weight = (free[0], free[1]), weight or tuple(free[2:])
    used = {*ends, *weight}
    others = [name for c, name in enumerate(names) if c not in used]
    return _Columns(
        column_values(frame, ends[0]),
        column_values(frame, ends[1]),
        column_values(frame, weight[0]) if weight else None,
        (ignored_columns(others),) if others else (),
    )


def _of_array(edges: NDArray[Any]) -> _Columns:
    if edges.ndim != 2 or edges.shape[1] not in (2, 3):
        what = " For the weights of all pairs of nodes, a square matrix, leave out from_edges."
        is_matrix = edges.ndim == 2 and edges.shape[0] == edges.shape[1]
        raise ValueError(
            "an array of edges has two columns, source and target, perhaps a third of weights; "
            f"got shape {edges.shape}.{what if is_matrix else ''}"
        )
    weighted = edges.shape[1] == 3
    return _Columns(edges[:, 0], edges[:, 1], edges[:, 2] if weighted else None)


def _of_rows(rows: list[Any]) -> _Columns:
    """Pairs or triples, all of one kind."""
    widths = [len(row) if isinstance(row, (tuple, list, np.ndarray)) else 0 for row in rows]
    first = widths[0] if widths else 2
    for edge, width in enumerate(widths):
        if width not in (2, 3) or width != first:
            raise ValueError(f"edge {edge} is {rows[edge]!r}; expected {_expected(first)}.")
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)]
    columns = columns or [[], []]
    if first == 3 and isinstance(columns[2][0], dict):
        raise TypeError(
            f"edge 0 has the weight {columns[2][0]!r}; for a graph of networkx write "
            'G.edges(data="weight", default=1), or pass the graph itself.'
        )
    return _Columns(columns[0], columns[1], columns[2] if first == 3 else None)


def _expected(width: int) -> str:
    """What the other edges are, or what edges are."""
    if width in (2, 3):
        return "(source, target, weight)" if width == 3 else "(source, target)"
    return "(source, target); for two lists write from_edges(source, target)"


def _numbers(weights: Any) -> Any:
    """An array of objects, such as weights that stood beside text, as the numbers that they are."""
    array = np.asarray(weights)
    if array.dtype != object or array.ndim != 1:
        return weights
    for edge, weight in enumerate(array):
        if not isinstance(weight, Real):
            raise TypeError(f"weight must hold numbers; edge {edge} has {weight!r}.")
    return array.astype(np.float64)


def _ids(nodes: Any, name: str) -> NDArray[Any]:
    """Integers when all ids are, else objects."""
    array = _as_array(nodes)
    if array.ndim != 1:
        raise ValueError(f"{name} must hold one node an edge; got shape {array.shape}.")
    if array.dtype.kind in "iu" or not len(array):
        return array.astype(np.int64, copy=False)
    if array.dtype.kind == "f":
        return _whole(array, name)
    if array.dtype.kind in "bc":
        raise TypeError(f"{name} must hold ids, integers or text; got {array.dtype}.")
    ids = array.tolist() if array.dtype.kind in "OUST" else list(array)
    if any(issubclass(kind, np.integer) for kind in set(map(type, ids))):
        ids = [i.item() if isinstance(i, np.integer) else i for i in ids]
    return node_ids(ids)


def _as_array(nodes: Any) -> NDArray[Any]:
    """Items as they are: NumPy would make text of integers beside text, and columns of tuples."""
    if isinstance(nodes, str) or not hasattr(nodes, "__iter__"):
        return np.asarray(nodes)
    if isinstance(nodes, np.ndarray) or hasattr(nodes, "__array__"):
        return np.asarray(nodes)
    items = list(nodes)
    kinds = set(map(type, items))
    if all(issubclass(kind, (int, float, np.number, list, np.ndarray)) for kind in kinds):
        return np.asarray(items)
    return np.fromiter(items, object, len(items))


def _whole(numbers: NDArray[Any], name: str) -> IntArray:
    """Floats that are integers, as an array holds them beside weights."""
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < 2**53)
    if not whole.all():
        edge = int(np.argmin(whole))
        if np.isnan(numbers[edge]):
            raise TypeError(_missing(edge, name, numbers[edge]))
        raise TypeError(
            f"{name} must hold ids, integers or text; edge {edge} has {numbers[edge]}. For numbers "
            "as names write .astype(str)."
        )
    return numbers.astype(np.int64)


def _numbered(
    source: NDArray[Any], target: NDArray[Any]
) -> tuple[tuple[IntArray, IntArray], NDArray[Any] | None]:
    """Ends as nodes 0..n−1, and the ids of these; None when ids are such numbers already."""
    if len(source) != len(target):
        raise ValueError(
            f"source and target must be of one length, an entry an edge; got {len(source)} "
            f"and {len(target)}."
        )
    if object not in (source.dtype, target.dtype):
        return (source, target), None
    codes: dict[Any, int] = {}
    ends = [source.tolist(), target.tolist()]
    try:
        ranks = [codes.setdefault(i, len(codes)) for i in _in_turn(ends)]
    except TypeError as error:
        raise TypeError(
            f"ids must be integers, text or something else that can be hashed: {error}."
        ) from error
    _check_none_missing(codes, ranks)
    both = np.array(ranks, np.int64).reshape(-1, 2)
    return (both[:, 0], both[:, 1]), node_ids(list(codes))


def _in_turn(ends: list[list[Any]]) -> Iterable[Any]:
    return chain.from_iterable(zip(*ends, strict=True))


def _check_none_missing(codes: dict[Any, int], ranks: list[int]) -> None:
    for node, code in codes.items():
        # NaN and NaT are not equal to themselves; the NA of pandas does not say.
        if node is None or type(node).__name__ == "NAType" or bool(node != node):  # noqa: PLR0124
            edge, end = divmod(ranks.index(code), 2)
            raise TypeError(_missing(edge, ("source", "target")[end], node))


def _missing(edge: int, name: str, node: Any) -> str:
    return f"edge {edge} has no {name}: {node!s}; remove the edge, or give the node a name."


def _node_count(ends: tuple[IntArray, IntArray], n_nodes: int | None) -> int:
    least = min((int(nodes.min()) for nodes in ends if len(nodes)), default=0)
    if least < 0:
        raise ValueError(f"nodes are numbered from 0; got {least}.")
    largest = max((int(nodes.max()) for nodes in ends if len(nodes)), default=-1)
    if n_nodes is None:
        if largest < 0:
            raise ValueError("there are no edges; say how many nodes there are by n_nodes.")
        return largest + 1
    n = check_integer(n_nodes, "n_nodes")
    if largest >= n:
        raise ValueError(f"n_nodes={n}, but the edges name node {largest}; nodes are 0..{n - 1}.")
    return n


def _weights(weight: Any, n_edges: int) -> Float64Array:
    if weight is None:
        return np.ones(n_edges)
    array = np.asarray(_numbers(weight))
    if array.shape != (n_edges,):
        raise ValueError(
            f"weight must hold one number for each edge, {n_edges:,} in all; got shape "
            f"{array.shape}."
        )
    if array.dtype.kind not in "biuf":
        raise TypeError(f"weight must hold numbers; got {array.dtype}.")
    finite = np.isfinite(array)
    if not finite.all():
        edge = int(np.argmin(finite))
        raise ValueError(f"weight contains NaN or infinity: edge {edge} has {array[edge]}.")
    return array.astype(np.float64, copy=False)


def _upper(ends: tuple[IntArray, IntArray], weights: Float64Array, n: int) -> csr_array:
    """The entries on and above the diagonal, each once."""
    index = np.int32 if n < 2**31 else np.int64
    first = np.minimum(*ends, dtype=index, casting="unsafe")
    second = np.maximum(*ends, dtype=index, casting="unsafe")
    return csr_array(coo_array((weights, (first, second)), shape=(n, n)))


def _repeated(count: int) -> list[str]:
    if not count:
        return []
    edges = counted(count, "edge repeats another", "edges repeat others")
    return [f"{edges}, in this direction or the other; weights were added."]
