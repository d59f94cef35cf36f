"""Searches for partitions that begin with a partition into one cluster less or more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from kgroups.gram import DenseGram, GramOperator
from kgroups.gram.dense import DenseSums
from kgroups.gram.operator import RunningSums
from kgroups.solvers.compiled.state import State
from kgroups.solvers.compiled.stored_search import Stored
from kgroups.solvers.foresight import cross_sums, merging_losses
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.partition import Partition, begin
from kgroups.solvers.problem import Problem
from kgroups.solvers.stored_search import Sums, search_from, stored
from kgroups.typing import Float64Array, IntArray

# The gain that counts, relative to |Q|. No criterion sees less, and rounding is far below it, so
# that sums which have been updated a thousand times need not be made anew.
_SOLVER = Hartigan(tol=1e-9)


class Found(NamedTuple):
    """A partition, and its sums if they are kept."""

    partition: Partition
    sums: Sums | None = None


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

    def merged(self, found: Found) -> Found:
        """The one found after the two clusters were merged whose union lowers Q least."""
        ...


def neighboring(gram: GramOperator, *, origin_is_free: bool) -> Neighboring:
    """The quickest searches for an operator."""
    points = _Points(gram, np.ones(gram.n), origin_is_free)
    if isinstance(gram, DenseGram) and _SOLVER.has_shortcut(points.problem(1)):
        return _Stored(points, gram, stored(gram, points.weights))
    return _Computed(points)


@dataclass(frozen=True)
class _Points:
    """An operator, and points of weight 1."""

    gram: GramOperator
    weights: Float64Array
    free: bool

    def problem(self, k: int) -> Problem:
        """What there is to cluster into k clusters."""
        return Problem(self.gram, self.weights, k, origin_is_free=self.free)


@dataclass(frozen=True)
class _Computed:
    """Each search makes its sums anew."""

    points: _Points

    def problem(self, k: int) -> Problem:
        """See :meth:`Neighboring.problem`."""
        return self.points.problem(k)

    def begun(self, labels: IntArray, k: int) -> Found:
        """See :meth:`Neighboring.begun`."""
        return Found(_SOLVER.solve(self.problem(k), labels))

    def split(self, found: Found, leaving: IntArray) -> Found:
        """See :meth:`Neighboring.split`."""
        k, labels = found.partition.n_clusters, found.partition.labels.copy()
        labels[leaving] = k
        return self.begun(labels, k + 1)

    def merged(self, found: Found) -> Found:
        """See :meth:`Neighboring.merged`."""
        k, labels = found.partition.n_clusters, found.partition.labels
        work = begin(self.problem(k), labels)
        kept, freed = cheapest_merge(work.sums, work.state, self.points.weights)
        labels = np.where(labels == freed, kept, labels)
        return self.begun(labels - (labels > freed), k - 1)


@dataclass(frozen=True)
class _Stored:
    """Searches go on from the sums of the partition they begin with: no pass over the matrix."""

    points: _Points
    gram: DenseGram
    G: Stored

    def problem(self, k: int) -> Problem:
        """See :meth:`Neighboring.problem`."""
        return self.points.problem(k)

    def begun(self, labels: IntArray, k: int) -> Found:
        """See :meth:`Neighboring.begun`."""
        return self._from(Sums.made(self.gram, labels, self.points.weights, k))

    def split(self, found: Found, leaving: IntArray) -> Found:
        """See :meth:`Neighboring.split`."""
        return self._from(self._sums(found).split(self.gram, self.G, leaving))

    def merged(self, found: Found) -> Found:
        """See :meth:`Neighboring.merged`."""
        sums = self._sums(found)
        kept, freed = cheapest_merge(
            DenseSums(self.gram, sums.table), sums.state, self.points.weights
        )
        return self._from(sums.merge(self.G, kept, freed))

    def _from(self, sums: Sums) -> Found:
        """The partition found from a labeling and its sums, by the solver itself if in doubt."""
        labels, problem = sums.state.labels.copy(), self.problem(len(sums.table))
        found = search_from(self.gram, self.G, sums, _SOLVER.tol, _SOLVER.max_iter)
        return Found(_SOLVER.solve(problem, labels)) if found is None else Found(*found)

    def _sums(self, found: Found) -> Sums:
        """The sums of a partition, made anew if they were not kept."""
        if found.sums is not None:
            return found.sums
        labels, k = found.partition.labels, found.partition.n_clusters
        work = begin(self.problem(k), labels)
        return Sums(np.asarray(work.sums.block(0, self.gram.n)), work.state, 0)


def cheapest_merge(sums: RunningSums, state: State, weights: Float64Array) -> tuple[int, int]:
    """The two clusters whose union lowers Q least, the lower number first. O(nk)."""
    losses = merging_losses(cross_sums(sums, state, weights), state)
    first, second = np.triu_indices(len(losses), 1)
    cheapest = int(np.argmin(losses[first, second]))
    return int(first[cheapest]), int(second[cheapest])
