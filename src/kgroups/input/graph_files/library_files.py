"""Graphs in files that SciPy or networkx reads; what is wrong with them becomes a DataError."""

import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from io import SEEK_END, BytesIO, UnsupportedOperation
from math import prod
from numbers import Real
from types import ModuleType
from typing import IO, Any
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray
from scipy.io import mminfo, mmread
from scipy.sparse import load_npz

from kgroups.exceptions import DataError
from kgroups.input.adjacency import adjacency_of
from kgroups.input.graph_files.edge_columns import node_ids
from kgroups.input.graph_files.edge_names import is_plain_weight, weight_columns
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.matrix_files import read_dense_npz
from kgroups.input.graph_files.node_names import note_on_labels
from kgroups.input.networks import GraphLike
from kgroups.input.table_files.binary import DAMAGE, LONGEST_REASON, read_header
from kgroups.input.table_files.table import listed
from kgroups.runtime.memory import require
from kgroups.text import quoted, short

# The shortest line of a coordinate file is "1 1\n", that of an array file "1\n".
_LEAST_LINE = {"coordinate": 4, "array": 2}
# Comments, and the line of sizes.
_MTX_HEADER = re.compile(rb"(?:[ \t]*(?:%[^\n]*)?\r?\n)*[^\n]*\n")
_HEAD = 1 << 20
_AS_EDGES = "Write it as a list of edges."
_BYTES_AT_ONCE = 1 << 24
# How many elements of XML are read between two looks at the free memory.
_ELEMENTS_PER_CHECK = 1 << 18
# Ids that programs make up for nodes with names.
_NUMBERED = re.compile(r"n?\d+")
# How networkx fails where GEXF lacks what it looks for.
_UNEXPECTED = (KeyError, AttributeError, TypeError)


def size_of(stream: IO[bytes]) -> int | None:
    """The number of bytes of a stream, which then stands at its beginning; None if compressed."""
    try:
        return stream.seek(0, SEEK_END)
    except UnsupportedOperation:
        return None
    finally:
        stream.seek(0)


def whole(stream: IO[bytes], source: str, times: int) -> bytes:
    """All bytes of a stream; MemoryError if so many times as much does not fit."""

    def check(n_bytes: int) -> None:
        """Of what is known, or has been read so far."""
        require(times * n_bytes, what=f"Reading {source}", instead=_AS_EDGES)

    check(size_of(stream) or 0)
    parts = [b""]
    while part := stream.read(_BYTES_AT_ONCE):
        parts.append(part)
        check(sum(map(len, parts)))
    return b"".join(parts)


def read_mtx(stream: IO[bytes], source: str) -> Graph:
    """A graph from a Matrix Market file, whose header is checked before anything is allocated."""
    with _readable("Matrix Market", source):
        # SciPy is given bytes in memory, because it can crash on files that Python opened.
        n_rows, n_columns, n_entries, layout, _, symmetry = mminfo(BytesIO(stream.read(_HEAD)))
    if symmetry == "skew-symmetric":
        raise DataError(
            f"{source} is skew-symmetric, which is not a graph: directions would cancel."
        )
    size = size_of(stream)
    if size is not None and n_entries * _LEAST_LINE.get(layout, 1) > size:
        raise DataError(
            f"{source} is cut short: its header declares {n_entries:,} entries, for which {size:,} "
            "bytes are too few."
        )
    _check_size((n_rows, n_columns), n_entries, source)
    # It can also crash on a last line that does not end.
    content = whole(stream, source, times=4) + b"\n"
    if (layout, symmetry) == ("array", "symmetric"):
        _check_triangle(content, n_rows, source)
    with _readable("Matrix Market", source):
        return _checked_graph(mmread(BytesIO(content)), source)


def _check_triangle(content: bytes, n_rows: int, source: str) -> None:
    """DataError if a symmetric array lacks entries, which SciPy would take for zeros."""
    header = _MTX_HEADER.match(content)
    found = 0 if header is None else len(content[header.end() :].split())
    expected = n_rows * (n_rows + 1) // 2
    if found < expected:
        raise DataError(
            f"{source} is cut short: a symmetric array of {n_rows:,} rows has {expected:,} numbers "
            f"on and below its diagonal; found {found:,}."
        )


def read_npz(stream: IO[bytes], source: str) -> Graph:
    """A graph from an array in a .npz file, sparse or dense; sizes are checked before."""
    if zipfile.is_zipfile(stream) and not _is_sparse(stream):
        return read_dense_npz(stream, source)
    stream.seek(0)
    with _readable("scipy.sparse.save_npz", source):
        shape, n_entries = _npz_size(stream, source)
        _check_size(shape, n_entries, source)
        stream.seek(0)
        return _checked_graph(load_npz(stream), source)


