"""Graphs as Python's own objects hold them: pairs, arrays of edges, dicts and series."""

from collections.abc import Collection, Iterable, Iterator, KeysView, Mapping
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse

from kgroups.input.adjacency import adjacency_of
from kgroups.input.canonical_order import in_canonical_order
from kgroups.input.graph_files.edge_columns import is_edge_view, is_pair_series, node_ids, split
from kgroups.input.graph_files.edge_names import end_columns
from kgroups.input.graph_files.graph import Graph, graph_of_columns
from kgroups.input.graph_files.small_matrices import may_list_edges
from kgroups.input.networks import EDGES_HINT, is_networkx
from kgroups.input.parallel_edges import summed

# Pairs, and pairs with a weight.
_WIDTHS = (2, 3)


def graph_of_object(A: object, name: str) -> Graph | None:
    """The graph of edges or of neighbors; None for what is a matrix or something else.

    Raises
    ------
    TypeError, ValueError
        If edges are written in a way that is not known, or could as well be a matrix.
    """
    if issparse(A) or is_networkx(A):
        return None
    if isinstance(A, list) and A and all(isinstance(row, tuple) for row in A):
        return _of_tuples(A, name)
    if isinstance(A, Mapping) and not is_edge_view(A):
        return _of_dict(A, name)
    is_pairs = isinstance(A, (AbstractSet, Iterator)) or is_edge_view(A) or is_pair_series(A)
    return graph_of_columns(split(A, None)) if is_pairs or _is_narrow(A) else None


def notes_on_matrix(A: object, name: str) -> list[str]:
    """A note on two or three rows of as many numbers that may be edges and are read as a matrix."""
    if not isinstance(A, (list, tuple, np.ndarray)) or len(A) not in _WIDTHS:
        return []
    array = np.asarray(A)
    if array.dtype.kind == "f" and (len(A) == 2 or isinstance(A, np.ndarray)):
        return []  # ends of edges are integers
    if array.shape != (len(A), len(A)) or not np.diagonal(array).any() or not may_list_edges(array):
        return []
    n = len(array)
    return [f"{name} is read as the matrix between {n} nodes, not as {n} edges.{EDGES_HINT}"]


def _of_tuples(edges: list[tuple[Any, ...]], name: str) -> Graph | None:
    """The graph of pairs or triples; None if they are rows of a larger matrix."""
    if not {len(edge) for edge in edges} <= {*_WIDTHS}:
        return None
    numbers = (isinstance(entry, (int, float, np.number)) for edge in edges for entry in edge)
    if {len(edge) for edge in edges} == {len(edges)} and all(numbers):
        raise ValueError(
            f"{name} is a list of tuples, which looks like edges and may be a matrix: for a matrix "
            f"pass numpy.array({name}).{EDGES_HINT}"
        )
    return graph_of_columns(split(edges, None))


def _is_narrow(A: object) -> bool:
    """Whether rows of two or three entries cannot be a matrix and begin with two ids."""
    if isinstance(A, np.ma.MaskedArray) or not isinstance(A, (list, tuple, np.ndarray)):
        return False
    if isinstance(A, np.ndarray):
        widths = {A.shape[1]} if A.ndim == 2 else {0}
    else:
        widths = {len(row) if isinstance(row, (list, tuple, np.ndarray)) else 0 for row in A}
    if len(widths) != 1 or not widths <= {*_WIDTHS}:
        return False
    ends = A[:, :2] if isinstance(A, np.ndarray) else np.asarray([row[:2] for row in A])
    if ends.dtype.kind in "UO":
        return any(isinstance(end, str) for end in ends.flat)
    if ends.dtype.kind not in "iuf" or len(A) in widths or ends.ndim != 2:
        return False
    # A table of ones holds no edges, nor does one of fractions.
    return bool((ends == np.floor(ends)).all() and (ends[:, 0] != ends[:, 1]).any())


def _of_dict(A: Mapping[Any, Any], name: str) -> Graph | None:
    """The graph of edges with weights, or of the neighbors of each node; None for other dicts."""
    if not A:
        return None
    if all(isinstance(key, tuple) and len(key) == 2 for key in A) and _are_numbers(A.values()):
        return graph_of_columns(split([(*ends, weight) for ends, weight in A.items()], None))
    if all(isinstance(value, Mapping) for value in A.values()):
        triples = [(u, v, _weight(w, u, v, name)) for u, of_u in A.items() for v, w in of_u.items()]
        return _of_neighbors(list(A), triples, name)
    kinds = (list, tuple, AbstractSet, KeysView, np.ndarray)
    if not all(isinstance(value, kinds) for value in A.values()):
        return None
    lists_nodes = any(node in A for of_u in A.values() for node in of_u)
    if len(A) > 1 and not lists_nodes and end_columns([str(key) for key in A]) is not None:
        raise TypeError(f"{name} is a dict of columns; write pandas.DataFrame({name}).")
    return _of_neighbors(list(A), [(u, v, 1.0) for u, of_u in A.items() for v in of_u], name)


def _are_numbers(values: Collection[Any]) -> bool:
    return all(isinstance(value, Real) for value in values)


def _weight(value: Any, u: object, v: object, name: str) -> float:
    """The weight of an edge in a dict of dicts, where it may be an attribute."""
    weight = value
    if isinstance(value, Mapping):
        weight = value.get("weight", None if value and _are_dicts(value.values()) else 1.0)
    if not isinstance(weight, Real):
        raise TypeError(
            f"{name}: the edge ({u!r}, {v!r}) has the weight {value!r}; weights must be numbers."
        )
    return float(weight)


def _are_dicts(values: Iterable[Any]) -> bool:
    """Whether these are attributes of parallel edges."""
    return all(isinstance(value, Mapping) for value in values)


def _of_neighbors(first: list[Any], triples: list[tuple[Any, Any, float]], name: str) -> Graph:
    """The graph of edges that may be listed in one direction or in both."""
    codes: dict[Any, int] = {}
    for node in first:
        codes.setdefault(_plain(node), len(codes))
    ends = np.array(
        [[codes.setdefault(_plain(node), len(codes)) for node in edge[:2]] for edge in triples],
        np.int64,
    ).reshape(-1, 2)
    nodes, (source, target) = in_canonical_order(list(codes), ends[:, 0], ends[:, 1])
    weights = np.array([weight for *_, weight in triples], np.float64)
    found = adjacency_of(
        summed(source, target, weights, len(nodes)), name=name, allow_negative=True
    )
    return Graph(found.matrix, node_ids(nodes), tuple(found.warnings()))


def _plain(node: Any) -> Any:
    """A number of NumPy as one of Python."""
    return node.item() if isinstance(node, np.integer) else node
