"""Kernel k-groups: Hartigan's method on the objective Q [FRV Algorithm 2]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgroups.gram.dense import DenseGram
from kgroups.gram.low_rank import FactorGram
from kgroups.native import kernels
from kgroups.runtime import progress
from kgroups.runtime.threads import Executor, Threads
from kgroups.solvers import block_search
from kgroups.solvers.block_search import partition_by_blocks
from kgroups.solvers.drift import Drift, any_worn, has_lost_digits
from kgroups.solvers.feature_search import feature_partitions
from kgroups.solvers.fill_empty import fill_empty
from kgroups.solvers.partition import (
    Earlier,
    Partition,
    Record,
    Status,
    Work,
    begin,
    in_range,
    magnitude,
    value,
)
from kgroups.solvers.problem import Problem
from kgroups.solvers.state import DIGITS, State
from kgroups.solvers.stored_search import stored_partitions
from kgroups.solvers.sweep import Visit, sweep
from kgroups.typing import Float64Array, IntArray

# How much larger a gain must be each time that labels came back.
_RAISED = 8.0
# Points of a stored matrix up to which a move one by one is as quick as by blocks.
_FEW = 1 << 13


@dataclass(frozen=True, kw_only=True)
class Hartigan:
    """Move one point at a time to the cluster where Q gains most, until none gains.

    Differs from the algorithm as printed in three ways: points are visited in blocks (same moves,
    same order); a cluster's last point may not leave; a gain counts when it exceeds
    ``tol`` · Σ|Q_j/s_j| and what rounding may have made of it, and those of a cluster that its
    heavy points have left wait for new sums. Converges for any symmetric matrix. Time: the
    operator's first sums, then O(nk) per sweep and O(n) per move; memory: the operator's sums.

    Where clusters are sums of features, above 50,000 points or where features are made when asked
    for, groups of points propose moves against the same means; these are made in order if they
    still gain. Few more sweeps are needed than one by one, and the end is the same: a sweep in
    which no point gains, with new means.

    Sums that are kept while points move drift by rounding. They are computed anew, at the price of
    the first ones, as soon as a bound on the drift says that it could reach ``tol``.
    """

    max_iter: int = 300
    tol: float = 1e-12
    #: Whether Q is Σ Q_j/s_j. Without denominators it is Σ Q_j, such as Newman's modularity.
    ratio: bool = True

    def solve(self, problem: Problem, labels: IntArray) -> Partition:
        """The one-move optimum reached from ``labels``, in which no cluster is empty.

        A cluster that no gain has filled, as may be with an indefinite matrix, takes the point with
        the largest part in the dispersion, and the search begins again from there: history and
        counts are those from there on, because filling may lower the objective.
        """
        if self.ratio and block_search.takes(problem.gram):
            executor = Threads(problem.gram.n_threads)
            return self._proposed(problem, problem.gram, labels, executor)
        if self.has_shortcut(problem):
            found = next(self.solve_all(problem, [labels], Threads(1)))
            progress.tell_sweep(found.n_iter, found.n_moves, found.rise)
            return found
        return self._in_blocks(problem, labels)

    def has_shortcut(self, problem: Problem) -> bool:
        """Whether :meth:`solve_all` runs in compiled code from the labels to the answer."""
        gram = problem.gram
        if not self.ratio:
            return False
        if block_search.takes(gram):
            return True
        if self.max_iter == 0:
            return False
        return isinstance(gram, FactorGram) or (isinstance(gram, DenseGram) and gram.n <= _FEW)

    def solve_all(
        self, problem: Problem, starts: Sequence[IntArray], executor: Executor
    ) -> Iterator[Partition]:
        """:meth:`solve` from each of several labelings, where there is a shortcut.

        A start on a stored matrix whose compiled search meets gains that may be rounding is solved
        once more with the care that these need.
        """
        gram = problem.gram
        starts = [in_range(labels, gram.n, problem.n_clusters) for labels in starts]
        if block_search.takes(gram):
            # One after the other, because each has work for all threads.
            for labels in starts:
                with progress.quiet():
                    proposed = self._proposed(problem, gram, labels, executor)
                yield proposed
            return
        how = (starts, self.tol, self.max_iter, executor)
        if isinstance(gram, FactorGram) and (held := gram.in_memory()):
            yield from feature_partitions(problem, gram, held, *how)
            return
        if not isinstance(gram, DenseGram):
            raise TypeError(f"no shortcut for {type(gram).__name__}")
        found = stored_partitions(problem, gram, *how)
        for labels, partition in zip(starts, found, strict=True):
            if partition is not None:
                yield partition
                continue
            with progress.quiet():  # as of the other starts, nothing is told but their ends
                careful = self._in_blocks(problem, labels)
            yield careful

    def _proposed(
        self, problem: Problem, gram: FactorGram, labels: IntArray, executor: Executor
    ) -> Partition:
        """:meth:`solve` where groups of rows propose moves."""
        weights, k = problem.weights, problem.n_clusters
        labels = in_range(labels, gram.n, k)
        found = partition_by_blocks(problem, gram, labels, self.tol, self.max_iter, executor)
        if np.bincount(found.labels[weights > 0], minlength=k).all():
            return found
        full = found.labels.copy()
        fill_empty(full, weights * own_distances(problem, begin(problem, full)), weights, k)
        if np.array_equal(full, found.labels):
            return found
        return self._proposed(problem, gram, full, executor)

    def _in_blocks(self, problem: Problem, labels: IntArray) -> Partition:
        """:meth:`solve` by visits of blocks of points, with the operator's own sums."""
        work = begin(problem, labels, ratio=self.ratio)
        found = self._from(problem, work)
        if work.state.members.all():
            return found
        full = found.labels.copy()
        cost = problem.weights * own_distances(problem, work)
        fill_empty(full, cost, problem.weights, problem.n_clusters)
        return found if np.array_equal(full, found.labels) else self._in_blocks(problem, full)

    def _from(self, problem: Problem, work: Work) -> Partition:
        """Sweeps until no point moves."""
        drift = Drift.none(work, problem.weights)
        diagonal, record, renewed = problem.gram.diagonal(), Record(problem, work), _Renewed()
        for _ in range(self.max_iter):
            moved, least = self._sweep(problem, work, diagonal, drift, renewed.floor)
            if drift.n_moves and self._is_worn(problem, work, drift, least):
                work.renew(problem)
                drift = Drift.none(work, problem.weights)
                if renewed.had(work.state):
                    drift = renewed.turn_back(problem, work)
                    if renewed.floor > DIGITS * magnitude(work.state):
                        record.add(moved)
                        return record.finish(Status.CYCLE)
                if moved == 0:
                    # Drift may have hidden a gain: only fresh sums can say that there is none.
                    moved, _ = self._sweep(problem, work, diagonal, drift, renewed.floor)
            record.add(moved)
            if moved == 0:
                return self._finished(problem, work, record, Status.CONVERGED)
        return self._finished(problem, work, record, Status.MAX_ITER)

    def _finished(self, problem: Problem, work: Work, record: Record, status: Status) -> Partition:
        """The answer, from new sums where the old ones have lost digits that it needs."""
        if has_lost_digits(work.state):
            work.renew(problem)
        return record.finish(status)

    def _is_worn(self, problem: Problem, work: Work, drift: Drift, least: float) -> bool:
        """Whether rounding in the sums may have made a gain, or hidden one."""
        state = work.state
        in_doubt = bool(state.held_back[0]) or any_worn(state)
        return in_doubt or drift.bound(state, problem.weights) > least

    def _sweep(
        self, problem: Problem, work: Work, diagonal: Float64Array, drift: Drift, floor: float
    ) -> tuple[int, float]:
        """One sweep: the number of moves, and the gain from which points moved."""
        least = max(floor, least_gain(self.tol, work.state, drift, problem.weights))
        rule = Visit(kernels.visit_by_gain, diagonal, problem.weights, least, work.state)
        moved = sweep(problem.gram, work.sums, rule)
        drift.add(moved, work, problem.weights)
        return moved, least


