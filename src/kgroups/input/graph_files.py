"""One function for all file formats of graphs, and known labels of nodes."""

import csv
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.edges import listed, named_ends, node_ids, plain
from kgroups.input.graph import Graph
from kgroups.input.networks import of_library, type_name
from kgroups.input.parameters import check_choice, check_integer
from kgroups.names import COMPRESSIONS, GRAPH_FORMATS, GRAPH_SUFFIXES, WEIGHT_COLUMNS
from kgroups.runtime.memory import require
from kgroups.text import counted, quoted, short

_NO_FORMATS = {
    ".graph": "METIS",
    ".metis": "METIS",
    ".dl": "UCINET",
    ".##h": "UCINET",
    ".##d": "UCINET",
}
_CALLED = {
    "gml": "GML",
    "graphml": "GraphML",
    "gexf": "GEXF",
    "mtx": "Matrix Market",
    "pajek": "Pajek",
}
_BEGINNINGS = {
    "npz": rb"PK\x03\x04", "npy": rb"\x93NUMPY", "mtx": rb"%%MatrixMarket", "gexf": rb"\s*<[^\0]*<gexf|\s*<gexf",
    "graphml": rb"\s*<", "gml": rb"(?m:[^\0]*^[ \t]*graph\s*\[)", "pajek": rb"(?mi:[^\0]*^\*(vertices|network))",
}  # fmt: skip


