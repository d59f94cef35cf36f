"""How much nearer each row is to its own cluster than to the nearest other one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgroups.fit.fitted import FittedClustering
from kgroups.input.rows import take
from kgroups.plots._arguments import OF_ROWS, check_fitted
from kgroups.plots._data import read_points, sample_by_cluster, some_rows
from kgroups.plots._legend import number_rows
from kgroups.plots._order import order_of
from kgroups.plots.style import (
    INK,
    axes_for,
    cluster_colors,
    heading,
    require_matplotlib,
    say,
    tidy,
)
from kgroups.text import counted
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "Separation"
_ONE = "There is one cluster,\nand nothing to separate it from."


@dataclass(kw_only=True, eq=False)
class SeparationDisplay:
    r"""One bar per row, by cluster, sorted by how clearly the row belongs to it.

    .. math:: s(x) = \frac{d_2(x) - d_1(x)}{\max(d_1(x), d_2(x))}

    where :math:`d_1` is the squared distance in feature space to the center of the row's cluster
    and :math:`d_2` that to the nearest other center. It is 1 at the own center, 0 halfway between
    two, and negative for a row that is nearer to another center. Make one with
    :meth:`from_estimator`.

    Parameters
    ----------
    values : array (m,)
        s of the rows that are drawn.
    labels : array (m,)
        Their clusters.
    order : array (k,)
        The clusters from the top.
    n_points : int
        Number of rows in the whole data.

    Attributes
    ----------
    ax_, figure_, bars_, mean_
        The axes, the figure, the bars of each cluster that has rows, and the mean of ``values``.

    References
    ----------
    P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis", J. Comput. Appl. Math. 20, 1987, with mean distances to all members instead.
    """

    values: Float64Array
    labels: IntArray
    order: IntArray
    n_points: int

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedClustering,
        X: object,
        *,
        order: Sequence[int] | None = None,
        max_points: int = 2_000,
        ax: Axes | None = None,
    ) -> Self:
        """Draw how well the clusters of ``estimator`` are separated.

        Time and memory are those of ``estimator.transform`` for the rows that are drawn: at most
        O(m n D) and O(m k).

        Parameters
        ----------
        estimator : fitted KernelKGroups or KernelKMeans
        X : as in ``fit``
        order : sequence of int or None
            The clusters from the top; None puts near ones next to each other.
        max_points : int, default=2000
            If there are more rows, some of each cluster are drawn, evenly spaced, in proportion.
        ax : matplotlib axes or None
            None makes a pyplot figure.

        Raises
        ------
        ValueError
            For ``metric="precomputed_kernel"``, where distances to centers are not known.
        """
        require_matplotlib()
        check_fitted(estimator, OF_ROWS, "metric_")
        reason = why_unknown(estimator)
        if reason is not None:
            raise ValueError(reason)
        points = read_points(estimator, X)
        index = sample_by_cluster(estimator.labels_, max_points)
        is_matrix = isinstance(estimator.metric_, str)
        rows = take(points, index) if is_matrix else some_rows(X, index)
        squared = np.square(estimator.transform(rows))  # type: ignore[attr-defined]
        labels = estimator.labels_[index]
        display = cls(
            values=separations(squared, labels),
            labels=labels,
            order=order_of(estimator, X, order),
            n_points=len(estimator.labels_),
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.mean_ = float(self.values.mean())
        self.bars_: list[Any] = []
        title = heading(TITLE, len(self.values), self.n_points)
        if len(self.order) == 1:
            say(self.ax_, title, _ONE)
            return self
        tidy(self.ax_, title=title, x=self._words(), y="cluster")
        self._draw_clusters()
        self._mark_mean()
        return self

    def _draw_clusters(self) -> None:
        """One stepped area per cluster, which is a single path however many rows it has."""
        k, total = len(self.order), len(self.values)
        colors, gap = cluster_colors(k), total * min(0.012, 0.15 / k)
        top, ticks = 0.0, {}
        for cluster in self.order[np.isin(self.order, self.labels)].tolist():
            own = np.sort(self.values[self.labels == cluster])[::-1]
            edges = top + np.arange(len(own) + 1.0)
            style: dict[str, Any] = {"orientation": "horizontal", "fill": True}
            self.bars_.append(self.ax_.stairs(own, edges, color=colors[cluster], **style))
            ticks[cluster] = top + len(own) / 2
            top += len(own) + gap
        self.ax_.set_ylim(top, -gap)
        number_rows(self.ax_, ticks, top)
        self.ax_.set_xlim(min(0.0, 1.1 * float(self.values.min())), 1.02)

    def _mark_mean(self) -> None:
        """A dashed line at the mean of all rows, and one at zero."""
        self.ax_.axvline(0, color="#999999", lw=0.8)
        self.ax_.axvline(self.mean_, color=INK, lw=1, ls="--")

    def _words(self) -> str:
        below = int(np.count_nonzero(self.values < 0))
        words = (
            "0: halfway to the next center, 1: at its own\n"
            f"dashed: mean {self.mean_:.2f} of {counted(len(self.values), 'row')}"
        )
        return words + f"\n{counted(below, 'row')} nearer to another center" * (below > 0)


def why_unknown(estimator: FittedClustering) -> str | None:
    """Why separation cannot be computed for a fit, or None."""
    if isinstance(estimator.metric_, str) and estimator.metric_ == "precomputed_kernel":
        return (
            "distances to centers are not known for a Gram matrix; give a matrix of distances "
            'with metric="precomputed": kgroups.semimetrics.semimetric_from_kernel(K).'
        )
    if not hasattr(estimator, "transform"):
        return f"{type(estimator).__name__} keeps no centers to measure distances to."
    return None


def separations(squared: Float64Array, labels: IntArray) -> Float64Array:
    """s of each row from its squared distances (m, k) to all centers; 0 if all of them are 0."""
    rows = np.arange(len(labels))
    own = squared[rows, labels]
    others = squared.copy()
    others[rows, labels] = np.inf
    nearest = others.min(axis=1)
    largest = np.maximum(own, nearest)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(largest > 0, (nearest - own) / largest, 0.0)
