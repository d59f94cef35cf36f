"""Parameters, weights and labels: what is taken, and as what."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from helpers import each
from kgroups import KernelKGroups
from kgroups.input.parameters import (
    as_array,
    check_integer,
    check_labels,
    check_n_jobs,
    check_share,
    check_tol,
    check_weights,
    group_codes,
)
from kgroups.semimetrics import Energy

pytestmark = pytest.mark.nojit

X = np.random.default_rng(0).normal(size=(12, 2))


@each("value", [3, np.int64(3), np.uint8(3)])
def test_integers_of_any_kind_become_plain_ones(value):
    assert (check_integer(value, "k"), type(check_integer(value, "k"))) == (3, int)


def test_numbers_of_jobs():
    assert [check_n_jobs(value) for value in (None, -1, 4)] == [None, -1, 4]


@each("value", [0, 0.0, 1e-300, np.float32(0.5), Fraction(1, 2), 1e300])
def test_tolerances(value):
    assert check_tol(value) == float(value)
    assert type(check_tol(value)) is float


@each("value", [0, 1, 0.25, np.float64(1.0)])
def test_shares(value):
    assert check_share(value, "mixing") == value


def test_weights_of_any_kind_become_float64():
    assert check_weights(None, 3).tolist() == [1.0, 1.0, 1.0]
    for given in ([1, 0, 2], (1.0, 0.0, 2.0), np.array([1, 0, 2], np.int8), np.float32([1, 0, 2])):
        found = check_weights(given, 3)
        assert (found.tolist(), found.dtype) == ([1.0, 0.0, 2.0], np.float64)


def test_labels_are_copied_as_int64():
    given = np.array([0, 2, 1], np.uint8)
    found = check_labels(given, 3, 3, "init")
    assert (found.tolist(), found.dtype) == ([0, 2, 1], np.int64)
    own = np.array([0, 2, 1])
    assert check_labels(own, 3, 3, "init") is not own
    assert not np.shares_memory(check_labels(own, 3, 3, "init"), own)


def test_objects_have_parameters():
    model = KernelKGroups(2, metric="energy").set_params(metric=Energy(), metric__alpha=0.5)
    assert model.metric == Energy(0.5)
    assert model.set_params(n_clusters=3).n_clusters == 3
    search = GridSearchCV(model, {"metric__alpha": [0.5, 1.5]}, cv=2)
    assert clone(search).set_params(estimator__metric__alpha=1.5).estimator.metric == Energy(1.5)
    search.set_params(estimator__metric="energy")
    with pytest.raises(ValueError, match="metric__alpha"):
        search.fit(X)


# --- labels of groups ------------------------------------------------------------------------


@each(
    ("labels", "groups", "codes"),
    [
        ([3, 1, 3], (1, 3), [1, 0, 1]),
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        ([True, False, True], (False, True), [1, 0, 1]),
        (np.array([0.5, -1.0, 0.5]), (-1.0, 0.5), [1, 0, 1]),
        (pd.Series(["x", "y", "x"], index=[7, 8, 9]), ("x", "y"), [0, 1, 0]),
        (pd.Categorical(["u", "v", "u"]), ("u", "v"), [0, 1, 0]),
        ([-1, 0, -1], (-1, 0), [0, 1, 0]),
    ],
)
def test_groups_are_sorted_and_rows_have_their_places(labels, groups, codes):
    found, places = group_codes(labels, 3)
    assert found == groups
    assert places.tolist() == codes
    assert places.dtype == np.int64


def test_numbers_next_to_text_stay_numbers():
    """NumPy by itself would make text of both."""
    mixed = as_array([1, "a"])
    assert mixed.dtype == object
    assert mixed.tolist() == [1, "a"]
    assert as_array([1, 2]).dtype.kind == "i"
