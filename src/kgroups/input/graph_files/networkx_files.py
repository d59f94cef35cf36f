"""GML and GraphML, read by networkx."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.parsers import expat

from kgroups.exceptions import DataError
from kgroups.input.graph_files.graph import Graph
from kgroups.input.graph_files.library_graph import checked_graph, readable
from kgroups.input.graph_files.node_ids import node_ids

_REPEATED_EDGE = "is duplicated"


def _networkx(suffix: str) -> ModuleType:
    try:
        return import_module("networkx")
    except ImportError as error:
        raise DataError(
            f'reading {suffix} needs networkx; run: pip install "kgroups[graph]"'
        ) from error


def read_gml(path: Path, source: str) -> Graph:
    """A graph from GML; nodes go by their labels if these differ, else by their ids."""
    networkx = _networkx(".gml")
    with readable("GML", source, networkx.NetworkXException):
        text = path.read_bytes().decode("utf-8")
        graph = _parsed_gml(networkx, text)
    labels = [label for _, label in graph.nodes(data="label")]
    if None in labels:
        return checked_graph(graph, source, node_ids(list(graph)))
    if any(type(label) is not int for label in labels):
        labels = [_written(label, source) for label in labels]
    distinct = len(set(labels)) == len(labels)
    return checked_graph(graph, source, node_ids(labels if distinct else list(graph)))


def _written(label: object, source: str) -> str:
    """A label as text that can be written to a file."""
    text = str(label)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(f"{source}: the label {text!r} contains an unpaired surrogate.")
    return text


def _parsed_gml(networkx: ModuleType, text: str) -> Any:
    """The graph in a GML text; multigraphs often do not declare that they are."""
    # networkx accepts only ASCII, and reads other characters from references.
    lines = text.encode("ascii", "xmlcharrefreplace").decode().splitlines()
    try:
        return networkx.parse_gml(lines, label="id")
    except networkx.NetworkXError as error:
        if _REPEATED_EDGE not in str(error):
            raise
        multigraph = re.sub(
            r"(?i)^(\s*graph\s*\[)", r"\1 multigraph 1 ", "\n".join(lines), count=1, flags=re.M
        )
        return networkx.parse_gml(multigraph.splitlines(), label="id")


def read_graphml(path: Path, source: str) -> Graph:
    """A graph from GraphML."""
    networkx = _networkx(".graphml")
    with readable("GraphML", source, networkx.NetworkXException, expat.ExpatError, SyntaxError):
        _check_xml(path, source)
        graph = networkx.read_graphml(path)
    return checked_graph(graph, source, node_ids(list(graph)))


def _check_xml(path: Path, source: str) -> None:
    """Refuse several graphs, and document types, which can name other files or expand endlessly."""
    graphs = 0

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal graphs
        graphs += tag.rpartition(":")[2] == "graph"

    def refuse(*_: object) -> None:
        """Refuse any declaration."""
        raise DataError(
            f"{source} declares a document type or entities, which are refused; remove <!DOCTYPE."
        )

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    with path.open("rb") as stream:
        parser.ParseFile(stream)
    if graphs != 1:
        raise DataError(f"{source} must hold one graph; found {graphs}.")
