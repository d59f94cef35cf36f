"""One function for all file formats of graphs: :func:`read_graph`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import IO

import numpy as np

from kgroups.exceptions import DataError
from kgroups.input.graph_files.adjacency_lists import read_adjacency_lists
from kgroups.input.graph_files.edge_list import read_edge_list
from kgroups.input.graph_files.edge_names import AskedColumns
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.library_files import (
    read_gexf,
    read_gml,
    read_graphml,
    read_mtx,
    read_npz,
)
from kgroups.input.graph_files.matrix_files import read_npy
from kgroups.input.graph_files.pajek import read_pajek
from kgroups.input.graph_files.sif import read_sif
from kgroups.input.graph_files.text_lines import NotUTF8Error, check_is_file
from kgroups.input.graph_files.utf8_lines import in_utf8, notes_on_text
from kgroups.input.networks import EDGES_HINT, type_name
from kgroups.input.parameters import check_choice, check_integer
from kgroups.input.table_files.compressed import opened, suffixes, unpacked
from kgroups.input.table_files.signatures import signature_of
from kgroups.input.table_files.text_format import DECIMALS, Decimal, TextFormat
from kgroups.names import COMPRESSIONS, GRAPH_FORMATS, GRAPH_SUFFIXES, registered
from kgroups.text import quoted


def read_graph(
    path: str | Path,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: Decimal | None = None,
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
        A list of edges (.csv, .tsv, .txt, .edges, .edgelist), or a file ending in .adjlist (a node
        and its neighbors in each line), .sif (Cytoscape), .net or .paj (Pajek), .gml, .graphml,
        .gexf (Gephi), .mtx (Matrix Market), .npz (:func:`scipy.sparse.save_npz`,
        :func:`numpy.savez`) or .npy. All but the last two may be compressed: then .gz, .bz2 or .zst
        follows.
    format : {"edgelist", "adjlist", "sif", "pajek", "gml", "graphml", "gexf", "mtx", "npz", "npy"}
        Format of the file; by default it follows from the extension.
    delimiter : str, optional
        Character between the fields of a list of edges; ``" "`` for any number of blanks. By
        default the one of comma, tab, semicolon and blanks that makes most fields.
    decimal : {".", ","}, optional
        Decimal mark of the weights in a list of edges; the other one, blanks and apostrophes may
        then separate thousands. By default a comma if the weights cannot be read otherwise, else a
        point.
    encoding : str, optional
        Encoding of a list of edges, such as ``"latin-1"``; by default UTF-8, or UTF-16 if the file
        begins so.
    skip_lines : iterable of int, default=()
        Lines of a list of edges that are not read, such as a title, a line of units or a line of
        totals, counted from 1.
    source, target : str or int, optional
        Columns of a list of edges that hold the two ends, by name or by number from 1; both or
        neither. By default those with names such as source and target, from and to, gene1 and
        gene2, protein_a and protein_b; without such names the first two.
    weight : str or int, optional
        Column of the weights, by name or by number from 1. By default the one called weight, w,
        value, count, frequency, score, combined_score, strength, similarity or correlation if it
        holds numbers, or the third of three columns that have no names. Other columns are ignored,
        and a note says so.
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
        If ``delimiter`` is not one character, or is the decimal mark; if Python does not know the
        encoding, or lines or columns are counted from 0; if only one end is given.
    DataError
        If the file does not hold a graph, or one that does not fit in memory.

    Notes
    -----
    A list of edges has lines ``source,target`` or ``source,target,weight``, separated by commas,
    tabs, semicolons or spaces; lines that begin with # or % are comments. The first line is a
    header if it names the columns (source and target, gene1 and gene2, ...), has no number above
    numbers, and its names are not nodes of other lines; if it holds no numbers and all ids in the
    other lines are integers; or if its third field is a name of weights above numbers. A comment
    right above the edges is one, too, if it has as many fields and such names. Nodes are sorted:
    integers by size, other ids as text, so another order of the lines gives the same graph. The
    nodes of a matrix are 0..n−1.

    A square table of more than three columns is an adjacency matrix, with or without names of its
    rows and columns; if only its columns have names, it must be symmetric. Two or three rows of as
    many numbers are one if they are symmetric with the same number on the whole diagonal, and as
    edges would have loops, a weight of 0 or fractions as ids; three rows that could be either are
    an error. A note says so.

    Weights of an edge that is listed more than once in one direction are added. A file that lists
    every edge once in each direction holds an undirected graph. If only some edges are listed both
    ways, the graph is directed and is made undirected: without weights, an edge is kept where there
    is one in either direction; otherwise the weights of both directions are added.

    Time is linear in the size of the file: several million lines per second if ids are integers,
    about one million if they are text, a few hundred thousand if some line has anything unusual,
    such as a doubled quote; networkx formats are slower still.

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
        raise TypeError(f"path must be the path of a file; got {type_name(path)}.{EDGES_HINT}")
    text = _text_format(delimiter, decimal, encoding, skip_lines)
    columns = asked_columns(source, target, weight, header)
    path, name = Path(path), str(path)
    with _explained(name):
        check_is_file(path, name)
        kind, suffix = _kind(path, name, format), suffixes(path).format
        if kind not in ("npz", "npy") and not suffixes(path).compression:
            check_is_text(path, name)
        with opened(path, name) as stream:
            return _graph(stream, name, kind, suffix, text, columns)


def graph_of_stream(
    stream: IO[bytes],
    source: str,
    format: str | None = None,
    text: TextFormat | None = None,
    columns: AskedColumns | None = None,
) -> Graph:
    """A graph from a stream that can be rewound; without ``format`` its beginning tells."""
    with _explained(source):
        found = signature_of(stream)
        packed = found is not None and found.suffix in COMPRESSIONS
        if found is not None and found.suffix not in (".npz", ".npy") and not packed:
            advice = f"; {_UNPACK}" if found.suffix == ".xz" else ", which is not a graph"
            raise DataError(f"{source} holds {found.name}{advice}.")
        content = unpacked(stream, found.suffix if found is not None and packed else "", source)
        if format is None:
            format = _kind_of(content) if found is None or packed else found.suffix[1:]
        return _graph(content, source, format, "", text, columns or AskedColumns())


def asked_columns(
    source: str | int | None,
    target: str | int | None,
    weight: str | int | None,
    header: bool | None,
) -> AskedColumns:
    """The columns that a user names; ValueError for only one end, or numbers below 1."""
    if header is not None and not isinstance(header, (bool, np.bool_)):
        raise TypeError(f"header must be True, False or None; got {header!r}.")
    ends = {"source": source, "target": target}
    found = {
        name: _asked_column(column, name) for name, column in (*ends.items(), ("weight", weight))
    }
    if (source is None) != (target is None):
        given, other = ("source", "target") if target is None else ("target", "source")
        raise ValueError(
            f'{given}="{ends[given]}" says where one end of the edges is; give {other}, too.'
        )
    return AskedColumns(**found, header=None if header is None else bool(header))


def _asked_column(column: str | int | None, name: str) -> str | None:
    """A name of a column, or its number as text."""
    if column is None or (isinstance(column, str) and column):
        return column
    if isinstance(column, str):
        raise ValueError(f"{name} must be the name of a column or its number from 1; got ''.")
    return str(check_integer(column, name))


@contextmanager
def _explained(source: str) -> Iterator[None]:
    """A block in which errors of the system name the file."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror or error}.") from error
    except MemoryError as error:
        raise DataError(f"{source} is too large: {error}") from error


