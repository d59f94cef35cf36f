"""Neighbors and their weights: ties, digits, scales and units."""

import numpy as np
import pytest

from helpers import each
from kgroups.graphs.neighbors.affinity import neighbor_graph, weighted
from kgroups.graphs.neighbors.nearest import nearest_rows
from kgroups.graphs.neighbors.neighbor_table import NeighborTable


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
