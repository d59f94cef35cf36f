"""What may hold a graph: its adjacency matrix and the names of its nodes."""

import warnings
from collections.abc import Iterator, KeysView, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from kgroups.exceptions import GraphNotice
from kgroups.input.adjacency import check_weights, of_edges, of_matrix, summed
from kgroups.input.edges import are_numbers, column, in_order, listed, named_ends, node_ids, split
from kgroups.input.graph import Graph, graph_of_columns
from kgroups.input.sparse_matrices import sound
from kgroups.names import WEIGHT_COLUMNS as _WEIGHTS
from kgroups.typing import Float64Array, SparseMatrix

#: What :func:`check_adjacency` takes: matrices, graphs of other libraries, edges, frames, paths.
GraphLike: TypeAlias = Any

# A frame with more columns is not a list of edges without names.
_MOST = 3
_EDGES = " For a list of edges write kgroups.graphs.Graph.from_edges(...)."


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
    A matrix is directed when two entries (i, j) and (j, i) differ by more than rounding; then the
    weights of both directions are added.

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


def network_of(A: Any, *, name: str, allow_negative: bool) -> Network:
    """The same as :func:`check_network`, with notes instead of warnings."""
    if isinstance(A, (str, PathLike)):
        from kgroups.input.graph_files import read_graph

        found: Any = read_graph(Path(A))
    else:
        found = None if isinstance(A, Graph) else _edges_or_frame(A, name)
    if found is None:
        matrix, nodes = _matrix_and_nodes(A, name)
        clean, notes = of_matrix(matrix, name, allow_negative=allow_negative)
        return Network(clean, np.arange(clean.shape[0]) if nodes is None else nodes, (*notes,))
    matrix = found.adjacency if isinstance(found, Graph) else found.matrix
    check_weights(matrix, name, allow_negative=allow_negative)
    return Network(matrix, found.nodes, found.notes)


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


