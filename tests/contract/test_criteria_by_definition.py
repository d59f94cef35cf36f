"""Numbers of criteria that follow from their definitions, and answers where criteria disagree."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_moons

import oracle
from kgroups import KernelKGroups, select
from kgroups.semimetrics import ColumnSum, Energy, Hamming, Manhattan, by_name


def blobs(centers, n, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(center, spread, (n, 2)) for center in centers])


LINE = [[0.0, 0.0], [9.0, 9.0], [18.0, 18.0]]
#: Two clusters that touch, and one apart from them.
TRIANGLE = blobs([[0, 0], [8, 6.0], [8, 8.8]], 60, 3)


# The number of clusters


def test_communities_are_negative_eigenvalues():
    cliques = np.kron(np.eye(3), np.ones((4, 4)))
    for loops in (0.0, 1.0):
        A = cliques - (1 - loops) * np.eye(12)
        assert select.bethe_hessian_n_communities(A) == 3
    for seed in range(3):
        alike = nx.to_numpy_array(nx.planted_partition_graph(4, 15, 0.3, 0.05, seed=seed)) / 2
        single = select.bethe_hessian_n_communities(alike)
        assert select.bethe_hessian_n_communities(alike + np.eye(60)) == single, "alike, each"
    graph = nx.planted_partition_graph(4, 25, 0.4, 0.05, seed=0)
    A = nx.to_numpy_array(graph)
    for r in (1.2, 2.0, 3.0, 5.0, 9.0):
        values = np.linalg.eigvalsh(oracle.bethe_hessian(oracle.long(A), r).astype(float))
        found = select.bethe_hessian_n_communities(graph, r=r)
        assert found == max(1, (values < 0).sum()), r


def test_votes_that_differ():
    """The median of the three; with the lowest and the highest; silhouettes have no vote."""
    moons = make_moons(200, noise=0.06, random_state=0)[0]
    touching = blobs([[0, 0], [2.2, 2.2]], 60, 2)
    for X in (blobs([[0, 0], [4.0, 0], [2, 9]], 60), moons, touching):
        found = select.choose_n_clusters(X, k_max=4, random_state=0)
        votes = {name: found[name].n_clusters for name in ("separation", "gap")}
        votes["prediction strength"] = found["prediction strength"].n_clusters
        assert found.votes == votes
        assert found.n_clusters == np.median(list(votes.values()))
        assert found.interval == (min(votes.values()), max(votes.values()))
        assert not found.agrees
        assert set(found.votes) < {one.name for one in found.criteria}


def test_the_gap_alone_goes_on():
    """Two clusters of three touch, and one is long: gaps rise up to the limit, others do not."""
    rng, height = np.random.default_rng(1), np.repeat([0, 14, 17.5], 70)
    along = rng.uniform(0, 16, 210)
    noise = np.where(height == 0, 0.2, 0.9) * rng.normal(size=210)
    X = np.column_stack([along, height + noise])
    found = select.choose_n_clusters(X, k_max=4, random_state=0)
    assert found.votes == {"separation": 2, "gap": 4, "prediction strength": 3}
    assert (found.n_clusters, found.at_limit[0]) == (2, "gap")


def test_more_than_ten_clusters_and_rows_far_away():
    """Ten is doubled where it is suggested, up to a tenth of the rows."""
    rng = np.random.default_rng(5)
    grid = [rng.normal([10 * i, 10 * j], 0.7, (10, 2)) for i in range(4) for j in range(3)]
    found = select.choose_n_clusters(np.concatenate(grid), random_state=0)
    assert (found.n_clusters, found.k[-1]) == (12, 12)
    far = np.vstack([blobs(LINE[:2], 40), [[400.0, -300.0]]])
    kernel = (1e5 + far) @ (1e5 + far).T
    for rows, metric in ((far, "energy"), (kernel, "precomputed_kernel")):
        found = select.choose_n_clusters(rows, metric=metric, k_max=3, random_state=0)
        assert (found.n_clusters, found.n_far, found.n_samples) == (2, 1, 81), metric
    few = select.choose_n_clusters(rng.normal(size=(7, 2)), random_state=0)
    assert few.k.tolist() == [1]
    assert select.silhouette(far, [3, 2, 3], random_state=0).k.tolist() == [2, 3]


def test_rows_and_seeds_that_are_drawn():
    X = blobs(LINE, 60)
    found = select.silhouette(X, range(1, 5), max_samples=60, random_state=0)
    assert (found.n_samples, found.n_clusters) == (60, 3)
    again, other = (
        select.gap_statistic(X, [1, 2], n_references=2, random_state=seed).values for seed in (0, 1)
    )
    first = select.gap_statistic(X, [1, 2], n_references=2, random_state=0).values
    assert (first == again).all()
    assert (first != other).all()
    labels = np.repeat(["a", "b", "c"], 60)
    drawn = select.cluster_significance(X, labels, max_samples=60, random_state=0)
    assert drawn.n_samples == 60
    assert drawn.separated() == {"a": True, "b": True, "c": True}


def test_gaps_are_those_of_uniform_rows_in_the_box():
    """Of one cluster W is the mean of all pairs: mean and spread of its logarithm by draws."""
    X = np.random.default_rng(0).normal(size=(30, 2)) @ [[3.0, 1.0], [0.0, 0.5]] + [50.0, -20.0]
    found = select.gap_statistic(X, [1, 2], n_references=60, random_state=0)
    _, _, axes = np.linalg.svd(X - X.mean(axis=0))
    turned = (X - X.mean(axis=0)) @ axes.T
    rng = np.random.default_rng(1)
    draws = rng.uniform(turned.min(axis=0), turned.max(axis=0), (400, 30, 2))
    logs = np.log([pdist(rows).sum() / 30 for rows in draws])
    error = logs.std()
    expected = logs.mean() - np.log(pdist(X).sum() / 30)
    assert abs(found.values[0] - expected) < 5 * error / np.sqrt(60)
    assert 0.6 * error < found.errors[0] < 1.6 * error
    for seed in range(8):
        Z = np.random.default_rng(seed).normal(size=(24, 2))
        made = select.gap_statistic(Z, [1, 2, 3, 4], n_references=3, random_state=0)
        enough = made.values[:-1] >= made.values[1:] - made.errors[1:]
        assert made.n_clusters == (1 + int(np.argmax(enough)) if enough.any() else 4)


def test_metrics_that_turn_rows_are_compared_by_their_matrix():
    """Rows of directions and of places are no points of a plane; their distances say all."""
    rng = np.random.default_rng(0)
    angles = np.repeat([0.2, 1.0], 15) + rng.normal(0, 0.05, 30)
    lengths = np.exp(rng.normal(0, 1, 30))
    X = lengths[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    for metric in ("cosine", "great_circle"):
        rho = by_name(metric).pairwise(X)
        given = {"n_references": 3, "random_state": 0}
        of_rows = select.gap_statistic(X, [1, 2, 3], metric=metric, **given)
        of_matrix = select.gap_statistic(rho, [1, 2, 3], metric="precomputed", **given)
        np.testing.assert_allclose(of_rows.values, of_matrix.values, 1e-6, err_msg=metric)


def test_strengths_of_predictions():
    """Errors are those of a mean, and the value is that of the worst cluster."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    made = [select.prediction_strength(X, [2, 3], n_splits=m, random_state=0) for m in range(1, 6)]
    means = np.array([one.values for one in made])
    single = np.diff(np.arange(6)[:, None] * np.vstack([0 * means[:1], means]), axis=0)
    np.testing.assert_allclose(made[-1].errors, single.std(axis=0) / np.sqrt(5), 1e-9)
    many = blobs([[20 * i, 0] for i in range(6)], 20)
    # Five of seven clusters are whole, so that the mean is at least 5/7.
    assert select.prediction_strength(many, [7], random_state=0).values[0] < 0.7


