"""A network in memory: its adjacency matrix, the ids of its nodes, and where it came from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import adjacency_of, both_directions
from kgroups.input.graph_files.edge_columns import EdgeColumns, checked_weights, split
from kgroups.input.graph_files.node_ids import checked_ids, node_count, node_ids, numbered
from kgroups.input.networks import EDGES_HINT, drop_zeros, is_networkx, type_name
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
        columns = EdgeColumns(source, target, weight)
        if target is None:
            columns = split(source, weight)
        ends, nodes = numbered(
            checked_ids(columns.source, "source"), checked_ids(columns.target, "target")
        )
        if nodes is None:
            nodes = np.arange(node_count(ends, n_nodes))
        elif n_nodes is not None:
            raise ValueError(
                f"n_nodes is for nodes 0..n-1; the ids here are not all integers, {nodes[0]!r} for "
                "one. Leave it out."
            )
        weights = checked_weights(columns.weight, len(ends[0]))
        half = _upper(ends, weights, len(nodes))
        repeats = _repeated(len(weights) - half.nnz)
        notes = (*columns.notes, *repeats, *drop_zeros(half))
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
