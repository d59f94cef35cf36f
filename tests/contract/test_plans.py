"""Where the method of a fit changes, how many starts it makes, and what each method counts.

A listener ends each fit when its plan is reported, before any work, so that many rows cost no time.
"""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import oracle
from helpers import each
from kgroups import KernelKGroups, KernelKMeans, plots

LARGE = "200 GB"


class Stopped(Exception):
    """The first event of a phase, which ends the fit."""


def first_event(phase, rows, k, **parameters):
    """The first event of a phase of a fit, which ends there."""

    def stop(event):
        if event.phase == phase:
            raise Stopped(event)

    given = {"random_state": 0, "n_jobs": 1, "memory_limit": LARGE, **parameters}
    with pytest.raises(Stopped) as stopped:
        KernelKGroups(k, verbose=stop, **given).fit(rows)
    return stopped.value.args[0]


def some(n, D=1, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(n, D)).astype(dtype)


def apart(x, y):
    return abs(float(x[0]) - float(y[0]))


def cubes_apart(x, y):
    """Of no negative type, so that nothing but the matrix is left."""
    return apart(x, y) ** 3


# Which method


PLANS = [
    # rows, columns, clusters, metric; method and a word of the reason
    (2_000, 2, 3, "energy", "dense: matrix itself"),
    (2_001, 2, 3, "energy", "matrix_free: on demand"),
    (20_000, 2, 3, "manhattan", "matrix_free: on demand"),
    (20_001, 2, 3, "manhattan", "matrix_free: sorted"),
    (49_999, 2, 3, "energy", "matrix_free: on demand"),
    (50_000, 2, 3, "energy", "certified: bounds"),
    (50_000, 2, 25, "energy", "certified: bounds"),
    (50_000, 2, 26, "energy", "matrix_free: on demand"),
    (740_000, 2, 400, "energy", "matrix_free: on demand"),
    (750_000, 2, 400, "energy", "nystroem: minutes"),
    (750_000, 2, 3, "sine_squared", "matrix_free: on demand"),
    (30, 29, 3, "sqeuclidean", "matrix_free: means of clusters"),
    (30, 30, 3, "sqeuclidean", "dense: matrix itself"),
    (30, 30, 3, apart, "dense: would take too long"),
]


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
@each("n, D, k, metric, expected", PLANS)
def test_where_the_method_changes(n, D, k, metric, expected):
    note = first_event("plan", some(n, D), k, metric=metric).note
    method, words = expected.split(": ")
    assert note.startswith(f"{method}: "), note
    assert words in note


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
def test_methods_that_are_asked_for():
    note = first_event("plan", some(20_001), 3, metric="manhattan", method="certified").note
    assert note.startswith("matrix_free:")
    D = np.abs(np.subtract.outer(np.arange(60.0), np.arange(60.0)))

    def lopsided(x, y):
        return max(0.0, float(y[0]) - float(x[0]))

    for rows, metric, method, words in (
        (list(some(60, 4)), "samples", "certified", "negative type"),
        (some(60), apart, "certified", "negative type"),
        (D, "precomputed", "matrix_free", "precomputed"),
        (D, "precomputed", "nystroem", "precomputed"),
        (some(60), lopsided, "matrix_free", "symmetric"),
    ):
        with pytest.raises(ValueError, match=words):
            KernelKGroups(3, metric=metric, method=method).fit(rows)
    model = KernelKGroups(3, metric="sine_squared", method="matrix_free", random_state=0)
    assert model.fit(some(60)).sketch_error_ is None, "no features, hence no sketch"


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
def test_memory_that_is_not_there():
    """A matrix of 1,000 rows takes 8 MB, whatever the type of the rows."""
    for dtype in (np.float32, np.float64):
        with pytest.raises(MemoryError, match="dense matrix of 1000"):
            KernelKGroups(3, method="dense", memory_limit=7_500_000).fit(some(1_000, 2, 0, dtype))
    KernelKGroups(3, method="dense", memory_limit="12 MB", n_init=1).fit(some(1_000, 2))
    with pytest.raises(MemoryError, match="dense matrix of 500"):
        KernelKGroups(3, metric=cubes_apart, memory_limit="1 MB").fit(some(500))


# How many starts


STARTS = [
    # rows, columns, clusters, parameters, starts
    (300, 2, 2, {}, 16),
    (1_000, 2, 8, {}, 40),
    (1_500, 2, 8, {}, 26),
    (1_000, 100, 8, {"metric": "sqeuclidean"}, 40),
    (1_000, 150, 8, {"metric": "sqeuclidean"}, 26),
    (2_000, 150, 8, {"metric": "sqeuclidean"}, 13),
    (1_000, 2, 8, {"method": "nystroem"}, 10),
    (4_999, 2, 20, {"method": "nystroem"}, 4),
    (5_000, 2, 20, {"method": "nystroem"}, 2),
    (5_000, 2, 8, {"method": "nystroem"}, 5),
]


@each("n, D, k, parameters, expected", STARTS)
def test_how_many_starts(n, D, k, parameters, expected):
    assert first_event("start", some(n, D), k, **parameters).total == expected


