"""What may hold a graph: its adjacency matrix and the names of its nodes."""

import warnings
from collections.abc import Iterator, KeysView, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import check_weights, of_edges, of_matrix, summed
from kgroups.input.edges import (
    WEIGHTS,
    are_numbers,
    checked_weights,
    coded,
    column,
    named_ends,
    node_ids,
    plain,
    split,
    weights_of,
)
from kgroups.input.graph import Graph, graph_of_columns
from kgroups.input.matrix_names import order_of_columns, refuse_other_names
from kgroups.input.sparse_matrices import sound

#: What :func:`check_adjacency` takes: matrices, graphs of other libraries, edges, frames, paths.
GraphLike: TypeAlias = Any

#: Source, target and weight: with more columns something must say which these are.
MOST = 3
_EDGES = " For a list of edges write kgroups.graphs.Graph.from_edges(...)."


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
    A matrix is directed when two entries (i, j) and (j, i) differ by more than rounding; then the
    weights of both directions are added.

    Examples
    --------
    >>> check_adjacency([[0, 2], [2, 0]]).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    return check_network(A, name=name, allow_negative=allow_negative).adjacency


def check_network(A: GraphLike, *, name: str = "A", allow_negative: bool = False) -> Graph:
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


def network_of(A: Any, *, name: str, allow_negative: bool) -> Graph:
    """The same as :func:`check_network`, with notes instead of warnings."""
    if isinstance(A, (str, PathLike)):
        from kgroups.input.graph_files import read_graph

        found: Graph | None = read_graph(Path(A))
    else:
        found = _edges_or_frame(A, name)
    if found is None:
        return _of_matrix(A, name, allow_negative=allow_negative)
    check_weights(found.adjacency, name, allow_negative=allow_negative)
    return found


def is_networkx(graph: object) -> bool:
    """Whether an object looks like a graph of networkx."""
    return callable(getattr(graph, "is_directed", None)) and hasattr(graph, "adj")


def is_igraph(graph: object) -> bool:
    """Whether an object looks like a graph of igraph."""
    names = ("get_edgelist", "vcount", "is_directed")
    return all(callable(getattr(graph, name, None)) for name in names)


def type_name(value: object) -> str:
    """The type of a value with its module, since several libraries have a Graph.

    >>> import fractions
    >>> type_name([]), type_name(fractions.Fraction(1, 2))
    ('list', 'fractions.Fraction')
    """
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{module}{kind.__qualname__}"


# --- matrices ----------------------------------------------------------------------------------


