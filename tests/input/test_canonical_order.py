"""The same graph for any order of its edges, down to the last bit."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from helpers import each
from kgroups.graphs import Graph, read_graph
from kgroups.input.canonical_order import canonical_order
from kgroups.input.check_adjacency import check_adjacency

pytestmark = [
    pytest.mark.nojit,
    pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice"),
]


class Bare:
    """An object whose text is its address."""


@each(
    ("nodes", "expected"),
    [
        ([], []),
        ([10, -9, 2], [1, 2, 0]),
        (np.array([10, 9, 2]), [2, 1, 0]),
        ([2.5, 10, Fraction(1, 2)], [2, 0, 1]),
        (["é", "b", "B", "b10", "b9"], [2, 1, 3, 4, 0]),
        ([10, "9", 9, "a"], [0, 2, 1, 3]),
        ([float("nan"), 2, 10], [2, 1, 0]),
        ([("b", 1), ("a", 2)], [1, 0]),
        (np.array(["b", None, "a"], object), [1, 2, 0]),
    ],
)
def test_names_decide(nodes, expected):
    order = canonical_order(nodes)
    assert (order.tolist(), order.dtype) == (expected, np.dtype(np.int64))


def test_objects_without_a_name_stay_in_their_order():
    bare = [Bare() for _ in range(9)]
    assert canonical_order(["x", *bare]).tolist() == [*range(1, 10), 0]


def shuffled(edges, rng, *, turned):
    """The edges in another order, some with their ends exchanged."""
    found = [edges[i] for i in rng.permutation(len(edges))]
    return [(v, u, w) if turned and rng.random() < 0.5 else (u, v, w) for u, v, w in found]


def edges_of_a_graph(rng):
    """Some edges more than once, with weights whose sums depend on the order."""
    ends = [(f"n{i}", f"n{j}") for i, j in rng.integers(12, size=(60, 2))]
    return [(u, v, float(rng.normal())) for u, v in ends for _ in range(3)]


def in_file(tmp_path, edges):
    path = tmp_path / "g.csv"
    path.write_text("".join(f"{u},{v},{w!r}\n" for u, v, w in edges), encoding="utf-8")
    return read_graph(path)


def in_frame(_, edges):
    return Graph.from_edges(pd.DataFrame(edges, columns=["source", "target", "weight"]))


def in_list(_, edges):
    return Graph.from_edges(edges)


@each("made", [in_file, in_frame, in_list])
def test_the_order_of_lines_decides_nothing(tmp_path, made):
    rng = np.random.default_rng(0)
    edges = edges_of_a_graph(rng)
    first = made(tmp_path, edges)
    assert first.nodes.tolist() == sorted({end for edge in edges for end in edge[:2]})
    for _ in range(5):
        again = made(tmp_path, shuffled(edges, rng, turned=True))
        assert_array_equal(again.nodes, first.nodes)
        assert_array_equal(again.adjacency.toarray(), first.adjacency.toarray())


def test_parallel_edges_of_networkx_in_any_order():
    rng = np.random.default_rng(1)
    edges = edges_of_a_graph(rng)
    nodes = sorted({end for edge in edges for end in edge[:2]})
    found = []
    for turned in (False, True, True):
        G = nx.MultiGraph()
        G.add_nodes_from(nodes)
        G.add_weighted_edges_from(shuffled(edges, rng, turned=turned))
        found.append(check_adjacency(G, allow_negative=True).toarray())
    assert_array_equal(found[1], found[0])
    assert_array_equal(found[2], found[0])
