"""Rounded numbers: values that many rows share are not clusters."""

import numpy as np

from helpers import each
from kgroups.select import (
    choose_n_clusters,
    cluster_significance,
    gap_statistic,
    separation,
)
from kgroups.select.rounding import consists_of_atoms, rounded_columns, smoothed
from kgroups.stats import dip_test


def test_rounding_makes_no_modes():
    rng = np.random.default_rng(0)
    rounded = rng.integers(0, 6, size=(400, 1)).astype(float)
    assert dip_test(rounded).pvalue <= 0.001
    assert dip_test(smoothed(rounded)).pvalue > 0.05
    assert np.array_equal(smoothed(rounded), smoothed(rounded))
    assert np.abs(smoothed(rounded) - rounded).max() <= 0.5
    fine = rng.normal(size=(50, 2))
    assert np.array_equal(smoothed(fine), fine)


@each("sd", [0.3, 0.5, 1.0])
def test_values_that_many_rows_share_are_no_clusters(sd):
    """A Gaussian rounded to three to seven values; prediction strength counts the values."""
    X = np.round(np.random.default_rng(0).normal(0, sd, (150, 1)))
    count = choose_n_clusters(X, [1, 2, 3, 5], random_state=0)
    assert count.votes["gap"] == count.votes["separation"] == count.n_clusters == 1


def test_three_values_far_apart_are_three():
    X = np.array([[0, 0], [1, 5], [7, 2.0]])[np.arange(60) % 3]
    assert choose_n_clusters(X, range(1, 6), random_state=0).n_clusters == 3


def test_rounding_is_as_wide_as_values_mostly_are_apart():
    X = np.repeat([[0.0], [1.0], [2.0], [3.0], [3.01]], 20, axis=0)
    shift = np.abs(smoothed(X) - X)
    assert 0.4 < shift.max() <= 0.5


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


@each(
    ("values", "atoms"),
    [
        ([0] * 50 + [1] * 50, True),
        ([0] * 80 + [1] * 20, True),
        ([0] * 81 + [1] * 19, False),  # as rare events are counted
        ([0, 1, 2] * 30, True),
        ([0, 1, 2, 3] * 30, False),  # as a scale from 0 to 3
        ([5] * 30, False),
    ],
)
def test_atoms_are_few_and_heavy(values, atoms):
    X = np.array(values, float)[:, None]
    assert consists_of_atoms(X) == atoms
    several = len(set(values)) > 1
    assert rounded_columns(X) == ((0,) if several and not atoms else ())


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
