"""How many clusters a walk shows, on shapes whose number a person sees."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from helpers import each
from kgroups.graphs.neighbors.division import divided, halved
from kgroups.graphs.neighbors.neighbor_table import NeighborTable
from kgroups.graphs.neighbors.rules import Rules


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


def test_rows_beyond_the_sample_and_in_shards_have_the_cluster_of_the_nearest():
    X, truth = make_blobs(4_000, centers=[(0, 0), (12, 0)], random_state=0)
    X = np.vstack([X, [[30, 0], [30.1, 0], [-30, 0]]])
    labels = found(X)
    assert adjusted_rand_score(truth, labels[:-3]) == 1
    assert labels[4_000] == labels[4_001] == labels[:4_000][truth == 1][0] != labels[4_002]


def test_nothing_to_halve():
    X = np.random.default_rng(0).normal(size=(19, 2))
    assert halved(X, np.ones(19, np.int64), Rules.of(19, 19, 10)) is None
    assert halved(X[:1], np.ones(1, np.int64), Rules.of(19, 19, 10)) is None
    assert not found(X).any()


def sizes(X):
    """Rows in each cluster of a table."""
    table = NeighborTable.of(np.asarray(X, np.float64), 10)
    return np.bincount(table.walk[table.places]).tolist()


def test_equal_rows_count_and_a_spike_is_no_cluster_of_its_own():
    rng = np.random.default_rng(0)
    cloud = rng.normal(10, 1, size=(100, 2))
    assert sizes(np.vstack([np.zeros((100, 2)), cloud])) == [100, 100]
    grid = rng.integers(0, 3, (500, 2))
    assert sizes(np.vstack([grid, grid + 100])) == [500, 500]
    cubes = [rng.integers(0, 2, (500, 3)) + 100 * i for i in range(3)]
    assert sizes(np.vstack(cubes)) == [500, 500, 500]
    middle, last = np.argsort(np.linalg.norm(cloud - 10, axis=1))[[0, -1]]
    for row in (middle, last):
        assert sizes(np.vstack([cloud, np.repeat(cloud[[row]], 60, axis=0)])) == [160]
    moons = make_moons(1000, noise=0.06, random_state=0)[0]
    assert len(sizes(moons.round(1))) == 2


@pytest.mark.parametrize("k", [2, 3])
def test_few_rows_far_apart(k):
    centers = [(0, 0), (20, 0), (10, 17)][:k]
    X, _ = make_blobs([10] * k, centers=centers, random_state=0)
    assert sizes(X) == [10] * k


def test_a_small_group_far_away_is_a_cluster():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(2_500, 2)), 60 + rng.normal(size=(25, 2))])
    assert sizes(X) == [2_500, 25]


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


@pytest.mark.parametrize("d", [2, 10])
def test_a_few_rows_far_away_are_a_cluster_if_the_number_allows(d):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [400, 400, 8])
    X = 10.0 * np.array([0, 1, 4])[truth][:, None] + rng.normal(size=(808, d))
    assert np.bincount(found(X)).tolist() == [408, 400]
    assert np.bincount(found(X, 2)).tolist() == [408, 400]
    assert np.bincount(found(X, 3)).tolist() == [400, 400, 8]
    assert np.bincount(found(X, 4))[-1] == 8
