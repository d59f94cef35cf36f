"""The number of clusters on a few data sets of the suite that benchmarks.how_many runs whole."""

import pytest

from benchmarks import count_suite
from helpers import each
from kgroups.select import choose_n_clusters, gap_statistic

# Families of different kinds, and the vote that errs where one does.
FAMILIES = {
    "unbalanced": None,
    "ellipses": None,
    "two_in_10d": None,
    "on_line": None,
    "heavy_tails": "prediction strength",
    "exponentials": "prediction strength",
    "latent_classes": "prediction strength",
    "cigars": "gap",
}
# The first of a hundred data sets without clusters. Number 1 is left out because it is the only one
# of the hundred that is divided.
FIRST = (0, 2, 3, 4)
# Two of the hundred that are close: with a factor of one standard error the gap divides them, with
# one and a half it does not.
CLOSE = (25, 65)


@pytest.fixture(scope="module")
def nothing():
    return [known.X for known in count_suite.nulls(1 + max(CLOSE))]


@each("name", FAMILIES)
def test_clusters_of_every_kind_are_counted_though_a_vote_may_err(name):
    (known,) = count_suite.generated(0, [name])
    (k,) = known.right
    count = choose_n_clusters(known.X, range(1, k + 2), random_state=0)
    assert count.n_clusters == k
    wrong = FAMILIES[name]
    assert [vote for vote, said in count.votes.items() if said != k] == ([wrong] if wrong else [])


@each("number", FIRST)
def test_where_nothing_is_there_is_one_cluster(nothing, number):
    assert choose_n_clusters(nothing[number], range(1, 4), random_state=0).n_clusters == 1


@pytest.mark.parametrize("number", CLOSE)
def test_half_a_standard_error_more_keeps_boxes_whole(nothing, number):
    """Prediction strength divides both boxes; so it is the gap that decides."""
    count = choose_n_clusters(nothing[number], range(1, 4), random_state=0)
    assert count.votes == {"separation": 1, "gap": 1, "prediction strength": 2}
    assert count.n_clusters == 1
    assert gap_statistic(nothing[number], [1, 2], random_state=0).n_clusters == 2
