"""Sums of semimetrics over groups of columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from helpers import each
from kgroups import KernelKGroups
from kgroups import semimetrics as sm
from kgroups.semimetrics.named_columns import by_position, position
from semimetric_cases import numbers, total


@each("columns", [[1, 2], (1, 2), slice(1, 3), range(1, 3), [-3, -2],
                                     np.array([1, 2])])  # fmt: skip
def test_columns_in_every_form(columns):
    rng = np.random.default_rng(24)
    X, Y = numbers(rng, 600, d=4), numbers(rng, 30, d=4)
    rho = sm.ColumnSum([(sm.Energy(), [0, 3], 0.25), (sm.Gaussian(), columns)])
    expected = 0.25 * sm.Energy().pairwise(X[:, [0, 3]], Y[:, [0, 3]])
    expected += sm.Gaussian().pairwise(X[:, 1:3], Y[:, 1:3])
    np.testing.assert_allclose(rho.pairwise(X, Y), expected, rtol=1e-14)


def test_a_sum_stays_float32():
    X = numbers(np.random.default_rng(25), 20).astype(np.float32)
    assert total(5).pairwise(X).dtype == np.float32


def test_each_part_settles_its_own_median():
    X = numbers(np.random.default_rng(26), 40, d=2) * [1.0, 50.0]
    rho = sm.ColumnSum([(sm.Laplacian("median"), [0]), (sm.Laplacian("median"), [1])]).resolve(X)
    for j, part in enumerate(rho.parts):
        assert part[0] == sm.Laplacian("median").resolve(X[:, [j]])


def test_parameters_of_parts_have_the_number_of_the_part():
    rho = sm.ColumnSum([(sm.Energy(), [0]), (sm.ColumnSum([(sm.Laplacian(), [0])]), [1], 2.0)])
    assert rho.get_params()["0__alpha"] == 1.0
    assert rho.get_params()["1__0__sigma"] == 1.0
    rho.set_params(**{"0__alpha": 0.5, "1__0__sigma": 3.0})
    assert rho == sm.ColumnSum(
        [(sm.Energy(0.5), [0]), (sm.ColumnSum([(sm.Laplacian(3.0), [0])]), [1], 2.0)]
    )
    copy = clone(rho)
    assert copy == rho
    copy.set_params(**{"0__alpha": 2.0})
    assert rho.parts[0][0] == sm.Energy(0.5)


def test_parts_are_replaced_as_a_whole():
    rho = sm.ColumnSum([(sm.Energy(), [0])])
    rho.set_params(parts=[(sm.Manhattan(), [1])])
    assert rho.parts == [(sm.Manhattan(), [1])]


def test_columns_by_mask():
    X = np.array([[1.0, 5.0, 2.0], [1.0, 9.0, 4.0]])
    by_mask = sm.ColumnSum([(sm.Energy(), [False, False, True])])
    assert by_mask.pairwise(X)[0, 1] == 2.0
    with pytest.raises(ValueError, match=r"by position or by name; got 0\.5"):
        sm.ColumnSum([(sm.Energy(), [0.5])]).pairwise(X)


def test_names_reach_nested_sums():
    frame = pd.DataFrame({"a": [0.0, 1.0, 9.0], "b": ["x", "x", "y"], "c": [0.0, 0.0, 5.0]})
    inner = sm.ColumnSum([(sm.Energy(), ["a"]), (sm.Hamming(), ["b"])])
    outer = sm.ColumnSum([(inner, ["a", "b"]), (sm.Energy(), ["c"])])
    model = KernelKGroups(2, metric=outer, random_state=0).fit(frame)
    assert model.labels_.tolist() == [0, 0, 1]


def test_settings_by_name_by_position_and_in_order():
    assert by_position(None, 2, None, "weights", 1.0) == [1.0, 1.0]
    assert by_position([3, 4], 2, None, "weights", 1.0) == [3, 4]
    assert by_position({"age": 5, -1: 6}, 3, ["age", "town", "town"], "weights", 1.0) == [5, 1.0, 6]
    assert position(np.int64(1), 3, None, "weights") == 1
