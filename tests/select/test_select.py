"""Criteria for the number of clusters, one by one and together, and whether clusters are real."""

from importlib import import_module
from itertools import permutations
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
    Criterion,
    choose_n_clusters,
    cluster_significance,
    eigengap,
    gap_statistic,
    prediction_strength,
    separation,
    silhouette,
    subject,
)
from kgroups.select.cluster_significance import (
    ClusterSignificance,
    PairSignificance,
    _holm,
    _together,
)
from kgroups.select.eigengap import laplacian_spectrum
from kgroups.select.gap_statistic import _first_maximum
from kgroups.select.halves import splits
from kgroups.select.prediction_strength import prediction_strength_of, strength
from kgroups.select.rounding import smoothed
from kgroups.select.separation import (
    _best_cut,
    _region,
    _Shape,
    neighbors,
    pair_tests,
    where_tested,
)
from kgroups.select.silhouette import silhouettes
from kgroups.select.subject import Subject
from kgroups.semimetrics import Energy, Gaussian, Hamming, SineSquared, semimetric_from_kernel
from kgroups.stats import dip_test, energy_test

RANGE = range(1, 6)


def lumps(k, n=60, apart=9.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal((apart * j, 0), 1, (n, 2)) for j in range(k)])


# --- one by one ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain():
    """What is said of k clusters that anybody can see, for three k."""
    return {k: choose_n_clusters(lumps(k, n=40), RANGE, random_state=0) for k in (1, 2, 4)}


