"""How often numbers of clusters and differences of samples are found."""

import os

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from comparisons import counts
from helpers import each, slow
from kgroups import KernelKGroups
from kgroups.select import choose_n_clusters, cluster_significance, gap_statistic
from kgroups.semimetrics import Energy, Gaussian, Manhattan
from kgroups.stats import disco, energy_test

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


LEVEL = 0.05
DRAWN = {
    "light tails": lambda rng, n: rng.normal(size=(n, 3)),
    "no variance": lambda rng, n: rng.standard_t(2, size=(n, 3)),
    "ties": lambda rng, n: rng.poisson(1.0, size=(n, 2)).astype(float),
    "one column": lambda rng, n: rng.exponential(size=(n, 1)),
}
# Samples of one distribution: the test, what is drawn, the metric, and the sizes.
ALIKE = [
    (energy_test, "light tails", Energy(), (30, 40)),
    (energy_test, "no variance", Energy(0.5), (10, 50)),
    (energy_test, "ties", Manhattan(), (30, 40)),
    (energy_test, "one column", Energy(), (20, 20, 30)),
    (disco, "no variance", Energy(), (15, 25, 30)),
    (disco, "light tails", Gaussian("median"), (30, 40)),
]


@each(("test", "kind", "metric", "sizes"), ALIKE)
def test_level(test, kind, metric, sizes):
    """With 199 permutations p ≤ .05 has probability .05 exactly, and less only where ties are."""
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(len(sizes)), sizes)
    n_data_sets = 1000 if os.environ.get("KGROUPS_FULL") else 200
    rejected = 0
    for seed in range(n_data_sets):
        X = DRAWN[kind](rng, len(labels))
        how = {"metric": metric, "n_permutations": 199, "random_state": seed}
        rejected += test(X, labels=labels, **how).pvalue <= LEVEL
    assert binomtest(rejected, n_data_sets, LEVEL).pvalue > 1e-3


@slow
@each("kind", ["normal", "uniform", "exponential", "laplace"])
def test_clusters_of_one_cluster_are_seldom_called_real(kind):
    """At most 6 %, but for what chance adds once in a thousand."""
    rng, apart = np.random.default_rng(3), 0
    for seed in range(60):
        X = getattr(rng, kind)(size=(200, (1, 2, 3, 5, 10, 20)[seed % 6]))
        labels = KernelKGroups(3, random_state=seed).fit_predict(X)
        apart += cluster_significance(X, labels, random_state=seed).any_separated()
    assert binom.sf(apart - 1, 60, 0.06) > 1e-3


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
