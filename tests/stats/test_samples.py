"""What samples may be: frames, objects, functions, and errors that name them."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import (
    DampedSquared,
    Energy,
    Gaussian,
)
from kgroups.stats import (
    between_statistic,
    disco,
    energy_distance,
    energy_test,
    mmd,
    within_dispersion,
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


@pytest.mark.parametrize(
    ("x", "y", "options", "error", "words"),
    [
        (np.ones((3, 2)), np.ones((4, 3)), {}, ValueError, "X has 2 columns and Y has 3"),
        (np.ones(3), np.ones((4, 2)), {}, ValueError, "X has 1 columns and Y has 2"),
        (np.ones((2, 2, 2)), np.ones((4, 2)), {}, ValueError, "X must be a table"),
        ([], [1.0], {}, ValueError, "X has no points"),
        ([1.0], np.array([1.0, np.nan]), {}, ValueError, "Input Y contains NaN in row 1"),
        ([1.0, 2.0], [1.0, np.nan], {}, ValueError, "Input Y contains NaN in row 1"),
        ([1j], [1.0], {}, ValueError, "Complex data not supported"),
        ([1e308], [-1e308], {}, ValueError, "not a finite number"),
        ([1e200], [-1e200], {"metric": Energy(2.0)}, ValueError, "not a finite number"),
        ([[1e300, 0.0]], [[0.0, 0.0]], {"metric": Energy(1.5)}, ValueError, "not a finite number"),
        ([[1.0], [1.0, 2.0]], [[1.0]], {}, ValueError, "X has rows of unequal length"),
        ("ab", "cd", {}, TypeError, "X is 'ab', and files are not read"),
        (np.float64(1), [1.0], {}, TypeError, "X must be a table or a sequence of p"),
        (csr_array(np.eye(2)), np.eye(2), {"metric": "jaccard"}, TypeError, "Sparse data was"),
        (np.eye(2), np.eye(2), {"metric": "precomputed"}, ValueError, "energy_test with labels="),
        ([1.0, 2.0], [1.0], {"unbiased": True}, ValueError, "Y has one"),
        (
            [1.0, 2.0], [1.0, 2.0], {"unbiased": True, "sample_weight_X": [0.0, 1.0]},
            ValueError, "X has one",
        ),
        (
            [0.0, 3.0], [1.0, 2.0], {"unbiased": True, "sample_weight_X": [1.0, 1e-17]},
            ValueError, "X has one",
        ),
        ([1.0, 2.0], [1.0], {"sample_weight_X": [1.0]}, ValueError, "sample_weight_X.shape"),
        ([1.0], [1.0], {"sample_weight_Y": [-1.0]}, ValueError, "sample_weight_Y must not be neg"),
        (
            pd.DataFrame({"a": [1.0]}), pd.DataFrame({"b": [1.0]}), {}, ValueError,
            r"X has the columns \['a'\] and Y has \['b'\]",
        ),
        (pd.DataFrame({"a": [1.0]}), np.ones((1, 1)), {}, ValueError, r"\['a'\] and Y has None"),
        (
            pd.DataFrame({"a": [1.0]}), pl.DataFrame({"a": [1.0]}), {}, TypeError,
            "frames of pandas, polars",
        ),
    ],
)  # fmt: skip
def test_samples_that_cannot_be_compared(x, y, options, error, words):
    with pytest.raises(error, match=words):
        energy_distance(x, y, **options)


def test_one_theory_warning_that_speaks_of_the_statistic():
    X = np.random.default_rng(7).normal(size=(20, 2))
    calls = [
        lambda: energy_distance(X[:9], X[9:], metric=DampedSquared()),
        lambda: mmd(X[:9], X[9:], metric=DampedSquared()),
        lambda: within_dispersion(X, [0, 1] * 10, metric=DampedSquared()),
        lambda: between_statistic(X, [0, 1] * 10, metric=DampedSquared()),
        lambda: disco(X, [0, 1] * 10, metric=DampedSquared(), n_permutations=5),
        lambda: energy_test(X[:9], X[9:], metric=DampedSquared(), n_permutations=5),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            call()
        assert [w.category for w in found] == [TheoryWarning]
        assert found[0].filename == __file__
        assert "may be negative" in str(found[0].message)
