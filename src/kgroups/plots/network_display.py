"""A network on paper, colored by community."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, triu

from kgroups.fit.fitted import Fitted
from kgroups.input.networks import GraphLike
from kgroups.input.parameters import check_integer
from kgroups.plots._legend import explain_colors
from kgroups.plots._network import (
    Communities,
    busiest_nodes,
    communities_from,
    communities_of,
    degrees_of,
)
from kgroups.plots._node_names import write_names
from kgroups.plots.force_layout import force_layout
from kgroups.plots.style import axes_for, bare, community_colors, require_matplotlib
from kgroups.semimetrics.semimetric import evenly_spaced
from kgroups.typing import BoolArray, Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection

# Edges between communities, and those of negative weight wherever they are.
_GRAY, _RED = (0.5, 0.5, 0.5), (0.8, 0.1, 0.1)
# Edges inside a community are less transparent, because their color is that of the nodes.
_INSIDE = 1.3


NodeNames: TypeAlias = Sequence[object] | NDArray[np.generic]


class NetworkOptions(TypedDict, total=False):
    """What :meth:`NetworkDisplay.from_estimator` can be told about the picture."""

    layout: ArrayLike | None
    max_nodes: int
    max_edges: int
    node_names: NodeNames | None
    seed: int


@dataclass(kw_only=True, eq=False)
class NetworkDisplay:
    """Nodes and edges of a network; colors show communities, areas of nodes their degrees.

    Make one with :meth:`from_estimator` or :meth:`from_labels`. Edges inside a community have its
    color, those between communities are gray, and those of negative weight are red and dashed.

    Parameters
    ----------
    positions : array (m, 2)
        Positions of the nodes that are drawn.
    index : array (m,)
        The nodes that are drawn.
    labels, degrees : array (m,)
        Their communities and numbers of edges in the whole network.
    edges : array (e, 2)
        Edges that are drawn, as rows of ``positions``.
    sizes : array (k,)
        Nodes in each community, drawn or not.
    n_edges : int
        Edges of the whole network, without loops.
    names : list of str or None
        Names of the communities; None numbers them.
    node_names : list of str or None
        Names of the nodes that are drawn.
    n_alone : int
        Nodes in no community, because they have no edge; their label is k, their color gray.
    is_negative : array (e,) or None
        Whether the weight of each edge that is drawn is negative; None if none is.

    Attributes
    ----------
    ax_, figure_, scatter_, lines_
        The axes, the figure, and nodes and edges as matplotlib holds them.
    """

    positions: Float64Array
    index: IntArray
    labels: IntArray
    degrees: IntArray
    edges: IntArray
    sizes: IntArray
    n_edges: int
    names: list[str] | None = None
    node_names: list[str] | None = None
    n_alone: int = 0
    is_negative: BoolArray | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Fitted,
        A: GraphLike,
        *,
        ax: Axes | None = None,
        **options: Unpack[NetworkOptions],
    ) -> Self:
        """Draw the network that ``estimator`` was fitted on.

        Beyond ``max_nodes`` the same share of each community is drawn, those nodes with most edges;
        the title says so. O(edges + n log n + max_nodes²) time; about 3 s for a million nodes.

        Parameters
        ----------
        estimator : fitted GraphKGroups or BetheHessianClustering
        A : as in ``fit``
        ax : matplotlib axes or None
            None makes a pyplot figure.
        layout : array (n, 2) or None, default=None
            Positions of all nodes; None finds some with :func:`force_layout`, in which communities
            draw together a little.
        max_nodes, max_edges : int, default=2000, 20000
            Maximum numbers of nodes and edges that are drawn; edges are sampled evenly.
        node_names : array-like (n,) or None, default=None
            Names of all nodes. One per community is written, then those of the nodes with most
            edges, as many as there is room for.
        seed : int, default=0
            Random seed of the layout; the same seed draws the same picture.
        """
        require_matplotlib()
        return cls._of(communities_of(estimator, A), **options).plot(ax)

    @classmethod
    def from_labels(
        cls,
        A: GraphLike,
        labels: ArrayLike,
        *,
        ax: Axes | None = None,
        **options: Unpack[NetworkOptions],
    ) -> Self:
        """Draw a network with any communities.

        Parameters
        ----------
        A : sparse array (n, n), array (n, n), networkx graph or Graph
        labels : array-like (n,)
            The community of each node: numbers or strings, which the legend shows.
        ax, layout, max_nodes, max_edges, node_names, seed
            As for :meth:`from_estimator`.
        """
        require_matplotlib()
        return cls._of(communities_from(A, labels), **options).plot(ax)

    @classmethod
    def _of(
        cls,
        found: Communities,
        layout: ArrayLike | None = None,
        max_nodes: int = 2_000,
        max_edges: int = 20_000,
        node_names: NodeNames | None = None,
        seed: int = 0,
    ) -> Self:
        matrix, labels, sizes, names, n_alone = found
        degrees = degrees_of(matrix)
        index = busiest_nodes(labels, degrees, check_integer(max_nodes, "max_nodes"))
        drawn = matrix if len(index) == len(labels) else csr_array(matrix[index][:, index])
        own = labels[index]
        edges, is_negative = _edges(drawn)
        kept = evenly_spaced(len(edges), check_integer(max_edges, "max_edges"))
        return cls(
            positions=_positions(layout, drawn, own, index, len(labels), seed),
            index=index,
            labels=own,
            degrees=degrees[index],
            edges=edges[kept],
            sizes=sizes,
            n_edges=(matrix.nnz - int(np.count_nonzero(matrix.diagonal()))) // 2,
            names=names,
            node_names=_names(node_names, index, len(labels)),
            n_alone=n_alone,
            is_negative=is_negative[kept] if is_negative.any() else None,
        )

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        colors = community_colors(len(self.sizes))
        shown = colors if self.n_alone else colors[:-1]
        self.lines_ = self._draw_edges(colors)
        self.scatter_ = self._draw_nodes(colors)
        if self.node_names is not None:
            write_names(self.ax_, self.positions, self.node_names, self.degrees, self.labels)
        explain_colors(
            self.ax_, shown, self.sizes, what="community", unit="nodes", names=self.names,
            n_alone=self.n_alone,
        )  # fmt: skip
        bare(self.ax_, self._title())
        self.ax_.set_aspect("equal", adjustable="datalim")
        return self

    def _draw_edges(self, colors: Float64Array) -> LineCollection:
        """Draw edges inside communities over the gray ones."""
        from matplotlib.collections import LineCollection

        ends = self.labels[self.edges]
        inside = ends[:, 0] == ends[:, 1]
        count = max(1, len(self.edges))
        opacity = float(np.clip(0.5 * np.sqrt(300 / count), 0.05, 0.5))
        shades = np.full((len(self.edges), 4), (*_GRAY, opacity))
        shades[inside] = colors[ends[inside, 0]]
        shades[inside, 3] = min(1.0, _INSIDE * opacity)
        dashes = np.full(len(self.edges), "solid", dtype="<U6")
        if self.is_negative is not None:
            shades[self.is_negative] = (*_RED, min(1.0, _INSIDE * opacity))
            dashes[self.is_negative] = "dashed"
        order = np.argsort(inside, kind="stable")
        lines = LineCollection(
            list(self.positions[self.edges[order]]), colors=shades[order], zorder=1,
            linestyles=dashes[order].tolist(),
            linewidths=float(np.clip((500 / count) ** 0.3, 0.35, 1.1)), rasterized=count > 2_000,
        )  # fmt: skip
        self.ax_.add_collection(lines)
        return lines

    def _draw_nodes(self, colors: Float64Array) -> PathCollection:
        count = len(self.labels)
        x, y = self.positions.T
        return self.ax_.scatter(
            x, y, s=_areas(self.degrees), c=colors[self.labels], edgecolors="white",
            linewidths=0.6 if count < 300 else 0.25, zorder=2, rasterized=count > 2_000,
        )  # fmt: skip

    def _title(self) -> str:
        """State how many nodes and edges are drawn if some are left out."""
        drawn = (
            (len(self.labels), int(self.sizes.sum()) + self.n_alone, "nodes"),
            (len(self.edges), self.n_edges, "edges"),
        )
        parts = [f"{some:,} of {all_:,} {what}" for some, all_, what in drawn if some < all_]
        if self.is_negative is not None:
            parts.append("red: negative weights")
        return f"Network ({', '.join(parts)})" if parts else "Network"


def _edges(A: csr_array) -> tuple[IntArray, BoolArray]:
    """Both ends of each edge once, without loops, and whether its weight is negative."""
    upper = triu(A, 1, format="coo")
    return np.column_stack([upper.row, upper.col]).astype(np.int64), upper.data < 0


def _positions(
    layout: ArrayLike | None, A: csr_array, labels: IntArray, index: IntArray, n: int, seed: int
) -> Float64Array:
    if layout is None:
        return force_layout(A, labels, seed=seed)
    given = np.asarray(layout, np.float64)
    if given.shape != (n, 2) or not np.isfinite(given).all():
        raise ValueError(
            f"layout must be two finite numbers for each of the {n} nodes; got shape {given.shape}."
        )
    return given[index]


def _names(node_names: NodeNames | None, index: IntArray, n: int) -> list[str] | None:
    if node_names is None:
        return None
    if len(node_names) != n:
        raise ValueError(f"node_names has {len(node_names)} names for {n} nodes.")
    return [str(node_names[i]) for i in index]


def _areas(degrees: IntArray) -> Float64Array:
    """Areas in square points: larger for nodes with more edges, smaller if there are many."""
    relative = np.minimum(degrees / max(degrees.mean(), 1e-9), 6)
    return np.asarray(np.clip(3_500 / len(degrees), 3, 60) * (0.4 + 0.6 * relative))
