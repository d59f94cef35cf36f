"""The look that displays share: colors, strips, legends and lines of words."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from helpers import each
from kgroups.answers.characteristic_words import Words
from kgroups.plots import GramDisplay, style
from kgroups.plots._cluster_lines import characteristic, list_lines, typical_rows
from kgroups.plots._legend import color_strip, explain_colors
from kgroups.plots.style import cluster_colors


@each("k", [1, 12, 30, 31, 60])
def test_colors_are_opaque_within_range_and_differ(k):
    colors = style.cluster_colors(k)
    assert colors.shape == (k, 4)
    assert colors.min() >= 0
    assert colors.max() <= 1
    assert np.all(colors[:, 3] == 1)
    assert len(np.unique(colors, axis=0)) == k


def oklab(colors):
    """Lightness, a and b of sRGB colors, by the matrices that Ottosson publishes for this way."""
    colors = np.asarray(colors)
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    cones = linear @ np.transpose(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    return np.cbrt(cones) @ np.transpose(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )


def test_thirty_colors_can_be_told_apart_and_from_white_text_and_nodes_without_community():
    assert style.LEGEND_CLUSTERS == 30
    alone = style.community_colors(30)[30:, :3]
    colors = np.vstack([style.cluster_colors(30)[:, :3], alone, [[0x22 / 255] * 3]])
    apart = np.linalg.norm(oklab(colors)[:, None] - oklab(colors), axis=2)
    assert apart[np.triu_indices(len(colors), 1)].min() > 0.11
    from_white = np.linalg.norm(oklab(colors[:30]) - oklab([[1.0, 1.0, 1.0]]), axis=1)
    assert from_white.min() > 0.19


def test_many_colors_are_those_of_oklab():
    """Björn Ottosson's own example: white is L = 1, a = b = 0; black is L = 0."""
    for lightness, channel in ((1.0, 1.0), (0.0, 0.0)):
        cones = style._TO_CONES @ np.array([lightness, 0, 0])
        np.testing.assert_allclose(style._TO_LINEAR @ cones**3, channel, atol=1e-6)
    colors = style.cluster_colors(60)
    brightness = colors[:, :3] @ [0.2126, 0.7152, 0.0722]
    dark, light, between = (brightness[i::3].mean() for i in range(3))
    assert dark < between < light


@pytest.fixture
def ax():
    return Figure(figsize=(6, 4), layout="constrained").subplots()


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


def test_names_in_a_legend_keep_their_dollars(ax):
    explain_colors(ax, cluster_colors(2), np.array([3, 1234]), names=["$a$", "b"])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [r"\$a\$ (3)", "b (1,234)"]
    ax.figure.savefig(io.BytesIO(), format="png")


def pairs(index, labels, n_clusters):
    m = len(index)
    return GramDisplay(
        matrix=np.zeros((m, m)), index=np.array(index), labels=np.array(labels),
        n_clusters=n_clusters, n_points=m, quantity="distance ρ",
    )  # fmt: skip


def test_typical_rows_come_in_the_order_of_the_picture_each_name_once_and_six_at_most():
    names = [f"row {i}" for i in range(8)] + ["row 3", "other"]
    found = typical_rows(pairs([9, 3, 8, 0, 1, 2, 4, 5, 6, 7], [1] + [0] * 9, 3), names)
    assert found == {1: "other", 0: "row 3, row 0, row 1, row 2, row 4, row 5"}
    assert list(found) == [1, 0]


def test_characteristic_words_go_by_what_a_cluster_has_more_of():
    rows = csr_array([[3.0, 1, 0], [0, 1, 2], [0, 1, 4]])
    words = Words(rows, ["cat", "the", "dog"].__getitem__)
    found = characteristic(words, np.array([0, 1, 1]), np.ones(3), [1, 0])
    assert list(found.items()) == [(1, "dog"), (0, "cat")]


def test_lines_go_down_from_the_top_with_the_colors_of_their_clusters():
    ax = Figure().subplots()
    list_lines(ax, "Typical rows", {2: "a, b", 0: "$c$"}, 3)
    assert [text.get_text() for text in ax.texts] == ["2", "a, b", "0", r"\$c\$"]
    heights = [text.get_position()[1] for text in ax.texts]
    assert heights[0] == heights[1] > heights[2] == heights[3]
    colors = [line.get_color() for line in ax.get_lines()]
    np.testing.assert_array_equal(colors, cluster_colors(3)[[2, 0]])
    assert ax.get_title(loc="left") == "Typical rows"
