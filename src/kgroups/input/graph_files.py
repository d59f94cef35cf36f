"""Graphs in files of any format, and known labels of their nodes."""

import csv
import re
import zipfile
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple
from xml.etree.ElementTree import ParseError

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.edges import AskedColumns, listed, plain
from kgroups.input.graph import Graph
from kgroups.input.networks import type_name
from kgroups.input.parameters import check_choice, check_integer
from kgroups.names import COMPRESSIONS, GRAPH_FORMATS, GRAPH_SUFFIXES
from kgroups.text import counted, quoted, short

_OTHERS = {".graph": "METIS", ".metis": "METIS", **dict.fromkeys((".dl", ".##h", ".##d"), "UCINET")}
_CALLED = {"gml": "GML", "graphml": "GraphML", "gexf": "GEXF", "mtx": "Matrix Market"}
# How files begin whose names do not say what they are.
_BEGINNINGS = {
    "npz": rb"PK\x03\x04", "npy": rb"\x93NUMPY", "mtx": rb"%%MatrixMarket",
    "gexf": rb"\s*<[^\0]*<gexf|\s*<gexf", "graphml": rb"\s*<",
    "gml": rb"(?m:[^\0]*^[ \t]*graph\s*\[)", "pajek": rb"(?mi:[^\0]*^\*(vertices|network))",
}  # fmt: skip
_DAMAGE = (
    ValueError, TypeError, LookupError, OSError, EOFError, ArithmeticError, csv.Error,
    RecursionError, ParseError, zipfile.BadZipFile,
)  # fmt: skip
# Names of the columns of node labels.
NODE_NAMES = frozenset({"node", "nodeid", "id", "name", "vertex"})


def read_graph(
    path: str | Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    encoding: str | None = None,
    skip_lines: Iterable[int] = (),
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | Literal[False] | None = None,
    header: bool | None = None,
) -> Graph:
    r"""Read an undirected graph from a file.

    Parameters
    ----------
    path : str or Path
        A list of edges (.csv, .tsv, .txt, .edges, .edgelist, .ncol), or a file ending in .adjlist
        (a node and its neighbors in each line), .sif (Cytoscape), .net or .paj (Pajek), .gml,
        .graphml, .gexf (Gephi), .mtx (Matrix Market), .npz (:func:`scipy.sparse.save_npz`,
        :func:`numpy.savez`) or .npy. It may be compressed: then .gz, .bz2 or .zst follows.
        "-" is standard input.
    format : {"edgelist", "adjlist", "sif", "pajek", "gml", "graphml", "gexf", "mtx", "npz", "npy"}
        Format of the file; by default it follows from the extension.
    delimiter : str, optional
        Character between the fields of a list of edges; ``" "`` for any number of blanks. By
        default the one of comma, tab, semicolon and blanks that makes most fields.
    decimal : {".", ","}, optional
        Decimal mark of the weights in a list of edges; the other one, blanks and apostrophes may
        then separate thousands. By default a comma if the weights cannot be read otherwise.
    encoding : str, optional
        Encoding of a text, such as ``"latin-1"``; by default UTF-8, or UTF-16 if it begins so.
    skip_lines : iterable of int, default=()
        Lines of a text that are not read, counted from 1.
    source, target : str or int, optional
        Columns of a list of edges that hold the two ends, by name or by number from 1; both or
        neither. By default those with names such as source and target, from and to, gene1 and
        gene2; without such names the first two.
    weight : str or int, optional
        Column or attribute of the weights. By default the one called weight, w, value, count,
        frequency, score, combined_score, strength, similarity or correlation if it holds numbers,
        or the third of three columns that have no names. A note names what is not used. False
        for none: all edges weigh 1.
    header : bool, optional
        Whether the first line of a list of edges holds the names of its columns; by default this is
        found out.

    Returns
    -------
    Graph
        The graph; its ``notes`` say what was added, merged or ignored.

    Raises
    ------
    TypeError
        If ``path`` is not a path, but perhaps the edges themselves.
    ValueError
        If an argument is not one of its choices, or only one end is given.
    DataError
        If the file does not hold a graph, or one that does not fit in memory.

    Notes
    -----
    Lines that begin with # or % are comments. The first line, or a comment right above the edges,
    is a header if it names the ends, or if it holds no numbers and the ids right below are
    integers.
    Nodes are sorted: integers by size, other ids as text as they are written, so another order of
    the lines gives the same graph. A square table of more than three columns is an adjacency
    matrix; the nodes of one without names are 0..n−1.

    Weights of an edge that is listed more than once are added, in whichever direction it is
    listed. A file that lists every edge in both directions with equal weights counts each once.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "friends.csv")
    ...     _ = path.write_text("source,target,weight\nann,bob,2\nbob,cid,1\n")
    ...     graph = read_graph(path)
    >>> graph.nodes.tolist(), graph.n_edges
    (['ann', 'bob', 'cid'], 2)
    """
    if not isinstance(path, (str, PathLike)):
        raise TypeError(
            f"path must be the path of a file; got {type_name(path)}. For a list of edges write "
            "kgroups.graphs.Graph.from_edges(...)."
        )
    if (source is None) != (target is None):
        raise ValueError("source and target belong together; give both, or neither.")
    if decimal is not None:
        check_choice(decimal, "decimal", (".", ","))
    if delimiter is not None and (len(delimiter) != 1 or delimiter == decimal):
        raise ValueError(f"delimiter must be one character, not the decimal; got {delimiter!r}.")
    try:
        "a".encode(encoding or "utf-8")
    except LookupError as error:
        raise ValueError(f"encoding must be one that Python knows; got {encoding!r}.") from error
    try:
        from kgroups.input.network_files import READERS
        from kgroups.input.text_files import TextFormat, content, source_of
    except ImportError as error:
        raise ImportError(f'{error}; run: pip install "kgroups[graph]"') from error
    skipped = sorted({check_integer(line, "skip_lines", least=1) for line in skip_lines})
    asked = TextFormat(
        delimiter=delimiter, decimal=decimal, encoding=encoding, skip_lines=tuple(skipped),
        header=header,
    )  # fmt: skip
    asked_for = (source, target, "" if weight is False else weight)
    columns = AskedColumns(*(None if c is None else str(c) for c in asked_for))
    raw, name = content(path), source_of(path)
    format = _format(Path(path), raw) if format is None else format
    check_choice(format, "format", GRAPH_FORMATS)
    if format != "edgelist" and source is not None:
        raise DataError(f"{name} is {format} and not a list of edges: omit source and target.")
    called = f", read as {_CALLED[format]}" if format in _CALLED else ""
    try:
        graph = READERS[format](raw, name, asked, columns)
    except MemoryError as error:
        raise DataError(f"{name} is too large: {error}") from error
    except _DAMAGE as error:
        words = str(error) or type(error).__name__
        if isinstance(error, DataError) and name in words:
            raise
        lead = "" if words.startswith(name) else f"{name}{called}: "
        raise DataError(f"{lead}{short(words, 300)}") from error
    if not graph.n_nodes:
        raise DataError(f"{name} has no nodes.")
    return graph


