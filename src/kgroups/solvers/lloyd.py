"""Kernel k-means: Lloyd's rule, all points at once or one at a time [FRV Algorithm 1]."""

from dataclasses import dataclass

import numpy as np

from kgroups.gram.operator import BLOCK, Moves, RunningSums
from kgroups.native import kernels
from kgroups.runtime.threads import blocks
from kgroups.solvers.drift import Drift, any_worn
from kgroups.solvers.fill_empty import fill_empty
from kgroups.solvers.partition import Earlier, Partition, Record, Status, Work, begin, magnitude
from kgroups.solvers.problem import Problem
from kgroups.solvers.state import State
from kgroups.solvers.sweep import Visit, sweep
from kgroups.typing import Float64Array, IntArray

# A share 1/_FEW of the points may move before new sums are cheaper than updates of the old ones.
_FEW = 4
# Roundings in a difference of distances, counted generously.
_ROUNDINGS = 16.0


@dataclass(frozen=True, kw_only=True)
class Lloyd:
    """Batch kernel k-means: all points go to their nearest centroid, then centroids are computed.

    Q never falls when G is positive semidefinite up to the origin; for an indefinite G labels may
    return to earlier ones, which ends the search unless rounding led back. A cluster that runs
    empty takes the point farthest from its own centroid. Sums are updated where few points move,
    and computed anew before the end: for a dense matrix O(nk) time per sweep and O(n) per move, at
    most O(n²).
    """

    max_iter: int = 300
    tol: float = 1e-12

    def solve(self, problem: Problem, labels: IntArray) -> Partition:
        """A partition in which no point is nearer to another centroid."""
        work = begin(problem, labels)
        record, earlier, status = Record(problem, work), Earlier(work.state.labels), Status.MAX_ITER
        is_fresh, share = True, self.tol
        for _ in range(self.max_iter):
            assigned = self._assigned(problem, work, share)
            if not is_fresh and np.array_equal(assigned, work.state.labels):
                # Updates may have rounded a difference away: only fresh sums can say that none is.
                work.renew(problem)
                is_fresh, assigned = True, self._assigned(problem, work, share)
            moved = np.flatnonzero(assigned != work.state.labels)
            if len(moved):
                is_fresh = _carried_out(problem, work, assigned, moved)
            record.add(len(moved))
            if len(moved) == 0:
                status = Status.STABLE
                break
            since = earlier.since(assigned)
            if since is not None:
                if share > self.tol or not by_rounding(record, since, problem):
                    status = Status.CYCLE
                    break
                earlier, share = Earlier(assigned), without_rounding(self.tol, problem)
        if not is_fresh:
            work.renew(problem)
        return record.finish(status)

    def _assigned(self, problem: Problem, work: Work, share: float) -> IntArray:
        """The nearest centroid of every point, with no cluster empty."""
        weights, diagonal = problem.weights, problem.gram.diagonal()
        least = share * magnitude(work.state) / problem.total_weight
        assigned, distances = nearest_centroids(work.sums, work.state, diagonal, weights, least)
        fill_empty(assigned, weights * distances, weights, problem.n_clusters)
        return assigned


