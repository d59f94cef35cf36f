"""Simple interaction format, in which Cytoscape exchanges networks."""

from collections.abc import Iterator
from typing import IO

from kgroups.exceptions import DataError
from kgroups.input.graph_files.edge_names import are_nodes, end_columns
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.named_edges import NamedEdges
from kgroups.input.graph_files.text_lines import is_substance, lines
from kgroups.input.table_files.field_table import Row
from kgroups.text import counted, quoted

# A line that begins so is a comment.
_COMMENTS = "#"


def read_sif(stream: IO[bytes], source: str) -> Graph:
    """A graph from lines ``node relation node node ...``, or of one node that has no edge.

    Fields are separated by tabs if there is any tab, else by blanks. A line that says again what
    another has said is left out; edges of different relations are added. A first line such as
    ``source interaction target`` holds names of columns if these are not nodes of other lines.
    """
    edges = NamedEdges()
    seen: set[tuple[int, str, int]] = set()
    first, repeats = None, 0
    for row in _rows(stream, source):
        if first is None:
            first = row
            if _may_be_names(row):
                continue
        repeats += _add(edges, row, seen)
    notes = []
    if first is not None and _may_be_names(first):
        names = first.fields[::2]
        if not edges.codes or are_nodes(names, edges.codes):
            repeats += _add(edges, first, seen)
        else:
            found = ", ".join(map(quoted, first.fields))
            notes.append(f"line {first.line} is taken as column names: {found}.")
    if repeats:
        are = counted(repeats, "edge is", "edges are")
        notes.append(f"{are} listed again with the same relation, and left out.")
    return edges.graph(notes, source)


def _rows(stream: IO[bytes], source: str) -> Iterator[Row]:
    """The fields of each line."""
    tabs = any("\t" in line for _, line in _substance(stream, source))
    for number, line in _substance(stream, source):
        fields = [field.strip() for field in line.strip().split("\t" if tabs else None)]
        if len(fields) == 2 or "" in fields:
            what = "an empty field" if "" in fields else "two fields"
            blanks = " Where there are tabs in a file, blanks do not separate." if tabs else ""
            raise DataError(
                f"{source}, line {number} has {what}; write node, relation and node, or only a "
                f"node that has no edge.{blanks}"
            )
        yield Row(number, fields)


def _substance(stream: IO[bytes], source: str) -> Iterator[tuple[int, str]]:
    stream.seek(0)
    return (found for found in lines(stream, source) if is_substance(found[1], _COMMENTS))


def _may_be_names(row: Row) -> bool:
    """Whether a line may name the columns of source, relation and target."""
    return len(row.fields) == 3 and end_columns(row.fields[::2]) == (0, 1)


def _add(edges: NamedEdges, row: Row, seen: set[tuple[int, str, int]]) -> int:
    """Add the edges of a line, and return how many were there with the same relation."""
    node, repeats = row.fields[0], 0
    edges.node(node)
    for other in row.fields[2:]:
        edge = edges.node(node), row.fields[1], edges.node(other)
        if edge in seen:
            repeats += 1
            continue
        seen.add(edge)
        edges.add(node, other)
    return repeats
