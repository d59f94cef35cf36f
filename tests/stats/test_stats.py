"""Energy distances, dispersions and tests: against definitions, brute force, scipy and by hand."""

import itertools
import math
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats as scipy_stats
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

import kgroups as kg
from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import (
    ColumnSum,
    DampedSquared,
    Energy,
    Gaussian,
    Hamming,
    Jaccard,
    Laplacian,
    Manhattan,
    kernel_from_semimetric,
)
from kgroups.solvers import objective as spec
from kgroups.stats import (
    _permutations,
    between_statistic,
    disco,
    energy_distance,
    energy_test,
    mmd,
    within_dispersion,
)
from kgroups.stats.group_means import GroupMeans
from kgroups.stats.mean_distances import group_means, pairs_of
from kgroups.stats.samples import read

MIXED = ColumnSum([(Energy(), [0]), (Energy(2.0), [1, 2], 0.5), (Hamming(), [3], 2.0)])
METRICS = [
    Energy(),
    Energy(0.5),
    Energy(2.0),
    Manhattan(),
    Laplacian(0.7),
    Gaussian("median"),
    MIXED,
    ColumnSum([(Energy(2.0), [0]), (Manhattan(), slice(1, None))]),
    Jaccard(),
]


def points(rng, n, d=4):
    X = rng.normal(size=(n, d))
    X[:, -1] = rng.integers(3, size=n)
    return X


def means_of(rho, weights, labels, k):
    """g(C_a, C_b) by the definition."""
    Z = np.zeros((k, len(rho)))
    Z[labels, np.arange(len(rho))] = weights
    s = Z.sum(axis=1)
    return Z @ rho @ Z.T / np.outer(s, s)


def brute_energy(rho, n, wx, wy, unbiased=False):
    """2E ρ(X,Y) − E ρ(X,X') − E ρ(Y,Y') by sums over all pairs, one at a time."""

    def inside(rows, w):
        pairs = [(i, j) for i in range(len(w)) for j in range(len(w)) if not (unbiased and i == j)]
        total = sum(w[i] * w[j] for i, j in pairs)
        return sum(w[i] * w[j] * rho[rows[i], rows[j]] for i, j in pairs) / total

    X, Y = np.arange(n), np.arange(n, len(rho))
    across = wx @ rho[:n, n:] @ wy / (wx.sum() * wy.sum())
    return 2 * across - inside(X, wx) - inside(Y, wy)


# --- energy distance -------------------------------------------------------------------------


@pytest.mark.nojit
@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_energy_distance_is_its_definition(metric, unbiased):
    rng = np.random.default_rng(0)
    both = points(rng, 23)
    rho = metric.pairwise(both)
    ones = brute_energy(rho, 9, np.ones(9), np.ones(14), unbiased)
    found = energy_distance(both[:9], both[9:], metric=metric, unbiased=unbiased)
    assert found == pytest.approx(ones, rel=1e-12)
    wx, wy = rng.uniform(size=9), rng.uniform(size=14)
    wx[2] = 0
    weighted = energy_distance(
        both[:9], both[9:], metric=metric, unbiased=unbiased,
        sample_weight_X=wx * 1e200, sample_weight_Y=wy * 1e-3,
    )  # fmt: skip
    assert weighted == pytest.approx(brute_energy(rho, 9, wx, wy, unbiased), rel=1e-11)


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(5))
def test_energy_distance_on_a_line_is_the_square_of_scipys(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=30).round(1), rng.exponential(size=50).round(1)  # with ties
    wx, wy = rng.uniform(size=30), rng.uniform(size=50)
    plain = scipy_stats.energy_distance(x, y) ** 2
    assert energy_distance(x, y) == pytest.approx(plain, rel=1e-12)
    weighted = scipy_stats.energy_distance(x, y, wx, wy) ** 2
    found = energy_distance(x, y, sample_weight_X=wx, sample_weight_Y=wy)
    assert found == pytest.approx(weighted, rel=1e-12)


def test_a_hundred_thousand_points_on_a_line_agree_with_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=100_000), rng.normal(size=100_000)
    assert energy_distance(x, y) == pytest.approx(scipy_stats.energy_distance(x, y) ** 2, rel=1e-9)


@pytest.mark.nojit
@pytest.mark.parametrize("metric", [Energy(), Manhattan(), Energy(2.0), Energy(0.5)], ids=repr)
def test_far_from_the_origin_nothing_is_lost(metric):
    """Coordinates in sixteenths, so that the shift rounds nothing."""
    rng = np.random.default_rng(2)
    x, y = rng.integers(64, size=(40, 1)) / 16, rng.integers(4, 80, size=(30, 1)) / 16
    near = energy_distance(x, y, metric=metric)
    assert energy_distance(x + 1e8, y + 1e8, metric=metric) == pytest.approx(near, rel=1e-12)


