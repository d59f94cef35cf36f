"""One line of words per cluster, for rows that have no columns to compare, or very many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.answers.characteristic_words import Words, characteristic_words
from kgroups.plots._order import in_order
from kgroups.plots.gram_display import GramDisplay
from kgroups.plots.style import INK, bare, cluster_colors, plain
from kgroups.text import short
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More clusters than this have no room for one line each.
MAX_LINES = 30
_ROWS, _NAME, _LINE = 6, 24, 58
# Height of a line where clusters are few, as a share of the axes.
_TALLEST = 0.12
# Text sizes, in points.
_LARGEST = 10.5


def typical_rows(pairs: GramDisplay, names: Sequence[object]) -> dict[int, str]:
    """For each cluster the rows nearest to its center, the nearest first, each name once.

    ``pairs`` has the rows of a cluster in this order.
    """
    lines = {}
    for cluster in in_order(pairs.labels).tolist():
        rows = pairs.index[pairs.labels == cluster].tolist()
        listed = dict.fromkeys(short(names[row], _NAME) for row in rows)
        lines[cluster] = ", ".join(list(listed)[:_ROWS])
    return lines


def characteristic(
    words: Words, labels: IntArray, weights: Float64Array, order: Sequence[int]
) -> dict[int, str]:
    """For each cluster the words whose mean weight exceeds that of all rows most."""
    found = characteristic_words(words, labels, weights, len(order))
    return {j: ", ".join(short(one.word, _NAME) for one in found[j]) for j in order}


def list_lines(ax: Axes, title: str, lines: Mapping[int, str], n_clusters: int) -> None:
    """Write the lines from the top, each after the color and the number of its cluster."""
    bare(ax, title)
    colors, height = cluster_colors(n_clusters), min(_TALLEST, 1 / max(1, len(lines)))
    size = min(_LARGEST, 210 * height)
    style: dict[str, Any] = {"fontsize": size, "color": INK, "va": "center"}
    places = 1 - (np.arange(len(lines)) + 0.5) * height
    for y, (cluster, words) in zip(places.tolist(), lines.items(), strict=True):
        ax.plot(0.015, y, "o", ms=0.7 * size, color=colors[cluster], transform=ax.transAxes)
        ax.text(0.05, y, str(cluster), transform=ax.transAxes, **style)
        said = plain(short(words, _LINE))
        ax.text(0.11, y, said, transform=ax.transAxes, in_layout=False, **style)
    ax.set(xlim=(0, 1), ylim=(0, 1))
