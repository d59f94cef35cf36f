"""Edges in memory as columns: source, target and weight, from pairs, arrays and frames.

Ids of nodes may be anything that can be hashed; the numbers 0..n−1 stand for them.
"""

from itertools import chain
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from kgroups.input.canonical_order import in_canonical_order
from kgroups.input.columns import column_values
from kgroups.input.graph_files.compiled.edge_columns import look_up, mark
from kgroups.input.graph_files.edge_names import (
    end_columns_by_name,
    ignored_columns,
    is_plain_weight,
    weight_columns,
)
from kgroups.input.graph_files.number_frames import refuse_number_frame
from kgroups.input.networks import is_igraph, is_networkx, type_name
from kgroups.input.parameters import check_integer
from kgroups.input.table_files.table import listed
from kgroups.text import quoted
from kgroups.typing import Float64Array, IntArray

# The forms that an edge may have, by its length; 0 for the first one.
_FORMS = {
    0: "(source, target); for two lists use from_edges(source, target)",
    2: "(source, target)",
    3: "(source, target, weight)",
}


class EdgeColumns(NamedTuple):
    """Edges as columns, not checked yet."""

    source: Any
    target: Any
    weight: Any
    notes: tuple[str, ...] = ()


def split(edges: Any, weight: ArrayLike | None) -> EdgeColumns:
    """The columns of edges that come in one object."""
    _check_may_be_edges(edges)
    if hasattr(edges, "columns"):
        columns = _of_frame(edges)
    elif isinstance(edges, np.ndarray):
        columns = _of_array(edges)
    elif is_pair_series(edges):
        source, target = (edges.index.get_level_values(level).to_numpy() for level in (0, 1))
        columns = EdgeColumns(source, target, edges.to_numpy())
    else:
        is_view = is_edge_view(edges) and callable(getattr(edges, "data", None))
        columns = _of_rows(list(edges.data("weight", default=1) if is_view else edges))
    if weight is None:
        return columns
    if columns.weight is not None:
        raise ValueError("the edges have weights of their own; leave out weight, or those.")
    return columns._replace(weight=weight)


def is_edge_view(edges: object) -> bool:
    """Whether an object is the edges of a graph of networkx, as ``G.edges``."""
    kind = type(edges)
    return kind.__module__.startswith("networkx.") and kind.__name__.endswith(
        ("EdgeView", "EdgeDataView")
    )


def is_pair_series(edges: object) -> bool:
    """Whether an object is a series of pandas that is indexed by pairs."""
    is_series = not hasattr(edges, "columns") and hasattr(edges, "to_numpy")
    return is_series and getattr(getattr(edges, "index", None), "nlevels", 1) == 2


def _check_may_be_edges(edges: object) -> None:
    """Refuse files, graphs and other objects that are not edges."""
    found = f"source must hold edges; got {type_name(edges)}."
    if isinstance(edges, str) or hasattr(edges, "__fspath__"):
        raise TypeError(f"{found} For a file write kgroups.graphs.read_graph(path).")
    is_graph = is_networkx(edges) or is_igraph(edges) or issparse(edges)
    if is_graph or issparse(getattr(edges, "adjacency", None)):
        raise TypeError(f"{found} It is a graph already: pass it directly as A.")
    if isinstance(edges, (dict, bytes)) or not hasattr(edges, "__iter__"):
        raise TypeError(f"{found} Write pairs such as [(0, 1), (1, 2)].")


def _of_frame(frame: Any) -> EdgeColumns:
    """Columns with names that :func:`~kgroups.graphs.read_graph` knows, else the first ones."""
    refuse_number_frame(frame)
    names = [str(name) for name in frame.columns]
    ends = end_columns_by_name(names)
    weight, notes = _weights_in_frame(frame, names, ends or ()), []
    if ends is None:
        if len(names) not in (2, 3) and not (weight and len(names) > 3):
            raise ValueError(
                f"a frame of edges has columns source and target and perhaps weight; got "
                f"{listed(names) or 'none'}. Rename the columns that hold the edges."
            )
        free = [c for c in range(len(names)) if c not in weight]
        ends = (free[0], free[1])
        if not weight and len(free) == 3:
            weight = (free[2],)
            if isinstance(frame.columns[free[2]], str):
                notes = [f"column {quoted(names[free[2]])} is read as the weights."]
    used = {*ends, *weight}
    others = [name for c, name in enumerate(names) if c not in used]
    if others:
        known = "if one holds the weights, call it 'weight'"
        if weight:
            known = f"the weights are in {quoted(names[weight[0]])}"
        notes.append(ignored_columns(others, known))
    return EdgeColumns(
        column_values(frame, ends[0]),
        column_values(frame, ends[1]),
        column_values(frame, weight[0]) if weight else None,
        tuple(notes),
    )


