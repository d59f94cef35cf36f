"""How many clusters a walk shows, on shapes whose number a person sees."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from kgroups.graphs.neighbors.division import divided, halved


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


@pytest.mark.parametrize("shape", SHAPES)
def test_clusters_that_a_person_sees(shape):
    X, truth = SHAPES[shape](0)
    labels = found(X)
    assert labels.max() == truth.max()
    assert adjusted_rand_score(truth, labels) >= 0.95


@pytest.mark.parametrize("shape", ["moon", "ring", "blob", "square", "ten dimensions"])
@pytest.mark.parametrize("n", [100, 600])
def test_one_cloud_is_one_cluster(shape, n):
    rng = np.random.default_rng(3)
    t = rng.uniform(0, np.pi * (1 if shape == "moon" else 2), n)
    curve = np.column_stack([np.cos(t), np.sin(t)]) + 0.06 * rng.normal(size=(n, 2))
    X = {
        "blob": rng.normal(size=(n, 2)),
        "square": rng.uniform(size=(n, 2)),
        "ten dimensions": rng.normal(size=(n, 10)),
    }.get(shape, curve)
    assert not found(X).any()


def test_a_given_number_divides_further_or_less():
    X, truth = SHAPES["blobs"](0)
    assert [found(X, k).max() + 1 for k in (1, 2, 3, 5)] == [1, 2, 3, 5]
    two = found(X, 2)
    assert all(len(set(two[truth == j])) == 1 for j in range(3))


def test_rows_beyond_the_sample_and_in_shards_have_the_cluster_of_the_nearest():
    X, truth = make_blobs(4_000, centers=[(0, 0), (12, 0)], random_state=0)
    X = np.vstack([X, [[30, 0], [30.1, 0], [-30, 0]]])
    labels = found(X)
    assert adjusted_rand_score(truth, labels[:-3]) == 1
    assert labels[4_000] == labels[4_001] == labels[:4_000][truth == 1][0] != labels[4_002]


def test_nothing_to_halve():
    X = np.random.default_rng(0).normal(size=(19, 2))
    assert halved(X, np.ones(19, np.int64), 10, 10) is None
    assert not found(X).any()
