"""What the displays draw: points, colors, lines, tiles, bars, order and frames."""

import inspect
import io
import itertools

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from plot_cases import axes, blobs
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from helpers import each
from kgroups import EnergyAgglomerative, GraphKGroups, KernelKGroups, plots
from kgroups.plots import (
    ClusterSizesDisplay,
    GramDisplay,
    ObjectiveHistoryDisplay,
    PartitionDisplay,
    ProfileDisplay,
    SeparationDisplay,
    overview,
)
from kgroups.plots._extremes import color_scale, far_outside
from kgroups.plots._order import by_nearness, in_order, order_of
from kgroups.plots.separation_display import separations
from kgroups.plots.style import cluster_colors
from kgroups.semimetrics import Energy

mpl.use("Agg")

IRIS = load_iris()


def pretend(model, labels):
    """The model as if it had been fitted on many more points, which no test has time for."""
    made = clone(model)
    made.__dict__.update(model.__dict__)
    made.labels_ = labels
    made.cluster_weights_ = np.bincount(labels).astype(float)
    return made


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


def test_a_column_that_makes_most_of_a_component_is_named(iris):
    display = PartitionDisplay.from_estimator(iris, IRIS.data, feature_names=list("abcd"))
    loads = PCA(2).fit(IRIS.data).components_ ** 2
    said = ["mostly" in text for text in (display.ax_.get_xlabel(), display.ax_.get_ylabel())]
    assert said == (loads.max(axis=1) > 0.5).tolist()
    assert "abcd"[loads[0].argmax()] in display.ax_.get_xlabel()


def test_one_column_is_a_strip_with_the_same_jitter_every_time():
    X = blobs(80, 2, d=1)
    model = KernelKGroups(2, random_state=0).fit(X)
    first, again = (PartitionDisplay.from_estimator(model, X) for _ in range(2))
    np.testing.assert_array_equal(first.coordinates, again.coordinates)
    np.testing.assert_array_equal(np.sort(first.coordinates[:, 0]), np.sort(X[:, 0]))
    assert 0 <= first.coordinates[:, 1].min() < first.coordinates[:, 1].max() <= 1


@each("k", [1, 12, 30, 31, 60])
def test_colors_are_opaque_within_range_and_differ(k):
    colors = cluster_colors(k)
    assert colors.shape == (k, 4)
    assert 0 <= colors.min() <= colors.max() <= 1
    assert np.all(colors[:, 3] == 1)
    assert len(np.unique(colors, axis=0)) == k


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


def test_centroids_are_the_means_of_what_is_drawn(iris):
    display = PartitionDisplay.from_estimator(iris, IRIS.data, centroids=True)
    marks = np.asarray(display.ax_.collections[1].get_offsets())
    means = [display.coordinates[display.labels == c].mean(axis=0) for c in range(3)]
    np.testing.assert_allclose(marks, means)


@each("X", [[[1.0, 2.0, 3.0]], np.ones((9, 3)), [[1.0]], [[1.0, 2.0]]])
def test_points_without_spread_are_drawn(X):
    model = KernelKGroups(1, random_state=0).fit(X)
    overview(model, X).canvas.draw()


def test_history_has_a_line_for_each_start_and_a_bold_one_for_the_best(iris):
    display = ObjectiveHistoryDisplay.from_estimator(iris)
    *starts, best = display.ax_.get_lines()
    assert len(starts) == len(iris.start_histories_) == 12
    for line, history in zip(starts, iris.start_histories_, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), history)
        assert line.get_linewidth() < best.get_linewidth()
    np.testing.assert_array_equal(best.get_ydata(), iris.objective_history_)
    np.testing.assert_array_equal(best.get_xdata(), np.arange(iris.n_iter_ + 1))


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


X = np.array([[0.0, 5.0], [2.0, 6.0], [10.0, 5.0], [12.0, 6.0]])
MODEL = KernelKGroups(2, init=[0, 0, 1, 1]).fit(X)


