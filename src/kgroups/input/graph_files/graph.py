"""A network in memory: its adjacency matrix, the ids of its nodes, and where it came from."""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import adjacency_of, both_directions
from kgroups.input.graph_files.edge_columns import (
    EdgeColumns,
    checked_ids,
    checked_weights,
    node_count,
    node_ids,
    numbered,
    ranked,
    split,
)
from kgroups.input.graph_files.node_names import notes_on_lookalikes
from kgroups.input.networks import EDGES_HINT, NetworkXGraph, drop_zeros, is_networkx, type_name
from kgroups.input.parallel_edges import summed
from kgroups.input.table_files.text_format import ListFound
from kgroups.text import counted
from kgroups.typing import IntArray


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph of n nodes.

    Parameters
    ----------
    adjacency : csr_array of shape (n, n)
        Symmetric weights, canonical, a self-loop once in A_ii.
    nodes : ndarray of shape (n,)
        The id of each row: integers, or an object array of the names in the source.
    notes : tuple of str
        What was done to read the source as an undirected graph.
    source : str
        What messages call the graph.
    text : ListFound, optional
        How the text was written from which the graph was read: delimiter, decimal mark, columns.

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
    text: ListFound | None = None

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
        cls,
        source: Any,
        target: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        *,
        n_nodes: int | None = None,
    ) -> Self:
        """A graph from the two ends of each edge.

        The weights of an edge that is given more than once, in either direction, are added. The
        result does not depend on the order of the edges, nor on that of their ends.
        Sorting m edges costs O(m + n) and a peak of about 60 bytes per edge; ids other than
        integers are numbered first, a few hundred thousand edges per second.

        Parameters
        ----------
        source : array-like of shape (m,), or all edges
            First end of each edge. Integers are nodes 0..n−1; if any id is something else, such as
            text or another hashable, ``nodes`` are the sorted ids: numbers by size, others as text.
            Without ``target``: a list of pairs (source, target) or triples (source, target,
            weight), an array of two or three columns, or a pandas or polars frame with columns
            named source, target and weight, as for :func:`~kgroups.graphs.read_graph`, or with two
            or three columns of any names.
        target : array-like of shape (m,), optional
            Second end of each edge.
        weight : array-like of shape (m,), optional
            Weights of the edges, 1 unless given; may be negative.
        n_nodes : int, optional
            Number of nodes if ids are integers; by default one more than the largest.

        Raises
        ------
        TypeError
            If ids are missing or cannot be hashed, or weights are not numbers.
        ValueError
            If lengths differ, a node is outside 0..n−1, or a weight is not finite.

        Warns
        -----
        GraphNotice
            If edges are given more than once or have weight 0, or columns are not used.

        Examples
        --------
        >>> Graph.from_edges([0, 1], [1, 2], [0.5, 2.0]).adjacency.toarray()
        array([[0. , 0.5, 0. ],
               [0.5, 0. , 2. ],
               [0. , 2. , 0. ]])
        >>> Graph.from_edges([("ann", "bob"), ("bob", "cid")]).nodes.tolist()
        ['ann', 'bob', 'cid']
        """
        given = EdgeColumns(source, target, weight)
        columns = split(source, weight) if target is None else given
        ends, nodes = numbered(
            checked_ids(columns.source, "source"), checked_ids(columns.target, "target")
        )
        if nodes is None:
            nodes = np.arange(node_count(ends, n_nodes))
        elif n_nodes is not None:
            raise ValueError(
                "n_nodes is for nodes 0..n-1, but not all ids are integers: the first one is "
                f"{nodes[0]!r}. Leave it out."
            )
        adjacency, notes = _adjacency(ends, columns, nodes)
        for note in notes:
            warnings.warn(note, GraphNotice, stacklevel=2)
        return cls(adjacency, nodes, notes)

    @classmethod
    def from_networkx(cls, G: NetworkXGraph) -> Self:
        """A graph from a networkx graph; an edge without ``weight`` weighs 1.

        Nodes keep their order. A directed graph is made undirected, and parallel edges become one,
        as in :func:`~kgroups.graphs.read_graph`. O(n + m), in Python.

        Raises
        ------
        TypeError
            If G is not a networkx graph, or weights are not numbers.
        ValueError
            If the graph has no nodes, or weights are not finite.

        Warns
        -----
        GraphNotice
            If the graph is directed, or has parallel edges.

        Examples
        --------
        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(["a", "b", "c"])).nodes.tolist()
        ['a', 'b', 'c']
        """
        if not is_networkx(G):
            raise TypeError(f"G must be a networkx graph; got {type_name(G)}.{EDGES_HINT}")
        found = adjacency_of(G, name="G", allow_negative=True)
        for note in found.warnings():
            warnings.warn(note, GraphNotice, stacklevel=2)
        return cls(found.matrix, node_ids(list(G)), found.notes)


def graph_of_columns(columns: EdgeColumns) -> Graph:
    """The graph of the nodes that edges name, sorted, also where these are integers."""
    source, target = (
        checked_ids(columns.source, "source"), checked_ids(columns.target, "target")
    )  # fmt: skip
    ends, nodes = numbered(source, target)
    if nodes is None:
        if not len(ends[0]):
            raise ValueError("there are no edges: the list is empty.")
        *ends_of, nodes = ranked(*ends)
        ends = (ends_of[0], ends_of[1])
    adjacency, notes = _adjacency(ends, columns, nodes)
    return Graph(adjacency, nodes, notes)


def _adjacency(
    ends: tuple[IntArray, IntArray], columns: EdgeColumns, nodes: NDArray[Any]
) -> tuple[csr_array, tuple[str, ...]]:
    """The matrix of undirected edges, and notes on those that are repeated or weigh nothing."""
    n, named = len(nodes), nodes.tolist() if nodes.dtype == object else []
    weights = checked_weights(columns.weight, len(ends[0]))
    # The entries on and above the diagonal, with repeated edges added.
    index = np.int32 if n < 2**31 else np.int64
    first = np.minimum(*ends, dtype=index, casting="unsafe")
    second = np.maximum(*ends, dtype=index, casting="unsafe")
    half = summed(first, second, weights, n)
    repeats = []
    if count := len(weights) - half.nnz:
        edges = counted(count, "edge repeats another", "edges repeat others")
        repeats = [f"{edges}, in the same direction or the other; weights were added."]
    notes = (*columns.notes, *repeats, *drop_zeros(half), *notes_on_lookalikes(named))
    return both_directions(half), notes
