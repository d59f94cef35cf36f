"""What the colors mean: a legend for up to 30 clusters, a color bar for more.

Matrices ordered by cluster have lines between clusters, a strip of their colors and a scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.plots._order import in_order
from kgroups.plots.style import INK, LEGEND_CLUSTERS, MAX_NAMES, SMALL, plain
from kgroups.typing import Float64Array, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colorbar import Colorbar

# Height of a line of text, as a share of the axes.
_ROW = 0.045
# A legend of more lines than this has two columns, and closer lines.
_ONE_COLUMN = 12
# More numbers than this in a row are turned to stand next to each other.
_UPRIGHT = 16


def explain_colors(
    ax: Axes,
    colors: Float64Array,
    sizes: IntArray,
    *,
    what: str = "cluster",
    unit: str = "points",
    names: Sequence[str] | None = None,
    n_alone: int = 0,
) -> None:
    """Show which color is which cluster, and how many points it has if there is room.

    ``names`` replace numbers in the legend. If there are nodes without edges, the last color is
    theirs.
    """
    alone = [f"without edges ({n_alone:,})"] if n_alone else []
    k = len(colors) - len(alone)
    if k <= LEGEND_CLUSTERS:
        shown = names or [str(cluster) for cluster in range(k)]
        labels = [f"{plain(name)} ({size:,})" for name, size in zip(shown, sizes, strict=True)]
        _legend(ax, colors, [*labels, *alone], f"{what} ({unit})")
        return
    _cluster_bar(ax, colors[:k], what)
    if alone:
        _legend(ax, colors[k:], alone, None, inside=True)


def _legend(
    ax: Axes,
    colors: Float64Array,
    labels: list[str],
    title: str | None,
    *,
    inside: bool = False,
) -> None:
    """Draw the legend next to the axes if a layout engine makes room for it, else inside them."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], ls="", marker="o", ms=6, color=color, label=label)
        for color, label in zip(colors, labels, strict=True)
    ]
    is_outside = ax.figure.get_layout_engine() is not None and not inside
    place: dict[str, Any] = (
        {"loc": "upper left", "bbox_to_anchor": (1, 1)} if is_outside else {"loc": "best"}
    )
    if len(labels) > _ONE_COLUMN:
        place |= {"ncols": 2, "columnspacing": 0.8, "labelspacing": 0.25}
    legend = ax.legend(
        handles=handles, title=title, fontsize=SMALL, title_fontsize=SMALL,
        labelcolor=INK, frameon=not is_outside, handletextpad=0.2, **place,
    )  # fmt: skip
    legend.get_title().set_color(INK)


def _cluster_bar(ax: Axes, colors: Float64Array, what: str) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.ticker import MaxNLocator

    k = len(colors)
    scale = ScalarMappable(BoundaryNorm(np.arange(k + 1) - 0.5, k), ListedColormap(colors))
    ticks = np.asarray(MaxNLocator(10, integer=True).tick_values(0, k - 1))
    bar = color_bar(ax, scale, what, ticks=ticks[ticks < k])
    bar.ax.yaxis.label.set_color(INK)
    bar.ax.tick_params(length=0, labelcolor=INK)
    bar.ax.minorticks_off()


def separate_clusters(ax: Axes, borders: FloatArray, color: str) -> None:
    """Draw one line across and one down at each border."""
    width = min(1.2, 12 / (1 + len(borders)))
    for place in borders:
        ax.axhline(place, color=color, lw=width)
        ax.axvline(place, color=color, lw=width)


def color_strip(
    ax: Axes, labels: IntArray, colors: Float64Array, n_numbered: int | None = None
) -> None:
    """Draw the colors of the rows' clusters down the left side, with the numbers of the first."""
    strip = ax.inset_axes((-0.035, 0, 0.025, 1))
    strip.imshow(
        colors[labels][:, None], aspect="auto", interpolation="nearest",
        extent=(0, 1, len(labels) - 0.5, -0.5),
    )  # fmt: skip
    numbered = labels if n_numbered is None else labels[labels < n_numbered]
    number_rows(strip, _middles(numbered), len(numbered))
    strip.set_xticks([])
    strip.spines[:].set_visible(False)


def strip_below(ax: Axes, clusters: IntArray, colors: Float64Array) -> None:
    """Draw the colors of clusters below the columns of a picture, with their numbers."""
    k = len(clusters)
    strip = ax.inset_axes((0, -0.04, 1, 0.028))
    strip.imshow(
        colors[clusters][None], aspect="auto", interpolation="nearest",
        extent=(-0.5, k - 0.5, 1, 0),
    )  # fmt: skip
    step = math.ceil(k / MAX_NAMES)
    strip.set_xticks(np.arange(0, k, step), [str(cluster) for cluster in clusters[::step]])
    strip.tick_params(length=0, labelsize=SMALL if k <= _UPRIGHT else 6.5)
    strip.tick_params(axis="x", labelrotation=0 if k <= _UPRIGHT else 90)
    strip.set_yticks([])
    strip.spines[:].set_visible(False)
    strip.set_xlabel("cluster", fontsize=SMALL, color=INK)


def _middles(labels: IntArray) -> dict[int, float]:
    """Middles of the clusters on the strip, from the top."""
    return {c: float(np.flatnonzero(labels == c).mean()) for c in in_order(labels).tolist()}


def number_rows(ax: Axes, places: Mapping[int, float], height: float) -> None:
    """Write numbers of clusters at their places, from the top, without those too close."""
    shown, last = {}, -np.inf
    for cluster, place in places.items():
        if place - last >= _ROW * height:
            shown[cluster] = last = place
    ax.set_yticks(list(shown.values()), [str(cluster) for cluster in shown])
    ax.tick_params(axis="y", length=0, labelsize=SMALL)


def color_bar(
    ax: Axes, image: ScalarMappable, quantity: str, *, attached: bool = False, **options: Any
) -> Colorbar:
    """Draw the scale of the colors on the right; ``attached`` keeps it next to the axes.

    Otherwise it stands where no other panel of the column needs the room.
    """
    place: dict[str, Any] = {"ax": ax, "fraction": 0.05, "pad": 0.02}
    if attached:
        place = {"cax": ax.inset_axes((1.02, 0, 0.035, 1))}
    bar = ax.figure.colorbar(image, **place, **options)
    bar.set_label(quantity, fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL, color="#999999")
    bar.outline.set_visible(False)
    return bar
