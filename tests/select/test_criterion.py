"""Ranges of k, and what a criterion reports."""

import pytest

from kgroups.select import (
    choose_n_clusters,
    prediction_strength,
    separation,
)
from kgroups.select.criterion import check_k_range
from select_cases import lumps


@pytest.mark.parametrize(
    ("k_range", "error", "message"),
    [
        ([1, 500], ValueError, "goes up to 500, but there are only 60 rows"),
        ([0, 2], ValueError, "each number in k_range must be an integer >= 1"),
        ([1.5], ValueError, "each number in k_range"),
        ([], ValueError, "k_range is empty"),
        (5, TypeError, r"k_range must be .* such as range\(1, 11\), which tries 1 to 10; got 5"),
        ("12", TypeError, "k_range must be numbers of clusters"),
    ],
)
def test_bad_ranges_are_named(k_range, error, message):
    with pytest.raises(error, match=message):
        choose_n_clusters(lumps(1), k_range)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k_max": 61}, "k_max=61 is more than the 60 rows that are used"),
        ({"k_max": 21, "max_samples": 20}, "k_max=21 is more than the 20 rows that are used"),
        ({"k_max": 0}, "k_max must be an integer >= 1; got 0"),
        ({"k_max": 2.5}, "k_max must be an integer >= 1; got 2.5"),
        ({"k_max": "5"}, "k_max must be an integer >= 1; got '5'"),
        ({"k_max": 5, "k_range": [1, 2]}, r"both given; k_max=5 alone tries range\(1, 6\)"),
    ],
)
def test_bad_largest_numbers_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        choose_n_clusters(lumps(1), **arguments)


def test_the_largest_number_is_short_for_a_range():
    """As --k-max of the command line; by position, by name and as a range it is one answer."""
    X = lumps(2, n=20)
    first, *others = (
        choose_n_clusters(X, range(1, 4), random_state=0),
        choose_n_clusters(X, k_range=[3, 1, 2], random_state=0),
        choose_n_clusters(X, k_max=3, random_state=0),
    )
    assert first.k.tolist() == [1, 2, 3]
    for other in others:
        assert [c.to_dict() for c in other.criteria] == [c.to_dict() for c in first.criteria]


@pytest.mark.parametrize(("n", "most"), [(1, 1), (7, 1), (8, 4), (15, 7), (20, 10), (5_000, 10)])
def test_the_range_by_default(n, most):
    assert check_k_range(None, n).tolist() == list(range(1, most + 1))


@pytest.mark.parametrize("criterion", [separation, prediction_strength])
def test_the_smallest_tried_is_said_to_be_no_finding(criterion):
    found = criterion(lumps(1), [3, 4], random_state=0)
    assert found.n_clusters == 3
    assert found.rule.endswith("; there is none, so the smallest tried")
