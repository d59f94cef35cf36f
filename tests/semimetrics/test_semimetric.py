"""All semimetrics: shapes, sizes, kinds of input, and parameters."""

import numpy as np
import pytest
from sklearn.base import clone

from helpers import each
from kgroups import KernelKGroups
from kgroups import semimetrics as sm
from semimetric_cases import (
    ALL,
    each_semimetric,
    numbers,
)

COORDINATE = {k: v for k, v in ALL.items() if k not in ("jaccard", "column_sum")}


@each(
    ("rho", "x", "y", "value"),
    [
        (sm.JensenShannon(), [1, 0], [0, 7], np.log(2)),
        (sm.GreatCircle(), [0, 0], [0, 90], np.pi / 2),
        (sm.GreatCircle(radius=2.0), [90, 0], [-90, 0], 2 * np.pi),
        (sm.GreatCircle(), [0, 179], [0, -179], np.pi / 90),
    ],
)
def test_bounds_and_arcs_by_hand(rho, x, y, value):
    assert rho.pairwise([x], [y]).item() == pytest.approx(value, rel=1e-14)
    assert rho.pairwise([x, y])[0, 1] == pytest.approx(value, rel=1e-14)


@each_semimetric(ALL)
@each("n", [1, 2, 63, 64, 65, 129, 700])
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


@each_semimetric(COORDINATE)
@each("dtype", [np.float64, np.float32])
@each("n", [65, 500])
def test_a_second_table_equal_to_the_first_changes_no_bit(rho, draw, n, dtype):
    X = draw(np.random.default_rng(7), n).astype(dtype)
    alone = rho.pairwise(X)
    assert alone.dtype == dtype
    np.testing.assert_array_equal(rho.pairwise(X, X), alone)
    np.testing.assert_array_equal(rho.pairwise(X, X.copy()), alone)


def test_integers_do_not_overflow():
    assert sm.Energy().pairwise(np.array([[0], [200]], dtype=np.uint8))[0, 1] == 200
    assert sm.Manhattan().pairwise(np.array([[-100], [100]], dtype=np.int8))[0, 1] == 200


@each_semimetric(ALL)
def test_an_empty_table_gives_an_empty_matrix(rho, draw):
    X = draw(np.random.default_rng(12), 3)
    assert rho.pairwise(X, X[:0]).shape == (3, 0)
    assert rho.pairwise(X[:0], X).shape == (0, 3)


def test_a_mixture_of_precisions_is_computed_in_the_wider():
    X = numbers(np.random.default_rng(15), 10)
    assert sm.Energy().pairwise(X.astype(np.float32), X).dtype == np.float64


@each("alpha", [1, np.int64(1), np.float32(1.0), np.float64(1.0)])
def test_numbers_of_numpy_are_numbers(alpha):
    assert sm.Energy(alpha).pairwise([[0.0], [3.0]])[0, 1] == 3.0


@each(("rho", "params"), [
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


def test_a_fitted_model_keeps_the_metric_of_its_fit():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = KernelKGroups(3, metric=sm.Energy(), random_state=0).fit(X)
    before = model.transform(X)
    model.set_params(metric__alpha=2.0)
    assert model.metric_ == sm.Energy(1.0)
    np.testing.assert_array_equal(model.transform(X), before)
