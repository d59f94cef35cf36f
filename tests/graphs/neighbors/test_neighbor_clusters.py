"""GraphKGroups on tables: shapes that a person sees, far rows, digits and units."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from helpers import each
from kgroups import GraphKGroups
from kgroups.exceptions import GraphNotice
from kgroups.graphs.neighbors.affinity import neighbor_graph
from kgroups.graphs.neighbors.division import divided
from kgroups.graphs.neighbors.nearest import nearest_rows
from kgroups.graphs.neighbors.neighbor_table import NeighborTable

X, TRUTH = make_moons(300, noise=0.06, random_state=0)


def model(*args, **kwargs):
    return GraphKGroups(*args, affinity="nearest_neighbors", random_state=0, **kwargs)


def test_a_given_number_agrees_with_spectral_clustering():
    Y, truth = make_moons(400, noise=0.08, random_state=1)
    theirs = SpectralClustering(2, affinity="nearest_neighbors", random_state=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # theirs, of components
        expected = theirs.fit_predict(Y)
    ours = model(2).fit_predict(Y)
    assert adjusted_rand_score(expected, ours) >= 0.95
    assert adjusted_rand_score(truth, ours) >= adjusted_rand_score(truth, expected) - 0.02


@pytest.mark.parametrize("columns", [2, 12])
def test_new_rows_so_far_that_squares_overflow(columns):
    fitted = model().fit(np.pad(X, ((0, 0), (0, columns - 2))))
    far = np.zeros((3, columns))
    far[:, 0] = [1e160, -1e300, 1e308]
    assert set(fitted.predict(far)) <= {0, 1}
    assert (fitted.predict(far[[0, 2]]) == fitted.predict(far[[0, 0]])).all()


def test_equal_rows_are_noted_and_together():
    twice = np.vstack([X, X[:50]])
    with pytest.warns(GraphNotice, match="50 rows"):
        fitted = model().fit(twice)
    assert fitted.n_clusters_ == 2
    assert (fitted.labels_[300:] == fitted.labels_[:50]).all()
    with pytest.warns(GraphNotice, match="equal"):
        kept = model(init=fitted.labels_).fit(twice)
    assert (kept.labels_ == fitted.labels_).all()


@each("size", [2, 3, 8, 12])
def test_small_groups_far_away_are_a_cluster_or_a_notice(size):
    far = np.array([[8.0, 0.0]]) + 0.01 * np.random.default_rng(0).normal(size=(size, 2))
    rows = np.vstack([make_moons(900, noise=0.06, random_state=0)[0], far])
    for given in ({}, {"n_clusters": 2}):
        with pytest.warns(GraphNotice, match=f"^{size} rows"):
            fitted = model(**given).fit(rows)
        assert fitted.n_clusters_ == 2
        assert len(set(fitted.labels_[-size:])) == 1
    fitted = model(n_clusters=3).fit(rows)  # without a notice
    assert fitted.cluster_sizes_.tolist() == [450, 450, size]
    assert set(fitted.labels_[-size:]) == {2}


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


@each("factor", [1e-160, 1.0, 1e160])
def test_units_and_places_change_nothing(factor):
    X = np.random.default_rng(1).normal(size=(40, 2))
    expected = NeighborTable.of(X, 5).graph.toarray()
    np.testing.assert_allclose(NeighborTable.of(X * factor, 5).graph.toarray(), expected, 1e-9)
    np.testing.assert_allclose(NeighborTable.of(X + 2.0**20, 5).graph.toarray(), expected, 1e-6)


def spirals(seed):
    """Three arms."""
    rng, t = np.random.default_rng(seed), np.linspace(1.5, 9.5, 300)
    arms = [t * np.exp(1j * (t + 2 * np.pi * j / 3)) for j in range(3)]
    points = np.concatenate(arms)
    X = np.column_stack([points.real, points.imag])
    return X + 0.1 * rng.normal(size=X.shape), np.repeat(np.arange(3), 300)


SHAPES = {
    "moons": lambda s: make_moons(300, noise=0.06, random_state=s),
    "touching moons": lambda s: make_moons(700, noise=0.1, random_state=s),
    "circles": lambda s: make_circles(300, noise=0.05, factor=0.5, random_state=s),
    "spirals": spirals,
    "blobs": lambda s: make_blobs(300, centers=[(0, 0), (8, 0), (0, 8)], random_state=s),
    "sizes": lambda s: make_blobs([500, 100, 40], centers=[(0, 0), (9, 0), (0, 9)], random_state=s),
    "densities": lambda s: make_blobs(
        300, centers=[(0, 0), (9, 0), (0, 9)], cluster_std=[1, 0.3, 0.05], random_state=s
    ),
}


def found(X, k=None, n_neighbors=10):
    return divided(X, np.ones(len(X), np.int64), n_neighbors, k)


@each("shape", SHAPES)
def test_clusters_that_a_person_sees(shape):
    X, truth = SHAPES[shape](0)
    labels = found(X)
    assert labels.max() == truth.max()
    assert adjusted_rand_score(truth, labels) >= 0.95


def sizes(X):
    """Rows in each cluster of a table."""
    table = NeighborTable.of(np.asarray(X, np.float64), 10)
    return np.bincount(table.walk[table.places]).tolist()


def types(seed):
    """Nine types of cells in 20 dimensions, of 1,060 to 30 rows, some of them near each other."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(0, 2, (9, 20))
    centers[1::2] = centers[:8:2] + rng.normal(0, 1.15, (4, 20))
    truth = np.repeat(np.arange(9), [1060, 480, 320, 240, 160, 100, 60, 50, 30])
    return centers[truth] + rng.normal(size=(2_500, 20)), truth


def test_types_that_nearly_touch_in_many_dimensions_are_told_apart():
    X, truth = types(0)
    assert normalized_mutual_info_score(truth, found(X)) >= 0.95


@pytest.mark.parametrize("n", [600, 2_000])
def test_long_bands_of_which_the_slowest_walk_is_lengthwise(n):
    rng = np.random.default_rng(1)
    band = np.arange(n) % 2
    X = np.column_stack([rng.uniform(0, 10, n), band + 0.1 * rng.normal(size=n)])
    assert adjusted_rand_score(band, found(X)) >= 0.99
