"""What the colors mean: a legend for few clusters, a color bar for many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.plots.style import INK, LEGEND_CLUSTERS, SMALL
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def explain_colors(
    ax: Axes,
    colors: Float64Array,
    sizes: IntArray,
    *,
    what: str = "cluster",
    unit: str = "points",
    names: Sequence[str] | None = None,
) -> None:
    """Show which color is which cluster, and how many points it has if there is room.

    ``names`` replace numbers in the legend.
    """
    if len(colors) <= LEGEND_CLUSTERS:
        shown = names or [str(cluster) for cluster in range(len(colors))]
        labels = [f"{name} ({size:,})" for name, size in zip(shown, sizes, strict=True)]
        _legend(ax, colors, labels, f"{what} ({unit})")
    else:
        _color_bar(ax, colors, what)


def _legend(ax: Axes, colors: Float64Array, labels: list[str], title: str) -> None:
    """Draw the legend next to the axes if a layout engine makes room for it, else inside them."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], ls="", marker="o", ms=6, color=color, label=label)
        for color, label in zip(colors, labels, strict=True)
    ]
    is_outside = ax.figure.get_layout_engine() is not None
    place: dict[str, Any] = (
        {"loc": "upper left", "bbox_to_anchor": (1, 1)} if is_outside else {"loc": "best"}
    )
    legend = ax.legend(
        handles=handles, title=title, fontsize=SMALL, title_fontsize=SMALL,
        labelcolor=INK, frameon=not is_outside, handletextpad=0.2, **place,
    )  # fmt: skip
    legend.get_title().set_color(INK)


def _color_bar(ax: Axes, colors: Float64Array, what: str) -> None:
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
