"""Data sets as they were published: tables of UCI, and graphs in three formats."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kgroups.exceptions import DataError
from kgroups_papers.data.archives import gzip_text, zip_member
from kgroups_papers.data.content import (
    BenchmarkGraph,
    BenchmarkTable,
    graph_content,
    table_content,
)
from kgroups_papers.data.entries import Entry, GraphEntry
from kgroups_papers.data.layouts import LAYOUTS, Layout

_TOKEN = re.compile(r'"[^"]*"|\[|\]|[^\s\[\]"]+')


@dataclass(frozen=True)
class Original:
    """A file as it was published, and how messages speak of it."""

    data: bytes
    source: str


def parse(entry: Entry, originals: Sequence[Original]) -> BenchmarkTable | BenchmarkGraph:
    """The data set in its original files, not yet compared with the catalog.

    Raises
    ------
    DataError
        When a file is damaged or laid out in another way.
    """
    try:
        if isinstance(entry, GraphEntry):
            return _GRAPHS[entry.name](entry, originals)
        return _table(entry.name, originals[0], LAYOUTS[entry.name])
    except (ValueError, LookupError) as error:
        sources = " and ".join(original.source for original in originals)
        raise DataError(
            f"{sources}: the original of {entry.name} is laid out differently."
        ) from error


def _table(name: str, original: Original, layout: Layout) -> BenchmarkTable:
    texts = [zip_member(original.data, member, original.source) for member in layout.members]
    rows = [row for text in texts for line in text.splitlines() if (row := _row(line, layout))]
    X = np.array([numbers for numbers, _ in rows]).reshape(-1, len(layout.features))
    labels = [label for _, label in rows]
    if layout.blocks:
        labels = [layout.blocks[i * len(layout.blocks) // len(rows)] for i in range(len(rows))]
    return table_content(name, X, labels, layout.features)


def _row(line: str, layout: Layout) -> tuple[list[float], str] | None:
    """The features and the class of a line; None for a heading or an empty line."""
    fields = re.split(r"[,\s]+", line.strip())
    features = fields[layout.first : layout.first + len(layout.features)]
    try:
        numbers = [np.nan if field == "?" else float(field) for field in features]
    except ValueError:
        return None
    if len(numbers) != len(layout.features):
        return None
    return numbers, fields[layout.label]


def _newman(entry: GraphEntry, originals: Sequence[Original]) -> BenchmarkGraph:
    """GML of Newman's collection: nodes with ``value`` as class, edges perhaps more than once."""
    (original,) = originals
    text = zip_member(original.data, f"{entry.name}.gml", original.source)
    nodes, edges = gml_records(text, "node"), gml_records(text, "edge")
    position = {node["id"]: i for i, node in enumerate(nodes)}
    ends = [(position[edge["source"]], position[edge["target"]]) for edge in edges]
    return graph_content(
        entry.name,
        _distinct(ends, directed=entry.directed),
        [node["value"] for node in nodes],
        [node["label"] for node in nodes],
        directed=entry.directed,
    )


def _snap(entry: GraphEntry, originals: Sequence[Original]) -> BenchmarkGraph:
    """Lines with two numbers of nodes, an undirected edge in both directions."""
    (original,) = originals
    lines = gzip_text(original.data, original.source).splitlines()
    pairs = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    ends = [(int(source), int(target)) for source, target in pairs]
    ids = sorted({node for pair in ends for node in pair})
    position = {node: i for i, node in enumerate(ids)}
    edges = _distinct(
        ((position[source], position[target]) for source, target in ends), directed=entry.directed
    )
    return graph_content(entry.name, edges, None, list(map(str, ids)), directed=entry.directed)


def _connectome(entry: GraphEntry, originals: Sequence[Original]) -> BenchmarkGraph:
    """A matrix of weights, row = source, and the classes of its rows."""
    matrix, labels = (original.data.decode("ascii") for original in originals)
    A = np.array([line.split() for line in matrix.splitlines() if line.strip()], dtype=np.float64)
    classes = labels.split()
    if A.shape != (len(classes), len(classes)):
        raise ValueError(A.shape)
    source, target = np.nonzero(A)
    edges = np.column_stack([source, target, A[source, target]])
    names = [str(node) for node in range(len(classes))]
    return graph_content(entry.name, edges, classes, names, directed=True)


def gml_records(text: str, kind: str) -> list[dict[str, str]]:
    """The nodes or edges of a GML file, as the text of their keys.

    >>> gml_records('graph [ node [ id 1 label "a b" ] node [ id 2 ] ]', "node")
    [{'id': '1', 'label': 'a b'}, {'id': '2'}]
    """
    tokens = iter(_TOKEN.findall(text))
    records = []
    for token in tokens:
        if token == kind and next(tokens, "") == "[":
            # The first argument of iter() takes the tokens up to the bracket.
            flat = [of.strip('"') for of in iter(lambda: next(tokens, "]"), "]")]
            records.append(dict(zip(flat[::2], flat[1::2], strict=True)))
    return records


def _distinct(ends: Iterable[tuple[int, int]], *, directed: bool) -> np.ndarray:
    """Each edge once."""
    once = {pair if directed else (min(pair), max(pair)) for pair in ends}
    return np.array(sorted(once), dtype=np.float64).reshape(-1, 2)


_GRAPHS: dict[str, Callable[[GraphEntry, Sequence[Original]], BenchmarkGraph]] = {
    "football": _newman,
    "polbooks": _newman,
    "polblogs": _newman,
    "drosophila_left": _connectome,
    "drosophila_right": _connectome,
    "ca_grqc": _snap,
}
