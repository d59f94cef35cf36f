"""Known labels of nodes, from a file that comes with that of the graph."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_names import NODE_NAMES, plain_name
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.text_lines import check_is_file, is_integer, lines, rows, sniffed
from kgroups.input.table_files.compressed import opened, suffixes
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.rereadable import with_line_feeds
from kgroups.input.table_files.text_format import MISSING
from kgroups.text import counted, quoted

_SHOWN = 5


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

    Notes
    -----
    Linear in the size of the file.

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
    source = str(path)
    try:
        check_is_file(Path(path), source)
        found = _rows(Path(path), source)
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror or error}.") from error
    if not found:
        raise DataError(f"{source} is empty.")
    known = {str(node) for node in graph.nodes}
    name = found[0].fields[0]
    numbers = graph.nodes.dtype != object and not is_integer(name)
    header = name not in known and (plain_name(name) in NODE_NAMES or numbers)
    names = [name.lower() for name in found[0].fields] if header else []
    column = names.index("label") if "label" in names[1:] else 1
    by_id = _by_id(found[header:], column, source)
    missing = _missing(graph, by_id, source)
    labels = np.empty(graph.n_nodes, object)
    labels[:] = [by_id.get(str(node)) for node in graph.nodes]
    return NodeLabels(labels, tuple(_notes(by_id, known, missing)))


def _rows(path: Path, source: str) -> list[Row]:
    """The fields of all lines that are not blank, at least two in each."""
    with opened(path, source) as packed:
        stream = with_line_feeds(packed)
        first = next((line for _, line in lines(stream, source) if line.strip()), "")
        stream.seek(0)
        found = list(rows(stream, source, sniffed(first, suffixes(path).format), comments=""))
    for row in found:
        if len(row.fields) < 2 or len(row.fields) != len(found[0].fields):
            least = max(2, len(found[0].fields))
            raise DataError(
                f"{source}, line {row.line}: found {counted(len(row.fields), 'field', 'fields')}, "
                f"expected {least}: node, label, and any further columns of the header."
            )
    return found


def _by_id(found: list[Row], column: int, source: str) -> dict[str, str | None]:
    by_id: dict[str, str | None] = {}
    for row in found:
        node, text = row.fields[0], row.fields[column]
        label = None if text in MISSING else text
        if by_id.setdefault(node, label) != label:
            raise DataError(
                f"{source}, line {row.line}: node {quoted(node)} is labeled {quoted(text)}, but "
                f"{quoted(by_id[node] or '')} before; keep one of the lines."
            )
    return by_id


def _missing(graph: Graph, by_id: dict[str, str | None], source: str) -> list[Any]:
    """The nodes that have no line; DataError if these are all of them."""
    missing = [node for node in graph.nodes.tolist() if str(node) not in by_id]
    if len(missing) == graph.n_nodes:
        raise DataError(
            f"{source}: the ids of the two files do not match: the graph has "
            f"{_some(graph.nodes.tolist())}; the labels file has {_some(by_id)}."
        )
    return missing


def _notes(by_id: dict[str, str | None], known: set[str], missing: list[Any]) -> list[str]:
    """Notes on nodes without a line, and on lines without a node."""
    notes = []
    if missing:
        has = counted(len(missing), "node of the graph has", "nodes of the graph have")
        notes.append(f"{has} no line in the labels file, and no known label: {_some(missing)}.")
    others = [node for node in by_id if node not in known]
    if others:
        ids = counted(len(others), "id of the labels file is", "ids of the labels file are")
        notes.append(f"{ids} not in the graph: {_some(others)}.")
    return notes


def _some(ids: Iterable[Any]) -> str:
    """The first few ids, quoted."""
    every = [quoted(str(node)) for node in ids]
    return ", ".join(every[:_SHOWN]) + (", ..." if len(every) > _SHOWN else "")
