"""Input of odd shapes, types and sizes with every method; memory limits, plans and progress."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from helpers import each
from kgroups import KernelKGroups
from kgroups.fit.plan import Size
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy

METHODS = ["dense", "matrix_free", "certified", "nystroem"]
every_method = each("method", METHODS)


def two_blobs(n=200, d=3, seed=0):
    """Far apart in the first column: any sensible answer is the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    X = rng.normal(size=(n, d))
    X[:, 0] += 60.0 * truth
    return X, truth


def dispersion(X, labels, alpha=1.0):
    X, total = np.asarray(X, float), 0.0
    for cluster in np.unique(labels):
        rows = X[labels == cluster]
        total += (cdist(rows, rows) ** alpha).sum() / (2 * len(rows))
    return total


def fit(X, method, k=2, **params):
    return KernelKGroups(k, **{"method": method, "random_state": 0, **params}).fit(X)


# --- values ------------------------------------------------------------------------------------


@every_method
@each("landmarks", ["uniform", "distant"])
@each("where", [0, 199])
def test_a_huge_outlier_stands_alone(method, landmarks, where):
    """With α = 2 no other partition is one-move optimal.

    Beside m other points it adds 1e12 m / (m + 1) to W; each of those gains about (1e6 / m)² by
    leaving, and pays the square of a few units.
    """
    X = np.random.default_rng(2).normal(size=(200, 2))
    X[where] = 1e6
    model = fit(X, method, metric=Energy(2.0), landmarks=landmarks)
    assert same_partition(model.labels_, (np.arange(200) == where).astype(int))
    rest = np.delete(X, where, axis=0)
    W = ((rest - rest.mean(axis=0)) ** 2).sum()
    assert model.within_dispersion_ == pytest.approx(W, rel=1e-6)


@every_method
@each(("n", "d"), [(300, 1), (150, 5000)])
@each("dtype", [np.float32, np.float64])
def test_one_column_and_thousands(method, n, d, dtype):
    X, truth = two_blobs(n, d)
    X[:, 0] += (300.0 if d > 1 else 0.0) * truth
    X = X.astype(dtype)
    model = fit(X, method)
    assert same_partition(model.labels_, truth)
    assert model.within_dispersion_ == pytest.approx(dispersion(X, truth), rel=2e-5)
    assert model.predict(X).tolist() == model.labels_.tolist()


@each("method", ["matrix_free", "nystroem"])
def test_a_single_landmark_is_no_error(method):
    """No features at all: the answer may be poor, but its numbers are true."""
    X = np.random.default_rng(4).normal(size=(90, 2))
    model = fit(X, method, n_components=1)
    assert len(np.unique(model.labels_)) == 2
    assert model.within_dispersion_ == pytest.approx(dispersion(X, model.labels_), rel=1e-9)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@each("method", ["matrix_free", "nystroem"])
def test_an_overflow_far_from_landmarks_and_samples(method, monkeypatch):
    """One row of 3,000 is infinitely far, which no landmark and no sampled pair may show."""
    monkeypatch.setattr("kgroups.fit.plan.ROWS_FOR_W", 300)
    monkeypatch.setattr("kgroups.fit.plan._LEAST_ROWS_FOR_W", 300)
    X = np.random.default_rng(5).normal(size=(3000, 2))
    for row in (3, 1500, 2999):
        Z = X.copy()
        Z[row] = 1e200
        with pytest.raises(ValueError, match="finite"):
            fit(Z, method, n_init=2, metric=Energy(2.0))


# --- types and layouts -------------------------------------------------------------------------


@every_method
def test_a_memory_map_larger_than_a_sample(method, tmp_path):
    X, truth = two_blobs(3000, 4)
    on_disk = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=X.shape)
    on_disk[:] = X
    on_disk.flush()
    mapped = np.memmap(tmp_path / "rows", dtype=np.float64, mode="r", shape=X.shape)
    model = fit(mapped, method, n_init=2)
    assert same_partition(model.labels_, truth)
    assert model.within_dispersion_ == pytest.approx(dispersion(X, truth), rel=1e-6)


# --- memory ------------------------------------------------------------------------------------


def test_memory_that_forces_a_sketch():
    """Coordinates four times over are 38 MB; features of 3,000 rows are a few."""
    X, truth = two_blobs(3000, 400)
    model = fit(X, "auto", memory_limit="30 MB", n_jobs=1, n_init=1)
    assert model.method_ == "nystroem"
    assert "the exact sums would take" in model.method_reason_
    assert same_partition(model.labels_, truth)


