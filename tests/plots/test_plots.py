"""What the displays draw: points, colors, lines, order and words; never how pretty they are."""

import inspect

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from plot_cases import blobs
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from helpers import each
from kgroups import EnergyAgglomerative, GraphKGroups, KernelKGroups, plots
from kgroups.plots import (
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
    cluster_stability,
    feature_contributions,
)
from kgroups.semimetrics import ColumnSum, Energy, Hamming, Manhattan

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

IRIS = load_iris()


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


@each("kind", ["precomputed", "precomputed_kernel", "objects"])
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


def test_centroids_are_the_means_of_what_is_drawn(iris):
    display = PartitionDisplay.from_estimator(iris, IRIS.data, centroids=True)
    marks = np.asarray(display.ax_.collections[1].get_offsets())
    means = [display.coordinates[display.labels == c].mean(axis=0) for c in range(3)]
    np.testing.assert_allclose(marks, means)


@each("X", [[[1.0, 2.0, 3.0]], np.ones((9, 3)), [[1.0]], [[1.0, 2.0]]])
def test_points_without_spread_are_drawn(X):
    model = KernelKGroups(1, random_state=0).fit(X)
    overview(model, X).canvas.draw()


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


@each(("k", "more"), [(1, {}), (5, {}), (8, {}), (5, {"method": "nystroem", "n_components": 30})])
def test_history_and_report_count_the_same_starts(k, more):
    model = KernelKGroups(k, n_init=12, random_state=0, **more).fit(IRIS.data)
    display = ObjectiveHistoryDisplay.from_estimator(model)
    report = ClusterReport.of(model, IRIS.data)
    assert display.n_reached == report.n_starts_at_best


def test_starts_that_end_a_billionth_apart_are_told_apart_by_report_and_picture_alike():
    model = KernelKGroups(3, n_init=4, random_state=0).fit(IRIS.data)
    best = model.objective_
    ends = [best, best * (1 + 5e-10), best * (1 - 5e-9), best * 0.9]
    model.start_histories_ = [np.array([0.0, end]) for end in ends]
    assert ObjectiveHistoryDisplay.from_estimator(model).n_reached == 2
    assert ClusterReport.of(model, IRIS.data).n_starts_at_best == 2


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


@each("max_points", [10, 50, 149])
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


@each("name", DISPLAYS)
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


@each("draw", DRAW.values(), ids=DRAW)
def test_without_axes_pyplot_makes_a_figure(draw, iris):
    display = draw(iris, None)
    assert plt.get_fignums() == [display.figure_.number]
    plt.close("all")


def test_style_can_be_overridden(iris):
    partition = PartitionDisplay.from_estimator(iris, IRIS.data, s=99, alpha=0.5)
    assert partition.scatter_.get_sizes().tolist() == [99]
    gram = GramDisplay.from_estimator(iris, IRIS.data, cmap="magma")
    assert gram.image_.get_cmap().name == "magma"
    sizes = ClusterSizesDisplay.from_estimator(iris, height=0.5)
    assert sizes.bars_[0].get_height() == 0.5
    history = ObjectiveHistoryDisplay.from_estimator(iris, alpha=0.2)
    assert history.lines_[0].get_alpha() == 0.2
