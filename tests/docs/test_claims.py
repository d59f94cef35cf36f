"""Claims of the pages that only a fit can show, on data with known groups."""

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from kgroups import GraphKGroups, KernelKGroups, KGroups1D
from kgroups.select import choose_n_clusters, cluster_significance, feature_contributions
from kgroups.semimetrics import Energy
from kgroups.stats import within_dispersion
from pages import blocks, page

KARATE = nx.to_numpy_array(nx.karate_club_graph(), weight=None)


def test_one_half_is_less_sensitive_to_outliers():
    """Two clusters and one row far away, which is a cluster of its own where distances count."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 6)] + [[[300.0, 300.0]]])
    for alpha, is_found in ((2, False), (1, False), (0.5, True)):
        model = KernelKGroups(2, metric=Energy(alpha), random_state=0).fit(X)
        assert (np.bincount(model.labels_).min() > 1) == is_found, alpha


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