def _of_matrix(A: Any, name: str, *, allow_negative: bool) -> Graph:
    """The graph of a matrix, or of what holds one, perhaps with the names of its rows."""
    nodes = getattr(A, "nodes", None)
    if hasattr(A, "obsp"):
        if "connectivities" not in A.obsp:
            raise ValueError(f"{name}.obsp has no 'connectivities'; pass a matrix of similarities.")
        A, nodes = A.obsp["connectivities"], A.obs_names
    A = getattr(A, "adjacency", A)
    if isinstance(A, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; write A.filled(0) where there is no edge.")
    if not issparse(A) and not isinstance(A, (np.ndarray, list, tuple)):
        raise TypeError(
            f"{name} must be a matrix, a graph of networkx or igraph, a kgroups.graphs.Graph, "
            f"edges, neighbors, a frame or the path of a file; got {type_name(A)}."
        )
    A = A if issparse(A) else np.asarray(A)
    if len({*A.shape}) != 1 or A.ndim != 2:
        hint = _EDGES if A.ndim == 2 and A.shape[1] in (2, 3) else ""
        raise ValueError(
            f"{name} must be square: one row and one column per node; got shape {A.shape}.{hint}"
        )
    if not A.shape[0]:
        raise ValueError(f"{name}: the graph has no nodes.")
    if A.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers; got {A.dtype}.")
    matrix: Any = sound(A, name) if issparse(A) else csr_array(A.astype(np.float64, copy=False))
    adjacency, notes = of_matrix(matrix, name, allow_negative=allow_negative)
    if nodes is None:
        nodes = np.arange(adjacency.shape[0])
    nodes = nodes if isinstance(nodes, np.ndarray) else node_ids(list(nodes))
    return Graph(adjacency, nodes, tuple(notes))


# --- edges and neighbors -----------------------------------------------------------------------


def _edges_or_frame(A: Any, name: str) -> Graph | None:
    """The graph of anything but a matrix; None for that."""
    if issparse(A) or isinstance(A, Graph) or hasattr(A, "obsp"):
        return None
    if type(A).__module__.startswith("polars.") and hasattr(A, "collect"):
        raise TypeError(f"{name} is a lazy frame, which holds no data yet; write {name}.collect().")
    is_view = type(A).__module__.startswith("networkx.")
    has_pairs = getattr(getattr(A, "index", None), "nlevels", 1) == 2
    found: Graph | None = None
    if is_networkx(A):
        found = _of_networkx(A, name)
    elif is_igraph(A):
        found = _of_igraph(A, name)
    elif hasattr(A, "columns"):
        found = matrix_in_frame(A, name) or graph_of_columns(split(A))
    elif isinstance(A, Mapping) and not is_view:
        found = _of_dict(A, name)
    elif is_view or has_pairs or isinstance(A, (AbstractSet, Iterator)) or _are_edges(A, name):
        found = graph_of_columns(split(A))
    return found


def _of_networkx(graph: Any, name: str) -> Graph:
    """Nodes in the order of the graph; an edge without a weight weighs 1."""
    place = {node: i for i, node in enumerate(graph)}
    edges = list(graph.edges(data=True))
    weights, notes = weights_of([data for *_, data in edges])
    weighed = [(place[u], place[v], w) for (u, v, _), w in zip(edges, weights, strict=True)]
    return graph_in_order(weighed, list(place), graph.is_directed(), name, notes)


def _of_igraph(graph: Any, name: str) -> Graph:
    """Nodes as igraph numbers them; they go by the attribute "name" if it tells them apart."""
    ends, n = graph.get_edgelist(), graph.vcount()
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else [1] * len(ends)
    edges = [(u, v, weight) for (u, v), weight in zip(ends, weights, strict=True)]
    known = graph.vs.attributes()
    labels = [list(graph.vs[label]) for label in ("name", "_nx_name") if label in known]
    distinct = (one for one in labels if len({*one}) == n and None not in one)
    return graph_in_order(edges, next(distinct, list(range(n))), graph.is_directed(), name)


def graph_in_order(
    edges: Sequence[tuple[int, int, Any]], names: list[Any], directed: bool, name: str,
    known: Sequence[str] = (),
) -> Graph:  # fmt: skip
    """The graph of edges between places among nodes that keep their order."""
    if not names:
        raise ValueError(f"{name}: the graph has no nodes.")
    source, target = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2).T
    weights = checked_weights([weight for *_, weight in edges], len(edges))
    matrix, notes = of_edges(source, target, weights, len(names), has_directions=directed)
    if directed and not notes:
        notes = [f"{name} is directed; it is read as if its edges had no directions."]
    return Graph(matrix, node_ids(names), (*known, *notes))


def _are_edges(A: Any, name: str) -> bool:
    """Whether rows of two or three entries are edges, because they cannot be a matrix."""
    if isinstance(A, np.ma.MaskedArray) or not isinstance(A, (list, tuple, np.ndarray)):
        return False
    either = ValueError(
        f"{name} may be edges or a matrix: for a matrix pass numpy.array({name}).{_EDGES}"
    )
    if isinstance(A, list) and A and all(isinstance(row, tuple) for row in A):
        widths = {len(row) for row in A}
        if widths == {len(A)} <= {2, 3} and np.asarray(A).dtype.kind in "biuf":
            raise either
        return widths <= {2, 3}
    rows = np.asarray(A)
    if rows.ndim != 2 or rows.shape[1] not in (2, 3) or not len(rows):
        return False
    if rows.dtype.kind not in "biuf":
        return any(isinstance(entry, str) for entry in rows.flat)
    ends = rows[:, :2].astype(np.float64)
    are_ids = bool((ends == np.floor(ends)).all() and (ends[:, 0] != ends[:, 1]).any())
    if len(rows) != rows.shape[1] or not are_ids:
        return are_ids
    are_apart = 0 <= ends.min() <= ends.max() < 2**53 and (ends[:, 0] != ends[:, 1]).all()
    if isinstance(A, list) and are_apart and (rows != rows.T).any():
        raise either
    return False


