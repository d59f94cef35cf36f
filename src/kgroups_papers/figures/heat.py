"""Heat maps of cluster means, and gaps of eigenvalues."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kgroups.plots import INK, SMALL, cluster_colors, count_axis, tidy
from kgroups_papers.types import Float64Array


def draw_heat(ax: Any, means: Float64Array, features: Sequence[str], *, title: str) -> None:
    """One row per feature and one column per cluster; red above 0 and blue below."""
    reach = float(np.abs(means).max())
    image = ax.imshow(means.T, cmap="RdBu_r", vmin=-reach, vmax=reach, aspect="auto")
    tidy(ax, title=title, x="cluster", y="")
    ax.set_xticks(range(len(means)), [str(1 + j) for j in range(len(means))])
    ax.set_yticks(range(len(features)), features)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02)
    bar.set_label("mean, in deviations of the column", fontsize=SMALL, color=INK)
    bar.ax.tick_params(labelsize=SMALL, labelcolor=INK)
    bar.outline.set_visible(False)


def draw_gaps(ax: Any, gaps: Mapping[str, Float64Array], chosen: Mapping[str, int]) -> None:
    """The gap after the k-th eigenvalue for k = 2, 3, …, one line per metric."""
    for (name, values), color in zip(gaps.items(), cluster_colors(len(gaps)), strict=True):
        k = np.arange(2, len(values) + 1)
        ax.plot(k, values[1:], "o-", color=color, ms=4, lw=1.4, label=f"{name}: k = {chosen[name]}")
        ax.plot(chosen[name], values[chosen[name] - 1], "o", ms=11, mfc="none", mec=color, mew=1.6)
    tidy(ax, title="Eigengaps", x="k", y="gap after the k-th eigenvalue")
    count_axis(ax.xaxis)
    ax.legend(fontsize=SMALL, labelcolor=INK, framealpha=0.9)
