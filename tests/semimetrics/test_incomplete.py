"""Manhattan and Hamming with gaps."""

import pickle

import numpy as np
import pytest

from helpers import each
from kgroups.semimetrics import ColumnSum, Hamming, Manhattan
from kgroups.testing import check_semimetric

NAN = float("nan")
BOTH = [Manhattan(missing="distribution"), Hamming(missing="distribution")]


def rows(n=40, d=4, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)).astype(float)
    X[rng.random(X.shape) < share] = NAN
    return X


def brute(X, delta, rows=None, others=None):
    """Distances from the definition, column by column, with the distributions of X."""
    rows, others = X if rows is None else rows, X if others is None else others
    total = np.zeros((len(rows), len(others)))
    for d, column in enumerate(X.T):
        present = column[~np.isnan(column)]
        spread = np.mean([[delta(a, b) for a in present] for b in present])
        for i, x in enumerate(rows[:, d]):
            for j, y in enumerate(others[:, d]):
                if np.isnan(x) and np.isnan(y):
                    continue
                if np.isnan(x) or np.isnan(y):
                    there = y if np.isnan(x) else x
                    total[i, j] += np.mean([delta(there, a) for a in present]) - spread / 2
                else:
                    total[i, j] += delta(x, y)
    return total


@each("seed", range(3))
def test_distances_are_those_of_the_definition(seed):
    X, new = rows(seed=seed), rows(7, seed=seed + 10)
    manhattan = Manhattan("distribution").resolve(X)
    absolute = lambda a, b: abs(a - b)
    np.testing.assert_allclose(manhattan.pairwise(X), brute(X, absolute), atol=1e-12)
    np.testing.assert_allclose(manhattan.pairwise(new, X), brute(X, absolute, new), atol=1e-12)
    hamming = Hamming("distribution").resolve(X)
    unequal = lambda a, b: float(a != b) / 4
    np.testing.assert_allclose(hamming.pairwise(X), brute(X, unequal), atol=1e-12)
    np.testing.assert_allclose(hamming.pairwise(new, X), brute(X, unequal, new), atol=1e-12)


@each("rho", BOTH)
def test_they_are_of_negative_type(rho):
    check_semimetric(rho, rows(60, 6, share=0.5))
    check_semimetric(rho, rows(60, 40))  # as many columns as are not expanded
    both = ColumnSum([(rho, [0, 1]), (Manhattan(missing="distribution"), [2, 3], 2.0)])
    check_semimetric(both, rows(30))


@each("rho", BOTH)
def test_without_gaps_nothing_changes(rho):
    X = rows(share=0.0)
    assert len(rho.resolve(X).terms(X)) == 1
    assert np.array_equal(rho.pairwise(X), type(rho)().pairwise(X))
    settled = rho.resolve(X)
    gap = np.full((1, 4), NAN)  # new rows may have gaps all the same
    assert settled.pairwise(gap, X).min() > 0
    assert settled.pairwise(gap, gap).tolist() == [[0.0]]


def test_float32_stays():
    X = rows().astype(np.float32)
    made = Manhattan("distribution").pairwise(X)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, Manhattan("distribution").pairwise(X.astype(float)), rtol=1e-5)


@each("rho", BOTH)
def test_what_a_table_settled_stays_and_parameters_make_it_forgotten(rho):
    X, other = rows(), rows(seed=5)
    settled = rho.resolve(X)
    assert settled.resolve(other) is settled
    assert "_columns" not in vars(rho)
    again = pickle.loads(pickle.dumps(settled))
    assert np.array_equal(again.pairwise(other), settled.pairwise(other))
    assert not np.array_equal(rho.pairwise(other), settled.pairwise(other))
    with pytest.raises(ValueError, match="a table of 4"):
        settled.pairwise(X[:, :2])
    assert settled.copy().set_params(missing="error") == type(rho)()
    assert "_columns" not in vars(settled.copy().set_params(missing="distribution"))


def test_what_they_are_called_and_take():
    assert repr(Manhattan()) == "Manhattan()"
    assert repr(Manhattan("distribution")) == "Manhattan(missing='distribution')"
    assert eval(repr(BOTH[0])) == BOTH[0]  # noqa: S307
    assert [rho.takes_missing for rho in (Manhattan(), Hamming(), Hamming("category"), *BOTH)] == [
        False, False, True, True, True,
    ]  # fmt: skip
    assert not ColumnSum([(Manhattan(), [0])]).takes_missing
    assert ColumnSum([(Manhattan(), [0]), (BOTH[0], [1])]).incomplete_columns(2, None) == [1]
    assert Manhattan().is_translation_invariant
    assert not BOTH[0].is_translation_invariant