def read_graph(
    path: str | Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    skip_lines: Iterable[int] = (),
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | None = None,
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
        or the third of three columns that have no names. A note names what is not used.
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
    is a header if it names the ends, or if it holds no numbers and the ids below are integers.
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
    if format is not None:
        check_choice(format, "format", GRAPH_FORMATS)
    if decimal is not None:
        check_choice(decimal, "decimal", (".", ","))
    if delimiter is not None and (len(delimiter) != 1 or delimiter == decimal):
        raise ValueError(
            f"delimiter must be one character, and not the decimal; got {delimiter!r}."
        )
    if encoding is not None:
        try:
            "a".encode(encoding)
        except LookupError as error:
            raise ValueError(
                f"encoding must be one that Python knows; got {encoding!r}."
            ) from error
    try:
        from kgroups.input.edge_files import AskedColumns
        from kgroups.input.text_files import TextFormat, content, source_of
    except ImportError as error:
        raise ImportError(f'{error}; run: pip install "kgroups[graph]"') from error
    skipped = sorted({check_integer(line, "skip_lines", least=1) for line in skip_lines})
    asked = TextFormat(
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        skip_lines=tuple(skipped),
        header=header,
    )
    columns = AskedColumns(*(None if c is None else str(c) for c in (source, target, weight)))
    name = source_of(path)
    kind = format or _kind(Path(path))
    raw = content(path)
    return graph_of_bytes(raw, name, kind, asked, columns)


def _kind(path: Path) -> str | None:
    """The format of a file by its extension; None for standard input, whose beginning tells."""
    if str(path) == "-":
        return None
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in (*COMPRESSIONS, ".xz"):
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix in _NO_FORMATS:
        raise DataError(f"{path} is a file of {_NO_FORMATS[suffix]}; save it as a list of edges.")
    if suffix not in GRAPH_SUFFIXES:
        raise DataError(
            f"{path} has the extension {quoted(suffix)}, not one of a graph: "
            f"{', '.join(GRAPH_SUFFIXES)}, and {', '.join(COMPRESSIONS)} after them. "
            f"For another extension, give format={' or '.join(map(repr, GRAPH_FORMATS))}."
        )
    return GRAPH_SUFFIXES[suffix]


def graph_of_bytes(raw: bytes, source: str, kind: str | None, asked: Any, columns: Any) -> Graph:
    """The graph in the content of a file; DataError names the file."""
    from kgroups.input.edge_files import read_edge_list

    if kind is None:
        found = (name for name, begin in _BEGINNINGS.items() if re.match(begin, raw[:4096]))
        kind = next(found, "edgelist")
    if kind != "edgelist" and columns.source is not None:
        raise DataError(f"{source} is {kind} and not a list of edges: omit source and target.")
    try:
        if kind == "edgelist":
            graph = read_edge_list(raw, source, asked, columns)
        elif kind in _OF_BYTES:
            graph = _OF_BYTES[kind](raw, source, columns.weight)
        else:
            graph = _OF_TEXT[kind](_text(raw, source, asked), source, asked.delimiter)
    except DataError as error:
        raise DataError(str(error) if source in str(error) else f"{source}: {error}") from error
    except MemoryError as error:
        raise DataError(f"{source} is too large: {error}") from error
    except (ValueError, TypeError, KeyError, IndexError, OSError, EOFError, ArithmeticError, csv.Error,
            RecursionError, expat.ExpatError, zipfile.BadZipFile) as error:  # fmt: skip
        called = f", read as {_CALLED[kind]}" if kind in _CALLED else ""
        words = str(error).removeprefix(f"{source}: ")
        raise DataError(f"{source}{called}: {short(words or repr(error), 300)}") from error
    if not graph.n_nodes:
        raise DataError(f"{source} has no nodes.")
    return graph


# --- lines of names ------------------------------------------------------------------------------


def _text(raw: bytes, source: str, asked: Any) -> str:
    from kgroups.input.text_files import _as_utf8, _without_lines

    utf8, _ = _as_utf8(raw, source, asked.encoding)
    return _without_lines(utf8, source, asked.skip_lines, None).decode()


def _adjlist(text: str, source: str, delimiter: str | None) -> Graph:
    """A node and its neighbors in each line."""
    lines = [
        line.strip() for line in text.split("\n") if line.strip() and line.strip()[0] not in "#%"
    ]
    longest = max(lines[:50], key=len, default="")
    mark = delimiter or max("\t;,", key=longest.count)
    mark = mark if mark in longest and mark != " " else None
    rows = [[field.strip() for field in line.split(mark)] for line in lines]
    rows = [row if row[-1] else row[:-1] for row in rows]
    return _of_names(rows, [(row[0], other) for row in rows for other in row[1:]], source)


def _sif(text: str, source: str, delimiter: str | None) -> Graph:
    """Lines ``node relation node ...``; one that is repeated with its relation counts once."""
    from kgroups.input.edge_files import delimiter_of
    from kgroups.input.text_files import split

    lines = [line for line in text.split("\n") if line.strip() and line.lstrip()[0] not in "#%"]
    if not lines:
        raise ValueError("it is empty.")
    mark = delimiter or delimiter_of([max(lines[:50], key=len)], None)
    rows = [[field.strip() for field in row] for _, row in split(lines, mark)]
    rows = [row if row[-1] else row[:-1] for row in rows]
    return _of_names(rows, [(row[0], other) for row in rows for other in row[1:]], source)


def _sif(text: str, source: str, delimiter: str | None) -> Graph:
    """Lines ``node relation node ...``; one that is repeated with its relation counts once."""
    lines = [line.strip() for line in text.split("\n") if line.strip() and line.lstrip()[0] != "#"]
    mark = "\t" if any("\t" in line for line in lines) else None
    rows = [[field.strip() for field in line.split(mark)] for line in lines]
    for row in rows:
        if len(row) == 2 or "" in row:
            raise ValueError(f"{quoted(' '.join(row))} is no node, or node, relation and nodes.")
    notes = []
    if rows and len(rows[0]) == 3 and named_ends(rows[0][::2]) == (0, 1):
        nodes = {node for row in rows[1:] for node in row[::2]}
        if not nodes.intersection(rows[0][::2]) and nodes:
            notes = [f"the first line is taken as column names: {listed(rows.pop(0))}."]
    edges = dict.fromkeys((row[0], other, row[1]) for row in rows for other in row[2:])
    n_given = sum(len(row) - 2 for row in rows if len(row) > 2)
    if again := n_given - len(edges):
        notes.append(f"{counted(again, 'edge is', 'edges are')} repeated, and counted once.")
    return _of_names(rows, [(a, b) for a, b, _ in edges], source, notes)


def _of_names(
    rows: Sequence[Sequence[str]], edges: Sequence[tuple[str, str]], source: str,
    notes: Sequence[str] = (),
) -> Graph:  # fmt: skip
    """The graph of edges between names, and of the first names of all rows."""
    from kgroups.input.edge_files import graph_of_ends, nodes_of_texts

    names = list(
        dict.fromkeys([*(row[0] for row in rows), *(end for edge in edges for end in edge)])
    )
    if "" in names or any("\0" in name for name in names):
        raise ValueError("the name of a node is empty or not text.")
    rank, nodes = nodes_of_texts(names)
    place = dict(zip(names, rank.tolist(), strict=True))
    ends = np.array([(place[a], place[b]) for a, b in edges], np.int64).reshape(-1, 2)
    return graph_of_ends(*ends.T, None, nodes, source, notes)


def _pajek(text: str, source: str, delimiter: str | None) -> Graph:
    from kgroups.input.pajek import read_pajek

    return read_pajek(text, source)


# --- nodes and edges with attributes -------------------------------------------------------------


class _Attributed(NamedTuple):
    """The attributes of nodes by their ids, and edges with theirs."""

    nodes: dict[str, dict[str, Any]]
    edges: list[tuple[str, str, dict[str, Any]]]
    is_directed: bool

    def graph(self, source: str, asked: str | None, *labels: str) -> Graph:
        """The graph, whose nodes go by the first of some attributes that tells them apart."""
        notes, names = list[str](), list(self.nodes)
        given = [[data.get(label) for data in self.nodes.values()] for label in labels]
        given = [g for g in given if any(label not in (None, "") for label in g)]
        distinct = [g for g in given if None not in g and len({*g}) == len(g)]
        if distinct:
            names = distinct[0]
        elif given:
            notes.append("labels are not used, because some nodes share one or have none.")
        "".join(map(str, names)).encode()  # half of a character cannot be written
        weight, of_weights = self._weight(asked)
        place = {node: i for i, node in enumerate(self.nodes)}
        ends = np.array([(place[a], place[b]) for a, b, _ in self.edges], np.int64)
        weights = np.array(
            [float(data.get(weight) or 1) if weight else 1.0 for *_, data in self.edges]
        )
        if (n_without := sum(weight not in data for *_, data in self.edges)) and weight:
            notes.append(f"{n_without:,} of {len(ends):,} edges have no weight, and weigh 1.")
        found = of_library(ends, weights, names, self.is_directed, source)
        return Graph(found.matrix, found.nodes, (*notes, *of_weights, *found.notes), source)

    def _weight(self, asked: str | None) -> tuple[str | None, list[str]]:
        """The attribute that holds the weights, and notes on the others."""
        attributes: dict[str, bool] = {}
        for *_, data in self.edges:
            for name, value in data.items():
                attributes[name] = attributes.get(name, True) and _is_number(value)
        if asked is not None and asked not in attributes:
            raise ValueError(
                f"no edge has the attribute {quoted(asked)}, only {listed([*attributes])}."
            )
        known = {plain(name) for name in WEIGHT_COLUMNS}
        found = [name for name in attributes if plain(name) in known and attributes[name]]
        certain = [name for name in attributes if plain(name) in ("weight", "weights")]
        weight = asked or next(iter(certain), found[0] if len(found) == 1 else None)
        others = [name for name in attributes if name != weight]
        notes = [f"attributes of edges that are not used: {listed(others)}."] if others else []
        if weight is not None and weight not in (asked, *certain):
            notes.insert(
                0, f"the attribute {quoted(weight)} of the edges is read as their weights."
            )
        return weight, notes


def _is_number(value: Any) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError):
        return False


