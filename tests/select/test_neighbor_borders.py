"""Borders that cut through curved and long groups, and those between groups of other forms."""

import numpy as np
from sklearn.datasets import load_iris, load_wine, make_blobs, make_circles, make_moons
from sklearn.metrics import pairwise_distances

from helpers import each
from kgroups import KernelKGroups
from kgroups.select import cluster_significance
from kgroups.select.neighbor_borders import cut_through


def stripes(seed, k=3):
    """Long bands, one above the other."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(0, 10, 600), np.arange(600) % k + rng.normal(0, 0.1, 600)])


def spirals(seed, arms=2):
    rng = np.random.default_rng(seed)
    t = np.sqrt(rng.uniform(0.05, 1, 600)) * 10
    angle = 3 * np.pi * t / 10 + 2 * np.pi * (np.arange(600) % arms) / arms
    return t[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(
        0, 0.1, (600, 2)
    )


SHAPES = {
    "moons": (lambda s: make_moons(600, noise=0.06, random_state=s)[0], 2),
    "few rows of moons": (lambda s: make_moons(200, noise=0.06, random_state=s)[0], 2),
    "circles": (lambda s: make_circles(600, noise=0.05, factor=0.5, random_state=s)[0], 2),
    "stripes": (stripes, 3),
    "spirals": (spirals, 2),
}


def touching(seed):
    X = np.random.default_rng(seed).normal(size=(400, 2))
    X[:200, 0] += 4.0
    return X


GROUPS = {
    "blobs": (lambda s: make_blobs(400, 5, centers=4, random_state=s)[0], 4),
    "blobs and too many clusters": (lambda s: make_blobs(400, centers=3, random_state=s)[0], 5),
    "touching": (touching, 2),
    "one cloud": (lambda s: np.random.default_rng(s).normal(size=(300, 3)), 3),
    "lognormal": (lambda s: np.random.default_rng(s).lognormal(0, 0.5, (300, 2)), 2),
    "wine": (lambda _: load_wine().data / load_wine().data.std(axis=0), 3),
    "iris": (lambda _: load_iris().data, 3),
}


@each("seed", [0, 1])
@each("shape", SHAPES)
def test_clusters_that_cut_shapes_are_named(shape, seed):
    make, k = SHAPES[shape]
    X = make(seed)
    labels = KernelKGroups(k, random_state=0).fit_predict(X)
    assert len(cut_through(X, labels)) >= 2


@each("seed", [0, 1])
@each("groups", GROUPS)
def test_clusters_of_round_groups_and_pieces_of_clouds_are_not(groups, seed):
    make, k = GROUPS[groups]
    X = make(seed)
    labels = KernelKGroups(k, random_state=0).fit_predict(X)
    assert not len(cut_through(X, labels))


def test_parts_and_unions_of_pieces_are_no_cuts():
    X, truth = make_blobs(300, centers=[(0, 0), (20, 0), (0, 20)], random_state=0)
    assert not len(cut_through(X, (truth == 0).astype(int)))
    halves = 2 * truth + (X[:, 1] > np.array([0, 0, 20])[truth])
    assert not len(cut_through(X, halves))
    across = np.where(truth == 2, 1, X[:, 1] > 0).astype(int)  # halves of two, and all of one
    assert cut_through(X, across).tolist() == [0, 1]


def test_equal_rows_have_no_neighbors():
    assert not len(cut_through(np.zeros((20, 2)), np.arange(20) % 2))


def test_a_gap_between_centers_separates_no_clusters_that_cut_through_moons():
    X, truth = make_moons(300, noise=0.06, random_state=0)
    labels = KernelKGroups(2, random_state=0).fit_predict(X)
    for data, metric in ((X, "energy"), (pairwise_distances(X, metric="cityblock"), "precomputed")):
        found = cluster_significance(data, labels, metric=metric, random_state=0)
        assert found.any_separated()
        assert found.cut_through == (0, 1)
        assert found.separated() == {0: False, 1: False}
        assert "cut through groups of neighboring rows" in str(found)
    assert cluster_significance(X, truth, random_state=0).cut_through == ()
