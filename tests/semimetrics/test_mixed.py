"""Mixed against double sums."""

import copy
import pickle

import numpy as np
import pytest

from helpers import each
from kgroups.gram.dense import DenseGram
from kgroups.gram.matrix_free import MatrixFreeGram
from kgroups.semimetrics import Mixed, codes, negative_type_violation
from kgroups.testing import check_semimetric

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


def delta_of(d, kinds):
    if kinds.get(d) == "category":
        return lambda a, b: float(a != b)
    return lambda a, b: abs(a - b)


def brute(X, kinds, weights=None, rows=None, missing="distribution"):
    """Σ_d w_d ρ_d / m_d from the definition, with the distributions of X."""
    rows = X if rows is None else rows
    total = np.zeros((len(rows), len(X)))
    for d in range(X.shape[1]):
        rho = delta_of(d, kinds)
        column, new = X[:, d].astype(float), rows[:, d].astype(float)
        if missing == "category" and kinds.get(d) == "category":
            column, new = (np.where(np.isnan(c), -7.0, c) for c in (column, new))
        present = column[~np.isnan(column)]
        mean = np.mean([[rho(a, b) for a in present] for b in present]) if len(present) else 0
        if mean == 0:
            continue
        to_gap = {v: np.mean([rho(v, a) for a in present]) - mean / 2 for v in {*column, *new}}
        for i, x in enumerate(new):
            for j, y in enumerate(column):
                if np.isnan(x) and np.isnan(y):
                    continue
                gap = np.isnan(x) or np.isnan(y)
                part = to_gap[y if np.isnan(x) else x] if gap else rho(x, y)
                total[i, j] += (weights or {}).get(d, 1.0) * part / mean
    return total


@each("missing", ["distribution", "category"])
@each("seed", range(3))
def test_distances_are_those_of_the_definition(seed, missing):
    X, new = table(30, seed), table(8, seed + 10)
    weights = {0: 2.0, 4: 0.5, 5: 0.0}
    rho = Mixed(weights, KINDS, missing).resolve(X)
    np.testing.assert_allclose(
        rho.pairwise(X), brute(X, KINDS, weights, missing=missing), rtol=1e-11, atol=1e-12
    )
    expected = brute(X, KINDS, weights, rows=new, missing=missing)
    np.testing.assert_allclose(rho.pairwise(new, X), expected, rtol=1e-11, atol=1e-12)


def test_no_unit_rules():
    X = table()
    scaled = X * [1e-200, 1, 1e200, 3, 1, -1] + [0, 0, 0, 0, 0, 1]
    one, other = Mixed(kinds=KINDS).pairwise(X), Mixed(kinds=KINDS).pairwise(scaled)
    np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
    whole = table(share=0.0)
    means = Mixed(kinds=KINDS).pairwise(whole).mean()
    assert means == pytest.approx(6, rel=1e-12)  # each column adds its own mean, 1


@each("missing", ["distribution", "category", "error"])
@each("alpha", [1.0, 0.5])
def test_it_is_of_negative_type(missing, alpha):
    share = 0.0 if missing == "error" else 0.4
    for seed in range(3):
        rho = Mixed({0: 3.0}, KINDS, missing, alpha)
        check_semimetric(rho, table(50, seed, share))


def test_partial_distances_are_not_and_say_so():
    rho = Mixed(kinds=KINDS, missing="partial")
    X = table(60, 1, 0.5)
    check_semimetric(rho, X)
    assert not rho.is_negative_type
    assert negative_type_violation(rho.pairwise(X)) > 1e-3
    assert rho.terms(X) is None
    whole = table(20, 2, 0.0)
    np.testing.assert_allclose(rho.pairwise(whole), Mixed(kinds=KINDS).pairwise(whole), rtol=1e-12)
    weighted = Mixed([1, 0, 0, 2, 0, 0], missing="partial").pairwise([[0.0] * 6, [1.0] * 6])
    assert weighted[0, 1] == pytest.approx(3 / 0.5)  # two columns at 1 / mean, of weights 1 and 2


