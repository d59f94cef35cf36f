"""What the displays draw: points, colors, lines, order and words; never how pretty they are."""

import inspect
import sys

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from kgroups import EnergyAgglomerative, GraphKGroups, KernelKGroups, plots
from kgroups.plots import (
    ClusterCountDisplay,
    ClusterSizesDisplay,
    ClusterStabilityDisplay,
    FeatureContributionsDisplay,
    GramDisplay,
    ObjectiveHistoryDisplay,
    PartitionDisplay,
    overview,
)
from kgroups.plots._coordinates import JITTER
from kgroups.plots._order import order_of
from kgroups.plots.style import cluster_colors
from kgroups.report import ClusterReport
from kgroups.select import (
    ClusterCount,
    Criterion,
    choose_n_clusters,
    cluster_stability,
    feature_contributions,
)
from kgroups.semimetrics import ColumnSum, Energy, Hamming, Manhattan, kernel_from_semimetric

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

IRIS = load_iris()


def blobs(n, k, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return 10.0 * rng.normal(size=(k, d))[np.arange(n) % k] + rng.normal(size=(n, d))


def pretend(model, labels):
    """The model as if it had been fitted on many more points, which no test has time for."""
    made = clone(model)
    made.__dict__.update(model.__dict__)
    made.labels_ = labels
    made.cluster_weights_ = np.bincount(labels).astype(float)
    return made


# --- partition -------------------------------------------------------------------------------


def test_partition_draws_every_point_at_its_principal_components_in_its_color(iris):
    display = PartitionDisplay.from_estimator(iris, IRIS.data)
    drawn = np.asarray(display.scatter_.get_offsets())
    pca = PCA(2)
    expected = pca.fit_transform(IRIS.data)
    # The points are drawn in another order than they come in.
    order = np.lexsort(drawn.T)
    by_value = np.lexsort(expected.T)
    np.testing.assert_allclose(drawn[order], expected[by_value], atol=1e-8)
    np.testing.assert_array_equal(display.labels[order], iris.labels_[by_value])
    colors = display.scatter_.get_facecolors()[:, :3]
    np.testing.assert_allclose(colors, cluster_colors(3)[display.labels, :3])
    share = pca.explained_variance_ratio_
    assert display.ax_.get_xlabel() == f"principal component 1, {share[0]:.0%} of variance"
    assert display.ax_.get_ylabel() == f"principal component 2, {share[1]:.0%} of variance"


def test_partition_legend_gives_the_size_of_each_cluster(iris):
    display = PartitionDisplay.from_estimator(iris, IRIS.data)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == [f"{c} ({n})" for c, n in enumerate(np.bincount(iris.labels_))]


def test_partition_names_the_column_that_dominates_a_component(frame):
    model = KernelKGroups(3, random_state=0).fit(frame)
    display = PartitionDisplay.from_estimator(model, frame)
    assert display.ax_.get_xlabel().endswith("of variance\nmostly length")


def test_feature_names_given_win_and_are_counted(iris):
    display = PartitionDisplay.from_estimator(
        iris, IRIS.data, feature_names=["a", "b", "c" * 60, "d"]
    )
    assert display.ax_.get_xlabel().endswith("mostly " + "c" * 39 + "…")
    with pytest.raises(ValueError, match="feature_names has 2 names for 4 columns"):
        PartitionDisplay.from_estimator(iris, IRIS.data, feature_names=["a", "b"])


def test_two_columns_are_drawn_as_they_are():
    X = blobs(60, 2, d=2)
    model = KernelKGroups(2, random_state=0).fit(X)
    display = PartitionDisplay.from_estimator(model, X, feature_names=["x", "y"])
    assert {tuple(p) for p in display.coordinates} == {tuple(p) for p in X}
    share = X.var(axis=0) / X.var(axis=0).sum()
    assert display.ax_.get_xlabel() == f"x, {share[0]:.0%} of variance"
    assert display.ax_.get_ylabel() == f"y, {share[1]:.0%} of variance"


def test_one_column_is_a_strip_with_the_same_jitter_every_time():
    X = blobs(80, 2, d=1)
    model = KernelKGroups(2, random_state=0).fit(X)
    first = PartitionDisplay.from_estimator(model, X)
    again = PartitionDisplay.from_estimator(model, X)
    np.testing.assert_array_equal(first.coordinates, again.coordinates)
    np.testing.assert_array_equal(np.sort(first.coordinates[:, 0]), np.sort(X[:, 0]))
    assert first.coordinates[:, 1].min() >= 0
    assert first.coordinates[:, 1].max() <= 1
    assert first.ax_.get_xlabel() == "column 0"
    assert first.ax_.get_ylabel() == JITTER
    assert list(first.ax_.get_yticks()) == []


@pytest.mark.parametrize("kind", ["precomputed", "precomputed_kernel", "objects"])
def test_without_coordinates_squared_distances_in_the_plane_are_those_of_the_semimetric(kind):
    # Points of a plane: two coordinates hold everything.
    X = blobs(30, 3, d=2)
    rho = Energy(2.0).pairwise(X)
    K = X @ X.T
    given, metric = {
        "precomputed": (rho, "precomputed"),
        "precomputed_kernel": ((K + K.T) / 2, "precomputed_kernel"),
        "objects": ([{"at": x} for x in X], lambda a, b: float(((a["at"] - b["at"]) ** 2).sum())),
    }[kind]
    model = KernelKGroups(3, metric=metric, random_state=0).fit(given)
    display = PartitionDisplay.from_estimator(model, given)
    order = np.argsort(display.labels, kind="stable")
    drawn = Energy(2.0).pairwise(display.coordinates[order])
    np.testing.assert_allclose(np.sort(drawn, axis=None), np.sort(rho, axis=None), atol=1e-8)
    np.testing.assert_array_equal(np.bincount(display.labels), np.bincount(model.labels_))
    assert display.ax_.get_xlabel().startswith("classical scaling 1, ")


def test_scaling_says_the_share_of_the_positive_eigenvalues():
    rho = Energy(0.5).pairwise(blobs(40, 3))
    model = KernelKGroups(3, metric="precomputed", random_state=0).fit(rho)
    display = PartitionDisplay.from_estimator(model, rho)
    values = np.linalg.eigvalsh(kernel_from_semimetric(rho))[::-1]
    assert display.axis_labels == tuple(
        f"classical scaling {j + 1}, {values[j] / values.sum():.0%} of variance" for j in range(2)
    )


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_frame_with_text_is_drawn_by_its_semimetric(library):
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=50)
    table = library(
        {"size": rng.normal(group * 5.0), "color": np.array(["red", "blue"])[group].tolist()}
    )
    metric = ColumnSum([(Energy(), ["size"]), (Hamming(), ["color"])])
    model = KernelKGroups(2, metric=metric, random_state=0).fit(table)
    figure = overview(model, table)
    assert figure.axes[0].get_xlabel().startswith("classical scaling 1")
    assert len(figure.axes[0].collections[0].get_offsets()) == 50


