"""Kernel k-groups: Hartigan's method on the objective Q [FRV Algorithm 2]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.gram.operator import RunningSums
from kgroups.solvers.compiled.hartigan import visit
from kgroups.solvers.compiled.state import State, any_worn
from kgroups.solvers.fill_empty import fill_empty
from kgroups.solvers.partition import (
    Earlier,
    Partition,
    Record,
    Status,
    Work,
    begin,
    magnitude,
    value,
)
from kgroups.solvers.problem import Problem
from kgroups.solvers.sweep import Visit, sweep
from kgroups.typing import Float64Array, IntArray

# Roundings that one update leaves in a gain, counted generously.
_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)
# How much larger a gain must be each time that labels came back.
_RAISED = 8.0
# A cluster that was so many times heavier while it changed is added up once more at the end.
_LIGHTER = 64.0
# So is everything where Q may otherwise be off by this share, sixteen roundings of float32; a
# search in which larger gains may still be rounding has not converged.
_DIGITS = 2e-6


@dataclass(frozen=True, kw_only=True)
class Hartigan:
    """Move one point at a time to the cluster where Q gains most, until none gains.

    Differs from the algorithm as printed in three ways: points are visited in blocks (same moves,
    same order); a cluster's last point may not leave; a gain counts when it exceeds
    ``tol`` · Σ|Q_j/s_j| and what rounding may have made of it, and those of a cluster that its
    heavy points have left wait for new sums. Converges for any symmetric matrix. Time: the
    operator's first sums, then O(nk) a sweep and O(n) a move; memory: the operator's sums.

    Sums that are kept while points move drift by rounding. They are computed anew, at the price of
    the first ones, as soon as a bound on the drift says that it could reach ``tol``.
    """

    max_iter: int = 300
    tol: float = 1e-12
    #: Whether Q is Σ Q_j/s_j. Without denominators it is Σ Q_j, such as Newman's modularity.
    ratio: bool = True

    def solve(
        self, problem: Problem, labels: IntArray, sums: RunningSums | None = None
    ) -> Partition:
        """The one-move optimum reached from ``labels``, in which no cluster is empty.

        A cluster that no gain has filled, as may be with an indefinite matrix, takes the point with
        the largest part in the dispersion, and the search begins again from there: history and
        counts are those from there on, because filling may lower the objective.
        """
        work = begin(problem, labels, sums, ratio=self.ratio)
        found = self._from(problem, work)
        if work.state.members.all():
            return found
        full = found.labels.copy()
        fill_empty(full, _costs(problem, work), problem.weights, problem.n_clusters)
        return found if np.array_equal(full, found.labels) else self.solve(problem, full)

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
                    if renewed.floor > _DIGITS * magnitude(work.state):
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
        rule = Visit(visit, diagonal, problem.weights, least, work.state)
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


def _costs(problem: Problem, work: Work) -> Float64Array:
    """The part w_i ‖φ(i) − μ‖² of each point in the dispersion about its centroid."""
    state, weights = work.state, problem.weights
    s = np.where(weights > 0, state.weight[state.labels], 1.0)
    mean = work.sums.own(state.labels) / s
    squared = problem.gram.diagonal() - 2.0 * mean + state.within[state.labels] / s**2
    return np.asarray(weights * squared, np.float64)


@dataclass
class Drift:
    """Bound on what updates of the sums by rounding may have done to any gain since they were new.

    Each update rounds w_i R_l(i) and Q_l by a part of their largest values so far, which may be
    those of heavier members that have left. A gain holds them over s_l ∓ w_i, Q_l times w_i / s_l.
    """

    sums: Float64Array
    within: Float64Array
    n_moves: int = 0

    @classmethod
    def none(cls, work: Work, weights: Float64Array) -> Drift:
        """The bound of sums that were just computed."""
        return cls(work.sums.largest(weights), np.abs(work.state.within))

    def add(self, n_moves: int, work: Work, weights: Float64Array) -> None:
        """Take the moves of a sweep into account."""
        self.n_moves += n_moves
        if n_moves:
            # Within a sweep a cluster holds no more than at its two ends together, and the larger
            # of the two no less than half of that.
            self.sums = np.maximum(self.sums, 2.0 * work.sums.largest(weights))
            self.within = np.maximum(self.within, np.abs(work.state.within))

    def bound(self, state: State, weights: Float64Array) -> float:
        """The largest error of a gain at the present weights of the clusters."""
        return self.n_moves * self.of_one(state, weights) if self.n_moves else 0.0

    def of_one(self, state: State, weights: Float64Array) -> float:
        """The error that one update may make. O(n)."""
        alive = state.weight > 0
        if not alive.any():
            return 0.0
        heaviest = np.zeros(len(state.weight))
        np.maximum.at(heaviest, state.labels, weights)
        s, w = state.weight[alive], heaviest[alive]
        rest = np.where(state.members[alive] > 1, s - state.growth * w, s)
        rest = np.maximum(rest, float(np.finfo(np.float64).tiny))
        # Where weights are beyond all proportion no bound is a number, and sums are always renewed.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            of_within = np.maximum(w / (s * rest), np.minimum(1.0, weights.max() / s) / s)
            of_within *= state.growth
            terms = 2.0 * self.sums[alive] / rest + self.within[alive] * of_within
        largest = float(terms.max())
        return np.inf if np.isnan(largest) else _ROUNDINGS * largest


def has_lost_digits(state: State) -> bool:
    """Whether updates have cost Q or a centroid digits that new sums would have."""
    alive = state.weight > 0
    s = state.weight[alive]
    if (state.peak[alive] > _LIGHTER * s).any():
        return True
    lost = state.rounding * float((state.reach[alive] / s).sum())
    return lost > _DIGITS * magnitude(state)


def least_gain(tol: float, state: State, drift: Drift, weights: Float64Array) -> float:
    """The gain from which points move."""
    least = tol * magnitude(state)
    # Sums without denominators may all but vanish, while the terms of a gain do not.
    return least if state.growth else max(least, drift.of_one(state, weights))
