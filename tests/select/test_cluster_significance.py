"""The significance of pairs of clusters: level, atoms, shapes that are cut, ends of floats."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_circles, make_moons
from sklearn.metrics import pairwise_distances

from helpers import each, slow
from kgroups import KernelKGroups
from kgroups.select import choose_n_clusters, cluster_significance, gap_statistic, separation
from kgroups.select.held_out import together
from kgroups.select.neighbor_borders import cut_through
from select_cases import lumps


@each(("k", "d"), [(2, 6), (3, 10), (5, 2), (5, 6), (6, 10)])
def test_a_gap_is_seen_whatever_the_number_of_clusters(k, d):
    """Two groups ten standard deviations apart: their pieces need not have a gap between them."""
    X = np.random.default_rng(k).normal(size=(200, d))
    X[:100, 0] += 10.0
    labels = KernelKGroups(k, n_init=2, random_state=0).fit_predict(X)
    found = cluster_significance(X, labels, random_state=0)
    assert found.any_separated()
    assert ("p of any gap" in str(found)) == (k > 2)


@pytest.mark.parametrize("k", [2, 3])
def test_independent_categories_are_not_separated(k):
    rng = np.random.default_rng(0)
    for n_values in (2, 3):
        X = rng.integers(0, n_values, (150, 5))
        labels = KernelKGroups(k, metric="hamming", n_init=2, random_state=0).fit_predict(X)
        for data, metric in ((X, "hamming"), ((X[:, None] != X).mean(axis=2), "precomputed")):
            found = cluster_significance(data, labels, metric=metric, random_state=0)
            assert found.few_distances
            assert not found.any_separated()
            assert not any(found.separated().values())
            assert "few different values" in str(found)


def test_independent_categories_of_unequal_weight_are_not_separated():
    """Columns of 2, 3 and 4 categories: of three weights for "mixed", and 4, 1, 1 in a matrix."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {name: rng.choice(list("abcd")[:m], 200) for m, name in enumerate("xyz", 2)}
    )
    with_gaps = frame.mask(rng.random(frame.shape) < 0.1)
    coins = rng.integers(0, 2, (200, 3))
    weighted = np.abs(coins[:, None] - coins) @ [4.0, 1.0, 1.0]
    for data, metric in ((frame, "mixed"), (with_gaps, "mixed"), (weighted, "precomputed")):
        labels = KernelKGroups(3, metric=metric, n_init=2, random_state=0).fit_predict(data)
        found = cluster_significance(data, labels, metric=metric, random_state=0)
        assert found.few_distances
        assert not found.any_separated()


@pytest.mark.parametrize("k", [2, 3])
def test_groups_of_equal_objects_are_separated(k):
    """Heavy atoms: also where they are known by distances alone, which rounds coordinates."""
    labels = np.repeat(np.arange(k), 60)
    differ = (labels[:, None] != labels).astype(float)
    for data, metric in ((labels[:, None], "hamming"), (differ, "precomputed")):
        found = cluster_significance(data, labels, metric=metric, random_state=0)
        assert all(found.separated().values())


def test_categories_that_depend_on_each_other_are_separated():
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1], 100)
    X = (rng.random((200, 20)) < 0.15) ^ kinds[:, None].astype(bool)
    found = cluster_significance(X.astype(int), kinds, metric="hamming", random_state=0)
    assert found.separated() == {0: True, 1: True}
    assert not cluster_significance(lumps(2), np.repeat([0, 1], 60), random_state=0).few_distances