def test_a_power_of_the_sum():
    X = table(40)
    whole = Mixed(kinds=KINDS)
    half = Mixed(kinds=KINDS, alpha=0.5)
    np.testing.assert_allclose(half.pairwise(X), whole.pairwise(X) ** 0.5, rtol=1e-12)
    assert half.terms(X) is None
    assert half.column_terms(X) is None


def test_rows_of_gaps_only_are_at_the_mean_of_everything():
    X = table(25)
    X[[3, 7]] = NAN
    rho = Mixed(kinds=KINDS).pairwise(X)
    assert rho[3, 7] == 0.0
    # ‖φ(x) − μ‖² of every column, at least half of each mean less what is lost to its own spread.
    assert np.delete(rho[3], [3, 7]).min() > 0
    np.testing.assert_allclose(rho[3], brute(X, KINDS)[3], atol=1e-12)


def test_constant_and_empty_columns_contribute_nothing():
    X = np.column_stack([np.arange(5.0), np.full(5, 7.0), np.full(5, NAN)])
    X[2, 1] = NAN
    rho = Mixed().resolve(X)
    np.testing.assert_allclose(rho.pairwise(X), Mixed().pairwise(X[:, :1]))
    new = np.array([[0.0, 9.0, 3.0]])
    assert rho.pairwise(new, X)[0, 0] == 0.0
    nothing = np.full((3, 2), 4.0)
    assert not Mixed().pairwise(nothing).any()


def test_a_table_without_gaps_has_no_coordinates_for_them():
    X = table(share=0.0)
    forms = [term.delta for term in Mixed(kinds=KINDS).terms(X)]
    assert forms == [codes.ABSOLUTE, codes.MISMATCH, codes.MISMATCH]
    X[5, 2] = NAN
    settled = Mixed(kinds=KINDS).resolve(X)
    *others, gaps = settled.terms(X)
    assert [term.delta for term in others] == forms
    assert (gaps.delta, gaps.coordinates.shape) == (codes.GAPS, (len(X), 2))
    assert [term.delta for term in settled.terms(X[:5])] == forms  # the gap is in the next row
    new = table(1, share=0.0)
    new[0, 0] = NAN
    assert settled.terms(new)[-1].coordinates.shape == (1, 2)
    alone = Mixed(kinds=KINDS, missing="category").resolve(X).terms(new)
    assert [term.delta for term in alone] == [*forms, codes.GAPS]


def test_columns_of_the_terms():
    X = table()
    found = Mixed(kinds=KINDS).column_terms(X)
    assert [columns for _, columns in found] == [
        [0, 2, 3, 5], [1], [4], [0, 2, 3, 5, 1, 4],
    ]  # fmt: skip


@each("dtype", [np.float64, np.float32])
def test_every_operator_agrees(dtype):
    X = table(80, dtype=dtype)
    settled = Mixed(kinds=KINDS).resolve(X)
    rho = -2 * DenseGram.from_points(X, settled).to_dense()
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(rho, brute(X, KINDS), rtol=tolerance, atol=10 * tolerance)
    free = MatrixFreeGram.from_points(X, settled)
    np.testing.assert_allclose(-2 * free.to_dense(), rho, rtol=tolerance, atol=10 * tolerance)
    assert settled.pairwise(X).dtype == dtype


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


def test_weights_and_kinds_by_name():
    X = table()
    names = list("abcdef")
    settled = Mixed({"a": 2.0}, {"b": "category", "e": "category"}).resolve(X, names)
    np.testing.assert_array_equal(settled.pairwise(X), Mixed({0: 2.0}, KINDS).pairwise(X))
    assert Mixed(kinds={"b": "date"}).kinds_by_position(2, ["a", "b"]) == [None, "date"]
