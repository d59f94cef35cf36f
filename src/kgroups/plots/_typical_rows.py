"""Names of the rows that stand for each cluster, as a list, for rows without columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kgroups.plots._order import in_order
from kgroups.plots.gram_display import GramDisplay
from kgroups.plots.style import INK, bare, cluster_colors
from kgroups.text import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More clusters than this have no room for one line each.
_MAX_LINES = 30
_ROWS, _NAME, _LINE = 6, 24, 58
# Height of a line where clusters are few, as a share of the axes.
_TALLEST = 0.12
# Text sizes, in points.
_LARGEST = 10.5


def list_typical_rows(ax: Axes, pairs: GramDisplay, names: Sequence[object]) -> None:
    """Write one line per cluster: its rows nearest to the center, the nearest first.

    ``pairs`` has the rows of each cluster in this order; of equal names the first is written.
    """
    bare(ax, "Typical rows")
    clusters = in_order(pairs.labels)
    colors, height = cluster_colors(pairs.n_clusters), min(_TALLEST, 1 / max(1, len(clusters)))
    size = min(_LARGEST, 210 * height)
    style: dict[str, Any] = {"fontsize": size, "color": INK, "va": "center"}
    for line, cluster in enumerate(clusters.tolist()):
        y = 1 - (line + 0.5) * height
        rows = pairs.index[pairs.labels == cluster].tolist()
        ax.plot(0.015, y, "o", ms=0.7 * size, color=colors[cluster], transform=ax.transAxes)
        ax.text(0.05, y, str(cluster), transform=ax.transAxes, **style)
        listed = list(dict.fromkeys(short(names[row], _NAME) for row in rows))[:_ROWS]
        words = short(", ".join(listed), _LINE)
        ax.text(0.11, y, words, transform=ax.transAxes, in_layout=False, **style)
    ax.set(xlim=(0, 1), ylim=(0, 1))


def can_list(n_clusters: int) -> bool:
    """Whether clusters are few enough for one line each."""
    return n_clusters <= _MAX_LINES
