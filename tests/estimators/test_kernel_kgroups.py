"""Starts of fits, and clusters that are hard to find."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from helpers import each
from kgroups import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy, Gaussian, SineSquared
from kgroups.stats import within_dispersion

IRIS = load_iris().data
WINE = StandardScaler().fit_transform(load_wine().data)


def test_transform_without_negative_type_has_no_nan():
    with pytest.warns(TheoryWarning):
        m = KernelKGroups(3, metric=SineSquared(), random_state=0).fit(WINE)
    squared = m._squared_distances(WINE)
    assert squared.min() < 0, "this case should need the cut at zero"
    assert np.isfinite(m.transform(WINE)).all()


@each("init", ["k-means++", "random", "spectral"])
def test_starts_that_need_no_table(init):
    m = KernelKGroups(3, metric="precomputed", init=init, random_state=0)
    assert m.fit(Energy().pairwise(WINE)).converged_


def test_equal_clusters_are_numbered_by_their_first_row_with_weight():
    X, w = [[50.0], [0.0], [1.0], [51.0], [52.0]], [0, 1, 1, 1, 1]
    for init in ("auto", "spectral"):
        model = KernelKGroups(2, init=init, random_state=0).fit(X, sample_weight=w)
        assert model.labels_.tolist() == [1, 0, 0, 1, 1]


def test_auto_takes_both_kinds_in_turn():
    m = KernelKGroups(3, random_state=0, n_init=5).fit(WINE)
    assert m.start_names_ == ["k-means++", "random", "k-means++", "random", "k-means++"]


def test_labels_draw_nothing_from_a_generator_of_the_user():
    shared = np.random.RandomState(5)
    KernelKGroups(3, init=np.repeat([2, 0, 1], 50), random_state=shared).fit(IRIS)
    assert shared.randint(10**6) == np.random.RandomState(5).randint(10**6)


def test_spectral_start_with_an_iterative_eigensolver():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(600, 2)), rng.normal(size=(600, 2)) + 30]
    m = KernelKGroups(2, init="spectral", random_state=0).fit(X)
    assert same_partition(m.labels_, np.repeat([0, 1], 600))


def far_group(seed, n_columns, shift, n=1_000, n_far=30):
    """Standard normal rows, and a few of half the deviation at a distance; which are which."""
    rng = np.random.default_rng(seed)
    far = shift + 0.5 * rng.normal(size=(n_far, n_columns))
    return np.concatenate([rng.normal(size=(n, n_columns)), far]), np.arange(n + n_far) >= n


CASES = {
    "five columns": (5, 3.0, "energy", {}),
    "ten columns": (10, 2.5, "energy", {}),
    "twenty columns": (20, 2.0, "energy", {}),
    "alpha": (5, 3.0, Energy(1.5), {}),
    "gaussian": (10, 2.5, Gaussian("median"), {}),
    "squared": (5, 3.0, Energy(2), {}),
    "on a sketch": (5, 3.0, "energy", {"n": 6_000, "n_far": 150}),
    "on a sketch, alpha": (5, 3.0, Energy(1.5), {"n": 6_000, "n_far": 150}),
}


@each("seed", [100, 101])
@each("case", CASES)
def test_w_is_at_most_that_of_the_groups(case, seed):
    n_columns, shift, metric, sizes = CASES[case]
    X, is_far = far_group(seed, n_columns, shift, **sizes)
    model = KernelKGroups(2, metric=metric, random_state=seed).fit(X)
    most = within_dispersion(X, is_far, metric=model.metric_)
    assert model.within_dispersion_ <= most * (1 + 1e-12)


def test_of_a_given_matrix():
    X, is_far = far_group(100, 5, 3.0)
    model = KernelKGroups(2, metric="precomputed", random_state=0).fit(Energy().pairwise(X))
    assert model.within_dispersion_ <= within_dispersion(X, is_far) * (1 + 1e-12)


def test_next_to_two_large_groups():
    X, is_far = far_group(100, 5, -3.0)
    X[:500, 0] += 8
    truth = np.where(is_far, 2, np.arange(len(X)) < 500)
    model = KernelKGroups(3, random_state=0).fit(X)
    assert model.within_dispersion_ <= within_dispersion(X, truth) * (1 + 1e-12)
