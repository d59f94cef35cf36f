"""Graphs in files that SciPy or networkx reads; what is wrong with them becomes a DataError."""

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray
from scipy.io import mminfo, mmread
from scipy.sparse import load_npz

from kgroups.exceptions import DataError
from kgroups.input.adjacency import adjacency_of
from kgroups.input.graph_files.edge_columns import node_ids
from kgroups.input.graph_files.graph import Graph
from kgroups.input.networks import GraphLike
from kgroups.input.table_files.binary import DAMAGE, LONGEST_REASON, read_header
from kgroups.runtime.memory import require
from kgroups.text import quoted, short

# The shortest line of a coordinate file is "1 1\n", that of an array file "1\n".
_LEAST_LINE = {"coordinate": 4, "array": 2}


def read_mtx(path: Path, source: str) -> Graph:
    """A graph from a Matrix Market file, whose header is checked before anything is allocated."""
    with _readable("Matrix Market", source):
        n_rows, n_columns, n_entries, layout, _, symmetry = mminfo(path)
    if symmetry == "skew-symmetric":
        raise DataError(
            f"{source} is skew-symmetric, which is not a graph: directions would cancel."
        )
    size = path.stat().st_size
    if n_entries * _LEAST_LINE.get(layout, 1) > size:
        raise DataError(
            f"{source} is cut short: its header declares {n_entries:,} entries, for which {size:,} "
            "bytes are too few."
        )
    _check_size((n_rows, n_columns), n_entries, source)
    with _readable("Matrix Market", source):
        return _checked_graph(mmread(path), source)


def read_npz(path: Path, source: str) -> Graph:
    """A graph from a sparse array in a .npz file; sizes are checked before it is loaded."""
    with _readable("scipy.sparse.save_npz", source):
        shape, n_entries = _npz_size(path, source)
        _check_size(shape, n_entries, source)
        return _checked_graph(load_npz(path), source)


def _npz_size(path: Path, source: str) -> tuple[tuple[int, ...], int]:
    """The shape of a saved matrix and the total length of its arrays, before these are read."""
    total = 0
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as stream:
                header = read_header(stream, member.file_size)
            if prod(header.shape) * header.dtype.itemsize > header.n_bytes:
                raise DataError(
                    f"{source} is cut short: {member.filename} should hold {header.shape} numbers."
                )
            total += prod(header.shape)
        if "shape.npy" not in archive.namelist():
            raise ValueError("it holds no array named shape")
    require(16 * total, what=f"Reading {source}", instead="Save fewer entries.")
    with np.load(path, allow_pickle=False) as arrays:
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


def read_gml(path: Path, source: str) -> Graph:
    """A graph from GML; nodes go by their labels if these differ, else by their ids."""
    networkx = _networkx(".gml")
    # The text three times, and several hundred bytes for each node and each edge.
    require(
        10 * path.stat().st_size, what=f"Reading {source}", instead="Write it as a list of edges."
    )
    with _readable("GML", source, networkx.NetworkXException):
        graph = _parsed_gml(networkx, path.read_bytes().decode("utf-8"))
    labels = [label for _, label in graph.nodes(data="label")]
    if None in labels:
        return _checked_graph(graph, source, node_ids(list(graph)))
    if any(type(label) is not int for label in labels):
        labels = [_written(label, source) for label in labels]
    distinct = len(set(labels)) == len(labels)
    return _checked_graph(graph, source, node_ids(labels if distinct else list(graph)))


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


def read_graphml(path: Path, source: str) -> Graph:
    """A graph from GraphML."""
    networkx = _networkx(".graphml")
    with _readable("GraphML", source, networkx.NetworkXException, expat.ExpatError, SyntaxError):
        _check_xml(path, source)
        graph = networkx.read_graphml(path)
    return _checked_graph(graph, source, node_ids(list(graph)))


def _check_xml(path: Path, source: str) -> None:
    """Refuse several graphs, edges without ends, and document types.

    The last can name other files or expand endlessly.
    """
    graphs = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        """Count the graphs, and refuse an edge without its ends."""
        nonlocal graphs
        name = tag.rpartition(":")[2]
        graphs += name == "graph"
        if name == "edge" and not {"source", "target"} <= attributes.keys():
            line = parser.CurrentLineNumber
            raise DataError(f"{source}, line {line}: an edge lacks its source or its target.")

    def refuse(*_: object) -> None:
        """Refuse any declaration."""
        raise DataError(
            f"{source} declares a document type or entities, which are refused; remove <!DOCTYPE."
        )

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    with path.open("rb") as stream:
        parser.ParseFile(stream)
    if graphs != 1:
        raise DataError(f"{source} must hold one graph; found {graphs}.")


def _networkx(suffix: str) -> ModuleType:
    try:
        return import_module("networkx")
    except ImportError as error:
        raise DataError(
            f'reading {suffix} needs networkx; run: pip install "kgroups[graph]"'
        ) from error


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