@pytest.mark.nojit
def test_energy_distance_by_hand():
    assert energy_distance([0.0, 2.0], [5.0]) == 2 * 4 - 1 - 0
    assert energy_distance([0.0, 2.0], [5.0, 5.0], unbiased=True) == 2 * 4 - 2 - 0
    assert energy_distance([3.0], [3.0]) == 0
    assert energy_distance([[0.0, 0.0]], [[3.0, 4.0]]) == 10


def test_equal_samples_are_at_distance_zero_and_never_below():
    rng = np.random.default_rng(3)
    for metric in METRICS:
        X = points(rng, 40)
        found = energy_distance(X, X[rng.permutation(40)], metric=metric)
        assert 0 <= found <= 1e-14
        assert mmd(X, X, metric=metric) == 0


@pytest.mark.nojit
def test_tiny_distances_are_kept_where_no_difference_makes_them():
    """One of 10⁴ points moves by 1e-9: 𝓔 = 2 · 1e-8 · 1e-9 on the line, 2 · 1e-26 by squares."""
    x = np.arange(10_000.0)
    y = x.copy()
    y[0] -= 1e-9
    assert energy_distance(x, y) == pytest.approx(2e-17, rel=1e-12)
    assert energy_distance(x, y, metric=Energy(2.0)) == pytest.approx(2e-26, rel=1e-3)


@pytest.mark.nojit
def test_float32_is_summed_in_float64():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    Y = rng.normal(size=(60, 3)).astype(np.float32)
    expected = energy_distance(X.astype(np.float64), Y.astype(np.float64))
    assert energy_distance(X, Y) == expected


def test_mmd_is_that_of_the_kernel():
    rng = np.random.default_rng(5)
    X, Y, sigma = rng.normal(size=(30, 2)), rng.normal(0.5, size=(40, 2)), 1.3
    gamma = 1 / (2 * sigma**2)
    Kxx, Kyy, Kxy = rbf_kernel(X, X, gamma), rbf_kernel(Y, Y, gamma), rbf_kernel(X, Y, gamma)
    squared = Kxx.mean() + Kyy.mean() - 2 * Kxy.mean()
    assert mmd(X, Y, metric=Gaussian(sigma), squared=True) == pytest.approx(squared, rel=1e-12)
    assert mmd(X, Y, metric=Gaussian(sigma)) == pytest.approx(np.sqrt(squared), rel=1e-12)
    unbiased = (
        (Kxx.sum() - 30) / (30 * 29) + (Kyy.sum() - 40) / (40 * 39) - 2 * Kxy.mean()
    )  # Gretton et al. (2012), eq. 3
    found = mmd(X, Y, metric=Gaussian(sigma), unbiased=True, squared=True)
    assert found == pytest.approx(unbiased, rel=1e-11)


@pytest.mark.nojit
def test_a_negative_unbiased_square_has_the_root_zero():
    x, y = [0.0, 1.0], [0.0, 1.0]  # 2·½ − 1 − 1 = −1, half of it
    assert mmd(x, y, unbiased=True, squared=True) == -0.5
    assert mmd(x, y, unbiased=True) == 0.0


# --- what samples may be ---------------------------------------------------------------------


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
        ([[1e200, 0.0]], [[0.0, 0.0]], {"metric": Energy(0.5)}, ValueError, "not a finite number"),
        ([[1.0], [1.0, 2.0]], [[1.0]], {}, ValueError, "X has rows of unequal length"),
        ("ab", "cd", {}, TypeError, "X must be a table or a sequence; got str"),
        (np.float64(1), [1.0], {}, TypeError, "X must be a table or a sequence; got float64"),
        (csr_array(np.eye(2)), np.eye(2), {}, TypeError, "X is sparse"),
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


# --- dispersions -----------------------------------------------------------------------------


@pytest.mark.nojit
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_dispersions_are_those_of_the_specification(metric):
    rng = np.random.default_rng(8)
    X, labels, w = points(rng, 40), rng.integers(3, size=40), rng.uniform(size=40)
    w[:3] = 0
    G = -0.5 * metric.pairwise(X)
    W = -spec.objective(G, labels, w, 3)
    total = -spec.objective(G, np.zeros(40, int), w, 1)
    found = within_dispersion(X, labels, metric=metric, sample_weight=w)
    between = between_statistic(X, labels, metric=metric, sample_weight=w)
    assert found == pytest.approx(W, rel=1e-12)
    assert between == pytest.approx(total - W, rel=1e-10)
    assert found + between == pytest.approx(total, rel=1e-12)