@pytest.mark.parametrize("criterion", ["separation", "gap", "prediction strength"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_criteria_with_a_vote_find_what_is_plain_and_one_among_it(plain, criterion, k):
    found = plain[k][criterion]
    assert found.n_clusters == k
    assert found.knows_one
    assert found.k.tolist() == list(RANGE)


@pytest.mark.parametrize("criterion", ["silhouette", "eigengap"])
@pytest.mark.parametrize("k", [2, 4])
def test_criteria_without_a_vote_find_what_is_plain(plain, criterion, k):
    found = plain[k][criterion]
    assert found.n_clusters == k
    assert not found.knows_one
    assert np.isnan(found.values[0])


def test_each_criterion_alone_says_what_it_says_among_the_others():
    X = lumps(2, n=20)
    count = choose_n_clusters(X, [1, 2, 3], random_state=4)
    alone = [
        criterion(X, [1, 2, 3], random_state=4, **how)
        for criterion, how in (
            (separation, {}),
            (gap_statistic, {"se_factor": 1.5}),
            (prediction_strength, {}),
            (silhouette, {}),
            (eigengap, {}),
        )
    ]
    assert [found.to_dict() for found in alone] == [found.to_dict() for found in count.criteria]


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


def test_gap_rule_takes_the_first_maximum_but_for_a_slack():
    k = np.arange(1, 5)
    gap, slack = np.array([0.1, 0.5, 0.55, 0.9]), np.array([0.0, 0.01, 0.1, 0.01])
    assert _first_maximum(k, gap, slack) == 2  # .5 >= .55 - .1
    assert _first_maximum(k, gap, slack / 4) == 4  # .5 < .55 - .025
    assert _first_maximum(k, gap, 100 * slack) == 1  # .1 >= .5 - 1
    assert _first_maximum(k, gap[::-1], np.zeros(4)) == 1
    assert _first_maximum(k, np.array([0.1, np.nan, 0.0, 0.2]), np.zeros(4)) == 1


@pytest.mark.parametrize(("factor", "text"), [(0, "0 s"), (1.0, "s"), (1.5, "1.5 s"), (40, "40 s")])
def test_gap_rule_by_hand_with_any_number_of_errors(touching, factor, text):
    """The least k with gap(k) ≥ gap(k+1) − c s(k+1); of the same gaps a larger c never has more."""
    found = gap_statistic(touching, RANGE, se_factor=factor, n_references=4, random_state=0)
    assert found.rule == f"the smallest k with gap(k) ≥ gap(k+1) − {text}(k+1)"
    gap, error = found.values, found.errors
    enough = [k for k in RANGE[:-1] if gap[k - 1] >= gap[k] - factor * error[k]]
    assert found.n_clusters == (enough[0] if enough else RANGE[-1])
    # Two clusters that touch: seen with Tibshirani's rule, and not where 40 errors are asked for.
    assert (found.n_clusters > 1) == (factor < 40)


@pytest.fixture(scope="module")
def touching():
    return lumps(2, n=30, apart=4.0)


@pytest.mark.parametrize("factor", [-0.5, np.nan, np.inf, "1", None])
def test_a_factor_that_is_none_is_named(factor):
    with pytest.raises(ValueError, match=r"se_factor must be a number >= 0; got "):
        gap_statistic(lumps(1), [1, 2], se_factor=factor)


def test_gap_is_the_difference_of_logs_of_dispersions():
    """References of one column: uniform over the range of the data, made here once more."""
    X = lumps(2, n=15)[:, :1]
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
def test_neighbors_have_no_third_center_in_the_ball_between_them(seed):
    centers = np.random.default_rng(seed).normal(size=(7, 2))
    expected = []
    for i in range(7):
        for j in range(i + 1, 7):
            middle, radius = (centers[i] + centers[j]) / 2, np.hypot(*(centers[i] - centers[j])) / 2
            others = [q for q in range(7) if q not in (i, j)]
            if all(np.hypot(*(centers[q] - middle)) >= radius - 1e-12 for q in others):
                expected.append((i, j))
    assert neighbors(centers) == expected


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
    centers = np.array([train[labels == j].mean(axis=0) for j in range(4)])
    points = rng.uniform(-3, 12, size=(400, 2))
    inside = points[_region(train, labels, centers, 1, 2, points)]
    assert 20 < len(inside) < 390
    pairs = rng.integers(len(inside), size=(2, 500))
    between = inside[pairs[0]] + rng.uniform(size=(500, 1)) * (inside[pairs[1]] - inside[pairs[0]])
    assert _region(train, labels, centers, 1, 2, between).all()


def test_rounding_makes_no_modes():
    rng = np.random.default_rng(0)
    rounded = rng.integers(0, 6, size=(400, 1)).astype(float)
    assert dip_test(rounded).pvalue <= 0.001
    assert dip_test(smoothed(rounded)).pvalue > 0.05
    assert np.array_equal(smoothed(rounded), smoothed(rounded))
    assert np.abs(smoothed(rounded) - rounded).max() <= 0.5
    fine = rng.normal(size=(50, 2))
    assert np.array_equal(smoothed(fine), fine)


def test_separation_counts_a_line_of_clusters_by_its_neighbors():
    """The two ends of a line are no neighbors: what is between them is not in their way."""
    X = np.concatenate([np.random.default_rng(j).normal(7.0 * j, 1, 60) for j in range(3)])
    assert separation(X[:, None], [1, 2, 3, 4], random_state=0).n_clusters == 3


# --- together --------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 4])
def test_choice_says_what_it_stands_on(plain, k):
    count = plain[k]
    assert count.n_clusters == k
    assert count.agrees
    assert list(count.votes) == ["separation", "gap", "prediction strength"]
    assert len(count.criteria) == 5
    assert count["gap"].n_clusters == count.votes["gap"]
    assert " − 1.5 s(k+1)" in count["gap"].rule
    assert str(count).startswith("1 cluster (" if k == 1 else "4 clusters (")
    with pytest.raises(KeyError, match="elbow"):
        count["elbow"]


@pytest.mark.parametrize("votes", list(permutations([1, 2, 5])))
def test_choice_is_the_median_of_the_votes(monkeypatch, votes):
    module = import_module("kgroups.select.choose_n_clusters")  # the function has its name
    for name, vote in zip(("separation", "gap", "prediction_strength"), votes, strict=True):
        said = Criterion(name=name, n_clusters=vote, k=np.arange(1, 6), values=np.zeros(5), rule="")
        monkeypatch.setattr(module, f"{name}_of", lambda *_, said=said: said)
    count = choose_n_clusters(lumps(2, n=10), RANGE, random_state=0)
    assert list(count.votes.values()) == list(votes)
    assert count.n_clusters == 2
    assert not count.agrees


def test_choice_does_not_depend_on_threads_and_is_repeatable(monkeypatch):
    X = lumps(3, n=40)
    monkeypatch.setattr(subject, "_THREADED", 100)
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


def test_units_change_nothing():
    X, labels = lumps(2, n=20), np.repeat([0, 1], 20)
    gaps = choose_n_clusters(X, [1, 2], random_state=0)["gap"].values
    for unit in (1e-150, 1e150):
        count = choose_n_clusters(unit * X, [1, 2], random_state=0)
        assert count.votes == {"separation": 2, "gap": 2, "prediction strength": 2}
        np.testing.assert_allclose(count["gap"].values, gaps, rtol=1e-6)
        assert cluster_significance(unit * X, labels, random_state=0).any_separated()


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
    assert cluster_significance(gram, labels, metric="precomputed_kernel").any_separated()


def test_where_dispersions_may_be_negative_it_is_said_once_and_to_the_caller():
    X = np.concatenate([lumps(2, n=15), lumps(2, n=15) * 7])
    with pytest.warns(TheoryWarning, match="clusters are compared nevertheless") as warned:
        count = choose_n_clusters(X, [1, 2], metric=SineSquared(), random_state=0)
    assert [warning.filename for warning in warned] == [__file__]
    assert np.isnan(count["gap"].values).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_jobs": "2"}, "n_jobs must be an integer"),
        ({"random_state": -1}, "random_state must be an integer >= 0"),
        ({"random_state": "0"}, "random_state must be an integer"),
        ({"max_samples": 0}, "max_samples must be an integer >= 1"),
    ],
)
def test_bad_settings_are_named(arguments, message):
    for call in (choose_n_clusters, lambda X, **how: cluster_significance(X, [0, 1] * 30, **how)):
        with pytest.raises(ValueError, match=message):
            call(lumps(1), **arguments)


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_give_a_new_seed_on_each_call(make):
    state, again = make(0), make(0)
    seeds = [Subject.of(lumps(1), "energy", random_state=state).seed for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert Subject.of(lumps(1), "energy", random_state=again).seed == seeds[0]


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
    count = choose_n_clusters(X, [1, 2, 3, 5], random_state=0)
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
    count = choose_n_clusters(lumps(2, n=300), [1, 2], max_samples=80, random_state=0)
    assert (count.n_samples, count.n_given, count.n_clusters) == (80, 600, 2)


def test_few_rows_and_equal_rows_are_one_cluster():
    assert choose_n_clusters(np.zeros((40, 2)), [1, 2, 3], random_state=0).n_clusters == 1
    assert choose_n_clusters([[0.0], [1.0], [5.0]], random_state=0).n_clusters == 1


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
    assert found.any_separated()
    assert found.separated() == {"blue": True, "green": True, "red": True}
    direct = energy_test(X[names == "red"], X[names == "green"], n_permutations=9)
    assert found.pair("red", "green").coefficient == pytest.approx(direct.coefficient)
    with pytest.raises(KeyError):
        found.pair("red", "black")


def test_significance_is_not_fooled_where_the_naive_test_is():
    X = np.random.default_rng(0).normal(size=(200, 3))
    labels = KernelKGroups(3, random_state=0).fit_predict(X)
    found = cluster_significance(X, labels, random_state=0)
    assert not found.any_separated()
    for level in (2, -3, "x"):
        with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
            found.any_separated(level)
    assert max(pair.naive_pvalue for pair in found.pairs) <= 0.01
    assert found.separated() == {0: False, 1: False, 2: False}


def test_the_standard_error_counts_in_favor_of_more_clusters(monkeypatch):
    """.7, .86, .7, .86: the mean .78 is below .8, and its standard error is .08 / √4 = .04."""
    strengths = iter([1.0, 0.7, 1.0, 0.86] * 2)
    monkeypatch.setitem(prediction_strength_of.__globals__, "strength", lambda _: next(strengths))
    subject = Subject.of(lumps(1), "energy", random_state=0)
    k = np.array([1, 2])
    found = prediction_strength_of(subject, k, splits(subject, k, 4))
    assert (found.n_clusters, found.values[1], found.errors[1]) == (
        2, pytest.approx(0.78), pytest.approx(0.04)
    )  # fmt: skip


@pytest.mark.parametrize("criterion", [separation, prediction_strength])
def test_the_smallest_tried_is_said_to_be_no_finding(criterion):
    found = criterion(lumps(1), [3, 4], random_state=0)
    assert found.n_clusters == 3
    assert found.rule.endswith("; there is none, so the smallest tried")


def test_rows_are_drawn_once_and_progress_is_told():
    subject = Subject.of(lumps(1), "energy", max_samples=50, random_state=0)
    assert len(set(subject.rows)) == subject.n == 50
    heard = []
    choose_n_clusters(lumps(1), [1, 2], random_state=0, verbose=heard.append)
    told = {event.phase: (event.number, event.total) for event in heard}
    assert told == {"separation": (10, 10), "prediction strength": (10, 10), "gap": (11, 11),
                    "silhouette": (2, 2)}  # fmt: skip


def test_rounding_is_as_wide_as_values_mostly_are_apart():
    X = np.repeat([[0.0], [1.0], [2.0], [3.0], [3.01]], 20, axis=0)
    shift = np.abs(smoothed(X) - X)
    assert 0.4 < shift.max() <= 0.5


def test_holm_by_hand():
    # Four tests: .01 x 4, .02 x 3, .04 x 2, .5 x 1, each at least the one before.
    assert _holm([0.02, 0.01, 0.04, 0.5]) == pytest.approx([0.06, 0.04, 0.08, 0.5])
    assert _holm([0.3, 0.4, 0.9]) == pytest.approx([0.9, 0.9, 0.9])
    assert _holm([0.6, 0.7]) == [1.0, 1.0]
    assert _holm([]) == []


def test_pairs_are_adjusted_in_each_split():
    """Three lumps on a line are two pairs of neighbors: the least p of each is twice 1/2000."""
    found = cluster_significance(
        lumps(3), np.repeat([0, 1, 2], 60), n_splits=1, random_state=0
    )  # fmt: skip
    assert found.pair(0, 1).pvalue == pytest.approx(2 / 2000)
    assert found.pair(0, 2).pvalue is None
    assert "- not neighbors: other clusters lie between them" in str(found)


def test_a_valley_is_looked_for_in_rows_that_made_no_clusters(monkeypatch):
    """What reaches the dip test are the rows of the other half, seen along the direction."""
    subject = Subject.of(lumps(2), "energy", random_state=0)
    [split] = splits(subject, [2], 1)
    seen = []
    monkeypatch.setitem(pair_tests.__globals__, "dip_pvalue", lambda x: seen.append(x) or 1.0)
    pair_tests(split, subject.data)
    assert not set(split.train) & set(split.test)
    direction = _Shape.of(subject.data[split.train], split.labels, 2).direction(0, 1)
    np.testing.assert_array_equal(seen, [subject.data[split.test] @ direction])


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
    head, line, _ = str(found).splitlines()
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
