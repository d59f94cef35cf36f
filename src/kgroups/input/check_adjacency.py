"""The adjacency matrix and the nodes of whatever a user passes as a graph."""

import warnings
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import adjacency_of
from kgroups.input.columns import frame_of
from kgroups.input.edge_objects import graph_of_object, notes_on_matrix
from kgroups.input.graph_files.edge_columns import node_ids
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.read_graph import read_graph
from kgroups.input.graph_frames import graph_of_frame
from kgroups.input.networks import (
    GraphLike,
    holds_neighbors,
    igraph_names,
    is_igraph,
    is_networkx,
    neighbor_matrix,
)


class Network(NamedTuple):
    """A clean adjacency matrix, the names of its rows, and what was done to make it."""

    matrix: csr_array
    nodes: NDArray[Any]
    notes: tuple[str, ...] = ()


def check_adjacency(A: GraphLike, *, name: str = "A", allow_negative: bool = False) -> csr_array:
    """The symmetric adjacency matrix of a graph, from whatever holds one.

    A canonical symmetric CSR of float64 is used as it is; the caller's object is never changed.
    Entries that are stored more than once are added, and a directed graph is made undirected, with
    a :class:`~kgroups.exceptions.GraphNotice` for each.

    Parameters
    ----------
    A : graph
        A sparse array or an (n, n) array: weights of edges, 0 where there is none; a self-loop is
        counted once, in A_ii. A graph of networkx or igraph, or a :class:`kgroups.graphs.Graph`. A
        list, set, array or generator of edges (u, v) or (u, v, weight), ``G.edges`` of networkx, a
        dict from edges to weights or from nodes to their neighbors, a series indexed by the ends,
        or a pandas or polars frame with such columns; nodes are sorted by their names. A frame
        that is a matrix between its rows and columns. An object with ``obsp["connectivities"]``,
        as of anndata. The path of a file, as for :func:`kgroups.graphs.read_graph`.
    name : str
        What messages call ``A``.
    allow_negative : bool
        Whether weights below zero are accepted.

    Raises
    ------
    TypeError
        If A is not a graph, or its entries are not real numbers.
    ValueError
        If the matrix is not square, has no rows, or holds NaN, infinity or, unless
        ``allow_negative``, negative entries; if a sparse matrix is damaged; or if edges could as
        well be a matrix.

    Notes
    -----
    A matrix is directed when two entries (i, j) and (j, i) differ by more than rounding. If all its
    weights are 1, an edge is kept where there is one in either direction; otherwise the weights of
    both directions are added. Three passes over the stored entries.

    Examples
    --------
    >>> check_adjacency([[0, 2], [2, 0]]).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    return check_network(A, name=name, allow_negative=allow_negative).matrix


def check_network(A: GraphLike, *, name: str = "A", allow_negative: bool = False) -> Network:
    """The same as :func:`check_adjacency`, with the names of the nodes in the order of the rows.

    Examples
    --------
    >>> check_network([("bob", "ann"), ("ann", "cid")]).nodes.tolist()
    ['ann', 'bob', 'cid']
    """
    found = network_of(A, name=name, allow_negative=allow_negative)
    for note in found.notes:
        warnings.warn(note, GraphNotice, stacklevel=3)
    return found


def network_of(A: object, *, name: str, allow_negative: bool) -> Network:
    """The same as :func:`check_network`, with notes instead of warnings."""
    graph = _read(A, name)
    if graph is not None:
        checked = adjacency_of(graph, name=name, allow_negative=allow_negative)
        return Network(checked.matrix, graph.nodes, graph.notes)
    inner = neighbor_matrix(A, name) if holds_neighbors(A) else A
    found = adjacency_of(inner, name=name, allow_negative=allow_negative)
    notes = (*notes_on_matrix(A, name), *found.warnings())
    return Network(found.matrix, nodes_of(A, found.matrix.shape[0]), notes)


def _read(A: object, name: str) -> Graph | None:
    """The graph of a file, of a frame, of edges or of neighbors; None for anything else."""
    if isinstance(A, (str, PathLike)):
        return read_graph(Path(A))
    if hasattr(A, "collect"):
        frame_of(A, name)  # which is lazy
    if hasattr(A, "columns"):
        return graph_of_frame(A, name)
    return graph_of_object(A, name)


def nodes_of(A: Any, n: int) -> NDArray[Any]:
    """What a graph calls its nodes; their numbers where it has no names for them."""
    if isinstance(A, Graph):
        return A.nodes
    if is_networkx(A):
        return node_ids(list(A))
    if is_igraph(A):
        names = igraph_names(A)
        return np.arange(n) if names is None else node_ids(names)
    if holds_neighbors(A):
        return node_ids(list(A.obs_names))
    nodes = getattr(A, "nodes", None)
    return np.arange(n) if nodes is None else node_ids(list(nodes))
