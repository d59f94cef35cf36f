"""Adjacency lists: a node and its neighbors in each line."""

import re
from itertools import islice
from typing import IO

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_layout import COMMENTS
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.named_edges import NamedEdges
from kgroups.input.graph_files.text_lines import is_substance, lines, rows, sniffed
from kgroups.input.table_files.field_table import Row
from kgroups.input.table_files.text_format import MISSING, TextFormat

# How attributes of networkx begin, such as {'weight': 4}.
_ATTRIBUTES = re.compile(r"""\{(?:['"}]|$)""")
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
        _check_no_attributes(row, source)
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


def _check_no_attributes(row: Row, source: str) -> None:
    """DataError for a line with the attributes of an edge, as in multiline lists of networkx."""
    attributes = row.fields[1:2]
    if attributes and _ATTRIBUTES.match(attributes[0]) and row.fields[-1].endswith("}"):
        raise DataError(
            f"{source}, line {row.line} ends with attributes, as networkx.write_multiline_adjlist "
            'writes them; write the file with networkx.write_edgelist and data=["weight"], or with '
            "networkx.write_adjlist for no weights."
        )
