"""Readers of graphs by format: lines of names, nodes and edges with attributes, matrices."""

import re
import zipfile
from ast import literal_eval
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from scipy.io import mminfo, mmread
from scipy.sparse import csr_array, issparse, load_npz

from kgroups.input.adjacency import of_edges, of_matrix
from kgroups.input.edge_files import delimiter_of, read_edge_list
from kgroups.input.edges import (
    AskedColumns,
    checked_weights,
    coded,
    listed,
    named_ends,
    of_texts,
    weights_of,
)
from kgroups.input.graph import Graph
from kgroups.input.networks import graph_in_order
from kgroups.input.pajek import read_pajek
from kgroups.input.sparse_matrices import sound
from kgroups.input.text_files import TextFormat, check_size, plain_text, split
from kgroups.runtime.memory import require
from kgroups.text import counted, quoted
from kgroups.typing import Float64Array

_Nodes = dict[str, dict[str, Any]]
_Edges = Sequence[tuple[str, str, dict[str, Any]]]


# --- lines of names ------------------------------------------------------------------------------


def _text(raw: bytes, source: str, asked: TextFormat) -> str:
    return plain_text(raw, source, asked)[0].decode()


def _edge_list(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """Lines of ends and weights, or as networkx writes them, with attributes in braces."""
    text = _text(raw, source, asked) if b"{" in raw else ""
    lines = [line for line in text.split("\n") if line.strip() and line.lstrip()[0] not in "#%"]
    parts = [line.partition("{") for line in lines]
    mark = asked.delimiter or (delimiter_of([parts[0][0]], None) if parts else " ")
    heads = [head.rstrip(f" \t{mark}") for head, *_ in parts]
    rows = [[field.strip() for field in row] for _, row in split(heads, mark)]
    if not rows or len(rows[0]) != 2 or not lines[0].rstrip().endswith("}"):
        return read_edge_list(raw, source, asked, columns)
    try:
        edges = [(a, b) for a, b in rows]
        known = {tail: dict(literal_eval("{" + tail[:10_000])) for *_, tail in parts}
    except (SyntaxError, ValueError, TypeError, MemoryError) as error:
        raise ValueError("attributes in braces are not as networkx writes them.") from error
    weights, notes = weights_of([known[tail] for *_, tail in parts], columns.weight)
    return _of_names([], edges, source, notes, checked_weights(weights, len(edges)))


def _adjlist(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """A node and its neighbors in each line."""
    text = _text(raw, source, asked)
    lines = [line for line in text.split("\n") if line.strip() and line.lstrip()[0] not in "#%"]
    mark = asked.delimiter or delimiter_of([max(lines[:50], key=len, default="")], None)
    rows = [[field.strip() for field in row] for _, row in split(lines, mark)]
    rows = [row if row[-1] else row[:-1] for row in rows]
    edges = [(row[0], other) for row in rows for other in row[1:]]
    return _of_names([row[0] for row in rows], edges, source)


def _sif(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """Lines ``node relation node ...``; one that is repeated with its relation counts once."""
    text, notes = _text(raw, source, asked), []
    mark = "\t" if "\t" in text else None
    lines = [line.strip() for line in text.split("\n") if line.strip() and line.lstrip()[0] != "#"]
    rows = [[field.strip() for field in line.split(mark)] for line in lines]
    for row in rows:
        if len(row) == 2 or "" in row:
            raise ValueError(f"{listed(row)} is no node, and no node, relation and other nodes.")
    below = {node for row in rows[1:] for node in row[::2]}
    first = rows[0] if below else []
    if len(first) == 3 and named_ends(first[::2]) == (0, 1) and below.isdisjoint(first[::2]):
        notes = [f"the first line is taken as column names: {listed(rows.pop(0))}."]
    edges = dict.fromkeys((row[0], other, row[1]) for row in rows for other in row[2:])
    if again := sum(len(row) - 2 for row in rows if len(row) > 2) - len(edges):
        notes.append(f"{counted(again, 'edge is', 'edges are')} repeated, and counted once.")
    return _of_names([row[0] for row in rows], [(a, b) for a, b, _ in edges], source, notes)


def _pajek(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    return read_pajek(_text(raw, source, asked), source)


def _of_names(
    nodes: Sequence[str], edges: Sequence[tuple[str, str]], source: str, notes: Sequence[str] = (),
    weight: Float64Array | None = None,
) -> Graph:  # fmt: skip
    """The graph of pairs of names, and of further nodes."""
    known = of_texts([*nodes, *(end for edge in edges for end in edge)]).tolist()
    if "" in known:
        raise ValueError("the name of a node is missing.")
    ends = known[len(nodes) :]
    first, second, ids = coded(ends[::2], ends[1::2], others=known)
    adjacency, more = of_edges(first, second, weight, len(ids))
    return Graph(adjacency, ids, (*notes, *more), source)


# --- nodes and edges with attributes -------------------------------------------------------------


def _gml(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """GML by networkx; multigraphs often do not declare that they are."""
    import networkx as nx

    text = raw.decode("utf-8-sig").encode("ascii", "xmlcharrefreplace").decode()
    as_many = re.sub(r"(?im)^(\s*graph\s*\[)", r"\1 multigraph 1 ", text, count=1)
    try:
        found = nx.parse_gml(text.splitlines(), label="id")
    except nx.NetworkXError as error:
        if "is duplicated" not in str(error):
            raise ValueError(str(error)) from error
        found = nx.parse_gml(as_many.splitlines(), label="id")
    nodes, edges = dict(found.nodes(data=True)), list(found.edges(data=True))
    labels, weight = ("label", "name"), columns.weight
    return _graph(nodes, edges, labels, found.is_directed(), source, weight)


def _xml(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """GraphML and GEXF by the local names of elements, whatever their namespace and version."""
    if re.search(rb"<!(DOCTYPE|ENTITY)", raw.replace(b"\0", b"")):
        raise ValueError("it declares a DOCTYPE or entities, which are refused.")
    root = ET.fromstring(raw)  # noqa: S314 - entities are refused
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    graphs = list(root.iter("graph"))
    if next(root.iter("hyperedge"), None) is not None:
        raise ValueError("it has hyperedges, and an edge of a graph has two ends.")
    if len(graphs) != 1:
        raise ValueError(f"it must hold one graph; found {len(graphs)}.")
    names: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
    defaults: dict[str, Any] = {}
    declared = [(key.get("for", "all"), key) for key in root.iter("key")]
    declared += [(g.get("class", ""), key) for g in root.iter("attributes") for key in g]
    for kind, key in declared:
        name = key.get("attr.name", key.get("title", key.get("id", "")))
        for of in names if kind == "all" else {kind}.intersection(names):
            names[of][key.get("id", "")] = name
            if of == "edge" and (default := key.find("default")) is not None:
                defaults[name] = default.text

    def data(element: Any) -> dict[str, Any]:
        """The attributes of a node or an edge by their names."""
        of = names[element.tag]
        found = {name: element.get(name) for name in ("label", "weight") if element.get(name)}
        given = [(one.get("key", ""), one.text) for one in element.findall("data")]
        values = element.iterfind("attvalues/attvalue")
        given += [(one.get("for", ""), one.get("value")) for one in values]
        return found | {of.get(key, key): value for key, value in given}

    nodes = {node.get("id", ""): data(node) for node in root.iter("node")}
    edges = [
        (edge.get("source", ""), edge.get("target", ""), defaults | data(edge))
        for edge in root.iter("edge")
    ]
    for end in (end for edge in edges for end in edge[:2]):
        if end not in nodes:
            raise ValueError(f"an edge has the end {quoted(end)}, which is not a node.")
    is_gexf = root.tag == "gexf"
    are_numbers = all(re.fullmatch(r"n?\d+", node) for node in nodes)
    labels = ("label",) if is_gexf else ("label", "name") if are_numbers else ()
    direction = graphs[0].get("defaultedgetype" if is_gexf else "edgedefault")
    return _graph(nodes, edges, labels, direction == "directed", source, columns.weight)


def _graph(
    nodes: _Nodes, edges: _Edges, labels: Sequence[str], is_directed: bool, source: str,
    asked: str | None,
) -> Graph:  # fmt: skip
    """The graph, whose nodes go by the first of some attributes that tells them apart."""
    names, notes = list[Any](nodes), list[str]()
    for label in labels:
        given = [data.get(label) for data in nodes.values()]
        if len({*given}) == len(given) and None not in given:
            names, notes = given, []
            break
        if {*given} - {None, ""}:
            notes = ["labels are not used, because some nodes share one or have none."]
    "".join(map(str, names)).encode()  # half of a character cannot be written
    place = {node: i for i, node in enumerate(nodes)}
    weights, more = weights_of([data for *_, data in edges], asked)
    weighed = [(place[a], place[b], float(w)) for (a, b, _), w in zip(edges, weights, strict=True)]
    found = graph_in_order(weighed, names, is_directed, source, (*notes, *more))
    return replace(found, source=source)


# --- matrices of libraries -----------------------------------------------------------------------


def _mtx(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """A graph of Matrix Market; the sizes in its header are checked before it is read."""
    n_rows, n_columns, n_entries, layout, _, symmetry = mminfo(BytesIO(raw[: 1 << 20]))
    if symmetry == "skew-symmetric":
        raise ValueError("it is skew-symmetric, which is not a graph: directions would cancel.")
    _check_size((n_rows, n_columns), len(raw), n_entries)
    stored, found = n_entries, len(raw) // 4
    if layout == "array":  # SciPy takes what is missing for zeros
        stored = n_entries if symmetry == "general" else n_rows * (n_rows + 1) // 2
        found = len(re.sub(rb"(?m)^%.*$", b"", raw).split()) - 2
    if found < stored:
        raise ValueError(f"it is cut short: its header declares {n_entries:,} entries.")
    return _of_matrix(mmread(BytesIO(raw + b"\n")), source)  # a last line must end, or it may crash


def _npz(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """A graph as SciPy or NumPy saves its matrix."""
    with zipfile.ZipFile(BytesIO(raw)) as archive:
        check_size(sum(part.file_size for part in archive.infolist()), len(raw), source)
    with np.load(BytesIO(raw), allow_pickle=False) as arrays:
        names = arrays.files
        if {"format", "data", "shape"}.isdisjoint(names):
            tables = ["X"] if "X" in names else names
            if len(tables) != 1:
                raise ValueError(f"it has the arrays {listed(names)}; call the one to read X.")
            return _of_matrix(arrays[tables[0]], source)
        _check_size(tuple(int(side) for side in arrays["shape"]), len(raw))
    return _of_matrix(load_npz(BytesIO(raw)), source)


def _npy(raw: bytes, source: str, asked: TextFormat, columns: AskedColumns) -> Graph:
    """A graph as NumPy saves its matrix."""
    return _of_matrix(np.load(BytesIO(raw), allow_pickle=False), source)


def _of_matrix(matrix: Any, source: str) -> Graph:
    _check_size(matrix.shape, matrix.nbytes if isinstance(matrix, np.ndarray) else 8 * matrix.nnz)
    if matrix.dtype.kind not in "biufc":
        raise ValueError(f"it holds {matrix.dtype}, and no numbers.")
    notes = []
    if not issparse(matrix):
        n, matrix = len(matrix), csr_array(matrix)
        notes = [f"{source} is read as the adjacency matrix of {n:,} nodes; entries are weights."]
    adjacency, more = of_matrix(sound(matrix, source), source, allow_negative=True)
    return Graph(adjacency, np.arange(adjacency.shape[0]), (*notes, *more), source)


def _check_size(shape: tuple[int, ...], n_bytes: int, n_entries: int = 0) -> None:
    """ValueError for a matrix that is not square, or has many more rows than its file has bytes."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"it must be square: one row and one column per node; got shape {shape}.")
    if shape[0] > 10**6 + 100 * n_bytes:
        raise ValueError(f"it declares {shape[0]:,} nodes, too many for its {n_bytes:,} bytes.")
    what = f"A graph of {shape[0]:,} nodes and {n_entries:,} entries"
    require(64 * (shape[0] + n_entries), what=what, instead="Save a smaller graph.")


READERS: dict[str, Callable[[bytes, str, TextFormat, AskedColumns], Graph]] = {
    "edgelist": _edge_list, "adjlist": _adjlist, "sif": _sif, "pajek": _pajek, "gml": _gml,
    "graphml": _xml, "gexf": _xml, "mtx": _mtx, "npz": _npz, "npy": _npy,
}  # fmt: skip