@dataclass(frozen=True, kw_only=True)
class OnlineLloyd:
    """Kernel k-means one point at a time: centroids move with every point that does.

    ``as_printed`` leaves out (𝒲G𝒲)_ii where Q_j is updated, as lines 12 and 13 of Algorithm 1 do.
    Then Q_j drifts, labels depend on the origin and many clusters collapse: for reproduction only.
    The guard that a cluster keeps its last point stands in both forms.
    """

    max_iter: int = 300
    tol: float = 1e-12
    as_printed: bool = False

    def solve(self, problem: Problem, labels: IntArray) -> Partition:
        """The partition at which a whole sweep moved nothing."""
        weights = problem.weights
        filled = np.array(labels, dtype=np.int64)
        # An empty cluster would attract no points.
        fill_empty(filled, weights.copy(), weights, problem.n_clusters)
        work = begin(problem, filled)
        drift = Drift.none(work, weights)

        record, earlier, share = Record(problem, work), Earlier(work.state.labels), self.tol
        for _ in range(self.max_iter):
            moved = self._sweep(problem, work, drift, share)
            # As printed, Q_j are to drift, and the same labels need not lead to the same again.
            if not self.as_printed and self._is_worn(work, drift, weights):
                work.renew(problem)
                drift = Drift.none(work, weights)
                moved = moved or self._sweep(problem, work, drift, share)
            record.add(moved)
            if moved == 0:
                return record.finish(Status.STABLE)
            if self.as_printed:
                continue
            since = earlier.since(work.state.labels)
            if since is not None:
                if share > self.tol or not by_rounding(record, since, problem):
                    return record.finish(Status.CYCLE)
                earlier, share = Earlier(work.state.labels), without_rounding(self.tol, problem)
        return record.finish(Status.MAX_ITER)

    def _sweep(self, problem: Problem, work: Work, drift: Drift, share: float) -> int:
        """One sweep: the number of moves."""
        gram, weights = problem.gram, problem.weights
        diagonal = np.zeros(gram.n) if self.as_printed else gram.diagonal()
        least = share * magnitude(work.state) / problem.total_weight
        visit = Visit(kernels.visit_by_centroid, diagonal, weights, least, work.state)
        moved = sweep(gram, work.sums, visit)
        drift.add(moved, work, weights)
        return moved

    def _is_worn(self, work: Work, drift: Drift, weights: Float64Array) -> bool:
        """Whether updates may have rounded the sums by more than ``tol``, or a weight away."""
        state = work.state
        return any_worn(state) or drift.bound(state, weights) > self.tol * magnitude(state)


def by_rounding(record: Record, since: int, problem: Problem) -> bool:
    """Whether labels came back, after ``since`` sweeps, through others that are as good.

    Exact distances lead back only where G is indefinite; others do among ties.
    """
    spread = max(record.history[-since - 1 :]) - min(record.history[-since - 1 :])
    return spread <= _ROUNDINGS * problem.gram.rounding * magnitude(record.work.state)


def without_rounding(tol: float, problem: Problem) -> float:
    """The share of Σ|Q_j/s_j| that moves a point once rounding has led back, more than ``tol``."""
    return max(_ROUNDINGS * problem.gram.rounding, 2.0 * tol)


def _carried_out(problem: Problem, work: Work, assigned: IntArray, moved: IntArray) -> bool:
    """Move all points at once; whether sums were computed anew, as they are when many move."""
    if len(moved) > problem.gram.n // _FEW:
        work.renew(problem, assigned)
        return True
    labels, sums = work.state.labels, work.sums
    for start, stop in blocks(0, problem.gram.n, BLOCK):
        points = moved[np.searchsorted(moved, start) : np.searchsorted(moved, stop)]
        if not len(points):
            continue
        moves = Moves(points, problem.weights[points], labels[points], assigned[points])
        own, change = sums.block(start, stop), problem.gram.block(start, stop, points)
        change *= moves.weights[:, None]
        np.subtract.at(own, moves.sources, change)
        np.add.at(own, moves.targets, change)
        sums.apply(moves, start, stop, own)
    work.state = begin(problem, assigned, sums).state
    return False


def nearest_centroids(
    sums: RunningSums, state: State, diagonal: Float64Array, weights: Float64Array, least: float
) -> tuple[IntArray, Float64Array]:
    """Nearest centroid of every point and its squared distance; weightless points stay."""
    labels, distances = np.empty_like(state.labels), np.empty(sums.n)
    for start, stop in blocks(0, sums.n, 4096):
        own = sums.block(start, stop)
        kernels.assign_nearest(start, own, diagonal, weights, least, state, labels, distances)
    return labels, distances
