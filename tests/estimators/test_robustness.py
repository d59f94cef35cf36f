"""Inputs at the edge of what numbers can hold, and users who change things afterward."""

import threading
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from cells import cells
from kgroups import KernelKGroups, KernelKMeans
from kgroups.gram import DenseGram
from kgroups.metrics import same_partition
from kgroups.runtime import memory
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    Gaussian,
    Hamming,
    Jaccard,
    PairFunction,
    Semimetric,
)
from kgroups.solvers import Hartigan, Problem
from kgroups.testing import check_gram_operator


def blobs(seed=0, n=60, k=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 4 * rng.normal(size=(k, 2))[rng.integers(k, size=n)]


@cells("offset", [0.0, 1e3, 1e5])
@cells("estimator", [KernelKGroups, KernelKMeans])
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


def test_a_shifted_operator_is_an_operator():
    X = np.random.default_rng(0).normal(size=(70, 3)) + 5
    w = np.random.default_rng(1).uniform(0, 2, 70)
    centered = DenseGram(X @ X.T).about_mean(w)
    check_gram_operator(centered)
    np.testing.assert_allclose(centered.to_dense() @ w, 0, atol=1e-9)


@cells("codes", [["07", "7", "08", "8"], ["1", "01", "1.0", "001"], [2**53, 2**53 + 1, 5, 6]])
def test_categories_that_look_like_one_number_stay_apart(codes):
    frame = pd.DataFrame({"code": codes})
    model = KernelKGroups(4, metric=Hamming(), random_state=0).fit(frame)
    assert len(set(model.labels_)) == 4
    assert model.predict(frame).tolist() == model.labels_.tolist()


def test_the_word_nan_is_a_category():
    frame = pd.DataFrame({"word": pd.Series(["nan", "b", "nan", "b"], dtype=object)})
    assert KernelKGroups(2, metric="hamming", random_state=0).fit(frame).labels_.tolist() == [
        0, 1, 0, 1,
    ]  # fmt: skip


def test_online_kmeans_fills_a_cluster_that_the_start_left_empty():
    X = np.arange(10.0)[:, None]
    model = KernelKMeans(3, algorithm="online", init=[0] * 5 + [1] * 5).fit(X)
    assert np.all(model.cluster_weights_ > 0)
    assert np.isfinite(model.transform(X)).all()


@dataclass
class Lists(Semimetric):
    """Somebody's Euclidean distances."""

    def pairwise(self, X, Y=None):
        return Energy().pairwise(X, Y).tolist()


def test_a_semimetric_may_return_lists():
    X = blobs()
    model = KernelKGroups(3, metric=Lists(), random_state=0).fit(X)
    assert model.labels_.tolist() == KernelKGroups(3, random_state=0).fit(X).labels_.tolist()


def test_semimetrics_of_points_with_negative_distances_still_count_their_points():
    from kgroups.exceptions import TheoryWarning
    from kgroups.semimetrics import SineSquared

    with pytest.warns(TheoryWarning):
        model = KernelKGroups(3, metric=SineSquared(), random_state=0).fit([[0], [3.5], [7], [3.6]])
    assert len(set(model.labels_)) == 3


@cells("labels", [[0, 1, 7], [0, 1, -1], [0, 1]])
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


def test_a_fit_forgets_the_fit_before():
    model = KernelKGroups(2, metric="hamming", random_state=0)
    model.fit(pd.DataFrame({"a": ["x", "y", "x"], "b": ["u", "v", "w"]}))
    assert hasattr(model, "categories_")
    model.set_params(metric="precomputed").fit(Energy().pairwise(blobs(n=6)))
    assert not hasattr(model, "categories_")
    assert not hasattr(model, "feature_names_in_")
    model.set_params(metric=lambda a, b: float(a != b)).fit(["p", "q", "p"])
    assert not hasattr(model, "n_features_in_")


def test_what_users_change_afterward_changes_no_prediction():
    X, w = blobs(), np.ones(60)
    model = KernelKGroups(3, random_state=0).fit(X, sample_weight=w)
    before = model.transform(X)
    w[:] = 0
    model.labels_[:] = 0
    np.testing.assert_array_equal(model.transform(X), before)


def test_rows_without_weight_do_not_number_the_clusters():
    X = np.array([[0.0], [0.0], [1.0], [50.0], [51.0]])
    w = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    found = {
        tuple(KernelKGroups(2, n_init=1, random_state=s).fit(X, sample_weight=w).labels_)
        for s in range(30)
    }
    assert found == {(0, 0, 0, 1, 1)}


def test_too_few_rows_are_found_before_any_work(monkeypatch):
    def never(*_):
        raise AssertionError("distances were computed")

    monkeypatch.setattr("kgroups.semimetrics.all_pairs.run", never)
    with pytest.raises(ValueError, match="distinct rows with weight, 2"):
        KernelKGroups(3).fit([[0.0, 1.0], [-0.0, 1.0], [2.0, 2.0]] * 20)


def test_jaccard_in_blocks():
    rng = np.random.default_rng(0)
    X = (rng.random((600, 5)) < 0.3).astype(float)
    common = X @ X.T
    union = X.sum(axis=1)[:, None] + X.sum(axis=1) - common
    expected = np.where(union > 0, 1 - common / np.maximum(union, 1), 0)
    np.testing.assert_allclose(Jaccard().pairwise(X), expected, atol=1e-15)


def test_copies_of_sums_do_not_share_parts():
    metric = ColumnSum([(Energy(1.0), [0])])
    copy = metric.copy()
    metric.set_params(**{"0__alpha": 0.5})
    assert copy.parts[0][0].alpha == 1.0


def test_the_median_of_distances_that_overflow():
    with pytest.raises(ValueError, match=r"A distance between points.* is not a finite number"):
        Gaussian("median").resolve([[1e308], [-1e308]])
    assert Gaussian("median").resolve([[1e155], [-1e155]]).sigma == 2e155


@cells("metric", ["energy", "manhattan", "sqeuclidean"])
@cells("init", ["auto", "spectral", "euclidean-k-means++"])
@cells("method", ["dense", "matrix_free", "nystroem"])
def test_sums_that_overflow_are_one_error_without_a_warning(metric, init, method):
    """Distances are still numbers here, or not any more; NumPy's warnings are errors."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 9)])
    settings = {"metric": metric, "init": init, "method": method, "n_init": 1, "random_state": 0}
    for scale in (1e306, 1e307):
        with pytest.raises(ValueError, match="finite number"):
            KernelKGroups(2, **settings).fit(X * scale)


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
