"""What pictures of matrices ordered by cluster share: lines between clusters, colors, a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.plots.style import SMALL
from kgroups.typing import Float64Array, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.image import AxesImage

# Height of a line of text, as a share of the axes.
_ROW = 0.045


def separate_clusters(ax: Axes, borders: FloatArray, color: str) -> None:
    """Draw one line across and one down at each border."""
    style: dict[str, Any] = {"color": color, "lw": min(1.2, 12 / (1 + len(borders)))}
    for place in borders:
        ax.axhline(place, **style)
        ax.axvline(place, **style)


def color_strip(ax: Axes, labels: IntArray, colors: Float64Array) -> None:
    """Draw the colors of the rows' clusters, with their numbers, down the left side."""
    strip = ax.inset_axes((-0.035, 0, 0.025, 1))
    strip.imshow(
        colors[labels][:, None], aspect="auto", interpolation="nearest",
        extent=(0, 1, len(labels) - 0.5, -0.5),
    )  # fmt: skip
    ticks = _ticks(labels)
    strip.set_yticks(list(ticks.values()), [str(cluster) for cluster in ticks])
    strip.tick_params(length=0, labelsize=SMALL)
    strip.set_xticks([])
    strip.spines[:].set_visible(False)


def _ticks(labels: IntArray) -> dict[int, float]:
    """Middles of the clusters on the strip, without those too close to the one above."""
    ticks: dict[int, float] = {}
    last = -np.inf
    for cluster in np.unique(labels).tolist():
        middle = float(np.flatnonzero(labels == cluster).mean())
        if middle - last >= _ROW * len(labels):
            ticks[cluster] = last = middle
    return ticks


def color_bar(ax: Axes, image: AxesImage, quantity: str) -> Colorbar:
    """Draw the scale of the entries on the right."""
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.05, pad=0.02)
    bar.set_label(quantity, fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL, color="#999999")
    bar.outline.set_visible(False)
    return bar
