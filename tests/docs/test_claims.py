"""Claims of the pages that only a fit can show, on data with known groups."""

import networkx as nx
import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from kgroups import GraphKGroups, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.metrics import same_partition
from kgroups.select import choose_n_clusters, cluster_significance, feature_contributions
from kgroups.semimetrics import Energy
from kgroups.stats import energy_distance, energy_test, within_dispersion
from pages import blocks, page

KARATE = nx.to_numpy_array(nx.karate_club_graph(), weight=None)


# --- clusters --------------------------------------------------------------------------------


def test_hartigan_finds_better_optima_with_many_clusters_in_many_dimensions():
    """From the same random start, where Lloyd's rule seldom moves anything."""
    rng = np.random.default_rng(0)
    lower = []
    for dimension, k in ((2, 2), (50, 12)):
        ratios = []
        for _ in range(8):
            X = rng.normal(size=(120, dimension))
            start = np.arange(120) % k
            lloyd, hartigan = (
                Method(k, metric=Energy(2), init=start).fit(X).within_dispersion_
                for Method in (KernelKMeans, KernelKGroups)
            )
            ratios.append(hartigan / lloyd)
        lower.append(np.mean(ratios))
    assert lower[1] < 0.98
    assert lower[1] < lower[0]


def test_one_half_is_less_sensitive_to_outliers():
    """Two clusters and one row far away, which is a cluster of its own where distances count."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 6)] + [[[300.0, 300.0]]])
    for alpha, is_found in ((2, False), (1, False), (0.5, True)):
        model = KernelKGroups(2, metric=Energy(alpha), random_state=0).fit(X)
        assert (np.bincount(model.labels_).min() > 1) == is_found, alpha


def test_attributes_of_squared_distances_are_those_of_kmeans():
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [9, 0], [0, 9]])
    X = centers[rng.choice(3, p=[0.5, 0.3, 0.2], size=200)] + rng.normal(size=(200, 2))
    w = rng.uniform(0.5, 2, 200)
    ours = KernelKGroups(3, metric=Energy(2), random_state=0).fit(X, sample_weight=w)
    theirs = KMeans(3, n_init=10, random_state=0).fit(X, sample_weight=w)
    assert same_partition(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)
    order = [theirs.labels_[np.argmax(ours.labels_ == j)] for j in range(3)]
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_[order], rtol=1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X)[:, order], rtol=1e-9)
    assert ours.score(X, sample_weight=w) == pytest.approx(theirs.score(X, sample_weight=w))


def test_a_function_is_called_once_for_each_pair():
    """And once for each row with itself, with eight calls more that check what it is."""
    calls = []

    def apart(a, b):
        calls.append((a, b))
        return abs(len(a) - len(b))

    words = ["a" * i for i in range(1, 21)]
    KernelKGroups(3, metric=apart, random_state=0).fit(words)
    assert len(calls) == 20 * 19 // 2 + 20 + 8
    assert len({tuple(sorted(pair)) for pair in calls}) == 20 * 19 // 2 + 20


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_curved_clusters_are_found_by_the_code_of_the_page():
    (code,) = (c for c in blocks(page("metrics"), "python") if "nearest_neighbors" in c)
    for seed in range(3):
        for data, truth in (
            make_moons(300, noise=0.06, random_state=seed),
            make_circles(300, noise=0.06, factor=0.5, random_state=seed),
        ):
            session = {"X": data, "X_new": data}
            exec(code, session)  # noqa: S102
            assert adjusted_rand_score(truth, session["model"].labels_) == 1, seed


def test_below_one_the_best_clusters_of_a_line_need_not_be_intervals():
    """{−1, 1} and {0} against {−1} and {0, 1} with m at zero: W is equal at 1 + log₂(m/(m+1))."""
    x, m = np.array([[-1.0], [0.0], [1.0]]), 10
    w, limit = np.array([1.0, m, 1.0]), 1 + np.log2(m / (m + 1))
    for alpha, is_better in ((limit - 0.01, True), (limit + 0.01, False)):
        outer, interval = (
            within_dispersion(x, labels, metric=Energy(alpha), sample_weight=w)
            for labels in ([0, 1, 0], [0, 1, 1])
        )
        assert (outer < interval) == is_better, alpha
    assert KGroups1D(2, alpha=0.5).fit(x[:, 0], sample_weight=w).exactness_ != "optimal"


# --- statistics ------------------------------------------------------------------------------


def test_energy_compares_distributions_and_squared_distances_only_means():
    wide, narrow = np.array([[-3.0], [3.0]]), np.array([[-1.0], [1.0]])
    assert energy_distance(wide, narrow, metric=Energy(2)) == pytest.approx(0, abs=1e-12)
    # 2 E|X − Y| − E|X − X'| − E|Y − Y'| = 2 · 3 − 3 − 1
    assert energy_distance(wide, narrow) == pytest.approx(2)


def test_with_many_points_small_differences_are_found():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=20_000), rng.normal(size=20_000) + 0.05
    test = energy_test(A[:, None], B[:, None], n_permutations=49, random_state=0)
    assert test.pvalue <= 0.02
    assert test.coefficient < 0.01


def test_the_isolated_species_of_iris():
    iris = load_iris()
    by_species = cluster_significance(iris.data, iris.target, random_state=0)
    assert by_species.separated() == {0: True, 1: False, 2: False}


def test_wine_has_three_clusters():
    assert choose_n_clusters(scale(load_wine().data), k_max=4, random_state=0).n_clusters == 3


def test_a_column_of_noise_has_a_negative_share_except_where_columns_are_added_up():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 30)
    rows = np.column_stack([rng.normal(size=60) + 6 * labels, rng.normal(size=60)])
    assert feature_contributions(rows, labels).shares[1] < 0
    codes = np.column_stack([labels, rng.integers(4, size=60)])
    for data, metric in ((rows, "manhattan"), (rows, Energy(2)), (codes, "hamming")):
        assert feature_contributions(data, labels, metric=metric).shares.min() >= 0, metric


def test_the_semidefinite_bound_proves_iris_and_wine():
    for data, k in ((load_iris().data, 4), (load_wine().data, 2)):
        found = KernelKGroups(k, random_state=0).fit(data).optimality_gap()
        assert found.kind == "semidefinite", k
        assert found.proves_optimal, k


# --- networks --------------------------------------------------------------------------------


def test_one_heavy_edge_does_not_decide():
    A = nx.to_numpy_array(nx.karate_club_graph())
    heavy = A.copy()
    heavy[0, 1] = heavy[1, 0] = 30 * A.max()
    before, after = (GraphKGroups(2, random_state=0).fit(B).labels_ for B in (A, heavy))
    assert np.mean(after == before) > 0.85


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")
def test_isolated_nodes_never_move_where_nodes_weigh_their_degree():
    A = np.zeros((37, 37))
    A[:34, :34] = KARATE
    for settings in ({"objective": "normalized_cut"}, {"weights": "degree"}):
        for begun in ([0, 1, 1], [1, 0, 1]):
            start = np.append(np.arange(34) % 2, begun)
            found = GraphKGroups(2, init=start, random_state=0, **settings).fit(A).labels_
            swapped = start if found[-1] == start[-1] else 1 - start
            np.testing.assert_array_equal(found[34:], swapped[34:])


def test_what_decides_the_number_of_communities():
    def decided(A, k="auto", **settings):
        return GraphKGroups(k, random_state=0, **settings).fit(A).decided_by_

    assert decided(KARATE, 2) == "given"
    assert decided(KARATE) == "random graphs"
    assert decided(nx.to_numpy_array(nx.ring_of_cliques(10, 5))) == "evidence"
    assert decided(nx.to_numpy_array(nx.barbell_graph(3, 0))) == "weak"
    assert decided(np.ones((9, 9)) - np.eye(9)) == "one"
    assert decided(KARATE, objective="modularity") == "objective"
    assert decided(KARATE, objective="bethe_hessian") == "spectrum"