def test_many_points_are_sampled_evenly_and_the_title_says_so():
    X = blobs(45_000, 3, d=4)
    model = KernelKGroups(3, random_state=0).fit(X[:300])
    large = pretend(model, np.arange(45_000) % 3)
    display = PartitionDisplay.from_estimator(large, X)
    assert display.ax_.get_title(loc="left") == "Clusters (20,000 of 45,000 points)"
    assert len(display.scatter_.get_offsets()) == len(display.labels) == 20_000
    assert display.sizes.tolist() == [15_000, 15_000, 15_000]
    again = PartitionDisplay.from_estimator(large, X)
    np.testing.assert_array_equal(display.coordinates, again.coordinates)


def test_scaling_samples_two_thousand_points():
    X = blobs(2_100, 2, d=1)
    rho = np.abs(X - X.T)
    model = KernelKGroups(2, metric="precomputed", n_init=1, random_state=0).fit(rho)
    display = PartitionDisplay.from_estimator(model, rho)
    assert display.ax_.get_title(loc="left") == "Clusters (2,000 of 2,100 points)"
    assert display.coordinates.shape == (2_000, 2)


def test_a_legend_has_two_columns_from_thirteen_clusters_and_is_a_color_bar_from_thirty_one():
    X = blobs(124, 31)

    def drawn(k):
        return PartitionDisplay.from_estimator(KernelKGroups(k, n_init=1, random_state=0).fit(X), X)

    for k, columns in ((12, 1), (13, 2), (30, 2)):
        display = drawn(k)
        legend = display.ax_.get_legend()
        assert legend._ncols == columns
        assert len(legend.get_texts()) == k
        assert len(display.figure_.axes) == 1
    display = drawn(31)
    assert display.ax_.get_legend() is None
    assert display.figure_.axes[1].get_ylabel() == "cluster"


