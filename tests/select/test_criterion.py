"""Ranges of k, and what a criterion reports."""

import pytest

from kgroups.select import (
    choose_n_clusters,
    prediction_strength,
    separation,
)
from select_cases import lumps


@pytest.mark.parametrize(
    ("k_range", "error", "message"),
    [
        ([1, 500], ValueError, "goes up to 500, but there are only 60 rows"),
        ([0, 2], ValueError, "each number in k_range must be an integer >= 1"),
        ([1.5], ValueError, "each number in k_range"),
        ([], ValueError, "k_range is empty"),
        (5, TypeError, "k_range must be numbers of clusters"),
        ("12", TypeError, "k_range must be numbers of clusters"),
    ],
)
def test_bad_ranges_are_named(k_range, error, message):
    with pytest.raises(error, match=message):
        choose_n_clusters(lumps(1), k_range)


@pytest.mark.parametrize("criterion", [separation, prediction_strength])
def test_the_smallest_tried_is_said_to_be_no_finding(criterion):
    found = criterion(lumps(1), [3, 4], random_state=0)
    assert found.n_clusters == 3
    assert found.rule.endswith("; there is none, so the smallest tried")
