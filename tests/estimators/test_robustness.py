"""Inputs at the edge of what numbers can hold, and users who change things afterward."""

import threading

import numpy as np
import pytest

from helpers import each
from kgroups import KernelKGroups, KernelKMeans
from kgroups.gram import DenseGram
from kgroups.metrics import same_partition
from kgroups.runtime import memory
from kgroups.semimetrics import Energy, Gaussian, PairFunction
from kgroups.solvers import Hartigan, Problem


def blobs(seed=0, n=60, k=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 4 * rng.normal(size=(k, 2))[rng.integers(k, size=n)]


@each("offset", [0.0, 1e3, 1e5])
@each("estimator", [KernelKGroups, KernelKMeans])
def test_a_kernel_far_from_its_origin(offset, estimator):
    """Q and the tolerance would grow with the origin; the gains do not."""
    X = blobs()
    expected = estimator(4, metric=Energy(2.0), random_state=0).fit(X)
    Z = X + offset
    kernel = estimator(4, metric="precomputed_kernel", random_state=0).fit(Z @ Z.T)
    assert same_partition(kernel.labels_, expected.labels_)
    assert kernel.within_dispersion_ == pytest.approx(expected.within_dispersion_, rel=1e-4)
    assert same_partition(kernel.predict(Z @ Z.T), expected.labels_)
    Q = sum((Z @ Z.T)[np.ix_(c, c)].sum() / len(c) for c in _members(kernel.labels_))
    assert kernel.objective_ == pytest.approx(Q, rel=1e-9)


def _members(labels):
    return [np.flatnonzero(labels == j) for j in np.unique(labels)]


@each("labels", [[0, 1, 7], [0, 1, -1], [0, 1]])
def test_labels_out_of_range_never_reach_compiled_code(labels):
    with pytest.raises(ValueError, match=r"labels must be 3 integers in 0\.\.2"):
        Hartigan().solve(Problem(DenseGram(np.eye(3)), np.ones(3), 3), np.array(labels))


def test_long_strings_do_not_need_more_memory(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 100_000)
    words = np.array(["a" * 150, "b" * 150, "a" * 149] * 10)
    model = KernelKGroups(2, metric=lambda a, b: float(a[0] != b[0]), random_state=0).fit(words)
    assert same_partition(model.labels_, [0, 1, 0] * 10)


def test_metrics_that_hold_what_cannot_be_copied():
    class Locked:
        def __init__(self):
            self.lock = threading.Lock()

        def distance(self, a, b):
            with self.lock:
                return abs(a - b)

    model = KernelKGroups(2, metric=PairFunction(Locked().distance), random_state=0)
    assert model.fit([0, 1, 10]).labels_.tolist() == [0, 0, 1]


def test_one_job_is_one_thread(monkeypatch):
    seen = []

    def spy(work, tasks, n_threads):
        seen.append(n_threads)
        return map(work, tasks)

    monkeypatch.setattr("kgroups.semimetrics.all_pairs.run", spy)
    X = np.random.default_rng(0).normal(size=(600, 2))
    KernelKGroups(2, n_jobs=1, n_init=1, random_state=0).fit(X).predict(X)
    assert set(seen) == {1}
    assert len(seen) >= 2


def test_what_users_change_afterward_changes_no_prediction():
    X, w = blobs(), np.ones(60)
    model = KernelKGroups(3, random_state=0).fit(X, sample_weight=w)
    before = model.transform(X)
    w[:] = 0
    model.labels_[:] = 0
    np.testing.assert_array_equal(model.transform(X), before)


def test_the_median_of_distances_that_overflow():
    with pytest.raises(ValueError, match=r"A distance between points.* is not a finite number"):
        Gaussian("median").resolve([[1e308], [-1e308]])
    assert Gaussian("median").resolve([[1e155], [-1e155]]).sigma == 2e155


def test_distances_of_new_rows_that_overflow_are_an_error():
    """The square of 1.7e177 is beyond float64, as it would be in the fit: no answer is infinite."""
    for model in (KernelKMeans(1, metric=Energy(2.0)), KernelKGroups(1, metric=Energy(2.0))):
        model.fit([[5e177]])
        for method in (model.transform, model.predict, model.score):
            with pytest.raises(ValueError, match="not a finite number"):
                method([[3.256976368563021e177]])


def test_a_sketch_holds_what_a_single_landmark_lacks():
    """Two rows 3.4e29 apart: the square is beyond float32, in which features are held."""
    X = np.array([[6e28], [4e29]])
    model = KernelKGroups(1, metric=Energy(2.0), method="nystroem", n_components=1).fit(X)
    assert model.within_dispersion_ == pytest.approx(3.4e29**2 / 2, rel=1e-12)
    assert model.sketch_error_ == pytest.approx(1.0)
