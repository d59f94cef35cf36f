"""Points in a plane, colored by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgroups.fit.fitted import FittedClustering
from kgroups.plots._coordinates import JITTER, plane
from kgroups.plots._data import cluster_counts, names_of_few
from kgroups.plots._extremes import frame_bulk, mark_outside
from kgroups.plots._legend import explain_colors
from kgroups.plots._node_names import write_names
from kgroups.plots.style import (
    INK,
    MAX_NAMES,
    axes_for,
    cluster_colors,
    heading,
    require_matplotlib,
    tidy,
)
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# So many marks are drawn as pixels, also in an SVG, which would be larger with a path for each.
_MANY = 800
# What one axis has less of than this share of the other is rounding.
_ROUNDING = 1e-9


@dataclass(kw_only=True, eq=False)
class PartitionDisplay:
    """Points in two coordinates, colored by cluster.

    Make one with :meth:`from_estimator`. Legends stand next to the axes if the figure has a
    layout engine (``layout="constrained"``), inside them otherwise.

    Parameters
    ----------
    coordinates : array (m, 2)
        Positions of the points that are drawn.
    labels : array (m,)
        Their clusters.
    sizes : array (k,)
        Points in each cluster, drawn or not.
    axis_labels : tuple of two str
        What the coordinates are, with their share of the variance.
    names : list of m str or None
        Written next to the points, as far as they can be read.

    Attributes
    ----------
    ax_, figure_, scatter_
        The axes, the figure, and the points as matplotlib holds them.
    outside_ : array (m,)
        Which points lie so far outside that they are marked at the edge: at most 2% of them, or
        three of up to a tenth, which would take most of the frame.
    """

    coordinates: Float64Array
    labels: IntArray
    sizes: IntArray
    axis_labels: tuple[str, str]
    names: list[str] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedClustering,
        X: object,
        *,
        feature_names: Sequence[str] | None = None,
        names: Sequence[object] | None = None,
        ax: Axes | None = None,
        centroids: bool = False,
        **scatter_kw: Any,
    ) -> Self:
        """Draw the data that ``estimator`` was fitted on.

        A table of more than two columns is drawn in its first two principal components, one column
        as a jittered strip. Objects, categories and matrices are drawn by classical scaling of ρ:
        the principal components of the feature space where clusters are found. At most 20,000
        points, or 2,000 for scaling, are drawn: evenly spaced rows, the same at every call. Up to
        30 points have their names next to them.

        Parameters
        ----------
        estimator : fitted KernelKGroups or KernelKMeans
        X : as in ``fit``
        feature_names : list of str or None
            Names of the columns; None takes those seen at fit.
        names : sequence of n names or None
            What the points are called; None takes texts for their own names.
        ax : matplotlib axes or None
            None makes a pyplot figure.
        centroids : bool, default=False
            Mark the mean of each cluster's points.
        **scatter_kw
            Passed on to ``ax.scatter``.
        """
        require_matplotlib()
        coordinates, drawn, axis_labels = plane(estimator, X, feature_names)
        display = cls(
            coordinates=coordinates,
            labels=estimator.labels_[drawn],
            sizes=cluster_counts(estimator),
            axis_labels=axis_labels,
            names=names_of_few(X, names, len(estimator.labels_), drawn),
        )
        return display.plot(ax, centroids=centroids, **scatter_kw)

    def plot(self, ax: Axes | None = None, *, centroids: bool = False, **scatter_kw: Any) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        colors = cluster_colors(len(self.sizes))
        own = colors[self.labels]
        style: dict[str, Any] = {**_marks(len(self.labels)), "c": own, **scatter_kw}
        x, y = self.coordinates.T
        self.scatter_ = self.ax_.scatter(x, y, **style)
        if centroids:
            self._mark_centroids(colors)
        explain_colors(self.ax_, colors, self.sizes)
        title = heading("Clusters", len(self.labels), int(self.sizes.sum()))
        tidy(self.ax_, title=title, x=self.axis_labels[0], y=self.axis_labels[1])
        self._frame()
        self.outside_ = frame_bulk(self.ax_, self.coordinates)
        if self.outside_.any():
            mark_outside(self.ax_, self.coordinates[self.outside_], own[self.outside_])
        if self.names is not None:
            as_many = np.ones(len(self.names), np.int64)
            write_names(self.ax_, self.coordinates, self.names, as_many, self.labels)
        return self

    def _frame(self) -> None:
        """Leave out an axis without meaning, and keep rounding from filling a whole one."""
        if self.axis_labels[1] in ("", JITTER):
            self.ax_.set(yticks=[], ylim=(-0.2, 1.2))
            self.ax_.spines["left"].set_visible(False)
            return
        if len(self.labels) <= MAX_NAMES:
            self.ax_.margins(0.12)
        middle = (self.coordinates.min(axis=0) + self.coordinates.max(axis=0)) / 2
        spread = np.ptp(self.coordinates, axis=0)
        if spread[0] < _ROUNDING * spread[1]:
            self.ax_.set_xlim(middle[0] - spread[1] / 2, middle[0] + spread[1] / 2)
        if spread[1] < _ROUNDING * spread[0]:
            self.ax_.set_ylim(middle[1] - spread[0] / 2, middle[1] + spread[0] / 2)

    def _mark_centroids(self, colors: Float64Array) -> None:
        present = np.unique(self.labels)
        means = np.array([self.coordinates[self.labels == j].mean(axis=0) for j in present])
        x, y = means.T
        self.ax_.scatter(x, y, c=colors[present], marker="X", s=110, edgecolors=INK, linewidths=1.2)


def _marks(n: int) -> dict[str, Any]:
    """Style of the marks: smaller and fainter the more there are, and pixels for many."""
    return {
        "s": float(np.clip(26 * (150 / n) ** 0.45, 3, 26)),
        "alpha": float(np.clip(0.85 * (1000 / n) ** 0.2, 0.4, 0.85)),
        "linewidths": 0,
        "rasterized": n > _MANY,
    }
