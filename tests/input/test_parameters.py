"""Parameters, weights and labels: what is taken, as what, and what is said otherwise."""

from fractions import Fraction

import numpy as np
import pytest

from kgroups import EnergyAgglomerative, KGroups1D
from kgroups.input.parameters import (
    check_choice,
    check_integer,
    check_labels,
    check_memory_limit,
    check_n_clusters,
    check_n_jobs,
    check_share,
    check_tol,
    check_weights,
)

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_integers_of_any_kind_become_plain_ones(value):
    assert (check_integer(value, "k"), type(check_integer(value, "k"))) == (3, int)


@pytest.mark.parametrize("value", [True, np.True_, 3.0, np.float64(3), "3", None, [3], 0, -1])
def test_what_is_not_a_positive_integer(value):
    with pytest.raises(ValueError, match=r"^k must be an integer >= 1; got .*\.$"):
        check_integer(value, "k")


def test_the_least_integer():
    assert check_integer(0, "seed", least=0) == 0
    with pytest.raises(ValueError, match=r"seed must be an integer >= 0; got -1\."):
        check_integer(-1, "seed", least=0)


def test_numbers_of_jobs():
    assert [check_n_jobs(value) for value in (None, -1, 4)] == [None, -1, 4]
    with pytest.raises(
        ValueError, match=r"n_jobs must be an integer or None, -1 for all cores; got 1\.5"
    ):
        check_n_jobs(1.5)


@pytest.mark.parametrize("value", [0, 0.0, 1e-300, np.float32(0.5), Fraction(1, 2), 1e300])
def test_tolerances(value):
    assert check_tol(value) == float(value)
    assert type(check_tol(value)) is float


@pytest.mark.parametrize("value", [-1e-300, np.nan, np.inf, "0", None, 1j])
def test_what_is_not_a_tolerance(value):
    with pytest.raises(ValueError, match=r"slack must be a number >= 0; got"):
        check_tol(value, "slack")


@pytest.mark.parametrize("value", [0, 1, 0.25, np.float64(1.0)])
def test_shares(value):
    assert check_share(value, "mixing") == value


@pytest.mark.parametrize("value", [-0.01, 1.01, np.nan, "0.5", None])
def test_what_is_not_a_share(value):
    with pytest.raises(ValueError, match=r"mixing must be a number between 0 and 1; got"):
        check_share(value, "mixing")


def test_choices():
    assert check_choice("dense", "method", ("auto", "dense")) == "dense"
    message = r"^method must be one of auto, dense; got 'densse'\. Did you mean 'dense'\?$"
    with pytest.raises(ValueError, match=message):
        check_choice("densse", "method", ("auto", "dense"))
    for value in (None, 3, ["dense"], np.array(["dense", "auto"])):
        with pytest.raises(ValueError, match="method must be one of auto, dense; got"):
            check_choice(value, "method", ("auto", "dense"))


def test_from_one_cluster_to_one_per_point():
    assert [check_n_clusters(k, 4) for k in (1, np.int32(4))] == [1, 4]
    with pytest.raises(ValueError, match=r"n_clusters=5 is more than n_samples=4; .* most 4 clu"):
        check_n_clusters(5, 4)
    with pytest.raises(ValueError, match="n_clusters must be an integer >= 1; got 0"):
        check_n_clusters(0, 4)


@pytest.mark.parametrize("estimator", [EnergyAgglomerative, KGroups1D])
def test_a_number_of_clusters_that_is_to_be_found_has_a_function(estimator):
    """Others have n_clusters="auto"; a hierarchy has all numbers, and one column has a function."""
    advice = r"got 'auto'\. kgroups\.select\.choose_n_clusters\(X\)\.n_clusters estimates"
    with pytest.raises(ValueError, match=advice):
        estimator("auto").fit(np.arange(10.0)[:, None])


def test_weights_of_any_kind_become_float64():
    assert check_weights(None, 3).tolist() == [1.0, 1.0, 1.0]
    for given in ([1, 0, 2], (1.0, 0.0, 2.0), np.array([1, 0, 2], np.int8), np.float32([1, 0, 2])):
        found = check_weights(given, 3)
        assert (found.tolist(), found.dtype) == ([1.0, 0.0, 2.0], np.float64)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"mass\.shape == \(2,\), expected \(3,\)"),
        ([[1], [2], [3]], r"mass\.shape == \(3, 1\)"),
        ([1, np.nan, np.inf], r"NaN or infinity: row 1 is nan"),
        ([1, 2, -np.inf], r"NaN or infinity: row 2 is -inf"),
        ([1, -2, -3], r"mass must not be negative; row 2 is -3"),
        ([0, 0, 0], r"mass is zero for every row"),
    ],
)
def test_bad_weights_go_by_their_name_and_row(weights, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, 3, "mass")


def test_labels_are_copied_as_int64():
    given = np.array([0, 2, 1], np.uint8)
    found = check_labels(given, 3, 3, "init")
    assert (found.tolist(), found.dtype) == ([0, 2, 1], np.int64)
    own = np.array([0, 2, 1])
    assert check_labels(own, 3, 3, "init") is not own
    assert not np.shares_memory(check_labels(own, 3, 3, "init"), own)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], r"one label for each of the 3 rows; got shape \(2,\)"),
        ([[0, 1, 2]], r"got shape \(1, 3\)"),
        ([0.0, 1.0, 2.0], r"integers in 0\.\.2; got float64"),
        ([True, False, True], r"integers in 0\.\.2; got bool"),
        (["a", "b", "c"], r"integers in 0\.\.2; got <U1"),
        ([0, 1, 3], r"0\.\.2 for n_clusters=3; got values from 0 to 3"),
        ([-1, 1, 2], r"0\.\.2 for n_clusters=3; got values from -1 to 2"),
    ],
)
def test_bad_labels(labels, message):
    with pytest.raises(ValueError, match=message):
        check_labels(labels, 3, 3, "init")


@pytest.mark.parametrize("value", [None, 1, 10**15, "2 GB", "17"])
def test_limits_of_memory(value):
    check_memory_limit(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("two GB", r'^memory_limit: a size such as "500 MB" or "2 GiB" was expected; got \'two GB'),
        (0, r"^memory_limit must be an integer >= 1; got 0"),
        (1e9, r"^memory_limit must be an integer >= 1; got 1000000000\.0"),
    ],
)
def test_what_is_not_a_limit_of_memory(value, message):
    with pytest.raises(ValueError, match=message):
        check_memory_limit(value)