def test_a_limit_is_kept_to_the_byte():
    """100 rows: 8 · 100² for the matrix, and 32 · 100 · 2 for the sums of each of 32 starts."""
    X, _ = two_blobs(100)
    assert fit(X, "dense", memory_limit=284_800, n_jobs=1).method_ == "dense"
    with pytest.raises(MemoryError, match=r"needs at least 278\.1 KiB; the limit is 278\.1 KiB"):
        fit(X, "dense", memory_limit=284_799, n_jobs=1)
    assert fit(X.astype(np.float32), "dense", memory_limit=284_800, n_jobs=1).method_ == "dense"


# --- progress ----------------------------------------------------------------------------------


def test_a_fit_tells_what_it_does():
    X = np.random.default_rng(7).normal(size=(3000, 3))
    events = []
    model = fit(X, "auto", k=4, n_init=3, verbose=events.append)
    phases = [event.phase for event in events]
    at = iter(phases)
    for phase in ("plan", "start", "pass", "sweep"):
        assert phase in at, f"{phase} in its turn in {phases}"
    assert phases.index("plan") == 0
    assert max(i for i, p in enumerate(phases) if p == "start") < phases.index("pass")
    assert phases[-1] == "sweep"
    assert set(phases) <= {"plan", "sketch", "start", "improve", "pass", "sweep"}

    seconds = [event.seconds for event in events]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0
    starts = [event for event in events if event.phase == "start"]
    assert [event.number for event in starts] == [1, 2, 3]
    assert [event.total for event in starts] == [3, 3, 3]
    assert all("on a sketch of 2000 rows" in event.note for event in starts)
    passes = [event for event in events if event.phase == "pass"]
    total = passes[0].total
    assert [event.number for event in passes[:total]] == list(range(1, total + 1))
    assert passes[total - 1].seconds_left == 0
    assert all(event.seconds_left >= 0 for event in passes)
    assert events[0].note.startswith("matrix_free: ")
    assert events[-1].n_moves == 0
    assert events[-1].objective == pytest.approx(model.between_statistic_, rel=1e-9)
    for event in events:
        assert str(event).startswith(event.phase)


@every_method
def test_almost_as_many_clusters_as_different_rows(method):
    """64 different rows, each some fifty times: 60 clusters, and at 64 nothing is left inside."""
    X = np.random.default_rng(0).integers(0, 8, size=(3000, 2)).astype(float)
    fewer = fit(X, method, k=60, n_init=2)
    assert len(np.unique(fewer.labels_)) == 60
    assert fewer.within_dispersion_ == pytest.approx(dispersion(X, fewer.labels_), rel=1e-6)
    if method != "nystroem":
        assert fit(X, method, k=64, n_init=4).within_dispersion_ < fewer.within_dispersion_


# --- what the estimates are worth -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "d", "k", "method"),
    [
        (1500, 4, 100, "dense"),
        (12_000, 4, 5, "matrix_free"),
        (6_000, 200, 5, "matrix_free"),
        (12_000, 4, 5, "nystroem"),
        (6_000, 300, 5, "nystroem"),
    ],
)
def test_memory_stays_near_what_was_foreseen(n, d, k, method):
    """Arrays at their peak take no more than half as much again as the estimate."""
    X = np.random.default_rng(0).normal(size=(n, d))
    model = KernelKGroups(k, method=method, n_init=2, max_iter=2, n_jobs=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X[:500])  # compiles
        size = Size(
            n=n, n_columns=d, itemsize=8, n_clusters=k, n_threads=1,
            is_compiled=True, is_negative_type=True,
        )  # fmt: skip
        foreseen = {
            "dense": size.dense_bytes(),
            "matrix_free": size.matrix_free_bytes(109),
            "nystroem": size.sketch_bytes(109) + 4 * n * 109,
        }[method]
        tracemalloc.start()
        try:
            model.fit(X)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 1.5 * foreseen


# --- more rows than move one by one --------------------------------------------------------------


@each(
    "params",
    [
        {"metric": Energy(2)},
        {"method": "nystroem", "memory_limit": "60MB"},
    ],
)
def test_beyond_50_000_rows_neither_threads_nor_listeners_change_labels(params):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 4)) + 2 * rng.normal(size=(6, 4))[rng.integers(6, size=60_000)]
    X = X.astype(np.float32)
    one, two, heard = (
        KernelKGroups(6, random_state=0, n_jobs=n_jobs, verbose=verbose, **params).fit(X)
        for n_jobs, verbose in [(1, False), (2, False), (2, lambda event: None)]
    )
    assert one.n_moves_ > 0
    for other in (two, heard):
        assert other.labels_.tolist() == one.labels_.tolist()
        assert other.n_iter_ == one.n_iter_
