"""The look that displays share: colors that can be told apart, and titles that tell a sample."""

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from kgroups.plots import style


@pytest.fixture
def ax():
    return Figure().add_subplot()


@pytest.mark.parametrize("k", [1, 12, 30, 31, 60])
def test_colors_are_opaque_within_range_and_differ(k):
    colors = style.cluster_colors(k)
    assert colors.shape == (k, 4)
    assert colors.min() >= 0
    assert colors.max() <= 1
    assert np.all(colors[:, 3] == 1)
    assert len(np.unique(colors, axis=0)) == k


def test_few_clusters_have_the_colors_of_the_palette_in_order():
    first = style.cluster_colors(3)
    np.testing.assert_allclose(first[0, :3], np.array([0x00, 0x72, 0xB2]) / 255)
    np.testing.assert_array_equal(style.cluster_colors(style.LEGEND_CLUSTERS)[:3], first)


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


def test_axes_that_are_given_are_used_and_others_are_new(ax):
    assert style.axes_for(ax) is ax
    from matplotlib import pyplot as plt

    new = style.axes_for(None)
    assert new.figure is plt.gcf()
    plt.close(new.figure)


def test_without_matplotlib_the_command_to_install_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "kgroups\[plot\]"'):
        style.axes_for(None)


def test_titles_labels_and_the_spines_that_carry_ticks(ax):
    style.tidy(ax, title="T", x="X", y="Y")
    assert (ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()) == ("T", "X", "Y")
    assert {name for name, spine in ax.spines.items() if spine.get_visible()} == {"left", "bottom"}


def test_counts_have_whole_ticks_with_commas(ax):
    style.count_axis(ax.xaxis)
    ax.set_xlim(0, 3)
    assert all(tick == round(tick) for tick in ax.get_xticks())
    assert ax.xaxis.get_major_formatter()(1234567.0) == "1,234,567"


def test_a_heading_tells_what_was_left_out():
    assert style.heading("Clusters", 10, 10) == "Clusters"
    assert style.heading("Clusters", 2000, 123456) == "Clusters (2,000 of 123,456 points)"
    assert style.heading("Network", 1, 2, "nodes") == "Network (1 of 2 nodes)"
