"""Scores of communities at their limits, by hand, and what is not a partition of the nodes."""

from fractions import Fraction
from itertools import permutations
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from kgroups import graphs, metrics

SCORES = (
    metrics.modularity, metrics.coverage, metrics.performance, metrics.cut_size,
    metrics.normalized_cut, metrics.conductance, graphs.evidence,
)  # fmt: skip
PATH = np.diag([1.0] * 3, 1) + np.diag([1.0] * 3, -1)


def test_conductance_is_of_the_smaller_side():
    """Uneven communities, and volumes that a difference from the total would lose."""
    for light in (1.0, 2.0**-70):
        A = np.zeros((7, 7))
        A[:4, :4] = 1 - np.eye(4)
        A[4, 5] = A[5, 4] = A[5, 6] = A[6, 5] = 2 * light
        A[3, 4] = A[4, 3] = light
        x = Fraction(light)
        volumes, cuts = (12 + x, 7 * x, 2 * x), (x, 3 * x, 2 * x)
        total = sum(volumes)
        right = [float(c / min(v, total - v)) for c, v in zip(cuts, volumes, strict=True)]
        for names in permutations(range(3)):
            found = metrics.conductance(A, np.repeat(names, [4, 2, 1]))
            assert found[list(names)].tolist() == pytest.approx(right, rel=1e-14)
        right = float(x / (12 + x) + Fraction(3, 7) + 1)
        found = metrics.normalized_cut(A, [0, 0, 0, 0, 1, 1, 2])
        assert found == pytest.approx(right, rel=1e-14)


def test_communities_without_edges_and_graphs_of_one_node():
    A = np.zeros((5, 5))
    A[:4, :4] = PATH
    with np.errstate(all="raise"):
        labels = [0, 0, 1, 1, 2]
        assert metrics.conductance(A, labels).tolist() == pytest.approx([1 / 3, 1 / 3, 0])
        assert metrics.normalized_cut(A, labels) == pytest.approx(2 / 3)
        assert metrics.conductance(A, [0] * 5).tolist() == [0]
        assert metrics.modularity(A, [0] * 5) == 0
        # 10 pairs: 2 edges inside, and 7 pairs of different communities without an edge.
        assert metrics.performance(A, labels) == pytest.approx(9 / 10)
        assert metrics.performance([[0.0]], [0]) == 1
        assert metrics.performance([[2.0]], [0]) == 1
        assert metrics.cut_size(np.zeros((3, 3)), [0, 1, 2]) == 0
    for score in (metrics.modularity, metrics.coverage, graphs.evidence):
        with pytest.raises(ValueError, match=r"edges.*none"):
            score(np.zeros((3, 3)), [0, 1, 2])


def test_all_forms_of_communities_are_the_same():
    G = nx.relabel_nodes(nx.path_graph(4), dict(enumerate("dbca")))
    forms = (
        ["x", "x", "y", "y"],
        np.array([1, 1, 0, 0]),
        np.array([2.5, 2.5, 1.5, 1.5]),
        iter([7, 7, 9, 9]),
        [{"a", "c"}, {"d", "b"}],
        [["c", "a"], ("b", "d")],
        {"a": 1, "b": 0, "c": 1, "d": 0},
        SimpleNamespace(membership=[0, 0, 1, 1]),
        np.array([["d", "b"], ["c", "a"]], dtype=object).tolist(),
    )
    for form in forms:
        assert metrics.modularity(G, form) == pytest.approx(1 / 6, rel=1e-12), form
    three = metrics.conductance(PATH, [10, 9, 100, 100])  # in the order of the numbers
    assert three.tolist() == pytest.approx([1, 1, 1 / 3])
    assert metrics.conductance(PATH, [{2, 3}, {0}, {1}]).tolist() == pytest.approx([1 / 3, 1, 1])


def test_what_is_no_partition_of_the_nodes():
    G = nx.relabel_nodes(nx.path_graph(4), dict(enumerate("abcd")))
    wrong = (
        ([0, 0, 1], ValueError, r"labels.*4 nodes"),
        ([0, 0, 1, 1, 1], ValueError, r"labels.*4 nodes"),
        (np.zeros((4, 1), int), ValueError, r"labels.*shape"),
        ([0.0, 1.0, np.nan, 1.0], ValueError, r"labels.*missing|missing.*labels|NaN|nan"),
        ([0, None, 1, 1], ValueError, r"labels"),
        ([{"a", "b"}, {"b", "c", "d"}], ValueError, r"'b'.*communities"),
        ([{"a", "b"}, {"c"}], ValueError, r"'d'.*community"),
        ([{"a", "b"}, {"c", "d", "e"}], ValueError, r"'e'.*node"),
        ({"a": 0, "b": 0, "c": 1, "d": 1, "e": 1}, ValueError, r"'e'.*node"),
        ({"a": 0, "b": 0, "c": 1}, ValueError, r"'d'.*community"),
        ([{"a", "b"}, "cd"], TypeError, r"community 1.*str"),
    )
    negative = PATH.copy()
    negative[0, 1] = negative[1, 0] = -1
    for score in SCORES:
        for labels, kind, words in wrong:
            with pytest.raises(kind, match=words):
                score(G, labels)
        with pytest.raises(ValueError, match=r"negative|-1"):
            score(negative, [0, 0, 1, 1])


def test_what_is_no_pair_of_labelings():
    pair = (metrics.contingency, metrics.clustering_accuracy, metrics.overlap)
    for score in (*pair, metrics.same_partition):
        for a, b, words in (
            ([0, 1, 1], [0, 1], r"3.*2"),
            ([0, 1], [0, 1, 1], r"2.*3"),
            ([[0], [1]], [0, 1], r"labels_true|list"),
            ([0, 1], [[0], [1]], r"labels_pred|list"),
            ([0.0, np.nan], [0, 1], r"labels_true"),
            ([0, 1], ["x", None], r"labels_pred"),
            ([], [], r"labels_true"),
        ):
            with pytest.raises(ValueError, match=words):
                score(a, b)
    with pytest.raises(ValueError, match=r"two clusters"):
        metrics.overlap([1, 1], [0, 1])
    assert metrics.clustering_accuracy(list("aabbcc"), [3, 3, 3, 3, 7, 8]) == pytest.approx(3 / 6)
    assert metrics.contingency(["b", "a", "b"], [2.5, 1.5, 1.5]).tolist() == [[1, 0], [1, 1]]
