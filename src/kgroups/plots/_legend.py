"""What the colors mean: a legend of few clusters, a color bar of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kgroups.plots._style import INK, LEGEND_CLUSTERS, SMALL
from kgroups.typing import Float64Array, IntArray


def explain_colors(
    ax: Any,
    colors: Float64Array,
    sizes: IntArray,
    *,
    what: str = "cluster",
    unit: str = "points",
    names: Sequence[str] | None = None,
) -> None:
    """Say which color is which cluster, and how many points it has where there is room.

    ``names`` stand in the legend in place of numbers.
    """
    if len(colors) <= LEGEND_CLUSTERS:
        shown = names or [str(cluster) for cluster in range(len(colors))]
        labels = [f"{name} ({size:,})" for name, size in zip(shown, sizes, strict=True)]
        _legend(ax, colors, labels, f"{what} ({unit})")
    else:
        _color_bar(ax, colors, what)


def _legend(ax: Any, colors: Float64Array, labels: list[str], title: str) -> None:
    """Beside the axes where a layout engine makes room for it, inside them otherwise."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], ls="", marker="o", ms=6, color=color, label=label)
        for color, label in zip(colors, labels, strict=True)
    ]
    beside = ax.figure.get_layout_engine() is not None
    place = {"loc": "upper left", "bbox_to_anchor": (1, 1)} if beside else {"loc": "best"}
    legend = ax.legend(
        handles=handles, title=title, fontsize=SMALL, title_fontsize=SMALL,
        labelcolor=INK, frameon=not beside, handletextpad=0.2, **place,
    )  # fmt: skip
    legend.get_title().set_color(INK)


def _color_bar(ax: Any, colors: Float64Array, what: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.ticker import MaxNLocator

    k = len(colors)
    scale = ScalarMappable(BoundaryNorm(np.arange(k + 1) - 0.5, k), ListedColormap(colors))
    ticks = np.asarray(MaxNLocator(10, integer=True).tick_values(0, k - 1))
    bar = ax.figure.colorbar(scale, ax=ax, fraction=0.05, pad=0.02, ticks=ticks[ticks < k])
    bar.set_label(what, fontsize=SMALL, color=INK)
    bar.ax.tick_params(labelsize=SMALL, length=0, labelcolor=INK)
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
