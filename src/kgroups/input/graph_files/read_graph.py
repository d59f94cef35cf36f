"""One function for every file format of graphs: :func:`read_graph`."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from math import prod
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.parsers import expat

import numpy as np
from scipy.io import mminfo, mmread
from scipy.sparse import load_npz

from kgroups.exceptions import DataError
from kgroups.input.adjacency import adjacency_of
from kgroups.input.graph_files.edge_list import read_edge_list
from kgroups.input.graph_files.graph import Graph, node_ids
from kgroups.input.networks import EDGES_HINT, type_name
from kgroups.input.parameters import check_choice
from kgroups.input.table_files.binary import read_header
from kgroups.names import GRAPH_FORMATS, GRAPH_SUFFIXES, registered
from kgroups.runtime.memory import require

__all__ = ["Graph", "read_graph"]

_REPEATED_EDGE = "is duplicated"
# What networkx raises for files that are not what they say, itself apart.
_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    NotImplementedError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
)
# A line of a coordinate file is at least "1 1\n", a number of an array file "1\n".
_LEAST_LINE = {"coordinate": 4, "array": 2}


def read_graph(path: str | Path, *, format: str | None = None) -> Graph:
    r"""Read an undirected graph from a file.

    Parameters
    ----------
    path : str or Path
        A list of edges (.csv, .tsv, .txt, .edges, .edgelist), or a file ending in .gml, .graphml,
        .mtx (Matrix Market) or .npz (:func:`scipy.sparse.save_npz`).
    format : {"edgelist", "gml", "graphml", "mtx", "npz"}, optional
        What the file is, whatever its extension.

    Returns
    -------
    Graph
        Its ``notes`` say what was added, merged or ignored.

    Raises
    ------
    TypeError
        When ``path`` is not that of a file, but perhaps the edges themselves.
    DataError
        For anything that keeps the file from being a graph, or when it would not fit in memory.

    Notes
    -----
    A list of edges has lines ``source,target`` or ``source,target,weight``, split by commas, tabs,
    semicolons or blanks; lines that begin with # or % are comments. The first line is a header if
    it names its columns (source and target, from and to, ...) or if ids are integers in all others.
    Integer ids are sorted; otherwise nodes keep the order in which they appear, and matrices have
    nodes 0..n−1.

    An edge that is listed more than once in one direction has the sum of its weights. A file that
    lists every edge once in each direction holds an undirected graph. If only some are listed both
    ways the graph is directed: without weights an edge is kept where there is one in either
    direction; otherwise the weights of both directions are added.

    Linear in the size of the file: lists of integers some millions of lines a second, text ids and
    networkx formats much slower.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "friends.csv")
    ...     _ = path.write_text("source,target,weight\nann,bob,2\nbob,cid,1\n")
    ...     graph = read_graph(path)
    >>> graph.nodes.tolist(), graph.n_edges
    (['ann', 'bob', 'cid'], 2)
    """
    if not isinstance(path, (str, PathLike)):
        raise TypeError(f"path must be that of a file; got {type_name(path)}.{EDGES_HINT}")
    path, source = Path(path), str(path)
    if path.is_dir():
        raise DataError(f"{source} is a folder; name a file in it.")
    if not path.exists():
        raise DataError(f"{source} does not exist.")
    if not path.is_file():
        raise DataError(f"{source} is no regular file; write the graph to one first.")
    try:
        return _reader(path, source, format)(path, source)
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror or error}.") from error
    except MemoryError as error:
        raise DataError(f"{source} is too large: {error}") from error


def _reader(path: Path, source: str, kind: str | None) -> Callable[[Path, str], Graph]:
    if kind is not None:
        return _FORMATS[check_choice(kind, "format", tuple(_FORMATS))]
    kind = GRAPH_SUFFIXES.get(path.suffix.lower())
    if kind is None:
        found = f"the extension {path.suffix!r}" if path.suffix else "no extension"
        raise DataError(
            f"{source} has {found}; supported are {', '.join(GRAPH_SUFFIXES)}. For another name of "
            f"the same formats say format={' or '.join(map(repr, _FORMATS))}."
        )
    return _FORMATS[kind]


def _checked(found: Any, source: str, nodes: Any = None) -> Graph:
    """A graph from what a library read."""
    try:
        adjacency, notes, _ = adjacency_of(found, name=source, allow_negative=True)
    except (ValueError, TypeError) as error:
        raise DataError(str(error)) from error
    return Graph(
        adjacency, np.arange(adjacency.shape[0]) if nodes is None else nodes, notes, source
    )


# --- networkx --------------------------------------------------------------------------------


def _networkx(suffix: str) -> ModuleType:
    try:
        return import_module("networkx")
    except ImportError as error:
        raise DataError(
            f'reading {suffix} needs networkx; run: pip install "kgroups[graph]"'
        ) from error


@contextmanager
def _readable(what: str, source: str, *others: type[Exception]) -> Iterator[None]:
    damage: tuple[type[Exception], ...] = (*_UNREADABLE, *others)
    try:
        yield
    except damage as error:
        raise DataError(
            f"{source} is no sound {what} file: {error or type(error).__name__}."
        ) from error


def _read_gml(path: Path, source: str) -> Graph:
    networkx = _networkx(".gml")
    with _readable("GML", source, networkx.NetworkXException):
        text = path.read_bytes().decode("utf-8")
        graph = _parsed_gml(networkx, text)
    labels = [label for _, label in graph.nodes(data="label")]
    if None in labels:
        return _checked(graph, source, node_ids(list(graph)))
    if any(type(label) is not int for label in labels):
        labels = [_written(label, source) for label in labels]
    distinct = len(set(labels)) == len(labels)
    return _checked(graph, source, node_ids(labels if distinct else list(graph)))


def _written(label: Any, source: str) -> str:
    """A label as text that files can hold."""
    text = str(label)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(f"{source}: the label {text!r} holds half a character, which is no text.")
    return text


def _parsed_gml(networkx: ModuleType, text: str) -> Any:
    """Files of multigraphs often do not say that they are."""
    # networkx knows only characters that GML calls plain, and reads the others from references.
    lines = text.encode("ascii", "xmlcharrefreplace").decode().splitlines()
    try:
        return networkx.parse_gml(lines, label="id")
    except networkx.NetworkXError as error:
        if _REPEATED_EDGE not in str(error):
            raise
        multigraph = re.sub(
            r"(?i)^(\s*graph\s*\[)", r"\1 multigraph 1 ", "\n".join(lines), count=1, flags=re.M
        )
        return networkx.parse_gml(multigraph.splitlines(), label="id")


def _read_graphml(path: Path, source: str) -> Graph:
    networkx = _networkx(".graphml")
    with _readable("GraphML", source, networkx.NetworkXException, expat.ExpatError, SyntaxError):
        _check_xml(path, source)
        graph = networkx.read_graphml(path)
    return _checked(graph, source, node_ids(list(graph)))


def _check_xml(path: Path, source: str) -> None:
    """One graph, and no document type, which could name other files or grow without bound."""
    graphs = 0

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal graphs
        graphs += tag.rpartition(":")[2] == "graph"

    def refuse(*_: Any) -> None:
        """Whatever it is that was declared."""
        raise DataError(
            f"{source} declares a document type or entities, which are not read; remove <!DOCTYPE."
        )

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    with path.open("rb") as stream:
        parser.ParseFile(stream)
    if graphs != 1:
        raise DataError(f"{source} must hold one graph; found {graphs}.")


# --- matrices --------------------------------------------------------------------------------


def _read_mtx(path: Path, source: str) -> Graph:
    with _readable("Matrix Market", source):
        n_rows, n_columns, n_entries, layout, _, symmetry = mminfo(path)
    if symmetry == "skew-symmetric":
        raise DataError(f"{source} is skew-symmetric, and no graph: directions would cancel.")
    declared, size = n_entries * _LEAST_LINE.get(layout, 1), path.stat().st_size
    if declared > size:
        raise DataError(
            f"{source} is cut short: its header speaks of {n_entries:,} entries, for which "
            f"{size:,} bytes are too few."
        )
    _check_square((n_rows, n_columns), source)
    _require(n_rows, n_entries, source)
    with _readable("Matrix Market", source):
        matrix = mmread(path)
    return _checked(matrix, source)


def _read_npz(path: Path, source: str) -> Graph:
    with _readable("scipy.sparse.save_npz", source):
        shape, n_entries = _npz_size(path, source)
        _check_square(shape, source)
        _require(shape[0], n_entries, source)
        matrix = load_npz(path)
    return _checked(matrix, source)


def _npz_size(path: Path, source: str) -> tuple[tuple[int, ...], int]:
    """The shape of a saved matrix and the length of its arrays, before these are read."""
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
            raise ValueError("it holds no array called shape")
    require(16 * total, what=f"Reading {source}", instead="Save fewer entries.")
    with np.load(path, allow_pickle=False) as arrays:
        return tuple(int(side) for side in arrays["shape"]), total


def _check_square(shape: tuple[int, ...], source: str) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise DataError(f"{source} must be square: one row and column a node; got shape {shape}.")


def _require(n_nodes: int, n_entries: int, source: str) -> None:
    # Row starts, ids and degrees; twice an index and a weight for each entry and its mirror image.
    require(
        64 * n_nodes + 64 * n_entries,
        what=f"Reading {source}, a graph of {n_nodes:,} nodes and {n_entries:,} entries,",
        instead="Save a smaller graph.",
    )


_FORMATS: dict[str, Callable[[Path, str], Graph]] = registered(
    GRAPH_FORMATS,
    {
        "edgelist": read_edge_list,
        "gml": _read_gml,
        "graphml": _read_graphml,
        "mtx": _read_mtx,
        "npz": _read_npz,
    },
)
