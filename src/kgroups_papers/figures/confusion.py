"""Which classes the clusters hold."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from kgroups.plots import INK, SMALL, tidy
from kgroups_papers.types import IntArray

_LIGHT_TEXT_FROM = 0.55


def draw_confusion(ax: Any, counts: IntArray, *, classes: Sequence[str], title: str) -> None:
    """One row per class, one column per cluster, ordered to put most points on the diagonal.

    The shade is the share of the class, the number is that of its points.
    """
    order = _matched(counts)
    counts = counts[:, order]
    share = counts / counts.sum(axis=1, keepdims=True)
    image = ax.imshow(share, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, j), count in np.ndenumerate(counts):
        if count:
            color = "white" if share[i, j] > _LIGHT_TEXT_FROM else INK
            ax.text(j, i, str(count), ha="center", va="center", fontsize=SMALL, color=color)
    tidy(ax, title=title, x="cluster", y="class")
    ax.set_xticks(range(counts.shape[1]), [str(1 + j) for j in range(counts.shape[1])])
    ax.set_yticks(range(counts.shape[0]), classes)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02)
    bar.set_label("share of the class", fontsize=SMALL, color=INK)
    bar.ax.tick_params(labelsize=SMALL, labelcolor=INK)
    bar.outline.set_visible(False)


def _matched(counts: IntArray) -> IntArray:
    """Columns in the order of the classes that they are matched with, unmatched ones last."""
    columns = np.asarray(linear_sum_assignment(counts, maximize=True)[1])
    rest = np.setdiff1d(np.arange(counts.shape[1]), columns)
    return np.concatenate([columns, rest])
