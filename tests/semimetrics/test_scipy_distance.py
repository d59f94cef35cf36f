"""Distances of SciPy by their names."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone

from helpers import each
from kgroups import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.names import SCIPY_DISTANCES
from kgroups.semimetrics import Energy, ScipyDistance, by_name, negative_type_violation
from kgroups.testing import check_semimetric

OF_SETS = ("dice", "rogerstanimoto", "sokalsneath", "yule")


def rows(name, n=40, seed=0):
    rng = np.random.default_rng(seed)
    if name not in OF_SETS:
        return rng.normal(size=(n, 4))
    sets = rng.integers(0, 2, size=(n, 5))
    return np.column_stack([sets, np.ones(n), np.zeros(n)])  # or SciPy divides by zero


@each("name", SCIPY_DISTANCES)
def test_distances_are_those_of_scipy(name):
    X = rows(name)
    expected = squareform(pdist(X.astype(bool) if name in OF_SETS else X, name))
    rho = by_name(name)
    np.testing.assert_allclose(rho.pairwise(X), expected, rtol=1e-12, atol=1e-15)
    resolved = rho.resolve(X)
    across = resolved.pairwise(X[:3], X)
    np.testing.assert_allclose(across, expected[:3], rtol=1e-12, atol=1e-15)
    check_semimetric(resolved, X)


@each(("name", "parameters"), [
    ("canberra", {}), ("minkowski", {"p": 1}), ("minkowski", {"p": 1.5}), ("correlation", {}),
    ("seuclidean", {}), ("mahalanobis", {}), ("dice", {}), ("rogerstanimoto", {}),
    ("sokalsneath", {}), ("canberra", {"w": [1, 2, 0.5, 3]}),
])  # fmt: skip
def test_those_of_negative_type_show_no_violation(name, parameters):
    rho = ScipyDistance(name, **parameters)
    assert rho.is_negative_type
    for seed in range(5):
        X = rows(name, 60, seed)
        X[:6] = X[6:12] * (1 if name in OF_SETS else -1)  # signs, and rows that are equal
        assert negative_type_violation(rho.pairwise(X)) == 0


@each(("name", "parameters"), [
    ("chebyshev", {}), ("minkowski", {"p": 4}), ("minkowski", {"p": 0.5}), ("braycurtis", {}),
    ("yule", {}),
])  # fmt: skip
def test_the_others_do(name, parameters):
    rho = ScipyDistance(name, **parameters)
    assert not rho.is_negative_type
    assert negative_type_violation(rho.pairwise(rows(name))) > 0.01
    with pytest.warns(TheoryWarning, match=f"ScipyDistance\\('{name}'.*of the largest on 40 rows"):
        KernelKGroups(2, metric=rho, random_state=0).fit(rows(name))


def test_counts_by_bray_and_curtis_are_no_violation():
    """Between rows without negative entries 1 − ρ is a positive semidefinite kernel."""
    X = np.random.default_rng(0).integers(0, 9, size=(50, 6)) + 1.0
    model = KernelKGroups(3, metric="braycurtis", random_state=0).fit(X)
    assert model.negative_type_violation_ == 0


def test_mahalanobis_is_the_distance_of_whitened_rows():
    X = np.random.default_rng(1).normal(size=(30, 3)) @ [[1, 2, 0], [0, 3, 1], [0, 0, 1]]
    whitened = X @ np.linalg.cholesky(np.linalg.inv(np.cov(X.T)))
    np.testing.assert_allclose(
        by_name("mahalanobis").pairwise(X), Energy().pairwise(whitened), rtol=1e-9, atol=1e-9
    )


def test_new_rows_are_compared_with_the_variances_of_the_fit():
    X = rows("seuclidean")
    model = KernelKGroups(2, metric="seuclidean", random_state=0).fit(X)
    np.testing.assert_allclose(model.metric_.V, X.var(axis=0, ddof=1))
    np.testing.assert_array_equal(model.predict(X[:1]), model.labels_[:1])


def test_parameters_belong_to_their_distance():
    rho = ScipyDistance("minkowski", p=3)
    assert repr(rho) == "ScipyDistance('minkowski', p=3)"
    with pytest.raises(ValueError, match="positive number"):
        rho.set_params(p=-1)
    model = clone(KernelKGroups(2, metric=rho)).set_params(metric__p=1)
    assert model.metric.is_negative_type
    assert not rho.is_negative_type
