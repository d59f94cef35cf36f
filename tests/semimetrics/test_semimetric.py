"""All semimetrics: values, shapes, kinds of input, parameters and errors."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from kgroups import KernelKGroups
from kgroups import semimetrics as sm
from semimetric_cases import (
    ALL,
    codes,
    each,
    histograms,
    numbers,
    rankings,
    sets,
)

COORDINATE = {k: v for k, v in ALL.items() if k not in ("jaccard", "column_sum")}


@pytest.mark.parametrize(
    ("rho", "x", "y", "value"),
    [
        (sm.Energy(1.0), [0.0, 0.0], [3.0, 4.0], 5.0),
        (sm.Energy(2.0), [0.0, 0.0], [3.0, 4.0], 25.0),
        (sm.Energy(0.5), [0.0], [9.0], 3.0),
        (sm.Energy(1.5), [1.0], [5.0], 8.0),
        (sm.Energy(1.3), [0.0], [2.0], 2**1.3),
        (sm.Laplacian(sigma=1.5), [0.0, 0.0], [3.0, 4.0], 2 - 2 * np.exp(-5 / 3)),
        (sm.Gaussian(sigma=3.0), [0.0, 0.0], [3.0, 4.0], 2 - 2 * np.exp(-25 / 18)),
        (sm.DampedSquared(), [0.0, 0.0], [3.0, 4.0], 25 * np.exp(-2.5)),
        (sm.SineSquared(theta=2.0), [0.0, 0.0], [3.0, 4.0], 25 * 2 * np.sin(2.5)),
        (sm.Manhattan(), [1.0, -1.0], [-2.0, 1.0], 5.0),
        (sm.Hamming(), [1, 2, 3, 4], [1, 0, 3, 0], 0.5),
        (sm.JensenShannon(), [1, 1], [1, 0], 0.75 * np.log(4 / 3)),
        (sm.JensenShannon(), [1, 0], [0, 7], np.log(2)),
        (sm.Hellinger(), [1, 1], [2, 0], np.sqrt(1 - np.sqrt(0.5))),
        (sm.GreatCircle(), [0, 0], [0, 90], np.pi / 2),
        (sm.GreatCircle(radius=2.0), [90, 0], [-90, 0], 2 * np.pi),
        (sm.GreatCircle(), [0, 179], [0, -179], np.pi / 90),
        (sm.KendallTau(), [1, 2, 3], [1, 3, 2], 1 / 3),
        (sm.KendallTau(), [1, 2], [5, 5], 0.5),
        (sm.KendallTau(), [1, 2, 3], [1, 1, 1], 0.5),
        (sm.Jaccard(), [1, 1, 0, 0], [0, 1, 1, 0], 2 / 3),
        (sm.Jaccard(), [0, 0, 0, 0], [0, 0, 0, 0], 0.0),
        (sm.Jaccard(), [0, 0, 0, 0], [0, 5, 0, 0], 1.0),
    ],
)
def test_values_worked_by_hand(rho, x, y, value):
    assert rho.pairwise([x], [y]).item() == pytest.approx(value, rel=1e-14)
    assert rho.pairwise([x, y])[0, 1] == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("rho", "draw", "metric", "function"),
    [
        (sm.Manhattan(), numbers, "cityblock", lambda d: d),
        (sm.Hamming(), codes, "hamming", lambda d: d),
        (sm.JensenShannon(), histograms, "jensenshannon", lambda d: d**2),
        (sm.Laplacian(sigma=0.7), numbers, "euclidean", lambda d: 2 - 2 * np.exp(-d / 1.4)),
        (sm.Gaussian(sigma=0.7), numbers, "sqeuclidean", lambda d: 2 - 2 * np.exp(-d / 0.98)),
        (sm.DampedSquared(), numbers, "euclidean", lambda d: d**2 * np.exp(-d / 2)),
        (sm.SineSquared(), numbers, "euclidean", lambda d: d**2 * 0.9 * np.sin(d / 0.9)),
    ],
)
def test_values_against_scipy(rho, draw, metric, function):
    rng = np.random.default_rng(1)
    X, Y = draw(rng, 70), draw(rng, 40)
    np.testing.assert_allclose(rho.pairwise(X, Y), function(cdist(X, Y, metric)), atol=1e-13)


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


@pytest.mark.parametrize(
    "rho", [sm.Energy(), sm.Energy(2.0), sm.Manhattan(), sm.Laplacian(), sm.Gaussian()]
)
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
    assert sm.Energy().pairwise(np.array([[0], [200]], dtype=np.uint8))[0, 1] == 200
    assert sm.Manhattan().pairwise(np.array([[-100], [100]], dtype=np.int8))[0, 1] == 200


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
    np.testing.assert_allclose(sm.Energy().pairwise(X), cdist(X, X), rtol=1e-12)
    np.testing.assert_allclose(sm.Manhattan().pairwise(X), cdist(X, X, "cityblock"), rtol=1e-12)


def test_a_mixture_of_precisions_is_computed_in_the_wider():
    X = numbers(np.random.default_rng(15), 10)
    assert sm.Energy().pairwise(X.astype(np.float32), X).dtype == np.float64


@pytest.mark.parametrize(
    ("rho", "X", "message"),
    [
        (sm.Energy(), [1.0, 2.0], r"X must be a table of shape \(n, D\); got shape \(2,\)"),
        (sm.Energy(), [["a"], ["b"]], "X must hold numbers"),
        (sm.JensenShannon(), [[1, 1], [0, 0]], "row 1 is all zero"),
        (sm.Hellinger(), [[1, 1], [1, -2]], r"row 1, column 1 is -2"),
        (sm.GreatCircle(), [[1, 2, 3]], "two columns, latitude and longitude; got 3"),
        (sm.GreatCircle(), [[10, 0], [91, 0]], r"latitude must lie in \[-90, 90\].*row 1 has 91"),
        (sm.KendallTau(), [[1], [2]], "2 items or more; got 1"),
    ],
)
def test_a_wrong_table_is_named(rho, X, message):
    with pytest.raises(ValueError, match=message):
        rho.pairwise(X)


def test_tables_of_different_width_do_not_compare():
    with pytest.raises(ValueError, match="X has 2 columns and Y has 3"):
        sm.Energy().pairwise([[0.0, 0.0]], [[0.0, 0.0, 0.0]])


@pytest.mark.parametrize("alpha", [1, np.int64(1), np.float32(1.0), np.float64(1.0)])
def test_numbers_of_numpy_are_numbers(alpha):
    assert sm.Energy(alpha).pairwise([[0.0], [3.0]])[0, 1] == 3.0


@pytest.mark.parametrize(("rho", "params"), [
    (sm.Energy(0.5), {"alpha": 0.5}),
    (sm.Laplacian(2.0), {"sigma": 2.0}),
    (sm.Gaussian("median"), {"sigma": "median"}),
    (sm.SineSquared(), {"theta": 0.9}),
    (sm.GreatCircle(), {"radius": 1.0, "units": "degrees"}),
    (sm.Hamming(), {"missing": "error"}),
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
        sm.Energy().set_params(beta=1.0)
    with pytest.raises(ValueError, match="Hamming has no parameter 'alpha'; it has missing"):
        sm.Hamming().set_params(alpha=1.0)
    with pytest.raises(ValueError, match="alpha must be"):
        sm.Energy().set_params(alpha=3.0)


def test_an_estimator_reaches_the_parameters_of_its_metric():
    model = KernelKGroups(metric=sm.Energy()).set_params(metric__alpha=0.5)
    assert model.metric == sm.Energy(0.5)
    assert model.get_params()["metric__alpha"] == 0.5
    copy = clone(model)
    assert copy.metric == sm.Energy(0.5)
    assert copy.metric is not model.metric


def test_a_grid_search_runs_over_a_parameter_of_the_metric():
    rng = np.random.default_rng(19)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 8])[rng.permutation(60)]
    metric = sm.Energy()
    model = KernelKGroups(2, metric=metric, random_state=0)
    search = GridSearchCV(model, {"metric__alpha": [0.5, 1.0, 2.0]}, cv=3).fit(X)
    # The score is in units of ρ, so the smallest exponent wins by itself.
    assert search.best_params_ == {"metric__alpha": 0.5}
    assert search.best_estimator_.metric_ == sm.Energy(0.5)
    assert metric == sm.Energy(1.0)


@each(ALL)
def test_pickled_and_back(rho, draw):
    X = draw(np.random.default_rng(20), 10)
    again = pickle.loads(pickle.dumps(rho))
    assert again == rho
    np.testing.assert_array_equal(again.pairwise(X), rho.pairwise(X))


def test_a_fitted_model_keeps_the_metric_of_its_fit():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = KernelKGroups(3, metric=sm.Energy(), random_state=0).fit(X)
    before = model.transform(X)
    model.set_params(metric__alpha=2.0)
    assert model.metric_ == sm.Energy(1.0)
    np.testing.assert_array_equal(model.transform(X), before)


def test_text_is_never_used_as_a_number():
    frame = pd.DataFrame({"c": ["a", "b", "z", "z"]})
    metric = sm.ColumnSum([(sm.Energy(), ["c"]), (sm.Hamming(), ["c"])])
    with pytest.raises(ValueError, match="'a' in row 0, column 'c'"):
        KernelKGroups(2, metric=metric).fit(frame)


@pytest.mark.parametrize(
    "metric", [sm.Energy(), sm.ColumnSum([(sm.Energy(), [0, 1])]), sm.Jaccard()], ids=repr
)
def test_tables_of_different_width(metric):
    with pytest.raises(ValueError, match="X has 2 columns and Y has 3"):
        metric.pairwise(np.ones((2, 2)), np.ones((2, 3)))


def test_a_refused_parameter_changes_nothing():
    metric = sm.Energy(1.5)
    with pytest.raises(ValueError, match="alpha"):
        metric.set_params(alpha=5)
    assert metric.alpha == 1.5


@pytest.mark.parametrize("with_text", [False, True])
def test_dates_are_not_numbers(with_text):
    frame = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2021-01-01"]), "x": [0.0, 1.0]})
    metric = "energy"
    if with_text:
        frame["t"] = ["u", "v"]
        metric = sm.ColumnSum([(sm.Energy(), ["day", "x"]), (sm.Hamming(), ["t"])])
    with pytest.raises(ValueError, match=r"a date where a number is needed: '2020.*column 'day'"):
        KernelKGroups(2, metric=metric).fit(frame)


def test_values_that_cannot_be_categories():
    frame = pd.DataFrame({"s": [{1}, {2}, {3}]})
    with pytest.raises(ValueError, match="column 's' of X holds values that cannot be categories"):
        KernelKGroups(2, metric="hamming").fit(frame)