def _is_sparse(stream: IO[bytes]) -> bool:
    """Whether SciPy wrote the file: numpy.savez writes neither format nor data."""
    with zipfile.ZipFile(stream) as archive:
        return not {"format.npy", "data.npy", "shape.npy"}.isdisjoint(archive.namelist())


def _npz_size(stream: IO[bytes], source: str) -> tuple[tuple[int, ...], int]:
    """The shape of a saved matrix and the total length of its arrays, before these are read."""
    total = 0
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            with archive.open(member) as content:
                header = read_header(content, member.file_size)
            if prod(header.shape) * header.dtype.itemsize > header.n_bytes:
                raise DataError(
                    f"{source} is cut short: {member.filename} should hold {header.shape} numbers."
                )
            total += prod(header.shape)
        if "shape.npy" not in archive.namelist():
            raise ValueError("it holds no array named shape")
    require(16 * total, what=f"Reading {source}", instead="Save fewer entries.")
    stream.seek(0)
    with np.load(stream, allow_pickle=False) as arrays:
        return tuple(int(side) for side in arrays["shape"]), total


def _check_size(shape: tuple[int, ...], n_entries: int, source: str) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise DataError(
            f"{source} must be square: one row and one column per node; got shape {shape}."
        )
    # Row starts, ids and degrees per node; per entry and per its mirror image, an index and a
    # weight, twice.
    require(
        64 * shape[0] + 64 * n_entries,
        what=f"Reading {source}, a graph of {shape[0]:,} nodes and {n_entries:,} entries,",
        instead="Save a smaller graph.",
    )


def read_gml(stream: IO[bytes], source: str) -> Graph:
    """A graph from GML; nodes go by their labels if these differ, else by their ids."""
    networkx = _networkx(".gml")
    # The text three times, and several hundred bytes for each node and each edge.
    content = whole(stream, source, times=10)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{source} is not a valid GML file: byte {error.start + 1} "
            f"(0x{content[error.start]:02x}) is not UTF-8 text; save it as UTF-8."
        ) from error
    with _readable("GML", source, networkx.NetworkXException):
        graph = _parsed_gml(networkx, text)
    labels = [label for _, label in graph.nodes(data="label")]
    if all(label is None for label in labels):  # as igraph writes names
        labels = _attribute(graph, "name") or labels
    if None not in labels and any(type(label) is not int for label in labels):
        labels = [_written(label, source) for label in labels]
    distinct = None not in labels and len(set(labels)) == len(labels)
    notes = [] if distinct else note_on_labels(labels)
    return _named_graph(graph, source, labels if distinct else list(graph), notes)


def _written(label: object, source: str) -> str:
    """A label as text that can be written to a file."""
    text = str(label)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(f"{source}: the label {quoted(text)} contains an unpaired surrogate.")
    return text


def _parsed_gml(networkx: ModuleType, text: str) -> Any:
    """The graph in a GML text; multigraphs often do not declare that they are."""
    # networkx accepts only ASCII, and reads other characters from references.
    lines = text.encode("ascii", "xmlcharrefreplace").decode().splitlines()
    try:
        return networkx.parse_gml(lines, label="id")
    except networkx.NetworkXError as error:
        if "is duplicated" not in str(error):
            raise
        multigraph = re.sub(
            r"(?i)^(\s*graph\s*\[)", r"\1 multigraph 1 ", "\n".join(lines), count=1, flags=re.M
        )
        return networkx.parse_gml(multigraph.splitlines(), label="id")


def read_graphml(stream: IO[bytes], source: str) -> Graph:
    """A graph from GraphML; nodes whose ids are numbers go by their labels or names."""
    networkx = _networkx(".graphml")
    with _readable("GraphML", source, networkx.NetworkXException, expat.ExpatError, SyntaxError):
        _check_xml(stream, source)
        require(10 * stream.tell(), what=f"Reading {source}", instead=_AS_EDGES)
        stream.seek(0)
        graph = networkx.read_graphml(stream)
    _fill_in(graph, graph.graph.get("edge_default", {}))
    names = list(graph)
    if all(map(_NUMBERED.fullmatch, map(str, names))):
        names = _attribute(graph, "label") or _attribute(graph, "name") or names
    return _named_graph(graph, source, names)


def read_gexf(stream: IO[bytes], source: str) -> Graph:
    """A graph from GEXF, as Gephi writes it; nodes go by their labels if these differ."""
    networkx = _networkx(".gexf")
    others = (networkx.NetworkXException, expat.ExpatError, SyntaxError, *_UNEXPECTED)
    with _readable("GEXF", source, *others):
        _check_xml(stream, source)
        require(10 * stream.tell(), what=f"Reading {source}", instead=_AS_EDGES)
        stream.seek(0)
        graph = networkx.read_gexf(stream)
    if any("weight" in data for *_, data in graph.edges(data=True)):
        _fill_in(graph, {"weight": 1.0})  # as the format has it
    labels = _attribute(graph, "label")
    notes = [] if labels else note_on_labels([label for _, label in graph.nodes(data="label")])
    return _named_graph(graph, source, labels or list(graph), notes)