# Evidence


def pvalues(found):
    return [pair.pvalue for pair in found.pairs]


def test_the_least_pvalues():
    """The dip has p ≥ 1/2000; the median of several counts twice, and the lesser of two, too."""
    labels = np.repeat([0, 1, 2], 40)
    for k, n_splits, expected, whole in (
        (2, 1, [1 / 2000], 1 / 2000),
        (2, 20, [2 / 2000], 2 / 2000),
        (3, 1, [2 / 2000, None, 2 / 2000], 3 / 2000),
        (3, 20, [4 / 2000, None, 4 / 2000], 6 / 2000),
    ):
        X = blobs(LINE[:k], 40)
        found = select.cluster_significance(X, labels[: 40 * k], n_splits=n_splits, random_state=0)
        assert pvalues(found) == [pytest.approx(p) if p else None for p in expected]
        assert found.any_pvalue == pytest.approx(whole)
        assert (found.rounded_columns, found.cut_through) == ((), ())


def test_clusters_that_touch():
    labels = np.repeat(["a", "b", "c"], 60)
    found = select.cluster_significance(TRIANGLE, labels, random_state=0)
    assert found.pair("a", "b").pvalue <= 0.05 < found.pair("b", "c").pvalue
    assert found.pvalue == found.pair("b", "c").pvalue
    assert (found.cut_through, found.separated()) == ((), {"a": True, "b": False, "c": False})
    rho = squareform(pdist(TRIANGLE))
    given = {"metric": "precomputed", "random_state": 0}
    by_matrix = select.cluster_significance(rho, labels, **given)
    assert pvalues(by_matrix)[0] == pytest.approx(pvalues(found)[0])
    of_rows = select.separation(TRIANGLE, range(1, 5), random_state=0)
    of_matrix = select.separation(rho, range(1, 5), **given)
    assert of_rows.n_clusters == of_matrix.n_clusters == 2
    np.testing.assert_allclose(of_matrix.values, of_rows.values, 1e-6)


