"""Adjacency lists: a node and its neighbors in each line."""

from itertools import islice
from typing import IO

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_layout import COMMENTS
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.named_edges import NamedEdges
from kgroups.input.graph_files.text_lines import is_substance, lines, rows, sniffed
from kgroups.input.table_files.text_format import MISSING, TextFormat

# Lines that are looked at for the delimiter.
_LINES = 50


def read_adjacency_lists(stream: IO[bytes], source: str, text: TextFormat | None = None) -> Graph:
    """A graph from lines ``node neighbor neighbor ...``, each edge in one of its lines or in both.

    Fields are separated as in a list of edges; a line of one field is a node, perhaps without any
    neighbor.
    """
    stream.seek(0)
    substance = (line for _, line in lines(stream, source) if is_substance(line, COMMENTS))
    delimiter = sniffed(max(islice(substance, _LINES), key=len, default=""), "", text)
    stream.seek(0)
    edges = NamedEdges()
    for row in rows(stream, source, delimiter, comments=COMMENTS):
        while len(row.fields) > 1 and not row.fields[-1]:
            row.fields.pop()  # a delimiter at the end of a line separates nothing
        missing = next((name for name in row.fields if name in MISSING), None)
        if missing is not None:
            raise DataError(
                f"{source}, line {row.line}: the name of a node is missing ({missing!r}); write a "
                "node and its neighbors."
            )
        edges.node(row.fields[0])
        for neighbor in row.fields[1:]:
            edges.add(row.fields[0], neighbor)
    return edges.graph([], source)
