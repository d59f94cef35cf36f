"""What the picture of a number of clusters draws."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from plot_cases import blobs

from kgroups.plots import (
    ClusterCountDisplay,
)
from kgroups.plots.style import cluster_colors
from kgroups.select import (
    ClusterCount,
    Criterion,
    choose_n_clusters,
)

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


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
