"""Reports of clusters: numbers by hand, names that steer nothing, metrics by their names."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from helpers import ESCAPE, each
from kgroups import KernelKGroups
from kgroups.answers.characteristic_words import Words
from kgroups.bounds import certify
from kgroups.report import (
    CertificateReport,
    ClusterReport,
    PredictionReport,
    describe_metric,
)
from kgroups.report.run_record import parameters_of
from kgroups.semimetrics import Energy
from kgroups.semimetrics.by_name import BY_NAME
from kgroups.text import printable


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


SEX = np.array(["f", "m", "m", "f", "m", "m", "m", "m", "m", "m"])
TOWN = np.array(["a", "a", "a", "a", "b", "b", "b", "b", "b", "a"])


def test_what_rounds_to_zero_sets_nothing_apart():
    """Two equal clusters by the first column; by hand ±1 sd, ±0.04 sd and ∓0.06 sd."""
    side = np.repeat([-1.0, 1.0], 50)
    alternating = np.tile([-1.0, 1.0], 50)
    table = np.column_stack([side, 0.04 * side + alternating, -0.06 * side + alternating])
    model = KernelKGroups(2, init=np.repeat([0, 1], 50)).fit(side[:, None])
    report = ClusterReport.of(model, side[:, None], table=table, names=["x", "age", "size"])
    for cluster, sds in zip(report.clusters, ([-1.0, 0.06], [1.0, -0.06]), strict=True):
        assert_allclose([d.sds for d in cluster.deviations], sds, atol=5e-3)
    assert [row["column"] for row in report.to_dict()["sets_apart"][0]] == ["x", "size"]


@pytest.fixture
def four_and_six():
    """Clusters of the first four rows and of the other six, by one column of numbers."""
    X = np.array([[0.0], [1], [2], [1], [90], [91], [92], [91], [90], [91]])
    return KernelKGroups(2, init=[1] * 4 + [0] * 6).fit(X), X


def test_categories_that_set_clusters_apart_have_shares_by_hand(four_and_six):
    model, X = four_and_six
    report = ClusterReport.of(model, X, categories={"sex": SEX, "town": TOWN})
    six, four = (cluster.prevalences for cluster in report.clusters)
    assert (report.clusters[0].size, report.clusters[1].size) == (6, 4)
    assert six == (("sex", "m", 1.0, 0.8), ("town", "b", pytest.approx(5 / 6), 0.5))
    assert four == (("sex", "f", 0.5, 0.2), ("town", "a", 1.0, 0.5))
    # (1 - 0.5) / sqrt(0.5 * 0.5) and (0.5 - 0.2) / sqrt(0.2 * 0.8), so the town comes first
    assert [found.sds for found in four] == pytest.approx([0.75, 1.0])
    assert [found.column for found in report.clusters[1].sets_apart] == ["town", "sex"]


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_what_sets_clusters_apart_at_any_scale(unit, blobs):
    """Standard deviations have no unit, also where squares over- or underflow."""
    X = blobs[0]
    one, other = (
        ClusterReport.of(KernelKGroups(2, random_state=0).fit(x), x) for x in (X, X * unit)
    )
    for mine, theirs in zip(one.clusters, other.clusters, strict=True):
        assert [name for name, _ in theirs.deviations] == [name for name, _ in mine.deviations]
        assert_allclose([v for _, v in theirs.deviations], [v for _, v in mine.deviations])


def test_words_of_sparse_rows():
    rows = csr_array(np.array([[2.0, 0, 1], [4, 0, 1], [0, 3, 1], [0, 5, 1]]))
    model = KernelKGroups(2, metric="cosine", n_init=2, random_state=0).fit(rows)
    names = ["cat", "dog", "the"]
    report = ClusterReport.of(model, rows, words=Words(rows, names.__getitem__), unit="word")
    found = report.to_dict()["sets_apart"]
    own = found[model.labels_[0]], found[model.labels_[2]]
    assert own == (
        [{"word": "cat", "mean": 3.0, "mean_of_all": 1.5}],
        [{"word": "dog", "mean": 4.0, "mean_of_all": 2.0}],
    )


def test_every_metric_goes_by_the_name_that_metric_takes():
    for name in BY_NAME:
        described = describe_metric(BY_NAME[name]())
        assert described["name"] == name
        assert json.loads(json.dumps(described)) == described, name


ROWS = [[0.0], [1.0], [10.0], [12.0], [13.0], [40.0]]


def report(labels, **changes):
    found = certify(ROWS, labels)
    settings = {
        "found": found, "labels": [str(label) for label in labels], "n_features": 1,
        "metric": describe_metric(Energy()), "source": "x.csv", "label_source": "l.csv",
        "seconds": 1.25,
    }  # fmt: skip
    return CertificateReport(**{**settings, **changes})


REPORT = PredictionReport(
    labels=np.array([2, 0, 2, 2]),
    n_clusters=4,
    n_samples_fit=1200,
    metric=Energy(0.5),
    source="new.csv",
    model_source="m.kg",
    seconds=1.25,
)


@pytest.mark.nojit
def test_names_that_move_the_cursor_are_spelled_out():
    text = replace(REPORT, source="a\x1b[2J.csv", model_source="b\nc").to_text()
    assert "\x1b" not in text
    assert text.splitlines()[0].endswith("c")


def test_a_memory_limit_is_a_number_of_bytes():
    limits = {"1.5 GiB": 3 << 29, 1_000: 1_000, None: None}
    for given, expected in limits.items():
        assert parameters_of(KernelKGroups(2, memory_limit=given))["memory_limit"] == expected
    assert not {"n_jobs", "verbose"} & set(parameters_of(KernelKGroups(2)))
