"""Mixed tables and gaps: units, rows of gaps, constant columns, and what a table has settled."""

import copy
import pickle

import numpy as np
import pytest

from helpers import each
from kgroups.semimetrics import Mixed, codes
from kgroups.semimetrics.all_pairs import Term, all_pairs
from kgroups.semimetrics.gaps import LineDistribution

NAN = float("nan")
KINDS = {1: "category", 4: "category"}


def table(n=60, seed=0, share=0.25, dtype=np.float64):
    """Numbers in columns 0, 2, 3 and 5; categories in 1 and 4."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) * [1.0, 1.0, 1e6, 1e-6, 1.0, 30.0]
    X[:, 1], X[:, 4] = rng.integers(0, 3, n), rng.random(n) < 0.1
    X[:, 3] = np.exp(X[:, 3] * 1e6)
    X[rng.random(X.shape) < share] = NAN
    return X.astype(dtype)


def test_no_unit_rules():
    X = table()
    scaled = X * [1e-200, 1, 1e200, 3, 1, -1] + [0, 0, 0, 0, 0, 1]
    one, other = Mixed(kinds=KINDS).pairwise(X), Mixed(kinds=KINDS).pairwise(scaled)
    np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
    whole = table(share=0.0)
    means = Mixed(kinds=KINDS).pairwise(whole).mean()
    assert means == pytest.approx(6, rel=1e-12)  # each column adds its own mean, 1


def test_rows_of_gaps_only_are_at_the_mean_of_everything():
    X = table(25)
    X[[3, 7]] = NAN
    rho = Mixed(kinds=KINDS).pairwise(X)
    assert rho[3, 7] == 0.0
    # ‖φ(x) − μ‖² of every column, at least half of each mean less what is lost to its own spread.
    assert np.delete(rho[3], [3, 7]).min() > 0


def test_constant_and_empty_columns_contribute_nothing():
    X = np.column_stack([np.arange(5.0), np.full(5, 7.0), np.full(5, NAN)])
    X[2, 1] = NAN
    rho = Mixed().resolve(X)
    np.testing.assert_allclose(rho.pairwise(X), Mixed().pairwise(X[:, :1]))
    new = np.array([[0.0, 9.0, 3.0]])
    assert rho.pairwise(new, X)[0, 0] == 0.0
    nothing = np.full((3, 2), 4.0)
    assert not Mixed().pairwise(nothing).any()


def test_what_a_table_settled_stays_until_parameters_change():
    X, other = table(), table(seed=3)
    rho = Mixed(kinds=KINDS)
    settled = rho.resolve(X)
    assert "_settled" not in vars(rho)
    assert settled.resolve(other) is settled
    for again in (copy.deepcopy(settled), settled.copy(), pickle.loads(pickle.dumps(settled))):
        assert np.array_equal(again.pairwise(other), settled.pairwise(other))
    assert not np.array_equal(settled.pairwise(other), rho.pairwise(other))
    assert settled == rho
    changed = settled.copy().set_params(missing="category")
    assert np.array_equal(
        changed.pairwise(other), Mixed(kinds=KINDS, missing="category").pairwise(other)
    )
    with pytest.raises(ValueError, match="table of 6"):
        settled.pairwise(other[:, :2])
    told = settled.of_kinds(["number"] * 6)
    assert np.array_equal(told.pairwise(other), Mixed().pairwise(other))


@each("scale", [1e-300, 1e-3, 1e300])
def test_no_unit_over_or_underflows(scale):
    column = np.array([1.0, 2.0, 4.0, NAN])
    one, other = LineDistribution.of(column), LineDistribution.of(scale * column)
    assert other.spread * other.unit / scale == pytest.approx(one.spread * one.unit, rel=1e-12)
    corrections = other.corrections(scale * column) * (other.unit / scale)
    np.testing.assert_allclose(corrections, one.unit * one.corrections(column), rtol=1e-12)


def test_far_from_zero_no_digits_are_lost():
    column = np.array([0.0, 0.25, 1.0, 1.5, NAN])
    near, far = LineDistribution.of(column), LineDistribution.of(column + 2.0**40)
    assert near.corrections(column).tolist() == far.corrections(column + 2.0**40).tolist()


def test_equal_points_with_many_gaps_are_at_zero():
    """Squares of many columns would be expanded, and not cancel."""
    rng = np.random.default_rng(0)
    m = (rng.random((5, 100)) < 0.5).astype(float)
    coordinates = np.repeat(np.hstack([rng.normal(size=m.shape) * (1 - m), m]), 2, axis=0)
    base = Term(np.zeros((10, 1)), codes.ABSOLUTE, codes.SCALE, 1.0, 1.0)
    rho = all_pairs([base, Term(coordinates, codes.GAPS, codes.SCALE, 1.0, 1.0)])
    assert [rho[2 * i, 2 * i + 1] for i in range(5)] == [0.0] * 5
