"""What explains the colors: numbers that keep their distance, strips, scales and legends."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure

from kgroups.plots._legend import color_bar, color_strip, explain_colors, number_rows, strip_below
from kgroups.plots.style import cluster_colors


@pytest.fixture
def ax():
    return Figure(figsize=(6, 4), layout="constrained").subplots()


def test_numbers_too_close_to_the_one_above_are_left_out(ax):
    # A line of text takes 4.5 of 100.
    number_rows(ax, {7: 10.0, 3: 14.0, 5: 14.6, 1: 50.0, 0: 99.0}, 100)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["7", "5", "1", "0"]
    assert ax.get_yticks().tolist() == [10.0, 14.6, 50.0, 99.0]


def test_a_strip_has_the_colors_of_the_rows_in_their_order(ax):
    labels, colors = np.array([2, 2, 0, 0, 0, 1]), cluster_colors(3)
    color_strip(ax, labels, colors)
    (strip,) = ax.child_axes
    np.testing.assert_array_equal(strip.images[0].get_array()[:, 0], colors[labels])
    assert [text.get_text() for text in strip.get_yticklabels()] == ["2", "0", "1"]
    assert strip.get_yticks().tolist() == [0.5, 3.0, 5.0]


def test_rows_beyond_the_clusters_have_a_color_and_no_number(ax):
    color_strip(ax, np.array([0, 1, 2, 2]), cluster_colors(3), n_numbered=2)
    (strip,) = ax.child_axes
    assert [text.get_text() for text in strip.get_yticklabels()] == ["0", "1"]
    assert len(strip.images[0].get_array()) == 4


@pytest.mark.parametrize(
    ("k", "n_numbers", "rotation"),
    [(3, 3, 0), (16, 16, 0), (17, 17, 90), (30, 30, 90), (31, 16, 90)],
)
def test_a_strip_below_numbers_up_to_thirty_clusters_each(ax, k, n_numbers, rotation):
    order = np.random.default_rng(0).permutation(k)
    strip_below(ax, order, cluster_colors(k))
    (strip,) = ax.child_axes
    texts = strip.get_xticklabels()
    step = 1 if n_numbers == k else 2
    assert [int(text.get_text()) for text in texts] == order[::step].tolist()
    assert {text.get_rotation() for text in texts} == {rotation}
    np.testing.assert_array_equal(strip.images[0].get_array()[0], cluster_colors(k)[order])


def test_a_scale_stands_in_the_figure_or_is_attached_to_its_axes(ax):
    image = ax.imshow(np.eye(2))
    bar = color_bar(ax, image, "distance")
    assert bar.ax in ax.figure.axes
    attached = color_bar(ax, image, "share", attached=True, extend="max")
    assert attached.ax in ax.child_axes
    assert attached.ax not in ax.figure.axes
    assert (bar.ax.get_ylabel(), attached.ax.get_ylabel()) == ("distance", "share")
    assert (bar.extend, attached.extend) == ("neither", "max")


def test_names_in_a_legend_keep_their_dollars(ax):
    explain_colors(ax, cluster_colors(2), np.array([3, 1234]), names=["$a$", "b"])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [r"\$a\$ (3)", "b (1,234)"]
    ax.figure.savefig(io.BytesIO(), format="png")


def test_a_legend_of_thirty_stays_within_the_height_of_its_axes(ax):
    explain_colors(ax, cluster_colors(30), np.arange(30))
    ax.figure.savefig(io.BytesIO(), format="png")
    legend = ax.get_legend().get_window_extent()
    frame = ax.get_window_extent()
    assert frame.y0 <= legend.y0 < legend.y1 <= frame.y1 + 1
    assert legend.x0 >= frame.x1
    assert legend.x1 <= ax.figure.bbox.x1