class _Renewed:
    """The labels of which sums were made anew, and the best of them.

    The search goes on from the same sums as before if points moved and labels came back.
    """

    def __init__(self) -> None:
        self.earlier = Earlier()
        self.highest = -np.inf
        self.best: IntArray | None = None
        #: The gain from which points move, whatever ``tol``: 0 until labels come back.
        self.floor = 0.0

    def had(self, state: State) -> bool:
        """Whether these labels were there before; they are from now on. O(n)."""
        if self.best is None or value(state) > self.highest:
            self.highest, self.best = value(state), state.labels.copy()
        return self.earlier.had(state.labels)

    def turn_back(self, problem: Problem, work: Work) -> Drift:
        """Go back to the best labels, from which only gains above what rounding makes count.

        Exact gains never lead back to earlier labels, so those that did were rounding.
        """
        work.renew(problem, self.best)
        drift = Drift.none(work, problem.weights)
        self.floor = max(_RAISED * self.floor, drift.of_one(work.state, problem.weights))
        self.earlier = Earlier()
        return drift


def own_distances(problem: Problem, work: Work) -> Float64Array:
    """Squared distance ‖φ(i) − μ‖² of each point to the centroid of its cluster."""
    state = work.state
    s = np.where(problem.weights > 0, state.weight[state.labels], 1.0)
    mean = work.sums.own(state.labels) / s
    squared = problem.gram.diagonal() - 2.0 * mean + state.within[state.labels] / s**2
    return np.asarray(squared, np.float64)


def least_gain(tol: float, state: State, drift: Drift, weights: Float64Array) -> float:
    """The gain from which points move."""
    least = tol * magnitude(state)
    # Sums without denominators may all but vanish, while the terms of a gain do not.
    return least if state.growth else max(least, drift.of_one(state, weights))