def _matrix_and_nodes(A: Any, name: str) -> tuple[SparseMatrix, NDArray[Any] | None]:
    """A matrix with sound indices, and the names of its rows if it comes with some."""
    nodes = getattr(A, "nodes", None)
    if hasattr(A, "obsp") and hasattr(A, "obs_names"):
        if "connectivities" not in A.obsp:
            raise ValueError(f"{name}.obsp has no 'connectivities'; pass a matrix of similarities.")
        A, nodes = A.obsp["connectivities"], A.obs_names
    elif hasattr(A, "adjacency"):
        A = A.adjacency
    if isinstance(A, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; write A.filled(0) where there is no edge.")
    if issparse(A):
        matrix: Any = sound(A, name) if _is_square(A, name) else None
    elif isinstance(A, (np.ndarray, list, tuple)):
        try:
            dense = np.asarray(A)
        except ValueError as error:
            raise ValueError(f"{name} must be a square matrix: {error}.{_EDGES}") from error
        _is_square(dense, name)
        matrix = csr_array(dense.astype(np.float64, copy=False))
    else:
        raise TypeError(
            f"{name} must be a matrix, a graph of networkx or igraph, a kgroups.graphs.Graph, "
            f"edges, neighbors, a frame or the path of a file; got {type_name(A)}."
        )
    nodes = nodes if nodes is None or isinstance(nodes, np.ndarray) else node_ids(list(nodes))
    return matrix, nodes


def _is_square(A: Any, name: str) -> bool:
    hint = _EDGES if len(A.shape) == 2 and A.shape[1] in (2, 3) else ""
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(
            f"{name} must be square: one row and one column per node; got shape {A.shape}.{hint}"
        )
    if not A.shape[0]:
        raise ValueError(f"{name}: the graph has no nodes.")
    if A.dtype.kind == "c":
        raise TypeError(f"{name} holds complex numbers; weights must be real.")
    if A.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers; got {A.dtype}.{hint}")
    return True


# --- edges and neighbors -----------------------------------------------------------------------


def _edges_or_frame(A: Any, name: str) -> Graph | Network | None:
    """The graph of anything but a matrix; None for that."""
    if issparse(A) or hasattr(A, "obsp"):
        return None
    if type(A).__module__.startswith("polars.") and hasattr(A, "collect"):
        raise TypeError(f"{name} is a lazy frame, which holds no data yet; write {name}.collect().")
    is_view = type(A).__module__.startswith("networkx.")
    has_pairs = getattr(getattr(A, "index", None), "nlevels", 1) == 2
    found: Graph | Network | None = None
    if is_networkx(A):
        found = _of_networkx(A, name)
    elif is_igraph(A):
        found = _of_igraph(A, name)
    elif hasattr(A, "columns"):
        found = _of_frame(A, name)
    elif isinstance(A, Mapping) and not is_view:
        found = _of_dict(A, name)
    elif is_view or has_pairs or isinstance(A, (AbstractSet, Iterator)) or _is_narrow(A, name):
        found = graph_of_columns(split(A))
    return found


def _of_networkx(graph: Any, name: str) -> Network:
    """Nodes in the order of the graph; an edge without ``weight`` weighs 1."""
    edges = list(graph.edges(data="weight", default=1))
    place = {node: i for i, node in enumerate(graph)}
    ends = np.array([(place[u], place[v]) for u, v, _ in edges], np.int64)
    return network_of_edges(ends, _numbers(edges, name), list(place), graph.is_directed(), name)


def _of_igraph(graph: Any, name: str) -> Network:
    """Nodes as igraph numbers them; they go by the attribute "name" if it tells them apart."""
    pairs, n = graph.get_edgelist(), graph.vcount()
    weighted = hasattr(graph, "es") and "weight" in graph.es.attributes()
    weights = graph.es["weight"] if weighted else [1] * len(pairs)
    edges = [(u, v, weight) for (u, v), weight in zip(pairs, weights, strict=True)]
    known = graph.vs.attributes() if hasattr(graph, "vs") else []
    labels = [list(graph.vs[name]) for name in ("name", "_nx_name") if name in known]
    distinct = [one for one in labels if len({*one}) == n and None not in one]
    names = distinct[0] if distinct else list(range(n))
    ends = np.array(pairs, np.int64)
    return network_of_edges(ends, _numbers(edges, name), names, graph.is_directed(), name)


def _numbers(edges: Sequence[tuple[Any, Any, Any]], name: str) -> Float64Array:
    """The weights of triples."""
    for u, v, weight in edges:
        if not isinstance(weight, Real):
            raise TypeError(
                f"{name}: the edge ({u!r}, {v!r}) has the weight {weight!r}, no number."
            )
    try:
        return np.array([weight for *_, weight in edges], np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} has a weight that is too large for a float.") from error


def network_of_edges(
    ends: NDArray[Any], weights: Float64Array, names: list[Any], directed: bool, name: str
) -> Network:
    """The graph of edges as networkx and igraph list them."""
    if not names:
        raise ValueError(f"{name}: the graph has no nodes.")
    source, target = ends.reshape(-1, 2).T
    n = len(names)
    matrix, notes = of_edges(source, target, weights, n, has_directions=directed)
    if directed and not notes:
        notes = [f"{name} is directed; it is read as if its edges had no directions."]
    return Network(matrix, node_ids(names), tuple(notes))


def _is_narrow(A: Any, name: str) -> bool:
    """Whether rows of two or three entries are edges, because they cannot be a matrix."""
    if isinstance(A, np.ma.MaskedArray) or not isinstance(A, (list, tuple, np.ndarray)):
        return False
    widths = {len(row) if isinstance(row, (list, tuple, np.ndarray)) else 0 for row in A}
    are_tuples = isinstance(A, list) and bool(A) and all(isinstance(row, tuple) for row in A)
    if not widths or not widths <= {2, 3} or not (are_tuples or len(widths) == 1):
        return False
    entries = np.asarray([entry for row in A for entry in row[:2]], dtype=object)
    if not all(isinstance(entry, Real) for entry in entries.flat):
        return are_tuples or any(isinstance(entry, str) for entry in entries.flat)
    if are_tuples and widths == {len(A)}:
        raise ValueError(
            f"{name} is a list of tuples, which may be edges or a matrix: for a matrix pass "
            f"numpy.array({name}).{_EDGES}"
        )
    ends = entries.reshape(-1, 2).astype(np.float64)
    are_ids = bool((ends == np.floor(ends)).all() and (ends[:, 0] != ends[:, 1]).any())
    return are_tuples or (len(A) not in widths and are_ids)


def _of_dict(A: Mapping[Any, Any], name: str) -> Graph | Network:
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
    place: dict[Any, int] = {}
    for node in [*A, *(end for edge in edges for end in edge[:2])]:
        place.setdefault(node.item() if isinstance(node, np.integer) else node, len(place))
    weights = _numbers(edges, name)
    nodes, rank = in_order(list(place))
    ends = np.array([(place[u], place[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    source, target = rank[ends].T
    given = summed(source, target, weights, len(nodes))
    matrix, notes = of_matrix(given, name, allow_negative=True)
    return Network(matrix, nodes, tuple(notes))


def _weight(value: Any) -> Any:
    """The weight of an edge in a dict of dicts, where it may be an attribute."""
    if not isinstance(value, Mapping):
        return value
    are_parallel = value and all(isinstance(of_one, Mapping) for of_one in value.values())
    return value if are_parallel else value.get("weight", 1)


# --- frames ------------------------------------------------------------------------------------


def _of_frame(frame: Any, name: str) -> Graph | Network:
    """The graph of a frame, which holds either edges or the matrix between its rows.

    It is a matrix if its rows and columns have the same names, in any order, or if the first column
    holds the names of the others. Without names of rows, a square frame of more than three columns
    of numbers must be symmetric. Anything else holds edges.
    """
    columns, (n_rows, n_columns) = list(frame.columns), frame.shape
    texts, own = [str(column) for column in columns], list(range(n_columns))
    rows = list(frame.index) if hasattr(frame, "iloc") else list(range(n_rows))
    counts, is_square = rows == list(range(n_rows)), n_rows == n_columns > 1
    has_ends, places = named_ends(texts) is not None, None
    if is_square and (not counts or (n_rows > _MOST and {*columns} == {*rows})):
        places = _places(rows, columns)
        missing = {*map(str, rows)} ^ {*texts}
        if rows == columns and len({*rows}) < n_rows:
            again = next(row for row in rows if rows.count(row) > 1)
            raise ValueError(f"{name} has several rows named {again!r}; they must differ.")
        if places is None and not has_ends and len(missing) < 2 * n_rows:
            raise ValueError(
                f"{name} has rows without columns, or columns without rows: {listed([*missing])}."
            )
    elif n_columns == n_rows + 1 > 2:
        rows, places = column(frame, 0).tolist(), _places(column(frame, 0).tolist(), columns[1:])
        places = None if places is None else [place + 1 for place in places]
    values = [column(frame, place) for place in places or own]
    is_numeric = all(map(are_numbers, values))
    is_list = has_ends or (n_rows <= _MOST and not {*map(str.lower, texts)}.isdisjoint(_WEIGHTS))
    is_bare = is_square and places is None and counts and is_numeric and not is_list
    if places is None and not is_bare:
        return graph_of_columns(split(frame))
    if not is_numeric:
        wrong = [texts[c] for c in places or () if not are_numbers(column(frame, c))]
        raise TypeError(f"{name} must hold numbers; columns of text: {listed(wrong)}.")
    dense = np.column_stack([one.astype(np.float64) for one in values])
    if is_bare and (n_rows <= _MOST or not np.array_equal(dense, dense.T, equal_nan=True)):
        what = "may be edges or a matrix" if n_rows <= _MOST else "is not symmetric"
        raise ValueError(
            f"{name} is square without names of rows, and {what}: for edges call the columns "
            f"source, target and weight, for a matrix pass {name}.to_numpy()."
        )
    if is_square and places and (counts or columns == own):  # names on one side only count
        as_it_stands = dense[:, np.argsort(places)]
        dense = as_it_stands if np.array_equal(as_it_stands, as_it_stands.T) else dense
    matrix, notes = of_matrix(csr_array(dense), name, allow_negative=True)
    return Network(matrix, node_ids(columns if is_bare else rows), tuple(notes))


def _places(rows: Sequence[Any], columns: Sequence[Any]) -> list[int] | None:
    """The position among the columns of the name of each row; None for other names."""
    place = {str(name): i for i, name in enumerate(columns)}
    names = [str(name) for name in rows]
    return [place[name] for name in names] if {*names} == {*place} else None