def names(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


def words(display):
    """What is seen in the tiles once the picture is drawn."""
    display.figure_.savefig(io.BytesIO(), format="png")
    return [[t.get_text() if t.get_visible() else None for t in row] for row in display.texts_]


def scales(display):
    return [ax.get_ylabel() for ax in display.ax_.child_axes[1:]]


def test_numbers_are_colored_by_standard_deviations_and_say_their_means():
    display = ProfileDisplay.from_estimator(MODEL, X, feature_names=["a", "b"], ax=axes())
    # Column a: means 1 and 11 about 6, variance 26; column b: the same in both clusters.
    expected = [[-5 / 26**0.5, 5 / 26**0.5], [0, 0]]
    np.testing.assert_allclose(display.image_.get_array(), expected, atol=1e-12)
    assert display.image_.get_clim() == (-2, 2)
    assert names(display) == ["a", "b"]
    assert words(display) == [["1", "11"], ["5.5", "5.5"]]
    assert scales(display) == ["standard deviations from all rows"]
    strip = display.ax_.child_axes[0]
    assert [text.get_text() for text in strip.get_xticklabels()] == ["0", "1"]
    assert display.ax_.get_title(loc="left") == "Profile"


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_categories_say_their_shares_in_the_cluster_and_in_all_rows(library):
    table = library({"kind": ["x", "x", "y", "z"], "big": [False, False, True, True]})
    display = ProfileDisplay.from_estimator(MODEL, X, table=table, ax=axes(8))
    # x: all of cluster 0 and half of all rows; y and z: half of cluster 1, a quarter of all.
    first = {"kind": (1 - 0.5) / 0.5, "big": 1.0}
    second = {"kind": (0.5 - 0.25) / (0.25 * 0.75) ** 0.5, "big": 1.0}
    assert names(display) == ["kind", "big"]
    expected = [[first[name], second[name]] for name in names(display)]
    np.testing.assert_allclose(display.image_.get_array(), expected)
    assert words(display) == [
        ["x 100%, all 50%", "y 50%, all 25%"],
        ["false 100%, all 50%", "true 100%, all 50%"],
    ]
    narrow = ProfileDisplay.from_estimator(MODEL, X, table=table, ax=axes(2.4, 3))
    assert words(narrow)[0] == ["x 100%\nall 50%", "y 50%\nall 25%"]


def test_values_by_hand():
    # Squared distances to centers 0, 2 and 6 on a line; the row at 4 belongs to 6 and is halfway,
    # the one at 3 belongs to 6 and is nearer to 2.
    at, centers = np.array([0.0, 1.0, 4.0, 3.0]), np.array([0.0, 2.0, 6.0])
    squared = np.square(at[:, None] - centers)
    found = separations(squared, np.array([0, 1, 2, 2]))
    assert found.tolist() == [1.0, 0.0, 0.0, (1 - 9) / 9]
    assert separations(np.zeros((2, 3)), np.array([0, 2])).tolist() == [0.0, 0.0]


def test_bars_are_those_of_the_distances_to_the_centers_sorted_within_clusters():
    X = np.array([[0.0], [1.0], [10.0], [12.0], [11.0]])
    model = KernelKGroups(2, metric=Energy(2.0), init=[0, 0, 1, 1, 1]).fit(X)
    display = SeparationDisplay.from_estimator(model, X, ax=axes())
    # Centers 0.5 and 11.
    first = sorted([1 - 0.25 / 121, 1 - 0.25 / 100], reverse=True)
    second = sorted([1 - 1 / 9.5**2, 1 - 1 / 11.5**2, 1.0], reverse=True)
    for bars, expected in zip(display.bars_, (first, second), strict=True):
        np.testing.assert_allclose(bars.get_data().values, expected)
    assert display.mean_ == pytest.approx(np.mean(first + second))
    colors = [bars.get_facecolor() for bars in display.bars_]
    np.testing.assert_allclose(colors, cluster_colors(2))
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["0", "1"]
    assert display.ax_.get_xlabel().endswith(f"dashed: mean {display.mean_:.2f} of 5 rows")
    dashed = [line for line in display.ax_.get_lines() if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [display.mean_]


def with_far_points(n=200, far=3, seed=0):
    """Two groups of rows, and some a thousand times as far away."""
    rng = np.random.default_rng(seed)
    near = rng.normal(size=(n, 2)) + 8.0 * (np.arange(n) % 2)[:, None]
    angles = np.linspace(0.3, 5.5, far)
    return np.vstack([near, 5_000 * np.column_stack([np.cos(angles), np.sin(angles)])])


@each(("n_large", "share"), [(0, None), (5, 0.99), (15, 0.98), (40, 0.95), (90, 0.9), (150, None)])
def test_a_scale_ends_at_the_largest_quantile_without_the_extreme_values(n_large, share):
    values = np.linspace(0.0, 1.0, 1_000)
    values[1_000 - n_large :] = 50.0
    scale = color_scale(values)
    assert scale.low == 0.0
    if share is None:
        assert (scale.high, scale.words, scale.extend) == (values.max(), "", "neither")
    else:
        assert scale.high == np.quantile(values, share, method="lower")
        assert scale.words == f"clipped at {share:.0%}, largest 50"
        assert scale.extend == "max"


def test_points_far_outside_are_those_few_that_take_the_frame():
    X = with_far_points()
    assert np.flatnonzero(far_outside(X)).tolist() == [200, 201, 202]
    assert not far_outside(X[:200]).any()
    # 6 of 206 are more than 2% and more than three: a group of its own, which stays in the picture.
    assert not far_outside(with_far_points(far=6)).any()
    assert far_outside(with_far_points(n=2_000, far=6)).sum() == 6
    # One of nine points is more than a tenth of them.
    assert not far_outside(with_far_points(n=8, far=1)).any()
    assert not far_outside(np.zeros((40, 2))).any()


def test_the_frame_holds_the_bulk_and_the_edge_has_a_mark_for_each_point_outside():
    X = with_far_points()
    model = KernelKGroups(3, random_state=0).fit(X)
    display = PartitionDisplay.from_estimator(model, X, ax=axes())
    inside = display.coordinates[~display.outside_]
    assert display.outside_.sum() == 3
    for axis, limits in enumerate((display.ax_.get_xlim(), display.ax_.get_ylim())):
        low, high = inside[:, axis].min(), inside[:, axis].max()
        assert limits == pytest.approx((low - 0.06 * (high - low), high + 0.06 * (high - low)))
    marks = display.ax_.collections[1]
    assert [text.get_text() for text in display.ax_.texts] == [
        "3 points outside, marked at the edge"
    ]
    np.testing.assert_allclose(
        marks.get_edgecolors(), cluster_colors(3)[display.labels[display.outside_]]
    )
    low, high = np.transpose([display.ax_.get_xlim(), display.ax_.get_ylim()])
    middle, half = (low + high) / 2, (high - low) / 2
    at = (np.asarray(marks.get_offsets()) - middle) / half
    np.testing.assert_allclose(np.abs(at).max(axis=1), 1.0)
    toward = (display.coordinates[display.outside_] - middle) / half
    cross = at[:, 0] * toward[:, 1] - at[:, 1] * toward[:, 0]
    np.testing.assert_allclose(cross, 0, atol=1e-9 * np.abs(toward).max())


def on_a_line(centers, n=3):
    """Points at and around centers on a line, their clusters, and squared distances."""
    labels = np.repeat(np.arange(len(centers)), n)
    x = np.repeat(np.asarray(centers, float), n) + np.tile([-0.1, 0.0, 0.1], len(centers))
    return np.square(x[:, None] - x), labels, x[:, None]


def test_clusters_on_a_line_are_in_the_order_of_the_line_from_the_smaller_number_on():
    rho, labels, _ = on_a_line([5.0, 0.0, 9.0, 2.0, 7.0])
    # On the line: 1 (0.0), 3 (2.0), 0 (5.0), 4 (7.0), 2 (9.0).
    assert by_nearness(rho, labels, 5).tolist() == [1, 3, 0, 4, 2]
    assert by_nearness(rho, np.array([4, 3, 2, 1, 0])[labels], 5).tolist() == [2, 0, 4, 1, 3]


def test_no_order_that_the_tree_allows_has_nearer_neighbors():
    centers = np.random.default_rng(5).normal(size=(7, 3))
    rho = Energy(2.0).pairwise(centers)
    order = by_nearness(rho, np.arange(7), 7)
    assert sorted(order) == list(range(7))

    def length(sequence):
        return sum(np.sqrt(rho[a, b]) for a, b in itertools.pairwise(sequence))

    others = [np.random.default_rng(s).permutation(7) for s in range(200)]
    assert length(order) < np.quantile([length(o) for o in others], 0.02)


def test_displays_that_are_drawn_one_by_one_agree_on_the_order_whatever_they_sample():
    rng = np.random.default_rng(2)
    X = np.repeat(4.0 * rng.normal(size=(12, 3)), 60, axis=0) + rng.normal(size=(720, 3))
    model = KernelKGroups(12, n_init=2, random_state=0).fit(X)
    pairs, few = (
        GramDisplay.from_estimator(model, X),
        GramDisplay.from_estimator(model, X, max_points=40),
    )
    order = SeparationDisplay.from_estimator(model, X, max_points=100).order
    np.testing.assert_array_equal(in_order(pairs.labels), order)
    np.testing.assert_array_equal(in_order(few.labels), order)
    np.testing.assert_array_equal(ProfileDisplay.from_estimator(model, X).order, order)
