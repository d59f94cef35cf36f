"""Reports: every number against the estimator or scikit-learn, the text as people see it."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import kgroups
from helpers import ESCAPE, each
from kgroups import KernelKGroups, KernelKMeans
from kgroups.report import ClusterReport
from kgroups.semimetrics import Energy
from kgroups.text import printable

KEYS = [
    "schema", "kgroups_version", "n_samples", "n_features", "n_clusters", "cluster_count", "metric",
    "objective",
    "within_dispersion", "between_statistic", "within_dispersion_interval",
    "between_statistic_interval", "explained", "bound", "gap", "gap_kind",
    "cluster_sizes", "cluster_weights", "cluster_shares", "mean_dispersions", "sets_apart",
    "exemplars",
    "n_iter", "n_moves", "converged", "method", "exactness",
    "sketch_error", "certificate", "n_starts", "n_starts_at_best", "random_state", "seconds",
    "scores", "ids",
    "labels",
]  # fmt: skip


def test_dict(model, blobs):
    X, y = blobs
    report = ClusterReport.of(model, X, labels_true=y, seconds=1.5)
    found = report.to_dict()
    assert list(found) == KEYS
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["schema"] == "kgroups.cluster/1"
    assert found["kgroups_version"] == kgroups.__version__
    assert (found["n_samples"], found["n_features"], found["n_clusters"]) == (60, 3, 3)
    assert found["metric"] == {"name": "energy", "params": {"alpha": 1.0}}
    assert found["objective"] == model.objective_
    assert found["within_dispersion"] == model.within_dispersion_
    assert found["between_statistic"] == model.between_statistic_
    total = model.between_statistic_ + model.within_dispersion_
    assert found["explained"] == model.between_statistic_ / total
    assert found["cluster_sizes"] == np.bincount(model.labels_).tolist()
    assert found["cluster_weights"] == model.cluster_weights_.tolist()
    assert found["cluster_shares"] == pytest.approx((model.cluster_weights_ / 60).tolist())
    means = model.cluster_dispersions_ / model.cluster_weights_
    assert found["mean_dispersions"] == pytest.approx(means.tolist())
    assert (found["n_iter"], found["n_moves"]) == (model.n_iter_, model.n_moves_)
    assert found["converged"] is True
    assert found["random_state"] == 0
    assert found["seconds"] == 1.5
    assert found["labels"] == model.labels_.tolist()
    assert found["scores"] == {
        "accuracy": 1.0,
        "nmi": normalized_mutual_info_score(y, model.labels_),
        "ari": adjusted_rand_score(y, model.labels_),
    }


def test_starts_at_the_best():
    X = np.random.default_rng(1).normal(size=(80, 2))
    model = KernelKGroups(6, n_init=30, random_state=0).fit(X)
    final = np.array([history[-1] for history in model.start_histories_])
    at_best = int(np.isclose(final, model.objective_, rtol=1e-9, atol=0).sum())
    found = ClusterReport.of(model, X).to_dict()
    assert 1 <= at_best < 30, "the data should be hard enough to tell starts apart"
    assert (found["n_starts"], found["n_starts_at_best"]) == (30, at_best)


def test_a_sketch_improved_after_its_starts_is_reached_by_none_of_them():
    """Groups of 20 that share clusters after three starts are found afterwards."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(3000, 3))
    X[:120] += np.repeat(rng.normal(0, 9, (6, 3)), 20, 0)
    fit = {"n_clusters": 6, "method": "nystroem", "n_init": 3, "random_state": 0, "n_jobs": 1}
    report = ClusterReport.of(KernelKGroups(**fit).fit(X), X)
    assert (report.n_starts, report.n_starts_at_best) == (3, 0)
    X[:1500] += 20.0
    halves = KernelKGroups(**fit | {"n_clusters": 2}).fit(X)
    assert ClusterReport.of(halves, X).n_starts_at_best == 3


def test_one_cluster_is_at_the_best_in_every_start(blobs):
    model = KernelKGroups(1, n_init=5, random_state=0).fit(blobs[0])
    assert ClusterReport.of(model, blobs[0]).n_starts_at_best == 5


@each("weighted", [False, True])
@each("metric", ["energy", "precomputed"])
def test_dispersions_add_up_to_w(blobs, weighted, metric):
    X = blobs[0]
    data = X if metric == "energy" else Energy().pairwise(X)
    weights = np.random.default_rng(5).integers(0, 4, len(X)).astype(float) if weighted else None
    model = KernelKGroups(3, metric=metric, random_state=0).fit(data, sample_weight=weights)
    report = ClusterReport.of(model, data, sample_weight=weights)
    W = sum(cluster.weight * cluster.dispersion for cluster in report.clusters)
    assert_allclose(W, model.within_dispersion_, rtol=1e-10)
    assert sum(cluster.share for cluster in report.clusters) == pytest.approx(1)
    assert report.n_features == (3 if metric == "energy" else None)


def test_a_gram_matrix_has_no_dispersion_a_cluster(blobs):
    X = blobs[0] - blobs[0].mean(axis=0)
    model = KernelKGroups(3, metric="precomputed_kernel", random_state=0).fit(X @ X.T)
    report = ClusterReport.of(model, X @ X.T)
    assert all(cluster.dispersion is None for cluster in report.clusters)
    assert report.metric == {"name": "precomputed_kernel", "params": {}}


def test_not_converged(blobs):
    X = np.random.default_rng(0).normal(size=(200, 2))
    with pytest.warns(UserWarning, match="Stopped at max_iter"):
        model = KernelKGroups(8, init="random", n_init=1, max_iter=1, random_state=0).fit(X)
    report = ClusterReport.of(model, X)
    assert report.to_dict()["converged"] is False


def test_kernel_k_means_has_a_report_too(blobs):
    model = KernelKMeans(3, random_state=np.random.RandomState(0)).fit(blobs[0])
    found = ClusterReport.of(model, blobs[0]).to_dict()
    assert found["random_state"] is None
    assert found["scores"] is None


def test_explained_is_undefined_where_nothing_varies():
    model = KernelKGroups(1).fit(np.ones((3, 2)))
    report = ClusterReport.of(model, np.ones((3, 2)))
    assert report.to_dict()["explained"] is None


def test_names_cannot_steer_a_terminal(model, blobs):
    report = ClusterReport.of(
        model, blobs[0], table=blobs[0], names=[f"{ESCAPE}2J", "b", "c"], source="\x07.csv"
    )
    assert ESCAPE not in report.to_text(width=200)
    assert printable("a\x1bé") == r"a\x1bé"


def test_optimality_gap_in_the_report(model, blobs):
    for kind in ("spectral", "semidefinite"):
        gap = model.optimality_gap(kind=kind)
        report = ClusterReport.of(model, blobs[0], optimality=gap)
        found = report.to_dict()
        assert (found["bound"], found["gap"], found["gap_kind"]) == (gap.bound, gap.gap, kind)
    report = ClusterReport.of(model, blobs[0])
    assert report.to_dict()["bound"] is report.to_dict()["gap"] is None