def test_a_component_of_almost_no_variance_is_called_so_and_rounding_does_not_fill_an_axis():
    line = np.linspace(0, 1, 50)[:, None] * [1.0, 2.0, 3.0]
    display = PartitionDisplay.from_estimator(KernelKGroups(2, random_state=0).fit(line), line)
    assert display.ax_.get_xlabel() == "principal component 1, 100% of variance"
    assert display.ax_.get_ylabel() == "principal component 2, almost no variance"
    assert np.ptp(display.ax_.get_ylim()) == pytest.approx(np.ptp(display.coordinates[:, 0]))
    upright = np.column_stack([np.ones(20), np.arange(20.0)])
    display = PartitionDisplay.from_estimator(KernelKGroups(2).fit(upright), upright)
    assert display.ax_.get_xlabel() == "column 0, almost no variance"
    assert np.ptp(display.ax_.get_xlim()) == pytest.approx(19)


def visible_names(display):
    display.figure_.savefig("/dev/null", format="png")
    return sorted(text.get_text() for text in display.ax_.texts if text.get_visible())


def test_few_points_have_their_names_next_to_them_and_words_are_their_own():
    X = blobs(12, 3)
    model = KernelKGroups(3, random_state=0).fit(X)
    assert PartitionDisplay.from_estimator(model, X).names is None
    names = [f"row {i}" for i in range(12)]
    display = PartitionDisplay.from_estimator(model, X, names=names)
    at = [names.index(name) for name in display.names]
    np.testing.assert_array_equal(display.labels, model.labels_[at])
    assert visible_names(display) == sorted(names)
    words = ["cat", "cart", "hat", "fog", "frog", "dog"]
    spelled = KernelKGroups(2, metric="levenshtein", random_state=0).fit(words)
    assert visible_names(PartitionDisplay.from_estimator(spelled, words)) == sorted(words)
    with pytest.raises(ValueError, match="names has 3 names for 12 points"):
        PartitionDisplay.from_estimator(model, X, names=["a", "b", "c"])


def test_names_of_more_than_thirty_points_are_not_written():
    X = blobs(31, 3)
    model = KernelKGroups(3, random_state=0).fit(X)
    assert PartitionDisplay.from_estimator(model, X, names=range(31)).names is None
    assert (
        PartitionDisplay.from_estimator(
            KernelKGroups(3, random_state=0).fit(X[:30]), X[:30], names=range(30)
        ).names
        is not None
    )


def test_centroids_are_the_means_of_what_is_drawn(iris):
    display = PartitionDisplay.from_estimator(iris, IRIS.data, centroids=True)
    marks = np.asarray(display.ax_.collections[1].get_offsets())
    means = [display.coordinates[display.labels == c].mean(axis=0) for c in range(3)]
    np.testing.assert_allclose(marks, means)


@pytest.mark.parametrize("X", [[[1.0, 2.0, 3.0]], np.ones((9, 3)), [[1.0]], [[1.0, 2.0]]])
def test_points_without_spread_are_drawn(X):
    model = KernelKGroups(1, random_state=0).fit(X)
    overview(model, X).canvas.draw()


def test_colors_of_few_clusters_are_distinct_and_those_of_many_too():
    for k in (1, 8, 12, 30, 31, 200):
        colors = cluster_colors(k)
        assert colors.shape == (k, 4)
        assert len(np.unique(colors, axis=0)) == k


# --- objective history -----------------------------------------------------------------------


def test_history_has_a_line_for_each_start_and_a_bold_one_for_the_best(iris):
    display = ObjectiveHistoryDisplay.from_estimator(iris)
    *starts, best = display.ax_.get_lines()
    assert len(starts) == len(iris.start_histories_) == 12
    for line, history in zip(starts, iris.start_histories_, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), history)
        assert line.get_linewidth() < best.get_linewidth()
    np.testing.assert_array_equal(best.get_ydata(), iris.objective_history_)
    np.testing.assert_array_equal(best.get_xdata(), np.arange(iris.n_iter_ + 1))