def _gml(raw: bytes, source: str, weight: str | None) -> Graph:
    """GML by networkx; multigraphs often do not declare that they are."""
    import networkx

    text = raw.decode("utf-8-sig").encode("ascii", "xmlcharrefreplace").decode()
    try:
        try:
            found = networkx.parse_gml(text.splitlines(), label="id")
        except networkx.NetworkXError as error:
            if "is duplicated" not in str(error):
                raise
            lines = re.sub(
                r"(?im)^(\s*graph\s*\[)", r"\1 multigraph 1 ", text, count=1
            ).splitlines()
            found = networkx.parse_gml(lines, label="id")
    except networkx.NetworkXException as error:
        raise ValueError(str(error)) from error
    edges = [(a, b, data) for a, b, data in found.edges(data=True)]
    parsed = _Attributed(dict(found.nodes(data=True)), edges, found.is_directed())
    return parsed.graph(source, weight, "label", "name")


def _graphml(raw: bytes, source: str, weight: str | None) -> Graph:
    parsed = _xml(raw)
    are_numbers = all(re.fullmatch(r"n?\d+", node) for node in parsed.nodes)
    return parsed.graph(source, weight, *(("label", "name") if are_numbers else ()))


def _gexf(raw: bytes, source: str, weight: str | None) -> Graph:
    return _xml(raw).graph(source, weight, "label")


