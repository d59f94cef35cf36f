"""Lists of edges: two ids per line and perhaps a weight."""

from __future__ import annotations

from pathlib import Path

from kgroups.input.graph_files.edge_layout import layout_notes, layout_of
from kgroups.input.graph_files.edges import graph_of_edges
from kgroups.input.graph_files.edges_of_any_kind import NotAHeaderError, read_any
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.integer_edges import read_integers


def read_edge_list(path: Path, source: str) -> Graph:
    """An undirected graph from the edges listed in a file."""
    with path.open("rb") as stream:
        layout = layout_of(stream, source, path.suffix.lower(), may_guess=True)
        edges = read_integers(stream, layout) if layout.is_plain else None
        if edges is None:
            try:
                edges = read_any(stream, source, layout)
            except NotAHeaderError:
                layout = layout_of(stream, source, path.suffix.lower(), may_guess=False)
                edges = read_any(stream, source, layout)
    return graph_of_edges(edges, layout_notes(layout, edges), source)
