"""What sets clusters apart: means and shares by hand, and nothing that is printed as zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kgroups import KernelKGroups
from kgroups.report import ClusterReport

SEX = np.array(["f", "m", "m", "f", "m", "m", "m", "m", "m", "m"])
TOWN = np.array(["a", "a", "a", "a", "b", "b", "b", "b", "b", "a"])


def test_what_sets_clusters_apart(model, blobs):
    X = blobs[0]
    table = np.column_stack([X * 100, np.ones(60)])
    names = ["east", "north", "noise", "constant"]
    report = ClusterReport.of(model, X, table=table, names=names)
    for j, cluster in enumerate(report.clusters):
        shift = (table[model.labels_ == j].mean(axis=0) - table.mean(axis=0))[:3]
        shift /= table.std(axis=0)[:3]
        order = [c for c in np.argsort(-np.abs(shift)) if abs(shift[c]) > 0.05]
        assert [d.column for d in cluster.deviations] == [names[c] for c in order]
        assert_allclose([d.sds for d in cluster.deviations], shift[order], rtol=1e-9)
    largest = report.clusters[int(model.labels_[-1])]
    assert (largest.deviations[0].column, largest.deviations[0].sds > 0) == ("north", True)


def test_weights_count_in_what_sets_clusters_apart(blobs):
    X, weights = blobs[0], np.arange(60.0)
    model = KernelKGroups(3, random_state=0).fit(X, sample_weight=weights)
    report = ClusterReport.of(model, X, sample_weight=weights, table=X[:, :1], names=["x"])
    mean = np.average(X[:, 0], weights=weights)
    sd = np.sqrt(np.average((X[:, 0] - mean) ** 2, weights=weights))
    for j, cluster in enumerate(report.clusters):
        own = model.labels_ == j
        expected = (np.average(X[own, 0], weights=weights[own]) - mean) / sd
        assert cluster.deviations[0].sds == pytest.approx(expected)


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


def test_numbers_and_categories_are_ranked_together(four_and_six):
    model, X = four_and_six
    report = ClusterReport.of(model, X, table=X, names=["x"], categories={"sex": SEX, "town": TOWN})
    first, *others = report.to_dict()["sets_apart"][1]
    assert (first["column"], first["sds"]) == ("x", pytest.approx((1 - X.mean()) / X.std()))
    assert others == [
        {"column": "town", "value": "a", "share": 1.0, "share_of_all": 0.5},
        {"column": "sex", "value": "f", "share": 0.5, "share_of_all": 0.2},
    ]


def test_weights_count_for_the_shares_of_categories(four_and_six):
    _, X = four_and_six
    weights = np.array([3.0, 1, 0, 0, 1, 1, 1, 1, 1, 1])
    model = KernelKGroups(2, init=[1] * 4 + [0] * 6).fit(X, sample_weight=weights)
    report = ClusterReport.of(model, X, sample_weight=weights, categories={"sex": SEX})
    (found,) = next(c for c in report.clusters if c.size == 4).prevalences
    assert found == ("sex", "f", 0.75, pytest.approx(0.3))


def test_a_category_that_all_clusters_have_alike_is_not_named(four_and_six):
    model, X = four_and_six
    third = np.array(["u", "v"] * 5)
    report = ClusterReport.of(model, X, categories={"one": ["z"] * 10, "two": third})
    assert [cluster.prevalences for cluster in report.clusters] == [(), ()]


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
