"""Edges drawn at random: the law of every pair, and the matrix of edges that are listed once."""

from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from scipy.stats import chisquare

from helpers import each
from kgroups.graphs.models.random_edges import adjacency_of_edges, draw_edges


def law(labels, theta, rates, loops):
    """Probability of each pair, and each pair's place."""
    choose = combinations_with_replacement if loops else combinations
    pairs = list(choose(range(len(labels)), 2))
    p = [min(1, rates[int(labels[i] != labels[j])] * theta[i] * theta[j]) for i, j in pairs]
    return np.array(p), {pair: place for place, pair in enumerate(pairs)}


def draw(labels, theta, rates, loops, rng):
    edges = draw_edges(labels, theta, rates, loops=loops, rng=rng)
    return [(min(i, j), max(i, j)) for i, j in edges.tolist()]


@each("loops", [False, True])
@each(
    ("theta", "rates"),
    [
        ([1.0, 1.0, 1.0, 1.0], (0.6, 0.3)),
        ([0.4, 1.6, 1.2, 0.8], (0.4, 0.25)),
        ([0.4, 1.6, 1.2, 0.8], (0.2, 0.5)),
    ],
)
def test_every_graph_of_four_nodes_has_its_probability(theta, rates, loops):
    labels, theta = np.array([0, 1, 0, 1]), np.array(theta)
    p, place = law(labels, theta, rates, loops)
    rng, draws = np.random.default_rng(0), 20_000
    seen = np.zeros(2 ** len(p))
    for _ in range(draws):
        edges = draw(labels, theta, rates, loops, rng)
        assert len(set(edges)) == len(edges)
        seen[sum(2 ** place[edge] for edge in edges)] += 1
    expected = np.array(
        [
            np.prod(np.where(present[::-1], p, 1 - p))
            for present in product([False, True], repeat=len(p))
        ]
    )
    rare = expected * draws < 5
    pooled_seen = np.append(seen[~rare], seen[rare].sum())
    pooled = np.append(expected[~rare], expected[rare].sum()) * draws
    keep = pooled > 0
    assert chisquare(pooled_seen[keep], pooled[keep]).pvalue > 1e-3


@pytest.mark.nojit
def test_certain_and_impossible_pairs():
    labels, rng = np.array([0, 1, 0, 1, 2]), np.random.default_rng(0)
    ones = np.ones(5)
    assert sorted(draw(labels, ones, (1.0, 0.0), False, rng)) == [(0, 2), (1, 3)]
    assert len(draw(labels, ones, (0.0, 1.0), False, rng)) == 8
    assert len(draw(labels, ones, (5.0, 5.0), True, rng)) == 15
    assert draw(labels, ones, (0.0, 0.0), True, rng) == []
    assert draw(labels, ones, (1e-300, 1e-300), True, rng) == []


def test_edges_inside_come_before_those_between():
    labels, rng = np.repeat([0, 1, 2], 20), np.random.default_rng(0)
    edges = draw_edges(labels, np.ones(60), (0.5, 0.2), loops=False, rng=rng)
    inside = labels[edges[:, 0]] == labels[edges[:, 1]]
    assert 0 < inside.sum() < len(edges)
    assert np.all(np.diff(inside.astype(int)) <= 0)


def test_edges_listed_once_become_a_symmetric_matrix():
    """A loop is one entry of 1, and an edge two."""
    A = adjacency_of_edges(np.array([[0, 2], [3, 1], [1, 1]], np.int32), 4)
    expected = np.zeros((4, 4))
    for i, j in [(0, 2), (2, 0), (3, 1), (1, 3), (1, 1)]:
        expected[i, j] = 1
    np.testing.assert_array_equal(A.toarray(), expected)
    assert A.nnz == 5
    assert adjacency_of_edges(np.empty((0, 2), np.int32), 3).shape == (3, 3)
