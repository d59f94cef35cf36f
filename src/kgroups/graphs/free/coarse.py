"""Large graphs made coarse, so that the search for their communities takes seconds.

Groups of neighbors become the nodes of a smaller graph, on which communities are searched at
several resolutions; the answer is refined on the way back, node by node. Sums over communities, and
with them modularity and evidence, are the same numbers on every level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array

from kgroups.gram import SparseGram
from kgroups.graphs.free.potts import PottsGraph
from kgroups.graphs.free.search import settled
from kgroups.graphs.multilevel import coarsen
from kgroups.input.adjacency import components
from kgroups.typing import Float64Array, IntArray

# Entries beyond which a graph is made coarse, and communities that the coarsest level may have.
_LARGE, _COMMUNITIES = 1_000_000, 200
# Nodes of a coarse graph for each community that it resolves.
_NODES_PER_COMMUNITY = 30


@dataclass(frozen=True, eq=False)
class CoarseLevel:
    """A graph of groups of nodes; ``groups`` lead from each finer level to the next."""

    graph: PottsGraph
    groups: Sequence[IntArray]
    rng: np.random.Generator
    #: The weights of edges between groups, once, and the numbers of nodes in the groups.
    A: csr_array
    sizes: Float64Array

    def resolves(self, k: int) -> bool:
        """Whether so many communities have enough groups to be made of."""
        return k * _NODES_PER_COMMUNITY <= self.A.shape[0]

    def of(self, graph: PottsGraph) -> PottsGraph:
        """A graph of the same edges, as coarse as this level."""
        return graph.contracted(*_joined(self.groups))

    def finer(self, labels: IntArray, resolution: float) -> IntArray:
        """Labels of the nodes of the next finer level, improved by moves of them."""
        return self._finer(labels, self._at(resolution), len(self.groups) - 1)

    def refined(
        self, labels: IntArray, resolution: float = 1.0, graph: PottsGraph | None = None
    ) -> IntArray:
        """Labels of all nodes from those of groups, each level improved by moves of its nodes.

        By modularity at a resolution, unless another graph of the same edges is given.
        """
        graph = self._at(resolution) if graph is None else graph
        for level in range(len(self.groups) - 1, -1, -1):
            labels = self._finer(labels, graph, level)
        return labels

    def _at(self, resolution: float) -> PottsGraph:
        return PottsGraph(self.graph.matrix, self.graph.sizes, self.graph.rate * resolution)

    def _finer(self, labels: IntArray, graph: PottsGraph, level: int) -> IntArray:
        labels = labels[self.groups[level]]
        if level == 0:
            return labels
        finer = graph.contracted(*_joined(self.groups[:level]))
        return settled(finer, labels, self.rng).labels


def coarse_levels(A: csr_array, rng: np.random.Generator) -> Iterator[CoarseLevel]:
    """Coarse graphs from the coarsest to the finest; none for a graph that is not large."""
    if A.nnz <= _LARGE:
        return
    n = A.shape[0]
    communities = max(_COMMUNITIES, components(A)[0])
    gram = SparseGram(A, diagonal=np.zeros(n))
    groups = [level.groups for level in coarsen(gram, np.ones(n), communities, rng)]
    graph = PottsGraph.of_modularity(A)
    for depth in range(len(groups), 0, -1):
        whole, count = _joined(groups[:depth])
        matrix = graph.contracted(whole, count).matrix
        # An edge inside a group is stored with both of its ends.
        once = csr_array(matrix - diags_array(matrix.diagonal() / 2.0))
        sizes = np.bincount(whole, minlength=count).astype(np.float64)
        yield CoarseLevel(graph, groups[:depth], rng, once, sizes)


def _joined(groups: Sequence[IntArray]) -> tuple[IntArray, int]:
    """The group of each node of the finest level, and the number of groups."""
    whole = groups[0]
    for coarser in groups[1:]:
        whole = coarser[whole]
    return whole, int(whole.max()) + 1
