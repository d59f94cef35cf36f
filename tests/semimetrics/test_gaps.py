"""A gap as the distribution of its column, against double sums and by hand."""

import pickle

import numpy as np
import pytest

from helpers import each
from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Term, all_pairs, as_differences
from kgroups.semimetrics.gaps import (
    CategoryDistribution,
    LineDistribution,
    filled_apart,
    gap_term,
    has_gaps,
)

NAN = float("nan")


def brute(column, x, rho):
    """E ρ(x, Y) − ½ E ρ(Y, Y') and E ρ(Y, Y') by double sums over the entries that are there."""
    present = column[~np.isnan(column)]
    spread = np.mean([[rho(a, b) for a in present] for b in present])
    return np.mean([rho(x, a) for a in present]) - spread / 2, spread


CASES = {
    "line": (LineDistribution, lambda a, b: abs(a - b)),
    "categories": (CategoryDistribution, lambda a, b: float(a != b)),
}


@each(("kind", "rho"), CASES.values())
@each("seed", range(5))
def test_the_distance_to_a_gap_is_that_of_double_sums(kind, rho, seed):
    rng = np.random.default_rng(seed)
    column = rng.integers(-4, 5, 40).astype(float) * rng.choice([1.0, 0.37])
    column[rng.random(40) < 0.3] = NAN
    made = kind.of(column)
    new = np.array([*column[~np.isnan(column)][:5], -100.0, 0.123, 100.0])
    expected = [brute(column, x, rho) for x in new]
    np.testing.assert_allclose(made.unit * made.to_gap(new), [h for h, _ in expected], rtol=1e-12)
    assert made.unit * made.spread == pytest.approx(expected[0][1], rel=1e-12)
    assert made.n == np.count_nonzero(~np.isnan(column))


@each("kind", [LineDistribution, CategoryDistribution])
def test_the_stand_in_and_the_correction_are_the_distance_to_a_gap(kind):
    column = np.array([3.0, NAN, 3.0, 8.0, -1.0, NAN])
    made = kind.of(column)
    filled = made.filled(column)
    there = ~np.isnan(column)
    assert np.array_equal(filled[there], column[there])
    assert not np.isnan(filled).any()
    v = filled[1]
    rho = np.abs(column - v) / made.unit if kind is LineDistribution else (column != v) * 1.0
    np.testing.assert_allclose((rho + made.corrections(column))[there], made.to_gap(column)[there])
    assert made.corrections(column)[~there].tolist() == [0.0, 0.0]


def test_a_category_of_its_own_stands_in_for_a_gap():
    filled = CategoryDistribution.of(np.array([1.0, 2.0])).filled(np.array([1.0, NAN, np.inf]))
    assert len({*filled.tolist()}) == 3
    X = np.array([[1.0, 2.0]])
    assert filled_apart(X) is X


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


@each("kind", [LineDistribution, CategoryDistribution])
def test_no_entries_and_one_entry(kind):
    none = kind.of(np.array([NAN, NAN]))
    assert (none.spread, none.n, none.corrections(np.array([1.0, NAN])).tolist()) == (0, 0, [0, 0])
    one = kind.of(np.array([5.0, NAN]))
    assert one.spread == 0
    assert one.to_gap(np.array([5.0])).tolist() == [0.0]


def test_pickling_keeps_entries_and_makes_sums_anew():
    line = LineDistribution.of(np.array([3.0, 1.0, NAN, 1.0]))
    before = line.to_gap(np.array([2.0]))
    again = pickle.loads(pickle.dumps(line))
    assert set(vars(again)) == {"values", "counts"}
    assert np.array_equal(again.to_gap(np.array([2.0])), before)


def test_has_gaps():
    X = np.array([[1.0, NAN, np.inf], [2.0, 3.0, -np.inf]])
    assert has_gaps(X).tolist() == [False, True, False]
    assert has_gaps(X[:1]).tolist() == [False, True, False]


def by_formula(c, m):
    return c @ m.T + m @ c.T


@each("n_columns", [1, 3, 40])
@each("scale", [1.0, 1e12, 1e-12])
def test_what_gaps_add_is_a_difference_of_squares(n_columns, scale):
    rng = np.random.default_rng(n_columns)
    m = (rng.random((50, n_columns)) < 0.4).astype(float)
    c = scale * rng.normal(size=m.shape) * (1 - m)
    term = Term(np.hstack([c, m]), codes.GAPS, codes.SCALE, 0.5, 3.0)
    base = Term(np.zeros((50, 1)), codes.ABSOLUTE, codes.SCALE, 1.0, 1.0)
    made = all_pairs([base, term])
    np.testing.assert_allclose(made, 1.5 * by_formula(c, m), rtol=1e-12, atol=1e-13 * scale)


def test_equal_points_with_many_gaps_are_at_zero():
    """Squares of many columns would be expanded, and not cancel."""
    rng = np.random.default_rng(0)
    m = (rng.random((5, 100)) < 0.5).astype(float)
    coordinates = np.repeat(np.hstack([rng.normal(size=m.shape) * (1 - m), m]), 2, axis=0)
    base = Term(np.zeros((10, 1)), codes.ABSOLUTE, codes.SCALE, 1.0, 1.0)
    rho = all_pairs([base, Term(coordinates, codes.GAPS, codes.SCALE, 1.0, 1.0)])
    assert [rho[2 * i, 2 * i + 1] for i in range(5)] == [0.0] * 5


def test_terms_without_gaps_stay_as_they_are():
    term = Term(np.zeros((2, 1)), codes.SQUARED, codes.POWER, 0.5, 1.0)
    assert as_differences(term) == [term]


def test_the_term_of_gaps():
    X = np.array([[1.0, NAN], [2.0, 5.0], [NAN, 5.0], [6.0, 7.0]])
    line = LineDistribution.of(X[:, 0])
    term = gap_term(X, [0], [line], [line.unit], scale=2.0)
    assert (term.delta, term.phi, term.parameter) == (codes.GAPS, codes.SCALE, 2.0)
    assert term.coordinates[:, 1].tolist() == [0, 0, 1, 0]
    # h(x) − |x − 2| with h(1) = 6/3 − 10/9, h(2) = 5/3 − 10/9, h(6) = 9/3 − 10/9
    np.testing.assert_allclose(term.coordinates[:, 0], [-1 / 9, 5 / 9, 0, -19 / 9])
    assert gap_term(X.astype(np.float32), [0], [line], [1.0]).coordinates.dtype == np.float32