def test_starts_on_a_sample():
    assert len(KernelKGroups(1, random_state=0).fit(some(300)).start_names_) == 1
    for n, error in ((50_000, None), (50_001, 0.0)):
        model = KernelKGroups(2, metric="sqeuclidean", n_init=1, random_state=0).fit(some(n))
        assert model.sketch_error_ == error, n


def test_the_course_of_a_sketch():
    model = KernelKGroups(8, method="nystroem", n_init=1, random_state=0).fit(some(6_000, 2))
    assert len(model.objective_history_) == model.n_iter_ + 1 > 2
    assert (np.diff(model.objective_history_) > -1e-9 * model.objective_).all()
    assert model.objective_history_[-1] == pytest.approx(model.objective_, rel=1e-9)


def test_landmarks():
    """Twice as many as clusters, here all rows, whose sketch misses nothing."""
    model = KernelKGroups(76, method="nystroem", n_init=1, random_state=0).fit(some(150, 3))
    assert model.sketch_error_ == pytest.approx(0, abs=1e-5)
    rare = np.zeros((3_000, 1))
    rare[[1_001, 2_003]] = [[1.0], [2.0]]
    model = KernelKGroups(3, method="nystroem", random_state=0).fit(rare)
    assert sorted(model.cluster_weights_.tolist()) == [1, 1, 2_998]


# What is counted, in units that are not one


def weighted(n=300, D=2, k=3):
    rng = np.random.default_rng(3)
    X = 3 * rng.normal(size=(k, D))[np.arange(n) % k] + rng.normal(size=(n, D))
    return X, 8 * rng.uniform(0.5, 1, n)


@pytest.mark.parametrize("method", ["dense", "matrix_free", "certified", "nystroem"])
@pytest.mark.parametrize("metric", ["energy", "sqeuclidean"])
def test_numbers_have_the_unit_of_the_user(method, metric):
    X, w = weighted()
    model = KernelKGroups(3, metric=metric, method=method, random_state=0)
    model.fit(X, sample_weight=w)
    rho = oracle.distances(metric, X)
    labels, G = model.labels_, -rho / 2
    W, S = (float(f(rho, labels, w, 3)) for f in (oracle.within_dispersion, oracle.between))
    parts = oracle.dispersions(G, labels, oracle.long(w), 3).astype(float)
    assert model.within_dispersion_ == pytest.approx(W, rel=1e-9)
    assert model.between_statistic_ == pytest.approx(S, rel=1e-9)
    assert model.objective_history_[-1] == pytest.approx(model.objective_, rel=1e-9)
    np.testing.assert_allclose(model.cluster_dispersions_, parts, 1e-9)
    s = np.bincount(labels, weights=w)
    np.testing.assert_allclose(model.cluster_weights_, s, 1e-12)
    assert (np.diff(s) <= 0).all(), "the largest first"
    ends = [history[-1] for history in model.start_histories_]
    assert max(ends) == pytest.approx(S, rel=0.02)
    if method != "nystroem":
        low, high = model.within_dispersion_interval_
        assert low * (1 - 1e-12) <= W <= high * (1 + 1e-12) <= 1.001 * W
        low, high = model.between_statistic_interval_
        assert low * (1 - 1e-11) <= S <= high * (1 + 1e-11) <= 1.001 * S
        assert oracle.largest_gain(rho, labels, w, 3) <= 1e-9


def test_a_given_kernel_has_an_origin_and_weights():
    X, w = weighted(60)
    K = X @ X.T + 7
    model = KernelKGroups(3, metric="precomputed_kernel", random_state=0).fit(K, sample_weight=w)
    kernel = oracle.long(K), model.labels_, oracle.long(w), 3
    parts = oracle.dispersions(*kernel).astype(float)
    assert model.objective_ == pytest.approx(float(oracle.objective(*kernel)), rel=1e-11)
    assert model.within_dispersion_ == pytest.approx(parts.sum(), rel=1e-10)
    np.testing.assert_allclose(model.cluster_dispersions_, parts, 1e-10)
    D = np.array([[0.0, 0, 1], [0, 0, 1], [1, 1, 0]])
    with pytest.raises(ValueError, match=r"distinct|different"):
        KernelKGroups(3, metric="precomputed").fit(D)


def test_float32_of_few_rows_is_not_rounded():
    X = weighted()[0].astype(np.float32)
    model = KernelKGroups(3, random_state=0).fit(X)
    rho = oracle.distances("energy", X.astype(float))
    W = float(oracle.within_dispersion(rho, model.labels_, np.ones(300), 3))
    assert model.within_dispersion_ == pytest.approx(W, rel=1e-12)


def test_sorted_columns_need_no_pairs():
    model = KernelKGroups(2, metric="manhattan", n_init=1, random_state=0).fit(some(20_001))
    assert model.certificate_.n_pairs == 0


# Starts that are given, and rules


