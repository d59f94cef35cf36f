"""One line of words per cluster: which rows and words, in which order, and how they are written."""

import io
import itertools

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_array

from kgroups.answers.characteristic_words import Words
from kgroups.plots import GramDisplay
from kgroups.plots._cluster_lines import MAX_LINES, characteristic, list_lines, typical_rows
from kgroups.plots.style import cluster_colors


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


def test_long_names_are_short():
    (line,) = typical_rows(pairs([0], [0], 1), ["n" * 60]).values()
    assert line == "n" * 23 + "…"


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


@pytest.mark.parametrize("k", [1, 8, 9, MAX_LINES])
def test_all_lines_are_within_the_panel_and_none_touches_the_next(k):
    figure = Figure(figsize=(6, 4.25), layout="constrained")
    ax = figure.subplots()
    list_lines(ax, "Typical rows", {j: f"words of cluster {j}" for j in range(k)}, k)
    figure.savefig(io.BytesIO(), format="png")
    boxes = [text.get_window_extent() for text in ax.texts[1::2]]
    frame = ax.get_window_extent()
    assert all(frame.y0 <= box.y0 < box.y1 <= frame.y1 for box in boxes)
    assert all(below.y1 <= above.y0 + 1 for above, below in itertools.pairwise(boxes))
