"""Coarser communities: the pair that is most densely linked becomes one, again and again."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from scipy.sparse import csr_array, diags_array

from kgroups.graphs.compiled.hierarchy import merge_neighbors, sums_of_steps
from kgroups.graphs.free.evidence import CUT, INSIDE, bits_of_totals, in_edges, terms
from kgroups.graphs.free.potts import PottsGraph
from kgroups.input.adjacency import degrees, like, with_loops_twice
from kgroups.metrics.community_sums import CommunitySums
from kgroups.solvers.objective import sum_by_cluster
from kgroups.typing import Float64Array, IntArray

# Share of the weight of all edges below which a sum that lost its last edge is 0.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Communities that become one, step by step, until a single one is left.

    A community is called by the smallest label in it. At a step, community ``merges[step, 1]``
    becomes part of ``merges[step, 0]``.
    """

    #: The labels of the two communities of each step, the smaller first; shape (steps, 2).
    merges: IntArray
    #: Below this resolution the step raises modularity; 0 where the two have no edge.
    resolutions: Float64Array
    #: Bits over one community before the first step and after each; None with negative weights and
    #: for rows of a table.
    evidence: Float64Array | None
    #: Number of communities before the first step.
    n_clusters: int

    def coarsened(self, labels: IntArray, n_clusters: int) -> IntArray:
        """Labels of fewer communities, in the order of their smallest labels; O(n).

        Labels beyond those of the communities, of nodes without edges, come after them.
        """
        name = np.arange(max(self.n_clusters, int(labels.max()) + 1))
        for kept, joined in self.merges[: self.n_clusters - n_clusters][::-1].tolist():
            name[joined] = name[kept]  # the last step first, which says where kept itself went
        return np.asarray(np.unique(name, return_inverse=True)[1][labels], np.int64)


@dataclass(frozen=True, eq=False)
class CommunityGraph:
    """Communities as nodes, with the weight between and in them: all that merging asks for."""

    #: Weight between communities; on the diagonal that of the ends of edges inside.
    links: csr_array
    #: Sum of the absolute weights of the ends of edges in each.
    volumes: Float64Array
    #: Nodes with edges in each.
    sizes: Float64Array
    #: Whether weights count edges, so that there is evidence.
    counts: bool

    @classmethod
    def of(cls, A: csr_array, labels: IntArray, k: int) -> CommunityGraph:
        """Communities 0..k−1 of a clean graph, O(edges).

        Larger labels are those of nodes without edges, which are left out.
        """
        linked = np.diff(A.indptr) > 0
        labels = np.where(linked, labels, np.minimum(labels, k - 1))
        signed = bool(A.data.min() < 0)
        counted = like(A, A.data / np.abs(A.data).max()) if signed else in_edges(A)
        return cls.of_edges(counted, linked.astype(np.float64), labels, k, counts=not signed)

    @classmethod
    def of_edges(
        cls, A: csr_array, sizes: Float64Array, labels: IntArray, k: int, *, counts: bool = True
    ) -> CommunityGraph:
        """Communities of nodes that stand for so many; weights sum to a number of edges."""
        links = PottsGraph.of_modularity(A).contracted(labels, k).matrix
        ends = degrees(with_loops_twice(like(A, np.abs(A.data))))
        volumes, nodes = (sum_by_cluster(labels, of, k) for of in (ends, sizes))
        return cls(links, volumes, nodes, counts)

    def numbered(self, order: IntArray) -> CommunityGraph:
        """The same communities in another order, without evidence."""
        links = csr_array(self.links[order][:, order])
        return CommunityGraph(links, self.volumes[order], self.sizes[order], counts=False)

    def hierarchy(self) -> Hierarchy:
        r"""Merge the communities r, s of largest :math:`2m\,A(r, s)/(v_r v_s)`, until one is left.

        That is the resolution below which the merge raises modularity; v are sums of degrees. It
        never rises from step to step. Communities without a positive link are joined at the end,
        the two smallest first. O(neighbors) a step, found
        by a chain of nearest neighbors; O(pairs of linked communities) memory.

        Source: T. Bonald, B. Charpentier, A. Galland and A. Hollocou, "Hierarchical graph
        clustering using node pair sampling", MLG 2018, arXiv:1806.01664.
        """
        S, k = self.links, len(self.sizes)
        between = csr_array(S - diags_array(S.diagonal(), format="csr"))
        between.eliminate_zeros()
        pairs, values = merge_neighbors(between.indptr, between.indices, between.data, self.volumes)
        order = np.argsort(-values[:, 1], kind="stable")
        pairs, values = pairs[order], values[order]
        merges = np.concatenate([pairs, _apart(self.volumes, pairs)])
        weights, densities = np.zeros((2, len(merges)))
        weights[: len(pairs)], densities[: len(pairs)] = values.T
        evidence = self._evidence(merges, weights, between)
        return Hierarchy(merges, densities * self.volumes.sum(), evidence, k)

    def _evidence(
        self, merges: IntArray, weights: Float64Array, between: csr_array
    ) -> Float64Array | None:
        """Bits before the first step and after each, from the terms that change."""
        if not self.counts:
            return None
        sums = np.column_stack([self.sizes, self.links.diagonal(), degrees(between)])
        first = _sums(sums.copy())
        kept, joined, both = (terms(_sums(part)) for part in sums_of_steps(merges, weights, sums))
        totals = np.cumsum(
            np.column_stack([terms(first).sum(axis=1), both - kept - joined]), axis=1
        )
        return bits_of_totals(_without_rounding(totals), first)


def _apart(volumes: Float64Array, merges: IntArray) -> IntArray:
    """Pieces without a link between them: the two smallest become one."""
    volumes, is_left = volumes.copy(), np.ones(len(volumes), np.bool_)
    for kept, gone in merges.tolist():
        volumes[kept] += volumes[gone]
        is_left[gone] = False
    heap = [(float(volumes[piece]), int(piece)) for piece in np.flatnonzero(is_left)]
    heapify(heap)
    out = []
    while len(heap) > 1:
        (less, one), (more, other) = heappop(heap), heappop(heap)
        out.append((min(one, other), max(one, other)))
        heappush(heap, (less + more, min(one, other)))
    return np.array(out, np.int64).reshape(-1, 2)


def _sums(parts: Float64Array) -> CommunitySums:
    size, inside, cut = parts.T
    return CommunitySums(size, inside, cut, 0)


def _without_rounding(totals: Float64Array) -> Float64Array:
    """Totals in which what is left of the weight between communities after the last is 0."""
    least = _ROUNDING * (totals[INSIDE] + totals[CUT])
    return np.where((totals[CUT] <= least) & (np.arange(len(totals)) == CUT)[:, None], 0.0, totals)
