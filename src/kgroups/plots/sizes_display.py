"""How large the clusters are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgroups.fit.fitted import Fitted
from kgroups.graphs.community_estimator import CommunityEstimator
from kgroups.plots._arguments import check_fitted
from kgroups.plots._data import cluster_counts
from kgroups.plots.style import (
    INK,
    MAX_NAMES,
    axes_for,
    cluster_colors,
    count_axis,
    name_rows,
    require_matplotlib,
    tidy,
)
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Fewer bars than this leave room below instead of growing into slabs, unless the axes have less
# than this many inches per bar.
_MIN_PLACES, _INCHES = 4, 0.85
# If the largest bar is this many times the median one, the others are hard to see.
_LONG = 20


@dataclass(kw_only=True, eq=False)
class ClusterSizesDisplay:
    """One bar per cluster, the largest on top.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    counts : array (k,)
        Points in each cluster.
    weights : array (k,) or None
        Total weight of each cluster; None when every point weighs one.
    what, unit : str
        Words for clusters and points.

    Attributes
    ----------
    ax_, figure_, bars_
        The axes, the figure and the bars, from the top.
    """

    counts: IntArray
    weights: Float64Array | None = None
    what: str = "cluster"
    unit: str = "points"

    @classmethod
    def from_estimator(cls, estimator: Fitted, *, ax: Axes | None = None, **bar_kw: Any) -> Self:
        """Draw the sizes of the clusters, with their weights if these differ.

        Parameters
        ----------
        estimator : fitted KernelKGroups, KernelKMeans, EnergyAgglomerative or GraphKGroups
        ax : matplotlib axes or None
            None makes a pyplot figure.
        **bar_kw
            Passed on to ``ax.barh``.
        """
        require_matplotlib()
        check_fitted(estimator, "KernelKGroups, GraphKGroups or another estimator")
        counts, weights = cluster_counts(estimator), getattr(estimator, "cluster_weights_", None)
        if weights is not None and np.allclose(counts, weights):
            weights = None
        of_nodes = isinstance(estimator, CommunityEstimator)
        words: dict[str, Any] = {"what": "community", "unit": "nodes"} if of_nodes else {}
        return cls(counts=counts, weights=weights, **words).plot(ax, **bar_kw)

    def plot(self, ax: Axes | None = None, **bar_kw: Any) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        order = np.argsort(-self.counts, kind="stable")
        places = np.arange(len(order))
        style: dict[str, Any] = {
            "color": cluster_colors(len(order))[order],
            "height": 0.75,
            **bar_kw,
        }
        self.bars_ = self.ax_.barh(places, self.counts[order], **style)
        self.ax_.set_ylim(max(len(order), self._places()) - 0.4, -0.6)
        tidy(self.ax_, title=f"{self.what.capitalize()} sizes", x=self.unit, y=self.what)
        self.ax_.margins(x=0.12 if self.weights is None else 0.45)
        if self.counts.min() > 0 and self.counts.max() > _LONG * np.median(self.counts):
            self._log_axis()
        else:
            count_axis(self.ax_.xaxis)
        size = name_rows(self.ax_, [str(cluster) for cluster in order])
        if len(order) <= MAX_NAMES:
            texts = [self._text(cluster) for cluster in order]
            self.ax_.bar_label(self.bars_, texts, padding=3, fontsize=size, color=INK)
        return self

    def _places(self) -> float:
        inches = float(self.ax_.get_window_extent().height / self.figure_.dpi)
        return min(_MIN_PLACES, inches / _INCHES)

    def _log_axis(self) -> None:
        """Begin the axis at a half, so that a cluster of one point shows."""
        from matplotlib.ticker import NullFormatter, StrMethodFormatter

        beyond = 2.0 if self.weights is None else 20.0
        self.ax_.set_xscale("log")
        self.ax_.set_xlim(0.5, beyond * self.counts.max())
        self.ax_.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        self.ax_.xaxis.set_minor_formatter(NullFormatter())
        self.ax_.set_xlabel(f"{self.unit} (log scale)")

    def _text(self, cluster: int) -> str:
        count = f"{self.counts[cluster]:,}"
        if self.weights is None:
            return count
        weight = self.weights[cluster]
        return f"{count} (weight {weight:{',.0f' if weight >= 1e4 else '.4g'}})"
