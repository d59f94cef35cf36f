"""Neighbors and their weights, worked out by hand and by all pairs."""

import numpy as np
import pytest

from helpers import each
from kgroups.graphs.neighbors.affinity import neighbor_graph, weighted
from kgroups.graphs.neighbors.nearest import nearest_rows
from kgroups.graphs.neighbors.neighbor_table import NeighborTable


def test_weights_of_four_points_on_a_line():
    # Nearest: 0-1, 1-0, 2-1, 5-2 at distances 1, 1, 1, 3, which are the scales too.
    found = neighbor_graph(np.array([[0.0], [1.0], [2.0], [5.0]]), 1).toarray()
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = expected[1, 2] = expected[2, 1] = np.exp(-4)
    expected[2, 3] = expected[3, 2] = np.exp(-4 * 9 / 3)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("d", [2, 20])
def test_weights_are_those_of_all_pairs(d):
    X = np.random.default_rng(0).normal(size=(60, d))
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    np.fill_diagonal(distances, np.inf)
    scale = np.sort(distances, axis=1)[:, 6]
    chosen = distances <= scale[:, None]
    weights = np.exp(-4 * distances**2 / np.outer(scale, scale))
    expected = np.where(chosen | chosen.T, weights, 0.0)
    found = neighbor_graph(X, 7)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-9)
    assert (found != found.T).nnz == 0


def test_neighbors_at_equal_distances_are_in_the_order_of_their_numbers():
    near = nearest_rows(np.array([[0.0], [1.0], [-1.0], [2.0], [-2.0]]), 4)
    assert near.indices[0].tolist() == [1, 2, 3, 4]
    assert near.distances[0].tolist() == [1.0, 1.0, 2.0, 2.0]


@each("spread", [1e-8, 1e-14])
@each("d", [3, 17])
def test_rows_that_differ_by_less_than_rounding_of_products(d, spread):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, d))[np.arange(90) // 30] + spread * rng.normal(size=(90, d))
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    np.fill_diagonal(distances, np.inf)
    near = nearest_rows(X, 10)
    np.testing.assert_allclose(near.distances, np.sort(distances, axis=1)[:, :10], rtol=1e-9)
    table = NeighborTable.of(X, 10)
    assert table.walk.max() + 1 == 3
    assert (table.vote(X, np.arange(90)) == np.arange(90)[table.places]).all()


def test_no_distance_between_different_rows_is_zero():
    X = np.array([[0.0], [1e-200], [2e-200], [1.0]])
    near = nearest_rows(X, 2)
    assert near.distances.min() == 1e-100
    assert near.distances[3].tolist() == [1.0, 1.0]
    assert sorted(near.indices[3]) == near.indices[3].tolist()
    assert set(near.indices[3]) < {0, 1, 2}
    assert np.isfinite(neighbor_graph(X, 2).data).all()


def test_one_scale_for_all_rows_is_the_geometric_mean():
    near = nearest_rows(np.array([[0.0], [1.0], [5.0]]), 1)
    W = weighted(near.lengths(), near.distances[:, -1], 0.0).toarray()
    assert W[0, 1] == pytest.approx(np.exp(-4 / 4 ** (2 / 3)))


@each("factor", [1e-160, 1.0, 1e160])
def test_units_and_places_change_nothing(factor):
    X = np.random.default_rng(1).normal(size=(40, 2))
    expected = NeighborTable.of(X, 5).graph.toarray()
    np.testing.assert_allclose(NeighborTable.of(X * factor, 5).graph.toarray(), expected, 1e-9)
    np.testing.assert_allclose(NeighborTable.of(X + 2.0**20, 5).graph.toarray(), expected, 1e-6)


def test_equal_rows_are_one_node():
    X = np.array([[0.0], [3.0], [0.0], [1.0], [3.0]])
    table = NeighborTable.of(X, 2)
    assert table.places.tolist() == [0, 2, 0, 1, 2]
    assert (table.counts.tolist(), table.n_equal, table.graph.shape) == ([2, 1, 2], 2, (3, 3))


def test_a_vote_by_hand():
    # Nodes at 0, 1, 10, 11; scales with two neighbors 10, 9, 9, 10.
    table = NeighborTable.of(np.array([[0.0], [1.0], [10.0], [11.0]]), 2)
    labels = np.array([0, 0, 1, 1])
    assert table.vote(np.array([[2.0], [9.0], [5.5], [1.0], [1e6]]), labels).tolist() == [
        0, 1, 0, 0, 1,
    ]  # fmt: skip
    # A row of the table keeps its label, whatever its neighbors say.
    assert table.vote(np.array([[1.0]]), np.array([0, 1, 0, 0])).tolist() == [1]
