"""A network in memory: its adjacency matrix, the ids of its nodes, and where it came from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kgroups._adjacency import adjacency_of, both_directions, is_networkx
from kgroups._typing import Float64Array, IntArray
from kgroups._validation import check_integer
from kgroups.exceptions import GraphNotice


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
        cls, source: Any, target: Any, weight: Any = None, *, n_nodes: int | None = None
    ) -> Self:
        """A graph from the two ends of each edge.

        An edge that is given more than once, in whichever direction, has the sum of its weights.
        Sorting m edges costs O(m + n) and a peak of some 60 bytes an edge.

        Parameters
        ----------
        source, target : array-like of int, shape (m,)
            Nodes 0..n−1.
        weight : array-like of shape (m,), optional
            1 for each edge unless given; may be negative.
        n_nodes : int, optional
            One more than the largest node unless given.

        Raises
        ------
        TypeError
            When nodes are not integers or weights not numbers.
        ValueError
            When lengths differ, a node is outside 0..n−1 or a weight is not finite.

        Warns
        -----
        GraphNotice
            When edges are given more than once, or weigh nothing.

        Examples
        --------
        >>> Graph.from_edges([0, 1], [1, 2], [0.5, 2.0]).adjacency.toarray()
        array([[0. , 0.5, 0. ],
               [0.5, 0. , 2. ],
               [0. , 2. , 0. ]])
        """
        ends = _ends(source, "source"), _ends(target, "target")
        if len(ends[0]) != len(ends[1]):
            raise ValueError(
                f"source and target must be of one length, an entry an edge; got {len(ends[0])} "
                f"and {len(ends[1])}."
            )
        n = _node_count(ends, n_nodes)
        weights = _weights(weight, len(ends[0]))
        half = _upper(ends, weights, n)
        notes = [*_repeated(len(weights) - half.nnz), *without_zeros(half)]
        for note in notes:
            warnings.warn(note, GraphNotice, stacklevel=2)
        return cls(both_directions(half), np.arange(n), tuple(notes))

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
            raise TypeError(f"G must be a graph of networkx; got {type(G).__name__}.")
        adjacency, notes = adjacency_of(G, name="G", allow_negative=True)
        for note in notes:
            warnings.warn(note, GraphNotice, stacklevel=2)
        return cls(adjacency, node_ids(list(G)), notes)


def node_ids(ids: list[Any]) -> NDArray[Any]:
    """An array of integers when all ids are, else of objects, tuples left whole."""
    if all(type(i) is int and abs(i) < 2**63 for i in ids):
        return np.array(ids, np.int64)
    nodes = np.empty(len(ids), object)
    for position, node in enumerate(ids):
        nodes[position] = node
    return nodes


def without_zeros(A: csr_array) -> list[str]:
    """Drop stored zeros, which are no edges; a note when there are some."""
    before = A.nnz
    A.eliminate_zeros()
    if A.nnz == before:
        return []
    return [f"{before - A.nnz:,} edges of weight 0 are no edges and were dropped."]


# --- edges -----------------------------------------------------------------------------------


def _ends(nodes: Any, name: str) -> IntArray:
    array = np.asarray(nodes)
    if array.ndim != 1:
        raise ValueError(f"{name} must hold one node an edge; got shape {array.shape}.")
    if array.dtype.kind not in "iu" and len(array):
        raise TypeError(
            f"{name} must hold integers 0..n-1; got {array.dtype}. For other ids build a networkx "
            "graph, or write the edges to a file for kgroups.graphs.read_graph."
        )
    return array.astype(np.int64, copy=False)


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
    array = np.asarray(weight)
    if array.shape != (n_edges,):
        raise ValueError(
            f"weight must hold one number for each of the {n_edges} edges; got shape {array.shape}."
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
    return [f"{count:,} edges repeat others, in this direction or the other; weights were added."]
