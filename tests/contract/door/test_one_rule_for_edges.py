"""Repeated and opposite edges: one rule, however a list of edges is handed over.

Weights of parallel and of opposite edges are added. A symmetric matrix counts each pair once, and
so does a list in which every edge stands in both directions with equal weights. Nothing depends on
the unit of the weights.
"""

import networkx as nx
import pytest

from door_graphs import BARE, LISTS, WAYS, edges_in, expected_by, weights_by
from kgroups.graphs import Graph, read_graph


def _check(way, name, folder):
    edges, weights = LISTS[name]
    for factor in (1, 2, 0.25):
        scaled = [(a, b, factor * weight) for a, b, weight in edges]
        if way in BARE and any(weight != 1 for *_, weight in scaled):
            continue
        found, _ = weights_by(way, scaled, folder)
        assert found == expected_by(way, weights, factor), (way, name, factor)


@pytest.mark.parametrize("way", WAYS)
def test_weights_add_whatever_their_unit(tmp_path, way):
    for name in LISTS:
        _check(way, name, tmp_path)


@pytest.mark.parametrize("way", ["csv", "txt", "net", "frame", "pairs"])
def test_a_list_that_is_taken_as_symmetric_says_so_once(tmp_path, way):
    (edges, weights) = LISTS["all opposite"]
    found, notes = weights_by(way, edges, tmp_path)
    assert found == weights
    assert sum("direction" in note for note in notes) == 1
    _, notes = weights_by(way, edges[::2], tmp_path)
    assert not any("direction" in note for note in notes)


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
@pytest.mark.parametrize("suffix", ["", ".gml", ".graphml", ".gexf", ".net"])
def test_parallel_edges_of_a_graph_without_directions(tmp_path, suffix):
    G = nx.MultiGraph([("a", "b")] * 3 + [("b", "a")] * 2)
    G.add_edge("b", "c", weight=2.5)
    write = {".gml": nx.write_gml, ".graphml": nx.write_graphml, ".gexf": nx.write_gexf,
             ".net": nx.write_pajek}  # fmt: skip
    if suffix:
        write[suffix](G, tmp_path / f"multi{suffix}")
        graph = read_graph(tmp_path / f"multi{suffix}")
    else:
        graph = Graph.from_networkx(G)
    assert edges_in(graph) == {("a", "b"): 5, ("b", "c"): 2.5}


_VERTICES = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n'


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("*Arcs\n1 2 2\n2 1 3\n", {("a", "b"): 5}),
        ("*Edges\n1 2 2\n1 2 3\n", {("a", "b"): 5}),
        ("*Arcs :1\n1 2 2\n*Arcs :2\n2 1 3\n", {("a", "b"): 5}),
        ("*Arcslist\n1 2 3\n", {("a", "b"): 1, ("a", "c"): 1}),
        ("*Edgeslist\n1 2 3\n", {("a", "b"): 1, ("a", "c"): 1}),
        ("*Matrix\n0 2 0\n3 0 1\n0 1 4\n", {("a", "b"): 5, ("b", "c"): 2, ("c", "c"): 4}),
        ("*Matrix\n0 2 0\n2 0 1\n0 1 4\n", {("a", "b"): 2, ("b", "c"): 1, ("c", "c"): 4}),
        ("*Arcs\n1 2 2\n*Edges\n2 3 5\n", {("a", "b"): 2, ("b", "c"): 5}),
        (
            '*Arcslist\n1 2 3\n*Edges\n2 3 5.0 l "x"\n',
            {("a", "b"): 1, ("a", "c"): 1, ("b", "c"): 5},
        ),
    ],
)
def test_parts_of_pajek(tmp_path, parts, expected):
    path = tmp_path / "parts.net"
    path.write_text(_VERTICES + parts)
    assert edges_in(read_graph(path)) == expected