def _of_dict(A: Mapping[Any, Any], name: str) -> Graph:
    """The graph of edges with weights, or of the neighbors of each node."""
    values = list(A.values())
    lists = (list, tuple, AbstractSet, KeysView, np.ndarray)
    are_edges = bool(A) and all(isinstance(ends, tuple) and len(ends) == 2 for ends in A)
    if are_edges and all(isinstance(value, Real) for value in values):
        return graph_of_columns(split([(*ends, weight) for ends, weight in A.items()]))
    if A and all(isinstance(value, Mapping) for value in values):
        edges = [(u, v, _weight(w)) for u, of_u in A.items() for v, w in of_u.items()]
    elif A and all(isinstance(value, lists) for value in values):
        edges = [(u, v, 1) for u, of_u in A.items() for v in of_u]
        if named_ends([str(key) for key in A]) and not any(v in A for _, v, _ in edges):
            raise TypeError(f"{name} is a dict of columns; write pandas.DataFrame({name}).")
    else:
        raise TypeError(f"{name} is a dict, but not of neighbors or of weights of edges.")
    source, target, nodes = coded([u for u, *_ in edges], [v for _, v, _ in edges], others=A)
    weights = checked_weights([weight for *_, weight in edges], len(edges))
    given = summed(source, target, weights, len(nodes))
    matrix, notes = of_matrix(given, name, allow_negative=True)
    return Graph(matrix, nodes, tuple(notes))


def _weight(value: Any) -> Any:
    """The weight of an edge in a dict of dicts, where it may be an attribute."""
    if not isinstance(value, Mapping):
        return value
    are_parallel = value and all(isinstance(of_one, Mapping) for of_one in value.values())
    return value if are_parallel else value.get("weight", 1)


# --- frames ------------------------------------------------------------------------------------


def matrix_in_frame(frame: Any, name: str) -> Graph | None:
    """The graph of a frame that is the matrix between its rows; None if it holds edges.

    It is a matrix if its rows and columns have the same names, in any order, or if the first column
    holds the names of the others. Without names of rows, a square frame of more than three columns
    of numbers must be symmetric.
    """
    texts = [str(column) for column in frame.columns]
    values, n = [column(frame, c) for c in range(len(texts))], len(frame)
    rows = list(frame.index) if hasattr(frame, "iloc") else list(range(n))
    have_names = len(texts) == n + 1 > 2 and isinstance(frame.columns[-1], str)
    if have_names and {*map(str, values[0].tolist())} == {*texts[1:]}:
        rows, texts, values = values[0].tolist(), texts[1:], values[1:]
    if not 1 < n == len(texts):
        return None

    def dense() -> NDArray[Any]:
        return np.column_stack([one.astype(np.float64) for one in values])

    counts, nodes = rows == list(range(n)), rows
    is_small = counts and n <= MOST
    places = None if is_small else order_of_columns([str(row) for row in rows], texts, dense)
    if places is not None and len({*rows}) < n:
        again = max(rows, key=rows.count)
        raise ValueError(f"{name} has several rows named {again!r}; they must differ.")
    if places is None:
        if named_ends(texts) is not None or not all(map(are_numbers, values)):
            return None
        if not counts:
            refuse_other_names(frame, name)
            return None
        entries, nodes, found = dense(), list(frame.columns), "is not symmetric"
        is_symmetric = np.array_equal(entries, entries.T, equal_nan=True)
        if is_small and not WEIGHTS.isdisjoint(map(plain, texts)):
            return None
        if is_small:
            is_symmetric, found = False, "may be edges or a matrix"
        if not is_symmetric:
            raise ValueError(
                f"{name} is square without names of rows, and {found}: for edges call the columns "
                "source, target and weight, for a matrix call the rows as the columns."
            )
    given = csr_array(dense()[:, places or range(n)])
    adjacency, notes = of_matrix(given, name, allow_negative=True)
    return Graph(adjacency, node_ids(nodes), tuple(notes))
