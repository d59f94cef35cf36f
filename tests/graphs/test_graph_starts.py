"""Where k-groups on a graph begins: which starts, how many, and what each of them gives."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from kgroups.graphs import graph_objectives, graph_starts
from kgroups.graphs.graph_starts import GraphStarts
from kgroups.metrics import same_partition
from kgroups.solvers import Hartigan

TRUTH = np.repeat([0, 1, 2], 10)


def cliques(weight=1.0):
    """Three cliques of ten nodes in a row, joined by an edge each."""
    G = nx.disjoint_union_all([nx.complete_graph(10)] * 3)
    G.add_edges_from([(9, 10), (19, 20)])
    return csr_array(weight * nx.to_scipy_sparse_array(G, dtype=float))


def starts(A=None, k=3, r=None):
    A = cliques() if A is None else A
    problem = graph_objectives.normalized_cut(A, np.ones(A.shape[0]), 0.0)
    return GraphStarts(A, problem, k, Hartigan(), r=r, seed=0)


def test_chance_fills_every_community():
    labels = [start.labels() for start in starts().portfolio("random", [1, 2])]
    assert [len(set(found)) for found in labels] == [3, 3]
    assert labels[0].tolist() != labels[1].tolist()


def names(made, count=8):
    return [start.name for start in made.portfolio("auto", range(count))]


def test_auto_takes_every_kind_in_turn():
    kinds = ["belief", "spectral-walk", "spectral", "spectral-unit", "multilevel"]
    assert names(starts()) == [*kinds, *kinds[:3]]
    # Walks go with cuts, and beliefs with edges that all weigh the same.
    assert "spectral-walk" not in names(starts(r=3.0))
    weighted = cliques()
    weighted[0, 1] = weighted[1, 0] = 2.0
    assert names(starts(weighted))[:4] == [
        "spectral-walk", "spectral-unit", "spectral", "multilevel",
    ]  # fmt: skip


def test_more_than_twelve_starts_begin_at_random():
    assert names(starts(), 14)[11:] == ["spectral-walk", "random", "random"]


def test_starts_of_modularity_begin_elsewhere():
    """A random graph, in which no two searches end at the same communities."""
    A = csr_array(nx.to_scipy_sparse_array(nx.gnm_random_graph(60, 240, seed=0), dtype=float))
    problem = graph_objectives.modularity(A, np.ones(60), 0.0)
    begun = np.arange(60) % 9
    made = GraphStarts(A, problem, 7, Hartigan(), r=None, seed=0, voted=lambda: begun)
    assert names(made, 4) == ["levels", "annealed", "levels", "annealed"]
    labels = [start.labels() for start in made.portfolio("auto", range(8))]
    assert [len(np.unique(some)) for some in labels] == [7] * 8
    pairs = [same_partition(a, b) for a, b in combinations(labels, 2)]
    assert not any(pairs)


def test_levels_come_first_where_annealing_takes_too_long(monkeypatch):
    monkeypatch.setattr("kgroups.graphs.free.at_number._VISITS", 0.0)
    A = cliques()
    problem = graph_objectives.modularity(A, np.ones(30), 0.0)
    made = GraphStarts(A, problem, 3, Hartigan(ratio=False), r=None, seed=0, voted=lambda: TRUTH)
    assert names(made, 4) == ["levels", "belief", "spectral-walk", "spectral"]
    assert same_partition(made.portfolio("auto", [0])[0].labels(), TRUTH)
    monkeypatch.setattr(graph_starts, "LARGEST_TABLE", 89)
    assert names(made, 1) == ["multilevel"]


def test_large_tables_leave_levels_alone(monkeypatch):
    monkeypatch.setattr(graph_starts, "LARGEST_TABLE", 89)
    made = starts()  # 30 nodes in 3 communities are a table of 90
    assert names(made, 2) == ["multilevel", "multilevel"]
    assert made.default_n_init("auto") == 1
    monkeypatch.setattr(graph_starts, "LARGEST_TABLE", 90)
    assert names(starts(), 1) == ["belief"]


@pytest.mark.parametrize(("work", "count"), [(1.0, 4), (270 * 7.5, 7), (1e9, 12)])
def test_as_many_starts_as_are_cheap(work, count, monkeypatch):
    """30 nodes times 3² are 270 for each; at least 4 and at most 12."""
    monkeypatch.setattr(graph_starts, "_WORK", work)
    assert starts().default_n_init("auto") == count
    assert starts().default_n_init("spectral") == 1


def test_without_eigenvectors_there_are_levels(monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("no convergence")

    monkeypatch.setattr(graph_starts, "association_rows", fail)
    with pytest.warns(ConvergenceWarning, match=r"multilevel starts only: no convergence"):
        assert names(starts(), 2) == ["multilevel", "multilevel"]
    with pytest.raises(RuntimeError, match="no convergence"):
        starts().portfolio("spectral", [0])
