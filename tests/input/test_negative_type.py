"""How far metrics are from being of negative type: measured, said, and kept."""

import pickle
import warnings

import numpy as np
import pytest

from kgroups import EnergyAgglomerative, KernelKGroups, stats
from kgroups.exceptions import TheoryWarning
from kgroups.input.negative_type import violation_of
from kgroups.input.spaces import space_for
from kgroups.semimetrics import DampedSquared, Energy, PairFunction, negative_type_violation


def cubed(x, y):
    """Not of negative type: a power above two of the distance on a line."""
    return float(abs(x - y).sum() ** 3)


def plain(x, y):
    return float(abs(x - y).sum())


def line(n):
    return np.linspace(0, 1, n)[:, None] ** 2


def test_all_of_a_few_rows_are_measured_and_their_distances_used_again():
    X, calls = line(40), []

    def counted(x, y):
        calls.append(1)
        return cubed(x, y)

    with pytest.warns(TheoryWarning, match=r"negative type: .* \d+ % of the largest on 40 rows"):
        model = KernelKGroups(2, metric=counted, random_state=0).fit(X)
    assert len(calls) == 40 * 39 / 2 + 40 + 8
    expected = negative_type_violation(PairFunction(cubed).pairwise(X))
    assert model.negative_type_violation_ == expected > 0.01
    assert (
        len(pickle.dumps(KernelKGroups(2, metric=cubed_quietly(), random_state=0).fit(X))) < 9_000
    )


def cubed_quietly():
    return PairFunction(cubed, negative_type=True)


def test_of_many_rows_a_tenth_of_the_pairs_is_computed_once_more():
    X, calls = line(600), []

    def counted(x, y):
        calls.append(1)
        return plain(x, y)

    model = KernelKGroups(2, metric=counted, random_state=0, n_init=1).fit(X)
    assert model.negative_type_violation_ == 0
    pairs = 600 * 599 / 2
    assert pairs < len(calls) < 1.12 * pairs + 1000
    for n, rows in ((301, 100), (600, 200), (5_000, 300)):
        assert violation_of(DampedSquared(), line(n)).rows == rows


def test_known_metrics_are_not_measured():
    calls = []

    class Watched(Energy):
        def matrix(self, X):
            calls.append(1)
            return super().matrix(X)

    assert violation_of(Watched(), line(10)).size == 0
    assert not calls
    assert KernelKGroups(2).fit(line(9)).negative_type_violation_ == 0
    rho = Energy().pairwise(line(9))
    assert KernelKGroups(2, metric="precomputed").fit(rho).negative_type_violation_ is None


def test_statistics_and_trees_say_it_as_well():
    X = np.random.default_rng(1).normal(size=(30, 2))
    with pytest.warns(TheoryWarning, match=r"is not of negative type: .* So energy distances"):
        stats.energy_distance(X[:10], X[10:], metric=cubed)
    with pytest.warns(TheoryWarning, match="is not of negative type"):
        tree = EnergyAgglomerative(2, metric=cubed).fit(X)
    assert tree.negative_type_violation_ > 0.01
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stats.energy_test(X[:10], X[10:], metric=plain, n_permutations=9, random_state=0)


def test_no_certificate_that_needs_negative_type():
    X = np.random.default_rng(2).normal(size=(40, 2))
    with pytest.warns(TheoryWarning):
        model = KernelKGroups(2, metric=cubed, random_state=0).fit(X)
    with pytest.raises(ValueError, match="blockwise bound needs points with a metric known"):
        model.optimality_gap(kind="blockwise")
    gap = model.optimality_gap(kind="spectral")  # which holds for any symmetric matrix
    best = min(_within(cubed, X, labels) for labels in _labelings(X))
    assert gap.bound <= best + 1e-9
    assert model.exactness_ == "one-move optimal"


def _labelings(X):
    for column in X.T:
        for cut in np.sort(column)[1:]:
            yield (column >= cut).astype(int)


def _within(function, X, labels):
    rho = PairFunction(function).pairwise(X)
    return sum(
        rho[np.ix_(labels == j, labels == j)].sum() / (2 * (labels == j).sum()) for j in (0, 1)
    )


def test_a_matrix_of_other_rows_is_not_taken_for_these():
    space = space_for(plain)
    X = line(20)
    _, data = space.read(_estimator(), X)
    read = space.read(_estimator(), X)[0]
    shuffled = data[::-1].copy()
    gram = read.gram(shuffled, "dense", 1)
    np.testing.assert_array_equal(gram.matrix, PairFunction(plain).pairwise(shuffled))


def _estimator():
    return KernelKGroups(2)
