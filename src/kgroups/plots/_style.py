"""The look that all displays share: one palette, light axes, matplotlib loaded when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from kgroups._typing import Float64Array

# Okabe and Ito's colours, apart for all common kinds of colour blindness; the darker ones first
# and grey for their black, because small marks on white must show and text is black already.
_OKABE_ITO = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#666666", "#F0E442",
)  # fmt: skip

#: More clusters than this are told by a colour bar instead of a legend.
LEGEND_CLUSTERS = 12

INK = "#222222"
_TITLE, _LABEL, SMALL = 11, 9.5, 8.5


def require_matplotlib() -> None:
    """Say how to install matplotlib when it is missing."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise ImportError('Plots need matplotlib: pip install "kgroups[plot]"') from error


def axes_for(ax: Any) -> Any:
    """The axes given, or those of a new pyplot figure."""
    require_matplotlib()
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained")[1]


def cluster_colors(n_clusters: int) -> Float64Array:
    """Red, green, blue and opacity of each cluster, (k, 4): the same in every display."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgba_array

    if n_clusters <= len(_OKABE_ITO):
        return np.asarray(to_rgba_array(_OKABE_ITO[:n_clusters]))
    if n_clusters <= 20:
        strong_then_pale = [*range(0, 20, 2), *range(1, 20, 2)]
        return np.asarray(colormaps["tab20"](strong_then_pale[:n_clusters]))
    return np.asarray(colormaps["viridis"](np.linspace(0, 1, n_clusters)))


def tidy(ax: Any, *, title: str, x: str, y: str) -> None:
    """Title, axis labels, and only the spines that carry ticks."""
    ax.set_title(title, loc="left", fontsize=_TITLE, color=INK)
    ax.set_xlabel(x, fontsize=_LABEL, color=INK)
    ax.set_ylabel(y, fontsize=_LABEL, color=INK)
    ax.tick_params(labelsize=SMALL, color="#999999", labelcolor=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#999999")


def heading(what: str, drawn: int, total: int) -> str:
    """A title that owns up to drawing a sample."""
    return what if drawn == total else f"{what} ({drawn:,} of {total:,} points)"