def _weights_in_frame(frame: Any, names: list[str], ends: tuple[int, ...]) -> tuple[int, ...]:
    """The column with one of the names of weights and, unless that is plain, with numbers."""
    found = tuple(
        c
        for c in weight_columns(names)
        if c not in ends
        and (is_plain_weight(names[c]) or column_values(frame, c).dtype.kind in "iufb")
    )
    if len(found) > 1:
        raise ValueError(
            "several columns of the frame may hold the weights: "
            f"{listed([names[c] for c in found])}; call the one 'weight', or leave the others out."
        )
    return found


def _of_array(edges: NDArray[Any]) -> EdgeColumns:
    if edges.ndim != 2 or edges.shape[1] not in (2, 3):
        what = " A square matrix of the weights of all pairs of nodes is passed directly as A."
        is_matrix = edges.ndim == 2 and edges.shape[0] == edges.shape[1]
        raise ValueError(
            "an array of edges has two columns, source and target, and perhaps a third of weights; "
            f"got shape {edges.shape}.{what if is_matrix else ''}"
        )
    weighted = edges.shape[1] == 3
    return EdgeColumns(edges[:, 0], edges[:, 1], edges[:, 2] if weighted else None)


def _of_rows(rows: list[Any]) -> EdgeColumns:
    """The columns of pairs or of triples."""
    widths = [len(row) if isinstance(row, (tuple, list, np.ndarray)) else 0 for row in rows]
    first = widths[0] if widths else 2
    for edge, width in enumerate(widths):
        if width not in (2, 3) or width != first:
            expected = _FORMS.get(first, _FORMS[0])
            raise ValueError(f"edge {edge} is {rows[edge]!r}; expected {expected}.")
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[], []]
    if first == 3 and isinstance(columns[2][0], dict):
        raise TypeError(
            f"edge 0 has the weight {columns[2][0]!r}; for a graph of networkx write "
            'G.edges(data="weight", default=1), or pass the graph itself.'
        )
    return EdgeColumns(columns[0], columns[1], columns[2] if first == 3 else None)


def checked_weights(weight: ArrayLike | None, n_edges: int) -> Float64Array:
    """One finite weight per edge, 1 if none are given."""
    if weight is None:
        return np.ones(n_edges)
    array = np.asarray(_numbers(weight))
    if array.shape != (n_edges,):
        raise ValueError(
            f"weight must hold one number for each edge, {n_edges:,} in all; got shape "
            f"{array.shape}."
        )
    if array.dtype.kind not in "biuf":
        advice = " Convert text by weight.astype(float)." if array.dtype.kind in "UT" else ""
        raise TypeError(f"weight must hold numbers; got {array.dtype}.{advice}")
    finite = np.isfinite(array)
    if not finite.all():
        edge = int(np.argmin(finite))
        raise ValueError(f"weight contains NaN or infinity: edge {edge} has {array[edge]}.")
    return array.astype(np.float64, copy=False)


def _numbers(weights: ArrayLike) -> Any:
    """Weights as they are, except that an array of objects becomes one of floats."""
    array = np.asarray(weights)
    if array.dtype != object or array.ndim != 1:
        return weights
    for edge, weight in enumerate(array):
        if not isinstance(weight, Real):
            raise TypeError(
                f"weight must hold numbers; edge {edge} has {weight!r}.{_advice(weight)}"
            )
    return array.astype(np.float64)


def _advice(weight: object) -> str:
    """How text becomes a number."""
    if not isinstance(weight, str):
        return ""
    if "," not in weight:
        return " Convert text by pandas.to_numeric(weight)."
    return ' Convert decimal commas by weight.str.replace(",", ".").astype(float).'


def node_ids(ids: list[Any]) -> NDArray[Any]:
    """An array of integers if all ids are, else of objects, with tuples kept whole."""
    if all(type(i) is int and abs(i) < 2**63 for i in ids):
        return np.array(ids, np.int64)
    return np.fromiter(ids, object, len(ids))