def test_history_legend_counts_the_starts_of_each_kind_and_those_that_reach_the_best():
    model = KernelKGroups(5, n_init=12, random_state=0).fit(IRIS.data)
    display = ObjectiveHistoryDisplay.from_estimator(model)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ends = np.array([history[-1] for history in model.start_histories_])
    reached = int(np.isclose(ends, model.objective_, rtol=1e-8).sum())
    assert 0 < reached < 12
    assert texts == [
        "k-means++, 6 starts",
        "random, 6 starts",
        f"best, reached by {reached} of 12",
    ]
    by_kind = {}
    for name, line in zip(model.start_names_, display.ax_.get_lines(), strict=False):
        by_kind.setdefault(name, set()).add(line.get_color())
    assert all(len(colors) == 1 for colors in by_kind.values())
    assert len(set.union(*by_kind.values())) == 2


@pytest.mark.parametrize(
    ("k", "more"), [(1, {}), (5, {}), (8, {}), (5, {"method": "nystroem", "n_components": 30})]
)
def test_history_and_report_count_the_same_starts(k, more):
    model = KernelKGroups(k, n_init=12, random_state=0, **more).fit(IRIS.data)
    display = ObjectiveHistoryDisplay.from_estimator(model)
    report = ClusterReport.of(model, IRIS.data)
    assert display.n_reached == report.n_starts_at_best
    reached = f"{display.n_reached} of 12 reached this result"
    expected = reached if display.n_reached else "12; the best of them was improved afterwards"
    assert expected in report.to_text(width=200)


def test_starts_that_end_a_billionth_apart_are_told_apart_by_report_and_picture_alike():
    model = KernelKGroups(3, n_init=4, random_state=0).fit(IRIS.data)
    best = model.objective_
    ends = [best, best * (1 + 5e-10), best * (1 - 5e-9), best * 0.9]
    model.start_histories_ = [np.array([0.0, end]) for end in ends]
    assert ObjectiveHistoryDisplay.from_estimator(model).n_reached == 2
    assert ClusterReport.of(model, IRIS.data).n_starts_at_best == 2
    model.start_histories_ = [np.array([0.0, best * 0.9])] * 4
    legend = ObjectiveHistoryDisplay.from_estimator(model).ax_.get_legend()
    assert legend.get_texts()[-1].get_text() == "best, improved after the starts"


def test_history_ticks_are_whole_sweeps(iris):
    display = ObjectiveHistoryDisplay.from_estimator(iris)
    ticks = display.ax_.get_xticks()
    np.testing.assert_array_equal(ticks, np.round(ticks))


def test_history_of_hand_made_starts():
    display = ObjectiveHistoryDisplay(
        histories=[np.array([0.0, 5.0]), np.array([1.0, 4.0, 5.0]), np.array([2.0, 3.0])],
        names=["random", "given", "random"],
        best=np.array([0.0, 5.0]),
    ).plot()
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["random, 2 starts", "given, 1 start", "best, reached by 2 of 3"]
    bottom, top = display.ax_.get_ylim()
    assert bottom < 3.0 < 5.0 < top


def test_history_of_one_cluster_shows_zero_and_not_rounding():
    model = KernelKGroups(1, random_state=0).fit(IRIS.data)
    display = ObjectiveHistoryDisplay.from_estimator(model)
    bottom, top = display.ax_.get_ylim()
    assert top - bottom > 1e-3
    display.figure_.canvas.draw()
    assert "0" in [text.get_text() for text in display.ax_.get_yticklabels()]


# --- gram ------------------------------------------------------------------------------------


def test_gram_rows_go_by_cluster_then_by_distance_to_the_centroid(iris):
    display = GramDisplay.from_estimator(iris, IRIS.data)
    assert sorted(display.index) == list(range(150))
    labels = iris.labels_[display.index]
    order = order_of(iris, IRIS.data, None)
    np.testing.assert_array_equal(labels, np.repeat(order, np.bincount(iris.labels_)[order]))
    to_own = iris.transform(IRIS.data)[display.index, labels]
    for cluster in range(3):
        assert np.all(np.diff(to_own[labels == cluster]) >= -1e-9)
    rho = Energy().pairwise(IRIS.data)
    shown = np.asarray(display.image_.get_array())
    np.testing.assert_array_equal(shown, rho[np.ix_(display.index, display.index)])


def test_gram_lines_lie_between_clusters(iris):
    display = GramDisplay.from_estimator(iris, IRIS.data)
    sizes = np.bincount(iris.labels_)[order_of(iris, IRIS.data, None)]
    borders = np.cumsum(sizes)[:-1] - 0.5
    across = [line.get_ydata()[0] for line in display.ax_.get_lines()[::2]]
    down = [line.get_xdata()[0] for line in display.ax_.get_lines()[1::2]]
    np.testing.assert_array_equal(across, borders)
    np.testing.assert_array_equal(down, borders)
    assert {line.get_color() for line in display.ax_.get_lines()} == {"white"}