@pytest.mark.nojit
def test_matrices_give_the_same_as_points():
    rng = np.random.default_rng(9)
    X, labels, w = rng.normal(size=(30, 2)), rng.integers(4, size=30), rng.uniform(size=30)
    rho = Energy().pairwise(X)
    K = kernel_from_semimetric(rho, origin=3)
    W = within_dispersion(X, labels, sample_weight=w)
    S = between_statistic(X, labels, sample_weight=w)
    inputs = [("precomputed", rho), ("precomputed_kernel", K), ("precomputed_kernel", csr_array(K))]
    for metric, matrix in inputs:
        options = {"metric": metric, "sample_weight": w}
        assert within_dispersion(matrix, labels, **options) == pytest.approx(W, rel=1e-12)
        assert between_statistic(matrix, labels, **options) == pytest.approx(S, rel=1e-12)
    Q = spec.objective(K, labels, w, 4)
    assert pytest.approx(w @ np.diag(K) - Q, rel=1e-12) == W


def test_dispersions_of_a_fit():
    rng = np.random.default_rng(10)
    X, w = rng.normal(size=(80, 3)), rng.uniform(size=80)
    model = kg.KernelKGroups(3, random_state=0, n_init=2).fit(X, sample_weight=w)
    W = within_dispersion(X, model.labels_, sample_weight=w)
    S = between_statistic(X, model.labels_, sample_weight=w)
    assert pytest.approx(model.within_dispersion_, rel=1e-12) == W
    assert pytest.approx(model.between_statistic_, rel=1e-11) == S


@pytest.mark.nojit
def test_dispersions_by_hand_with_labels_of_any_kind():
    X = [0.0, 1.0, 10.0, 12.0]
    for labels in (["a", "a", "b", "b"], [7, 7, -1, -1], [True, True, False, False]):
        assert within_dispersion(X, labels) == 1.5  # ½ + 2/2
        assert between_statistic(X, labels) == 9.75  # 11.25 less that
    assert within_dispersion(X, ["all"] * 4) == 11.25
    assert between_statistic(X, ["all"] * 4) == 0
    assert within_dispersion(X, [1, 2, 3, 4]) == 0


@pytest.mark.nojit
def test_a_group_without_weight_counts_nothing():
    X, labels = [0.0, 1.0, 10.0, 12.0], ["a", "a", "b", "b"]
    for metric, far in itertools.product((Energy(), Energy(0.5), Energy(2.0)), (-9.0, 5.0, 99.0)):
        options = {"metric": metric, "sample_weight": [1, 1, 1, 1, 0]}
        for statistic in (within_dispersion, between_statistic):
            found = statistic([*X, far], [*labels, "c"], **options)
            assert found == pytest.approx(statistic(X, labels, metric=metric), rel=1e-14)


@pytest.mark.nojit
@pytest.mark.parametrize("unit", [1e-200, 1e200])
@pytest.mark.parametrize("metric", [Energy(), Energy(0.5), Energy(2.0)], ids=repr)
def test_the_unit_of_weights_is_that_of_dispersions(metric, unit):
    rng = np.random.default_rng(24)
    X, labels, w = rng.normal(size=(20, 1)), rng.integers(3, size=20), rng.uniform(size=20)
    for statistic in (within_dispersion, between_statistic):
        plain = statistic(X, labels, metric=metric, sample_weight=w)
        found = statistic(X, labels, metric=metric, sample_weight=unit * w)
        assert found / unit == pytest.approx(plain, rel=1e-12)


@pytest.mark.nojit
def test_groups_whose_weights_are_far_apart():
    """S = s_a/2 · 𝓔 = 1e-200 · (2 · 7.5 − 2.5 − 1) for s_b without bound; W = 1e200."""
    X, labels, w = [0.0, 5.0, 9.0, 11.0], [0, 0, 1, 1], [1e-200, 1e-200, 1e200, 1e200]
    assert between_statistic(X, labels, sample_weight=w) == pytest.approx(11.5e-200, rel=1e-14)
    assert within_dispersion(X, labels, sample_weight=w) == pytest.approx(1e200, rel=1e-14)


@pytest.mark.nojit
def test_weights_whose_sums_overflow():
    for statistic in (within_dispersion, between_statistic):
        with pytest.raises(ValueError, match=r"sample_weight is too large, up to 1e\+308"):
            statistic([0.0, 1.0, 20.0, 30.0], [0, 0, 1, 1], sample_weight=[1e308] * 4)


def dispersions_of_squares(x, labels):
    """W and S for ρ = (x − y)² in rational numbers."""
    groups = [[Fraction(v) for v in x[labels == g].tolist()] for g in np.unique(labels)]

    def about_mean(values):
        mean = sum(values) / len(values)
        return sum((v - mean) ** 2 for v in values)

    W = sum(about_mean(values) for values in groups)
    return W, about_mean([v for values in groups for v in values]) - W