def check_is_text(path: Path, source: str) -> None:
    """DataError for a file of another format that has the name of a text file."""
    with path.open("rb") as stream:
        found = signature_of(stream)
    if found is None:
        return
    if found.suffix in COMPRESSIONS:
        advice = f"; name it {path.name}{found.suffix}"
    elif found.suffix == ".xz":
        advice = f"; {_UNPACK}"
    elif found.suffix in (".npz", ".npy"):
        advice = f"; give it the extension {found.suffix}"
    else:
        advice = ", which is not a graph"
    raise DataError(f"{source} is not text, but {found.name}{advice}.")


def _text_format(
    delimiter: str | None, decimal: Decimal | None, encoding: str | None, skip_lines: Iterable[int]
) -> TextFormat | None:
    """What is known of a text; None if nothing is."""
    if decimal is not None:
        check_choice(decimal, "decimal", DECIMALS)
    if delimiter is not None and not (isinstance(delimiter, str) and len(delimiter) == 1):
        raise ValueError(f"delimiter must be one character, such as ';'; got {delimiter!r}.")
    if delimiter is not None and delimiter == decimal:
        raise ValueError(f"delimiter and decimal are both {delimiter!r}; leave out one of the two.")
    if encoding is not None:
        _check_encoding(encoding)
    skipped = sorted({check_integer(line, "skip_lines", least=1) for line in skip_lines})
    text = TextFormat(
        delimiter=delimiter, decimal=decimal, encoding=encoding, skip_lines=tuple(skipped)
    )
    return None if text == TextFormat() else text


def _check_encoding(encoding: str) -> None:
    """ValueError for what Python cannot decode."""
    try:
        "a".encode(encoding)
    except LookupError as error:
        raise ValueError(
            f"encoding must be one that Python knows, such as 'latin-1'; got {encoding!r}."
        ) from error