def test_gram_strip_carries_the_colors_and_numbers_of_the_clusters(iris):
    display = GramDisplay.from_estimator(iris, IRIS.data)
    (strip,) = display.ax_.child_axes
    np.testing.assert_allclose(
        np.asarray(strip.images[0].get_array())[:, 0], cluster_colors(3)[display.labels]
    )
    numbers = [int(text.get_text()) for text in strip.get_yticklabels()]
    assert numbers == order_of(iris, IRIS.data, None).tolist()


@pytest.mark.parametrize("max_points", [10, 50, 149])
def test_gram_samples_each_cluster_in_proportion(max_points, iris):
    display = GramDisplay.from_estimator(iris, IRIS.data, max_points=max_points)
    drawn = np.bincount(display.labels, minlength=3)
    assert drawn.sum() <= max_points
    share = np.bincount(iris.labels_) * max_points / 150
    assert np.all(np.abs(drawn - share) <= 1)
    title = display.ax_.get_title(loc="left")
    assert title == f"Pairs by cluster ({drawn.sum()} of 150 points)"


def test_gram_sample_leaves_no_cluster_out():
    labels = np.r_[np.zeros(998, int), 1, 2]
    X = blobs(1_000, 3)
    model = pretend(KernelKGroups(3, random_state=0).fit(X[:60]), labels)
    display = GramDisplay.from_estimator(model, X, max_points=100)
    assert np.bincount(display.labels).tolist() == [99, 1, 1]


def test_gram_of_a_kernel_shows_the_kernel_with_typical_points_first():
    K = np.exp(-Energy(2.0).pairwise(IRIS.data))
    model = KernelKGroups(3, metric="precomputed_kernel", random_state=0).fit(K)
    display = GramDisplay.from_estimator(model, K)
    np.testing.assert_array_equal(
        np.asarray(display.image_.get_array()), K[np.ix_(display.index, display.index)]
    )
    for cluster in range(3):
        own = display.index[display.labels == cluster]
        typical = K[np.ix_(own, own)].mean(axis=1)
        assert np.all(np.diff(typical) <= 1e-9)
    labels = [ax.get_ylabel() for ax in display.figure_.axes]
    assert "similarity K" in labels


def test_gram_color_bar_is_labeled(iris):
    display = GramDisplay.from_estimator(iris, IRIS.data)
    assert "distance ρ" in [ax.get_ylabel() for ax in display.figure_.axes]


def test_gram_numbers_on_the_strip_keep_their_distance():
    X = blobs(600, 40)
    model = KernelKGroups(40, n_init=2, random_state=0).fit(X)
    display = GramDisplay.from_estimator(model, X)
    (strip,) = display.ax_.child_axes
    assert np.diff(strip.get_yticks()).min() >= 0.04 * len(display.labels)


# --- sizes -----------------------------------------------------------------------------------


def test_sizes_are_sorted_with_counts_and_colors(iris):
    display = ClusterSizesDisplay.from_estimator(iris)
    counts = np.bincount(iris.labels_)
    order = np.argsort(-counts, kind="stable")
    assert [bar.get_width() for bar in display.bars_] == counts[order].tolist()
    assert [text.get_text() for text in display.ax_.texts] == [str(n) for n in counts[order]]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == [str(c) for c in order]
    colors = to_rgba_array([bar.get_facecolor() for bar in display.bars_])
    np.testing.assert_allclose(colors, cluster_colors(3)[order])
    bottom, top = display.ax_.get_ylim()
    assert bottom > top  # the first bar, the largest, is on top


def test_sizes_say_the_weights_where_they_differ():
    X = [[0.0], [1.0], [10.0], [11.0], [12.0]]
    model = KernelKGroups(2, random_state=0).fit(X, sample_weight=[1, 2.5, 1, 1, 20_000])
    display = ClusterSizesDisplay.from_estimator(model)
    assert [text.get_text() for text in display.ax_.texts] == [
        "3 (weight 20,002)",
        "2 (weight 3.5)",
    ]


def test_very_many_bars_have_no_words():
    display = ClusterSizesDisplay(counts=np.arange(1, 61)).plot()
    assert len(display.ax_.patches) == 60
    assert len(display.ax_.texts) == 0
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == []


