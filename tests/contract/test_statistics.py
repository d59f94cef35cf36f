"""Statistics of samples and of labeled rows, against sums over pairs, SciPy and scikit-learn."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from sklearn.metrics import pair_confusion_matrix, silhouette_score

import kgroups as kg
import oracle
from kgroups import metrics, select, stats
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Hamming, Manhattan, Mixed

X = np.random.default_rng(0).normal(size=(13, 3))
Y = np.random.default_rng(1).normal(size=(9, 3)) + 0.5
A, B = np.random.default_rng(2).uniform(0.2, 2, 13), np.random.default_rng(3).uniform(0.2, 2, 9)
B[4] = 0.0
ROWS = np.vstack([X, Y])
LABELS = np.array([0] * 13 + [1] * 9)


def weights(given, n):
    return oracle.long(np.ones(n) if given is None else given)


# Distances between samples


@pytest.mark.parametrize(
    ("metric", "right"),
    [
        ("energy", "energy"),
        (Energy(2), "sqeuclidean"),
        (Energy(0.5), ("energy", {"alpha": 0.5})),
        ("gaussian", "gaussian"),
        ("manhattan", "manhattan"),
        ("cosine", "cosine"),
        (
            ColumnSum([(Energy(), [0, 2]), (Manhattan(), [1], 3.0)]),
            ("column_sum", {"parts": [("energy", [0, 2], 1.0), ("manhattan", [1], 3.0)]}),
        ),
    ],
    ids=str,
)
def test_energy_distances(metric, right):
    rho = [oracle.distances(right, *pair) for pair in ((X, Y), (X, X), (Y, Y))]
    for a, b in ((None, None), (A, B)):
        given = {"metric": metric, "sample_weight_X": a, "sample_weight_Y": b}
        for unbiased in (False, True):
            w = weights(a, 13), weights(b, 9)
            expected = float(oracle.energy_distance(*rho, *w, unbiased=unbiased))
            found = stats.energy_distance(X, Y, unbiased=unbiased, **given)
            assert found == pytest.approx(expected, rel=1e-11, abs=1e-13)
            squared = stats.mmd(X, Y, unbiased=unbiased, squared=True, **given)
            assert squared == pytest.approx(expected / 2, rel=1e-11, abs=1e-13)
            root = stats.mmd(X, Y, unbiased=unbiased, **given)
            assert root == pytest.approx(math.sqrt(max(expected / 2, 0)), rel=1e-11, abs=1e-13)


def test_energy_distances_on_a_line():
    x, y = np.round(X[:, 0], 1), np.round(Y[:, 0], 1)
    for a, b in ((None, None), (A, B)):
        expected = scipy_stats.energy_distance(x, y, a, b) ** 2
        found = stats.energy_distance(x, y, sample_weight_X=a, sample_weight_Y=b)
        assert found == pytest.approx(expected, rel=1e-12)
    assert stats.energy_distance([0.0, 2.0], [5.0, 5.0], unbiased=True) == 6.0
    assert stats.mmd([0.0, 2.0], [0.0, 2.0], unbiased=True, squared=True) == -1.0
    assert stats.mmd([0.0, 2.0], [0.0, 2.0], unbiased=True) == 0.0


def test_the_scale_of_two_samples_is_that_of_both():
    sigma = float(oracle.median_distance(oracle.long(ROWS)))
    by_median = stats.energy_distance(X, Y, metric=Gaussian("median"))
    assert by_median == pytest.approx(stats.energy_distance(X, Y, metric=Gaussian(sigma)))


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
@pytest.mark.parametrize("labels", [LABELS, np.arange(22) % 4, np.zeros(22, int)])
@pytest.mark.parametrize("weighted", [False, True])
def test_within_and_between(labels, weighted):
    w = np.concatenate([A, B]) if weighted else np.ones(22)
    k = labels.max() + 1
    named = np.array(["d", "c", "b", "a"])[labels]
    for right in ("energy", "sqeuclidean", "manhattan", "damped_squared", "angular"):
        rho = oracle.distances(right, ROWS)
        given = {"metric": right, "sample_weight": w if weighted else None}
        W, S = (f(rho, labels, w, k) for f in (oracle.within_dispersion, oracle.between))
        close = {"rel": 1e-11, "abs": 1e-11 * float(rho.max())}
        assert stats.within_dispersion(ROWS, named, **given) == pytest.approx(float(W), **close)
        assert stats.between_statistic(ROWS, named, **given) == pytest.approx(float(S), **close)
    given = {"metric": "precomputed", "sample_weight": w}
    found = stats.within_dispersion(rho.astype(float), labels, **given)
    assert found == pytest.approx(float(W), rel=1e-11)


# Permutation tests


@pytest.mark.parametrize("metric", ["energy", "manhattan", "sqeuclidean", "gaussian"])
def test_statistics_of_permutations(metric):
    """The statistic of each permutation is that of some labels of the same sizes."""
    Z = ROWS[4:]  # samples of 9, 5 and 4 rows
    samples, labels = (Z[:9], Z[9:14], Z[14:]), np.repeat([0, 1, 2], [9, 5, 4])
    rho = oracle.distances(metric, Z)
    found = stats.energy_test(*samples, metric=metric, n_permutations=99, random_state=0)
    right = float(oracle.test_statistic(rho, labels, 3))
    assert found.statistic == pytest.approx(right, rel=1e-11)
    assert len(found.permuted) == found.n_permutations == 99
    reached = np.count_nonzero(found.permuted >= found.statistic * (1 - 1e-12))
    assert found.pvalue == (1 + reached) / 100
    apart, n = oracle.e_distances(rho, labels, np.ones(18), 3)
    expected = (np.outer(n, n) / (n + n[:, None]) * apart).astype(float)
    np.testing.assert_allclose(found.energy, expected, 1e-10, 1e-12)
    assert found.energy.sum() / 2 == pytest.approx(right)
    mean = [
        [
            oracle.mean_distance(rho, oracle.long(labels == i), oracle.long(labels == j))
            for j in range(3)
        ]
        for i in range(3)
    ]
    mixed = np.asarray(mean, float)
    np.fill_diagonal(mixed, 1.0)
    np.testing.assert_allclose(found.coefficients, apart.astype(float) / (2 * mixed), 1e-9, 1e-12)
    assert found.coefficient == pytest.approx(found.coefficients.max(), rel=1e-12)
    assert found.sizes == (9, 5, 4)
    pooled = stats.energy_test(Z, labels=labels, metric=metric, n_permutations=99, random_state=0)
    np.testing.assert_allclose(np.sort(pooled.permuted), np.sort(found.permuted), 1e-9)
    analysis = stats.disco(Z, labels, metric=metric, n_permutations=99, random_state=0)
    F = float(oracle.disco_statistic(rho, labels, 3))
    W, S = (
        float(f(rho, labels, np.ones(18), 3)) for f in (oracle.within_dispersion, oracle.between)
    )
    assert analysis.statistic == pytest.approx(F, rel=1e-11)
    assert (analysis.within, analysis.between) == pytest.approx((W, S), rel=1e-11)
    assert (found.within, found.between) == pytest.approx((W, S), rel=1e-11)
    assert analysis.total == pytest.approx(W + S, rel=1e-12)
    assert (analysis.df_between, analysis.df_within) == (2, 15)
    reached = np.count_nonzero(analysis.permuted >= analysis.statistic * (1 - 1e-12))
    assert analysis.pvalue == (1 + reached) / 100
    longer = stats.disco(Z, labels, metric=metric, n_permutations=140, random_state=0)
    np.testing.assert_array_equal(longer.permuted[:99], analysis.permuted)


def test_all_permutations_of_few_points():
    """Samples of 2 and 2 have three partitions; each comes about as often as the others."""
    Z = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 2.0], [3.0, 7.0]])
    rho = oracle.distances("energy", Z)
    values = [
        float(oracle.test_statistic(rho, np.array(z), 2))
        for z in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0])
    ]
    found = stats.energy_test(Z[:2], Z[2:], n_permutations=3000, random_state=0)
    counts = [np.isclose(found.permuted, value, rtol=1e-9).sum() for value in values]
    assert sum(counts) == 3000
    assert scipy_stats.chisquare(counts).pvalue > 1e-3
    assert found.pvalue == (1 + counts[int(np.argmax(values))]) / 3001
    assert found.statistic == pytest.approx(values[0])


def test_the_level_is_exact_where_nothing_differs():
    """At p ≤ 1/20 from 19 permutations 5 % are rejected: 200 draws have 1 to 24 with 1 − 1e-4."""
    rejected = {"test": 0, "disco": 0}
    for seed in range(200):
        Z = np.random.default_rng([5, seed]).normal(size=(14, 2))
        how = {"n_permutations": 19, "random_state": seed}
        rejected["test"] += stats.energy_test(Z[:8], Z[8:], **how).pvalue <= 0.05
        rejected["disco"] += stats.disco(Z, np.arange(14) % 3, **how).pvalue <= 0.05
    low, high = scipy_stats.binom.ppf([5e-5, 1 - 5e-5], 200, 0.05)
    for name, count in rejected.items():
        assert low <= count <= high, name


# The dip


def test_dips_by_hand():
    """Half of 1/n for one mode; equal groups of two atoms are 1/4 away from any."""
    for n in (4, 10, 101):
        found = stats.dip_test(np.arange(n, dtype=float))
        assert found.statistic == pytest.approx(1 / (2 * n), rel=1e-12)
        assert (found.n_samples, found.pvalue) == (n, 1.0)
    atoms = np.repeat([0.0, 1.0], 20)
    assert stats.dip_test(atoms).statistic == pytest.approx(0.25, rel=1e-12)
    assert stats.dip_test(atoms).pvalue == 1 / 2000
    uneven = stats.dip_test(np.repeat([0.0, 1.0], [30, 10]))
    assert uneven.statistic == pytest.approx(0.125, rel=1e-12)
    assert stats.dip_test([0.0, 0.0, 1.0]).pvalue == 1.0
    x = np.random.default_rng(0).normal(size=60)
    first = stats.dip_test(x)
    for other in (x[::-1], 1e200 * x, 3 - 2 * x):
        assert stats.dip_test(other).statistic == pytest.approx(first.statistic, rel=1e-9)
    ps = [stats.dip_test(np.random.default_rng(i).uniform(size=40)).pvalue for i in range(200)]
    assert scipy_stats.kstest(ps, "uniform").pvalue > 1e-3


# Scores of labels


def test_scores_of_labels():
    rng = np.random.default_rng(0)
    for k, m in ((2, 2), (3, 5), (4, 3)):
        a, b = rng.integers(k, size=40), rng.integers(m, size=40)
        a[:k], b[:m] = np.arange(k), np.arange(m)
        table = metrics.contingency(a, b)
        assert table.tolist() == [
            [int(((a == i) & (b == j)).sum()) for j in range(m)] for i in range(k)
        ]
        size = max(k, m)
        square = np.zeros((size, size))
        square[:k, :m] = table
        best = max(sum(square[i, p[i]] for i in range(size)) for p in permutations(range(size)))
        accuracy = metrics.clustering_accuracy(a, b)
        assert accuracy == pytest.approx(best / 40)
        assert metrics.overlap(a, b) == pytest.approx((accuracy - 1 / k) * k / (k - 1))
        assert not metrics.same_partition(a, b)
        confusion = pair_confusion_matrix(a, (a + 1) % k)
        assert metrics.same_partition(a, (a + 1) % k) == (confusion[0, 1] == confusion[1, 0] == 0)
    assert metrics.same_partition([0, 1, 2], [0, 1, 1]) is False
    assert metrics.same_partition([0, 1, 1], [0, 1, 2]) is False


# The number of clusters


def blobs(k, n=40, apart=9.0):
    rng = np.random.default_rng(k)
    return np.concatenate([rng.normal(apart * j, 1, (n, 2)) for j in range(k)])


def test_silhouettes_are_those_of_scikit_learn():
    Z = blobs(3, apart=4.0)
    for metric, name in (("energy", "euclidean"), ("manhattan", "manhattan")):
        found = select.silhouette(Z, range(1, 6), metric=metric, random_state=0)
        assert found.k.tolist() == [1, 2, 3, 4, 5]
        assert np.isnan(found.values[0])
        for k in (2, 3):  # the best partition is found whatever the start
            labels = kg.KernelKGroups(k, metric=metric, random_state=0).fit(Z).labels_
            expected = silhouette_score(Z, labels, metric=name)
            assert found.values[k - 1] == pytest.approx(expected, rel=1e-12)
        assert found.n_clusters == 3
    lonely = select.silhouette([[0.0], [1.0], [50.0]], [2], random_state=0)
    # b − a over the larger: 49/50 and 48/49 for the pair, 0 for the point alone.
    assert lonely.values[0] == pytest.approx((49 / 50 + 48 / 49) / 3)


def test_the_eigengap_is_that_of_the_random_walk():
    Z = blobs(3, n=12, apart=4.0)
    for metric, right in (
        (Gaussian(2.0), ("gaussian", {"sigma": 2.0})),
        ("energy", "energy"),
    ):
        rho = oracle.distances(right, Z).astype(float)
        if isinstance(metric, Gaussian):
            G = 1 - rho / 2
        else:
            H = np.eye(36) - 1 / 36
            G = np.maximum(-H @ rho @ H / 2, 0)
        d = G.sum(axis=1)
        values = np.sort(1 - np.linalg.eigvalsh(G / np.sqrt(np.outer(d, d))))
        found = select.eigengap(Z, range(1, 7), metric=metric, random_state=0)
        np.testing.assert_allclose(found.values[1:], np.diff(values)[1:6], 1e-6, 1e-9)
        assert found.n_clusters == 2 + np.argmax(np.diff(values)[1:6])
    similarity = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(select.laplacian_spectrum(similarity, 3), [0, 0, 1], atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_every_criterion_finds_clusters_far_apart(k):
    Z = blobs(k)
    for name in ("prediction_strength", "gap_statistic", "separation"):
        found = getattr(select, name)(Z, range(1, 6), random_state=0)
        assert found.n_clusters == k, name
        assert (found.k.tolist(), found.n_samples) == ([1, 2, 3, 4, 5], 40 * k)
    chosen = select.choose_n_clusters(Z, random_state=0)
    assert (chosen.n_clusters, chosen.interval) == (k, (k, k))
    assert chosen.agrees
    model = kg.KernelKGroups("auto", random_state=0).fit(Z)
    assert model.n_clusters_ == model.cluster_count_.n_clusters == k
    assert metrics.same_partition(model.labels_, np.repeat(range(k), 40))


def test_values_of_criteria():
    Z = blobs(2)
    strength = select.prediction_strength(Z, range(1, 4), random_state=0)
    assert strength.values[:2].tolist() == [1.0, 1.0]
    assert strength.errors[:2].tolist() == [0.0, 0.0]
    assert strength.threshold == 0.8
    assert 0 <= strength.values[2] + strength.errors[2] < 0.8
    gap = select.gap_statistic(Z, range(1, 5), n_references=6, random_state=0)
    assert (gap.errors > 0).all()
    shift = select.gap_statistic(8 * Z + 64, range(1, 5), n_references=6, random_state=0)
    np.testing.assert_allclose(shift.values, gap.values, 1e-9)
    rule = [k for k in range(3) if gap.values[k] >= gap.values[k + 1] - gap.errors[k + 1]]
    assert gap.n_clusters == 1 + rule[0]
    apart = select.separation(Z, range(1, 4), random_state=0)
    assert np.isnan(apart.values[0])
    assert apart.values[1] <= 0.05 < apart.values[2] <= 1


def test_errors_of_gaps_are_those_of_the_references():
    """Two references have the mean and the difference; each further one follows from the mean."""
    Z, found = blobs(2), {}
    for B in (2, 3, 4):
        found[B] = select.gap_statistic(Z, range(1, 4), n_references=B, random_state=0)
    apart = found[2].errors / np.sqrt(1 + 1 / 2)
    logs = [found[2].values - apart, found[2].values + apart]
    for B in (3, 4):
        logs.append(B * found[B].values - sum(logs))
        expected = np.std(logs, axis=0) * np.sqrt(1 + 1 / B)
        np.testing.assert_allclose(found[B].errors, expected, 1e-8)


def test_evidence_for_each_pair_of_clusters():
    Z = blobs(3)
    labels = np.repeat(["a", "b", "c"], 40)
    found = select.cluster_significance(Z, labels, random_state=0)
    assert found.groups == ("a", "b", "c")
    assert found.separated() == {"a": True, "b": True, "c": True}
    assert found.any_separated()
    assert found.pair("b", "a") == found.pair("a", "b")
    assert found.pair("a", "b").pvalue <= 0.05
    assert found.pair("a", "b").naive_pvalue == 1 / 200
    # The middle cluster is between the two others.
    assert found.pair("a", "c").pvalue is None
    rho = oracle.distances("energy", Z)
    parts = [oracle.long(labels == name) for name in "ab"]
    apart, _ = oracle.e_distances(rho, np.repeat([0, 1, 2], 40), np.ones(120), 3)
    expected = float(apart[0, 1] / (2 * oracle.mean_distance(rho, *parts)))
    assert found.pair("a", "b").coefficient == pytest.approx(expected, rel=1e-9)
    one = np.random.default_rng(0).normal(size=(120, 2))
    halves = (one[:, 0] > 0).astype(int)
    nothing = select.cluster_significance(one, halves, random_state=0)
    assert nothing.pvalue > 0.05
    assert nothing.pairs[0].naive_pvalue == 1 / 200
    assert not nothing.any_separated()


def test_rounded_columns_and_categories_are_no_evidence():
    rng = np.random.default_rng(0)
    counts = rng.poisson(3, size=(200, 2)).astype(float)
    halves = (counts[:, 0] > 3).astype(int)
    found = select.cluster_significance(counts, halves, random_state=0)
    assert found.rounded_columns == (0, 1)
    assert found.pvalue > 0.05
    gap = select.gap_statistic(counts, range(1, 4), random_state=0)
    assert gap.rounded_columns == (0, 1)
    assert gap.n_clusters == 1
    words = rng.integers(0, 3, (120, 5)).astype(float)
    labels = kg.KernelKGroups(2, metric="hamming", random_state=0).fit(words).labels_
    found = select.cluster_significance(words, labels, metric="hamming", random_state=0)
    assert found.few_distances
    assert found.pvalue > 0.05


def test_numbers_that_are_tried():
    Z = blobs(3)
    few = select.choose_n_clusters(Z, k_max=2, random_state=0)
    assert few.n_clusters == 2
    assert all(c.k.tolist() == [1, 2] for c in few.criteria)
    given = select.choose_n_clusters(Z, [2, 3, 5], random_state=0)
    assert all(c.k.tolist() == [2, 3, 5] for c in given.criteria)
    assert given.n_clusters == 3
    sampled = select.choose_n_clusters(Z, max_samples=60, random_state=0)
    assert (sampled.n_samples, sampled.n_given, sampled.n_clusters) == (60, 120, 3)
    assert sampled.votes


def test_stability_of_clusters():
    Z = np.vstack([blobs(2, n=20, apart=30.0), [[500.0, 0.0]]])
    labels = np.r_[np.repeat([0, 1], 20), 2]
    found = select.cluster_stability(Z, labels, n_resamples=30, random_state=0)
    assert found.sizes.tolist() == [20, 20, 1]
    drawn = np.isfinite(found.resampled)
    assert drawn[:, :2].all()
    assert 10 <= drawn[:, 2].sum() <= 27, "one row is drawn in 64 % of the samples"
    whole = found.resampled[drawn[:, 2]]
    assert (whole == 1.0).all()
    mean = np.nanmean(found.resampled, axis=0)
    np.testing.assert_allclose(found.jaccard, mean, 1e-12)
    error = np.nanstd(found.resampled, axis=0, ddof=1) / np.sqrt(drawn.sum(axis=0))
    np.testing.assert_allclose(found.errors, error, 1e-9, 1e-12)
    assert found.recovered[2] == 1.0
    assert found.dissolved[2] == 0.0


def test_contributions_of_columns():
    Z, labels, w = ROWS, np.arange(22) % 3, np.concatenate([A, B])
    for metric, right in (
        ("manhattan", "manhattan"),
        ("sqeuclidean", "sqeuclidean"),
        (Hamming(), "hamming"),
    ):
        rows = np.round(Z) if right == "hamming" else Z
        found = select.feature_contributions(rows, labels, metric=metric, sample_weight=w)
        S = oracle.between(oracle.distances(right, rows), labels, w, 3)
        assert found.total == pytest.approx(float(S), rel=1e-11)
        for d in range(3):
            rho = oracle.distances(right, rows[:, [d]])
            factor = 3 if right == "hamming" else 1
            S_d, W_d = (f(rho, labels, w, 3) for f in (oracle.between, oracle.within_dispersion))
            assert found.contributions[d] == pytest.approx(float(S_d) / factor, rel=1e-10)
            assert found.explained[d] == pytest.approx(float(S_d / (S_d + W_d)), rel=1e-10)
    found = select.feature_contributions(Z, labels, sample_weight=w)
    rho = oracle.distances("energy", Z)
    s, of = oracle.weights_of(labels, oracle.long(w), 3), np.equal.outer(labels, labels)
    pair = np.outer(w, w) * (1 / w.sum() - of / s[labels][:, None])
    for d in range(3):
        part = (Z[:, [d]] - Z[:, d]) ** 2
        share = oracle.over(oracle.long(part), rho)
        right = (np.triu(pair * share, 1)).sum()
        assert found.contributions[d] == pytest.approx(float(right), rel=1e-9, abs=1e-10)
    np.testing.assert_allclose(found.by_cluster.sum(axis=0), found.contributions, 1e-10, 1e-12)
    np.testing.assert_allclose(found.shares, found.contributions / found.total, 1e-12)
    assert found.ranking().tolist() == np.argsort(-found.contributions).tolist()


def test_mixed_tables_have_statistics_too():
    frame = pd.DataFrame({"x": ROWS[:, 0], "c": np.array(["u", "v", "w"])[np.arange(22) % 3]})
    frame.loc[3, "x"] = np.nan
    plain = [[None if v != v else v for v in row] for row in frame.to_numpy().tolist()]
    rho = oracle.mixed(plain, plain)
    right = oracle.within_dispersion(rho, LABELS, np.ones(22), 2)
    found = stats.within_dispersion(frame, LABELS, metric=Mixed())
    assert found == pytest.approx(float(right), rel=1e-11)
    test = stats.energy_test(frame, labels=LABELS, metric="mixed", n_permutations=9, random_state=0)
    assert test.statistic == pytest.approx(float(oracle.test_statistic(rho, LABELS, 2)), rel=1e-10)