def checked_ids(nodes: ArrayLike, name: str) -> NDArray[Any]:
    """An array of integers if all ids are, else of objects."""
    array = _as_array(nodes)
    if array.ndim != 1:
        raise ValueError(f"{name} must hold one node per edge; got shape {array.shape}.")
    if array.dtype == np.uint64 and len(array) and array.max() >= 2**63:
        return node_ids(array.tolist())
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
    """Items as they are: NumPy would make text of integers next to text, and columns of tuples."""
    if isinstance(nodes, str) or not hasattr(nodes, "__iter__") or hasattr(nodes, "__array__"):
        return np.asarray(nodes)
    items = list(nodes)
    kinds = set(map(type, items))
    if all(issubclass(kind, (int, float, np.number, list, np.ndarray)) for kind in kinds):
        return np.asarray(items)
    return np.fromiter(items, object, len(items))


def _whole(numbers: NDArray[Any], name: str) -> IntArray:
    """Floats as the integers that they are, as in an array that also holds weights."""
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < 2**53)
    if not whole.all():
        edge = int(np.argmin(whole))
        if np.isnan(numbers[edge]):
            raise TypeError(_missing(edge, name, numbers[edge]))
        raise TypeError(
            f"{name} must hold ids, integers or text; edge {edge} has {numbers[edge]}. To use "
            "numbers as names, write .astype(str)."
        )
    return numbers.astype(np.int64)


def numbered(
    source: NDArray[Any], target: NDArray[Any]
) -> tuple[tuple[IntArray, IntArray], NDArray[Any] | None]:
    """The ends as nodes 0..n−1, and their ids; None if the ids are such numbers already."""
    if len(source) != len(target):
        raise ValueError(
            f"source and target must have the same length, one entry per edge; got {len(source)} "
            f"and {len(target)}."
        )
    if object not in (source.dtype, target.dtype):
        return (source, target), None
    codes: dict[Any, int] = {}
    in_turn = chain.from_iterable(zip(source.tolist(), target.tolist(), strict=True))
    try:
        ranks = [codes.setdefault(i, len(codes)) for i in in_turn]
    except TypeError as error:
        raise TypeError(
            f"ids must be integers, text or something else that can be hashed: {error}."
        ) from error
    _check_none_missing(codes, ranks)
    both = np.array(ranks, np.int64).reshape(-1, 2)
    nodes, ends = in_canonical_order(list(codes), both[:, 0], both[:, 1])
    return (ends[0], ends[1]), node_ids(nodes)


def ranked(source: IntArray, target: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The rank of each id among the distinct ones, and these in ascending order."""
    low = int(min(source.min(), target.min()))
    span = int(max(source.max(), target.max())) - low + 1
    if span > 8 * len(source) + 1024:
        nodes, ranks = np.unique(np.concatenate([source, target]), return_inverse=True)
        return ranks[: len(source)], ranks[len(source) :], nodes
    seen = np.zeros(span, np.bool_)
    for end in (source, target):
        mark(end, low, seen)
    rank = np.cumsum(seen) - 1
    of_source, of_target = np.empty_like(source), np.empty_like(target)
    look_up(source, low, rank, of_source)
    look_up(target, low, rank, of_target)
    return of_source, of_target, np.flatnonzero(seen) + low


def _check_none_missing(codes: dict[Any, int], ranks: list[int]) -> None:
    for node, code in codes.items():
        # NaN and NaT are not equal to themselves; the NA of pandas does not say.
        if node is None or type(node).__name__ == "NAType" or bool(node != node):  # noqa: PLR0124
            edge, end = divmod(ranks.index(code), 2)
            raise TypeError(_missing(edge, ("source", "target")[end], node))


def _missing(edge: int, name: str, node: object) -> str:
    return f"edge {edge} has no {name}: {node!s}; remove the edge, or give the node an id."


def node_count(ends: tuple[IntArray, IntArray], n_nodes: int | None) -> int:
    """The number of nodes of a graph whose edges name nodes 0..n−1."""
    least, largest = (0, -1)
    if len(ends[0]):
        least, largest = int(min(map(np.min, ends))), int(max(map(np.max, ends)))
    if least < 0:
        raise ValueError(f"nodes are numbered from 0; got {least}.")
    if n_nodes is None:
        if largest < 0:
            raise ValueError("there are no edges; give the number of nodes as n_nodes.")
        return largest + 1
    n = check_integer(n_nodes, "n_nodes")
    if largest >= n:
        raise ValueError(f"n_nodes={n}, but the edges name node {largest}; nodes are 0..{n - 1}.")
    return n
