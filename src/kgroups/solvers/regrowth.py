"""Clusters grown anew from single points: out of optima in which no single point wants to move.

If two groups share a cluster while a third is cut in two, or if a small group far away belongs to a
large cluster, moving one point at a time cannot repair it: every step on the way lowers Q, in
Hartigan's method as in Lloyd's. With one cluster less, and a new one that begins with one point of
the group, every step raises it.

Sources: A. Likas, N. Vlassis and J. J. Verbeek, "The Global k-Means Clustering Algorithm", Pattern
Recognition 36, 2003, for clusters that begin with one point; T. Kaukoranta, P. Fränti and
O. Nevalainen, Optical Engineering 37, 1998, for merging and splitting in turn; M. Telgarsky and
A. Vattani, "Hartigan's Method: k-Means Clustering without Voronoi", AISTATS 2010.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kgroups.solvers.draws import evenly_by_potential
from kgroups.solvers.hartigan import Hartigan
from kgroups.solvers.neighboring import Found, Neighboring, neighboring
from kgroups.solvers.partition import Partition
from kgroups.solvers.problem import Problem

# The gain that counts while clusters grow: far above rounding, so that sums which were brought up
# to date a thousand times need not be made anew.
_TOL = 1e-9
# A round counts if it raises Q by more than this share of |Q|.
_MARGIN, _MOST_ROUNDS = 1e-12, 6


@dataclass(frozen=True, kw_only=True)
class Regrowth:
    """Merge some clusters, grow as many anew, and keep the result if Q increased.

    A round merges the two clusters whose union costs least, ``depth`` times, and then adds as many
    clusters, one after the other. A cluster begins with a single point, the best of ``n_drawn``
    that are drawn by their part w d² of the dispersion, evenly from the nearest to the farthest;
    each merge and each new cluster is followed by a run of ``solver``, which begins close to its
    end. On a stored matrix such a run takes O(nk) and O(n) per move, elsewhere the operator's first
    sums, too. Memory: O(nk) in addition to the operator. The same seed gives the same labels.
    """

    solver: Hartigan
    depth: int = 3
    #: Points drawn in a round, divided among the new clusters.
    n_drawn: int = 48
    #: Number of failed rounds in a row after which it stops.
    patience: int = 2
    seed: int = 0
    note: ClassVar[str] = "clusters grown anew"

    def improve(
        self, problem: Problem, partition: Partition
    ) -> tuple[Partition, tuple[Partition, ...]]:
        """The best partition found, and the others that the rounds began with or found.

        The first is ``partition`` itself if no round raises Q.

        Where the points are a sample of more, each of them may be better in turn: a cluster that is
        cut in two fits the sample better than all points, a group that stands apart does not.
        """
        rng = np.random.default_rng(self.seed)
        searches = neighboring(problem, replace(self.solver, tol=_TOL))
        best, failures = Found(partition), 0
        others = [best]
        # Where nothing is left from which clusters grow, a second round differs by its draws alone.
        patience = self.patience if problem.n_clusters > 2 * self.depth else 1
        for _ in range(_MOST_ROUNDS if problem.n_clusters > 1 else 0):
            grown = self._regrown(searches, best, failures, rng)
            found = _best(grown)
            if found is not None and _is_better(found.partition, best.partition):
                best, failures = found, 0
            else:
                failures += 1
            others += [*grown[:1], *([] if found is None else [found])]
            if failures >= patience:
                break
        unlike = {one.partition.objective: one.partition for one in others if not _alike(one, best)}
        rivals = tuple(unlike.values())
        if best is others[0]:
            return partition, rivals
        # Sums that were brought up to date many times have rounded; these are of the labels alone.
        exact = self.solver.solve(problem, best.partition.labels)
        if not _is_better(exact, partition):
            return partition, rivals
        return followed_by(partition, exact), rivals

    def _regrown(
        self, searches: Neighboring, found: Found, rank: int, rng: np.random.Generator
    ) -> list[Found]:
        """The partitions after a round, see :meth:`Neighboring.grown`; perhaps none."""
        depth = min(self.depth, found.partition.n_clusters - 1)
        for merge in range(depth):
            found = searches.merged(found, rank if merge == 0 else 0)
        grown: list[Found] = []
        for _ in range(depth):
            grown = self._grown(searches, found, self.n_drawn // depth, rng)
            best = _best(grown)
            if best is None:
                return []
            found = best
        return grown

    def _grown(
        self, searches: Neighboring, found: Found, n_drawn: int, rng: np.random.Generator
    ) -> list[Found]:
        """The partitions in which one more cluster began around a point."""
        problem, labels = searches.problem(1), found.partition.labels
        members = np.bincount(labels[problem.weights > 0], minlength=found.partition.n_clusters)
        own = np.maximum(searches.own_distances(found), 0.0)
        own[members[labels] < 2] = 0.0
        points = np.unique(evenly_by_potential(problem.weights * own, own, n_drawn, rng))
        return searches.grown(found, points, own)


def _is_better(new: Partition, old: Partition) -> bool:
    return new.objective - old.objective > _MARGIN * abs(old.objective)


def _best(some: list[Found]) -> Found | None:
    """The first of those with the largest Q; None of none."""
    return max(some, key=lambda found: found.partition.objective, default=None)


def _alike(a: Found, b: Found) -> bool:
    """Whether two partitions have the same Q, up to the gains that count."""
    return abs(a.partition.objective - b.partition.objective) <= _TOL * abs(b.partition.objective)


def followed_by(old: Partition, new: Partition) -> Partition:
    """The partition ``new`` with the history of ``old`` before its own.

    The history continues with the best Q known after each sweep.
    """
    history = np.concatenate([old.history, np.maximum(new.history[1:], old.objective)])
    n_moves = old.n_moves + new.n_moves
    return replace(new, n_iter=len(history) - 1, n_moves=n_moves, history=history)
