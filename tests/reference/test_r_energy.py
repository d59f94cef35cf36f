"""Numbers of R's energy 1.7-11: edist, eqdist.etest and disco."""

import json

import numpy as np
import pytest

from helpers import each, reference_folder
from kgroups.semimetrics import Energy
from kgroups.stats import (
    between_statistic,
    disco,
    energy_distance,
    energy_test,
    within_dispersion,
)

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module")
def reference():
    return json.loads(reference_folder("reference", "r_energy.json").read_text())


@pytest.fixture(scope="module")
def iris(reference):
    return np.array(reference["iris"]["X"]), np.array(reference["iris"]["label"])


@each("alpha", ["0.5", "1", "1.5"])
def test_edist_and_disco(reference, iris, alpha):
    X, labels = iris
    expected, metric = reference[f"alpha_{alpha}"], Energy(float(alpha))
    test = energy_test(X, labels=labels, metric=metric, n_permutations=199, random_state=0)
    np.testing.assert_allclose(test.energy, expected["edist_cluster_method"], rtol=1e-9)
    found = disco(X, labels, metric=metric, n_permutations=199, random_state=0)
    for name in ("statistic", "within", "between", "total"):
        assert getattr(found, name) == pytest.approx(expected["disco"][name], rel=1e-9)
    assert (found.df_between, found.df_within) == (2, 147)
    assert found.pvalue == expected["disco"]["p.value"]
    W = within_dispersion(X, labels, metric=metric)
    assert pytest.approx(expected["disco"]["within"], rel=1e-9) == W
    S = between_statistic(X, labels, metric=metric)
    assert pytest.approx(expected["disco"]["between"], rel=1e-9) == S


def test_eqdist_etest(reference, iris):
    X, labels = iris
    found = energy_test(X, labels=labels, n_permutations=199, random_state=0)
    expected = reference["alpha_1"]["eqdist_etest"]
    assert found.statistic == pytest.approx(expected["statistic"], rel=1e-9)
    assert found.pvalue == expected["p.value"]


def test_edist_of_a_univariate_pair(reference):
    x, y = reference["uni"]["x"], reference["uni"]["y"]
    found = energy_distance(x, y) * len(x) * len(y) / (len(x) + len(y))
    assert found == pytest.approx(reference["uni"]["edist"], rel=1e-9)