# --- number of clusters ----------------------------------------------------------------------


def criterion(name, n_clusters, values, **rest):
    k = np.arange(1, len(values) + 1)
    return Criterion(
        name=name, n_clusters=n_clusters, k=k, values=np.array(values), rule="", **rest
    )


def counted(n_clusters, votes, *, n_samples=90):
    """As choose_n_clusters says it, of the three votes and one criterion more."""
    separation, gap, strength = votes
    criteria = (
        criterion("separation", separation, [np.nan, 0.01, 0.6], threshold=0.05),
        criterion("gap", gap, [0.1, 0.4, 0.5], errors=np.array([0.01, 0.02, 0.03])),
        criterion("prediction strength", strength, [1, 0.9, 0.7], threshold=0.8,
                  errors=np.array([0, 0.05, 0.1])),
        criterion("silhouette", 2, [np.nan, 0.7, 0.5], knows_one=False),
    )  # fmt: skip
    return ClusterCount(
        n_clusters=n_clusters, criteria=criteria, n_samples=n_samples, n_given=9_000
    )


def ring(ax):
    """Place of the ring that marks what a criterion points to, and in which coordinates."""
    (mark,) = (line for line in ax.lines if line.get_markersize() > 10)
    assert mark.get_markerfacecolor() == "none"
    ((x, y),) = mark.get_xydata()
    return x, y, mark.get_transform()


def test_a_panel_a_criterion_with_its_values_and_their_errors():
    count = counted(2, (2, 3, 2))
    display = ClusterCountDisplay.from_count(count)
    assert len(display.axes_) == len(count.criteria)
    for ax, said in zip(display.axes_, count.criteria, strict=True):
        (drawn,) = ax.containers
        line, _, bars = drawn
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([said.k, said.values]))
        assert drawn.has_yerr == (said.errors is not None)
        if said.errors is not None:
            ends = [segment[:, 1] for segment in bars[0].get_segments()]
            reach = np.array([[-1], [1]]) * said.errors
            np.testing.assert_allclose(np.transpose(ends), said.values + reach)
        assert ax.get_xticks().tolist() == [1, 2, 3]
        assert ax.get_xlabel() == "number of clusters k"
    titles = [ax.get_title(loc="left") for ax in display.axes_]
    assert titles == [
        "Separation: 2",
        "Gap: 3",
        "Prediction strength: 2",
        "Silhouette: 2 (not counted)",
    ]
    colors = [ax.containers[0][0].get_color() for ax in display.axes_]
    assert to_rgba_array(colors[:3]) == pytest.approx(np.repeat(cluster_colors(1), 3, axis=0))
    assert colors[3] == "#888888"


def test_values_are_judged_by_a_line_with_its_side():
    display = ClusterCountDisplay.from_count(counted(2, (2, 3, 2)))
    lines = [[a for a in ax.lines if a.get_linestyle() == "--"] for ax in display.axes_]
    assert [[line.get_ydata()[0] for line in some] for some in lines] == [[0.05], [], [0.8], []]
    words = [[text.get_text() for text in ax.texts] for ax in display.axes_]
    assert words == [["≤ 0.05"], [], ["≥ 0.8"], []]


def test_a_ring_is_where_each_criterion_points_and_a_band_is_the_answer():
    display = ClusterCountDisplay.from_count(counted(2, (1, 3, 2)))
    first, *others = display.axes_
    found = [ring(ax) for ax in others]
    assert [(x, y) for x, y, _ in found] == [(3, 0.5), (2, 0.9), (2, 0.7)]
    assert all(how == ax.transData for ax, (_, _, how) in zip(others, found, strict=True))
    # Separation says 1, for which it has no value: at the top, as if p were 1.
    x, y, how = ring(first)
    assert (x, how) == (1, first.get_xaxis_transform())
    assert 0.9 < y < 1
    for ax in display.axes_:
        (band,) = ax.patches
        assert (band.get_x(), band.get_x() + band.get_width()) == (1.5, 2.5)


@pytest.mark.parametrize(
    ("count", "title"),
    [
        (counted(1, (1, 1, 1), n_samples=9_000), "1 cluster in 9,000 rows: all votes agree"),
        (
            counted(2, (1, 3, 2)),
            "2 clusters in 9,000 rows: votes lie between 1 and 3, from a sample of 90",
        ),
        (counted(3, (3, 3, 3)), "3 clusters in 9,000 rows: all votes agree, from a sample of 90"),
    ],
)
def test_count_title_gives_the_answer_and_what_it_stands_on(count, title):
    assert ClusterCountDisplay.from_count(count).figure_.get_suptitle() == title


