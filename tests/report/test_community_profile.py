"""Communities from outside: counted by hand on a small graph, and their table as people see it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups.report.community_profile import (
    Portrait,
    best_connected,
    community_profiles,
    node_degrees,
)


def graph(edges, n):
    A = np.zeros((n, n))
    for u, v, weight in edges:
        A[u, v] = A[v, u] = weight
    return csr_array(A)


# A triangle with a loop at 0 and a pair, joined by one edge of weight 1/2.
A = graph([(0, 1, 3), (0, 2, 1), (1, 2, 1), (2, 3, 0.5), (3, 4, 4), (0, 0, 2)], 5)
LABELS = np.array([0, 0, 0, 1, 1])


def test_two_communities_by_hand():
    members = best_connected(node_degrees(A, is_signed=False), LABELS, 2, np.array(list("abcde")))
    first, second = community_profiles(Portrait.of(A, LABELS, 2), members)
    assert (first.nodes, first.share, first.edges_inside, first.edges_leaving) == (3, 0.6, 4, 1)
    assert (first.weight_inside, first.weight_leaving) == (7.0, 0.5)
    assert (second.edges_inside, second.weight_inside) == (1, 4.0)
    assert first.conductance == second.conductance == pytest.approx(0.5 / 8.5)
    assert first.best_connected == (("a", 8.0), ("b", 4.0), ("c", 2.5))  # the loop counts twice
    assert second.best_connected == (("d", 4.5), ("e", 4.0))


def test_scores_are_counted_or_weighed():
    scores = Portrait.of(A, LABELS, 2).scores()
    assert scores.coverage == pytest.approx(5 / 6)
    assert scores.modularity == pytest.approx(22 / 23 - (14.5**2 + 8.5**2) / 23**2)
    plain = Portrait.of(graph([(0, 1, 1), (1, 2, 1)], 3), np.array([0, 0, 1]), 2)
    assert plain.weighed is plain.counted


def test_weights_below_zero_leave_shares_undefined():
    portrait = Portrait.of(graph([(0, 1, 1), (1, 2, -1)], 3), np.array([0, 0, 1]), 2)
    assert portrait.is_signed
    assert portrait.conductances == [None, None]
    assert portrait.scores().modularity is portrait.scores().normalized_cut is None
    assert portrait.scores().coverage == 0.5
    signed = graph([(0, 1, 1), (1, 2, -1)], 3)
    assert node_degrees(signed, is_signed=True).tolist() == [1.0, 2.0, 1.0]


def test_best_connected_are_three_at_most_and_the_first_of_equals():
    degree = np.array([1.0, 5.0, 5.0, 5.0, 5.0, 2.0])
    found = best_connected(degree, np.array([0, 0, 0, 0, 0, 2]), 3, np.arange(10, 16))
    assert found == [((11, 5.0), (12, 5.0), (13, 5.0)), (), ((15, 2.0),)]
    assert type(found[0][0].node) is int
