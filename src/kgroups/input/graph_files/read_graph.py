"""One function for every file format of graphs: :func:`read_graph`."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_list import read_edge_list
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.matrix_files import read_mtx, read_npz
from kgroups.input.graph_files.networkx_files import read_gml, read_graphml
from kgroups.input.networks import EDGES_HINT, type_name
from kgroups.input.parameters import check_choice


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
    kind = _EXTENSIONS.get(path.suffix.lower())
    if kind is None:
        found = f"the extension {path.suffix!r}" if path.suffix else "no extension"
        raise DataError(
            f"{source} has {found}; supported are {', '.join(_EXTENSIONS)}. For another name of "
            f"the same formats say format={' or '.join(map(repr, _FORMATS))}."
        )
    return _FORMATS[kind]


_FORMATS: dict[str, Callable[[Path, str], Graph]] = {
    "edgelist": read_edge_list,
    "gml": read_gml,
    "graphml": read_graphml,
    "mtx": read_mtx,
    "npz": read_npz,
}
_EXTENSIONS = {
    ".csv": "edgelist",
    ".tsv": "edgelist",
    ".txt": "edgelist",
    ".edges": "edgelist",
    ".edgelist": "edgelist",
    ".gml": "gml",
    ".graphml": "graphml",
    ".mtx": "mtx",
    ".npz": "npz",
}