def test_count_legend_stands_in_the_place_that_is_left():
    display = ClusterCountDisplay.from_count(counted(2, (2, 2, 2)))
    rest = [ax for ax in display.figure_.axes if ax not in display.axes_]
    assert len(rest) == 2
    assert not any(ax.axison for ax in rest)
    text = rest[0].texts[0].get_text()
    for word in ("ring: ", "band: the answer", "dashed: ", "bars: standard errors"):
        assert word in text


def test_many_numbers_of_clusters_share_ticks():
    said = criterion("gap", 20, np.linspace(0, 1, 30))
    count = ClusterCount(n_clusters=20, criteria=(said,), n_samples=99, n_given=99)
    (ax,) = ClusterCountDisplay.from_count(count).axes_
    ticks = ax.get_xticks()
    assert len(ticks) <= 10
    assert (ticks == np.round(ticks)).all()


@pytest.mark.parametrize("k_range", [[1], [1, 2, 3]])
def test_what_was_counted_is_drawn_without_pyplot_and_nothing_overlaps(k_range, monkeypatch):
    count = choose_n_clusters(blobs(40, 3), k_range, random_state=0)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    display = ClusterCountDisplay(count=count)
    assert display.on_page() is display.figure_
    canvas = FigureCanvasAgg(display.figure_)
    canvas.draw()
    renderer = canvas.get_renderer()
    boxes = [ax.get_tightbbox(renderer) for ax in display.figure_.axes]
    boxes.append(display.figure_._suptitle.get_window_extent(renderer))
    assert len(boxes) == 7
    for i, box in enumerate(boxes):
        assert display.figure_.bbox.contains(*box.min)
        assert display.figure_.bbox.contains(*box.max)
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_a_count_takes_the_place_of_axes_or_a_pyplot_figure():
    count = counted(2, (2, 2, 2))
    display = ClusterCountDisplay.from_count(count)
    assert plt.get_fignums() == [display.figure_.number]
    assert display.bounding_ax_ is None
    plt.close("all")
    figure = Figure(figsize=(18, 7), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot([0, 1])
    display = ClusterCountDisplay.from_count(count, ax=right)
    assert plt.get_fignums() == []
    assert (display.figure_, display.bounding_ax_) == (figure, right)
    assert not right.axison
    assert right.get_title() == display._title()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for ax in display.axes_:
        assert ax.get_position().x0 > left.get_position().x1
    with pytest.raises(ValueError, match=r"axes that Figure\.subplots makes"):
        display.plot(figure.add_axes((0, 0, 1, 1)))


def test_a_missing_matplotlib_is_named_by_the_count_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "kgroups\[plot\]"'):
        ClusterCountDisplay.from_count(counted(2, (2, 2, 2)))


# --- what all share --------------------------------------------------------------------------

DRAW = {
    "partition": lambda model, ax: PartitionDisplay.from_estimator(model, IRIS.data, ax=ax),
    "history": lambda model, ax: ObjectiveHistoryDisplay.from_estimator(model, ax=ax),
    "gram": lambda model, ax: GramDisplay.from_estimator(model, IRIS.data, ax=ax),
    "sizes": lambda model, ax: ClusterSizesDisplay.from_estimator(model, ax=ax),
    "contributions": lambda model, ax: FeatureContributionsDisplay.from_estimator(
        model, IRIS.data, ax=ax
    ),
    "stability": lambda model, ax: ClusterStabilityDisplay.from_estimator(
        model, IRIS.data, n_resamples=2, random_state=0, ax=ax
    ),
}


DISPLAYS = [name for name in plots.__all__ if name.endswith("Display")]
# What is left of the promise of the module: the other way to make a picture, by class.
INSTEAD = {"ClusterCountDisplay": "from_count", "OverlapCurveDisplay": "from_block_models"}


@pytest.fixture(scope="module")
def fits(iris):
    """Fitted estimators of each kind, with the input of their fits."""
    karate = nx.karate_club_graph()
    return {
        "table": (iris, IRIS.data),
        "tree": (EnergyAgglomerative(3).fit(IRIS.data[::5]), IRIS.data[::5]),
        "graph": (GraphKGroups(2, random_state=0).fit(karate), karate),
        "evidence": (GraphKGroups(random_state=0).fit(karate), karate),
    }


@pytest.mark.parametrize("name", DISPLAYS)
def test_every_display_keeps_the_promise_of_the_module(name, fits):
    """from_estimator draws a fit, with the input if that is needed; plot draws again."""
    cls = getattr(plots, name)
    if name in INSTEAD:
        assert f":meth:`{name}.{INSTEAD[name]}`" in plots.__doc__
        assert callable(getattr(cls, INSTEAD[name]))
        assert not hasattr(cls, "from_estimator")
        return
    kind = {
        "Dendrogram": "tree", "Adjacency": "graph", "Network": "graph", "Spectrum": "graph",
        "Evidence": "evidence",
    }  # fmt: skip
    model, X = fits[kind.get(name.removesuffix("Display"), "table")]
    takes = inspect.signature(cls.from_estimator).parameters
    given = [model, X][: 1 + bool({"X", "A"} & set(takes))]
    small = {"n_resamples": 2} if "n_resamples" in takes else {}
    ax = Figure().subplots()
    display = cls.from_estimator(*given, ax=ax, **small)
    assert isinstance(display, cls)
    assert display.ax_ is ax
    assert display.plot(Figure().subplots()) is display
    assert display.ax_ is not ax


def test_contributions_of_an_estimator_use_its_metric_and_its_weights(frame):
    weights = np.linspace(0.5, 2.0, len(frame))
    model = KernelKGroups(3, metric="manhattan", random_state=0).fit(frame, sample_weight=weights)
    display = FeatureContributionsDisplay.from_estimator(
        model, frame, sample_weight=weights, ax=Figure().subplots()
    )
    expected = feature_contributions(
        frame, model.labels_, metric=Manhattan(), sample_weight=weights
    )
    np.testing.assert_array_equal(display.shares, expected.shares)
    assert tuple(display.names) == tuple(frame.columns)
    assert expected.total == pytest.approx(model.between_statistic_)


def test_stability_of_an_estimator_uses_its_metric():
    rho = Energy().pairwise(blobs(30, 3))
    model = KernelKGroups(3, metric="precomputed", random_state=0).fit(rho)
    display = ClusterStabilityDisplay.from_estimator(
        model, rho, n_resamples=5, random_state=1, ax=Figure().subplots()
    )
    expected = cluster_stability(
        rho, model.labels_, metric="precomputed", n_resamples=5, random_state=1
    )
    np.testing.assert_array_equal(display.jaccard, expected.jaccard)


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_axes_given_are_drawn_on(draw, iris):
    figure = Figure()
    ax = figure.subplots()
    display = draw(iris, ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert plt.get_fignums() == []
    assert display.plot(ax) is display


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_without_axes_pyplot_makes_a_figure(draw, iris):
    display = draw(iris, None)
    assert plt.get_fignums() == [display.figure_.number]


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_an_unfitted_estimator_is_told(draw):
    with pytest.raises(NotFittedError):
        draw(KernelKGroups(3), None)


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_a_missing_matplotlib_is_named_with_the_command(draw, iris, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "kgroups\[plot\]"'):
        draw(iris, None)


@pytest.mark.parametrize("display", [PartitionDisplay, GramDisplay])
def test_other_data_than_that_of_the_fit_are_refused(display, iris):
    with pytest.raises(ValueError, match="X describes 10 points and the estimator was fitted on 1"):
        display.from_estimator(iris, IRIS.data[:10])
    rho = Energy().pairwise(IRIS.data)
    model = KernelKGroups(3, metric="precomputed", random_state=0).fit(rho)
    with pytest.raises(ValueError, match="pass the X of the fit"):
        display.from_estimator(model, rho[:, :10])


def test_style_can_be_overridden(iris):
    partition = PartitionDisplay.from_estimator(iris, IRIS.data, s=99, alpha=0.5)
    assert partition.scatter_.get_sizes().tolist() == [99]
    gram = GramDisplay.from_estimator(iris, IRIS.data, cmap="magma")
    assert gram.image_.get_cmap().name == "magma"
    sizes = ClusterSizesDisplay.from_estimator(iris, height=0.5)
    assert sizes.bars_[0].get_height() == 0.5
    history = ObjectiveHistoryDisplay.from_estimator(iris, alpha=0.2)
    assert history.lines_[0].get_alpha() == 0.2
