"""The matrix behind a clustering, ordered by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgroups.fit.fitted import FittedClustering
from kgroups.plots._data import distances, read_points, sample_by_cluster, square_part
from kgroups.plots._extremes import color_scale
from kgroups.plots._legend import color_bar, color_strip, separate_clusters
from kgroups.plots._order import order_of
from kgroups.plots.style import axes_for, bare, cluster_colors, heading, require_matplotlib
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

#: What the entries of a matrix of distances measure.
DISTANCE = "distance ρ"
# Steps of color. So few, of so few points as are drawn by default, keep the picture below 200 kB
# where it is part of an SVG.
_STEPS = 20


@dataclass(kw_only=True, eq=False)
class GramDisplay:
    """Heat map of distances, or of a Gram matrix, with the points ordered by cluster.

    Make one with :meth:`from_estimator`. Good clusters show as blocks along the diagonal. Where a
    few pairs would take most of the scale of colors, it ends at a quantile and says so.

    Parameters
    ----------
    matrix : array (m, m)
        Distances or similarities of the points drawn, in their order.
    index : array (m,)
        The points that are drawn.
    labels : array (m,)
        Their clusters, near ones next to each other.
    n_clusters, n_points : int
        Number of clusters and points in the whole data.
    quantity : str
        What the entries measure.

    Attributes
    ----------
    ax_, figure_, image_
        The axes, the figure and the heat map.
    """

    matrix: Float64Array
    index: IntArray
    labels: IntArray
    n_clusters: int
    n_points: int
    quantity: str

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedClustering,
        X: object,
        *,
        order: Sequence[int] | None = None,
        max_points: int = 250,
        ax: Axes | None = None,
        **image_kw: Any,
    ) -> Self:
        """Draw ρ between the points of the fit, or K for ``metric="precomputed_kernel"``.

        Within a cluster points are ordered by mean ρ to the cluster's points that are drawn, which
        for equal weights is the order by distance to their centroid.

        Parameters
        ----------
        estimator : fitted KernelKGroups or KernelKMeans
        X : as in ``fit``
        order : sequence of int or None
            The clusters from the top; None puts near ones next to each other.
        max_points : int, default=250
            If there are more points, some of each cluster are drawn, evenly spaced, in proportion.
        ax : matplotlib axes or None
            None makes a pyplot figure.
        **image_kw
            Passed on to ``ax.imshow``.
        """
        require_matplotlib()
        points = read_points(estimator, X)
        index = sample_by_cluster(estimator.labels_, max_points)
        rho = distances(estimator, points, index)
        k, labels = len(estimator.cluster_weights_), estimator.labels_[index]
        rows = _from_center_outward(rho, labels, order_of(estimator, X, order))
        index, rho = index[rows], rho[np.ix_(rows, rows)]
        kernel = isinstance(estimator.metric_, str) and estimator.metric_ == "precomputed_kernel"
        display = cls(
            matrix=square_part(points, index) if kernel else rho,
            index=index,
            labels=estimator.labels_[index],
            n_clusters=k,
            n_points=len(estimator.labels_),
            quantity="similarity K" if kernel else DISTANCE,
        )
        return display.plot(ax, **image_kw)

    def plot(self, ax: Axes | None = None, **image_kw: Any) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        scale = color_scale(self.matrix, both_ends=self.quantity != DISTANCE)
        style: dict[str, Any] = {
            "cmap": _colors(), "interpolation": "nearest", "vmin": scale.low, "vmax": scale.high,
            **image_kw,
        }  # fmt: skip
        self.image_ = self.ax_.imshow(self.matrix, **style)
        separate_clusters(self.ax_, np.flatnonzero(np.diff(self.labels)) + 0.5, "white")
        color_strip(self.ax_, self.labels, cluster_colors(self.n_clusters))
        quantity = "\n".join(filter(None, [self.quantity, scale.words]))
        color_bar(self.ax_, self.image_, quantity, extend=scale.extend)
        title = heading("Pairs by cluster", len(self.index), self.n_points)
        bare(self.ax_, title)
        return self


def _colors() -> Colormap:
    from matplotlib import colormaps

    return colormaps["viridis"].resampled(_STEPS)


def _from_center_outward(rho: Float64Array, labels: IntArray, order: IntArray) -> IntArray:
    """Rows by the order of their clusters, then by mean ρ to the cluster: ‖φ(x) − μ‖² + const."""
    within = np.where(labels[:, None] == labels, rho, 0.0).sum(axis=1)
    return np.lexsort((within, np.argsort(order)[labels]))