@pytest.mark.parametrize("apart", [1e4, 1e8, 1e12])
def test_far_groups_lose_no_digits(apart):
    rng = np.random.default_rng(25)
    groups = [rng.normal(size=50), rng.normal(size=60) + apart, rng.normal(size=55) - 3 * apart]
    x, labels = np.concatenate(groups), np.repeat([0, 1, 2], [50, 60, 55])
    W, S = dispersions_of_squares(x, labels)
    for metric, scale in ((Energy(2.0), 1.0), (ColumnSum([(Energy(2.0), [0], 0.7)]), 0.7)):
        found = disco(x[:, None], labels, metric=metric, n_permutations=9, random_state=0)
        assert found.within == pytest.approx(scale * float(W), rel=1e-13)
        assert found.between == pytest.approx(scale * float(S), rel=1e-13)
        assert found.statistic == pytest.approx(float(S / 2 / (W / 162)), rel=1e-13)
    if apart == 1e4:
        expected = scipy_stats.f_oneway(*groups).statistic
        assert found.statistic == pytest.approx(expected, rel=1e-6)
    for metric in (Energy(), Energy(0.5), Manhattan()):
        X = np.c_[x, x / 2]
        terms = [
            rho.sum() / (2 * len(rho))
            for rho in (metric.pairwise(X[labels == g]) for g in range(3))
        ]
        found = disco(X, labels, metric=metric, n_permutations=9, random_state=0)
        assert found.within == pytest.approx(math.fsum(terms), rel=1e-12)
        test = energy_test(X, labels=labels, metric=metric, n_permutations=9, random_state=0)
        assert test.within == found.within == within_dispersion(X, labels, metric=metric)
        assert test.between == found.between == between_statistic(X, labels, metric=metric)
        assert test.statistic == pytest.approx(test.energy.sum() / 2, rel=1e-14)


def test_times_in_seconds_a_year_apart():
    rng = np.random.default_rng(26)
    x = 1.7e9 + np.r_[rng.normal(size=50) * 60, rng.normal(size=60) * 60 + 86_400 * 365]
    labels = np.repeat([0, 1], [50, 60])
    W, S = dispersions_of_squares(x, labels)
    found = disco(x[:, None], labels, metric=Energy(2.0), n_permutations=9)
    assert found.statistic == pytest.approx(float(S / (W / 108)), rel=1e-13)
    assert found.statistic == pytest.approx(
        scipy_stats.f_oneway(x[:50], x[50:]).statistic, rel=1e-3
    )


