"""How often numbers of clusters and differences of samples are found."""

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmarks.checks.energy_test_level import CASES, LEVEL
from comparisons import counts
from helpers import each
from kgroups.select import choose_n_clusters, gap_statistic
from kgroups.semimetrics import Energy
from kgroups.stats import energy_test

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
    return [counts.null(number).X for number in range(1 + max(CLOSE))]


@each("name", FAMILIES)
def test_clusters_of_every_kind_are_counted_though_a_vote_may_err(name):
    (known,) = counts.generated(0, [name])
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


def rejections(case, n_data_sets):
    rng = np.random.default_rng(0)
    return sum(case.pvalue(rng, seed) <= LEVEL for seed in range(n_data_sets))


@each("case", CASES, ids=str)
def test_level(case):
    """With 199 permutations p ≤ .05 has probability .05 exactly, and less only where ties are."""
    assert binomtest(rejections(case, 200), 200, LEVEL).pvalue > 1e-3


def test_differences_of_every_kind_are_found():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    others = {
        "place": rng.normal(size=(120, 2)) + 0.8,
        "spread": rng.normal(size=(120, 2)) * 2,
        "dependence": rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=120),
    }
    for Y in others.values():
        assert energy_test(X, Y, n_permutations=199, random_state=0).pvalue <= 0.01


def test_squared_distances_see_means_alone():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(200, 1)), 3 * rng.normal(size=(200, 1))
    X, Y = X - X.mean(), Y - Y.mean()
    assert energy_test(X, Y, metric=Energy(2.0), random_state=0).pvalue > 0.9
    assert energy_test(X, Y, metric=Energy(1.0), random_state=0).pvalue == 0.001
