"""What samples may be: frames, objects, functions, and errors that name them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kgroups.semimetrics import (
    Gaussian,
)
from kgroups.stats import (
    energy_distance,
    energy_test,
)
from stats_cases import brute_energy


@pytest.mark.nojit
def test_samples_of_every_kind():
    X, Y = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[5.0, 1.0]])
    expected = energy_distance(X, Y)
    assert energy_distance(X.tolist(), Y.tolist()) == expected
    assert energy_distance(X.astype(int), Y.astype(np.float32)) == expected
    for frame in (pd.DataFrame, pl.DataFrame):
        a, b = ({"p": Z[:, 0], "q": Z[:, 1]} for Z in (X, Y))
        assert energy_distance(frame(a), frame(b)) == expected
    assert energy_distance(pd.Series([0.0, 2.0]), pl.Series([5.0])) == 7


@pytest.mark.nojit
def test_parameters_and_categories_are_those_of_all_points():
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(20, 2)), rng.normal(3, size=(30, 2))
    sigma = Gaussian("median").resolve(np.concatenate([X, Y])).sigma
    together = energy_distance(X, Y, metric=Gaussian(sigma))
    assert energy_distance(X, Y, metric=Gaussian("median")) == together
    # b is code 1 in the first sample and would be code 0 in the second.
    x, y = pd.DataFrame({"c": ["a", "b", "b"]}), pd.DataFrame({"c": ["b", "c"]})
    rho = np.array([[a != b for b in "abbbc"] for a in "abbbc"], float)
    expected = brute_energy(rho, 3, np.ones(3), np.ones(2))
    assert energy_distance(x, y, metric="hamming") == pytest.approx(expected, rel=1e-12)
    assert energy_distance(["a", "b", "b"], ["b", "c"], metric="hamming") == pytest.approx(expected)


@pytest.mark.nojit
def test_objects_and_a_function():
    def edits(a, b):
        return abs(len(a) - len(b))

    x, y = ["a", "bbb"], ["cc", "dddd", "e"]
    rho = np.array([[edits(a, b) for b in x + y] for a in x + y], float)
    expected = brute_energy(rho, 2, np.ones(2), np.ones(3))
    assert energy_distance(x, y, metric=edits) == pytest.approx(expected, rel=1e-12)
    result = energy_test(x, y, metric=edits, n_permutations=20, random_state=0)
    assert result.energy[0, 1] == pytest.approx(expected * 6 / 5, rel=1e-12)
    assert energy_distance([1, 2], [4], metric=lambda a, b: abs(a - b)) == 2 * 2.5 - 0.5
