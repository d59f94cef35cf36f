"""The adjacency matrix of a network, ordered by community."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.fit.fitted import Fitted
from kgroups.input.networks import GraphLike
from kgroups.input.parameters import check_integer
from kgroups.plots._legend import color_bar, color_strip, separate_clusters
from kgroups.plots._network import (
    Communities,
    by_community_and_degree,
    communities_from,
    communities_of,
    degrees_of,
)
from kgroups.plots.style import SMALL, axes_for, bare, community_colors, require_matplotlib
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Entries counted at a time.
_BATCH = 1 << 20
# More borders than this would cover the matrix.
_MAX_BORDERS = 60
# The lightest blue that stands out from white.
_LIGHTEST = 0.4
# Weights smaller than the largest by a larger factor all have the lightest blue.
_DECADES = 1e4


@dataclass(kw_only=True, eq=False)
class AdjacencyDisplay:
    """Where the edges are, with the nodes ordered by community.

    Make one with :meth:`from_estimator` or :meth:`from_labels`. Good communities show as blocks
    along the diagonal. In the picture of a large network a cell stands for several nodes, and its
    shade for the number of entries in it, or for their weight if edges have positive weights, on a
    logarithmic scale.

    Parameters
    ----------
    counts : array (b, b)
        Entries of A that are not zero, in each cell.
    nodes_per_cell : int
        Nodes that a row of cells stands for; fewer in the last.
    order : array (n,)
        The nodes from the top.
    labels : array (n,)
        Their communities, ascending; ``n_clusters`` for nodes that are in none.
    n_clusters : int
        Number of communities.
    weights : array (b, b) or None
        Sum of the weights in each cell; None if all are 1 or some are negative.

    Attributes
    ----------
    ax_, figure_, image_
        The axes, the figure and the picture of the matrix.
    """

    counts: IntArray
    nodes_per_cell: int
    order: IntArray
    labels: IntArray
    n_clusters: int
    weights: Float64Array | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Fitted,
        A: GraphLike,
        *,
        max_cells: int = 400,
        ax: Axes | None = None,
        **image_kw: Any,
    ) -> Self:
        """Draw the matrix that ``estimator`` was fitted on; O(edges + n log n) time.

        Within a community nodes go by decreasing degree. No n × n array is made.

        Parameters
        ----------
        estimator : fitted GraphKGroups or BetheHessianClustering
        A : as in ``fit``
        max_cells : int, default=400
            Maximum number of rows of cells, each for the same number of nodes.
        ax : matplotlib axes or None
            None makes a pyplot figure.
        **image_kw
            Passed on to ``ax.imshow``.
        """
        require_matplotlib()
        return cls._of(communities_of(estimator, A), max_cells).plot(ax, **image_kw)

    @classmethod
    def from_labels(
        cls,
        A: GraphLike,
        labels: ArrayLike,
        *,
        max_cells: int = 400,
        ax: Axes | None = None,
        **image_kw: Any,
    ) -> Self:
        """Draw a matrix with any communities.

        Parameters
        ----------
        A : sparse array (n, n), array (n, n), networkx graph or Graph
        labels : array-like (n,)
            The community of each node; communities appear in sorted order.
        max_cells, ax, **image_kw
            As for :meth:`from_estimator`.
        """
        require_matplotlib()
        return cls._of(communities_from(A, labels), max_cells).plot(ax, **image_kw)

    @classmethod
    def _of(cls, found: Communities, max_cells: int) -> Self:
        n = len(found.labels)
        order, _ = by_community_and_degree(found.labels, degrees_of(found.matrix))
        # Cells of unequal width would show as a pattern that is not in the data.
        width = -(-n // check_integer(max_cells, "max_cells"))
        cell = np.empty(n, np.int64)
        cell[order] = np.arange(n) // width
        A, size = found.matrix, -(-n // width)
        is_weighted = bool((A.data != 1).any()) and A.data.min() > 0
        return cls(
            counts=_summed(A, cell, size).astype(np.int64),
            weights=_summed(A, cell, size, A.data) if is_weighted else None,
            nodes_per_cell=width,
            order=order,
            labels=found.labels[order],
            n_clusters=len(found.sizes),
        )

    def plot(self, ax: Axes | None = None, **image_kw: Any) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self.image_ = self._draw(image_kw)
        borders = (np.flatnonzero(np.diff(self.labels)) + 1) / self.nodes_per_cell - 0.5
        if len(borders) <= _MAX_BORDERS:
            separate_clusters(self.ax_, borders, "#BBBBBB")
        first = self.labels[:: self.nodes_per_cell]
        color_strip(self.ax_, first, community_colors(self.n_clusters), self.n_clusters)
        if self.weights is not None or self.counts.max() > 1:
            self._color_bar()
        bare(self.ax_, self._title())
        self.ax_.spines[:].set(visible=True, color="#BBBBBB")
        return self

    def _draw(self, image_kw: dict[str, Any]) -> Any:
        """Draw cells with edges in shades of blue; the others stay white."""
        from matplotlib import colormaps
        from matplotlib.colors import ListedColormap, LogNorm

        shown = self.counts if self.weights is None else self.weights
        most = float(shown.max())
        least = max(float(shown.min(where=shown > 0, initial=most)), most / _DECADES)
        # If all cells are equal, they are dark.
        norm = LogNorm(least, most) if most > least else LogNorm(0.1 * (most or 1), most or 1)
        blues = ListedColormap(colormaps["Blues"](np.linspace(_LIGHTEST, 1, 256)))
        style: dict[str, Any] = {
            "cmap": blues,
            "norm": norm,
            "interpolation": "nearest",
            **image_kw,
        }
        return self.ax_.imshow(np.ma.masked_equal(shown, 0), **style)

    def _color_bar(self) -> None:
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

        what = "entries of the matrix" if self.weights is None else "weight"
        where = " in a cell" if self.weights is None or self.nodes_per_cell > 1 else " of the edge"
        bar = color_bar(self.ax_, self.image_, what + where)
        bar.locator = LogLocator(subs=(1.0, 2.0, 5.0), numticks=12)
        bar.formatter = StrMethodFormatter("{x:,.0f}" if self.weights is None else "{x:,.6g}")
        bar.ax.yaxis.set_minor_formatter(NullFormatter())
        bar.ax.tick_params(labelsize=SMALL)
        bar.update_ticks()

    def _title(self) -> str:
        what = "Edges by community"
        if self.nodes_per_cell == 1:
            return what
        return f"{what} ({self.nodes_per_cell:,} nodes per cell)"


def _summed(
    A: csr_array, cell: IntArray, size: int, weights: Float64Array | None = None
) -> Float64Array:
    """Stored entries in each cell, counted or summed by weight, some rows at a time."""
    sums = np.zeros(size * size)
    firsts = np.searchsorted(A.indptr, np.arange(_BATCH, A.nnz, _BATCH))
    for start, stop in pairwise([0, *firsts.tolist(), A.shape[0]]):
        rows = np.repeat(cell[start:stop], np.diff(A.indptr[start : stop + 1]))
        part = slice(A.indptr[start], A.indptr[stop])
        own = None if weights is None else weights[part]
        sums += np.bincount(rows * size + cell[A.indices[part]], own, minlength=size * size)
    return sums.reshape(size, size)