def test_each_border_has_the_rows_of_two_clusters():
    """Of 80 rows for tests about two thirds are in two of three clusters, which overlap."""
    X = blobs([[0, 0], [4.0, 0], [2, 3.4]], 40, 9, 1.2)
    found = select.cluster_significance(X, np.repeat([0, 1, 2], 40), n_splits=4, random_state=0)
    for pair in found.pairs:
        assert 46 <= pair.n_points <= 61, pair


def test_clusters_that_cut_through_others():
    """A gap between centers is none along the border of two halves of two moons."""
    X, moons = make_moons(300, noise=0.06, random_state=0)
    whole = select.cluster_significance(X, moons, random_state=0)
    assert (whole.cut_through, whole.separated()) == ((), {0: True, 1: True})
    halves = (X[:, 0] > 0.5).astype(int)
    cut = select.cluster_significance(X, halves, random_state=0)
    assert cut.pvalue <= 0.05
    assert (cut.cut_through, cut.separated()) == ((0, 1), {0: False, 1: False})


def test_small_clusters():
    """Evidence is that of both sides of the border, and of each small cluster, not the best."""
    rng = np.random.default_rng(5)
    large, small = rng.normal(0, 1, (300, 2)), rng.normal([9, 0], 0.5, (24, 2))
    found = select.cluster_significance(
        np.vstack([large, small]), np.repeat([0, 1], [300, 24]), random_state=0
    )
    assert found.pvalue < 1e-4, "less than a dip can say"
    three = np.vstack(
        [large[:200], large[100:] + np.array([12, 0]), rng.normal([6, 9], 0.3, (12, 2))]
    )
    assert select.separation(three, range(1, 5), random_state=0).n_clusters == 3
    touching = np.vstack([blobs([[0, 0], [2.8, 0]], 100, 1), rng.normal([1.4, 12], 0.5, (16, 2))])
    assert select.separation(touching, [3], random_state=0).values[0] > 0.05
    # A tail that was cut off: fewer rows on one side of the border, but none fewer at it.
    waiting = np.exp(1.6 * np.random.default_rng(0).normal(size=(300, 1)))
    ends = KernelKGroups(2, random_state=0).fit(waiting).labels_
    tail = select.cluster_significance(waiting, ends, random_state=0)
    assert tail.pairs[0].n_points > 100
    assert tail.pvalue > 0.05


