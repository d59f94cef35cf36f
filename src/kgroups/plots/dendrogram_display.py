"""Which clusters were merged, and at what energy distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgroups.estimators import EnergyAgglomerative
from kgroups.input.parameters import check_integer
from kgroups.plots._arguments import check_fitted
from kgroups.plots._legend import explain_colors
from kgroups.plots.style import (
    INK,
    SMALL,
    axes_for,
    cluster_colors,
    plain,
    require_matplotlib,
    tidy,
)
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The cluster of lines above the cut.
_ABOVE = -1
_GRAY = "#999999"
# With more leaves than this there is no room for words below.
_MAX_TEXTS = 80
# Words stand upright if one is longer than this or there are more leaves than this.
_SHORT, _FEW = 3, 25
# Ticks are at zero and from this share of the greatest height on.
_LEAST_TICK = 0.012


@dataclass(kw_only=True, eq=False)
class DendrogramDisplay:
    """The tree of merges, each at its height, with the clusters of the cut in their colors.

    Make one with :meth:`from_estimator`. Heights are energies, which grow like squared distances
    times points; the axis has a square-root scale, on which low merges are visible too.

    Parameters
    ----------
    places, heights : array (m, 4)
        The corners of each link from its left foot to its right one; leaves stand at 0, 1, 2, ...
    clusters : array (m,)
        The cluster of each link, −1 above the cut.
    leaf_texts : list of str
        What stands below the leaves: a name, or a number of points in parentheses.
    leaf_clusters : array
        The cluster of each leaf, −1 for a leaf of several clusters.
    cut : float
        The height below which merges were made.
    sizes : array (k,)
        Points in each cluster.
    n_merges : int
        Merges of the whole tree, of which the last m are drawn.

    Attributes
    ----------
    ax_, figure_, links_, cut_line_
        The axes, the figure, the links as matplotlib holds them, and the line of the cut.
    """

    places: Float64Array
    heights: Float64Array
    clusters: IntArray
    leaf_texts: list[str]
    leaf_clusters: IntArray
    cut: float
    sizes: IntArray
    n_merges: int

    @classmethod
    def from_estimator(
        cls,
        estimator: EnergyAgglomerative,
        *,
        leaf_names: Sequence[Any] | None = None,
        max_leaves: int = 30,
        ax: Axes | None = None,
        **line_kw: Any,
    ) -> Self:
        """Draw the tree of ``estimator``, or its last merges where it is large.

        Parameters
        ----------
        estimator : fitted EnergyAgglomerative
        leaf_names : sequence of n or None
            What the points are called; None takes their row numbers.
        max_leaves : int, default=30
            A leaf of a larger tree is a branch, with its number of points: "(12)".
        ax : matplotlib axes or None
            None makes a pyplot figure.
        **line_kw
            Passed on to ``matplotlib.collections.LineCollection``.
        """
        require_matplotlib()
        check_fitted(estimator, "EnergyAgglomerative", "n_leaves_")
        check_integer(max_leaves, "max_leaves", least=2)
        n = estimator.n_leaves_
        if n < 2:
            raise ValueError("One point makes no tree; fit EnergyAgglomerative on two or more.")
        names = [str(name) for name in (range(n) if leaf_names is None else leaf_names)]
        if len(names) != n:
            raise ValueError(f"leaf_names holds {len(names)} names for {n} points.")
        return cls(**_tree(estimator, names, max_leaves)).plot(ax, **line_kw)

    def plot(self, ax: Axes | None = None, **line_kw: Any) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        from matplotlib.collections import LineCollection

        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        colors = cluster_colors(len(self.sizes))
        corners = np.stack([self.places, self.heights], axis=2)
        style: dict[str, Any] = {
            "colors": self._colored(self.clusters, colors),
            "linewidths": 1.3,
            **line_kw,
        }
        self.links_ = self.ax_.add_collection(LineCollection(list(corners), **style))
        tidy(
            self.ax_,
            title=self._title(),
            x=self._below(),
            y="energy distance of the parts (root scale)",
        )
        self._frame()
        self._name_leaves(colors)
        explain_colors(self.ax_, colors, self.sizes)
        return self

    def _title(self) -> str:
        drawn = len(self.places)
        return "Merges" if drawn == self.n_merges else f"Last {drawn:,} of {self.n_merges:,} merges"

    def _below(self) -> str:
        if len(self.places) == self.n_merges:
            return ""
        return "point, or in parentheses the number of points in a branch"

    def _frame(self) -> None:
        top = float(self.heights.max()) or 1.0
        self.ax_.set_xlim(-0.7, len(self.leaf_texts) - 0.3)
        self.ax_.set_yscale("function", functions=(_root, np.square))
        self.ax_.set_ylim(0, 1.06 * top)
        ticks = _ticks(top)
        self.ax_.set_yticks(ticks, [f"{tick:,.6g}" for tick in ticks])
        self.ax_.spines["bottom"].set_visible(False)
        self.cut_line_ = None
        if self.cut < 1.06 * top:
            self.cut_line_ = self.ax_.axhline(self.cut, color=INK, lw=0.8, ls=(0, (5, 4)), zorder=0)

    def _name_leaves(self, colors: Float64Array) -> None:
        n = len(self.leaf_texts)
        self.ax_.set_xticks(range(n) if n <= _MAX_TEXTS else [])
        self.ax_.tick_params(axis="x", length=0)
        if n > _MAX_TEXTS:
            return
        upright = n > _FEW or max(map(len, self.leaf_texts)) > _SHORT
        size = min(SMALL, 340 / n)
        texts = self.ax_.set_xticklabels(
            [plain(text) for text in self.leaf_texts], rotation=90 if upright else 0, fontsize=size
        )
        for text, color in zip(texts, self._colored(self.leaf_clusters, colors), strict=True):
            text.set_color(color)

    def _colored(self, clusters: IntArray, colors: Float64Array) -> Float64Array:
        from matplotlib.colors import to_rgba_array

        return np.vstack([colors, to_rgba_array(_GRAY)])[clusters]  # −1 is the last


def _root(heights: Float64Array) -> Float64Array:
    """Below zero the axis ends."""
    return np.sqrt(np.maximum(heights, 0))


def _ticks(top: float) -> list[float]:
    """Zero, and 1, 2 and 5 times powers of ten: evenly enough on a square-root scale."""
    power = int(np.floor(np.log10(top)))
    ladder = [digit * 10.0**p for p in range(power - 3, power + 1) for digit in (1, 2, 5)]
    return [0.0, *(tick for tick in ladder if _LEAST_TICK * top <= tick <= 1.05 * top)]


def _tree(estimator: EnergyAgglomerative, names: list[str], max_leaves: int) -> dict[str, Any]:
    """What a display holds, laid out by SciPy."""
    from scipy.cluster.hierarchy import dendrogram

    Z, n = estimator.linkage_matrix(), estimator.n_leaves_
    cluster = _clusters_of_nodes(estimator)
    laid_out = dendrogram(
        Z, max_leaves, "lastp", no_plot=True, link_color_func=lambda node: str(cluster[node])
    )
    leaves = np.array(laid_out["leaves"])
    return {
        "places": (np.array(laid_out["icoord"]) - 5) / 10,
        "heights": np.array(laid_out["dcoord"]),
        "clusters": np.array(laid_out["color_list"]).astype(np.int64),
        "leaf_texts": [names[v] if v < n else f"({int(Z[v - n, 3]):,})" for v in leaves],
        "leaf_clusters": cluster[leaves],
        "cut": _cut(estimator),
        "sizes": np.bincount(estimator.labels_, minlength=estimator.n_clusters_),
        "n_merges": n - 1,
    }


def _clusters_of_nodes(estimator: EnergyAgglomerative) -> IntArray:
    """The cluster in which a node lies, (2n − 1,); −1 above the cut."""
    n = estimator.n_leaves_
    clusters = np.full(2 * n - 1, _ABOVE)
    clusters[:n] = estimator.labels_
    for t in range(n - estimator.n_clusters_):
        clusters[n + t] = clusters[estimator.children_[t, 0]]
    return clusters


def _cut(estimator: EnergyAgglomerative) -> float:
    """The threshold, or half way between the last merge that was made and the first that was not.

    Beyond the last merge of all, where there is one cluster.
    """
    if estimator.distance_threshold is not None:
        return float(estimator.distance_threshold)
    heights = np.concatenate([[0.0], estimator.distances_, [np.inf]])
    place = estimator.n_leaves_ - estimator.n_clusters_
    return float(heights[place : place + 2].mean())