def _graph(
    stream: IO[bytes],
    source: str,
    kind: str,
    suffix: str,
    text: TextFormat | None,
    columns: AskedColumns,
) -> Graph:
    if kind == "edgelist":
        return read_edge_list(stream, source, suffix, text, columns)
    if not columns.is_empty:
        raise DataError(
            f"{source} is {kind} and not a list of edges: omit {_as_arguments(columns._asdict())}, "
            "because only lists of edges have such columns."
        )
    if kind in _TEXTS:
        return _graph_in_text(stream, source, kind, text or TextFormat())
    if text is not None:
        raise DataError(
            f"{source} is {kind} and not a list of edges: omit {_as_arguments(vars(text))}, "
            "because only lists are written in several ways."
        )
    return _FORMATS[kind](stream, source)


def _as_arguments(given: Mapping[str, object]) -> str:
    """Those that were given, as they are written."""
    return " and ".join(
        f'{name}="{value}"' if isinstance(value, str) else f"{name}={_plain(value)}"
        for name, value in given.items()
        if value not in (None, ())
    ).replace("\t", "\\t")


def _plain(value: object) -> object:
    """A tuple as a list."""
    return list(value) if isinstance(value, tuple) else value


def _graph_in_text(stream: IO[bytes], source: str, kind: str, text: TextFormat) -> Graph:
    """A graph from lines that are not a list of edges."""
    if text.decimal is not None or (text.delimiter is not None and kind != "adjlist"):
        given = {"delimiter": None if kind == "adjlist" else text.delimiter}
        given["decimal"] = text.decimal
        raise DataError(
            f"{source} is {kind}, where there is nothing to choose; omit {_as_arguments(given)}."
        )
    stream, encoding = in_utf8(stream, source, text)
    try:
        graph = (
            read_adjacency_lists(stream, source, text)
            if kind == "adjlist"
            else _FORMATS[kind](stream, source)
        )
    except NotUTF8Error as error:
        advice = 'Or name its encoding, as in encoding="latin-1".'
        raise DataError(f"{error} {advice}") from error
    return replace(graph, notes=(*notes_on_text(text, source, encoding), *graph.notes))


def _kind(path: Path, source: str, kind: str | None) -> str:
    """The format of a file, as given or by its extension."""
    suffix, compression = suffixes(path)
    if kind is None:
        kind = GRAPH_SUFFIXES.get(suffix)
    else:
        check_choice(kind, "format", tuple(_FORMATS))
    if kind is None and suffix in INSTEAD:
        raise DataError(f"{source} is not read as a graph; {INSTEAD[suffix]}.")
    if kind is None:
        found = f"the extension {quoted(path.suffix)}" if path.suffix else "no extension"
        raise DataError(
            f"{source} has {found}; supported are {', '.join(GRAPH_SUFFIXES)}, also "
            f"{', '.join(COMPRESSIONS)} after them. For another extension, give format="
            f"{' or '.join(map(repr, _FORMATS))}."
        )
    if kind in ("npz", "npy") and compression:
        raise DataError(f"{source} is compressed, and only text is read compressed; unpack it.")
    return kind


def _kind_of(stream: IO[bytes]) -> str:
    """The format of a text, by how it begins."""
    head = stream.read(_HEAD)
    stream.seek(0)
    return next((kind for kind, begin in _BEGINNINGS.items() if begin.search(head)), "edgelist")


#: What to do with files of programs that write graphs in a way of their own.
INSTEAD = {
    ".parquet": 'save it as .csv, in Python by pandas.read_parquet(path).to_csv("edges.csv", '
    "index=False), or pass the frame itself",
    ".feather": 'save it as .csv, in Python by pandas.read_feather(path).to_csv("edges.csv", '
    "index=False), or pass the frame itself",
    ".xlsx": "save the sheet as .csv",
    ".json": "for what networkx wrote, pass networkx.node_link_graph(json.load(open(path))), or "
    'save that by networkx.write_gml(G, "graph.gml")',
}
_HEAD = 4_096
# What to do with a compressed file of another kind.
_UNPACK = f"unpack it, or compress it as {', '.join(COMPRESSIONS)}"
_BEGINNINGS = {
    "mtx": re.compile(rb"\A%%MatrixMarket\s", re.IGNORECASE),
    "gexf": re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<[^\0]*<gexf\s|\A\s*<gexf\s"),
    "graphml": re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<(?:\?xml|!|graphml)"),
    "gml": re.compile(rb"^[ \t]*graph\s*\[", re.IGNORECASE | re.MULTILINE),
    "pajek": re.compile(rb"^[ \t]*\*(?:vertices|network)\b", re.IGNORECASE | re.MULTILINE),
}

# Formats of lines, which may have another encoding.
_TEXTS = ("adjlist", "sif", "pajek")
_FORMATS: dict[str, Callable[[IO[bytes], str], Graph]] = registered(
    GRAPH_FORMATS,
    {
        "edgelist": read_edge_list,
        "adjlist": read_adjacency_lists,
        "sif": read_sif,
        "pajek": read_pajek,
        "gml": read_gml,
        "graphml": read_graphml,
        "gexf": read_gexf,
        "mtx": read_mtx,
        "npz": read_npz,
        "npy": read_npy,
    },
)