def _fill_in(graph: Any, defaults: dict[str, Any]) -> None:
    """Give edges the values that are declared for those without one of their own."""
    for *_, data in graph.edges(data=True):
        for name, value in defaults.items():
            data.setdefault(name, value)


def _attribute(graph: Any, name: str) -> list[Any] | None:
    """An attribute of all nodes; None unless it tells them apart."""
    values = [value for _, value in graph.nodes(data=name)]
    return values if None not in values and len(set(values)) == len(values) else None


def _check_xml(stream: IO[bytes], source: str) -> None:
    """Refuse several graphs, edges without ends or between unknown nodes, and document types.

    The last can name other files or expand endlessly.
    """
    graphs, elements, nodes = 0, 0, set[str]()
    #: The ends of edges, and the lines where they come first.
    ends: dict[str, int] = {}

    def start(tag: str, attributes: dict[str, str]) -> None:
        """Count the graphs, collect nodes and ends, and refuse an edge without its ends."""
        nonlocal graphs, elements
        elements += 1
        if elements % _ELEMENTS_PER_CHECK == 0:
            known = 200 * (len(nodes) + len(ends))
            require(known, what=f"Reading {source}", instead=_AS_EDGES)
        name, line = tag.rpartition(":")[2], parser.CurrentLineNumber
        graphs += name == "graph"
        if name == "node":
            nodes.add(attributes.get("id", ""))
        if name == "edge":
            if not {"source", "target"} <= attributes.keys():
                raise DataError(f"{source}, line {line}: an edge lacks its source or its target.")
            ends.setdefault(attributes["source"], line)
            ends.setdefault(attributes["target"], line)

    def refuse(*_: object) -> None:
        """Refuse any declaration."""
        raise DataError(
            f"{source} declares a document type or entities, which are refused; remove <!DOCTYPE."
        )

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ParseFile(stream)
    if graphs != 1:
        raise DataError(f"{source} must hold one graph; found {graphs}.")
    for end, line in ends.items():
        if end not in nodes:
            raise DataError(
                f"{source}, line {line}: the edge has the end {quoted(end)}, which is not the id "
                "of a node; add the node, or remove the edge."
            )


def _networkx(suffix: str) -> ModuleType:
    try:
        return import_module("networkx")
    except ImportError as error:
        raise DataError(
            f'reading {suffix} needs networkx; run: pip install "kgroups[graph]"'
        ) from error


def _named_graph(graph: Any, source: str, names: list[Any], notes: Iterable[str] = ()) -> Graph:
    """A graph of networkx with the names of its nodes, in its order."""
    on_weights = _read_weights(graph)
    found = _checked_graph(graph, source, node_ids(names))
    return replace(found, notes=(*notes, *on_weights, *found.notes))


def _read_weights(graph: Any) -> list[str]:
    """Make an attribute of edges with a name of weights their weight, and return what was done.

    As in lists of edges: unless one is called weight, the only one with such a name and numbers.
    """
    numeric: dict[str, bool] = {}
    for *_, data in graph.edges(data=True):
        for name, value in data.items():
            numeric[name] = numeric.get(name, True) and isinstance(value, Real)
    names = [name for name in numeric if numeric[name] or is_plain_weight(name)]
    found = [names[column] for column in weight_columns(names)]
    if "weight" in numeric or not found:
        return []
    if len(found) > 1:
        return [
            f"edges have several attributes that may be weights, {listed(found)}, and none is "
            "read; call one of them weight."
        ]
    for *_, data in graph.edges(data=True):
        if found[0] in data:
            data["weight"] = data[found[0]]
    return [f"the attribute {quoted(found[0])} of the edges is read as their weights."]


def _checked_graph(found: GraphLike, source: str, nodes: NDArray[Any] | None = None) -> Graph:
    """A graph from what a library has read."""
    try:
        adjacency, notes, _ = adjacency_of(found, name=source, allow_negative=True)
    except (ValueError, TypeError) as error:
        raise DataError(str(error)) from error
    nodes = np.arange(adjacency.shape[0]) if nodes is None else nodes
    return Graph(adjacency, nodes, notes, source)


@contextmanager
def _readable(what: str, source: str, *others: type[Exception]) -> Iterator[None]:
    """A block in which errors of a library mean that the file is damaged."""
    damage: tuple[type[Exception], ...] = (*DAMAGE, *others)
    try:
        yield
    except damage as error:
        reason = short(str(error) or type(error).__name__, LONGEST_REASON)
        raise DataError(f"{source} is not a valid {what} file: {reason}.") from error
