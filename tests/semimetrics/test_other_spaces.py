"""Semimetrics of sets, histograms, rankings and places, against other libraries."""

import numpy as np

from kgroups import KernelKGroups
from kgroups.semimetrics import (
    Hellinger,
    Jaccard,
    JensenShannon,
)
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


def drawn(seed, n):
    rng = np.random.default_rng(seed)
    letters = np.array(list("abcdefgh"))
    return [set(letters[rng.random(8) < rng.uniform(0, 0.7)].tolist()) for _ in range(n)]


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
