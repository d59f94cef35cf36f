"""A table as a graph of nearest neighbors: its different rows, their affinity, and new rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array

from kgroups.graphs.neighbors.affinity import SHARPNESS, affinity
from kgroups.graphs.neighbors.division import divided, small_groups
from kgroups.graphs.neighbors.nearest import FARTHEST, SHORTEST, nearest_of, nearest_rows
from kgroups.graphs.neighbors.rules import neighbors_used
from kgroups.input.adjacency import components
from kgroups.runtime.scaling import power_of_two
from kgroups.typing import Float64Array, IntArray


class Frame(NamedTuple):
    """Where a table is and how large, so that no square of a distance over- or underflows."""

    size: float
    center: Float64Array
    unit: float

    @classmethod
    def of(cls, X: Float64Array) -> Frame:
        """The mean of the rows, and how far they are from it."""
        size = power_of_two(float(np.abs(X).max()))
        center = (X / size).mean(axis=0)
        return cls(size, center, power_of_two(float(np.abs(X / size - center).max())))

    def placed(self, X: Float64Array) -> Float64Array:
        """Rows in this frame; equal rows stay equal to the last bit.

        New rows may be so far away that all rows of the table are as near; they are brought nearer.
        """
        with np.errstate(over="ignore"):
            placed = (X / self.size - self.center) / self.unit
        return np.clip(placed, -FARTHEST, FARTHEST)


@dataclass(frozen=True, eq=False)
class NeighborTable:
    """The different rows of a table, about its mean and in a unit of their size.

    Equal rows are one node of the graph, because they would be each other's only neighbors;
    ``places`` has the node of each row of the table, ``counts`` the rows of each node. ``scales``
    has the distance from each node to the last of its ``n_neighbors``, of which small tables have
    fewer than were asked for.
    """

    nodes: Float64Array
    places: IntArray
    counts: IntArray
    scales: Float64Array
    graph: csr_array
    frame: Frame
    n_neighbors: int
    n_jobs: int

    @classmethod
    def of(cls, X: Float64Array, n_neighbors: int, n_jobs: int = 1) -> Self:
        """The graph of a clean table with at least two different rows. O(n log n) or O(n²)."""
        frame = Frame.of(X)
        nodes, places, counts = np.unique(
            frame.placed(X), axis=0, return_inverse=True, return_counts=True
        )
        used = neighbors_used(len(nodes), n_neighbors)
        near = nearest_rows(nodes, used, n_jobs)
        return cls(
            nodes=nodes,
            places=places.ravel(),
            counts=counts,
            scales=near.distances[:, -1],
            graph=affinity(near),
            frame=frame,
            n_neighbors=used,
            n_jobs=n_jobs,
        )

    @property
    def n_equal(self) -> int:
        """How many rows equal an earlier one."""
        return len(self.places) - len(self.nodes)

    def component_sizes(self) -> IntArray:
        """Rows in each connected component of the graph, the largest first."""
        count, of_node = components(self.graph)
        sizes = np.bincount(of_node, weights=self.counts, minlength=count).astype(np.int64)
        return np.asarray(-np.sort(-sizes))

    def small_groups(self) -> list[IntArray]:
        """Nodes far from all others, too few for a cluster; see :func:`division.small_groups`."""
        return small_groups(self.nodes, self.counts, self.n_neighbors, self.n_jobs)

    @cached_property
    def walk(self) -> IntArray:
        """As many clusters of nodes as the random walk shows; see :func:`division.divided`."""
        return divided(self.nodes, self.counts, self.n_neighbors, None, self.n_jobs)

    def divided(self, k: int) -> IntArray:
        """Clusters of nodes by the random walk: k, or fewer where it cannot find so many."""
        if self.walk.max() + 1 == k:
            return self.walk
        return divided(self.nodes, self.counts, self.n_neighbors, k, self.n_jobs)

    def of_nodes(self, values: IntArray) -> IntArray:
        """For each node the value of its first row."""
        first = np.unique(self.places, return_index=True)[1]
        return np.asarray(values[first])

    def vote(self, X: Float64Array, labels: IntArray) -> IntArray:
        r"""The cluster of new rows: that with the most affinity among the nearest nodes.

        The weight of a node i at distance d is exp(−4 d²/(σσᵢ)) times its rows, where σ is the
        distance of the new row to the last of its ``n_neighbors``. A row that is in the table has
        the label that it has there. Of clusters with equal weight it is the first.

        Parameters
        ----------
        X : array (m, d)
        labels : array (n_nodes,)

        Returns
        -------
        array (m,)
        """
        count = min(self.n_neighbors, len(self.nodes))
        d, near = nearest_of(self.nodes, self.frame.placed(X), count, self.n_jobs)
        scale = np.maximum(d[:, -1:], SHORTEST)
        exponents = SHARPNESS * (d / scale) * (d / self.scales[near])
        # The nearest node on the scale of both has weight 1, however far it is.
        weights = np.exp(exponents.min(axis=1, keepdims=True) - exponents) * self.counts[near]
        votes = np.zeros((len(d), int(labels.max()) + 1))
        np.add.at(votes, (np.arange(len(d))[:, None], labels[near]), weights)
        found = votes.argmax(axis=1)
        there = d[:, 0] == 0
        found[there] = labels[near[there, 0]]
        return np.asarray(found, np.int64)