def _format(path: Path, raw: bytes) -> str:
    """The format of a file by its extension, or of standard input by its beginning."""
    if str(path) == "-":
        begins = (kind for kind, begin in _BEGINNINGS.items() if re.match(begin, raw[:4096]))
        return next(begins, "edgelist")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix in _OTHERS:
        raise DataError(f"{path} is a file of {_OTHERS[suffix]}; save it as a list of edges.")
    if suffix not in GRAPH_SUFFIXES:
        raise DataError(
            f"{path} has the extension {quoted(suffix)}, not one of a graph: "
            f"{', '.join(GRAPH_SUFFIXES)}, and {', '.join(COMPRESSIONS)} after them. For another "
            f"extension, give format={' or '.join(map(repr, GRAPH_FORMATS))}."
        )
    return GRAPH_SUFFIXES[suffix]


class NodeLabels(NamedTuple):
    """The label of each node of a graph, and notes on the file."""

    #: Object array of str, None if the label is unknown.
    labels: NDArray[Any]
    notes: tuple[str, ...]


def read_node_labels(path: str | Path, graph: Graph) -> NodeLabels:
    r"""Read a CSV or TSV file of lines ``node,label``.

    Parameters
    ----------
    path : str or Path
        A file with or without a header, which may be compressed (.gz, .bz2, .zst). Labels are in
        the column named label, else in the second. An empty label, or one such as NA, is unknown,
        and so is that of a node without a line, which a note counts.
    graph : Graph
        The graph whose ``nodes`` the ids of the file are matched with.

    Returns
    -------
    NodeLabels
        ``labels``, an object array of shape (n,) of str or None, and ``notes``.

    Raises
    ------
    DataError
        If no node of the graph is in the file, one has two labels, or the file cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> graph = Graph.from_edges([0, 1], [1, 2])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_text("node,label\n0,red\n1,red\n2,\n")
    ...     labels, notes = read_node_labels(path, graph)
    >>> labels.tolist()
    ['red', 'red', None]
    """
    from kgroups.input.text_files import MISSING, TextFormat, parse

    parsed = parse(Path(path), str(path), TextFormat(header=False), dtype=str)
    if parsed.values.shape[1] < 2:
        raise DataError(f"{path}, {parsed.where(0)} has one field; a line has node and label.")
    rows = [[str(field).strip() for field in row] for row in parsed.values.fillna("").to_numpy()]
    known = {str(node) for node in graph.nodes}
    first = rows[0]
    numbers = graph.nodes.dtype != object and not re.fullmatch(r"-?\d+", first[0])
    header = first[0] not in known and (plain(first[0]) in NODE_NAMES or numbers)
    names = [name.lower() for name in first]
    column = names.index("label") if header and "label" in names[1:] else 1
    by_id: dict[str, str | None] = {}
    for row, fields in enumerate(rows[header:], int(header)):
        node, text = fields[0], fields[column]
        label = None if text in MISSING else text
        if by_id.setdefault(node, label) != label:
            raise DataError(
                f"{path}, {parsed.where(row)}: node {quoted(node)} is labeled {quoted(text)}, "
                f"but {quoted(by_id[node] or '')} before; keep one of the lines."
            )
    missing = [str(node) for node in graph.nodes.tolist() if str(node) not in by_id]
    if len(missing) == graph.n_nodes:
        raise DataError(
            f"{path}: the ids of the two files do not match: the graph has "
            f"{listed(list(known))}; the labels file has {listed(list(by_id))}."
        )
    notes = []
    if missing:
        has = counted(len(missing), "node has", "nodes have")
        notes.append(f"{has} no line in the labels file, and no known label: {listed(missing)}.")
    if others := [node for node in by_id if node not in known]:
        ids = counted(len(others), "id of the labels file is", "ids of the labels file are")
        notes.append(f"{ids} not in the graph: {listed(others)}.")
    labels = np.empty(graph.n_nodes, object)
    labels[:] = [by_id.get(str(node)) for node in graph.nodes]
    return NodeLabels(labels, tuple(notes))
