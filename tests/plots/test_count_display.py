"""What the pictures of a number of clusters and of a tree draw."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgba, to_rgba_array
from matplotlib.figure import Figure
from plot_cases import axes

from kgroups import EnergyAgglomerative
from kgroups.plots import ClusterCountDisplay, DendrogramDisplay
from kgroups.plots.style import cluster_colors
from kgroups.select import ClusterCount, Criterion

mpl.use("Agg")


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


def test_a_count_without_axes_is_a_page_without_pyplot(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    display = ClusterCountDisplay(count=counted(2, (2, 3, 2)))
    assert display.on_page() is display.figure_
    assert len(display.axes_) == 4


def test_a_count_takes_the_place_of_axes():
    left, right = Figure(figsize=(18, 7), layout="constrained").subplots(1, 2)
    display = ClusterCountDisplay.from_count(counted(2, (2, 2, 2)), ax=right)
    assert display.bounding_ax_ is right
    right.figure.draw_without_rendering()
    assert all(ax.get_position().x0 > left.get_position().x1 for ax in display.axes_)


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


mpl.use("Agg")

X = np.array([[0.0], [1.0], [10.0], [12.0]])  # heights 1, 2, 19.5
GRAY = to_rgba("#999999")


def draw(model, **how):
    display = DendrogramDisplay.from_estimator(model, ax=axes(), **how)
    display.figure_.canvas.draw()
    return display


def words(display):
    return [text.get_text() for text in display.ax_.get_xticklabels()]


def test_every_merge_stands_at_its_height_in_the_color_of_its_cluster():
    display = draw(EnergyAgglomerative(2).fit(X))
    tops = {round(path.vertices[:, 1].max(), 9) for path in display.links_.get_paths()}
    assert tops == {1.0, 2.0, 19.5}
    colors = cluster_colors(2)
    for path, color in zip(display.links_.get_paths(), display.links_.get_colors(), strict=True):
        top = path.vertices[:, 1].max()
        expected = {1.0: colors[0], 2.0: colors[1]}.get(round(top, 9), GRAY)
        np.testing.assert_allclose(color, expected)
    assert display.cut_line_.get_ydata()[0] == pytest.approx((2 + 19.5) / 2)
    assert words(display) == ["0", "1", "2", "3"]
    assert display.ax_.get_title(loc="left") == "Merges"
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["0 (2)", "1 (2)"]


def test_branches_stand_for_many_points():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(150, 2)), 9 + rng.normal(size=(50, 2))])
    model = EnergyAgglomerative(2).fit(points)
    display = draw(model, max_leaves=12)
    assert display.ax_.get_title(loc="left") == "Last 11 of 199 merges"
    shown = words(display)
    assert len(shown) == 12
    assert sum(int(w.strip("()")) if w.startswith("(") else 1 for w in shown) == 200
    tops = sorted(path.vertices[:, 1].max() for path in display.links_.get_paths())
    np.testing.assert_allclose(tops, model.distances_[-11:])
    for cluster, size in enumerate((150, 50)):
        own = [w for w, c in zip(shown, display.leaf_clusters, strict=True) if c == cluster]
        assert sum(int(w.strip("()")) if w.startswith("(") else 1 for w in own) == size


def test_the_cut_is_the_threshold():
    model = EnergyAgglomerative(None, distance_threshold=5.0).fit(X)
    assert draw(model).cut_line_.get_ydata()[0] == 5.0
    assert draw(EnergyAgglomerative(1).fit(X)).cut_line_ is None
    everyone = draw(EnergyAgglomerative(4).fit(X))
    assert everyone.cut_line_.get_ydata()[0] == 0.5
