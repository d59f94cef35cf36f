"""Ranges of k, and what a criterion reports."""

from helpers import each
from kgroups.select import (
    choose_n_clusters,
)
from kgroups.select.criterion import check_k_range
from select_cases import lumps


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


@each(("n", "most"), [(1, 1), (7, 1), (8, 4), (15, 7), (20, 10), (5_000, 10)])
def test_the_range_by_default(n, most):
    assert check_k_range(None, n).tolist() == list(range(1, most + 1))
