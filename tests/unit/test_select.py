"""Criteria for the number of clusters, one by one and together, and whether clusters are real."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import silhouette_samples

from helpers import random_start
from kgroups import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.gram import DenseGram
from kgroups.select import (
    _subject,
    choose_n_clusters,
    cluster_significance,
    eigengap,
    gap_statistic,
    prediction_strength,
    separation,
    silhouette,
)
from kgroups.select._rounding import smoothed
from kgroups.select._subject import Subject
from kgroups.select.eigengap import laplacian_spectrum
from kgroups.select.gap import _first_maximum
from kgroups.select.prediction_strength import strength
from kgroups.select.separation import _best_cut, _region, neighbours, where_tested
from kgroups.select.significance import (
    ClusterSignificance,
    PairSignificance,
    _holm,
    _together,
)
from kgroups.select.silhouette import silhouettes
from kgroups.semimetrics import Energy, Gaussian, Hamming, SineSquared, semimetric_from_kernel
from kgroups.stats import dip_test, energy_test

RANGE = range(1, 6)


def lumps(k, n=60, apart=9.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal((apart * j, 0), 1, (n, 2)) for j in range(k)])


# --- one by one ------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [separation, gap_statistic, prediction_strength])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_criteria_with_a_vote_find_what_is_plain_and_one_among_it(criterion, k):
    found = criterion(lumps(k), RANGE, random_state=0)
    assert found.n_clusters == k
    assert found.knows_one
    assert found.k.tolist() == list(RANGE)


@pytest.mark.parametrize("criterion", [silhouette, eigengap])
@pytest.mark.parametrize("k", [2, 3])
def test_criteria_without_a_vote_find_what_is_plain(criterion, k):
    found = criterion(lumps(k), RANGE, random_state=0)
    assert found.n_clusters == k
    assert not found.knows_one
    assert np.isnan(found.values[0])


@pytest.mark.parametrize("seed", range(6))
def test_silhouettes_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    labels = random_start(rng, 40, 5)
    labels[labels == 4] = 3
    labels[0] = 4  # a cluster of one
    rho = squareform(pdist(X)) ** 0.7
    own = silhouettes(DenseGram.from_distances(rho), labels, 5)
    assert own == pytest.approx(silhouette_samples(rho, labels, metric="precomputed"), abs=1e-12)


def test_eigengap_is_of_the_random_walk_laplacian():
    rng = np.random.default_rng(0)
    F = rng.uniform(size=(30, 4))
    G = F @ F.T
    L = np.eye(30) - G / G.sum(axis=1)[:, None]
    expected = np.sort(np.linalg.eigvals(L).real)[:7]
    assert laplacian_spectrum(G.copy(), 7) == pytest.approx(expected, abs=1e-10)


def test_eigengap_by_hand():
    """Two pairs that know nothing of each other: eigenvalues 0, 0, 1, 1 up to e^-50."""
    X = np.array([[0.0], [0.0], [10.0], [10.0]])
    found = eigengap(X, [1, 2, 3], metric=Gaussian(1.0))
    assert found.values[1:] == pytest.approx([1.0, 0.0], abs=1e-12)


def test_gap_rule_takes_the_first_maximum_within_one_error():
    k = np.arange(1, 5)
    gap, error = np.array([0.1, 0.5, 0.55, 0.9]), np.array([0.0, 0.01, 0.1, 0.01])
    assert _first_maximum(k, gap, error) == 2  # .5 >= .55 - .1
    assert _first_maximum(k, gap, np.zeros(4)) == 4
    assert _first_maximum(k, gap[::-1], np.zeros(4)) == 1
    assert _first_maximum(k, np.array([0.1, np.nan, 0.0, 0.2]), np.zeros(4)) == 1


def test_gap_is_the_difference_of_logs_of_dispersions():
    """References of one column: uniform over the range of the data, made here once more."""
    X = lumps(2)[:, :1]
    found = gap_statistic(X, [1, 2], n_references=100, random_state=0)
    rng = np.random.default_rng(1)
    logs = {1: [], 2: []}
    for _ in range(100):
        Y = rng.uniform(X.min(), X.max(), size=X.shape)
        for k, made in logs.items():
            model = KernelKGroups(k, random_state=0, n_init=4).fit(Y)
            made.append(np.log(model.within_dispersion_))
    for place, (k, made) in enumerate(logs.items()):
        own = np.log(KernelKGroups(k, random_state=0).fit(X).within_dispersion_)
        spread = np.std(made)
        # Two means of 100 draws each.
        assert found.values[place] == pytest.approx(
            np.mean(made) - own, abs=4 * spread * np.sqrt(2 / 100)
        )
        assert found.errors[place] == pytest.approx(spread * np.sqrt(1 + 1 / 100), rel=0.25)


def test_prediction_strength_by_hand():
    """Clusters {0,1,2} and {3,4,5,6}; the other half splits off point 2 and point 6."""
    found = np.array([0, 0, 0, 1, 1, 1, 1])
    predicted = np.array([0, 0, 1, 1, 1, 1, 0])
    split = SimpleNamespace(k=2, is_possible=True, found=found, predicted=predicted)
    # One of three pairs stays together; three of six.
    assert strength(split) == pytest.approx(min(1 / 3, 3 / 6))
    assert strength(SimpleNamespace(k=1)) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_have_no_third_centre_in_the_ball_between_them(seed):
    centres = np.random.default_rng(seed).normal(size=(7, 2))
    expected = []
    for i in range(7):
        for j in range(i + 1, 7):
            middle, radius = (centres[i] + centres[j]) / 2, np.hypot(*(centres[i] - centres[j])) / 2
            others = [q for q in range(7) if q not in (i, j)]
            if all(np.hypot(*(centres[q] - middle)) >= radius - 1e-12 for q in others):
                expected.append((i, j))
    assert neighbours(centres) == expected


@pytest.mark.parametrize("seed", range(10))
def test_best_cut_errs_least(seed):
    rng = np.random.default_rng(seed)
    near, far = rng.normal(size=9), rng.normal(1.0, 1.0, size=7)

    def errors(cut):
        return int((near > cut).sum() + (far <= cut).sum())

    values = np.sort(np.concatenate([near, far]))
    tried = [values[0] - 1, *(values[:-1] + values[1:]) / 2, values[-1] + 1]
    cut = _best_cut(near, far)
    assert errors(cut) <= min(errors(t) for t in tried) + (cut == values[0])


def test_region_of_two_clusters_is_convex():
    rng = np.random.default_rng(0)
    train = lumps(4, apart=3.0)
    labels = np.repeat(range(4), 60)
    centres = np.array([train[labels == j].mean(axis=0) for j in range(4)])
    points = rng.uniform(-3, 12, size=(400, 2))
    inside = points[_region(train, labels, centres, 1, 2, points)]
    assert 20 < len(inside) < 390
    pairs = rng.integers(len(inside), size=(2, 500))
    between = inside[pairs[0]] + rng.uniform(size=(500, 1)) * (inside[pairs[1]] - inside[pairs[0]])
    assert _region(train, labels, centres, 1, 2, between).all()


def test_rounding_makes_no_modes():
    rng = np.random.default_rng(0)
    rounded = rng.integers(0, 6, size=(400, 1)).astype(float)
    assert dip_test(rounded).pvalue <= 0.001
    assert dip_test(smoothed(rounded)).pvalue > 0.05
    assert np.array_equal(smoothed(rounded), smoothed(rounded))
    assert np.abs(smoothed(rounded) - rounded).max() <= 0.5
    fine = rng.normal(size=(50, 2))
    assert np.array_equal(smoothed(fine), fine)


def test_separation_counts_a_line_of_clusters_by_its_neighbours():
    """The two ends of a line are no neighbours: what is between them is not in their way."""
    X = np.concatenate([np.random.default_rng(j).normal(7.0 * j, 1, 150) for j in range(3)])
    assert separation(X[:, None], RANGE, random_state=0).n_clusters == 3


# --- together --------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3])
def test_choose_n_clusters_is_the_median_of_the_votes(k):
    count = choose_n_clusters(lumps(k), RANGE, random_state=0)
    assert count.n_clusters == k == int(np.median(list(count.votes.values())))
    assert list(count.votes) == ["separation", "gap", "prediction strength"]
    assert len(count.criteria) == 5
    assert count["gap"].n_clusters == count.votes["gap"]
    assert str(count).startswith("1 cluster (" if k == 1 else "3 clusters (")
    with pytest.raises(KeyError, match="elbow"):
        count["elbow"]


def test_choice_does_not_depend_on_threads_and_is_repeatable(monkeypatch):
    X = lumps(3, n=100)
    monkeypatch.setattr(_subject, "_THREADED", 100)
    one, two = (choose_n_clusters(X, [1, 2, 3], random_state=5, n_jobs=j) for j in (1, 3))
    for a, b in zip(one.criteria, two.criteria, strict=True):
        np.testing.assert_array_equal(a.values, b.values)


def test_matrices_objects_frames_and_categories_are_counted_too():
    X = lumps(2, n=40)
    rho = Energy().pairwise(X)
    words = ["aaaa", "aaab", "abaa", "aaba"] * 10 + [
        "zzzzzzz",
        "zzzzzyz",
        "zyzzzzz",
        "zzzyzzz",
    ] * 10
    frame = pd.DataFrame({"a": ["x", "y"] * 20 + ["p", "q"] * 20, "b": ["u"] * 40 + ["v"] * 40})

    def letters(a, b):
        return float(sum(p != q for p, q in zip(a.ljust(7), b.ljust(7), strict=True)))

    for data, metric in ((rho, "precomputed"), (words, letters), (frame, Hamming())):
        count = choose_n_clusters(data, [1, 2], metric=metric, random_state=0)
        assert count.n_clusters == 2, metric


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200])
def test_coordinates_of_a_matrix_are_those_of_its_points_but_for_a_unit(unit):
    X = np.random.default_rng(0).normal(size=(30, 3))
    subject = Subject.of(unit * squareform(pdist(X)), "precomputed")
    ratio = pdist(subject.coordinates) / pdist(X)
    assert ratio == pytest.approx(ratio[0], rel=1e-8)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_units_change_nothing(unit):
    X = lumps(2, n=20)
    one, other = (choose_n_clusters(s * X, [1, 2], random_state=0) for s in (1.0, unit))
    assert one.votes == other.votes == {"separation": 2, "gap": 2, "prediction strength": 2}
    np.testing.assert_allclose(other["gap"].values, one["gap"].values, rtol=1e-6)
    labels = np.repeat([0, 1], 20)
    assert cluster_significance(unit * X, labels, random_state=0).rejects()


def test_a_function_of_two_objects_is_called_once_for_a_pair():
    calls = 0

    def apart(a, b):
        nonlocal calls
        calls += 1
        return abs(a - b)

    line = [*range(15), *range(100, 115)]
    assert choose_n_clusters(line, [1, 2], metric=apart, random_state=0).n_clusters == 2
    assert calls < 30 * 30  # 435 pairs, the diagonal and a few the other way round


def test_kernels_are_counted_also_where_they_are_indefinite():
    A = np.random.default_rng(0).normal(size=(40, 40))
    noise = 0.01 * (A + A.T)
    gram = np.kron(np.eye(2), np.ones((20, 20))) + noise
    assert np.linalg.eigvalsh(gram)[0] < -0.1
    assert semimetric_from_kernel(gram).min() < 0
    count = choose_n_clusters(gram, [1, 2], metric="precomputed_kernel", random_state=0)
    assert count.n_clusters == 2
    labels = np.repeat([0, 1], 20)
    assert cluster_significance(gram, labels, metric="precomputed_kernel").rejects()


def test_where_dispersions_may_be_negative_it_is_said_once_and_to_the_caller():
    X = np.concatenate([lumps(2, n=15), lumps(2, n=15) * 7])
    with pytest.warns(TheoryWarning, match="clusters are compared all the same") as warned:
        count = choose_n_clusters(X, [1, 2], metric=SineSquared(), random_state=0)
    assert [warning.filename for warning in warned] == [__file__]
    assert np.isnan(count["gap"].values).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_jobs": "2"}, "n_jobs must be an integer"),
        ({"random_state": -1}, "random_state must be an integer >= 0"),
        ({"random_state": np.random.default_rng(0)}, "random_state must be an integer"),
        ({"max_samples": 0}, "max_samples must be an integer >= 1"),
    ],
)
def test_bad_settings_are_named(arguments, message):
    for call in (choose_n_clusters, lambda X, **how: cluster_significance(X, [0, 1] * 30, **how)):
        with pytest.raises(ValueError, match=message):
            call(lumps(1), **arguments)


def test_a_seed_of_scikit_learn_is_used_up():
    state = np.random.RandomState(0)
    X = lumps(1, n=40)
    first, second = (prediction_strength(X, [2], random_state=state).values for _ in range(2))
    assert not np.array_equal(first, second)
    again = prediction_strength(X, [2], random_state=np.random.RandomState(0)).values
    np.testing.assert_array_equal(first, again)


# --- rounding --------------------------------------------------------------------------------


@pytest.mark.parametrize("sd", [0.3, 0.5, 1.0])
def test_values_that_many_rows_share_are_no_clusters(sd):
    """A Gaussian rounded to three to seven values; prediction strength counts the values."""
    X = np.round(np.random.default_rng(0).normal(0, sd, (150, 1)))
    count = choose_n_clusters(X, range(1, 7), random_state=0)
    assert count.votes["gap"] == count.votes["separation"] == count.n_clusters == 1


def test_three_values_far_apart_are_three():
    X = np.array([[0, 0], [1, 5], [7, 2.0]])[np.arange(60) % 3]
    assert choose_n_clusters(X, range(1, 6), random_state=0).n_clusters == 3


@pytest.mark.parametrize("shape", [(20, 4), (20, 50)])
def test_projections_are_made_in_a_space_that_is_as_the_table(shape):
    X = 1e3 + np.random.default_rng(0).normal(size=shape)
    space = where_tested(X)
    assert space.shape == (20, min(shape))
    ratio = pdist(space) / pdist(X)
    assert ratio == pytest.approx(ratio[0], rel=1e-9)
    assert np.abs(space).max() < 10


def test_of_many_rows_some_are_drawn_and_it_says_so():
    count = choose_n_clusters(lumps(2, n=300), [1, 2, 3], max_samples=200, random_state=0)
    assert (count.n_samples, count.n_given, count.n_clusters) == (200, 600, 2)


def test_few_rows_and_equal_rows_are_one_cluster():
    assert choose_n_clusters(np.zeros((40, 2)), [1, 2, 3], random_state=0).n_clusters == 1
    assert choose_n_clusters([[0.0], [1.0], [5.0]], random_state=0).n_clusters == 1


@pytest.mark.parametrize(
    ("k_range", "error", "message"),
    [
        ([1, 500], ValueError, "goes up to 500, but there are 60 rows"),
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


# --- whether clusters are real -----------------------------------------------------------------


def test_significance_sees_valleys_and_names_the_labels():
    X = lumps(3, n=80)
    names = np.array(["red", "green", "blue"])[np.repeat(range(3), 80)]
    found = cluster_significance(X, names, random_state=0)
    assert found.groups == ("blue", "green", "red")
    assert found.pair("red", "green").pvalue <= 0.05
    assert found.pair("green", "blue").pvalue <= 0.05
    # Green lies between the other two.
    assert found.pair("blue", "red").pvalue is None
    assert found.rejects()
    assert found.separated() == {"blue": True, "green": True, "red": True}
    direct = energy_test(X[names == "red"], X[names == "green"], n_permutations=9)
    assert found.pair("red", "green").coefficient == pytest.approx(direct.coefficient)
    with pytest.raises(KeyError):
        found.pair("red", "black")


def test_significance_is_not_fooled_where_the_naive_test_is():
    X = np.random.default_rng(0).normal(size=(200, 3))
    labels = KernelKGroups(3, random_state=0).fit_predict(X)
    found = cluster_significance(X, labels, random_state=0)
    assert not found.rejects()
    assert max(pair.naive_pvalue for pair in found.pairs) <= 0.01
    assert found.separated() == {0: False, 1: False, 2: False}


def test_holm_by_hand():
    pairs = [
        PairSignificance(first=0, second=j, pvalue=p, naive_pvalue=1.0, coefficient=0.0,
                         n_splits=5, n_points=9)
        for j, p in enumerate([0.02, None, 0.01, 0.04, 0.5])
    ]  # fmt: skip
    # Four tests: .01 x 4, .02 x 3, .04 x 2, .5 x 1, each at least the one before.
    assert [p.pvalue for p in _holm(pairs)] == [
        pytest.approx(0.06), None, pytest.approx(0.04), pytest.approx(0.08), pytest.approx(0.5)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pvalues", "n_splits", "together"),
    [
        ([0.01, 0.04, 0.02, 0.5, 0.03], 5, 0.06),  # twice .03
        ([0.01, 0.02, 0.03], 5, 0.06),  # and 1, 1: the median is .03, of three it were .02
        ([0.01, 0.02], 5, None),
        ([0.3], 1, 0.3),
        ([0.7, 0.8, 0.9], 3, 1.0),
        ([], 1, None),
    ],
)
def test_splits_together_by_hand(pvalues, n_splits, together):
    assert _together(pvalues, n_splits) == (together and pytest.approx(together))


def test_the_table_of_pairs_stands_in_line_whatever_the_names():
    pair = PairSignificance(first="a\x1b", second="b" * 60, pvalue=None, naive_pvalue=0.005,
                            coefficient=0.25, n_splits=0, n_points=0)  # fmt: skip
    found = ClusterSignificance(groups=("a\x1b", "b" * 60), pairs=(pair,), n_samples=9)
    head, line = str(found).splitlines()
    assert len(head) == len(line)
    assert line.split() == ["a\\x1b", "b" * 39 + "…", "-", "0.0050", "0.250"]


def test_significance_says_no_to_one_cluster_and_wrong_lengths():
    with pytest.raises(ValueError, match="two clusters or more; all rows have the label 0"):
        cluster_significance(lumps(1), np.zeros(60, int))
    with pytest.raises(ValueError, match="cluster 'c' has no row among the 5 that were drawn"):
        cluster_significance(lumps(1), ["a", "b"] * 29 + ["a", "c"], max_samples=5, random_state=0)
    with pytest.raises(ValueError, match="one label for each of the 60"):
        cluster_significance(lumps(1), [0, 1])


def test_significance_is_repeatable():
    X, labels = lumps(2), np.repeat([0, 1], 60)
    one, two = (cluster_significance(X, labels, random_state=3, n_jobs=j) for j in (1, 2))
    assert one == two