def test_rounded_rows_are_one_cluster():
    rng = np.random.default_rng(6)
    X = np.round(rng.normal(0, 1.2, (200, 2)))
    found = select.cluster_significance(X, (X[:, 0] > 0).astype(int), random_state=0)
    assert found.rounded_columns == (0, 1)
    assert found.pvalue > 0.05
    X[:, 1] = rng.normal(size=200)
    one = select.separation(X, [1, 2], random_state=0)
    assert (one.rounded_columns, one.n_clusters) == ((0,), 1)


def test_stability_of_clusters_that_touch():
    """Shares of the samples in which a cluster comes back; the same from a matrix."""
    X = TRIANGLE[::2]
    labels = np.repeat(["a", "b", "c"], 30)
    found = select.cluster_stability(X, labels, n_resamples=25, random_state=0)
    resampled = found.resampled
    np.testing.assert_array_equal(found.recovered, (resampled >= 0.75).mean(axis=0))
    np.testing.assert_array_equal(found.dissolved, (resampled <= 0.5).mean(axis=0))
    assert ((resampled >= 0.75) & (resampled < 0.85)).any()
    assert found.jaccard[0] > 0.95
    rho = squareform(pdist(X))
    by_matrix = select.cluster_stability(
        rho, labels, metric="precomputed", n_resamples=25, random_state=0
    )
    np.testing.assert_allclose(by_matrix.resampled, resampled, 1e-12)


# Contributions


def test_contributions_of_parts_and_of_sparse_rows():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(30, 4)) * 4) / 4
    labels, w = np.arange(30) % 3, rng.uniform(2, 9, 30)
    parts = [(Energy(), [3, 1], 2.0), (Manhattan(), [0])]
    found = select.feature_contributions(X, labels, metric=ColumnSum(parts), sample_weight=w)
    rho = [oracle.distances("energy", X[:, [3, 1]]), oracle.distances("manhattan", X[:, [0]])]
    S = [float(oracle.between(one, labels, w, 3)) for one in rho]
    assert found.contributions[0] == pytest.approx(S[1], rel=1e-10)
    assert found.contributions[[1, 3]].sum() == pytest.approx(2 * S[0], rel=1e-10)
    assert found.contributions[2] == 0
    cosine = select.feature_contributions(X + 0.1, labels, metric="cosine", sample_weight=w)
    right = oracle.between(oracle.distances("cosine", X + 0.1), labels, w, 3)
    assert cosine.total == pytest.approx(float(right), rel=1e-10)
    X[np.abs(X) < 0.8] = 0.0
    X[:, 0] = labels + 1.0
    X[:, 3] *= 10
    for metric in ("energy", "manhattan", Hamming(), "sqeuclidean", "gaussian"):
        of_table, of_rows = (
            select.feature_contributions(rows, labels, metric=metric, sample_weight=w)
            for rows in (X, sparse.csr_array(X))
        )
        for name in ("contributions", "explained", "by_cluster"):
            left, right = (getattr(one, name) for one in (of_rows, of_table))
            np.testing.assert_allclose(left, right, 1e-9, 1e-11, err_msg=f"{metric}, {name}")
    by_scale = select.feature_contributions(X, labels, metric="sqeuclidean")
    assert by_scale.explained.argmax() == 0
    assert by_scale.ranking()[0] == by_scale.contributions.argmax() == 3