def test_a_point_without_weight_is_no_origin():
    x = np.random.default_rng(27).normal(size=30)
    options = {"metric": Energy(2.0), "sample_weight": np.r_[0, np.ones(30), 0]}
    found = within_dispersion(np.r_[1e15, x, 1e15], np.zeros(32), **options)
    assert found == pytest.approx(np.var(x) * 30, rel=1e-13)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_rounding_does_not_leave_the_range(metric):
    """W, S and 𝓔 not negative, shares and coefficients in [0, 1]; all 0 for equal samples."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = points(rng, 30)
        test = energy_test(X, X[rng.permutation(30)], metric=metric, n_permutations=1)
        assert 0 <= test.statistic <= 1e-28
        assert test.coefficient <= 1e-28
        constants = np.repeat(points(rng, 2), [11, 17], axis=0)
        labels = np.repeat([0, 1], [11, 17])
        test = energy_test(constants, labels=labels, metric=metric, n_permutations=1)
        assert 0 <= test.within <= 1e-15
        assert 0 <= test.explained <= 1
        assert np.all((test.coefficients >= 0) & (test.coefficients <= 1))
        variance = disco(constants, labels, metric=metric, n_permutations=1)
        assert (variance.within, variance.explained) == (test.within, test.explained)


def test_without_negative_type_shares_may_leave_the_range():
    """𝓔 = 2·1 − 5 − 5 = T, S = 4/8 of it, W = 5 + 5."""
    rho = np.array([[0, 10, 1, 1], [10, 0, 1, 1], [1, 1, 0, 10], [1, 1, 10, 0]], float)
    labels = [0, 0, 1, 1]
    test = energy_test(rho, labels=labels, metric="precomputed", n_permutations=5)
    assert (test.statistic, test.coefficient) == (-8, -4)
    assert (test.within, test.between) == (10, -4)
    variance = disco(rho, labels, metric="precomputed", n_permutations=5)
    assert test.explained == variance.explained == pytest.approx(-4 / 6)
    assert variance.statistic == pytest.approx(-4 / (10 / 2))


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 1], "one label for each of the 3 points; got shape"),
        ([0, 1, None], "labels is missing for row 2"),
        ([0.0, np.nan, np.nan], r"labels is missing for row 1 \(2 of 3\)"),
        (pd.Series(["a", pd.NA, "b"]), "labels is missing for row 1"),
        (["a", np.nan, "b"], "labels is missing for row 1"),
        (np.array(["a", 1, "b"], dtype=object), "of one kind"),
        (["1", 1, 1], "of one kind"),
    ],
)
def test_labels_that_name_no_groups(labels, words):
    with pytest.raises(ValueError, match=words):
        within_dispersion([1.0, 2.0, 3.0], labels)


# --- permutations ----------------------------------------------------------------------------


def seen_labels(labels, n_permutations, seed):
    """All labelings of a test with that seed, in the order of the groups."""
    sizes = np.bincount(labels)
    order = np.argsort(sizes, kind="stable")
    place = np.argsort(order)
    permuted = _permutations.Permuted(place[labels], sizes[order], seed)
    pieces = [
        permuted.rows(a, min(a + 32, n_permutations + 1)) for a in range(0, n_permutations + 1, 32)
    ]
    return order[np.concatenate(pieces)]


@pytest.mark.nojit
@pytest.mark.parametrize("metric", METRICS, ids=repr)
@pytest.mark.parametrize("columns", [64, 20])  # of 32 permutations, and of 8
def test_every_permutation_is_recomputed_by_the_definition(metric, columns, monkeypatch):
    rng = np.random.default_rng(11)
    X = points(rng, 14)
    labels = np.repeat([0, 1, 2], [5, 7, 2])
    monkeypatch.setattr(_permutations, "_ROWS", 5)
    monkeypatch.setattr(_permutations, "_COLUMNS", 6)
    monkeypatch.setattr(_permutations, "_BATCH_COLUMNS", columns)  # several batches
    space, data = read(X, metric)
    _, found = _permutations.permuted_statistics(
        pairs_of(space, data, 1), labels, 3, 40, 5, 2,
        lambda means: np.concatenate([means.within[:, None], means.energy], axis=1),
    )  # fmt: skip
    rho = metric.pairwise(X)
    for number, permuted in enumerate(seen_labels(labels, 40, 5)):
        assert np.bincount(permuted).tolist() == [5, 7, 2]
        expected = GroupMeans.of_pairs(means_of(rho, np.ones(14), permuted, 3))
        np.testing.assert_allclose(found[number, 0], expected.within, atol=1e-13)
        np.testing.assert_allclose(found[number, 1:], expected.energy, atol=1e-13)


@pytest.mark.nojit
def test_matrices_permute_like_points():
    rng = np.random.default_rng(12)
    X, labels = rng.normal(size=(40, 2)), rng.integers(3, size=40)
    options = {"n_permutations": 50, "random_state": 1}
    expected = energy_test(X, labels=labels, **options)
    rho = Energy().pairwise(X)
    K = kernel_from_semimetric(rho, origin=0)
    inputs = [("precomputed", rho), ("precomputed_kernel", K), ("precomputed_kernel", csr_array(K))]
    for metric, matrix in inputs:
        found = energy_test(matrix, labels=labels, metric=metric, **options)
        np.testing.assert_allclose(found.permuted, expected.permuted, rtol=1e-11)
        np.testing.assert_allclose(found.energy, expected.energy, rtol=1e-11)
        assert (found.pvalue, found.metric) == (expected.pvalue, metric)


@pytest.mark.nojit
def test_dispersions_of_permuted_matrices():
    """W, unlike 𝓔, needs ρ itself and not a kernel that generates it."""
    rng = np.random.default_rng(28)
    X, labels = rng.normal(size=(40, 2)), rng.integers(3, size=40)
    options = {"n_permutations": 20, "random_state": 1}
    expected = disco(X, labels, **options)
    K = kernel_from_semimetric(Energy().pairwise(X), origin=0)
    for matrix in (K, csr_array(K)):
        found = disco(matrix, labels, metric="precomputed_kernel", **options)
        np.testing.assert_allclose(found.permuted, expected.permuted, rtol=1e-10)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-11)


@pytest.mark.parametrize("k", [256, 257, 300])
def test_many_groups_have_labels_of_their_own(k):
    rng = np.random.default_rng(k)
    X, labels = rng.normal(size=(2 * k, 2)), np.arange(2 * k) % k
    result = disco(X, labels, n_permutations=3, random_state=np.random.RandomState(0))
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    for number, permuted in enumerate(seen_labels(labels, 3, seed)[1:]):
        W, S = within_dispersion(X, permuted), between_statistic(X, permuted)
        assert result.permuted[number] == pytest.approx(S / (k - 1) / (W / k), rel=1e-10)


@pytest.mark.parametrize("metric", [Energy(), Energy(0.5), Energy(2.0), Manhattan()], ids=repr)
def test_equal_statistics_count_whatever_rounding_says(metric):
    """Samples that change places have the same T; of 35 divisions each is met often."""
    labels = np.repeat([0, 1], 4)
    for number in range(6):
        X = np.random.default_rng(number).normal(size=(8, 3))
        result = energy_test(
            X, labels=labels, metric=metric, n_permutations=299,
            random_state=np.random.RandomState(number),
        )  # fmt: skip
        seed = int(np.random.RandomState(number).randint(2**31 - 1))
        rho = metric.pairwise(X)
        T = np.array(
            [
                2 * GroupMeans.of_pairs(means_of(rho, np.ones(8), permuted, 2)).energy[0, 1]
                for permuted in seen_labels(labels, 299, seed)
            ]
        )
        assert T[0] == pytest.approx(result.statistic, rel=1e-12)
        assert result.pvalue == np.mean(T[0] - 1e-9 <= T)


@pytest.mark.nojit
def test_permutations_are_uniform():
    """6 arrangements of 4 points in two groups of 2, equally often: a chi-squared test."""
    permuted = _permutations.Permuted(np.array([0, 0, 1, 1], np.uint8), np.array([2, 2]), 0)
    rows = np.concatenate([permuted.rows(a, a + 32) for a in range(32, 32 * 101, 32)])
    _, counts = np.unique(rows, axis=0, return_counts=True)
    assert len(counts) == 6
    assert scipy_stats.chisquare(counts).pvalue > 1e-3


def test_p_is_near_that_of_all_permutations():
    rng = np.random.default_rng(20)
    X = rng.normal(size=(9, 2))
    X[:4] += 0.8
    result = energy_test(X[:4], X[4:], n_permutations=9_999, random_state=0)
    rho = cdist(X, X)
    statistics = []
    for group in itertools.combinations(range(9), 4):
        labels = np.ones(9, int)
        labels[list(group)] = 0
        energy = GroupMeans.of_pairs(means_of(rho, np.ones(9), labels, 2)).energy[0, 1]
        statistics.append(energy * 20 / 9)
    exact = np.mean(np.array(statistics) >= statistics[0] - 1e-12)
    assert result.statistic == pytest.approx(statistics[0], rel=1e-12)
    assert 0.01 < exact < 0.5
    error = np.sqrt(exact * (1 - exact) / 9_999)
    assert abs(result.pvalue - exact) < 4 * error


def test_p_depends_on_the_seed_alone(monkeypatch):
    rng = np.random.default_rng(14)
    X, labels = rng.normal(size=(700, 3)), rng.integers(3, size=700)
    for metric in (Energy(), Manhattan()):
        options = {"labels": labels, "metric": metric, "n_permutations": 200}
        one = energy_test(X, random_state=3, n_jobs=1, **options)
        two = energy_test(X, random_state=3, n_jobs=2, **options)
        with monkeypatch.context() as patch:
            patch.setattr(_permutations, "_WORTH_A_THREAD", 1)
            patch.setattr(_permutations, "_BATCH_COLUMNS", 100)
            small = energy_test(X, random_state=3, n_jobs=2, **options)
        np.testing.assert_array_equal(one.permuted, two.permuted)
        assert one.statistic == two.statistic == small.statistic
        np.testing.assert_allclose(small.permuted, one.permuted, rtol=1e-12)
        assert one.pvalue == two.pvalue == small.pvalue
        other = energy_test(X, random_state=4, **options)
        assert not np.allclose(other.permuted, one.permuted)
    few = energy_test(X, labels=labels, n_permutations=50, random_state=3)
    many = energy_test(X, labels=labels, n_permutations=70, random_state=3)
    np.testing.assert_allclose(many.permuted[:50], few.permuted, rtol=1e-12)


# --- the tests -------------------------------------------------------------------------------


@pytest.mark.nojit
def test_energy_test_by_hand():
    """𝓔 = 2·10 − 2·1.25 and 4·4/8 of it."""
    result = energy_test([1.0, 2.0, 3.0, 4.0], [11.0, 12.0, 13.0, 14.0], random_state=0)
    assert result.statistic == 35.0
    np.testing.assert_array_equal(result.energy, [[0, 35], [35, 0]])
    assert result.coefficient == 17.5 / 20
    assert result.sizes == (4, 4)
    assert result.groups == ("sample 1", "sample 2")
    assert result.n_samples == 8
    assert abs(result.pvalue - 2 / 70) < 0.02  # two of the 70 ways to choose four


@pytest.mark.nojit
def test_samples_and_labels_are_two_ways_to_say_the_same():
    rng = np.random.default_rng(15)
    X, labels = rng.normal(size=(50, 2)), np.repeat(["u", "v", "w"], [10, 15, 25])
    apart = energy_test(*(X[labels == g] for g in "uvw"), random_state=0, n_permutations=30)
    together = energy_test(X, labels=labels, random_state=0, n_permutations=30)
    np.testing.assert_array_equal(apart.permuted, together.permuted)
    assert together.groups == ("u", "v", "w")
    assert together.statistic == apart.statistic == pytest.approx(apart.energy.sum() / 2)
    pairwise = energy_distance(X[:10], X[25:]) * 10 * 25 / 35
    assert together.energy[0, 2] == pytest.approx(pairwise, rel=1e-12)
    frame = pd.DataFrame(X, columns=["a", "b"])
    named = energy_test(frame, labels=pd.Series(labels), random_state=0, n_permutations=30)
    assert named.statistic == apart.statistic


@pytest.mark.nojit
@pytest.mark.parametrize("metric", [Energy(), Energy(0.5), Energy(2.0), Manhattan()], ids=repr)
def test_equal_points_give_p_one(metric):
    X = np.full((12, 2), 0.1)
    labels = [0, 1, 2] * 4
    result = energy_test(X, labels=labels, metric=metric, n_permutations=99)
    assert (result.statistic, result.pvalue, result.coefficient) == (0, 1, 0)
    variance = disco(X, labels, metric=metric, n_permutations=99)
    assert (variance.statistic, variance.pvalue, variance.explained) == (0, 1, 0)
    assert np.isfinite(variance.permuted).all()


@pytest.mark.parametrize("d", [1, 3])
def test_samples_with_the_same_points_give_p_one(d):
    """T is its least possible value, 0, so every permutation reaches it."""
    X = np.random.default_rng(16).normal(size=(20, d)) * 1e3
    assert energy_test(X, X.copy(), n_permutations=199, random_state=0).pvalue == 1
    assert disco(np.r_[X, X], [0] * 20 + [1] * 20, n_permutations=199).pvalue == 1


@pytest.mark.nojit
def test_groups_of_one_point():
    X = [0.0, 1.0, 5.0]
    result = energy_test(X[:1], X[1:], random_state=0)
    assert result.statistic == pytest.approx(2 / 3 * (2 * 3 - 0 - 2))
    alone = disco(X, [0, 1, 2], n_permutations=19)
    assert (alone.within, alone.df_within, alone.pvalue) == (0, 0, 1)
    assert alone.statistic == np.inf


@pytest.mark.nojit
def test_disco_by_hand():
    result = disco([0.0, 1.0, 10.0, 12.0], ["a", "a", "b", "b"], random_state=0)
    assert (result.within, result.between, result.total) == (1.5, 9.75, 11.25)
    assert (result.df_between, result.df_within) == (1, 2)
    assert result.statistic == 13.0
    assert result.explained == pytest.approx(9.75 / 11.25)
    assert abs(result.pvalue - 2 / 6) < 0.06


def test_disco_of_squared_distances_is_the_analysis_of_variance():
    rng = np.random.default_rng(17)
    groups = [rng.normal(m, size=n) for m, n in ((0, 8), (0.5, 12), (0, 7))]
    labels = np.repeat([0, 1, 2], [8, 12, 7])
    result = disco(np.concatenate(groups), labels, metric=Energy(2.0), random_state=0)
    expected = scipy_stats.f_oneway(*groups)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert result.pvalue == pytest.approx(expected.pvalue, abs=0.05)


@pytest.mark.nojit
def test_disco_where_only_groups_differ_is_infinite():
    result = disco([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [0, 0, 0, 1, 1, 1], random_state=0)
    assert result.statistic == np.inf
    assert result.explained == 1
    assert abs(result.pvalue - 2 / 20) < 0.04
    # W by differences of sums of distances that are no binary fractions.
    X = np.repeat([[0.1, 0.2], [1.3, 1.7], [0.3, 0.9]], [3, 4, 5], axis=0)
    labels = np.repeat([0, 1, 2], [3, 4, 5])
    for metric in (Energy(0.5), Energy(), Energy(2.0), Manhattan()):
        assert disco(X, labels, metric=metric, n_permutations=9).statistic == np.inf


@pytest.mark.nojit
@pytest.mark.parametrize("unit", [1e-150, 1e150])
@pytest.mark.parametrize("metric", [Energy(), Energy(0.5), Energy(2.0), Manhattan()], ids=repr)
def test_units_change_no_p(metric, unit):
    rng = np.random.default_rng(21)
    X, Y = rng.normal(size=(12, 2)), rng.normal(size=(15, 2))
    options = {"metric": metric, "n_permutations": 49, "random_state": 0}
    plain, scaled = energy_test(X, Y, **options), energy_test(unit * X, unit * Y, **options)
    assert scaled.pvalue == plain.pvalue
    assert scaled.coefficient == pytest.approx(plain.coefficient, rel=1e-11)


@pytest.mark.nojit
def test_what_a_random_state_may_be():
    X, Y = np.arange(9.0), np.arange(5.0) + 0.5
    for make in (lambda: 7, lambda: np.random.RandomState(7), lambda: np.random.default_rng(7)):
        one, two = (energy_test(X, Y, n_permutations=40, random_state=make()) for _ in range(2))
        np.testing.assert_array_equal(one.permuted, two.permuted)
    rng = np.random.default_rng(7)
    one, two = (energy_test(X, Y, n_permutations=40, random_state=rng) for _ in range(2))
    assert (one.permuted != two.permuted).any()


def test_many_groups_take_no_more_memory_than_few():
    """All means at once would take 1000 · 150² numbers, 180 MB, a few times over."""
    rng = np.random.default_rng(22)
    X, labels = rng.normal(size=(300, 1)), np.arange(300) % 150
    disco(X, labels, n_permutations=1)
    tracemalloc.start()
    disco(X, labels, n_permutations=999, n_jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6


def test_a_thread_takes_no_more_than_its_share():
    """Indicators of 4,096 permutations take 42 MB, sums and products of a thread 34 MB."""
    X = np.random.default_rng(29).normal(size=(1100, 3))
    labels = np.arange(1100) % 2
    energy_test(X, labels=labels, n_permutations=1)
    tracemalloc.start()
    energy_test(X, labels=labels, n_permutations=9_999, n_jobs=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6


def test_the_statistic_that_is_permuted_is_the_one_reported():
    """F of a permutation is what disco says of these labels."""
    rng = np.random.default_rng(18)
    X, labels = rng.normal(size=(20, 2)), np.repeat([0, 1], [8, 12])
    result = disco(X, labels, n_permutations=6, random_state=np.random.RandomState(0))
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    for number, permuted in enumerate(seen_labels(labels, 6, seed)[1:]):
        again = disco(X, permuted, n_permutations=1).statistic
        assert result.permuted[number] == pytest.approx(again, rel=1e-11)


def test_results_are_readable():
    X = np.arange(10.0)
    text = str(energy_test(X[:4], X[4:], n_permutations=9, random_state=0))
    assert "2 groups (sample 1: 4, sample 2: 6) by Energy(alpha=1.0)" in text
    assert "p = 0.1 from 9 permutations" in text
    text = str(disco(X, ["a"] * 4 + ["b"] * 6, n_permutations=9, random_state=0))
    assert "between        1" in text
    assert "within         8" in text


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: energy_test([1.0]), "two or more samples; got 1"),
        (energy_test, "two or more samples; got 0"),
        (lambda: energy_test([1.0], [2.0], labels=[0, 1]), "got 2 inputs"),
        (lambda: energy_test([1.0, 2.0], labels=[0, 0]), "only one group, 0"),
        (lambda: energy_test([1.0], [2.0], n_permutations=0), "n_permutations must be .* >= 1"),
        (lambda: energy_test([1.0], [2.0], n_permutations=2.5), "n_permutations must be"),
        (lambda: energy_test([1.0], [2.0], n_jobs=0), "n_jobs=0 has no meaning"),
        (lambda: energy_test([1.0], [[2.0, 3.0]]), "sample 1 has 1 columns and sample 2 has 2"),
        (lambda: energy_test([1e308], [-1e308], metric="manhattan"), "not a finite number"),
        (lambda: energy_test([1e200], [-1e200], metric=Energy(2.0)), "not a finite number"),
        (lambda: within_dispersion([1e200, 0], [0, 0], metric=Energy(2.0)), "not a finite number"),
        (lambda: energy_test([[1e200, 1.0]], [[-1e200, 1.0]]), "not a finite number"),
        (lambda: disco([1.0, 2.0], [0, 0]), "only one group"),
        (lambda: disco([1.0, 2.0], [0, 1], n_permutations=0), "n_permutations must be .* >= 1"),
        (lambda: energy_test(np.ones((3, 2)), labels=[0, 1, 1], metric="precomputed"), "square"),
    ],
)
def test_requests_that_make_no_test(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_group_means_add_up_over_parts_of_the_semimetric():
    rng = np.random.default_rng(19)
    X, labels, w = points(rng, 30), rng.integers(3, size=30), np.ones(30)
    space, data = read(X, MIXED)
    pairs = pairs_of(space, data, 1)
    assert (len(pairs.lines), len(pairs.squares), pairs.gram is None) == (1, 1, False)
    found = group_means(pairs, labels, w, 3)
    expected = GroupMeans.of_pairs(means_of(MIXED.pairwise(X), w, labels, 3))
    np.testing.assert_allclose(found.energy, expected.energy, atol=1e-13)