def test_labels_that_are_given_are_improved_no_further_and_keep_their_numbers():
    """No move of one row gains, although three groups in their clusters would be better."""
    X = np.r_[np.zeros(8), 1000 + np.zeros(4), 1010 + np.zeros(6)] + some(18)[:, 0] / 100
    start = np.r_[np.zeros(3), np.ones(5), 2 * np.ones(10)].astype(int)
    for method in ("dense", "matrix_free"):
        model = KernelKGroups(3, init=start, method=method).fit(X[:, None])
        rho = oracle.distances("energy", X[:, None])
        assert oracle.largest_gain(rho, model.labels_, np.ones(18), 3) <= 1e-9
        assert model.labels_[8:].tolist() == [2] * 10
        best = KernelKGroups(3, method=method, random_state=0).fit(X[:, None])
        assert best.within_dispersion_ < model.within_dispersion_ / 2
    with pytest.raises(Stopped) as stopped:
        KernelKGroups(3, init=np.arange(60) % 3, method="certified", verbose=stop_at_plan).fit(
            weighted(60)[0]
        )
    assert stopped.value.args[0].startswith("certified")
    model = KernelKGroups(3, init=np.arange(60) % 3, method="certified").fit(weighted(60)[0])
    assert (model.method_, model.certificate_.n_pairs) == ("matrix_free", 60 * 59 // 2)


def stop_at_plan(event):
    if event.phase == "plan":
        raise Stopped(event.note)


def test_settings_of_the_search():
    X = some(400, 2)
    how = {"init": "random", "n_init": 1, "random_state": 0}
    fine = KernelKGroups(8, **how).fit(X)
    rough = KernelKGroups(8, tol=1.0, **how).fit(X)
    assert rough.within_dispersion_ > fine.within_dispersion_
    assert rough.n_moves_ < fine.n_moves_
    with pytest.warns(UserWarning, match="max_iter"):
        short = KernelKGroups(8, max_iter=1, **how).fit(X)
    assert (short.converged_, fine.converged_) == (False, True)
    seeds = [KernelKGroups(8, **{**how, "random_state": s}).fit(X) for s in (1, 2)]
    assert seeds[0].start_histories_[0][0] != seeds[1].start_histories_[0][0]
    starts = KernelKGroups(8, random_state=0).fit(X)
    ends = np.array([history[-1] for history in starts.start_histories_])
    n_best = int((ends >= starts.objective_ * (1 - 1e-9)).sum())
    shown = plots.ObjectiveHistoryDisplay.from_estimator(starts)
    assert shown.n_reached == n_best < len(ends)


def test_new_clusters_are_grown_where_starts_end_badly():
    """One random start of twenty clusters far apart ends in worse places than the right one."""
    centers = 100 * np.stack(np.meshgrid(np.arange(5), np.arange(4)), -1).reshape(-1, 2)
    truth = np.arange(200) % 20
    X = centers[truth] + some(200, 2)
    rho = oracle.distances("energy", X)
    W = float(oracle.within_dispersion(rho, truth, np.ones(200), 20))
    for seed in range(3):
        model = KernelKGroups(20, init="random", n_init=1, random_state=seed).fit(X)
        assert model.within_dispersion_ == pytest.approx(W, rel=1e-9), seed


def test_the_rules_of_k_means():
    """What Lloyd's rule leaves, moves of one row improve: no proof says otherwise."""
    X = some(300, 2)
    how = {"init": "random", "n_init": 1, "random_state": 0}
    for method in ("dense", "certified"):
        model = KernelKMeans(10, method=method, **how).fit(X)
        assert model.exactness_ == "stable under Lloyd's rule", method
        assert KernelKGroups(10, init=model.labels_).fit(X).n_moves_ > 0, method
        assert KernelKMeans(10, init=model.labels_).fit(X).n_moves_ == 0, method
        if method == "dense":
            assert not model.certificate_.proved
    online = KernelKMeans(10, algorithm="online", **how).fit(X)
    batch = KernelKMeans(10, **how).fit(X)
    first, second = (model.start_histories_[0] for model in (online, batch))
    assert first[0] == pytest.approx(second[0], rel=1e-12)
    assert first[1] > second[1] * (1 + 1e-6), "rows that see the moves before them"


def test_a_proof_that_has_no_time():
    X = some(3_000, 2)
    model = KernelKGroups(6, method="certified", n_init=1, random_state=0, time_limit=1e-9)
    with pytest.warns(UserWarning, match="limit of time"):
        certificate = model.fit(X).certificate_
    assert not certificate.proved
    share = np.floor(1e4 * (1 - certificate.n_open / 3_000)) / 100
    text = f"one-move optimal for {share:.4g}% of the rows; {certificate.n_open:,} undecided"
    assert model.exactness_ == f"{text}; stopped by time_limit, not repeatable"
    low, high = model.between_statistic_interval_
    assert low < model.between_statistic_ < high
    rho = cdist(X, X)
    W = float(oracle.within_dispersion(rho, model.labels_, np.ones(3_000), 6))
    assert low <= rho.sum() / 6_000 - W <= high
    with pytest.warns(UserWarning, match="limit of time"):
        model.fit(some(6_000, 2))  # of whose S + W no more is known than of W
    (low, high), (least, most) = (
        model.within_dispersion_interval_,
        model.between_statistic_interval_,
    )
    assert low < model.within_dispersion_ < high
    assert high - low < most - least < 4 * (high - low)