def _xml(raw: bytes) -> _Attributed:
    """GraphML and GEXF by the local names of elements, whatever their namespace and version."""
    nodes: dict[str, dict[str, Any]] = {}
    edges: list[tuple[str, str, dict[str, Any]]] = []
    titles: dict[str, str] = {}
    defaults: dict[str, str] = {}
    item: dict[str, Any] = {}
    state: dict[str, Any] = {"graphs": 0, "directed": False, "key": None, "text": None}

    def start(tag: str, given: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "graph":
            state["graphs"] += 1
            if state["graphs"] > 1:
                raise ValueError("it must hold one graph, and holds another.")
            kind = given.get("edgedefault", given.get("defaultedgetype", "undirected"))
            state["directed"] = kind == "directed"
        elif name in ("key", "attribute"):
            state["key"] = given["id"]
            kind = given.get("for", "edge")
            titles[given["id"]] = given.get("attr.name", given.get("title", given["id"]))
            state["is_of_edges"] = kind in ("edge", "all")
        elif name == "default" or name == "data":
            state["text"], state["key"] = [], given.get("key", state["key"])
        elif name == "attvalue" and "value" in given:
            key = given.get("for", given.get("id", ""))
            state["item"][titles.get(key, key)] = given["value"]
        elif name == "node":
            state["item"] = nodes.setdefault(given["id"], {})
            state["item"].update({k: v for k, v in given.items() if k == "label"})
        elif name == "edge":
            line = f"line {parser.CurrentLineNumber}: an edge"
            if not {"source", "target"} <= given.keys():
                raise ValueError(f"{line} lacks its source or its target.")
            state["item"] = {k: v for k, v in given.items() if k == "weight"}
            edges.append((given["source"], given["target"], state["item"]))

    def end(tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name in ("default", "data") and state["text"] is not None:
            text, state["text"] = "".join(state["text"]), None
            if name == "data":
                state["item"][titles.get(state["key"], state["key"])] = text
            elif state["is_of_edges"]:
                defaults[titles[state["key"]]] = text

    def characters(text: str) -> None:
        if state["text"] is not None:
            state["text"].append(text)

    def refuse(*_: object) -> None:
        raise ValueError("it declares a DOCTYPE or entities, which are refused.")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.Parse(raw, True)
    for *ends, data in edges:
        for one in ends:
            if one not in nodes:
                raise ValueError(f"an edge has the end {quoted(one)}, which is not a node.")
        for name, value in defaults.items():
            data.setdefault(name, value)
    return _Attributed(nodes, edges, state["directed"])


# --- matrices ------------------------------------------------------------------------------------


def _mtx(raw: bytes, source: str, weight: str | None) -> Graph:
    from scipy.io import mminfo, mmread

    rows, columns, entries, layout, _, symmetry = mminfo(BytesIO(raw[: 1 << 20]))
    if symmetry == "skew-symmetric":
        raise ValueError("it is skew-symmetric, which is not a graph: directions would cancel.")
    _check_size((rows, columns), entries)
    least = 4 * entries
    if layout == "array":
        least = 2 * (rows * (rows + 1) // 2 if symmetry != "general" else entries)
        body = re.sub(rb"(?m)^%.*$", b"", raw) if least <= len(raw) else b""
        least = least if 2 * (len(body.split()) - 2) >= least else len(raw) + 1
    if least > len(raw):
        raise ValueError(f"it is cut short: its header declares {entries:,} entries.")
    return _of_matrix(mmread(BytesIO(raw + b"\n")), source)  # can crash on a line without an end


def _npz(raw: bytes, source: str, weight: str | None) -> Graph:
    from scipy.sparse import load_npz

    with np.load(BytesIO(raw), allow_pickle=False) as arrays:
        names = arrays.files
        if {"format", "data", "shape"}.isdisjoint(names):
            tables = [name for name in names if name == "X"] or names
            if len(tables) != 1:
                raise ValueError(f"it has the arrays {listed(names)}; call the one to read X.")
            return _of_matrix(arrays[tables[0]], source)
        _check_size(tuple(int(side) for side in arrays["shape"]), 0)
    return _of_matrix(load_npz(BytesIO(raw)), source)


def _npy(raw: bytes, source: str, weight: str | None) -> Graph:
    return _of_matrix(np.load(BytesIO(raw), allow_pickle=False), source)


def _of_matrix(matrix: Any, source: str) -> Graph:
    from kgroups.input.edge_files import graph_of_matrix

    _check_size(matrix.shape, 0)
    if matrix.dtype.kind not in "biufc":
        raise ValueError(f"it holds {matrix.dtype}, and no numbers.")
    return graph_of_matrix(matrix, source)


def _check_size(shape: tuple[int, ...], n_entries: int) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"it must be square: one row and one column per node; got shape {shape}.")
    what = f"A graph of {shape[0]:,} nodes and {n_entries:,} entries"
    require(64 * (shape[0] + n_entries), what=what, instead="Save a smaller graph.")


_OF_TEXT: dict[str, Callable[[str, str, str | None], Graph]] = {
    "adjlist": _adjlist, "sif": _sif, "pajek": _pajek
}  # fmt: skip
_OF_BYTES: dict[str, Callable[[bytes, str, str | None], Graph]] = {
    "gml": _gml, "graphml": _graphml, "gexf": _gexf, "mtx": _mtx, "npz": _npz, "npy": _npy
}  # fmt: skip


# --- labels of nodes -----------------------------------------------------------------------------


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
    from kgroups.input.edge_files import NODE_NAMES
    from kgroups.input.text_files import MISSING, TextFormat, content, parse

    parsed = parse(content(path), str(path), TextFormat(header=False), dtype=str)
    if parsed.frame.shape[1] < 2:
        raise DataError(f"{path}, line {parsed.line(0)} has one field; a line has node and label.")
    rows = [[str(field).strip() for field in row] for row in parsed.frame.fillna("").to_numpy()]
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
                f"{path}, line {parsed.line(row)}: node {quoted(node)} is labeled {quoted(text)}, "
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