def test_a_lump_too_many_is_not_separated_though_each_split_cuts_another():
    """Three equal lumps; which of them is best cut in two depends on the third of the rows."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (50, 2)) for m in (0, 7, 14)])
    values = separation(X, [3, 4], random_state=0).values
    assert values[0] <= 0.01
    assert values[1] > 0.5


def test_twice_the_median_is_valid_whenever_one_stops():
    """Exchangeable splits whose shared part makes them as dependent as can be.

    With probability .05 half of all splits have a p-value of .025, the least that is valid.
    """
    rng, ever = np.random.default_rng(0), 0
    for _ in range(2000):
        share = 0.5 if rng.uniform() < 0.05 else 0.0
        pvalues = np.where(rng.uniform(size=60) < share, 0.025, 1.0)
        ever += any(together(pvalues[:stop]) <= 0.05 for stop in (20, 40, 60))
    assert ever / 2000 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 2000)


@slow
@each(
    ("load", "k", "standardized", "n_seeds"),
    [
        (load_wine, 3, True, 10),  # p-values of .05 and .13
        (load_wine, 3, False, 4),  # p-values that are 1 or the least
        (load_iris, 3, True, 3),
        (load_iris, 3, False, 3),
        (load_breast_cancer, 2, True, 3),
        (load_breast_cancer, 2, False, 3),
    ],
)
def test_p_values_hardly_depend_on_the_seed(load, k, standardized, n_seeds):
    X = load().data
    X = (X - X.mean(axis=0)) / X.std(axis=0) if standardized else X
    labels = KernelKGroups(k, random_state=0).fit_predict(X)
    found = [cluster_significance(X, labels, random_state=seed) for seed in range(n_seeds)]
    pvalues = np.array([[p.pvalue for p in one.pairs] for one in found], float)
    assert np.array_equal(np.isnan(pvalues), np.isnan(pvalues[[0] * n_seeds]))
    assert np.nanmax(np.ptp(pvalues, axis=0)) < 0.1


def test_numbers_near_the_end_of_floats_are_tested_too_or_refused_clearly():
    X, labels = lumps(2), np.repeat([0, 1], 60)
    expected = cluster_significance(X, labels, random_state=0).pvalue
    assert cluster_significance(X * 2.0**500, labels, random_state=0).pvalue == expected
    with pytest.raises(ValueError, match="not a finite number"):
        cluster_significance(X * 1e306, labels, random_state=0)
    rho = np.abs(X[:, None] - X).sum(axis=2)
    for data, metric in ((X, "manhattan"), (rho, "precomputed")):
        found = cluster_significance(data * 2.0**1000, labels, metric=metric, random_state=0)
        assert found.pvalue == expected
    with pytest.raises(ValueError, match="not a finite number"):
        cluster_significance(X @ X.T * 1e306, labels, metric="precomputed_kernel", random_state=0)


def test_a_p_value_that_underflows_is_zero():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 1, (1500, 2)), rng.normal(300, 1, (330, 2))]
    labels = np.repeat(["a", "b"], [1500, 330])
    found = cluster_significance(X, labels, random_state=0)
    assert found.pvalue == found.any_pvalue == 0.0
    assert found.any_separated()
    assert found.separated() == {"a": True, "b": True}
    assert separation(X, range(1, 4), random_state=0).n_clusters == 2


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


@each("seed", [0, 1])
@each("shape", SHAPES)
def test_clusters_that_cut_shapes_are_named(shape, seed):
    make, k = SHAPES[shape]
    X = make(seed)
    labels = KernelKGroups(k, random_state=0).fit_predict(X)
    assert len(cut_through(X, labels)) >= 2


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


ATOMS = {
    2: np.array([[0.0], [1.0]]),
    3: np.array([[0.0], [1.0], [2.0]]),
    4: np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
}


@each("noise", [0.0, 1e-12])
@each("k", ATOMS)
def test_heavy_atoms_are_clusters_with_and_without_noise(k, noise):
    """Between them there is nothing, whatever noise the values have."""
    X = np.repeat(ATOMS[k], 100, axis=0)
    X = X + noise * np.random.default_rng(0).normal(size=X.shape)
    for criterion in (separation, gap_statistic):
        assert criterion(X, range(1, 6), random_state=0).n_clusters == k
    found = cluster_significance(X, np.repeat(range(k), 100), random_state=0)
    assert found.pvalue <= 0.01
    assert all(found.separated().values())


def test_five_hundred_zeros_and_ones_are_two_clusters():
    X = np.repeat([[0.0], [1.0]], 500, axis=0)
    count = choose_n_clusters(X, [1, 2, 3], random_state=0)
    assert count.n_clusters == 2
    assert count.agrees
    assert count.rounded_columns == ()
    assert cluster_significance(X, X[:, 0].astype(int), random_state=0).pvalue == 0.001


@each("kind", ["one decimal", "integers", "counts", "scale of five"])
def test_rounded_lumps_keep_the_level(kind):
    """Of a dozen tables without clusters none has a pair that is called separated."""
    rng = np.random.default_rng(0)
    for number in range(12):
        shape = (60 + 20 * number, 1 + number % 3)
        X = {
            "one decimal": lambda: rng.normal(size=shape).round(1),
            "integers": lambda: rng.normal(rng.uniform(), 1, shape).round(),
            "counts": lambda: rng.poisson(rng.uniform(0.3, 3), shape).astype(float),
            "scale of five": lambda: np.clip(rng.normal(3, 1.2, shape).round(), 1, 5),
        }[kind]()
        labels = X[:, 0] > np.median(X[:, 0])
        if labels.any():
            found = cluster_significance(X, labels, random_state=0, n_splits=20)
            assert not found.any_separated()
            assert set(found.rounded_columns) <= set(range(shape[1]))


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_separation_of_two_clusters_is_the_p_value_of_the_pair(load):
    X = load().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    criterion = separation(X, [1, 2], random_state=0)
    assert np.isnan(criterion.values[0])
    labels = KernelKGroups(2, random_state=1).fit_predict(X)
    assert cluster_significance(X, labels, random_state=0).pvalue == criterion.values[1]


def test_a_few_outliers_are_no_cluster():
    """Three groups and three rows far away: the smallest cluster is tested too."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(m, 1, (60, 2)) for m in ((0, 0), (9, 0), (0, 9))])
    far = np.array([30.0, 30.0]) + rng.normal(0, 6, (3, 2))
    assert separation(np.concatenate([X, far]), range(1, 6), random_state=0).n_clusters <= 3


def test_more_clusters_than_different_rows_are_not_separated():
    X = np.repeat([[0.0], [5.0]], 30, axis=0)
    found = separation(X, [1, 2, 3], random_state=0)
    assert found.values[1:].tolist() == [0.001, 1.0]
    assert found.n_splits.tolist() == [0, 10, 0]
