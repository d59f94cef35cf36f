"""Semimetrics of sets, histograms, rankings and places, against other libraries."""

import numpy as np
import pytest

from kgroups import KernelKGroups
from kgroups.semimetrics import (
    Hellinger,
    Jaccard,
    JensenShannon,
)
from kgroups.testing import check_semimetric
from semimetric_cases import histograms


def test_histograms_are_scaled_to_sum_to_one():
    rng = np.random.default_rng(6)
    X = histograms(rng, 20)
    for rho in (JensenShannon(), Hellinger()):
        scaled = rho.pairwise(X * rng.uniform(0.1, 9, (20, 1)))
        np.testing.assert_allclose(scaled, rho.pairwise(X), atol=1e-7)


def test_divergence_of_nearly_equal_histograms_is_not_negative():
    rng = np.random.default_rng(0)
    X = rng.random((50, 8)) + 0.1
    for dtype, noise in ((np.float64, 1e-9), (np.float32, 1e-5)):
        Y = (X * (1 + noise * rng.normal(size=X.shape))).astype(dtype)
        assert JensenShannon().pairwise(X.astype(dtype), Y).min() >= 0


def apart(a, b):
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def drawn(seed, n):
    rng = np.random.default_rng(seed)
    letters = np.array(list("abcdefgh"))
    return [set(letters[rng.random(8) < rng.uniform(0, 0.7)].tolist()) for _ in range(n)]


@pytest.mark.nojit
def test_distances_are_those_of_the_definition():
    X, Y = [*drawn(0, 30), set(), frozenset({1, ("a", 2)})], drawn(1, 4)
    expected = np.array([[apart(a, b) for b in X] for a in X])
    np.testing.assert_allclose(Jaccard().pairwise(X), expected, rtol=1e-15)
    across = [[apart(a, b) for b in Y] for a in X]
    np.testing.assert_allclose(Jaccard().pairwise(X, Y), across, rtol=1e-15)
    check_semimetric(Jaccard(), X)


def test_sets_and_their_table_are_the_same_points():
    X = drawn(2, 40)
    table = np.array([[letter in one for letter in "abcdefgh"] for one in X], float)
    np.testing.assert_array_equal(Jaccard().pairwise(X), Jaccard().pairwise(table))
    of_sets, of_table = (
        KernelKGroups(3, metric="jaccard", random_state=0).fit(x) for x in (X, table)
    )
    np.testing.assert_array_equal(of_sets.labels_, of_table.labels_)
    assert of_sets.within_dispersion_ == of_table.within_dispersion_
    np.testing.assert_array_equal(of_sets.predict(X), of_sets.labels_)
    np.testing.assert_allclose(of_sets.transform(X), of_table.transform(table))
    assert of_sets.predict([{"zebra"}]).shape == (1,)  # a member that no set of the fit has
