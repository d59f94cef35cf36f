"""Searches for partitions that begin with a partition into one cluster less or more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from kgroups.gram.dense import DENSE_UP_TO, DenseGram, DenseSums
from kgroups.gram.low_rank import FactorGram
from kgroups.gram.operator import GramOperator, RunningSums
from kgroups.gram.sparse_rows import SparseRowsGram
from kgroups.runtime.threads import blocks
from kgroups.solvers.hartigan import Hartigan, own_distances
from kgroups.solvers.objective import over_weight
from kgroups.solvers.partition import Partition, Work, begin
from kgroups.solvers.problem import Problem
from kgroups.solvers.state import State
from kgroups.solvers.stored_search import Stored, Sums, search_from, stored
from kgroups.typing import BoolArray, Float64Array, IntArray

# Points of which sums are added up at a time.
_COLUMNS = 4096
# Multiply-adds of the products of all rows up to which these are made.
_FEW_PAIRS = 1e7
# Sweeps of a cluster that is cut in two by itself, which nearly tell how good the cut becomes.
_SWEEPS = 5


class Found(NamedTuple):
    """A partition, and its sums if they are kept."""

    partition: Partition
    sums: Sums | None = None


class _Half(NamedTuple):
    """A cluster cut in two: Q before its search began, the increase of Q, the points that leave."""

    begun: float
    gain: float
    leaving: IntArray


class Neighboring(Protocol):
    """Partitions of the same points, from labels or from each other."""

    def problem(self, k: int) -> Problem:
        """What there is to cluster into k clusters."""
        ...

    def begun(self, labels: IntArray, k: int) -> Found:
        """The partition found from labels."""
        ...

    def split(self, found: Found, leaving: IntArray) -> Found:
        """The one found after some points of a cluster became one more cluster."""
        ...

    def merged(self, found: Found, rank: int = 0) -> Found:
        """The one found after two clusters were merged: those whose union lowers Q least.

        Or, with a ``rank``, the pair that follows so many others.
        """
        ...

    def own_distances(self, found: Found) -> Float64Array:
        """Squared distance of each point to the centroid of its cluster."""
        ...

    def grown(self, found: Found, points: IntArray, own: Float64Array) -> list[Found]:
        """Those found in which one more cluster began around one of the points.

        It begins with the rows that are nearer to the point than to their centroid, at squared
        distance ``own``. The first is the one that was the best before any search: a compact group
        far from all others.
        """
        ...


def neighboring(problem: Problem, solver: Hartigan) -> Neighboring:
    """The quickest searches for a problem, with any number of clusters."""
    gram, computed = problem.gram, _Computed(problem, solver)
    if not solver.ratio or solver.max_iter == 0:
        return computed
    if _has_few_pairs(gram):
        gram = DenseGram(np.asarray(gram.rows(np.arange(gram.n)), np.float64))
    if isinstance(gram, DenseGram):
        return _Stored(computed, gram, stored(gram, problem.weights))
    return computed


def _has_few_pairs(gram: GramOperator) -> bool:
    """Whether the products of all rows are made in less time than the sums of all searches."""
    if isinstance(gram, SparseRowsGram):
        return gram.n <= DENSE_UP_TO
    return isinstance(gram, FactorGram) and gram.n * gram.sweep_work(1) < _FEW_PAIRS


@dataclass(frozen=True)
class _Computed:
    """Each search makes its sums anew."""

    points: Problem
    solver: Hartigan

    def problem(self, k: int) -> Problem:
        """See :meth:`Neighboring.problem`."""
        return replace(self.points, n_clusters=k)

    def begun(self, labels: IntArray, k: int) -> Found:
        """See :meth:`Neighboring.begun`."""
        return Found(self.solver.solve(self.problem(k), labels))

    def split(self, found: Found, leaving: IntArray) -> Found:
        """See :meth:`Neighboring.split`."""
        k, labels = found.partition.n_clusters, found.partition.labels.copy()
        labels[leaving] = k
        return self.begun(labels, k + 1)

    def merged(self, found: Found, rank: int = 0) -> Found:
        """See :meth:`Neighboring.merged`."""
        k, labels = found.partition.n_clusters, found.partition.labels
        work = self.work(found)
        kept, freed = cheap_merge(work.sums, work.state, self.points.weights, rank)
        labels = np.where(labels == freed, kept, labels)
        return self.begun(labels - (labels > freed), k - 1)

    def own_distances(self, found: Found) -> Float64Array:
        """See :meth:`Neighboring.own_distances`."""
        return own_distances(self.problem(found.partition.n_clusters), self.work(found))

    def grown(self, found: Found, points: IntArray, own: Float64Array) -> list[Found]:
        """See :meth:`Neighboring.grown`.

        Clusters are cut in two by themselves, and a search of all points goes on from the cut that
        was the best before its search, and from the best one after it.
        """
        halves = list(self._halves(found.partition, points, own))
        if not halves:
            return []
        first = max(halves, key=lambda half: half.begun)
        best = max(halves, key=lambda half: half.gain)
        tried = [first] if best is first else [first, best]
        return [self.split(found, half.leaving) for half in tried]

    def _halves(self, one: Partition, points: IntArray, own: Float64Array) -> Iterator[_Half]:
        """Clusters cut in two, by searches that begin around the points and leave others alone."""
        parts = dict[int, tuple[IntArray, Problem]]()
        brief = replace(self.solver, max_iter=min(_SWEEPS, self.solver.max_iter))
        whole = over_weight(one.within, one.weight)
        for point in points.tolist():
            cluster = int(one.labels[point])
            if cluster not in parts:
                parts[cluster] = self._part(one.labels == cluster)
            members, part = parts[cluster]
            nearer = part.gram.squared_distances(int(np.searchsorted(members, point)))
            labels = np.where(members == point, True, nearer < own[members]).astype(np.int64)
            found = brief.solve(part, labels)
            leaves = (found.labels == 1) & (part.weights > 0)
            begun, gain = np.array([found.history[0], found.objective]) - whole[cluster]
            yield _Half(float(begun), float(gain), members[leaves])

    def _part(self, inside: BoolArray) -> tuple[IntArray, Problem]:
        """The points of a cluster, to be cut in two; all, with others weightless, if not copied."""
        gram, weights, members = self.points.gram, self.points.weights, np.flatnonzero(inside)
        few = gram.taken(members)
        if few is None:
            return np.arange(gram.n), Problem(gram, np.where(inside, weights, 0.0), 2)
        return members, Problem(few, weights[members], 2)

    def work(self, found: Found) -> Work:
        """The state and the sums of a partition, made anew."""
        one = found.partition
        return begin(self.problem(one.n_clusters), one.labels, ratio=self.solver.ratio)


@dataclass(frozen=True)
class _Stored:
    """Searches go on from the sums of the partition they begin with: no pass over the matrix."""

    computed: _Computed
    gram: DenseGram
    G: Stored

    def problem(self, k: int) -> Problem:
        """See :meth:`Neighboring.problem`."""
        return self.computed.problem(k)

    def begun(self, labels: IntArray, k: int) -> Found:
        """See :meth:`Neighboring.begun`."""
        return self._from(Sums.made(self.gram, labels, self.G.weights, k))

    def split(self, found: Found, leaving: IntArray) -> Found:
        """See :meth:`Neighboring.split`."""
        return self._from(self._sums(found).split(self.gram, self.G, leaving))

    def merged(self, found: Found, rank: int = 0) -> Found:
        """See :meth:`Neighboring.merged`."""
        sums = self._sums(found)
        kept, freed = cheap_merge(
            DenseSums(self.gram, sums.table), sums.state, self.G.weights, rank
        )
        return self._from(sums.merge(self.G, kept, freed))

    def own_distances(self, found: Found) -> Float64Array:
        """See :meth:`Neighboring.own_distances`."""
        sums = self._sums(found)
        work = Work(sums.state, DenseSums(self.gram, sums.table))
        problem = Problem(self.gram, self.G.weights, found.partition.n_clusters)
        return own_distances(problem, work)

    def grown(self, found: Found, points: IntArray, own: Float64Array) -> list[Found]:
        """See :meth:`Neighboring.grown`. Sums, k rows each, are kept for the best alone."""
        grown: list[Found] = []
        best = -np.inf
        for point in points.tolist():
            one = self.split(found, self._nearer(point, own))
            if one.partition.objective > best:
                best = one.partition.objective
                grown = [other._replace(sums=None) for other in grown]
            else:
                one = one._replace(sums=None)
            grown.append(one)
        return sorted(grown, key=lambda one: -one.partition.history[0])

    def _nearer(self, point: int, own: Float64Array) -> IntArray:
        """The points nearer to one than to their centroid, and itself."""
        nearer = self.gram.squared_distances(point) < own
        nearer[point] = True
        return np.flatnonzero(nearer)

    def _from(self, sums: Sums) -> Found:
        """The partition found from a labeling and its sums, by the solver itself if in doubt."""
        labels, k, solver = sums.state.labels.copy(), len(sums.table), self.computed.solver
        found = search_from(self.gram, self.G, sums, solver.tol, solver.max_iter)
        return self.computed.begun(labels, k) if found is None else Found(*found)

    def _sums(self, found: Found) -> Sums:
        """The sums of a partition, made anew if they were not kept."""
        if found.sums is not None:
            return found.sums
        labels, k = found.partition.labels, found.partition.n_clusters
        work = begin(Problem(self.gram, self.G.weights, k), labels)
        return Sums(np.asarray(work.sums.block(0, self.gram.n)), work.state, 0)


def cheap_merge(
    sums: RunningSums, state: State, weights: Float64Array, rank: int
) -> tuple[int, int]:
    """The clusters whose union lowers Q least, or the pair that follows ``rank`` others. O(nk)."""
    losses = merging_losses(cross_sums(sums, state, weights), state)
    first, second = np.triu_indices(len(losses), 1)
    order = np.argsort(losses[first, second], kind="stable")
    pair = order[min(rank, len(order) - 1)]
    return int(first[pair]), int(second[pair])


def cross_sums(sums: RunningSums, state: State, weights: Float64Array) -> Float64Array:
    """The sums Q_ab = Σ_{x ∈ a, y ∈ b} w_x w_y G(x, y), (k, k), exactly symmetric. O(nk)."""
    k = len(state.weight)
    cross = np.zeros(k * k)
    rows = k * np.arange(k)[:, None]
    for start, stop in blocks(0, sums.n, _COLUMNS):
        cells = rows + state.labels[start:stop]
        terms = weights[start:stop] * sums.block(start, stop)
        cross += np.bincount(cells.ravel(), weights=terms.ravel(), minlength=k * k)
    table = cross.reshape(k, k)
    return (table + table.T) / 2


def merging_losses(cross: Float64Array, state: State) -> Float64Array:
    """The losses s_a s_b / (s_a + s_b) ‖μ_a − μ_b‖² of all pairs; 0 without weight."""
    s = np.where(state.weight > 0, state.weight, 1.0)
    mean = cross / np.outer(s, s)
    square = np.diagonal(mean)
    apart = np.asarray(np.add.outer(square, square) - 2.0 * mean, np.float64)
    np.maximum(apart, 0.0, out=apart)
    apart *= np.outer(state.weight, state.weight) / np.add.outer(s, s)
    return apart
