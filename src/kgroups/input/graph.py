"""A network in memory: its adjacency matrix, the ids of its nodes, and where it came from."""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import of_edges
from kgroups.input.edges import EdgeColumns, checked_ids, checked_weights, coded, ranked, split


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
    text : object, optional
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
    text: Any = None

    def __post_init__(self) -> None:
        if len({*self.adjacency.shape}) != 1:
            raise ValueError(f"adjacency must be square; got shape {self.adjacency.shape}.")
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

        The weights of an edge that is given more than once, in either direction, are added, except
        that a list of all edges in both directions with equal weights counts each once. The result
        does not depend on the order of the edges, nor on that of their ends.

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
        columns = split(source) if target is None else EdgeColumns(source, target, weight)
        if target is None and weight is not None:
            if columns.weight is not None:
                raise ValueError("the edges have weights of their own; leave out weight, or those.")
            columns = columns._replace(weight=weight)
        graph = graph_of_columns(columns, n_nodes=n_nodes, are_positions=True)
        for note in graph.notes:
            warnings.warn(note, GraphNotice, stacklevel=2)
        return cls(graph.adjacency, graph.nodes, graph.notes)

    @classmethod
    def from_networkx(cls, G: Any) -> Self:
        """A graph from a networkx graph; an edge without a weight weighs 1.

        The attribute ``weight`` is read, else the only one with another name of weights and
        numbers, as in :func:`~kgroups.graphs.read_graph`.

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
            If the graph is directed, has parallel edges, or has attributes that are not used.

        Examples
        --------
        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(["a", "b", "c"])).nodes.tolist()
        ['a', 'b', 'c']
        """
        from kgroups.input.networks import is_networkx, network_of, type_name

        if not is_networkx(G):
            raise TypeError(f"G must be a networkx graph; got {type_name(G)}.")
        found = network_of(G, name="G", allow_negative=True)
        for note in found.notes:
            warnings.warn(note, GraphNotice, stacklevel=2)
        return cls(found.adjacency, found.nodes, found.notes)


def graph_of_columns(
    columns: EdgeColumns, *, n_nodes: int | None = None, are_positions: bool = False
) -> Graph:
    """The graph of edges; integers are nodes 0..n−1, or else names as others are, and sorted."""
    source = checked_ids(columns.source, "source")
    target = checked_ids(columns.target, "target")
    if len(source) != len(target):
        raise ValueError(
            f"source and target must have the same length, one entry per edge; got {len(source)} "
            f"and {len(target)}."
        )
    if not len(source) and n_nodes is None:
        raise ValueError("there are no edges: the list is empty.")
    if object in (source.dtype, target.dtype):
        if n_nodes is not None:
            raise ValueError("n_nodes is for nodes 0..n-1, but not all ids are integers.")
        source, target, nodes = coded(source.tolist(), target.tolist())
    elif are_positions:
        nodes = np.arange(_node_count(np.concatenate([source, target]), n_nodes))
    else:
        source, target, nodes = ranked(source, target)
    weights = checked_weights(columns.weight, len(source))
    adjacency, notes = of_edges(source, target, weights, len(nodes))
    return Graph(adjacency, nodes, (*columns.notes, *notes))


def _node_count(ends: NDArray[Any], n_nodes: int | None) -> int:
    """The number of nodes where edges name nodes 0..n−1."""
    from kgroups.input.parameters import check_integer

    least, largest = (int(ends.min()), int(ends.max())) if len(ends) else (0, -1)
    if least < 0:
        raise ValueError(f"nodes are numbered from 0; got {least}.")
    n = largest + 1 if n_nodes is None else check_integer(n_nodes, "n_nodes")
    if largest >= n:
        raise ValueError(f"n_nodes={n}, but the edges name node {largest}; nodes are 0..{n - 1}.")
    return n
