"""Semimetrics against hand-worked values, scipy and scikit-learn, and against their own claims."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import kendalltau
from sklearn.base import clone
from sklearn.metrics.pairwise import haversine_distances
from sklearn.model_selection import GridSearchCV

from kgroups import KernelKGroups
from kgroups.semimetrics import (
    ColumnSum,
    DampedSquared,
    Energy,
    Gaussian,
    GreatCircle,
    Hamming,
    Hellinger,
    Jaccard,
    JensenShannon,
    KendallTau,
    Laplacian,
    Manhattan,
    PairFunction,
    SineSquared,
    by_name,
    kernel_from_semimetric,
    negative_type_violation,
    semimetric_from_kernel,
)
from kgroups.semimetrics.coordinates import MEDIAN_SAMPLE

# --- data for each kind of semimetric ----------------------------------------------------------


def numbers(rng, n, d=5):
    return rng.normal(size=(n, d))


def histograms(rng, n, d=5):
    return rng.gamma(0.5, size=(n, d)) * rng.integers(0, 2, size=(n, d)) + np.eye(n, d) + 1e-3


def sets(rng, n, d=5):
    return rng.integers(0, 2, size=(n, d)).astype(float)


def codes(rng, n, d=5):
    return rng.integers(0, 4, size=(n, d)).astype(float)


def rankings(rng, n, d=5):
    return rng.permuted(np.tile(np.arange(d, dtype=float), (n, 1)), axis=1)


def places(rng, n, d=2):
    return np.column_stack([rng.uniform(-90, 90, n), rng.uniform(-180, 180, n)])


def total(D):
    """A sum over the first column and all columns, for tables of any width."""
    return ColumnSum([(Energy(0.7), [0]), (Manhattan(), slice(None), 0.5)])


NEGATIVE_TYPE = {
    "energy-0.5": (Energy(0.5), numbers),
    "energy-1": (Energy(), numbers),
    "energy-1.3": (Energy(1.3), numbers),
    "energy-1.5": (Energy(1.5), numbers),
    "energy-2": (Energy(2.0), numbers),
    "laplacian": (Laplacian(sigma=0.8), numbers),
    "gaussian": (Gaussian(sigma=1.7), numbers),
    "manhattan": (Manhattan(), numbers),
    "hamming": (Hamming(), codes),
    "jensen_shannon": (JensenShannon(), histograms),
    "hellinger": (Hellinger(), histograms),
    "great_circle": (GreatCircle(radius=2.0), places),
    "kendall_tau": (KendallTau(), rankings),
    "jaccard": (Jaccard(), sets),
    "column_sum": (total(5), numbers),
}
CLAIM_NOTHING = {
    "damped_squared": (DampedSquared(), numbers),
    "sine_squared": (SineSquared(), numbers),
}
ALL = {**NEGATIVE_TYPE, **CLAIM_NOTHING}
COORDINATE = {k: v for k, v in ALL.items() if k not in ("jaccard", "column_sum")}


def each(cases):
    return pytest.mark.parametrize(("rho", "draw"), cases.values(), ids=cases.keys())


# --- values ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rho", "x", "y", "value"),
    [
        (Energy(1.0), [0.0, 0.0], [3.0, 4.0], 5.0),
        (Energy(2.0), [0.0, 0.0], [3.0, 4.0], 25.0),
        (Energy(0.5), [0.0], [9.0], 3.0),
        (Energy(1.5), [1.0], [5.0], 8.0),
        (Energy(1.3), [0.0], [2.0], 2**1.3),
        (Laplacian(sigma=1.5), [0.0, 0.0], [3.0, 4.0], 2 - 2 * np.exp(-5 / 3)),
        (Gaussian(sigma=3.0), [0.0, 0.0], [3.0, 4.0], 2 - 2 * np.exp(-25 / 18)),
        (DampedSquared(), [0.0, 0.0], [3.0, 4.0], 25 * np.exp(-2.5)),
        (SineSquared(theta=2.0), [0.0, 0.0], [3.0, 4.0], 25 * 2 * np.sin(2.5)),
        (Manhattan(), [1.0, -1.0], [-2.0, 1.0], 5.0),
        (Hamming(), [1, 2, 3, 4], [1, 0, 3, 0], 0.5),
        (JensenShannon(), [1, 1], [1, 0], 0.75 * np.log(4 / 3)),
        (JensenShannon(), [1, 0], [0, 7], np.log(2)),
        (Hellinger(), [1, 1], [2, 0], np.sqrt(1 - np.sqrt(0.5))),
        (GreatCircle(), [0, 0], [0, 90], np.pi / 2),
        (GreatCircle(radius=2.0), [90, 0], [-90, 0], 2 * np.pi),
        (GreatCircle(), [0, 179], [0, -179], np.pi / 90),
        (KendallTau(), [1, 2, 3], [1, 3, 2], 1 / 3),
        (KendallTau(), [1, 2], [5, 5], 0.5),
        (KendallTau(), [1, 2, 3], [1, 1, 1], 0.5),
        (Jaccard(), [1, 1, 0, 0], [0, 1, 1, 0], 2 / 3),
        (Jaccard(), [0, 0, 0, 0], [0, 0, 0, 0], 0.0),
        (Jaccard(), [0, 0, 0, 0], [0, 5, 0, 0], 1.0),
    ],
)
def test_values_worked_by_hand(rho, x, y, value):
    assert rho.pairwise([x], [y]).item() == pytest.approx(value, rel=1e-14)
    assert rho.pairwise([x, y])[0, 1] == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("alpha", [0.25, 0.5, 0.9, 1.0, 1.5, 1.99, 2.0])
def test_energy_is_a_power_of_the_euclidean_distance(alpha):
    rng = np.random.default_rng(0)
    X, Y = numbers(rng, 70), numbers(rng, 40)
    np.testing.assert_allclose(Energy(alpha).pairwise(X, Y), cdist(X, Y) ** alpha, rtol=1e-13)


@pytest.mark.parametrize(
    ("rho", "draw", "metric", "function"),
    [
        (Manhattan(), numbers, "cityblock", lambda d: d),
        (Hamming(), codes, "hamming", lambda d: d),
        (JensenShannon(), histograms, "jensenshannon", lambda d: d**2),
        (Laplacian(sigma=0.7), numbers, "euclidean", lambda d: 2 - 2 * np.exp(-d / 1.4)),
        (Gaussian(sigma=0.7), numbers, "sqeuclidean", lambda d: 2 - 2 * np.exp(-d / 0.98)),
        (DampedSquared(), numbers, "euclidean", lambda d: d**2 * np.exp(-d / 2)),
        (SineSquared(), numbers, "euclidean", lambda d: d**2 * 0.9 * np.sin(d / 0.9)),
    ],
)
def test_values_against_scipy(rho, draw, metric, function):
    rng = np.random.default_rng(1)
    X, Y = draw(rng, 70), draw(rng, 40)
    np.testing.assert_allclose(rho.pairwise(X, Y), function(cdist(X, Y, metric)), atol=1e-13)


def test_jaccard_against_scipy():
    rng = np.random.default_rng(2)
    X, Y = sets(rng, 50), sets(rng, 40)
    expected = cdist(X.astype(bool), Y.astype(bool), "jaccard")
    np.testing.assert_allclose(Jaccard().pairwise(X, Y), expected, atol=1e-15)


def test_hellinger_is_the_root_of_one_minus_the_overlap_of_the_roots():
    rng = np.random.default_rng(3)
    X, Y = histograms(rng, 30), histograms(rng, 20)
    P, Q = (t / t.sum(axis=1, keepdims=True) for t in (X, Y))
    expected = np.sqrt(1 - np.sqrt(P) @ np.sqrt(Q).T)
    np.testing.assert_allclose(Hellinger().pairwise(X, Y), expected, atol=1e-12)


def test_kendall_tau_is_the_share_of_discordant_pairs():
    rng = np.random.default_rng(4)
    X = rankings(rng, 12, d=7)
    taus = np.array([[kendalltau(x, y).statistic for y in X] for x in X])
    np.testing.assert_allclose(KendallTau().pairwise(X), (1 - taus) / 2, atol=1e-14)
    # Only the order within a row counts.
    np.testing.assert_array_equal(KendallTau().pairwise(np.exp(X)), KendallTau().pairwise(X))


def test_great_circle_against_haversine():
    rng = np.random.default_rng(5)
    X, Y = places(rng, 60), places(rng, 50)
    expected = 6371.0 * haversine_distances(np.radians(X), np.radians(Y))
    np.testing.assert_allclose(GreatCircle(radius=6371.0).pairwise(X, Y), expected, rtol=1e-8)


def test_histograms_are_scaled_to_sum_to_one():
    rng = np.random.default_rng(6)
    X = histograms(rng, 20)
    for rho in (JensenShannon(), Hellinger()):
        scaled = rho.pairwise(X * rng.uniform(0.1, 9, (20, 1)))
        np.testing.assert_allclose(scaled, rho.pairwise(X), atol=1e-7)


# --- shapes and kinds of input -----------------------------------------------------------------


@each(ALL)
@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 129, 700])
def test_every_size_around_tiles_and_threads(rho, draw, n):
    rng = np.random.default_rng(n)
    X = draw(rng, n)
    whole = rho.pairwise(X)
    assert whole.shape == (n, n)
    np.testing.assert_array_equal(whole, whole.T)
    np.testing.assert_array_equal(np.diagonal(whole), 0)
    # A few rows against all, where the tiles lie differently.
    some = rng.permutation(n)[:20]
    np.testing.assert_allclose(rho.pairwise(X[some], X), whole[some], rtol=1e-13, atol=1e-15)


@each(COORDINATE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [65, 500])
def test_a_second_table_equal_to_the_first_changes_no_bit(rho, draw, n, dtype):
    X = draw(np.random.default_rng(7), n).astype(dtype)
    alone = rho.pairwise(X)
    assert alone.dtype == dtype
    np.testing.assert_array_equal(rho.pairwise(X, X), alone)
    np.testing.assert_array_equal(rho.pairwise(X, X.copy()), alone)


@each(ALL)
def test_float32_agrees_with_float64(rho, draw):
    X = draw(np.random.default_rng(8), 100).astype(np.float32)
    single = rho.pairwise(X)
    double = rho.pairwise(X.astype(np.float64))
    assert single.dtype == np.float32
    assert double.dtype == np.float64
    np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-6 * np.abs(double).max())
    np.testing.assert_array_equal(single, single.T)
    np.testing.assert_array_equal(np.diagonal(single), 0)


@pytest.mark.parametrize("rho", [Energy(), Energy(2.0), Manhattan(), Laplacian(), Gaussian()])
def test_float32_far_from_the_origin_loses_nothing_to_the_offset(rho):
    rng = np.random.default_rng(9)
    X = (numbers(rng, 150) + 1e4).astype(np.float32)
    Y = (numbers(rng, 50) + 1e4).astype(np.float32)
    np.testing.assert_allclose(rho.pairwise(X), rho.pairwise(X.astype(float)), rtol=1e-5, atol=1e-7)
    expected = rho.pairwise(X.astype(float), Y.astype(float))
    np.testing.assert_allclose(rho.pairwise(X, Y), expected, rtol=1e-5, atol=1e-7)


@each(ALL)
def test_layout_and_container_do_not_matter(rho, draw):
    X = draw(np.random.default_rng(10), 40)
    expected = rho.pairwise(X)
    locked = X.copy()
    locked.flags.writeable = False
    strided = np.repeat(X, 2, axis=0)[::2]
    for same in (np.asfortranarray(X), locked, strided, X.tolist(), X.astype(object)):
        np.testing.assert_array_equal(rho.pairwise(same), expected)
        np.testing.assert_array_equal(rho.pairwise(X, same), rho.pairwise(X, X))


@each({k: v for k, v in ALL.items() if v[1] in (codes, sets, rankings)})
def test_integers_are_read_as_numbers(rho, draw):
    X = draw(np.random.default_rng(11), 40)
    np.testing.assert_array_equal(rho.pairwise(X.astype(np.int32)), rho.pairwise(X))


def test_integers_do_not_overflow():
    assert Energy().pairwise(np.array([[0], [200]], dtype=np.uint8))[0, 1] == 200
    assert Manhattan().pairwise(np.array([[-100], [100]], dtype=np.int8))[0, 1] == 200


@each(ALL)
def test_an_empty_table_gives_an_empty_matrix(rho, draw):
    X = draw(np.random.default_rng(12), 3)
    assert rho.pairwise(X, X[:0]).shape == (3, 0)
    assert rho.pairwise(X[:0], X).shape == (0, 3)


@each({k: v for k, v in ALL.items() if v[1] is numbers})
@pytest.mark.parametrize("d", [1, 2, 200])
def test_any_number_of_columns(rho, draw, d):
    X = draw(np.random.default_rng(13), 70, d)
    whole = rho.pairwise(X)
    np.testing.assert_allclose(rho.pairwise(X[:10], X), whole[:10], rtol=1e-13)
    assert np.all(np.isfinite(whole))


def test_many_columns_against_scipy():
    rng = np.random.default_rng(14)
    X = numbers(rng, 100, d=200)
    np.testing.assert_allclose(Energy().pairwise(X), cdist(X, X), rtol=1e-12)
    np.testing.assert_allclose(Manhattan().pairwise(X), cdist(X, X, "cityblock"), rtol=1e-12)


def test_a_mixture_of_precisions_is_computed_in_the_wider():
    X = numbers(np.random.default_rng(15), 10)
    assert Energy().pairwise(X.astype(np.float32), X).dtype == np.float64


# --- what a table must be ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rho", "X", "message"),
    [
        (Energy(), [1.0, 2.0], r"X must be a table of shape \(n, D\); got shape \(2,\)"),
        (Energy(), [["a"], ["b"]], "X must hold numbers"),
        (JensenShannon(), [[1, 1], [0, 0]], "row 1 is all zero"),
        (Hellinger(), [[1, 1], [1, -2]], r"row 1, column 1 is -2"),
        (GreatCircle(), [[1, 2, 3]], "two columns, latitude and longitude; got 3"),
        (GreatCircle(), [[10, 0], [91, 0]], r"latitude must lie in \[-90, 90\].*row 1 has 91"),
        (KendallTau(), [[1], [2]], "2 items or more; got 1"),
    ],
)
def test_a_wrong_table_is_named(rho, X, message):
    with pytest.raises(ValueError, match=message):
        rho.pairwise(X)


def test_tables_of_different_width_do_not_compare():
    with pytest.raises(ValueError, match="X has 2 columns and Y has 3"):
        Energy().pairwise([[0.0, 0.0]], [[0.0, 0.0, 0.0]])


# --- parameters --------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0, -1, 2.0001, np.inf, np.nan, True, "1", None, [1.0], 1j])
def test_alpha_must_lie_in_its_interval(alpha):
    with pytest.raises(ValueError, match=r"alpha must be a number in \(0, 2\]"):
        Energy(alpha)


@pytest.mark.parametrize("kind", [Laplacian, Gaussian])
@pytest.mark.parametrize("sigma", [0, -1.0, np.inf, np.nan, True, "mean", None])
def test_sigma_must_be_positive_or_the_median(kind, sigma):
    with pytest.raises(ValueError, match='sigma must be a positive number or "median"'):
        kind(sigma)


@pytest.mark.parametrize("theta", [0, -0.9, np.inf, np.nan, False, "0.9"])
def test_theta_must_be_positive(theta):
    with pytest.raises(ValueError, match="theta must be a positive number"):
        SineSquared(theta)


@pytest.mark.parametrize("radius", [0, -6371.0, np.nan])
def test_radius_must_be_positive(radius):
    with pytest.raises(ValueError, match="radius must be a positive number"):
        GreatCircle(radius)


@pytest.mark.parametrize("alpha", [1, np.int64(1), np.float32(1.0), np.float64(1.0)])
def test_numbers_of_numpy_are_numbers(alpha):
    assert Energy(alpha).pairwise([[0.0], [3.0]])[0, 1] == 3.0


@pytest.mark.parametrize("kind", [Laplacian, Gaussian])
def test_the_median_scale_is_that_of_numpy(kind):
    X = np.vstack([numbers(np.random.default_rng(16), 60)] * 2)  # equal points do not count
    distances = cdist(X, X)[np.triu_indices(120, 1)]
    median = np.median(distances[distances > 1e-12])
    resolved = kind("median").resolve(X)
    assert resolved.sigma == pytest.approx(median, rel=1e-13)
    np.testing.assert_array_equal(kind("median").pairwise(X), resolved.pairwise(X))


def test_the_median_scale_of_many_points_is_that_of_evenly_spaced_rows():
    X = numbers(np.random.default_rng(17), 2 * MEDIAN_SAMPLE - 1, d=1)
    rows = X[::2]
    median = np.median(np.abs(rows - rows.T)[np.triu_indices(MEDIAN_SAMPLE, 1)])
    assert Gaussian("median").resolve(X).sigma == pytest.approx(median, rel=1e-13)


def test_the_median_scale_needs_two_different_points():
    with pytest.raises(ValueError, match="all points of X are equal"):
        Laplacian("median").pairwise(np.ones((4, 2)))


def test_a_fit_settles_the_median_and_keeps_the_parameter():
    X = numbers(np.random.default_rng(18), 50)
    model = KernelKGroups(2, metric=Laplacian("median"), random_state=0).fit(X)
    assert model.metric.sigma == "median"
    assert model.metric_.sigma == pytest.approx(np.median(cdist(X, X)[np.triu_indices(50, 1)]))
    np.testing.assert_array_equal(model.predict(X[:3]), model.labels_[:3])


@pytest.mark.parametrize(("rho", "params"), [
    (Energy(0.5), {"alpha": 0.5}),
    (Laplacian(2.0), {"sigma": 2.0}),
    (Gaussian("median"), {"sigma": "median"}),
    (SineSquared(), {"theta": 0.9}),
    (GreatCircle(), {"radius": 1.0}),
    (Hamming(), {}),
])  # fmt: skip
def test_parameters_are_read_and_written_by_name(rho, params):
    assert rho.get_params() == params
    assert clone(rho) == rho
    assert clone(rho) is not rho
    again = type(rho)()
    assert again.set_params(**params) is again
    assert again == rho


def test_parameters_that_are_wrong_or_unknown_are_refused():
    with pytest.raises(ValueError, match="Energy has no parameter 'beta'; it has alpha"):
        Energy().set_params(beta=1.0)
    with pytest.raises(ValueError, match="Hamming has no parameter 'alpha'; it has none"):
        Hamming().set_params(alpha=1.0)
    with pytest.raises(ValueError, match="alpha must be"):
        Energy().set_params(alpha=3.0)


def test_an_estimator_reaches_the_parameters_of_its_metric():
    model = KernelKGroups(metric=Energy()).set_params(metric__alpha=0.5)
    assert model.metric == Energy(0.5)
    assert model.get_params()["metric__alpha"] == 0.5
    copy = clone(model)
    assert copy.metric == Energy(0.5)
    assert copy.metric is not model.metric


def test_a_grid_search_runs_over_a_parameter_of_the_metric():
    rng = np.random.default_rng(19)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 8])[rng.permutation(60)]
    metric = Energy()
    model = KernelKGroups(2, metric=metric, random_state=0)
    search = GridSearchCV(model, {"metric__alpha": [0.5, 1.0, 2.0]}, cv=3).fit(X)
    # The score is in units of ρ, so the smallest exponent wins by itself.
    assert search.best_params_ == {"metric__alpha": 0.5}
    assert search.best_estimator_.metric_ == Energy(0.5)
    assert metric == Energy(1.0)


@each(ALL)
def test_pickled_and_back(rho, draw):
    X = draw(np.random.default_rng(20), 10)
    again = pickle.loads(pickle.dumps(rho))
    assert again == rho
    np.testing.assert_array_equal(again.pairwise(X), rho.pairwise(X))


@pytest.mark.parametrize(
    "kind",
    [
        Energy, Laplacian, Gaussian, Manhattan, Hamming, Jaccard, JensenShannon, Hellinger,
        GreatCircle, KendallTau, DampedSquared, SineSquared,
    ],
)  # fmt: skip
def test_every_class_has_a_name(kind):
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    assert by_name(name) == kind()


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'laplacian'"):
        by_name("laplace")
    with pytest.raises(ValueError, match="precomputed_kernel; or give an object"):
        by_name("xyz")


# --- negative type -----------------------------------------------------------------------------


@each(NEGATIVE_TYPE)
@pytest.mark.parametrize("seed", range(4))
def test_what_claims_negative_type_has_it(rho, draw, seed):
    X = draw(np.random.default_rng(seed), 60)
    distances = rho.pairwise(X)
    eigenvalues = np.linalg.eigvalsh(kernel_from_semimetric(distances))
    assert rho.is_negative_type
    assert eigenvalues[0] >= -1e-9 * eigenvalues[-1]
    assert negative_type_violation(distances) == 0.0


@each(CLAIM_NOTHING)
def test_what_claims_nothing_violates_it(rho, draw):
    X = 3 * draw(np.random.default_rng(0), 40, 2)
    assert not rho.is_negative_type
    assert negative_type_violation(rho.pairwise(X)) > 0.1


def test_a_sum_is_of_negative_type_when_every_part_is():
    assert ColumnSum([(Energy(), [0]), (Hamming(), [1])]).is_negative_type
    assert not ColumnSum([(Energy(), [0]), (DampedSquared(), [1])]).is_negative_type


@pytest.mark.parametrize("c", [0.0, 1.0, 4.0, 9.0, 100.0])
def test_violation_of_three_points_by_hand(c):
    # Eigenvalues of −½HρH are c/2 for (1, 0, −1) and (4 − c)/6 for (1, −2, 1).
    rho = [[0, 1, c], [1, 0, 1], [c, 1, 0]]
    values = sorted([c / 2, (4 - c) / 6, 0.0])
    np.testing.assert_allclose(np.linalg.eigvalsh(kernel_from_semimetric(rho)), values, atol=1e-12)
    assert negative_type_violation(rho) == pytest.approx(max(0, -values[0] / values[-1]))


def test_violation_of_degenerate_matrices():
    assert negative_type_violation(np.zeros((4, 4))) == 0.0
    assert negative_type_violation([[0.0]]) == 0.0
    assert negative_type_violation([[0.0, -1.0], [-1.0, 0.0]]) == np.inf
    with pytest.raises(ValueError, match=r"distances must be a square matrix; got shape \(2, 3\)"):
        negative_type_violation(np.zeros((2, 3)))


# --- kernels -----------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", [None, 0, 7])
@each(ALL)
def test_a_semimetric_comes_back_from_its_kernel(rho, draw, origin):
    distances = rho.pairwise(draw(np.random.default_rng(21), 30))
    kernel = kernel_from_semimetric(distances, origin=origin)
    scale = np.abs(distances).max()
    np.testing.assert_allclose(semimetric_from_kernel(kernel), distances, atol=1e-14 * scale)


def test_a_kernel_at_a_point_vanishes_there_and_a_centered_one_sums_to_zero():
    rng = np.random.default_rng(22)
    distances, w = Energy().pairwise(numbers(rng, 20)), rng.uniform(0, 2, 20)
    np.testing.assert_array_equal(kernel_from_semimetric(distances, origin=3)[3], 0)
    H = np.eye(20) - 1 / 20
    centered = kernel_from_semimetric(distances)
    np.testing.assert_allclose(centered, -0.5 * H @ distances @ H, atol=1e-14)
    weighted = kernel_from_semimetric(distances, sample_weight=w)
    np.testing.assert_allclose(weighted @ w, 0, atol=1e-13)


def test_the_squared_distance_is_generated_by_the_inner_product():
    X = numbers(np.random.default_rng(23), 20)
    centered = X - X.mean(axis=0)
    kernel = kernel_from_semimetric(Energy(2.0).pairwise(X))
    np.testing.assert_allclose(kernel, centered @ centered.T, atol=1e-13)
    np.testing.assert_allclose(semimetric_from_kernel(X @ X.T), Energy(2.0).pairwise(X), atol=1e-13)


def test_a_gram_matrix_is_square():
    with pytest.raises(ValueError, match=r"gram must be a square matrix; got shape \(3,\)"):
        semimetric_from_kernel([1.0, 2.0, 3.0])


# --- functions of two objects ------------------------------------------------------------------


def letters_apart(a, b):
    return len(set(a) ^ set(b))


def test_a_function_fills_the_matrix():
    words = ["cat", "act", "dog", ""]
    expected = [[0, 0, 6, 3], [0, 0, 6, 3], [6, 6, 0, 3], [3, 3, 3, 0]]
    rho = PairFunction(letters_apart)
    np.testing.assert_array_equal(rho.pairwise(words), expected)
    np.testing.assert_array_equal(rho.pairwise(words[:2], words), expected[:2])
    assert rho.pairwise(words, []).shape == (4, 0)
    assert rho.takes_objects


def test_a_function_is_called_no_more_often_than_it_says():
    calls = []

    def counted(a, b):
        calls.append((a, b))
        return abs(a - b)

    n = 30
    PairFunction(counted).pairwise(list(range(n)))
    assert len(calls) <= n * (n - 1) / 2 + n + 16  # 16 for the check of symmetry


def _fails_on_three(a, b):
    if 3 in (a, b):
        raise KeyError("three")
    return abs(a - b)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_fails_on_three, "_fails_on_three on the pair of objects 3 and 3 raised KeyError"),
        (lambda a, b: np.nan if {a, b} == {0, 4} else abs(a - b), "4 and 0 returned nan"),
        (lambda a, b: np.inf if {a, b} == {1, 4} else abs(a - b), "4 and 1 returned inf"),
        (lambda a, b: -abs(a - b), "returned -1.0; a distance is not negative"),
        (lambda a, b: abs(a - b) + (a == b == 2), "gives object 2 the distance 1.0 to itself"),
        (lambda a, b: max(0, a - b), "not symmetric: 0.0 from object 0 to 1, 1.0 from object 1"),
        (lambda a, b: "far" if a != b else 0, "raised ValueError: could not convert string"),
    ],
)  # fmt: skip
def test_a_function_that_is_no_distance_is_told_for_which_pair(function, message):
    with pytest.raises(ValueError, match=message):
        PairFunction(function).pairwise([0, 1, 2, 3, 4])


def test_errors_of_new_objects_name_the_new_and_the_training_object():
    rho = PairFunction(_fails_on_three)
    with pytest.raises(ValueError, match="pair of objects 0 and 2 raised KeyError"):
        rho.pairwise([0, 1], [1, 1, 3])


# --- sums over columns -------------------------------------------------------------------------


def test_a_sum_by_hand():
    rho = ColumnSum([(Energy(1.0), [0, 1]), (Hamming(), [2], 0.5), (Manhattan(), [3], 2)])
    distances = rho.pairwise([[0.0, 0.0, 7.0, 1.0], [3.0, 4.0, 8.0, 2.5]])
    assert distances.tolist() == [[0.0, 5 + 0.5 + 3.0], [5 + 0.5 + 3.0, 0.0]]


@pytest.mark.parametrize("columns", [[1, 2], (1, 2), slice(1, 3), range(1, 3), [-3, -2],
                                     np.array([1, 2])])  # fmt: skip
def test_columns_in_every_form(columns):
    rng = np.random.default_rng(24)
    X, Y = numbers(rng, 600, d=4), numbers(rng, 30, d=4)
    rho = ColumnSum([(Energy(), [0, 3], 0.25), (Gaussian(), columns)])
    expected = 0.25 * Energy().pairwise(X[:, [0, 3]], Y[:, [0, 3]])
    expected += Gaussian().pairwise(X[:, 1:3], Y[:, 1:3])
    np.testing.assert_allclose(rho.pairwise(X, Y), expected, rtol=1e-14)


def test_a_sum_stays_float32():
    X = numbers(np.random.default_rng(25), 20).astype(np.float32)
    assert total(5).pairwise(X).dtype == np.float32


def test_each_part_settles_its_own_median():
    X = numbers(np.random.default_rng(26), 40, d=2) * [1.0, 50.0]
    rho = ColumnSum([(Laplacian("median"), [0]), (Laplacian("median"), [1])]).resolve(X)
    for j, part in enumerate(rho.parts):
        assert part[0] == Laplacian("median").resolve(X[:, [j]])


def test_parameters_of_parts_have_the_number_of_the_part():
    rho = ColumnSum([(Energy(), [0]), (ColumnSum([(Laplacian(), [0])]), [1], 2.0)])
    assert rho.get_params()["0__alpha"] == 1.0
    assert rho.get_params()["1__0__sigma"] == 1.0
    rho.set_params(**{"0__alpha": 0.5, "1__0__sigma": 3.0})
    assert rho == ColumnSum([(Energy(0.5), [0]), (ColumnSum([(Laplacian(3.0), [0])]), [1], 2.0)])
    copy = clone(rho)
    assert copy == rho
    copy.set_params(**{"0__alpha": 2.0})
    assert rho.parts[0][0] == Energy(0.5)


def test_parts_are_replaced_as_a_whole():
    rho = ColumnSum([(Energy(), [0])])
    rho.set_params(parts=[(Manhattan(), [1])])
    assert rho.parts == [(Manhattan(), [1])]


def test_an_estimator_reaches_the_parts():
    model = KernelKGroups(metric=ColumnSum([(Energy(), [0]), (Hamming(), [1])]))
    model.set_params(metric__0__alpha=0.5)
    assert model.metric.parts[0][0] == Energy(0.5)
    assert clone(model).metric == model.metric


@pytest.mark.parametrize("name", ["2__alpha", "x__alpha", "-1__alpha"])
def test_parts_that_do_not_exist_have_no_parameters(name):
    rho = ColumnSum([(Energy(), [0]), (Hamming(), [1])])
    with pytest.raises(ValueError, match=f"no parameter '{name}'; its parts are numbered 0 to 1"):
        rho.set_params(**{name: 0.5})


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "at least one part"),
        ([Energy()], "part 0 must be"),
        ([(Energy(),)], "part 0 must be"),
        ([(Energy(), [0], 1.0, 2.0)], "part 0 must be"),
        ([(Energy(), [0]), ("hamming", [1])], "part 1 must begin with a semimetric.*'hamming'"),
        ([(Energy(), [0], 0)], "part 0 .*positive.*got 0"),
        ([(Energy(), [0]), (Energy(), [0], -1.5)], "part 1 .*positive.*got -1.5"),
        ([(Energy(), [0], np.nan)], "part 0 .*positive.*got nan"),
        ([(Energy(), [0], np.inf)], "part 0 .*positive.*got inf"),
    ],
)
def test_parts_that_are_wrong_are_named(parts, message):
    with pytest.raises(ValueError, match=message):
        ColumnSum(parts)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([2], "part 0 asks for column 2, but X has 2 columns"),
        ([-3], "part 0 asks for column -3, but X has 2 columns"),
        ([], "part 0 has no columns"),
        (slice(5, None), "part 0 has no columns"),
        (["size"], "part 0 names column 'size', but X has no column names"),
    ],
)
def test_columns_that_are_not_there_are_named(columns, message):
    with pytest.raises(ValueError, match=message):
        ColumnSum([(Energy(), columns)]).pairwise([[0.0, 1.0], [1.0, 0.0]])


# --- what once went wrong --------------------------------------------------------------------


def test_close_points_far_from_the_mean_stay_apart_in_single_precision():
    """Differences of near float32 numbers are exact; subtracting a mean first would round them."""
    X = np.array([[0], [1e-3], [1], [1.001], [1e6]], np.float32)
    assert Energy().pairwise(X)[0, 1] == np.float32(1e-3)
    assert len(np.unique(KernelKGroups(5, random_state=0).fit(X).labels_)) == 5


def test_a_fitted_model_keeps_the_metric_of_its_fit():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = KernelKGroups(3, metric=Energy(), random_state=0).fit(X)
    before = model.transform(X)
    model.set_params(metric__alpha=2.0)
    assert model.metric_ == Energy(1.0)
    np.testing.assert_array_equal(model.transform(X), before)


def test_text_is_never_used_as_a_number():
    frame = pd.DataFrame({"c": ["a", "b", "z", "z"]})
    metric = ColumnSum([(Energy(), ["c"]), (Hamming(), ["c"])])
    with pytest.raises(ValueError, match="'a' in row 0, column 'c'"):
        KernelKGroups(2, metric=metric).fit(frame)


@pytest.mark.parametrize("metric", [Energy(), ColumnSum([(Energy(), [0, 1])]), Jaccard()], ids=repr)
def test_tables_of_different_width(metric):
    with pytest.raises(ValueError, match="X has 2 columns and Y has 3"):
        metric.pairwise(np.ones((2, 2)), np.ones((2, 3)))


def test_columns_by_mask():
    X = np.array([[1.0, 5.0, 2.0], [1.0, 9.0, 4.0]])
    by_mask = ColumnSum([(Energy(), [False, False, True])])
    assert by_mask.pairwise(X)[0, 1] == 2.0
    with pytest.raises(ValueError, match=r"by position or by name; got 0\.5"):
        ColumnSum([(Energy(), [0.5])]).pairwise(X)


def test_divergence_of_nearly_equal_histograms_is_not_negative():
    rng = np.random.default_rng(0)
    X = rng.random((50, 8)) + 0.1
    for dtype, noise in ((np.float64, 1e-9), (np.float32, 1e-5)):
        Y = (X * (1 + noise * rng.normal(size=X.shape))).astype(dtype)
        assert JensenShannon().pairwise(X.astype(dtype), Y).min() >= 0


def test_median_is_that_of_the_first_table():
    a, b = np.array([[0.0], [1.0]]), np.array([[0.0], [10.0]])
    alone = Gaussian("median").pairwise(a, b)
    np.testing.assert_array_equal(ColumnSum([(Gaussian("median"), [0])]).pairwise(a, b), alone)


def test_names_reach_nested_sums():
    frame = pd.DataFrame({"a": [0.0, 1.0, 9.0], "b": ["x", "x", "y"], "c": [0.0, 0.0, 5.0]})
    inner = ColumnSum([(Energy(), ["a"]), (Hamming(), ["b"])])
    outer = ColumnSum([(inner, ["a", "b"]), (Energy(), ["c"])])
    model = KernelKGroups(2, metric=outer, random_state=0).fit(frame)
    assert model.labels_.tolist() == [0, 0, 1]


def test_a_refused_parameter_changes_nothing():
    metric = Energy(1.5)
    with pytest.raises(ValueError, match="alpha"):
        metric.set_params(alpha=5)
    assert metric.alpha == 1.5


@pytest.mark.parametrize("with_text", [False, True])
def test_dates_are_not_numbers(with_text):
    frame = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2021-01-01"]), "x": [0.0, 1.0]})
    metric = "energy"
    if with_text:
        frame["t"] = ["u", "v"]
        metric = ColumnSum([(Energy(), ["day", "x"]), (Hamming(), ["t"])])
    with pytest.raises(ValueError, match=r"a date where a number is needed: '2020.*column 'day'"):
        KernelKGroups(2, metric=metric).fit(frame)


def test_values_that_cannot_be_categories():
    frame = pd.DataFrame({"s": [{1}, {2}, {3}]})
    with pytest.raises(ValueError, match="column 's' of X holds values that cannot be categories"):
        KernelKGroups(2, metric="hamming").fit(frame)
